// Reads and writes .safetensors files: named tensors behind a header in JSON.
#include "Text.h"
#include "Tiny/Files/Tensors.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace tiny::files {
namespace {

using Json = nlohmann::ordered_json;

/// Bytes of the header's size, and what the elements begin at a multiple of.
constexpr size_t kPrefix = 8;
/// A header has three levels; a user's metadata may have some more.
constexpr int kMaxDepth = 64;

struct Name {
  std::string_view text;
  tiny_dtype dtype;
};
constexpr Name kNames[] = {{"BOOL", TINY_DTYPE_I1},       {"I8", TINY_DTYPE_I8},
                           {"I16", TINY_DTYPE_I16},       {"I32", TINY_DTYPE_I32},
                           {"I64", TINY_DTYPE_I64},       {"U8", TINY_DTYPE_U8},
                           {"U16", TINY_DTYPE_U16},       {"U32", TINY_DTYPE_U32},
                           {"U64", TINY_DTYPE_U64},       {"F16", TINY_DTYPE_F16},
                           {"BF16", TINY_DTYPE_BF16},     {"F32", TINY_DTYPE_F32},
                           {"F64", TINY_DTYPE_F64},       {"F8_E4M3", TINY_DTYPE_F8E4M3FN},
                           {"F8_E5M2", TINY_DTYPE_F8E5M2}};

Failure malformed(const std::string &what) { return failed("malformed .safetensors: " + what); }

/// Elements are little endian in the file.
void swapElements(HostTensor::Bytes &bytes, uint64_t width) {
  if (isBigEndianHost())
    bytes.markWritten();
  if (isBigEndianHost())
    for (size_t at = 0; at < bytes.size(); at += width)
      std::reverse(&bytes[at], &bytes[at] + width);
}

const Json *find(const Json &entry, const char *key, Json::value_t type) {
  auto found = entry.find(key);
  return found == entry.end() || found->type() != type ? nullptr : &*found;
}

Result<HostTensor> parseEntry(const std::string &name, const Json &entry, const Source &source, uint64_t &begin) {
  std::string_view data = source.bytes;
  auto refuse = [&](const std::string &what) { return malformed("tensor '" + name + "' " + what); };
  const Json *type = find(entry, "dtype", Json::value_t::string), *shape = find(entry, "shape", Json::value_t::array),
             *offsets = find(entry, "data_offsets", Json::value_t::array);
  if (!type || !shape || !offsets)
    return refuse("lacks one of 'dtype', 'shape' and 'data_offsets'");
  const auto &typeName = type->get_ref<const std::string &>();
  const auto *known =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Name &each) { return each.text == typeName; });
  if (known == std::end(kNames))
    return failed("tensor '" + name + "' has element type '" + typeName + "', which is not supported");
  HostTensor tensor;
  tensor.dtype = known->dtype;
  for (const Json &size : *shape) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > uint64_t(INT64_MAX))
      return refuse("has a shape that is no list of sizes");
    tensor.shape.push_back(size.get<int64_t>());
  }
  uint64_t width = tiny_dtype_size(tensor.dtype);
  std::optional<int64_t> count = countElements(tensor.shape.data(), tensor.shape.size(), width);
  if (!count)
    return refuse("has a shape whose size overflows");
  if (offsets->size() != 2 || !(*offsets)[0].is_number_unsigned() || !(*offsets)[1].is_number_unsigned())
    return refuse("has offsets outside of the file");
  uint64_t from = (*offsets)[0].get<uint64_t>(), to = (*offsets)[1].get<uint64_t>();
  if (from > to || to > data.size())
    return refuse("has offsets outside of the file");
  if (to - from != uint64_t(*count) * width)
    return refuse("has " + std::to_string(to - from) + " bytes of elements, expected " +
                  std::to_string(uint64_t(*count) * width));
  begin = from;
  std::string_view elements = data.substr(from, to - from);
  tensor.bytes = takeBytes(source, elements);
  swapElements(tensor.bytes, width);
  if (tensor.dtype == TINY_DTYPE_I1)
    makeTruthValues(tensor.bytes);
  return tensor;
}

/// The header, or why it is none.
Result<Json> parseHeader(std::string_view text) {
  bool isDeep = false;
  Json::parser_callback_t watch = [&](int depth, Json::parse_event_t, Json &) {
    isDeep |= depth > kMaxDepth;
    return !isDeep;
  };
  try {
    Json header = Json::parse(text.begin(), text.end(), watch);
    if (isDeep)
      return malformed("the header is nested too deeply");
    if (!header.is_object())
      return malformed("the header is no object");
    return header;
  } catch (const Json::exception &error) {
    return isDeep ? malformed("the header is nested too deeply")
                  : malformed(std::string("the header is not JSON: ") + error.what());
  }
}

} // namespace

Result<std::vector<NamedTensor>> parseSafetensors(const Source &source) {
  std::string_view bytes = source.bytes;
  if (bytes.size() < kPrefix)
    return malformed("the file ends in its header");
  uint64_t size = readLittle(bytes, 0, kPrefix);
  std::string_view rest = bytes.substr(kPrefix);
  if (size > rest.size())
    return malformed("the file ends in its header");
  Result<Json> header = parseHeader(rest.substr(0, size));
  if (!header)
    return header.takeFailure();
  std::vector<std::pair<uint64_t, NamedTensor>> tensors;
  uint64_t end = 0;
  for (const auto &[name, value] : header->items()) {
    if (name == "__metadata__")
      continue;
    if (!value.is_object())
      return malformed("tensor '" + name + "' is no object");
    uint64_t begin = 0;
    Result<HostTensor> tensor = parseEntry(name, value, {rest.substr(size), source.owner, source.isMapped}, begin);
    if (!tensor)
      return tensor.takeFailure();
    end = std::max<uint64_t>(end, begin + tensor->bytes.size());
    tensors.emplace_back(begin, NamedTensor{name, std::move(*tensor)});
  }
  if (end != rest.size() - size)
    return malformed("bytes stand behind the last tensor");
  std::sort(tensors.begin(), tensors.end(), [](const auto &a, const auto &b) {
    return std::tie(a.first, a.second.name) < std::tie(b.first, b.second.name);
  });
  std::vector<NamedTensor> result;
  result.reserve(tensors.size());
  for (auto &[begin, tensor] : tensors)
    result.push_back(std::move(tensor));
  return result;
}

Result<SafetensorsLayout> layOutSafetensors(const std::vector<NamedTensor> &tensors) {
  std::set<std::string_view> names;
  Json header = Json::object();
  SafetensorsLayout layout;
  uint64_t end = 0;
  for (const NamedTensor &named : tensors) {
    if (!names.insert(named.name).second)
      return failed("two tensors are named '" + named.name + "'");
    const auto *known = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const Name &each) { return each.dtype == named.tensor.dtype; });
    uint64_t bytes = uint64_t(named.tensor.size()) * tiny_dtype_size(named.tensor.dtype);
    Json &entry = header[named.name];
    entry["dtype"] = std::string(known->text);
    entry["shape"] = named.tensor.shape;
    entry["data_offsets"] = {end, end + bytes};
    layout.begins.push_back(end);
    end += bytes;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append(-text.size() % kPrefix, ' ');
  appendLittle(layout.header, text.size(), kPrefix);
  layout.header += text;
  for (uint64_t &begin : layout.begins)
    begin += layout.header.size();
  layout.size = layout.header.size() + end;
  return layout;
}

Result<std::string> formatSafetensors(const std::vector<NamedTensor> &tensors) {
  Result<SafetensorsLayout> layout = layOutSafetensors(tensors);
  if (!layout)
    return layout.takeFailure();
  std::string bytes = std::move(layout->header);
  bytes.reserve(layout->size);
  for (const NamedTensor &named : tensors) {
    HostTensor::Bytes elements = named.tensor.bytes;
    swapElements(elements, tiny_dtype_size(named.tensor.dtype));
    bytes.append(elements.begin(), elements.end());
  }
  return bytes;
}

} // namespace tiny::files
