#include "Tiny/Testing/RandomInputs.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace tiny;
using namespace tiny::reference;

namespace {

TEST(RandomInputs, AreTheSameForTheSameSeed) {
  RandomOptions options;
  HostTensor a = randomTensor(TINY_DTYPE_F32, {64}, options), b = randomTensor(TINY_DTYPE_F32, {64}, options);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_NE(a.bytes, randomTensor(TINY_DTYPE_F32, {64}, options, /*stream=*/1).bytes);
  options.seed = 1;
  EXPECT_NE(a.bytes, randomTensor(TINY_DTYPE_F32, {64}, options).bytes);
}

TEST(RandomInputs, FloatsAreSmallMultiplesOfAnEighth) {
  HostTensor tensor = randomTensor(TINY_DTYPE_F32, {1000}, {});
  for (int64_t k = 0; k < tensor.size(); ++k) {
    float value = tensor.data<float>()[k];
    EXPECT_EQ(value * 8, std::round(value * 8));
    EXPECT_LE(std::fabs(value), 2);
  }
}

TEST(RandomInputs, IntegersCanStayAwayFromZero) {
  RandomOptions options;
  options.nonzeroIntegers = true;
  HostTensor tensor = randomTensor(TINY_DTYPE_I32, {1000}, options);
  for (int64_t k = 0; k < tensor.size(); ++k)
    EXPECT_NE(tensor.data<int32_t>()[k], 0);
  HostTensor bits = randomTensor(TINY_DTYPE_I1, {1000}, options);
  for (char byte : bits.bytes)
    EXPECT_TRUE(byte == 0 || byte == 1);
}

} // namespace
