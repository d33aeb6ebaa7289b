#include "Tiny/Files/Recipe.h"

#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace tiny;
using namespace tiny::files;

namespace {

const tiny_dtype kDtypes[] = {TINY_DTYPE_I1,  TINY_DTYPE_I8,  TINY_DTYPE_I16,  TINY_DTYPE_I32,      TINY_DTYPE_I64,
                              TINY_DTYPE_U8,  TINY_DTYPE_U16, TINY_DTYPE_U32,  TINY_DTYPE_U64,      TINY_DTYPE_F16,
                              TINY_DTYPE_F32, TINY_DTYPE_F64, TINY_DTYPE_BF16, TINY_DTYPE_F8E4M3FN, TINY_DTYPE_F8E5M2};

HostTensor make(Recipe::Kind kind, tiny_dtype dtype, int64_t size, uint64_t seed = 0, uint64_t stream = 0) {
  Result<HostTensor> tensor = makeTensor({kind, seed}, dtype, {size}, stream);
  EXPECT_TRUE(tensor) << tensor.message();
  return *tensor;
}

TEST(Recipe, ReadsWords) {
  EXPECT_EQ((*parseRecipe("zeros"))->kind, Recipe::Kind::Zeros);
  EXPECT_EQ((*parseRecipe("arange"))->kind, Recipe::Kind::Arange);
  EXPECT_EQ((*parseRecipe("random"))->seed, 0u);
  EXPECT_EQ((*parseRecipe("random:18446744073709551615"))->seed, UINT64_MAX);
  for (const char *file : {"", "x.npy", "zeros.npy", "./zeros", "randoms"})
    EXPECT_FALSE(parseRecipe(file)->has_value()) << file;
}

TEST(Recipe, RefusesSeedsThatAreNoNumbers) {
  for (const char *text : {"random:", "random:x", "random:-1", "random:1x", "random:18446744073709551616"})
    EXPECT_EQ(parseRecipe(text).message(), "got '" + std::string(text) + "', expected random:SEED with a whole number");
}

TEST(Recipe, RandomIsTheSameForTheSameSeedAlone) {
  for (tiny_dtype dtype : kDtypes) {
    HostTensor one = make(Recipe::Kind::Random, dtype, 99, 7, 1);
    EXPECT_EQ(one.bytes, make(Recipe::Kind::Random, dtype, 99, 7, 1).bytes);
    EXPECT_NE(one.bytes, make(Recipe::Kind::Random, dtype, 99, 8, 1).bytes) << getDtypeName(dtype);
    EXPECT_NE(one.bytes, make(Recipe::Kind::Random, dtype, 99, 7, 2).bytes) << getDtypeName(dtype);
  }
}

TEST(Recipe, RandomFillsItsRange) {
  for (tiny_dtype dtype : kDtypes) {
    HostTensor tensor = make(Recipe::Kind::Random, dtype, 4000);
    double low = 100, high = -100, sum = 0;
    for (int64_t k = 0; k < tensor.size(); ++k) {
      double number = tensor.getNumber(k);
      low = std::min(low, number);
      high = std::max(high, number);
      sum += number;
    }
    bool isBool = dtype == TINY_DTYPE_I1;
    double least = isFloat(dtype) ? -1 : 0, most = isFloat(dtype) ? 1 : isBool ? 1 : 15;
    EXPECT_GE(low, least) << getDtypeName(dtype);
    EXPECT_LE(high, most) << getDtypeName(dtype);
    EXPECT_LE(low, least + 0.01) << getDtypeName(dtype);
    EXPECT_GE(high, most - (dtype == TINY_DTYPE_F8E5M2 ? 0.25 : dtype == TINY_DTYPE_F8E4M3FN ? 0.125 : 0.01));
    // The grid of narrow floats, from -1 to below 1, has its middle half a step below zero.
    EXPECT_NEAR(sum / 4000, (least + most) / 2, isFloat(dtype) ? 0.15 : 0.3) << getDtypeName(dtype);
  }
}

TEST(Recipe, RandomMantissasAreFull) {
  std::set<double> numbers;
  HostTensor tensor = make(Recipe::Kind::Random, TINY_DTYPE_F32, 1000);
  for (int64_t k = 0; k < tensor.size(); ++k)
    numbers.insert(tensor.getNumber(k));
  EXPECT_GT(numbers.size(), 990u);
}

TEST(Recipe, ArangeCountsAsFarAsTheTypeDoes) {
  for (tiny_dtype dtype : kDtypes) {
    int64_t limit = dtype == TINY_DTYPE_I1         ? 2
                    : dtype == TINY_DTYPE_I8       ? 128
                    : dtype == TINY_DTYPE_U8       ? 256
                    : dtype == TINY_DTYPE_BF16     ? 256
                    : dtype == TINY_DTYPE_F16      ? 2048
                    : dtype == TINY_DTYPE_F8E4M3FN ? 16
                    : dtype == TINY_DTYPE_F8E5M2   ? 8
                                                   : 1 << 15;
    HostTensor tensor = make(Recipe::Kind::Arange, dtype, 2100);
    for (int64_t k = 0; k < tensor.size(); ++k)
      ASSERT_EQ(tensor.getNumber(k), double(k % limit)) << getDtypeName(dtype) << " " << k;
  }
}

TEST(Recipe, ZerosAreZero) {
  for (tiny_dtype dtype : kDtypes)
    EXPECT_EQ(make(Recipe::Kind::Zeros, dtype, 9).bytes, HostTensor::zeros(dtype, {9}).bytes);
  EXPECT_EQ(make(Recipe::Kind::Random, TINY_DTYPE_F32, 0).size(), 0);
}

TEST(Recipe, RefusesWhatMemoryDoesNotHold) {
  EXPECT_EQ(makeTensor({}, TINY_DTYPE_F32, {1 << 30, 1 << 20}, 0).message(),
            "tensor<1073741824x1048576xf32> is larger than this machine's memory");
  EXPECT_EQ(makeTensor({}, TINY_DTYPE_I8, {INT64_MAX, 2}, 0).message(),
            "tensor<9223372036854775807x2xi8> is larger than this machine's memory");
}

} // namespace
