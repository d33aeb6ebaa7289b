// Integer operations against APInt for all pairs of small integers; float ones against APFloat.
#include "ScalarOps.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/APSInt.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace tiny::reference;
using llvm::APFloat;
using llvm::APInt;
using mlir::arith::AtomicRMWKind;
using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;

namespace {

constexpr ScalarType i5{Format::Int, 5};
constexpr ScalarType f16{Format::F16, 16};
constexpr ScalarType f32{Format::F32, 32};
constexpr ScalarType f64{Format::F64, 64};

Scalar run(const ScalarCode &code, llvm::ArrayRef<Scalar> args, bool *undefined = nullptr) {
  llvm::SmallVector<const Scalar *> pointers;
  for (const Scalar &arg : args)
    pointers.push_back(&arg);
  Scalar out = makeInt(0);
  bool flag = false;
  code.run(pointers.data(), &out, 1, flag);
  if (undefined)
    *undefined = flag;
  return out;
}
double runFloat(llvm::StringRef name, ScalarType type, double x, double y = 0, double z = 0) {
  std::optional<ScalarCode> code = getScalarCode(name, type);
  EXPECT_TRUE(code) << name.str();
  return run(*code, {makeFloat(x), makeFloat(y), makeFloat(z)}).f;
}

/// Compares a row with an oracle on APInt for all pairs; none where the oracle has no answer.
void expectLikeAPInt(llvm::StringRef name,
                     llvm::function_ref<std::optional<APInt>(const APInt &, const APInt &)> oracle) {
  std::optional<ScalarCode> code = getScalarCode(name, i5);
  ASSERT_TRUE(code) << name.str();
  for (int x = -16; x < 16; ++x)
    for (int y = -16; y < 16; ++y) {
      APInt a(5, static_cast<uint64_t>(x), true), b(5, static_cast<uint64_t>(y), true);
      if (std::optional<APInt> expected = oracle(a, b)) {
        EXPECT_EQ(run(*code, {makeInt(x), makeInt(y)}).i, expected->getSExtValue()) << name.str() << x << " " << y;
      }
    }
}

TEST(ScalarOps, IntegersAreLikeAPInt) {
  using Result = std::optional<APInt>;
  auto safe = [](const APInt &x, const APInt &y) { return !y.isZero() && !(x.isMinSignedValue() && y.isAllOnes()); };
  expectLikeAPInt("arith.addi", [](const APInt &x, const APInt &y) -> Result { return x + y; });
  expectLikeAPInt("arith.subi", [](const APInt &x, const APInt &y) -> Result { return x - y; });
  expectLikeAPInt("arith.muli", [](const APInt &x, const APInt &y) -> Result { return x * y; });
  expectLikeAPInt("arith.andi", [](const APInt &x, const APInt &y) -> Result { return x & y; });
  expectLikeAPInt("arith.ori", [](const APInt &x, const APInt &y) -> Result { return x | y; });
  expectLikeAPInt("arith.xori", [](const APInt &x, const APInt &y) -> Result { return x ^ y; });
  expectLikeAPInt("arith.divsi", [&](const APInt &x, const APInt &y) -> Result {
    return safe(x, y) ? Result(x.sdiv(y)) : std::nullopt;
  });
  expectLikeAPInt("arith.remsi", [&](const APInt &x, const APInt &y) -> Result {
    return safe(x, y) ? Result(x.srem(y)) : std::nullopt;
  });
  expectLikeAPInt("arith.divui", [](const APInt &x, const APInt &y) -> Result {
    return y.isZero() ? std::nullopt : Result(x.udiv(y));
  });
  expectLikeAPInt("arith.remui", [](const APInt &x, const APInt &y) -> Result {
    return y.isZero() ? std::nullopt : Result(x.urem(y));
  });
  expectLikeAPInt("arith.floordivsi", [&](const APInt &x, const APInt &y) -> Result {
    return safe(x, y) ? Result(APInt(5, int64_t(std::floor(double(x.getSExtValue()) / double(y.getSExtValue()))), true))
                      : std::nullopt;
  });
  expectLikeAPInt("arith.ceildivsi", [&](const APInt &x, const APInt &y) -> Result {
    return safe(x, y) ? Result(APInt(5, int64_t(std::ceil(double(x.getSExtValue()) / double(y.getSExtValue()))), true))
                      : std::nullopt;
  });
  expectLikeAPInt("arith.ceildivui", [](const APInt &x, const APInt &y) -> Result {
    return y.isZero() ? std::nullopt
                      : Result(APInt(5, std::ceil(double(x.getZExtValue()) / double(y.getZExtValue())), false));
  });
  expectLikeAPInt("sym.mod", [&](const APInt &x, const APInt &y) -> Result {
    if (!safe(x, y))
      return std::nullopt;
    int64_t a = x.getSExtValue(), b = y.getSExtValue();
    return APInt(5, static_cast<uint64_t>(a - b * int64_t(std::floor(double(a) / double(b)))), true);
  });
  expectLikeAPInt("arith.maxsi", [](const APInt &x, const APInt &y) -> Result { return x.sgt(y) ? x : y; });
  expectLikeAPInt("arith.minsi", [](const APInt &x, const APInt &y) -> Result { return x.slt(y) ? x : y; });
  expectLikeAPInt("arith.maxui", [](const APInt &x, const APInt &y) -> Result { return x.ugt(y) ? x : y; });
  expectLikeAPInt("arith.minui", [](const APInt &x, const APInt &y) -> Result { return x.ult(y) ? x : y; });
  auto amount = [](const APInt &y) { return y.ult(5); };
  expectLikeAPInt("arith.shli", [&](const APInt &x, const APInt &y) -> Result {
    return amount(y) ? Result(x.shl(y)) : std::nullopt;
  });
  expectLikeAPInt("arith.shrsi", [&](const APInt &x, const APInt &y) -> Result {
    return amount(y) ? Result(x.ashr(y)) : std::nullopt;
  });
  expectLikeAPInt("arith.shrui", [&](const APInt &x, const APInt &y) -> Result {
    return amount(y) ? Result(x.lshr(y)) : std::nullopt;
  });
  expectLikeAPInt("arith.mului_extended#1",
                  [](const APInt &x, const APInt &y) -> Result { return (x.zext(10) * y.zext(10)).lshr(5).trunc(5); });
  expectLikeAPInt("arith.mulsi_extended#1",
                  [](const APInt &x, const APInt &y) -> Result { return (x.sext(10) * y.sext(10)).ashr(5).trunc(5); });
  expectLikeAPInt("math.ctpop", [](const APInt &x, const APInt &) -> Result { return APInt(5, x.popcount()); });
  expectLikeAPInt("math.ctlz", [](const APInt &x, const APInt &) -> Result { return APInt(5, x.countl_zero()); });
  expectLikeAPInt("math.cttz", [](const APInt &x, const APInt &) -> Result { return APInt(5, x.countr_zero()); });
  expectLikeAPInt("math.absi", [](const APInt &x, const APInt &) -> Result { return x.abs(); });
}

TEST(ScalarOps, IntegerComparisons) {
  std::optional<ScalarCode> code = getScalarCode("arith.cmpi", i5);
  ASSERT_TRUE(code);
  code->out = ScalarType{Format::Int, 1};
  for (uint64_t predicate = 0; predicate <= uint64_t(CmpIPredicate::uge); ++predicate) {
    code->parameter = static_cast<int64_t>(predicate);
    for (int x = -16; x < 16; ++x)
      for (int y = -16; y < 16; ++y) {
        APInt a(5, static_cast<uint64_t>(x), true), b(5, static_cast<uint64_t>(y), true);
        bool expected = mlir::arith::applyCmpPredicate(static_cast<CmpIPredicate>(predicate), a, b);
        EXPECT_EQ(run(*code, {makeInt(x), makeInt(y)}).i, expected ? -1 : 0);
      }
  }
}

TEST(ScalarOps, FloatComparisons) {
  std::optional<ScalarCode> code = getScalarCode("arith.cmpf", f32);
  ASSERT_TRUE(code);
  code->out = ScalarType{Format::Int, 1};
  double nan = std::nan("");
  for (uint64_t predicate = 0; predicate <= uint64_t(CmpFPredicate::AlwaysTrue); ++predicate) {
    code->parameter = static_cast<int64_t>(predicate);
    for (double x : {-1.0, -0.0, 0.0, 2.0, nan})
      for (double y : {-1.0, -0.0, 0.0, 2.0, nan}) {
        bool expected = mlir::arith::applyCmpPredicate(static_cast<CmpFPredicate>(predicate), APFloat(x), APFloat(y));
        EXPECT_EQ(run(*code, {makeFloat(x), makeFloat(y)}).i, expected ? -1 : 0);
      }
  }
}

TEST(ScalarOps, HalfPrecisionArithmeticIsLikeAPFloat) {
  auto half = [](uint64_t bits) { return APFloat(APFloat::IEEEhalf(), APInt(16, bits)); };
  auto rounding = APFloat::rmNearestTiesToEven;
  uint64_t seed = 1;
  for (int round = 0; round < 20000; ++round) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    uint64_t a = (seed >> 20) & 0xFFFF, b = (seed >> 40) & 0xFFFF;
    Scalar x = decode(f16, a), y = decode(f16, b);
    if (std::isnan(x.f) || std::isnan(y.f))
      continue;
    auto expectSame = [&](llvm::StringRef name, APFloat expected) {
      Scalar got = run(*getScalarCode(name, f16), {x, y});
      if (expected.isNaN())
        EXPECT_TRUE(std::isnan(got.f));
      else
        EXPECT_EQ(encode(f16, got), expected.bitcastToAPInt().getZExtValue()) << name.str() << x.f << " " << y.f;
    };
    APFloat sum = half(a), difference = half(a), product = half(a), quotient = half(a), remainder = half(a);
    sum.add(half(b), rounding);
    difference.subtract(half(b), rounding);
    product.multiply(half(b), rounding);
    quotient.divide(half(b), rounding);
    remainder.mod(half(b));
    expectSame("arith.addf", sum);
    expectSame("arith.subf", difference);
    expectSame("arith.mulf", product);
    expectSame("arith.divf", quotient);
    expectSame("arith.remf", remainder);
    expectSame("arith.maximumf", llvm::maximum(half(a), half(b)));
    expectSame("arith.minimumf", llvm::minimum(half(a), half(b)));
  }
}

TEST(ScalarOps, NaNAndSignedZerosInMaxAndMin) {
  double nan = std::nan("");
  EXPECT_TRUE(std::isnan(runFloat("arith.maximumf", f32, nan, 1)));
  EXPECT_TRUE(std::isnan(runFloat("arith.minimumf", f32, 1, nan)));
  EXPECT_EQ(runFloat("arith.maxnumf", f32, nan, 1), 1);
  EXPECT_EQ(runFloat("arith.minnumf", f32, 1, nan), 1);
  EXPECT_FALSE(std::signbit(runFloat("arith.maximumf", f32, -0.0, 0.0)));
  EXPECT_FALSE(std::signbit(runFloat("arith.maximumf", f32, 0.0, -0.0)));
  EXPECT_TRUE(std::signbit(runFloat("arith.minimumf", f32, 0.0, -0.0)));
  EXPECT_TRUE(std::signbit(runFloat("arith.minimumf", f32, -0.0, 0.0)));
}

TEST(ScalarOps, FmaRoundsOnce) {
  double x = 1.0 + std::ldexp(1.0, -12), product = x * x;
  EXPECT_EQ(runFloat("math.fma", f32, x, x, -1), std::fma(float(x), float(x), -1.0f));
  EXPECT_NE(runFloat("math.fma", f32, x, x, -1), runFloat("arith.mulf", f32, x, x) - 1);
  EXPECT_EQ(runFloat("math.fma", f64, x, x, -product), 0);
}

TEST(ScalarOps, RoundingFunctions) {
  EXPECT_EQ(runFloat("math.round", f32, 2.5), 3);
  EXPECT_EQ(runFloat("math.round", f32, -2.5), -3);
  EXPECT_EQ(runFloat("math.roundeven", f32, 2.5), 2);
  EXPECT_EQ(runFloat("math.roundeven", f32, 3.5), 4);
  EXPECT_EQ(runFloat("math.trunc", f32, -2.7), -2);
  EXPECT_EQ(runFloat("math.copysign", f32, 3, -0.0), -3);
}

TEST(ScalarOps, DivisionByZeroIsZeroAndNoted) {
  for (llvm::StringRef name :
       {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "arith.floordivsi", "arith.ceildivsi", "sym.mod"}) {
    bool undefined = false;
    EXPECT_EQ(run(*getScalarCode(name, i5), {makeInt(7), makeInt(0)}, &undefined).i, 0) << name.str();
    EXPECT_TRUE(undefined) << name.str();
  }
}

TEST(ScalarOps, EveryReduceKindCombines) {
  for (auto kind : {AtomicRMWKind::addf, AtomicRMWKind::mulf, AtomicRMWKind::maximumf, AtomicRMWKind::minimumf,
                    AtomicRMWKind::maxnumf, AtomicRMWKind::minnumf})
    EXPECT_TRUE(getCombinerCode(kind, f32));
  for (auto kind :
       {AtomicRMWKind::addi, AtomicRMWKind::muli, AtomicRMWKind::maxs, AtomicRMWKind::maxu, AtomicRMWKind::mins,
        AtomicRMWKind::minu, AtomicRMWKind::andi, AtomicRMWKind::ori, AtomicRMWKind::xori})
    EXPECT_TRUE(getCombinerCode(kind, i5));
  EXPECT_FALSE(getCombinerCode(AtomicRMWKind::assign, f32));
}

} // namespace
