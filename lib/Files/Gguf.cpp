// Reads GGUF files: a header, metadata under keys, descriptions of tensors, then their elements. Every count is checked
// against the bytes that are left before anything of its size is made.
#include "Tiny/Files/Gguf.h"

#include "Text.h"

#include <cstring>
#include <set>

namespace tiny::files {
namespace {

/// An element type, as many elements and bytes as a block of it has, and the type of the tensor that holds it.
struct TypeRow {
  uint32_t number;
  const char *name;
  uint32_t blockElements, blockBytes;
  tiny_dtype dtype = TINY_DTYPE_U8;

  bool isQuantised() const { return blockElements > 1; }
};
constexpr TypeRow kTypes[] = {{0, "F32", 1, 4, TINY_DTYPE_F32},
                              {1, "F16", 1, 2, TINY_DTYPE_F16},
                              {2, "Q4_0", 32, 18},
                              {3, "Q4_1", 32, 20},
                              {8, "Q8_0", 32, 34},
                              {24, "I8", 1, 1, TINY_DTYPE_I8},
                              {25, "I16", 1, 2, TINY_DTYPE_I16},
                              {26, "I32", 1, 4, TINY_DTYPE_I32},
                              {27, "I64", 1, 8, TINY_DTYPE_I64},
                              {28, "F64", 1, 8, TINY_DTYPE_F64},
                              {30, "BF16", 1, 2, TINY_DTYPE_BF16}};

struct Refused {
  uint32_t number;
  const char *name;
};
constexpr Refused kRefused[] = {
    {6, "Q5_0"},   {7, "Q5_1"},   {9, "Q8_1"},     {10, "Q2_K"},   {11, "Q3_K"},    {12, "Q4_K"},  {13, "Q5_K"},
    {14, "Q6_K"},  {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"},
    {21, "IQ3_S"}, {22, "IQ2_S"}, {23, "IQ4_XS"},  {29, "IQ1_M"},  {34, "TQ1_0"},   {35, "TQ2_0"}, {39, "MXFP4"}};

/// Types of metadata: their numbers in the file.
enum : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

constexpr unsigned kMostAxes = 4;
constexpr uint64_t kDefaultAlignment = 32;

Failure malformed(const std::string &what) { return failed("malformed GGUF: " + what); }

std::string describeType(uint32_t number) {
  for (const Refused &row : kRefused)
    if (row.number == number)
      return std::string("'") + row.name + "'";
  return "number " + std::to_string(number);
}

/// Takes bytes from the front. After the first failure everything is empty.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}

  uint64_t take(unsigned count) {
    if (!has(count))
      return 0;
    uint64_t value = readLittle(bytes, at, count);
    at += count;
    return value;
  }
  std::string takeText() {
    uint64_t size = take(8);
    if (!has(size))
      return {};
    std::string text(bytes.substr(at, size));
    at += size;
    return text;
  }
  /// Whether so many bytes are left.
  bool has(uint64_t count) {
    if (failure.message.empty() && count > bytes.size() - at)
      failure = malformed("the file ends at byte " + std::to_string(bytes.size()) + ", expected " +
                          std::to_string(count) + " bytes from " + std::to_string(at));
    return failure.message.empty();
  }
  /// Whether so many things of some bytes each at least are left.
  bool has(uint64_t count, uint64_t width) { return has(count > UINT64_MAX / width ? UINT64_MAX : count * width); }
  void refuse(const std::string &what) {
    if (failure.message.empty())
      failure = malformed(what);
  }
  bool hasFailed() const { return bool(failure); }
  const Failure &getFailure() const { return failure; }
  size_t position() const { return at; }

private:
  std::string_view bytes;
  size_t at = 0;
  Failure failure;
};

int64_t extend(uint64_t value, unsigned bytes) {
  unsigned unused = 64 - 8 * bytes;
  return int64_t(value << unused) >> unused;
}

/// Bytes of a value at least; 0 for a number that is no type.
unsigned getLeastBytes(uint32_t type) {
  constexpr unsigned bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
  return type < std::size(bytes) ? bytes[type] : 0;
}

template <typename Float, typename Bits> double toFloat(Bits bits) {
  Float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

GgufValue readValue(Reader &reader, uint32_t type, const std::string &key, bool isInside = false) {
  unsigned width = getLeastBytes(type);
  switch (type) {
  case U8:
  case U16:
  case U32:
  case U64:
    return {reader.take(width)};
  case I8:
  case I16:
  case I32:
  case I64:
    return {extend(reader.take(width), width)};
  case F32:
    return {toFloat<float>(uint32_t(reader.take(width)))};
  case F64:
    return {toFloat<double>(reader.take(width))};
  case Bool:
    return {reader.take(width) != 0};
  case String:
    return {reader.takeText()};
  case Array:
    break;
  default:
    reader.refuse("'" + key + "' has a value of type " + std::to_string(type) + ", expected one of 0 to 12");
    return {};
  }
  if (isInside) {
    reader.refuse("'" + key + "' is a list of lists, expected one of numbers or texts");
    return {};
  }
  auto inner = uint32_t(reader.take(4));
  uint64_t count = reader.take(8);
  std::vector<GgufValue> values;
  if (unsigned least = getLeastBytes(inner); least && !reader.has(count, least))
    return {};
  for (uint64_t index = 0; index < count && !reader.hasFailed(); ++index)
    values.push_back(readValue(reader, inner, key, /*isInside=*/true));
  return {std::move(values)};
}

/// What the file says of a tensor.
struct Description {
  std::string name;
  std::vector<int64_t> shape;
  uint32_t type = 0;
  uint64_t offset = 0;
};

Description readDescription(Reader &reader) {
  Description described;
  described.name = reader.takeText();
  uint64_t axes = reader.take(4);
  if (axes > kMostAxes)
    reader.refuse("tensor '" + described.name + "' has " + std::to_string(axes) + " axes, expected at most " +
                  std::to_string(kMostAxes));
  for (uint64_t axis = 0; axis < axes && !reader.hasFailed(); ++axis)
    described.shape.insert(described.shape.begin(), int64_t(reader.take(8)));
  described.type = uint32_t(reader.take(4));
  described.offset = reader.take(8);
  return described;
}

Result<GgufTensor> makeTensor(Description described, const Source &source, uint64_t begin, uint64_t alignment) {
  auto refuse = [&](const std::string &what) { return malformed("tensor '" + described.name + "' " + what); };
  const TypeRow *row = nullptr;
  for (const TypeRow &candidate : kTypes)
    if (candidate.number == described.type)
      row = &candidate;
  if (!row)
    return failed("tensor '" + described.name + "' has element type " + describeType(described.type) +
                  ", expected one of F64, F32, F16, BF16, I8, I16, I32, I64, Q4_0, Q4_1, Q8_0");
  std::optional<int64_t> count = countElements(described.shape.data(), described.shape.size(), row->blockBytes);
  if (!count)
    return refuse("has a shape whose size overflows");
  std::vector<int64_t> shape = described.shape;
  if (row->isQuantised()) {
    int64_t last = shape.empty() ? 1 : shape.back();
    if (last % row->blockElements)
      return refuse("has rows of " + std::to_string(last) + " elements, expected blocks of " +
                    std::to_string(row->blockElements));
    shape.back() = last / row->blockElements;
    shape.push_back(row->blockBytes);
  }
  uint64_t size = uint64_t(*count) / row->blockElements * row->blockBytes;
  if (described.offset % alignment)
    return refuse("is at offset " + std::to_string(described.offset) + ", expected a multiple of " +
                  std::to_string(alignment));
  uint64_t left = source.bytes.size() - std::min<uint64_t>(begin, source.bytes.size());
  if (described.offset > left || size > left - described.offset)
    return refuse("has " + std::to_string(size) + " bytes at offset " + std::to_string(described.offset) +
                  ", but the file has " + std::to_string(left) + " bytes of elements");
  std::string_view part = source.bytes.substr(size ? begin + described.offset : 0, size);
  HostTensor tensor;
  tensor.dtype = row->dtype;
  tensor.shape = std::move(shape);
  // Where they lie, however few they are: a model's weights are read once for each word.
  tensor.bytes = source.owner ? HostBytes({source.owner, const_cast<char *>(part.data())}, size)
                              : HostBytes(part.begin(), part.end());
  return GgufTensor{std::move(described.name), row->name, std::move(described.shape), std::move(tensor)};
}

Result<uint64_t> findAlignment(const GgufFile &file) {
  for (const auto &[key, value] : file.metadata) {
    if (key != "general.alignment")
      continue;
    const auto *number = std::get_if<uint64_t>(&value.value);
    if (!number || *number == 0 || *number % 8 || *number > (1 << 20))
      return malformed("'general.alignment' must be a multiple of 8 up to 2^20");
    return *number;
  }
  return kDefaultAlignment;
}

} // namespace

Result<GgufFile> parseGguf(const Source &source) {
  if (!startsWith(source.bytes, "GGUF"))
    return malformed("expected a file that begins with 'GGUF'");
  if (isBigEndianHost())
    return failed("GGUF files are read by little-endian machines only");
  Reader reader(source.bytes);
  reader.take(4);
  uint64_t version = reader.take(4);
  if (!reader.hasFailed() && version != 2 && version != 3)
    return failed("GGUF version " + std::to_string(version) + " is not supported, expected 2 or 3, little endian");
  uint64_t tensors = reader.take(8), entries = reader.take(8);
  GgufFile file;
  std::set<std::string> keys, names;
  // A key, its type and the smallest value; a name, the number of axes, the type and the offset.
  if (reader.has(entries, 8 + 4 + 1))
    for (uint64_t entry = 0; entry < entries && !reader.hasFailed(); ++entry) {
      std::string key = reader.takeText();
      auto type = uint32_t(reader.take(4));
      GgufValue value = readValue(reader, type, key);
      if (!keys.insert(key).second)
        reader.refuse("two values have the key '" + key + "'");
      file.metadata.emplace_back(std::move(key), std::move(value));
    }
  std::vector<Description> described;
  if (reader.has(tensors, 8 + 4 + 4 + 8))
    for (uint64_t index = 0; index < tensors && !reader.hasFailed(); ++index) {
      described.push_back(readDescription(reader));
      if (!names.insert(described.back().name).second)
        reader.refuse("two tensors have the name '" + described.back().name + "'");
    }
  if (reader.hasFailed())
    return reader.getFailure();
  Result<uint64_t> alignment = findAlignment(file);
  if (!alignment)
    return alignment.takeFailure();
  uint64_t begin = (reader.position() + *alignment - 1) / *alignment * *alignment;
  for (Description &each : described) {
    Result<GgufTensor> tensor = makeTensor(std::move(each), source, begin, *alignment);
    if (!tensor)
      return tensor.takeFailure();
    file.tensors.push_back(std::move(*tensor));
  }
  return file;
}

Result<GgufFile> readGguf(const std::string &path) {
  Result<FileBytes> bytes = mapFile(path);
  if (!bytes)
    return bytes.takeFailure();
  Result<GgufFile> file = parseGguf(*bytes);
  if (!file)
    return failed(path + ": " + file.message());
  return file;
}

} // namespace tiny::files
