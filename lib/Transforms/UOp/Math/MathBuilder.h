// Writes formulas as operations: numbers with operators, on scalars and vectors of f32 and f64 alike.
#ifndef TINY_LIB_TRANSFORMS_UOP_MATH_MATHBUILDER_H
#define TINY_LIB_TRANSFORMS_UOP_MATH_MATHBUILDER_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny::uop {

class MathBuilder;

/// A float, an integer of the same width, or a condition; a scalar or a vector. Operators emit one operation each;
/// `>>` is arithmetic, comparisons of floats are false on NaN.
struct Num {
  MathBuilder *builder = nullptr;
  mlir::Value value;

  bool isFloat() const { return llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType())); }
};

/// The type that formulas are over, and where they go. Floats carry no fast-math flags: the order written is meant.
class MathBuilder {
public:
  using Constants = llvm::DenseMap<mlir::Attribute, mlir::Value>;

  /// `type`: f32, f64 or a vector of them. Constants go to the start of the function and are shared by `constants`.
  /// `hasFma`: whether the target has a fused multiply-add, which formulas then use.
  MathBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, mlir::Block *entry, Constants &constants,
              bool hasFma = false);

  mlir::OpBuilder &ops() { return builder; }
  mlir::Location getLoc() const { return loc; }
  bool isDouble() const { return width == 64; }
  /// Bits of an element, of its stored mantissa, and the bias of its exponent.
  int getWidth() const { return width; }
  int getMantissa() const { return isDouble() ? 52 : 23; }
  int getBias() const { return isDouble() ? 1023 : 127; }
  /// The float and integer types of this builder's shape.
  mlir::Type getFloat() const { return floatType; }
  mlir::Type getInteger() const { return integerType; }

  Num wrap(mlir::Value value) { return {this, value}; }
  /// A float, rounded to the type; the second form picks one constant for f64 and one for f32.
  Num c(double constant);
  Num c(double forDouble, double forSingle) { return c(isDouble() ? forDouble : forSingle); }
  /// An integer, cut to the width; the second form picks.
  Num i(uint64_t constant);
  Num i(uint64_t forDouble, uint64_t forSingle) { return i(isDouble() ? forDouble : forSingle); }
  Num infinity();
  Num nan();
  /// The smallest positive normal number.
  Num minNormal();

  Num bits(Num x);
  Num real(Num bits);
  Num toReal(Num integer);
  Num shiftRightLogical(Num x, Num amount);
  Num select(Num condition, Num x, Num y);
  Num abs(Num x);
  Num sqrt(Num x);
  /// a b + c, rounded once where the target can, else twice: for formulas that are right with either.
  Num fma(Num a, Num b, Num c);
  Num copySign(Num magnitude, Num sign);
  Num isNan(Num x);
  /// Low and high half of the product of two unsigned integers.
  std::pair<Num, Num> mulExtended(Num a, Num b);

  /// c[0] + x (c[1] + x (c[2] + ...))
  Num poly(Num x, mlir::ArrayRef<double> coefficients);
  Num poly(Num x, mlir::ArrayRef<double> forDouble, mlir::ArrayRef<double> forSingle) {
    return poly(x, isDouble() ? forDouble : forSingle);
  }
  /// The nearest integer as a float and as an integer, ties to even; |x| below 2^22 or 2^51. Any bits come back for
  /// a larger one or NaN, without undefined behaviour.
  std::pair<Num, Num> round(Num x);
  /// 2^n for an integer n in the range of normal exponents.
  Num pow2(Num n);
  /// The nearest integer n to x `factor` as a float, and 2^(n + shift) as two factors of which the second may round;
  /// for n + shift between twice the least and twice the greatest normal exponent. NaN for NaN, with any factors.
  struct PowerOfTwo {
    Num exponent, first, second;
    /// x 2^(n + shift), for x near 1.
    Num operator*(Num x) const;
  };
  PowerOfTwo roundToPower(Num x, double factor = 1, int shift = 0);
  /// x 2^n with one rounding, for x near 1 and n between twice the least and twice the greatest normal exponent.
  Num scale(Num x, Num n);
  /// x without the lower half of its mantissa, so that products of two such numbers are exact.
  Num high(Num x);
  /// The rounding error of a + b, without an assumption on their sizes.
  Num sumError(Num a, Num b, Num sum);
  /// The rounding error of a * b: by Dekker's splitting where there is no fused multiply-add.
  Num productError(Num a, Num b, Num product);

  /// Runs `body` as often as the index says, on `values` and then on what it gave.
  mlir::SmallVector<Num> repeat(mlir::Value trips, mlir::ArrayRef<Num> values,
                                llvm::function_ref<mlir::SmallVector<Num>(mlir::ArrayRef<Num>)> body);
  /// Runs `body` only if the condition holds in some lane: a loop of no or one trip that carries `values`.
  mlir::SmallVector<Num> ifAny(Num condition, mlir::ArrayRef<Num> values,
                               llvm::function_ref<mlir::SmallVector<Num>(mlir::ArrayRef<Num>)> body);

private:
  Num constant(mlir::TypedAttr element, mlir::Type type);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type floatType, integerType;
  int width;
  bool hasFma;
  mlir::Block *entry;
  Constants &constants;
};

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator-(Num a);
Num operator&(Num a, Num b);
Num operator|(Num a, Num b);
Num operator^(Num a, Num b);
Num operator<<(Num a, Num b);
Num operator>>(Num a, Num b);
Num operator!(Num a);
Num operator<(Num a, Num b);
Num operator<=(Num a, Num b);
Num operator>(Num a, Num b);
Num operator>=(Num a, Num b);
Num operator==(Num a, Num b);
Num operator!=(Num a, Num b);

/// A literal beside a number takes its type.
inline Num literal(Num like, double x) {
  return like.isFloat() ? like.builder->c(x) : like.builder->i(static_cast<uint64_t>(static_cast<int64_t>(x)));
}
#define TINY_LITERAL(op)                                                                                               \
  inline Num operator op(Num a, double b) { return a op literal(a, b); }                                               \
  inline Num operator op(double a, Num b) { return literal(b, a) op b; }
TINY_LITERAL(+)
TINY_LITERAL(-)
TINY_LITERAL(*)
TINY_LITERAL(/)
TINY_LITERAL(<)
TINY_LITERAL(<=)
TINY_LITERAL(>)
TINY_LITERAL(>=)
TINY_LITERAL(==)
TINY_LITERAL(!=)
#undef TINY_LITERAL
inline Num operator<<(Num a, int b) { return a << a.builder->i(b); }
inline Num operator>>(Num a, int b) { return a >> a.builder->i(b); }

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_MATH_MATHBUILDER_H
