// Builds formulas over floats and their bits: constants, single operations, and idioms such as polynomials and 2^n.
#include "MathBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::uop {

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

MathBuilder::MathBuilder(OpBuilder &builder, Location loc, Type type, Block *entry, Constants &constants, bool hasFma)
    : builder(builder), loc(loc), floatType(type), width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()),
      hasFma(hasFma), entry(entry), constants(constants) {
  integerType = withElement(type, builder.getIntegerType(width));
}

//===--- Constants
//------------------------------------------------------------------------------------------------===//

Num MathBuilder::constant(TypedAttr element, Type type) {
  TypedAttr attr = element;
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(element));
  Value &value = constants[attr];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    value = arith::ConstantOp::create(builder, loc, attr);
  }
  return wrap(value);
}

Num MathBuilder::c(double x) { return constant(builder.getFloatAttr(getElementTypeOrSelf(floatType), x), floatType); }

Num MathBuilder::i(uint64_t x) {
  Type element = getElementTypeOrSelf(integerType);
  return constant(builder.getIntegerAttr(element, APInt(width, x, /*isSigned=*/false, /*implicitTrunc=*/true)),
                  integerType);
}

Num MathBuilder::infinity() { return c(std::numeric_limits<double>::infinity()); }
Num MathBuilder::nan() { return c(std::numeric_limits<double>::quiet_NaN()); }
Num MathBuilder::minNormal() { return c(0x1p-1022, 0x1p-126); }

//===--- Single operations
//----------------------------------------------------------------------------------------===//

Num MathBuilder::bits(Num x) { return wrap(arith::BitcastOp::create(builder, loc, integerType, x.value)); }
Num MathBuilder::real(Num x) { return wrap(arith::BitcastOp::create(builder, loc, floatType, x.value)); }
Num MathBuilder::toReal(Num x) { return wrap(arith::SIToFPOp::create(builder, loc, floatType, x.value)); }
Num MathBuilder::shiftRightLogical(Num x, Num amount) {
  return wrap(arith::ShRUIOp::create(builder, loc, x.value, amount.value));
}
Num MathBuilder::select(Num condition, Num x, Num y) {
  return wrap(arith::SelectOp::create(builder, loc, condition.value, x.value, y.value));
}
Num MathBuilder::abs(Num x) { return wrap(math::AbsFOp::create(builder, loc, x.value)); }
Num MathBuilder::sqrt(Num x) { return wrap(math::SqrtOp::create(builder, loc, x.value)); }
Num MathBuilder::fma(Num a, Num b, Num c) {
  return hasFma ? wrap(math::FmaOp::create(builder, loc, a.value, b.value, c.value)) : a * b + c;
}
Num MathBuilder::copySign(Num magnitude, Num sign) {
  return wrap(math::CopySignOp::create(builder, loc, magnitude.value, sign.value));
}
Num MathBuilder::isNan(Num x) {
  return wrap(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x.value, x.value));
}
std::pair<Num, Num> MathBuilder::mulExtended(Num a, Num b) {
  auto product = arith::MulUIExtendedOp::create(builder, loc, a.value, b.value);
  return {wrap(product.getLow()), wrap(product.getHigh())};
}

template <typename FloatOp, typename IntegerOp> static Num binary(Num a, Num b) {
  OpBuilder &ops = a.builder->ops();
  Location loc = a.builder->getLoc();
  if (a.isFloat())
    return a.builder->wrap(FloatOp::create(ops, loc, a.value, b.value).getResult());
  return a.builder->wrap(IntegerOp::create(ops, loc, a.value, b.value).getResult());
}

template <typename Op> static Num integer(Num a, Num b) {
  return a.builder->wrap(Op::create(a.builder->ops(), a.builder->getLoc(), a.value, b.value).getResult());
}

static Num compare(Num a, Num b, arith::CmpFPredicate ofFloats, arith::CmpIPredicate ofIntegers) {
  OpBuilder &ops = a.builder->ops();
  Location loc = a.builder->getLoc();
  if (a.isFloat())
    return a.builder->wrap(arith::CmpFOp::create(ops, loc, ofFloats, a.value, b.value));
  return a.builder->wrap(arith::CmpIOp::create(ops, loc, ofIntegers, a.value, b.value));
}

Num operator+(Num a, Num b) { return binary<arith::AddFOp, arith::AddIOp>(a, b); }
Num operator-(Num a, Num b) { return binary<arith::SubFOp, arith::SubIOp>(a, b); }
Num operator*(Num a, Num b) { return binary<arith::MulFOp, arith::MulIOp>(a, b); }
Num operator/(Num a, Num b) { return binary<arith::DivFOp, arith::DivSIOp>(a, b); }
Num operator-(Num a) {
  if (!a.isFloat())
    return a.builder->i(0) - a;
  return a.builder->wrap(arith::NegFOp::create(a.builder->ops(), a.builder->getLoc(), a.value));
}
Num operator&(Num a, Num b) { return integer<arith::AndIOp>(a, b); }
Num operator|(Num a, Num b) { return integer<arith::OrIOp>(a, b); }
Num operator^(Num a, Num b) { return integer<arith::XOrIOp>(a, b); }
Num operator<<(Num a, Num b) { return integer<arith::ShLIOp>(a, b); }
Num operator>>(Num a, Num b) { return integer<arith::ShRSIOp>(a, b); }
Num operator!(Num a) {
  OpBuilder &ops = a.builder->ops();
  TypedAttr ones = ops.getBoolAttr(true);
  if (auto vector = dyn_cast<VectorType>(a.value.getType()))
    ones = DenseElementsAttr::get(vector, true);
  Value all = arith::ConstantOp::create(ops, a.builder->getLoc(), ones);
  return integer<arith::XOrIOp>(a, a.builder->wrap(all));
}
Num operator<(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt); }
Num operator<=(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle); }
Num operator>(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt); }
Num operator>=(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge); }
Num operator==(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq); }
Num operator!=(Num a, Num b) { return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne); }

//===--- Idioms
//---------------------------------------------------------------------------------------------------===//

Num MathBuilder::poly(Num x, ArrayRef<double> coefficients) {
  Num result = c(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, c(coefficient));
  return result;
}

std::pair<Num, Num> MathBuilder::round(Num x) {
  // Adding 1.5 * 2^mantissa leaves the integer in the lowest bits.
  Num magic = c(0x1.8p52, 0x1.8p23);
  Num shifted = x + magic;
  return {shifted - magic, bits(shifted) - bits(magic)};
}

Num MathBuilder::pow2(Num n) { return real((n + getBias()) << getMantissa()); }

MathBuilder::PowerOfTwo MathBuilder::roundToPower(Num x, double factor, int shift) {
  // As in `round`; the lowest bits are then the sum of two biased exponents, and what is above them is shifted out.
  Num magic = c(0x1.8p52 + 2 * getBias() + shift, 0x1.8p23 + 2 * getBias() + shift);
  Num shifted = factor == 1 ? x + magic : fma(x, c(factor), magic);
  Num sum = bits(shifted), half = shiftRightLogical(sum, i(1));
  return {shifted - magic, real(half << getMantissa()), real((sum - half) << getMantissa())};
}

Num MathBuilder::PowerOfTwo::operator*(Num x) const { return x * first * second; }

Num MathBuilder::scale(Num x, Num n) {
  Num half = n >> 1;
  return x * pow2(half) * pow2(n - half);
}

Num MathBuilder::high(Num x) { return real(bits(x) & i(0xfffffffff8000000ull, 0xfffff000u)); }

// Knuth's two-sum.
Num MathBuilder::sumError(Num a, Num b, Num sum) {
  Num bb = sum - a;
  return (a - (sum - bb)) + (b - bb);
}

Num MathBuilder::productError(Num a, Num b, Num product) {
  if (hasFma)
    return fma(a, b, -product);
  Num ah = high(a), bh = high(b);
  Num al = a - ah, bl = b - bh;
  return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

SmallVector<Num> MathBuilder::repeat(Value trips, ArrayRef<Num> values,
                                     llvm::function_ref<SmallVector<Num>(ArrayRef<Num>)> body) {
  SmallVector<Value> inits;
  for (Num value : values)
    inits.push_back(value.value);
  auto loop = ForOp::create(builder, loc, trips, inits);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    SmallVector<Num> arguments;
    for (Value argument : loop.getRegionIterArgs())
      arguments.push_back(wrap(argument));
    SmallVector<Value> yielded;
    for (Num result : body(arguments))
      yielded.push_back(result.value);
    YieldOp::create(builder, loc, yielded);
  }
  SmallVector<Num> results;
  for (Value result : loop.getResults())
    results.push_back(wrap(result));
  return results;
}

SmallVector<Num> MathBuilder::ifAny(Num condition, ArrayRef<Num> values,
                                    llvm::function_ref<SmallVector<Num>(ArrayRef<Num>)> body) {
  Value any = condition.value;
  if (isa<VectorType>(any.getType()))
    any = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, any);
  Value none = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value trips = arith::SelectOp::create(builder, loc, any, one, none);
  return repeat(trips, values, body);
}

} // namespace tiny::uop
