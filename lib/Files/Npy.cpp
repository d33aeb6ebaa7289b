// Reads and writes .npy files.
#include "Text.h"
#include "Tiny/Files/Tensors.h"

#include <algorithm>
#include <cstring>

namespace tiny::files {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Kind {
  std::string_view name;
  tiny_dtype dtype;
};

/// The last three NumPy has no types of its own for; so the package ml_dtypes writes them.
constexpr Kind kKinds[] = {{"b1", TINY_DTYPE_I1},   {"i1", TINY_DTYPE_I8},       {"i2", TINY_DTYPE_I16},
                           {"i4", TINY_DTYPE_I32},  {"i8", TINY_DTYPE_I64},      {"u1", TINY_DTYPE_U8},
                           {"u2", TINY_DTYPE_U16},  {"u4", TINY_DTYPE_U32},      {"u8", TINY_DTYPE_U64},
                           {"f2", TINY_DTYPE_F16},  {"f4", TINY_DTYPE_F32},      {"f8", TINY_DTYPE_F64},
                           {"V2", TINY_DTYPE_BF16}, {"V1", TINY_DTYPE_F8E4M3FN}, {"f1", TINY_DTYPE_F8E5M2}};

Failure malformed(const std::string &what) { return failed("malformed .npy: " + what); }

/// What the header, a Python dictionary, says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the three entries of the dictionary literal, in any order.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  Result<Header> parse() {
    if (!eat("{"))
      return malformed("the header is no dictionary");
    bool hasDescr = false, hasOrder = false, hasShape = false;
    while (!eat("}")) {
      std::string key;
      if (!parseString(key) || !eat(":"))
        return malformed("the header has no key where one is due");
      bool *seen = key == "descr"           ? &hasDescr
                   : key == "fortran_order" ? &hasOrder
                   : key == "shape"         ? &hasShape
                                            : nullptr;
      if (!seen)
        return malformed("the header has an unknown key '" + key + "'");
      if (*seen)
        return malformed("the header has two entries '" + key + "'");
      *seen = true;
      if (seen == &hasDescr && !parseString(header.descr))
        return malformed("the element type is not a simple one");
      if (seen == &hasOrder && !parseOrder())
        return malformed("'fortran_order' is neither True nor False");
      if (seen == &hasShape && !parseShape())
        return malformed("the shape is not a tuple of sizes");
      if (!eat(",") && !startsWith(trimFront(rest), "}"))
        return malformed("the header does not end");
    }
    if (!trimFront(rest).empty())
      return malformed("text after the header");
    if (!hasDescr || !hasOrder || !hasShape)
      return malformed("the header lacks one of 'descr', 'fortran_order' and 'shape'");
    return header;
  }

private:
  bool eat(std::string_view token) {
    rest = trimFront(rest);
    return consumeFront(rest, token);
  }

  bool parseString(std::string &value) {
    rest = trimFront(rest);
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == std::string_view::npos)
      return false;
    value = std::string(rest.substr(1, end - 1));
    rest = rest.substr(end + 1);
    return true;
  }

  bool parseOrder() {
    header.fortranOrder = eat("True");
    return header.fortranOrder || eat("False");
  }

  bool parseShape() {
    if (!eat("("))
      return false;
    while (!eat(")")) {
      uint64_t size;
      rest = trimFront(rest);
      if (!parseSize(size))
        return false;
      consumeFront(rest, "L"); // Python 2 wrote long integers so
      header.shape.push_back(int64_t(size));
      if (!eat(",") && !startsWith(trimFront(rest), ")"))
        return false;
    }
    return true;
  }

  /// A number below 2^63.
  bool parseSize(uint64_t &size) {
    size_t digits = 0;
    for (size = 0; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
      if (size > uint64_t(INT64_MAX) / 10)
        return false;
      size = size * 10 + uint64_t(rest[digits] - '0');
    }
    rest.remove_prefix(digits);
    return digits > 0 && size <= uint64_t(INT64_MAX);
  }

  std::string_view rest;
  Header header;
};

std::optional<tiny_dtype> parseKind(std::string_view name) {
  for (const Kind &kind : kKinds)
    if (kind.name == name)
      return kind.dtype;
  return std::nullopt;
}

std::string_view getKind(tiny_dtype dtype) {
  return std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind &kind) { return kind.dtype == dtype; })
      ->name;
}

/// Column-major elements to row-major ones.
void transpose(HostTensor &tensor) {
  uint64_t bytes = tiny_dtype_size(tensor.dtype);
  size_t rank = tensor.shape.size();
  HostTensor::Bytes result(tensor.bytes.size());
  std::vector<int64_t> index(rank, 0), strides(rank);
  int64_t stride = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    strides[axis] = stride;
    stride *= tensor.shape[axis];
  }
  int64_t from = 0;
  for (int64_t to = 0, size = tensor.size(); to < size; ++to) {
    std::memcpy(&result[to * bytes], &tensor.bytes[from * bytes], bytes);
    for (size_t axis = rank; axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < tensor.shape[axis])
        break;
      from -= strides[axis] * tensor.shape[axis];
      index[axis] = 0;
    }
  }
  tensor.bytes = std::move(result);
}

} // namespace

Result<HostTensor> parseNpy(const Source &source) {
  std::string_view rest = source.bytes;
  if (!consumeFront(rest, kMagic))
    return malformed("it does not begin as one");
  if (rest.size() < 4)
    return malformed("the file ends in its header");
  unsigned major = uint8_t(rest[0]);
  if (major < 1 || major > 3)
    return malformed("format version " + std::to_string(major) + ", expected 1, 2 or 3");
  size_t prefix = major == 1 ? 4 : 6;
  if (rest.size() < prefix)
    return malformed("the file ends in its header");
  uint64_t headerSize = readLittle(rest, 2, major == 1 ? 2 : 4);
  rest = rest.substr(prefix);
  if (rest.size() < headerSize)
    return malformed("the file ends in its header");

  Result<Header> header = HeaderParser(rest.substr(0, headerSize)).parse();
  if (!header)
    return header.takeFailure();
  rest = rest.substr(headerSize);

  std::string_view kind = header->descr;
  bool swap = startsWith(kind, ">") != isBigEndianHost() && !startsWith(kind, "|") && !startsWith(kind, "=");
  if (!kind.empty() && std::string_view("<>|=").find(kind.front()) != std::string_view::npos)
    kind.remove_prefix(1);
  std::optional<tiny_dtype> dtype = parseKind(kind);
  if (!dtype)
    return failed("element type '" + header->descr + "' is not supported");

  uint64_t elementBytes = tiny_dtype_size(*dtype);
  std::optional<int64_t> count = countElements(header->shape.data(), header->shape.size(), elementBytes);
  if (!count)
    return malformed("the size of its shape overflows");
  uint64_t size = uint64_t(*count) * elementBytes;
  if (rest.size() != size)
    return malformed("got " + std::to_string(rest.size()) + " bytes of elements, expected " + std::to_string(size));

  HostTensor tensor;
  tensor.dtype = *dtype;
  tensor.shape = header->shape;
  tensor.bytes = takeBytes(source, rest);
  if (swap && elementBytes > 1)
    tensor.bytes.markWritten();
  if (swap && elementBytes > 1)
    for (uint64_t at = 0; at < size; at += elementBytes)
      std::reverse(&tensor.bytes[at], &tensor.bytes[at] + elementBytes);
  if (*dtype == TINY_DTYPE_I1)
    makeTruthValues(tensor.bytes);
  if (header->fortranOrder && tensor.shape.size() > 1)
    transpose(tensor);
  return tensor;
}

Result<std::string> formatNpy(const HostTensor &tensor) {
  std::string_view kind = getKind(tensor.dtype);
  // ml_dtypes marks an order even where there is none.
  bool isByte = tiny_dtype_size(tensor.dtype) == 1 && kind != "V1" && kind != "f1";
  char order = isByte ? '|' : (isBigEndianHost() ? '>' : '<');
  std::string shape;
  for (int64_t size : tensor.shape)
    shape += std::to_string(size) + (tensor.shape.size() == 1 ? "," : ", ");
  if (tensor.shape.size() > 1)
    shape.resize(shape.size() - 2);
  std::string header =
      "{'descr': '" + (order + std::string(kind)) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements begin at a multiple of 64 bytes.
  size_t prefix = kMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  if (header.size() > UINT16_MAX)
    return failed("the shape has too many dimensions for an .npy file");

  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', char(header.size() & 0xff), char(header.size() >> 8)};
  bytes += header;
  bytes.append(tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

} // namespace tiny::files
