// Ranges and scales of floats, exhaustively in a format of 8 bits whose numbers are all there is.
#include "Tiny/Algebra/Symbolic/FloatRange.h"

#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace tiny;

static const fltSemantics &tinyFormat() { return APFloat::Float8E5M2(); }

/// Every number of the format, infinities and both zeros too, in ascending order.
static std::vector<APFloat> allNumbers() {
  std::vector<APFloat> numbers;
  for (unsigned bits = 0; bits < 256; ++bits)
    if (APFloat value(tinyFormat(), APInt(8, bits)); !value.isNaN())
      numbers.push_back(value);
  llvm::sort(numbers, [](const APFloat &a, const APFloat &b) { return a < b; });
  return numbers;
}

static bool isWithin(const APFloat &value, const FloatRange &range) {
  return !value.isNaN() && !(value < range.low) && !(range.high < value);
}

TEST(FloatRange, BoundsEveryResult) {
  std::vector<APFloat> numbers = allNumbers();
  std::mt19937 random(3);
  auto interval = [&] {
    size_t a = random() % numbers.size(), b = std::min(a + random() % 24, numbers.size() - 1);
    return std::make_pair(a, b);
  };
  int bounded = 0;
  for (int round = 0; round < 3000; ++round) {
    auto [a, b] = interval();
    auto [c, d] = interval();
    FloatRange x{numbers[a], numbers[b]}, y{numbers[c], numbers[d]};
    for (FloatOp op : {FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Max, FloatOp::Min}) {
      std::optional<FloatRange> range = apply(op, x, y);
      if (!range)
        continue;
      ++bounded;
      for (size_t i = a; i <= b; ++i)
        for (size_t j = c; j <= d; ++j) {
          APFloat value = numbers[i];
          const APFloat &other = numbers[j];
          if (op == FloatOp::Add)
            value.add(other, APFloat::rmNearestTiesToEven);
          else if (op == FloatOp::Sub)
            value.subtract(other, APFloat::rmNearestTiesToEven);
          else if (op == FloatOp::Mul)
            value.multiply(other, APFloat::rmNearestTiesToEven);
          else if (op == FloatOp::Div)
            value.divide(other, APFloat::rmNearestTiesToEven);
          else
            value = op == FloatOp::Max ? maximum(value, other) : minimum(value, other);
          ASSERT_TRUE(isWithin(value, *range));
        }
    }
  }
  EXPECT_GT(bounded, 6000);
}

TEST(FloatRange, CastsAreMonotone) {
  for (int64_t low = -40; low <= 40; ++low)
    for (int64_t high = low; high <= 40; ++high) {
      FloatRange range = toFloat({low, high}, tinyFormat());
      for (int64_t value = low; value <= high; ++value)
        ASSERT_TRUE(isWithin(toFloat({value, value}, tinyFormat()).low, range));
    }
  std::optional<FloatRange> range = makeFloatRange(APFloat::IEEEsingle(), -4.5, 4.5);
  EXPECT_TRUE(toInteger(*range, 32, true) == std::optional<Bounds>(Bounds{-4, 4}));
  EXPECT_FALSE(toInteger(*range, 32, false)); // -4 is not unsigned
  EXPECT_FALSE(toInteger(*makeFloatRange(APFloat::IEEEsingle(), 0, 200), 8, true));
  EXPECT_FALSE(makeFloatRange(APFloat::getNaN(tinyFormat()), APFloat::getNaN(tinyFormat())));
}

/// Both rules of FloatScales.cpp on every number of every range for which their conditions hold.
TEST(FloatRange, ScalesAreExact) {
  std::vector<APFloat> numbers = allNumbers();
  APFloat one(tinyFormat(), "1.0");
  int64_t folded = 0;
  auto times = [](APFloat a, const APFloat &b) {
    a.multiply(b, APFloat::rmNearestTiesToEven);
    return a;
  };
  auto over = [](APFloat a, const APFloat &b) {
    a.divide(b, APFloat::rmNearestTiesToEven);
    return a;
  };
  for (int k = -6; k <= 6; ++k) {
    APFloat factor = scalbn(one, k, APFloat::rmNearestTiesToEven);
    for (const APFloat &x : numbers) {
      FloatRange point{x, x};
      bool isExact = scalesExactly(point, k);
      if (isExact) {
        // x d / d is x again
        ASSERT_TRUE(over(times(x, factor), factor).bitwiseIsEqual(x));
      }
      for (const APFloat &c : numbers) {
        FloatRange dividend{c, c};
        // c / (d x) = (c / d) / x
        if (isExact && staysNormal(dividend, -k)) {
          ++folded;
          ASSERT_TRUE(over(c, times(x, factor)).bitwiseIsEqual(over(over(c, factor), x)));
        }
        // d (c / x) = (d c) / x
        APFloat quotient = over(c, x);
        if (!quotient.isNaN() && staysNormal({quotient, quotient}, k) && staysNormal(dividend, k)) {
          ++folded;
          ASSERT_TRUE(times(quotient, factor).bitwiseIsEqual(over(times(c, factor), x)));
        }
      }
    }
  }
  EXPECT_GT(folded, 100000);
}
