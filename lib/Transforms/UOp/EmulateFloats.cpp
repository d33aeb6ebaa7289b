// Arithmetic and casts of float types that a target lacks, through f32.
#include "Legalize.h"
#include "Math/FloatFormats.h"
#include "Math/IntegerCasts.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::uop {

namespace {

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// What only moves elements works on any type.
bool isMove(Operation *op) {
  if (isa<vector::VectorDialect>(op->getDialect()))
    return !isa<vector::ReductionOp, vector::MultiDimReductionOp, vector::FMAOp, vector::OuterProductOp,
                vector::ContractionOp, vector::ScanOp>(op);
  return isa<UOpDialect>(op->getDialect()) || isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
}

class Emulator {
public:
  Emulator(FuncOp func, const FloatSupport &support)
      : func(func), support(support), builder(func.getContext()), single(builder.getF32Type()) {}

  LogicalResult run() {
    func.getBody().walk([&](Operation *op) { work.push_back(op); });
    // New operations go to the end.
    for (size_t i = 0; i < work.size(); ++i)
      if (failed(visit(work[i])))
        return failure();
    return success();
  }

private:
  bool isEmulated(Type type) const { return support.emulated.contains(getElementTypeOrSelf(type)); }
  bool isEmulated(Value value) const { return isEmulated(value.getType()); }

  /// Whether no instruction rounds f64 to it once.
  bool isShortOfDouble(Type element) const { return (element.isF16() || element.isBF16()) && !support.doubleToHalf; }

  MathBuilder &mathFor(Type shape) {
    math.emplace(builder, loc, withElement(shape, single), &func.getBody().front(), constants);
    return *math;
  }

  /// Any float as f32, or as f64 where it is one: exact.
  Value widen(Value x) {
    Type element = getElementTypeOrSelf(x);
    if (isEmulated(x))
      return widenFloat(mathFor(x.getType()), x).value;
    if (element.isF32() || element.isF64())
      return x;
    return arith::ExtFOp::create(builder, loc, withElement(x.getType(), single), x);
  }

  /// f32 or f64 rounded once to any float type.
  Value round(Value x, Type type) {
    Type target = getElementTypeOrSelf(type), source = getElementTypeOrSelf(x);
    bool isShort = isEmulated(type) || isShortOfDouble(target);
    if (source.isF64() && isShort)
      x = roundToOdd(mathFor(type), x).value;
    if (isEmulated(type) && !(target.isBF16() && support.floatToBfloat))
      return narrowFloat(mathFor(type).wrap(x), type);
    unsigned from = getElementTypeOrSelf(x).getIntOrFloatBitWidth(), to = target.getIntOrFloatBitWidth();
    if (from == to)
      return x;
    return from < to ? Value(arith::ExtFOp::create(builder, loc, type, x))
                     : Value(arith::TruncFOp::create(builder, loc, type, x));
  }

  Value constant(Type type, const APInt &value) {
    TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }

  /// An integer of 64 bits with its last 11 bits rounded to odd, where it has more than 32: it is exact in f64 then,
  /// and rounds to any narrow format as the integer itself does.
  Value dropLowBits(Value x, bool isSigned) {
    Type type = x.getType();
    auto c = [&](uint64_t value) { return constant(type, APInt(64, value)); };
    Value low = arith::AndIOp::create(builder, loc, x, c(0x7ff));
    Value isInexact = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, low, c(0));
    Value cut = arith::AndIOp::create(builder, loc, x, c(~uint64_t(0x7ff)));
    Value odd = arith::OrIOp::create(builder, loc, cut, c(0x800));
    Value rounded = arith::SelectOp::create(builder, loc, isInexact, odd, x);
    Value place = isSigned ? Value(arith::AddIOp::create(builder, loc, x, c(uint64_t(1) << 32))) : x;
    Value isLarge =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, place, c(uint64_t(1) << (isSigned ? 33 : 32)));
    return arith::SelectOp::create(builder, loc, isLarge, rounded, x);
  }

  template <typename Op> Value fromInteger(Op op, bool isSigned) {
    Value x = op.getIn();
    unsigned width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
    if (width > 16 && !support.hasDouble) {
      Type sameWidth = width == 64 ? Type(builder.getF64Type()) : single;
      MathBuilder whole(builder, loc, sameWidth, &func.getBody().front(), constants);
      MathBuilder &real = mathFor(op.getType());
      return round(integerToSingle(whole, real, whole.wrap(x), isSigned, /*toOdd=*/true).value, op.getType());
    }
    if (width == 64)
      x = dropLowBits(x, isSigned);
    Type exact = withElement(op.getType(), width <= 16 ? Type(single) : Type(builder.getF64Type()));
    return round(Op::create(builder, loc, exact, x), op.getType());
  }

  /// One operation in wider floats; each result is rounded once.
  void compute(Operation *op) {
    // The product of a fused multiply-add has to be exact, and nearly its sum.
    Type wide = isa<math::FmaOp, vector::FMAOp>(op) ? Type(builder.getF64Type()) : Type(single);
    Operation *copy = op->clone();
    for (OpOperand &operand : copy->getOpOperands())
      if (isEmulated(operand.get()))
        operand.set(round(widen(operand.get()), withElement(operand.get().getType(), wide)));
    builder.insert(copy);
    for (auto [result, from] : llvm::zip_equal(copy->getResults(), op->getResults())) {
      Value value = result;
      if (isEmulated(from)) {
        result.setType(withElement(from.getType(), wide));
        value = round(result, from.getType());
      }
      from.replaceAllUsesWith(value);
    }
    op->erase();
  }

  /// Lane by lane, since each sum is rounded.
  void reduceInOrder(vector::ReductionOp op) {
    bool isSum = op.getKind() == vector::CombiningKind::ADD;
    Value result = op.getAcc();
    for (int64_t lane : llvm::seq(op.getSourceVectorType().getNumElements())) {
      Value element = vector::ExtractOp::create(builder, loc, op.getVector(), lane);
      if (result) {
        result = isSum ? Value(arith::AddFOp::create(builder, loc, result, element, op.getFastmath()))
                       : Value(arith::MulFOp::create(builder, loc, result, element, op.getFastmath()));
        work.push_back(result.getDefiningOp());
      } else {
        result = element;
      }
    }
    replace(op, result);
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  LogicalResult visitCast(Operation *op) {
    Value in = op->getOperand(0);
    Type type = op->getResult(0).getType();
    if (auto truncate = dyn_cast<arith::TruncFOp>(op);
        truncate && truncate.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
                        arith::RoundingMode::to_nearest_even)
      return op->emitError(
          "'arith.truncf' rounds to nearest even where it is emulated, expected no other rounding mode");
    if (auto from = dyn_cast<arith::SIToFPOp>(op)) {
      replace(op, fromInteger(from, /*isSigned=*/true));
    } else if (auto from = dyn_cast<arith::UIToFPOp>(op)) {
      replace(op, fromInteger(from, /*isSigned=*/false));
    } else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
      op->setOperand(0, widen(in));
    } else {
      replace(op, round(widen(in), type));
    }
    return success();
  }

  /// The sign bit alone changes, also of a NaN.
  void changeSign(Operation *op) {
    Type type = op->getResult(0).getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Type integer = withElement(type, builder.getIntegerType(width));
    Value bits = arith::BitcastOp::create(builder, loc, integer, op->getOperand(0));
    if (isa<arith::NegFOp>(op))
      bits = arith::XOrIOp::create(builder, loc, bits, constant(integer, APInt::getSignMask(width)));
    else
      bits = arith::AndIOp::create(builder, loc, bits, constant(integer, APInt::getSignedMaxValue(width)));
    replace(op, arith::BitcastOp::create(builder, loc, type, bits));
  }

  LogicalResult visit(Operation *op) {
    bool isEmulatedHere = llvm::any_of(op->getOperands(), [&](Value value) { return isEmulated(value); }) ||
                          llvm::any_of(op->getResults(), [&](Value value) { return isEmulated(value); });
    if (auto truncate = dyn_cast<arith::TruncFOp>(op); truncate && !support.doubleToHalf)
      isEmulatedHere |=
          getElementTypeOrSelf(truncate.getIn()).isF64() && isShortOfDouble(getElementTypeOrSelf(truncate.getType()));
    if (!isEmulatedHere || isMove(op))
      return success();
    loc = op->getLoc();
    builder.setInsertionPoint(op);
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op))
      return visitCast(op);
    if (isa<arith::NegFOp, math::AbsFOp>(op)) {
      changeSign(op);
      return success();
    }
    auto reduction = dyn_cast<vector::ReductionOp>(op);
    if (reduction &&
        llvm::is_contained({vector::CombiningKind::ADD, vector::CombiningKind::MUL}, reduction.getKind())) {
      reduceInOrder(reduction);
      return success();
    }
    if (!reduction && !OpTrait::hasElementwiseMappableTraits(op))
      return op->emitError() << "'" << op->getName() << "' cannot be emulated on float types that the target lacks";
    compute(op);
    return success();
  }

  FuncOp func;
  const FloatSupport &support;
  OpBuilder builder;
  FloatType single;
  Location loc = func.getLoc();
  std::optional<MathBuilder> math;
  MathBuilder::Constants constants;
  SmallVector<Operation *> work;
};

} // namespace

LogicalResult emulateFloats(FuncOp func, const FloatSupport &support) { return Emulator(func, support).run(); }

} // namespace tiny::uop
