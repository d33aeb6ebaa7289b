// Type promotion and broadcasting: the lattice, the result type of an elementwise operation, and explicit operands.
#include "Tiny/Dialect/Tensor/Promotion.h"

#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Support/HostTensor.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tiny::tensor {

bool isTensorOf(Type type, ElementSet set) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return false;
  Type element = tensor.getElementType();
  bool isFloat = isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(element);
  bool isBool = element.isSignlessInteger(1), isInteger = false;
  if (auto integer = dyn_cast<IntegerType>(element))
    isInteger = !integer.isSigned() && llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  bool belongs = (isFloat && (set == ElementSet::Any || set == ElementSet::Float || set == ElementSet::Number)) ||
                 (isInteger && set != ElementSet::Float && set != ElementSet::Bool) ||
                 (isBool && (set == ElementSet::Any || set == ElementSet::Bool || set == ElementSet::IntegerOrBool));
  return belongs && hasValidSize(tensor);
}

Type promote(Type lhs, Type rhs) {
  if (lhs == rhs)
    return lhs;
  // i1 is below everything.
  if (lhs.isInteger(1) || rhs.isInteger(1))
    return lhs.isInteger(1) ? rhs : lhs;
  MLIRContext *context = lhs.getContext();
  unsigned leftWidth = lhs.getIntOrFloatBitWidth(), rightWidth = rhs.getIntOrFloatBitWidth();
  bool leftFloat = isa<FloatType>(lhs), rightFloat = isa<FloatType>(rhs);
  // Any integer is below any float.
  if (leftFloat != rightFloat)
    return leftFloat ? lhs : rhs;
  if (leftFloat) {
    if (leftWidth != rightWidth)
      return leftWidth > rightWidth ? lhs : rhs;
    return leftWidth == 8 ? Type(Float16Type::get(context)) : Type(Float32Type::get(context));
  }
  if (lhs.isUnsignedInteger() == rhs.isUnsignedInteger())
    return leftWidth > rightWidth ? lhs : rhs;
  // A signed integer that holds both: wider than the unsigned one.
  unsigned unsignedWidth = lhs.isUnsignedInteger() ? leftWidth : rightWidth;
  unsigned signedWidth = lhs.isUnsignedInteger() ? rightWidth : leftWidth;
  if (unsignedWidth == 64)
    return Float32Type::get(context);
  return IntegerType::get(context, std::max(2 * unsignedWidth, signedWidth));
}

Type toFloat(Type element) { return isa<FloatType>(element) ? element : Float32Type::get(element.getContext()); }

Type getAccumulator(Type element) {
  if (element.getIntOrFloatBitWidth() >= 32)
    return element;
  if (isa<FloatType>(element))
    return Float32Type::get(element.getContext());
  return IntegerType::get(element.getContext(), 32,
                          element.isUnsignedInteger() ? IntegerType::Unsigned : IntegerType::Signless);
}

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<int64_t> shape(lhs);
  for (auto [index, size] : llvm::enumerate(rhs)) {
    int64_t &other = shape[lhs.size() - rhs.size() + index];
    if (size != other && size != 1 && other != 1)
      return std::nullopt;
    other = other == 1 ? size : other;
  }
  return shape;
}

bool hasValidSize(ShapedType type) {
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
  return countElements(type.getShape(), llvm::divideCeil(bits, 8)).has_value();
}

std::string printShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return llvm::itostr(size); }), "x");
}

RankedTensorType getStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isIntOrFloat() ? tensor : nullptr;
}

/// The operands that promote: all, or all after the condition.
static ValueRange getPromoted(ValueRange operands, ElementRule rule) {
  return rule == ElementRule::Select ? operands.drop_front() : operands;
}

/// The element type that the operation computes in.
static Type getComputeElement(ValueRange operands, ElementRule rule) {
  operands = getPromoted(operands, rule);
  Type element = getElementTypeOrSelf(operands.front());
  for (Value operand : operands.drop_front())
    element = promote(element, getElementTypeOrSelf(operand));
  return rule == ElementRule::Float ? toFloat(element) : element;
}

LogicalResult inferElementwise(std::optional<Location> location, StringRef name, ValueRange operands, ElementRule rule,
                               SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    RankedTensorType type = getStaticTensor(operand.getType());
    if (!type)
      return emitInferError(location, name, "expects static ranked tensors, got ", operand.getType());
    // (elementwise_c1) Shapes broadcast.
    std::optional<SmallVector<int64_t>> common = broadcastShapes(shape, type.getShape());
    if (!common)
      return emitInferError(location, name, "expects operands that broadcast, got ", printShape(type.getShape()),
                            " as operand #", index, " beside ", printShape(shape));
    shape = std::move(*common);
  }
  Type element = getComputeElement(operands, rule);
  // (elementwise_c2) Arithmetic is not on truth values alone.
  if (rule == ElementRule::Number && element.isInteger(1))
    return emitInferError(location, name,
                          "expects numbers, got only truth values (i1); cast them, or use tiny.and, "
                          "tiny.or, tiny.xor");
  if (rule == ElementRule::Compare)
    element = IntegerType::get(element.getContext(), 1);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

bool hasExplicitOperands(Operation *op, ElementRule rule) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  Type element = getComputeElement(op->getOperands(), rule);
  auto hasShape = [&](Value value) { return cast<RankedTensorType>(value.getType()).getShape() == shape; };
  return llvm::all_of(op->getOperands(), hasShape) &&
         llvm::all_of(getPromoted(op->getOperands(), rule),
                      [&](Value value) { return getElementTypeOrSelf(value) == element; });
}

FailureOr<SmallVector<Value>> makeOperandsExplicit(OpBuilder &builder, Operation *op, ElementRule rule) {
  TensorBuilder build(builder, op->getLoc());
  ArrayRef<int64_t> shape = TensorBuilder::getShape(op->getResult(0));
  Type element = getComputeElement(op->getOperands(), rule);
  SmallVector<Value> operands;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    bool isCondition = rule == ElementRule::Select && index == 0;
    // Cast first: there may be fewer elements to cast than after the expansion.
    operands.push_back(build.expand(isCondition ? operand : build.cast(operand, element), shape));
  }
  Operation *explicitOp = builder.clone(*op);
  explicitOp->setOperands(operands);
  return SmallVector<Value>(explicitOp->getResults());
}

std::optional<SmallVector<Value>> computeInF32(OpBuilder &builder, Operation *op, ElementRule rule) {
  Type element = TensorBuilder::getElement(op->getResult(0)), wide = getAccumulator(element);
  if (rule != ElementRule::Float || wide == element)
    return std::nullopt;
  TensorBuilder build(builder, op->getLoc());
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return build.cast(operand, wide); });
  Operation *wideOp = builder.clone(*op);
  wideOp->setOperands(operands);
  Value result = wideOp->getResult(0);
  result.setType(TensorBuilder::getType(result).clone(wide));
  return SmallVector<Value>{build.cast(result, element)};
}

} // namespace tiny::tensor
