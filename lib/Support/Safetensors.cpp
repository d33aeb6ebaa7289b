// Reads and writes .safetensors files.
#include "Tiny/Support/Safetensors.h"

#include "Tiny/Support/SafeParse.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SwapByteOrder.h"

using namespace llvm;

namespace tiny {
namespace {

/// Bytes of the header's size, and what the elements begin at a multiple of.
constexpr size_t kPrefix = 8;

constexpr std::pair<StringLiteral, tiny_dtype> kNames[] = {
    {"BOOL", TINY_DTYPE_I1},       {"I8", TINY_DTYPE_I8},
    {"I16", TINY_DTYPE_I16},       {"I32", TINY_DTYPE_I32},
    {"I64", TINY_DTYPE_I64},       {"U8", TINY_DTYPE_U8},
    {"U16", TINY_DTYPE_U16},       {"U32", TINY_DTYPE_U32},
    {"U64", TINY_DTYPE_U64},       {"F16", TINY_DTYPE_F16},
    {"BF16", TINY_DTYPE_BF16},     {"F32", TINY_DTYPE_F32},
    {"F64", TINY_DTYPE_F64},       {"F8_E4M3", TINY_DTYPE_F8E4M3FN},
    {"F8_E5M2", TINY_DTYPE_F8E5M2}};

Error malformed(const Twine &what) { return createStringError("malformed .safetensors: " + what); }

/// Elements are little endian in the file.
void swapElements(HostTensor::Bytes &bytes, uint64_t width) {
  if (sys::IsBigEndianHost)
    for (size_t at = 0; at < bytes.size(); at += width)
      std::reverse(&bytes[at], &bytes[at] + width);
}

Expected<HostTensor> parseEntry(StringRef name, const json::Object &entry, StringRef data, uint64_t &begin) {
  auto fail = [&](const Twine &what) { return malformed("tensor '" + name + "' " + what); };
  std::optional<StringRef> type = entry.getString("dtype");
  const json::Array *shape = entry.getArray("shape"), *offsets = entry.getArray("data_offsets");
  if (!type || !shape || !offsets)
    return fail("lacks one of 'dtype', 'shape' and 'data_offsets'");
  const auto *found = find_if(kNames, [&](auto &known) { return known.first == *type; });
  if (found == std::end(kNames))
    return createStringError("tensor '" + name + "' has element type '" + *type + "', which is not supported");
  HostTensor tensor;
  tensor.dtype = found->second;
  for (const json::Value &size : *shape) {
    std::optional<int64_t> extent = size.getAsInteger();
    if (!extent || *extent < 0)
      return fail("has a shape that is no list of sizes");
    tensor.shape.push_back(*extent);
  }
  uint64_t width = tiny_dtype_size(tensor.dtype);
  std::optional<int64_t> count = countElements(tensor.shape, width);
  if (!count)
    return fail("has a shape whose size overflows");
  std::optional<uint64_t> from, to;
  if (offsets->size() == 2) {
    from = (*offsets)[0].getAsUINT64();
    to = (*offsets)[1].getAsUINT64();
  }
  if (!from || !to || *from > *to || *to > data.size())
    return fail("has offsets outside of the file");
  if (*to - *from != uint64_t(*count) * width)
    return fail("has " + Twine(*to - *from) + " bytes of elements, expected " + Twine(uint64_t(*count) * width));
  begin = *from;
  StringRef elements = data.slice(*from, *to);
  tensor.bytes.assign(elements.begin(), elements.end());
  swapElements(tensor.bytes, width);
  if (tensor.dtype == TINY_DTYPE_I1)
    for (char &byte : tensor.bytes)
      byte = byte != 0;
  return tensor;
}

} // namespace

Expected<std::vector<NamedTensor>> parseSafetensors(StringRef bytes) {
  if (bytes.size() < kPrefix)
    return malformed("the file ends in its header");
  uint64_t size = support::endian::read64le(bytes.data());
  StringRef rest = bytes.drop_front(kPrefix);
  if (size > rest.size())
    return malformed("the file ends in its header");
  if (findDeepNesting(rest.take_front(size)))
    return malformed("the header is nested too deeply");
  Expected<json::Value> header = json::parse(rest.take_front(size));
  if (!header)
    return malformed("the header is not JSON: " + toString(header.takeError()));
  const json::Object *entries = header->getAsObject();
  if (!entries)
    return malformed("the header is no object");
  std::vector<std::pair<uint64_t, NamedTensor>> tensors;
  uint64_t end = 0;
  for (const auto &[key, value] : *entries) {
    StringRef name = key;
    if (name == "__metadata__")
      continue;
    const json::Object *entry = value.getAsObject();
    if (!entry)
      return malformed("tensor '" + name + "' is no object");
    uint64_t begin = 0;
    Expected<HostTensor> tensor = parseEntry(name, *entry, rest.drop_front(size), begin);
    if (!tensor)
      return tensor.takeError();
    end = std::max<uint64_t>(end, begin + tensor->bytes.size());
    tensors.push_back({begin, {name.str(), std::move(*tensor)}});
  }
  if (end != rest.size() - size)
    return malformed("bytes stand behind the last tensor");
  sort(tensors, [](const auto &a, const auto &b) {
    return std::pair(a.first, StringRef(a.second.name)) < std::pair(b.first, StringRef(b.second.name));
  });
  std::vector<NamedTensor> result;
  result.reserve(tensors.size());
  for (auto &[begin, tensor] : tensors)
    result.push_back(std::move(tensor));
  return result;
}

Expected<std::string> formatSafetensors(ArrayRef<NamedTensor> tensors) {
  StringSet<> names;
  for (const NamedTensor &named : tensors)
    if (!names.insert(named.name).second)
      return createStringError("two tensors are named '" + named.name + "'");
  std::string header, data;
  raw_string_ostream stream(header);
  json::OStream out(stream);
  out.object([&] {
    for (const NamedTensor &named : tensors) {
      const HostTensor &tensor = named.tensor;
      HostTensor::Bytes elements = tensor.bytes;
      swapElements(elements, tiny_dtype_size(tensor.dtype));
      const auto *known = find_if(kNames, [&](auto &entry) { return entry.second == tensor.dtype; });
      out.attributeObject(named.name, [&] {
        out.attribute("dtype", StringRef(known->first));
        out.attributeArray("shape", [&] {
          for (int64_t extent : tensor.shape)
            out.value(extent);
        });
        out.attributeArray("data_offsets", [&] {
          out.value(int64_t(data.size()));
          out.value(int64_t(data.size() + elements.size()));
        });
      });
      data.append(elements.begin(), elements.end());
    }
  });
  header.append(-header.size() % kPrefix, ' ');
  char size[kPrefix];
  support::endian::write64le(size, header.size());
  return std::string(size, kPrefix) + header + data;
}

} // namespace tiny
