#include "Compare.h"

#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace tiny;
using namespace tiny::reference;

namespace {

HostTensor floats(std::initializer_list<float> values) {
  HostTensor tensor = HostTensor::zeros(TINY_DTYPE_F32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}

TEST(Compare, IntegersMustBeEqual) {
  HostTensor a = HostTensor::zeros(TINY_DTYPE_U8, {3}), b = a;
  EXPECT_FALSE(findDifference(a, b, 1e9));
  b.bytes[2] = static_cast<char>(255);
  std::optional<Difference> difference = findDifference(a, b, 1e9);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->element, 2);
  EXPECT_EQ(difference->before, "0");
  EXPECT_EQ(difference->after, "255");
}

TEST(Compare, FloatsWithinTheToleranceAreEqual) {
  EXPECT_FALSE(findDifference(floats({1, 2}), floats({1.0000001f, 2}), 4));
  EXPECT_TRUE(findDifference(floats({1, 2}), floats({1.0001f, 2}), 4));
  EXPECT_TRUE(findDifference(floats({1, 2}), floats({1.0000001f, 2}), 0));
  // Relative to the largest number: what cancels to almost nothing may differ by what it cancelled from.
  EXPECT_FALSE(findDifference(floats({0, 1000}), floats({1e-5f, 1000}), 4));
  EXPECT_TRUE(findDifference(floats({0, 1}), floats({1e-5f, 1}), 4));
  EXPECT_FALSE(findDifference(floats({1e-8f}), floats({3e-8f}), 4));
  EXPECT_TRUE(findDifference(floats({1e-6f}), floats({3e-6f}), 4));
}

TEST(Compare, NaNEqualsNaNAndInfinitiesAreNearNothing) {
  float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(findDifference(floats({nan, infinity}), floats({nan, infinity}), 4));
  EXPECT_TRUE(findDifference(floats({nan}), floats({1}), 4));
  EXPECT_TRUE(findDifference(floats({1}), floats({nan}), 4));
  EXPECT_TRUE(findDifference(floats({1}), floats({infinity}), 4));
  EXPECT_TRUE(findDifference(floats({infinity}), floats({-infinity}), 4));
}

TEST(Compare, ZerosHaveSigns) {
  EXPECT_FALSE(findDifference(floats({0, -0.0f}), floats({0, -0.0f}), 4));
  std::optional<Difference> difference = findDifference(floats({0, -0.0f}), floats({0, 0}), 1e9);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->element, 1);
  EXPECT_EQ(difference->before, "-0");
  EXPECT_EQ(difference->after, "0");
  EXPECT_FALSE(findDifference(floats({-0.0f}), floats({0}), 0, /*zerosHaveSigns=*/false));
  EXPECT_FALSE(findDifference(floats({-0.0f, 1}), floats({1e-9f, 1}), 4));
}

} // namespace
