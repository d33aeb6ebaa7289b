// Bodies are made beside the program, and put into their operation when their types are known.
#include "LoopBuilder.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/HostTensor.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// A body that `fill` makes at the graph's builder, in an operation that goes when the body has been taken; null after
/// an error. What is made must stand in the program: it is evaluated where it is known.
Operation *makeBody(Node &node, ArrayRef<Type> arguments,
                    llvm::function_ref<std::optional<SmallVector<Value>>(Block &)> fill) {
  OpBuilder &builder = node.getOuter().builder;
  OperationState state(node.getLoc(), tensor::LoopOp::getOperationName());
  Block &block = state.addRegion()->emplaceBlock();
  for (Type type : arguments)
    block.addArgument(type, node.getLoc());
  Operation *holder = builder.create(state);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  std::optional<SmallVector<Value>> yielded = fill(block);
  if (!yielded || node.failed() || llvm::is_contained(*yielded, Value())) {
    holder->erase();
    return nullptr;
  }
  builder.setInsertionPointToEnd(&block);
  tensor::YieldOp::create(builder, node.getLoc(), *yielded);
  return holder;
}

void takeBody(Region &region, Operation *holder) {
  region.takeBody(holder->getRegion(0));
  holder->erase();
}

/// A loop may begin with a number as a list of one.
Value withType(Node &node, Value value, Type type) {
  auto expected = cast<RankedTensorType>(type);
  if (value && value.getType() != type && elementOf(value) == expected.getElementType() &&
      typeOf(value).getNumElements() == expected.getNumElements() && expected.getNumElements() == 1)
    return node.reshape(value, expected.getShape());
  return value;
}

} // namespace

Values createLoop(Node &node, int64_t most, Value limit, Value condition, ArrayRef<Value> carried,
                  llvm::function_ref<std::optional<Iteration>(Value number, ValueRange carried)> build) {
  OpBuilder &builder = node.getOuter().builder;
  Type count = RankedTensorType::get({}, builder.getI64Type());
  SmallVector<Type> arguments = {count}, rows;
  llvm::append_range(arguments, ValueRange(carried).getTypes());
  bool isWhile = false;
  Operation *body = makeBody(node, arguments, [&](Block &block) -> std::optional<SmallVector<Value>> {
    std::optional<Iteration> iteration = build(block.getArgument(0), block.getArguments().drop_front());
    if (!iteration)
      return std::nullopt;
    SmallVector<Value> yielded;
    if ((isWhile = iteration->condition != nullptr))
      yielded.push_back(iteration->condition);
    for (auto [value, first] : llvm::zip_equal(iteration->next, carried)) {
      yielded.push_back(withType(node, value, first.getType()));
      if (!yielded.back() || yielded.back().getType() != first.getType()) {
        node.fail("a carried value changes its type from one iteration to the next");
        return std::nullopt;
      }
    }
    for (Value row : iteration->rows) {
      if (!row)
        return std::nullopt;
      yielded.push_back(row);
      Ints shape(shapeOf(row));
      shape.insert(shape.begin(), most);
      if (!countElements(shape, tiny_dtype_size(*getDtype(elementOf(row))))) {
        node.fail("the size of a scan output overflows");
        return std::nullopt;
      }
      rows.push_back(RankedTensorType::get(shape, elementOf(row)));
    }
    return yielded;
  });
  if (!body) {
    node.refuse();
    return {};
  }
  // A condition that is not there holds.
  if (isWhile && !condition)
    condition = node.makeInts(1, {}, builder.getI1Type());
  SmallVector<Type> results(ValueRange(carried).getTypes());
  llvm::append_range(results, rows);
  results.push_back(count);
  auto loop = tensor::LoopOp::create(builder, node.getLoc(), results, builder.getI64IntegerAttr(most), limit, condition,
                                     carried);
  takeBody(loop.getBody(), body);
  // One that holds before the first iteration and is not computed in it always does.
  if (condition && !isWhile)
    loop.getBody().front().getTerminator()->insertOperands(
        0, OpBuilder(&loop.getBody().front(), loop.getBody().front().begin())
               .create<tensor::ConstantOp>(node.getLoc(), cast<ShapedType>(condition.getType()),
                                           DenseElementsAttr::get(cast<ShapedType>(condition.getType()), true))
               ->getResults());
  return Values(loop.getResults());
}

Values createBranch(Node &node, Value condition, llvm::function_ref<std::optional<SmallVector<Value>>()> build,
                    llvm::function_ref<std::optional<SmallVector<Value>>()> otherwise) {
  Operation *first = makeBody(node, {}, [&](Block &) { return build(); });
  Operation *second = first ? makeBody(node, {}, [&](Block &) { return otherwise(); }) : nullptr;
  if (!first || !second) {
    node.refuse();
    return {};
  }
  auto getTypes = [](Operation *holder) { return holder->getRegion(0).front().getTerminator()->getOperandTypes(); };
  SmallVector<Type> types(getTypes(first));
  if (TypeRange(types) != TypeRange(getTypes(second)))
    return {node.fail("the branches give other types, and the condition is computed while the model runs; only a "
                      "constant is supported")};
  auto branch = tensor::IfOp::create(node.getOuter().builder, node.getLoc(), types, condition);
  takeBody(branch.getBody(), first);
  takeBody(branch.getOtherwise(), second);
  return Values(branch.getResults());
}

Value takeAt(Node &node, Value value, int64_t axis, Value index) {
  return node.create("tiny.take", {value, index}, node.attr("axis", axis));
}

Attempt::Attempt(Node &node, llvm::function_ref<Values()> translate) : node(node) {
  Block *block = node.getOuter().builder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  {
    ScopedDiagnosticHandler handler(node.getContext(), [&](Diagnostic &diagnostic) {
      errors.push_back(std::move(diagnostic));
      return success();
    });
    values = translate();
  }
  succeeded = !node.failed();
  if (succeeded) {
    report();
    return;
  }
  node.forgive();
  // What it has built is for nothing, but for constants of the model.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
    if (&op == last)
      break;
    if (!isa<tensor::ConstantOp>(op))
      op.erase();
  }
}

void Attempt::report() {
  if (!succeeded)
    node.refuse();
  for (Diagnostic &error : errors)
    node.getContext()->getDiagEngine().emit(std::move(error));
  errors.clear();
}

} // namespace tiny::onnximport
