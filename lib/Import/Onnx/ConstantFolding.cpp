// What is known when a model is imported: values that depend on constants alone are evaluated by the reference
// interpreter, so that shapes which exporters compute become constants.
#include "Node.h"
#include "TensorData.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Reference/Interpreter.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

// Larger values stay operations: they are computed once when a program is prepared, and cost nothing here.
constexpr int64_t kLargestFolded = 1 << 16;
// What was folded at other sizes is folded here, too.
constexpr int64_t kLargestForced = 1 << 22;
constexpr size_t kMostOperations = 4096;

/// Adds to `slice` what the value is computed from. False when that is more than constants of so many elements.
bool collectSlice(Value value, int64_t largest, llvm::SetVector<Operation *> &slice) {
  auto isSmall = [&](Value other) { return typeOf(other).getNumElements() <= largest; };
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !llvm::all_of(op->getResults(), isSmall))
      return false;
    if (!slice.insert(op))
      continue;
    if (slice.size() > kMostOperations)
      return false;
    llvm::append_range(open, op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(open, captured);
  }
  return true;
}

ElementsAttr makeFolded(MLIRContext *context, const HostTensor &tensor) {
  size_t width = tiny_dtype_size(tensor.dtype), count = width ? tensor.bytes.size() / width : 0;
  if (count < 2)
    return makeElements(context, tensor, "");
  for (size_t i = 1; i < count; ++i)
    if (std::memcmp(tensor.bytes.data(), tensor.bytes.data() + i * width, width) != 0)
      return makeElements(context, tensor, "");
  HostTensor first = HostTensor::zeros(tensor.dtype, {});
  std::memcpy(first.bytes.data(), tensor.bytes.data(), width);
  auto scalar = cast<DenseElementsAttr>(makeElements(context, first, ""));
  auto type = RankedTensorType::get(tensor.shape, scalar.getElementType());
  return DenseElementsAttr::get(type, *scalar.value_begin<Attribute>());
}

/// Evaluates a value from what it is computed from, in the order in which that stands.
ElementsAttr evaluate(Value value, ArrayRef<Operation *> slice) {
  Location loc = value.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder inner = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(inner, loc, "known", inner.getFunctionType({}, value.getType()));
  inner.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : slice)
    inner.clone(*op, mapping);
  func::ReturnOp::create(inner, loc, mapping.lookup(value));
  reference::InterpreterOptions limits;
  limits.maxSteps = uint64_t(1) << 24;
  limits.maxBytes = uint64_t(1) << 28;
  reference::Evaluated evaluated = reference::evaluate(*module, "known", {}, limits);
  if (evaluated.error || evaluated.dividedByZero)
    return nullptr;
  return makeFolded(value.getContext(), evaluated.results.front());
}

/// What a value that is known now is computed from, in order; empty where it is not known.
SmallVector<Operation *> listSlice(Value value, int64_t largest = kLargestFolded) {
  llvm::SetVector<Operation *> slice;
  if (!collectSlice(value, largest, slice))
    return {};
  // They may stand in bodies and outside of them.
  return topologicalSort(slice).takeVector();
}

} // namespace

ElementsAttr evaluateKnown(Value value) {
  if (auto constant = value.getDefiningOp<tensor::ConstantOp>())
    return constant.getValue();
  SmallVector<Operation *> slice = listSlice(value);
  return slice.empty() ? ElementsAttr() : evaluate(value, slice);
}

/// Whether an open size decides the constant.
static bool isSized(Operation *op) { return op->hasAttr(kFollowsAttr) || op->hasAttr(kShapedAttr); }

/// What gives a polynomial of polynomials, or moves elements to where no size says.
static bool isPolynomial(Operation *op) {
  // Which element is taken may be no polynomial, and narrow integers wrap around.
  if (isa<tensor::TakeOp, tensor::GatherOp>(op)) {
    Operation *indices = op->getOperand(1).getDefiningOp();
    return isa_and_nonnull<tensor::ConstantOp>(indices) && !isSized(indices);
  }
  if (isa<tensor::CastOp>(op))
    return elementOf(op->getResult(0)).getIntOrFloatBitWidth() >= 32;
  return isa<tensor::ConstantOp, tensor::AddOp, tensor::SubOp, tensor::MulOp, tensor::NegOp, tensor::SquareOp,
             tensor::SumOp, tensor::ProdOp, tensor::ReshapeOp, tensor::ExpandOp, tensor::PermuteOp, tensor::ConcatOp,
             tensor::ShrinkOp, tensor::FlipOp>(op);
}

/// Notes how a value that follows open sizes is computed, and what it is here.
static void noteDecision(Graph &graph, Location loc, Value value, ArrayRef<Operation *> slice, ElementsAttr known) {
  OnnxDecision::Known *decision = graph.nextDecision(loc);
  if (!decision)
    return;
  OwningOpRef<ModuleOp> module = ModuleOp::create(value.getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(inner, value.getLoc(), "known", inner.getFunctionType({}, value.getType()));
  inner.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : slice)
    inner.clone(*op, mapping);
  func::ReturnOp::create(inner, value.getLoc(), mapping.lookup(value));
  decision->program = std::move(module);
  decision->value = known;
}

void foldConstants(Graph &graph, MutableArrayRef<Value> results, ArrayRef<Value> inputs) {
  OpBuilder &builder = graph.builder;
  for (Value &result : results) {
    if (!result || result.getDefiningOp<tensor::ConstantOp>())
      continue;
    std::optional<bool> wasFolded = graph.wasFolded(result);
    SmallVector<Operation *> slice;
    if (wasFolded.value_or(true))
      slice = listSlice(result, wasFolded ? kLargestForced : kLargestFolded);
    ElementsAttr known = slice.empty() ? ElementsAttr() : evaluate(result, slice);
    // What depends on data is no constant at any size.
    if (known || (!wasFolded && graph.isFirstImport() && !listSlice(result, kLargestForced).empty()))
      graph.noteFolded(result, known != nullptr);
    if (!known)
      continue;
    bool follows = llvm::any_of(slice, [](Operation *op) { return op->hasAttr(kFollowsAttr); });
    // What is made of a fraction of a size is noted where it is used, with all that it is made of.
    if (follows && isa<FloatType>(elementOf(result)))
      continue;
    // Sizes that a handler has read are in the attributes and types of its operations.
    bool isShaped =
        llvm::any_of(slice, [](Operation *op) { return op->hasAttr(kShapedAttr); }) ||
        llvm::any_of(inputs, [&](Value input) {
          return !llvm::is_contained(slice, input.getDefiningOp()) && llvm::any_of(listSlice(input), isSized);
        });
    if (isShaped || (follows && !llvm::all_of(slice, isPolynomial)))
      noteDecision(graph, result.getLoc(), result, slice, known);
    result = tensor::ConstantOp::create(builder, result.getLoc(), typeOf(result), known);
    if (follows)
      result.getDefiningOp()->setAttr(kFollowsAttr, builder.getUnitAttr());
    if (isShaped)
      result.getDefiningOp()->setAttr(kShapedAttr, builder.getUnitAttr());
    // What the value was computed from may be needed no longer, unless it is a result, too.
    for (Operation *op : llvm::reverse(slice))
      if (op->use_empty() && !isa<tensor::ConstantOp>(op) &&
          llvm::none_of(op->getResults(), [&](Value value) { return llvm::is_contained(results, value); }))
        op->erase();
  }
}

bool followsSizes(Value value) { return value && llvm::any_of(listSlice(value), isSized); }

void noteChoice(Graph &graph, Value value) {
  SmallVector<Operation *> slice = value ? listSlice(value) : SmallVector<Operation *>();
  if (llvm::any_of(slice, isSized))
    noteDecision(graph, value.getLoc(), value, slice, evaluate(value, slice));
  for (Operation *op : llvm::reverse(slice))
    if (op->use_empty() && !isa<tensor::ConstantOp>(op))
      op->erase();
}

void noteDecisions(Graph &graph, func::FuncOp function) {
  // What is computed from constants alone, and whether sizes decide one of them.
  llvm::DenseMap<Operation *, bool> isKnown;
  llvm::DenseSet<Value> noted;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool follows = isSized(op);
    bool known = op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() && isPure(op) &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   auto found = isKnown.find(operand.getDefiningOp());
                   follows |= found != isKnown.end() && found->second;
                   return found != isKnown.end();
                 });
    if (known) {
      isKnown[op] = follows;
      return;
    }
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!isKnown.lookup(from) || isa<tensor::ConstantOp>(from) || !noted.insert(operand).second)
        continue;
      SmallVector<Operation *> slice = listSlice(operand, kLargestForced);
      if (slice.empty())
        continue;
      bool isSmall = llvm::all_of(
          slice, [](Operation *part) { return typeOf(part->getResult(0)).getNumElements() <= kLargestFolded; });
      noteDecision(graph, op->getLoc(), operand, slice, isSmall ? evaluate(operand, slice) : ElementsAttr());
    }
  });
}

} // namespace tiny::onnximport
