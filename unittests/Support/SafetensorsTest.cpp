#include "Tiny/Support/Safetensors.h"

#include "gtest/gtest.h"
#include <numeric>

using namespace llvm;
using namespace tiny;

namespace {

std::string file(StringRef header, StringRef data = "") {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[i] = char(uint64_t(header.size()) >> (8 * i));
  return bytes + header.str() + data.str();
}

std::string message(StringRef bytes) {
  Expected<std::vector<NamedTensor>> tensors = parseSafetensors(bytes);
  return tensors ? "" : toString(tensors.takeError());
}

TEST(Safetensors, KeepsEveryElementType) {
  std::vector<NamedTensor> tensors;
  for (tiny_dtype dtype : {TINY_DTYPE_I1, TINY_DTYPE_I8, TINY_DTYPE_I16, TINY_DTYPE_I32, TINY_DTYPE_I64, TINY_DTYPE_U8,
                           TINY_DTYPE_U16, TINY_DTYPE_U32, TINY_DTYPE_U64, TINY_DTYPE_F16, TINY_DTYPE_BF16,
                           TINY_DTYPE_F32, TINY_DTYPE_F64, TINY_DTYPE_F8E4M3FN, TINY_DTYPE_F8E5M2}) {
    HostTensor tensor = HostTensor::zeros(dtype, {2, 3});
    std::iota(tensor.bytes.begin(), tensor.bytes.end(), 0);
    if (dtype == TINY_DTYPE_I1)
      tensor.bytes = {0, 1, 1, 0, 0, 1};
    tensors.push_back({std::string(getDtypeName(dtype)), tensor});
  }
  tensors.push_back({"a \"scalar\"", HostTensor::zeros(TINY_DTYPE_F32, {})});
  Expected<std::string> bytes = formatSafetensors(tensors);
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  Expected<std::vector<NamedTensor>> again = parseSafetensors(*bytes);
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  ASSERT_EQ(again->size(), tensors.size());
  for (auto [got, expected] : zip(*again, tensors)) {
    EXPECT_EQ(got.name, expected.name);
    EXPECT_EQ(got.tensor.dtype, expected.tensor.dtype);
    EXPECT_EQ(got.tensor.shape, expected.tensor.shape);
    EXPECT_EQ(got.tensor.bytes, expected.tensor.bytes);
  }
}

TEST(Safetensors, ReadsWhatOthersWrite) {
  Expected<std::vector<NamedTensor>> tensors =
      parseSafetensors(file(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]},)"
                            R"("a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}}  )",
                            StringRef("\x80\x3f\x01\x02", 4)));
  ASSERT_TRUE(bool(tensors)) << toString(tensors.takeError());
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].name, "a");
  EXPECT_EQ((*tensors)[0].tensor.data<uint16_t>()[0], 0x3f80);
  EXPECT_EQ((*tensors)[1].tensor.data<uint8_t>()[1], 2);
}

TEST(Safetensors, NamesWhatIsWrong) {
  auto entry = [](StringRef fields) { return message(file(("{\"t\":{" + fields + "}}").str(), "1234")); };
  EXPECT_EQ(message("short"), "malformed .safetensors: the file ends in its header");
  EXPECT_EQ(message(file("{}").substr(0, 9)), "malformed .safetensors: the file ends in its header");
  EXPECT_TRUE(StringRef(message(file("{"))).starts_with("malformed .safetensors: the header is not JSON: "));
  EXPECT_EQ(message(file("[]")), "malformed .safetensors: the header is no object");
  EXPECT_EQ(message(file(std::string(100000, '['))), "malformed .safetensors: the header is nested too deeply");
  EXPECT_EQ(message(file("{\"t\":1}")), "malformed .safetensors: tensor 't' is no object");
  EXPECT_EQ(entry("\"dtype\":\"F32\",\"shape\":[]"),
            "malformed .safetensors: tensor 't' lacks one of 'dtype', 'shape' and 'data_offsets'");
  EXPECT_EQ(entry("\"dtype\":\"C64\",\"shape\":[],\"data_offsets\":[0,4]"),
            "tensor 't' has element type 'C64', which is not supported");
  EXPECT_EQ(entry("\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]"),
            "malformed .safetensors: tensor 't' has a shape that is no list of sizes");
  EXPECT_EQ(entry("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]"),
            "malformed .safetensors: tensor 't' has a shape whose size overflows");
  EXPECT_EQ(entry("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1,5]"),
            "malformed .safetensors: tensor 't' has offsets outside of the file");
  EXPECT_EQ(entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]"),
            "malformed .safetensors: tensor 't' has 4 bytes of elements, expected 8");
  EXPECT_EQ(entry("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]"),
            "malformed .safetensors: bytes stand behind the last tensor");
  Expected<std::string> twice =
      formatSafetensors({{"a", HostTensor::zeros(TINY_DTYPE_I8, {1})}, {"a", HostTensor::zeros(TINY_DTYPE_I8, {1})}});
  ASSERT_FALSE(bool(twice));
  EXPECT_EQ(toString(twice.takeError()), "two tensors are named 'a'");
}

} // namespace
