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

/// An axis of a result that two branches give other extents.
struct Extent {
  size_t result;
  int64_t axis;
};

/// Pads what two branches give to shapes that they have in common, and lets them give the true extents, an i64 each,
/// behind all else. None after an error.
std::optional<SmallVector<Extent>> alignResults(Node &node, Operation *first, Operation *second) {
  OpBuilder &builder = node.getOuter().builder;
  OpBuilder::InsertionGuard guard(builder);
  Operation *last[] = {first->getRegion(0).front().getTerminator(), second->getRegion(0).front().getTerminator()};
  size_t count = last[0]->getNumOperands();
  SmallVector<Extent> extents;
  for (size_t result = 0; result < count; ++result) {
    Value values[] = {last[0]->getOperand(result), last[1]->getOperand(result)};
    if (elementOf(values[0]) != elementOf(values[1]) || rankOf(values[0]) != rankOf(values[1])) {
      node.fail("the branches give other types, and the condition is computed while the model runs; only a constant is "
                "supported");
      return std::nullopt;
    }
    Ints shapes[] = {Ints(shapeOf(values[0])), Ints(shapeOf(values[1]))}, more[2];
    for (auto [axis, sizes] : llvm::enumerate(llvm::zip_equal(shapes[0], shapes[1]))) {
      auto [one, other] = sizes;
      bool isOpen = node.isOpen(one), isOtherOpen = node.isOpen(other);
      int64_t room = one;
      if (one != other || isOpen != isOtherOpen) {
        // Which of two is greater may depend on sizes; both together always have room. There is twice as much, so that
        // instances, which are made for any sizes, do not have sizes beyond it, where they would be other programs.
        room = isOpen || isOtherOpen ? 2 * (one + other) : std::max(one, other);
        extents.push_back({result, static_cast<int64_t>(axis)});
      }
      more[0].push_back(room - one);
      more[1].push_back(room - other);
    }
    for (int k : {0, 1}) {
      builder.setInsertionPoint(last[k]);
      Value padded = node.pad(values[k], Ints(more[k].size(), 0), more[k]);
      if (!padded)
        return std::nullopt;
      last[k]->setOperand(result, padded);
      for (const Extent &extent : extents)
        if (extent.result == result)
          last[k]->insertOperands(last[k]->getNumOperands(),
                                  node.makeInts(shapes[k][extent.axis], {}, builder.getI64Type()));
    }
  }
  return extents;
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
  std::optional<SmallVector<Extent>> extents = alignResults(node, first, second);
  if (!extents)
    return {};
  auto types = first->getRegion(0).front().getTerminator()->getOperandTypes();
  auto branch = tensor::IfOp::create(node.getOuter().builder, node.getLoc(), types, condition);
  takeBody(branch.getBody(), first);
  takeBody(branch.getOtherwise(), second);
  Values results(branch.getResults().drop_back(extents->size()));
  for (auto [extent, count] : llvm::zip_equal(*extents, branch.getResults().take_back(extents->size()))) {
    Value &result = results[extent.result];
    int64_t room = shapeOf(result)[extent.axis];
    std::optional<int64_t> size = node.measure(count, room);
    if (!size)
      return {};
    // Instances are made for some sizes, which may be beyond the room. It is one operation in any case: shapes are
    // compared by the last one of a node.
    Ints none(rankOf(result), 0), more(rankOf(result), 0), end(shapeOf(result));
    more[extent.axis] = *size - room;
    end[extent.axis] = *size;
    result = *size > room ? node.pad(result, none, more)
                          : node.create("tiny.shrink", result, {node.attr("begin", none), node.attr("end", end)});
    if (!result)
      return {};
  }
  return results;
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
