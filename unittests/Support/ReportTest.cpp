#include "Tiny/Files/Report.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace tiny;
using namespace tiny::files;

namespace {

template <typename T> HostTensor tensorOf(tiny_dtype dtype, std::vector<int64_t> shape, std::vector<T> elements) {
  HostTensor tensor = HostTensor::zeros(dtype, shape);
  EXPECT_EQ(tensor.bytes.size(), elements.size() * sizeof(T));
  std::copy(elements.begin(), elements.end(), tensor.data<T>());
  return tensor;
}

template <typename T> std::string message(Result<T> value) { return value.message(); }

TEST(Report, PredictsTheFirstLargest) {
  HostTensor tensor = tensorOf<float>(TINY_DTYPE_F32, {3, 3}, {1, 5, 5, -3, -2, -1, 0, NAN, 9});
  EXPECT_EQ(getPredictions(tensor), (std::vector<int64_t>{1, 2, 1}));
}

TEST(Report, PredictsNothingOfOtherShapes) {
  EXPECT_FALSE(getPredictions(HostTensor::zeros(TINY_DTYPE_F32, {3})));
  EXPECT_FALSE(getPredictions(HostTensor::zeros(TINY_DTYPE_F32, {3, 1})));
  EXPECT_FALSE(getPredictions(HostTensor::zeros(TINY_DTYPE_I32, {3, 3})));
}

TEST(Report, CountsRightLabelsOfAnyIntegerType) {
  Result<int64_t> right = countRight({1, 2}, tensorOf<uint8_t>(TINY_DTYPE_U8, {2}, {1, 3}));
  ASSERT_TRUE(bool(right));
  EXPECT_EQ(*right, 1);
  EXPECT_EQ(message(countRight({1, 2}, HostTensor::zeros(TINY_DTYPE_I64, {3}))),
            "got tensor<3xi64>, expected one integer for each of 2 predictions");
}

TEST(Report, ComparesWithinTheTolerance) {
  HostTensor a = tensorOf<float>(TINY_DTYPE_F32, {1, 2}, {1, INFINITY}), b = a;
  b.data<float>()[0] = 1.25f;
  EXPECT_EQ(*compareTensors(a, b, 0.25), 0.25);
  EXPECT_EQ(message(compareTensors(a, b, 0.125)), "element [0, 0] is 1, expected 1.25 within 0.125");
  EXPECT_EQ(message(compareTensors(a, HostTensor::zeros(TINY_DTYPE_F32, {2}), 1)),
            "got tensor<1x2xf32>, expected tensor<2xf32>");
}

TEST(Report, TellsIntegersApartThatNoDoubleDoes) {
  HostTensor a = tensorOf<int64_t>(TINY_DTYPE_I64, {1}, {INT64_MIN}),
             b = tensorOf<int64_t>(TINY_DTYPE_I64, {1}, {INT64_MIN + 1});
  EXPECT_EQ(message(compareTensors(a, b, 0)),
            "element [0] is -9223372036854775808, expected -9223372036854775807 within 0");
  a = tensorOf<uint64_t>(TINY_DTYPE_U64, {1}, {UINT64_MAX}), b = tensorOf<uint64_t>(TINY_DTYPE_U64, {1}, {1});
  EXPECT_EQ(message(compareTensors(a, b, 1)), "element [0] is 18446744073709551615, expected 1 within 1");
}

TEST(Report, ANaNDiffersFromANumberOnly) {
  HostTensor nan = tensorOf<float>(TINY_DTYPE_F32, {1}, {NAN}), zero = HostTensor::zeros(TINY_DTYPE_F32, {1});
  EXPECT_EQ(*compareTensors(nan, nan, 0), 0);
  EXPECT_EQ(message(compareTensors(nan, zero, 1)), "element [0] is nan, expected 0 within 1");
  EXPECT_EQ(message(compareTensors(zero, nan, 1)), "element [0] is 0, expected nan within 1");
}

} // namespace
