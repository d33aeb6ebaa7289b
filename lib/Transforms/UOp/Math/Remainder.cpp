// The remainder of a division of floats, and powers of integers: exact, by
// loops of as many trips as the lanes need.
#include "Functions.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::uop {

/// A positive finite number as an integer of mantissa + 1 bits, its highest
/// one, times 2^(exponent - bias - mantissa). Zero, infinity and NaN give some
/// numbers in the same ranges, or nearly.
static std::pair<Num, Num> splitFloat(MathBuilder &b, Num x) {
  // The least denormal number is 2^-mantissa times the least normal one.
  Num isTiny = x < b.minNormal();
  Num raw = b.bits(b.select(isTiny, x * b.c(0x1p52, 0x1p23), x));
  Num implicit = b.i(1) << b.getMantissa();
  Num exponent = (raw >> b.getMantissa()) - b.select(isTiny, b.i(b.getMantissa()), b.i(0));
  return {(raw & (implicit - 1.0)) | implicit, exponent};
}

/// The largest lane of a positive integer, as an index.
static Value largest(MathBuilder &b, Num x) {
  Value value = x.value;
  if (isa<VectorType>(value.getType()))
    value = vector::ReductionOp::create(b.ops(), b.getLoc(), vector::CombiningKind::MAXSI, value);
  return arith::IndexCastOp::create(b.ops(), b.getLoc(), b.ops().getIndexType(), value);
}

// Long division of the mantissas, in digits of 20 or 48 bits. A digit is
// estimated in floating point, with less than 3/4 of error, so that the
// remainder is less than the divisor in magnitude; it is the difference of two
// products of which only the lowest bits are needed.
Num expandRemainder(MathBuilder &b, Num x, Num y) {
  Num ax = b.abs(x), ay = b.abs(y);
  auto [dividend, high] = splitFloat(b, ax);
  auto [modulus, low] = splitFloat(b, ay);
  Num divisor = modulus;
  Num inverse = 1.0 / b.toReal(divisor);
  Num digit = b.i(48, 20);
  Num distance = b.select(high > low, high - low, b.i(0));
  Num trips = b.wrap(arith::DivUIOp::create(b.ops(), b.getLoc(), distance.value, digit.value)) + 1.0;
  SmallVector<Num> end = b.repeat(largest(b, trips), {dividend, distance}, [&](ArrayRef<Num> carried) {
    Num rest = carried[0], left = carried[1];
    // A lane that has no bits left makes its remainder canonical once more.
    Num shift = b.select(left < digit, left, digit);
    auto [estimate, quotient] = b.round(b.toReal(rest) * inverse * b.pow2(shift));
    Num next = (rest << shift) - quotient * divisor;
    return SmallVector<Num>{next + ((next >> (b.getWidth() - 1)) & divisor), left - shift};
  });
  // The remainder is a multiple of the least denormal number, and has no more
  // bits than the divisor: this is exact.
  Num result = b.copySign(b.scale(b.toReal(end[0]), low - (b.getBias() + b.getMantissa())), x);
  result = b.select(ax < ay, x, result);
  return b.select((ax < b.infinity()) & (ay > 0.0), result, b.nan());
}

// Square and multiply, wrapping. x^-n is 1 / x^n rounded towards zero, and 0
// for a zero, as the interpreter has it.
Value expandIPowI(OpBuilder &builder, Location loc, Value x, Value n) {
  Type type = x.getType(), element = getElementTypeOrSelf(type);
  unsigned width = isa<IndexType>(element) ? IndexType::kInternalStorageBitWidth : element.getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) -> Value {
    TypedAttr attr = builder.getIntegerAttr(element, APInt(width, static_cast<uint64_t>(value), /*isSigned=*/false,
                                                           /*implicitTrunc=*/true));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  using Predicate = arith::CmpIPredicate;
  auto compare = [&](Predicate predicate, Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  auto select = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  };
  Value zero = constant(0), one = constant(1), minusOne = constant(-1);
  Value trips = arith::ConstantIndexOp::create(builder, loc, width);
  auto loop = ForOp::create(builder, loc, trips, ValueRange{one, x, n});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    Value result = loop.getRegionIterArgs()[0], square = loop.getRegionIterArgs()[1],
          left = loop.getRegionIterArgs()[2];
    Value isSet = compare(Predicate::ne, arith::AndIOp::create(builder, loc, left, one), zero);
    result = arith::MulIOp::create(builder, loc, result, select(isSet, square, one));
    square = arith::MulIOp::create(builder, loc, square, square);
    // A shift by the whole width would be poison, on i1.
    left = width == 1 ? zero : Value(arith::ShRUIOp::create(builder, loc, left, one));
    YieldOp::create(builder, loc, ValueRange{result, square, left});
  }
  // By an even power -1 is 1, and 1 is by any; the loop knows both, as it
  // counts the bits of n modulo 2^width.
  Value isUnit =
      arith::OrIOp::create(builder, loc, compare(Predicate::eq, x, one), compare(Predicate::eq, x, minusOne));
  Value isInverse = compare(Predicate::slt, n, zero);
  Value inverse = select(isUnit, loop.getResult(0), zero);
  return select(isInverse, inverse, loop.getResult(0));
}

} // namespace tiny::uop
