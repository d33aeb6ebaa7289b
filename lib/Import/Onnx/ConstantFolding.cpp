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

/// What gives a polynomial of polynomials, or moves elements.
static bool isPolynomial(Operation *op) {
  return isa<tensor::ConstantOp, tensor::AddOp, tensor::SubOp, tensor::MulOp, tensor::NegOp, tensor::SquareOp,
             tensor::CastOp, tensor::SumOp, tensor::ProdOp, tensor::ReshapeOp, tensor::ExpandOp, tensor::PermuteOp,
             tensor::ConcatOp, tensor::ShrinkOp, tensor::PadOp, tensor::FlipOp, tensor::TakeOp, tensor::GatherOp,
             tensor::IotaOp, tensor::FullOp>(op);
}

/// The elements, where all of them are numbers of this type.
template <typename T> static std::optional<std::vector<T>> readNumbers(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  constexpr int64_t kMostElements = 64;
  if (!dense || dense.getNumElements() > kMostElements)
    return std::nullopt;
  std::vector<T> numbers;
  Type element = dense.getElementType();
  if (isa<FloatType>(element)) {
    for (const APFloat &number : dense.getValues<APFloat>()) {
      double exact = number.convertToDouble();
      if (std::is_integral_v<T> && (!(std::abs(exact) < 0x1p53) || exact != std::round(exact)))
        return std::nullopt;
      numbers.push_back(T(exact));
    }
    return numbers;
  }
  bool isSigned = !element.isUnsignedInteger() && !element.isInteger(1);
  for (const APInt &number : dense.getValues<APInt>())
    numbers.push_back(isSigned ? T(number.getSExtValue()) : T(number.getZExtValue()));
  return numbers;
}

/// Notes a value that follows open sizes by no polynomial for sure, with how it is computed.
static void noteDecision(Graph &graph, Value value, ArrayRef<Operation *> slice, ElementsAttr known) {
  std::vector<int64_t> inputs;
  std::optional<std::vector<double>> result = readNumbers<double>(known);
  Location loc = value.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder inner = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(inner, loc, "known", inner.getFunctionType({}, {}));
  Block *body = function.addEntryBlock();
  inner.setInsertionPointToStart(body);
  auto cast = [&](Value from, Type element) {
    OperationState state(loc, tensor::CastOp::getOperationName());
    state.addOperands(from);
    state.addTypes(typeOf(from).clone(element));
    return inner.create(state)->getResult(0);
  };
  IRMapping mapping;
  for (Operation *op : slice) {
    if (!op->hasAttr(kFollowsAttr)) {
      inner.clone(*op, mapping);
      continue;
    }
    std::optional<std::vector<int64_t>> numbers = readNumbers<int64_t>(llvm::cast<tensor::ConstantOp>(op).getValue());
    if (!numbers)
      return;
    llvm::append_range(inputs, *numbers);
    RankedTensorType type = typeOf(op->getResult(0));
    Value argument = body->addArgument(type.clone(inner.getI64Type()), loc);
    mapping.map(op->getResult(0), type.getElementType().isInteger(64) && !type.getElementType().isUnsignedInteger()
                                      ? argument
                                      : cast(argument, type.getElementType()));
  }
  Value last = mapping.lookup(value);
  func::ReturnOp::create(inner, loc, cast(last, inner.getF64Type()));
  function.setType(inner.getFunctionType(body->getArgumentTypes(), typeOf(value).clone(inner.getF64Type())));
  if (OnnxDecision *decision = result ? graph.nextDecision() : nullptr) {
    decision->program = std::move(module);
    decision->known[graph.getImport()] = {std::move(inputs), std::move(*result)};
  }
}

void foldConstants(Graph &graph, MutableArrayRef<Value> results) {
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
    // A fraction of a size has no law of its own: what is made of it is noted with all that it is made of.
    if (follows && isa<FloatType>(elementOf(result)))
      continue;
    if (follows && !llvm::all_of(slice, isPolynomial))
      noteDecision(graph, result, slice, known);
    result = tensor::ConstantOp::create(builder, result.getLoc(), typeOf(result), known);
    if (follows)
      result.getDefiningOp()->setAttr(kFollowsAttr, builder.getUnitAttr());
    // What the value was computed from may be needed no longer, unless it is a result, too.
    for (Operation *op : llvm::reverse(slice))
      if (op->use_empty() && !isa<tensor::ConstantOp>(op) &&
          llvm::none_of(op->getResults(), [&](Value value) { return llvm::is_contained(results, value); }))
        op->erase();
  }
}

} // namespace tiny::onnximport
