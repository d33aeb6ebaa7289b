#include "Tiny/Files/Gguf.h"

#include "gtest/gtest.h"
#include <random>

using namespace tiny;
using namespace tiny::files;

namespace {

std::string number(uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned index = 0; index < bytes; ++index, value >>= 8)
    text += char(value & 0xff);
  return text;
}
std::string text(const std::string &value) { return number(value.size(), 8) + value; }

/// A tensor's description: axes from the innermost one on.
std::string describe(const std::string &name, const std::vector<uint64_t> &axes, uint32_t type, uint64_t offset) {
  std::string bytes = text(name) + number(axes.size(), 4);
  for (uint64_t axis : axes)
    bytes += number(axis, 8);
  return bytes + number(type, 4) + number(offset, 8);
}

std::string file(const std::vector<std::string> &entries, const std::vector<std::string> &tensors,
                 const std::string &elements = "") {
  std::string bytes = "GGUF" + number(3, 4) + number(tensors.size(), 8) + number(entries.size(), 8);
  for (const std::string &entry : entries)
    bytes += entry;
  for (const std::string &tensor : tensors)
    bytes += tensor;
  bytes.resize((bytes.size() + 31) / 32 * 32);
  return bytes + elements;
}

std::string message(const std::string &bytes) {
  Result<GgufFile> parsed = parseGguf(std::string_view(bytes));
  return parsed ? "" : parsed.message();
}

/// Two blocks of Q4_1 in each of three rows, and four floats behind them.
std::string makeModel() {
  std::string words = number(9, 4) + number(8, 4) + number(2, 8) + text("a") + text("");
  return file({text("general.architecture") + number(8, 4) + text("llama"),
               text("layers") + number(4, 4) + number(30, 4), text("shift") + number(1, 4) + number(0xfe, 1),
               text("base") + number(6, 4) + number(0x3fc00000, 4), text("bias") + number(7, 4) + number(1, 1),
               text("words") + words},
              {describe("weight", {64, 3}, 3, 0), describe("norm", {4}, 0, 128)},
              std::string(120, 'q') + std::string(8, '\0') + number(0x3f800000, 4) + std::string(12, '\0'));
}

TEST(Gguf, ReadsMetadataAndTensors) {
  std::string bytes = makeModel();
  Result<GgufFile> parsed = parseGguf(std::string_view(bytes));
  ASSERT_TRUE(bool(parsed)) << parsed.message();
  ASSERT_EQ(parsed->metadata.size(), 6u);
  EXPECT_EQ(std::get<std::string>(parsed->metadata[0].second.value), "llama");
  EXPECT_EQ(std::get<uint64_t>(parsed->metadata[1].second.value), 30u);
  EXPECT_EQ(std::get<int64_t>(parsed->metadata[2].second.value), -2);
  EXPECT_EQ(std::get<double>(parsed->metadata[3].second.value), 1.5);
  EXPECT_TRUE(std::get<bool>(parsed->metadata[4].second.value));
  const auto &words = std::get<std::vector<GgufValue>>(parsed->metadata[5].second.value);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(std::get<std::string>(words[0].value), "a");
  ASSERT_EQ(parsed->tensors.size(), 2u);
  const GgufTensor &weight = parsed->tensors[0], &norm = parsed->tensors[1];
  EXPECT_EQ(weight.type, "Q4_1");
  EXPECT_EQ(weight.shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(weight.tensor.shape, (std::vector<int64_t>{3, 2, 20}));
  EXPECT_EQ(weight.tensor.dtype, TINY_DTYPE_U8);
  EXPECT_EQ(weight.tensor.bytes[119], 'q');
  EXPECT_EQ(norm.tensor.getNumber(0), 1.0);
}

TEST(Gguf, TensorsLieInTheFile) {
  auto bytes = std::make_shared<std::string>(makeModel());
  Result<GgufFile> parsed = parseGguf({*bytes, std::shared_ptr<char>(bytes, bytes->data())});
  ASSERT_TRUE(bool(parsed)) << parsed.message();
  EXPECT_TRUE(parsed->tensors[0].tensor.bytes.isShared());
  EXPECT_EQ(parsed->tensors[0].tensor.bytes.data(), bytes->data() + bytes->size() - 144);
}

TEST(Gguf, NamesWhatIsWrong) {
  EXPECT_EQ(message("PK"), "malformed GGUF: expected a file that begins with 'GGUF'");
  EXPECT_EQ(message("GGUF" + number(1, 4)), "GGUF version 1 is not supported, expected 2 or 3, little endian");
  EXPECT_EQ(message("GGUF\3"), "malformed GGUF: the file ends at byte 5, expected 4 bytes from 4");
  EXPECT_EQ(message("GGUF" + number(3, 4) + number(UINT64_MAX, 8) + number(0, 8)),
            "malformed GGUF: the file ends at byte 24, expected 18446744073709551615 bytes from 24");
  EXPECT_EQ(message(file({text("k") + number(13, 4)}, {})),
            "malformed GGUF: 'k' has a value of type 13, expected one of 0 to 12");
  EXPECT_EQ(message(file({text("k") + number(9, 4) + number(9, 4) + number(1, 8) + std::string(12, '\0')}, {})),
            "malformed GGUF: 'k' is a list of lists, expected one of numbers or texts");
  EXPECT_EQ(message(file({text("k") + number(7, 4) + "a", text("k") + number(7, 4) + "a"}, {})),
            "malformed GGUF: two values have the key 'k'");
  EXPECT_EQ(message(file({text("general.alignment") + number(4, 4) + number(7, 4)}, {})),
            "malformed GGUF: 'general.alignment' must be a multiple of 8 up to 2^20");
}

TEST(Gguf, NamesWhatIsWrongWithATensor) {
  EXPECT_EQ(message(file({}, {describe("t", {1, 1, 1, 1, 1}, 0, 0)})),
            "malformed GGUF: tensor 't' has 5 axes, expected at most 4");
  EXPECT_EQ(message(file({}, {describe("t", {256}, 14, 0)})),
            "tensor 't' has element type 'Q6_K', expected one of F64, F32, F16, BF16, I8, I16, I32, I64, Q4_0, Q4_1, "
            "Q8_0");
  EXPECT_EQ(message(file({}, {describe("t", {33}, 8, 0)})),
            "malformed GGUF: tensor 't' has rows of 33 elements, expected blocks of 32");
  EXPECT_EQ(message(file({}, {describe("t", {}, 8, 0)})),
            "malformed GGUF: tensor 't' has rows of 1 elements, expected blocks of 32");
  EXPECT_EQ(message(file({}, {describe("t", {UINT64_MAX}, 0, 0)})),
            "malformed GGUF: tensor 't' has a shape whose size overflows");
  EXPECT_EQ(message(file({}, {describe("t", {2}, 0, 4)}, "12345678abcd")),
            "malformed GGUF: tensor 't' is at offset 4, expected a multiple of 32");
  EXPECT_EQ(message(file({}, {describe("t", {2}, 0, 0)}, "1234567")),
            "malformed GGUF: tensor 't' has 8 bytes at offset 0, but the file has 7 bytes of elements");
  EXPECT_EQ(message(file({}, {describe("t", {1}, 0, 0), describe("t", {1}, 0, 0)}, "1234")),
            "malformed GGUF: two tensors have the name 't'");
}

TEST(Gguf, BeginsMessagesWithThePath) {
  Result<GgufFile> parsed = readGguf("/nowhere.gguf");
  ASSERT_FALSE(bool(parsed));
  EXPECT_EQ(parsed.message(), "cannot open '/nowhere.gguf': No such file or directory");
}

/// Whatever the bytes are, tensors lie in them and a message says what is wrong.
TEST(Gguf, EndsWithAMessageForWrongBytes) {
  const std::string whole = makeModel();
  size_t refused = 0;
  auto read = [&](const std::string &bytes) {
    Result<GgufFile> parsed = parseGguf(std::string_view(bytes));
    if (!parsed) {
      EXPECT_FALSE(parsed.message().empty());
      ++refused;
      return;
    }
    for (const GgufTensor &tensor : parsed->tensors)
      EXPECT_EQ(tensor.tensor.bytes.size(), size_t(tensor.tensor.size()) * tiny_dtype_size(tensor.tensor.dtype));
  };
  for (size_t size = 0; size < whole.size(); ++size)
    read(whole.substr(0, size));
  EXPECT_EQ(refused, whole.size());
  for (unsigned round = 0; round < 20000; ++round) {
    std::mt19937 random(round);
    std::string bytes = whole;
    for (unsigned change = 0, count = 1 + random() % 4; change < count; ++change)
      bytes[random() % bytes.size()] = random() % 3 ? char(random()) : random() % 2 ? '\xff' : '\0';
    read(bytes);
  }
}

} // namespace
