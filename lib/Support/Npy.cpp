// Reads and writes .npy files.
#include "Tiny/Support/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SwapByteOrder.h"
#include <cstring>

using namespace llvm;

namespace tiny {
namespace {

constexpr StringLiteral kMagic("\x93NUMPY");

Error malformed(const Twine &what) { return createStringError("malformed .npy: " + what); }

/// What the header, a Python dictionary, says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
};

/// Reads the three entries of the dictionary literal, in any order.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  Expected<Header> parse() {
    if (!eat("{"))
      return malformed("the header is no dictionary");
    bool hasDescr = false, hasOrder = false, hasShape = false;
    while (!eat("}")) {
      std::string key;
      if (!parseString(key) || !eat(":"))
        return malformed("the header has no key where one is due");
      bool *seen = StringSwitch<bool *>(key)
                       .Case("descr", &hasDescr)
                       .Case("fortran_order", &hasOrder)
                       .Case("shape", &hasShape)
                       .Default(nullptr);
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
      if (!eat(",") && !rest.ltrim().starts_with("}"))
        return malformed("the header does not end");
    }
    if (!rest.trim().empty())
      return malformed("text after the header");
    if (!hasDescr || !hasOrder || !hasShape)
      return malformed("the header lacks one of 'descr', 'fortran_order' and 'shape'");
    return header;
  }

private:
  bool eat(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  bool parseString(std::string &value) {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return false;
    value = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
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
      rest = rest.ltrim();
      if (rest.consumeInteger(10, size) || size > uint64_t(INT64_MAX))
        return false;
      rest.consume_front("L"); // Python 2 wrote long integers so
      header.shape.push_back(int64_t(size));
      if (!eat(",") && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
  Header header;
};

std::optional<tiny_dtype> parseKind(StringRef kind) {
  return StringSwitch<std::optional<tiny_dtype>>(kind)
      .Case("b1", TINY_DTYPE_I1)
      .Case("i1", TINY_DTYPE_I8)
      .Case("i2", TINY_DTYPE_I16)
      .Case("i4", TINY_DTYPE_I32)
      .Case("i8", TINY_DTYPE_I64)
      .Case("u1", TINY_DTYPE_U8)
      .Case("u2", TINY_DTYPE_U16)
      .Case("u4", TINY_DTYPE_U32)
      .Case("u8", TINY_DTYPE_U64)
      .Case("f2", TINY_DTYPE_F16)
      .Case("f4", TINY_DTYPE_F32)
      .Case("f8", TINY_DTYPE_F64)
      // NumPy has no types of its own for these; so the package ml_dtypes writes them.
      .Case("V2", TINY_DTYPE_BF16)
      .Case("V1", TINY_DTYPE_F8E4M3FN)
      .Case("f1", TINY_DTYPE_F8E5M2)
      .Default(std::nullopt);
}

StringRef getKind(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_I1:
    return "b1";
  case TINY_DTYPE_I8:
    return "i1";
  case TINY_DTYPE_I16:
    return "i2";
  case TINY_DTYPE_I32:
    return "i4";
  case TINY_DTYPE_I64:
    return "i8";
  case TINY_DTYPE_U8:
    return "u1";
  case TINY_DTYPE_U16:
    return "u2";
  case TINY_DTYPE_U32:
    return "u4";
  case TINY_DTYPE_U64:
    return "u8";
  case TINY_DTYPE_F16:
    return "f2";
  case TINY_DTYPE_F32:
    return "f4";
  case TINY_DTYPE_F64:
    return "f8";
  case TINY_DTYPE_BF16:
    return "V2";
  case TINY_DTYPE_F8E4M3FN:
    return "V1";
  case TINY_DTYPE_F8E5M2:
    return "f1";
  }
  llvm_unreachable("not an element type");
}

/// Column-major elements to row-major ones.
void transpose(HostTensor &tensor) {
  uint64_t bytes = tiny_dtype_size(tensor.dtype);
  size_t rank = tensor.shape.size();
  HostTensor::Bytes result(tensor.bytes.size());
  SmallVector<int64_t> index(rank, 0), strides(rank);
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

Expected<HostTensor> parseNpy(StringRef bytes) {
  StringRef rest = bytes;
  if (!rest.consume_front(kMagic))
    return malformed("it does not begin as one");
  if (rest.size() < 4)
    return malformed("the file ends in its header");
  unsigned major = uint8_t(rest[0]);
  if (major < 1 || major > 3)
    return malformed("format version " + Twine(major) + ", expected 1, 2 or 3");
  size_t prefix = major == 1 ? 4 : 6;
  if (rest.size() < prefix)
    return malformed("the file ends in its header");
  uint64_t headerSize =
      major == 1 ? support::endian::read16le(rest.data() + 2) : support::endian::read32le(rest.data() + 2);
  rest = rest.drop_front(prefix);
  if (rest.size() < headerSize)
    return malformed("the file ends in its header");

  Expected<Header> header = HeaderParser(rest.take_front(headerSize)).parse();
  if (!header)
    return header.takeError();
  rest = rest.drop_front(headerSize);

  StringRef kind = header->descr;
  bool swap = kind.starts_with(">") != sys::IsBigEndianHost && !kind.starts_with("|") && !kind.starts_with("=");
  if (!kind.empty() && StringRef("<>|=").contains(kind.front()))
    kind = kind.drop_front();
  std::optional<tiny_dtype> dtype = parseKind(kind);
  if (!dtype)
    return createStringError("element type '" + header->descr + "' is not supported");

  uint64_t elementBytes = tiny_dtype_size(*dtype);
  std::optional<int64_t> count = countElements(header->shape, elementBytes);
  if (!count)
    return malformed("the size of its shape overflows");
  uint64_t size = uint64_t(*count) * elementBytes;
  if (rest.size() != size)
    return malformed("got " + Twine(rest.size()) + " bytes of elements, expected " + Twine(size));

  HostTensor tensor;
  tensor.dtype = *dtype;
  tensor.shape = header->shape;
  tensor.bytes.assign(rest.begin(), rest.end());
  if (swap && elementBytes > 1)
    for (uint64_t at = 0; at < size; at += elementBytes)
      std::reverse(&tensor.bytes[at], &tensor.bytes[at] + elementBytes);
  if (*dtype == TINY_DTYPE_I1)
    for (char &byte : tensor.bytes)
      byte = byte != 0;
  if (header->fortranOrder && tensor.shape.size() > 1)
    transpose(tensor);
  return tensor;
}

Expected<std::string> formatNpy(const HostTensor &tensor) {
  StringRef kind = getKind(tensor.dtype);
  // ml_dtypes marks an order even where there is none.
  bool isByte = tiny_dtype_size(tensor.dtype) == 1 && kind != "V1" && kind != "f1";
  char order = isByte ? '|' : (sys::IsBigEndianHost ? '>' : '<');
  std::string shape;
  for (int64_t size : tensor.shape)
    shape += std::to_string(size) + (tensor.shape.size() == 1 ? "," : ", ");
  if (tensor.shape.size() > 1)
    shape.resize(shape.size() - 2);
  std::string header =
      ("{'descr': '" + Twine(order) + kind + "', 'fortran_order': False, 'shape': (" + shape + "), }").str();
  // The elements begin at a multiple of 64 bytes.
  size_t prefix = kMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  if (header.size() > UINT16_MAX)
    return createStringError("the shape has too many dimensions for an .npy file");

  std::string bytes = kMagic.str();
  bytes += {'\x01', '\x00', char(header.size() & 0xff), char(header.size() >> 8)};
  bytes += header;
  bytes.append(tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

} // namespace tiny
