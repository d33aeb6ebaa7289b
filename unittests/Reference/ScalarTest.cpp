#include "Tiny/Reference/Scalar.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace tiny::reference;

namespace {

TEST(Scalar, EveryNarrowFloatReadsBackAsItself) {
  for (Format format : {Format::F16, Format::BF16, Format::F8E4M3FN, Format::F8E5M2}) {
    unsigned width = format == Format::F16 || format == Format::BF16 ? 16 : 8;
    ScalarType type{format, static_cast<uint8_t>(width)};
    for (uint64_t bits = 0; bits < (uint64_t(1) << width); ++bits) {
      Scalar value = decode(type, bits);
      if (std::isnan(value.f))
        continue;
      ASSERT_EQ(encode(type, value), bits);
      ASSERT_EQ(roundTo(format, value.f), value.f);
    }
  }
}

TEST(Scalar, RoundsOnceToNearestEven) {
  EXPECT_EQ(roundTo(Format::F32, 16777217.0), 16777216.0);
  EXPECT_EQ(roundTo(Format::F32, 16777219.0), 16777220.0);
  EXPECT_EQ(roundTo(Format::F16, 65519.0), 65504.0);
  EXPECT_EQ(roundTo(Format::F16, 65520.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(roundTo(Format::BF16, 257.0), 256.0);
  EXPECT_EQ(roundTo(Format::BF16, 259.0), 260.0);
  EXPECT_TRUE(std::isnan(roundTo(Format::F8E4M3FN, 1000.0)) || roundTo(Format::F8E4M3FN, 1000.0) == 448.0);
}

TEST(Scalar, WideIntegersBecomeFloatsInOneStep) {
  // By way of double this rounds to 2^53 first, then to even: the nearest float is one further.
  int64_t number = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  EXPECT_EQ(intToFloat(Format::F32, number, /*isSigned=*/true), static_cast<double>(static_cast<float>(number)));
  EXPECT_EQ(intToFloat(Format::F64, -1, /*isSigned=*/false), 18446744073709551616.0);
  EXPECT_EQ(intToFloat(Format::BF16, (int64_t(1) << 62) + (int64_t(1) << 54) + 1, true),
            std::ldexp(1.0, 62) + std::ldexp(1.0, 55));
}

TEST(Scalar, FloatsBecomeIntegersSaturating) {
  EXPECT_EQ(floatToInt(-1.9, 8, true), -1);
  EXPECT_EQ(floatToInt(300, 8, true), 127);
  EXPECT_EQ(floatToInt(-300, 8, true), -128);
  EXPECT_EQ(floatToInt(300, 8, false), -1);
  EXPECT_EQ(floatToInt(-5, 8, false), 0);
  EXPECT_EQ(floatToInt(1e30, 64, true), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(floatToInt(-1e30, 64, true), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(floatToInt(std::nan(""), 32, true), 0);
}

TEST(Scalar, TruthIsOneByteThatIsZeroOrOne) {
  ScalarType type{Format::Int, 1};
  EXPECT_EQ(type.bytes(), 1u);
  EXPECT_EQ(encode(type, makeInt(-1)), 1u);
  EXPECT_EQ(decode(type, 1).i, -1);
}

TEST(Scalar, PrintsTheShortestDecimalThatReadsBack) {
  auto print = [](double value, Format format, uint8_t width) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printScalar(os, makeFloat(value), ScalarType{format, width}, false);
    return text;
  };
  EXPECT_EQ(print(static_cast<float>(0.1), Format::F32, 32), "0.1");
  EXPECT_EQ(print(0.1, Format::F64, 64), "0.1");
  EXPECT_EQ(print(-2, Format::F32, 32), "-2");
  EXPECT_EQ(print(std::nan(""), Format::F32, 32), "nan");
}

} // namespace
