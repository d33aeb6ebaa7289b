// Numbers of sizes, in the format of their type.
#include "Tiny/Algebra/View/NumberFit.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace tiny;

namespace {

std::vector<SizePoint> listPoints() {
  std::vector<SizePoint> points;
  for (int64_t value : {128, 127, 113, 109, 107, 103})
    points.push_back({value});
  return points;
}

/// The number of float values f(n) at the points.
template <typename Function> std::optional<SizedNumber> fitFloats(Function f) {
  std::vector<double> values;
  for (const SizePoint &point : listPoints())
    values.push_back(f(static_cast<float>(point[0])));
  return fitNumber(DimFit(listPoints()), values, &llvm::APFloat::IEEEsingle());
}

/// Whether a number was found that is f(n) at all sizes from 1 to 128, bit for bit.
template <typename Function> bool isFound(Function f) {
  std::optional<SizedNumber> number = fitFloats(f);
  for (int64_t n = 1; number && n <= 128; ++n)
    if (number->evaluate({n}, &llvm::APFloat::IEEEsingle()) != f(static_cast<float>(n)))
      return false;
  return number.has_value();
}

TEST(NumberFitTest, FindsFunctionsOfPolynomials) {
  EXPECT_TRUE(isFound([](float n) { return 3 * n * n - 7; }));
  EXPECT_TRUE(isFound([](float n) { return 1 / n; }));
  EXPECT_TRUE(isFound([](float n) { return n / 3; }));
  EXPECT_TRUE(isFound([](float n) { return n * 0.5f; }));
  EXPECT_TRUE(isFound([](float n) { return std::sqrt(n + 1); }));
  EXPECT_TRUE(isFound([](float n) { return 1 / std::sqrt(n); }));
}

TEST(NumberFitTest, FindsNoOtherFunctions) {
  EXPECT_FALSE(fitFloats([](float n) { return std::log(n); }));
  EXPECT_FALSE(fitFloats([](float n) { return std::floor(std::sqrt(n)); }));
  EXPECT_FALSE(fitFloats([](float) { return std::nanf(""); }));
}

TEST(NumberFitTest, IntegersArePolynomialsAlone) {
  std::vector<double> values;
  for (const SizePoint &point : listPoints())
    values.push_back(std::floor(static_cast<double>(point[0]) / 2));
  EXPECT_FALSE(fitNumber(DimFit(listPoints()), values, nullptr));
}

} // namespace
