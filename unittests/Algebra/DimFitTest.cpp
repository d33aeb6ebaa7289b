// Polynomials found again from their values, and what is none.
#include "Tiny/Algebra/View/DimFit.h"

#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace tiny;

namespace {

SmallVector<int64_t> evaluate(const Dim &dim, ArrayRef<SizePoint> points) {
  SmallVector<int64_t> values;
  for (const SizePoint &point : points)
    values.push_back(*dim.evaluate(point));
  return values;
}

TEST(DimFitTest, FindsRandomPolynomials) {
  std::mt19937_64 random(7);
  auto draw = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  for (int round = 0; round < 300; ++round) {
    unsigned nSymbols = draw(1, 3);
    SmallVector<Bounds> bounds;
    for (unsigned symbol = 0; symbol < nSymbols; ++symbol) {
      int64_t low = draw(0, 4);
      bounds.push_back({low, low + draw(1, 600)});
    }
    std::vector<SizePoint> points = chooseSizePoints(bounds);
    DimFit fit(points);
    ASSERT_TRUE(fit.isDetermined()) << "round " << round;
    Dim dim = draw(-9, 9);
    for (int term = 0; term < 4; ++term) {
      Dim product = draw(-5, 768);
      for (int64_t degree = draw(0, 2); degree > 0; --degree)
        product = product * Dim::symbol(draw(0, nSymbols - 1));
      if (nSymbols == 3 && draw(0, 1))
        product = Dim::symbol(0) * Dim::symbol(1) * Dim::symbol(2);
      dim = dim + product;
    }
    std::optional<Dim> found = fit.fit(evaluate(dim, points));
    ASSERT_TRUE(found.has_value()) << "round " << round;
    EXPECT_TRUE(*found == dim) << "round " << round;
  }
}

TEST(DimFitTest, RefusesWhatIsNone) {
  std::vector<SizePoint> points = chooseSizePoints({Bounds{1, 128}});
  DimFit fit(points);
  auto values = [&](function_ref<int64_t(int64_t)> law) {
    return map_to_vector(points, [&](const SizePoint &point) { return law(point.front()); });
  };
  EXPECT_FALSE(fit.fit(values([](int64_t n) { return n / 2; })));
  EXPECT_FALSE(fit.fit(values([](int64_t n) { return (n + 7) / 8 * 8; })));
  EXPECT_FALSE(fit.fit(values([](int64_t n) { return n * n * n; })));
  EXPECT_FALSE(fit.fit(values([](int64_t n) { return n * (n + 1) / 2; })));
  EXPECT_EQ(fit.fit(values([](int64_t) { return 12; }))->asConstant(), 12);
}

TEST(DimFitTest, ChoosesTheGreatestSizesFirstAndNoneTwice) {
  for (int64_t most : {2, 3, 4, 5, 16, 64, 128, 2048}) {
    std::vector<SizePoint> points = chooseSizePoints({Bounds{1, most}});
    EXPECT_EQ(points.front().front(), most);
    EXPECT_TRUE(DimFit(points).isDetermined()) << most;
    std::sort(points.begin(), points.end());
    EXPECT_EQ(std::adjacent_find(points.begin(), points.end()), points.end()) << most;
  }
}

// Products of three of them are beyond 64 bits.
TEST(DimFitTest, FindsPolynomialsOfFourGreatSizes) {
  int64_t most = 100'000'000;
  std::vector<SizePoint> points = chooseSizePoints({Bounds{1, most}, Bounds{0, most}, Bounds{7, most}, Bounds{1, 8}});
  DimFit fit(points);
  ASSERT_TRUE(fit.isDetermined());
  Dim dim = Dim::symbol(0) * Dim::symbol(3) + Dim::symbol(1) * Dim(12) + Dim::symbol(2) * Dim::symbol(2) + Dim(-5);
  std::optional<Dim> found = fit.fit(evaluate(dim, points));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(*found == dim);
}

TEST(DimFitTest, LeavesOutOneWithinNarrowBounds) {
  std::vector<SizePoint> points = chooseSizePoints({Bounds{1, 4}, Bounds{1, 32}}, /*isWithin=*/true);
  EXPECT_TRUE(DimFit(points).isDetermined());
  for (const SizePoint &point : points) {
    EXPECT_GT(point[0], 1);
    EXPECT_GT(point[1], 1);
    EXPECT_LE(point[0], 4);
    EXPECT_LE(point[1], 32);
  }
}

TEST(DimFitTest, NeedsOnePointMoreThanCoefficients) {
  EXPECT_FALSE(DimFit({SizePoint{3}, SizePoint{4}, SizePoint{5}}).isDetermined());
  EXPECT_FALSE(DimFit({SizePoint{3}, SizePoint{3}, SizePoint{5}, SizePoint{5}}).isDetermined());
  EXPECT_TRUE(DimFit({SizePoint{3}, SizePoint{4}, SizePoint{5}, SizePoint{9}}).isDetermined());
}

} // namespace
