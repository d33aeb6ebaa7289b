// The pass: each operation of tosa is replaced by its translation, whose type must be the same.
#include "Tiny/Import/Tosa/Passes.h"
#include "Translators.h"

#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_CONVERTTOSATOTENSOR
#include "Tiny/Import/Tosa/Passes.h.inc"

namespace tosaimport {

Value fail(Operation *op, const Twine &message) {
  op->emitOpError() << message;
  return nullptr;
}

Value likeInteger(tensor::TensorBuilder &build, Value value, int64_t number) {
  auto type = cast<IntegerType>(tensor::TensorBuilder::getElement(value));
  return build.full(tensor::TensorBuilder::getShape(value),
                    IntegerAttr::get(type, APInt(type.getWidth(), number, /*isSigned=*/true, /*implicitTrunc=*/true)));
}

std::pair<int64_t, int64_t> getRange(Type element, bool isUnsigned) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (isUnsigned && width < 64)
    return {0, (int64_t(1) << width) - 1};
  return {APInt::getSignedMinValue(width).getSExtValue(), APInt::getSignedMaxValue(width).getSExtValue()};
}

Value readQuantized(tensor::TensorBuilder &build, Value value, int64_t zeroPoint, unsigned width) {
  if (isFloat(value))
    return value;
  value = build.cast(value, build.getBuilder().getIntegerType(width));
  return zeroPoint ? build.sub(value, likeInteger(build, value, zeroPoint)) : value;
}

std::optional<Ints> readShape(Operation *op, Value value) {
  Ints shape;
  if (value.getDefiningOp() && tosa::getConstShapeValues(value.getDefiningOp(), shape))
    return shape;
  op->emitOpError("expected a constant shape");
  return std::nullopt;
}

bool ignoresNan(Value input, tosa::NanPropagationMode mode) {
  return mode == tosa::NanPropagationMode::IGNORE && isFloat(input);
}

Value replaceNan(tensor::TensorBuilder &build, Value value, double number) {
  return build.where(build.create<tensor::IsNaNOp>(value), build.like(value, number), value);
}

/// What is wrong with a type, or null.
static const char *whyNotType(Type type) {
  if (isa<tosa::shapeType>(type))
    return nullptr;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return "expected tensors of static shape";
  if (auto integer = dyn_cast<IntegerType>(tensor.getElementType()))
    return llvm::is_contained({1, 8, 16, 32, 64}, integer.getWidth()) ? nullptr : "expected 1, 8, 16, 32 or 64 bits";
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(
          tensor.getElementType()))
    return nullptr;
  return "expected elements of a float or integer type";
}

static bool convertOperation(Operation *op, const TranslatorTable &table) {
  auto found = table.translators.find(op->getName().getStringRef());
  if (found == table.translators.end())
    return fail(op, "has no counterpart among tensor operations") != nullptr;
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes())))
    if (const char *reason = whyNotType(type))
      return fail(op, Twine(reason) + ", got " + llvm::formatv("{0}", type).str()) != nullptr;
  OpBuilder builder(op);
  tensor::TensorBuilder build(builder, op->getLoc());
  Value value = found->second(op, build);
  if (!value)
    return false;
  value = build.cast(value, getResultElement(op));
  if (value.getType() != op->getResult(0).getType())
    return fail(op, llvm::formatv("gives {0}, expected {1}", value.getType(), op->getResult(0).getType()).str()) !=
           nullptr;
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return true;
}

} // namespace tosaimport

void registerTosaDialect(DialectRegistry &registry) { registry.insert<tosa::TosaDialect>(); }

LogicalResult convertTosaToTensor(ModuleOp module) {
  SmallVector<Operation *> found, shapes;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
      return WalkResult::advance();
    (isa<tosa::ConstShapeOp>(op) ? shapes : found).push_back(op);
    // What stands inside of it falls with it.
    return WalkResult::skip();
  });
  if (found.empty() && shapes.empty())
    return success();
  module.getContext()->loadDialect<tensor::TinyDialect>();
  tosaimport::TranslatorTable table;
  tosaimport::addElementwise(table);
  tosaimport::addProducts(table);
  tosaimport::addQuantized(table);
  tosaimport::addStructure(table);
  bool isRight = true;
  for (Operation *op : found)
    isRight &= tosaimport::convertOperation(op, table);
  for (Operation *op : shapes) {
    if (op->use_empty())
      op->erase();
    else if (isRight)
      isRight = tosaimport::fail(op, "is used by what is not tosa") != nullptr;
  }
  return success(isRight);
}

namespace {
struct ConvertTosaToTensor : impl::ConvertTosaToTensorBase<ConvertTosaToTensor> {
  void runOnOperation() override {
    if (failed(convertTosaToTensor(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace tiny
