#include "Tiny/Support/HostTensor.h"

#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tiny;

namespace {

TEST(HostTensor, EveryDtypeHasATypeANameAndASize) {
  MLIRContext context;
  for (int number = TINY_DTYPE_I1; number <= TINY_DTYPE_F8E5M2; ++number) {
    auto dtype = static_cast<tiny_dtype>(number);
    Type type = getElementType(&context, dtype);
    EXPECT_EQ(getDtype(type), dtype);
    std::string spelled;
    llvm::raw_string_ostream(spelled) << type;
    EXPECT_EQ(spelled, std::string(getDtypeName(dtype)));
    EXPECT_EQ(tiny_dtype_size(dtype), (type.getIntOrFloatBitWidth() + 7) / 8);
  }
  EXPECT_EQ(getDtype(IntegerType::get(&context, 7)), std::nullopt);
  EXPECT_EQ(getDtype(IndexType::get(&context)), std::nullopt);
}

TEST(HostTensor, CountElementsRefusesWhatDoesNotFit) {
  EXPECT_EQ(countElements({}), 1);
  EXPECT_EQ(countElements({3, 0, 5}), 0);
  EXPECT_EQ(countElements({3, 4, 5}, 8), 60);
  EXPECT_EQ(countElements({3, -1}), std::nullopt);
  EXPECT_EQ(countElements({int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(countElements({0, int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(countElements({int64_t(1) << 59}, 8), int64_t(1) << 59);
  EXPECT_EQ(countElements({int64_t(1) << 60}, 8), std::nullopt);
}

TEST(HostTensor, ConstantsOfEveryKindOfStorage) {
  MLIRContext context;
  auto read = [&](StringRef text) {
    auto attr = dyn_cast_or_null<ElementsAttr>(parseAttribute(text, &context));
    EXPECT_TRUE(attr) << text.str();
    return readConstant(attr);
  };
  std::optional<HostTensor> bits = read("dense<[true, false, true]> : tensor<3xi1>");
  ASSERT_TRUE(bits);
  EXPECT_EQ(bits->bytes, (HostTensor::Bytes{1, 0, 1}));
  std::optional<HostTensor> ones = read("dense<true> : tensor<2x5xi1>");
  ASSERT_TRUE(ones);
  EXPECT_EQ(ones->bytes, HostTensor::Bytes(10, 1));
  std::optional<HostTensor> splat = read("dense<1.5> : tensor<3xf32>");
  ASSERT_TRUE(splat);
  EXPECT_EQ(splat->data<float>()[2], 1.5f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(splat->bytes.data()) % 64, 0u);
  std::optional<HostTensor> values = read("dense<[[1, -2], [3, 4]]> : tensor<2x2xi64>");
  ASSERT_TRUE(values);
  EXPECT_EQ(values->data<int64_t>()[1], -2);
  std::optional<HostTensor> byte = read("dense<255> : tensor<ui8>");
  ASSERT_TRUE(byte);
  EXPECT_EQ(byte->dtype, TINY_DTYPE_U8);
  EXPECT_EQ(byte->size(), 1);
  EXPECT_TRUE(read("dense<> : tensor<0x4xf16>"));
  EXPECT_FALSE(read("dense<1> : tensor<2xindex>"));
}

template <typename T> HostTensor tensorOf(tiny_dtype dtype, ArrayRef<int64_t> shape, std::vector<T> elements) {
  HostTensor tensor = HostTensor::zeros(dtype, shape);
  std::copy(elements.begin(), elements.end(), tensor.data<T>());
  return tensor;
}

TEST(HostTensor, ReadsEveryElementType) {
  EXPECT_EQ(tensorOf<uint16_t>(TINY_DTYPE_F16, {1}, {0xc000}).getNumber(0), -2);
  EXPECT_EQ(tensorOf<uint16_t>(TINY_DTYPE_BF16, {1}, {0x3fc0}).getNumber(0), 1.5);
  EXPECT_EQ(tensorOf<uint8_t>(TINY_DTYPE_F8E5M2, {1}, {0x3c}).getNumber(0), 1);
  EXPECT_EQ(tensorOf<uint8_t>(TINY_DTYPE_F8E4M3FN, {1}, {0x38}).getNumber(0), 1);
  EXPECT_EQ(tensorOf<int8_t>(TINY_DTYPE_I8, {1}, {-1}).getNumber(0), -1);
  EXPECT_EQ(tensorOf<uint8_t>(TINY_DTYPE_U8, {1}, {255}).getNumber(0), 255);
  EXPECT_EQ(tensorOf<uint64_t>(TINY_DTYPE_U64, {1}, {UINT64_MAX}).getNumber(0), 0x1p64);
  EXPECT_EQ(tensorOf<uint64_t>(TINY_DTYPE_U64, {1}, {UINT64_MAX}).getInteger(0), -1);
  EXPECT_EQ(tensorOf<int16_t>(TINY_DTYPE_I16, {2}, {7, -3}).getInteger(1), -3);
  EXPECT_EQ(tensorOf<uint16_t>(TINY_DTYPE_U16, {1}, {65535}).getInteger(0), 65535);
  EXPECT_EQ(tensorOf<uint8_t>(TINY_DTYPE_I1, {1}, {1}).getInteger(0), 1);
}

} // namespace
