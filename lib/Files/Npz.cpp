// Zip archives of .npy members. Layout: PKWARE's APPNOTE.TXT, sections 4.3 to 4.5.
#include "Text.h"
#include "Tiny/Files/Tensors.h"

#include <algorithm>
#include <zlib.h>

namespace tiny::files {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndOfDirectory = 0x06054b50;
constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kZip64Extra = 1;

Failure malformed(const std::string &what) { return failed("malformed .npz: " + what); }

uint32_t checksum(std::string_view bytes) {
  return uint32_t(crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

struct Member {
  std::string_view name;
  uint16_t flags = 0, method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

/// The last end-of-directory record whose comment ends with the file.
std::optional<size_t> findEndOfDirectory(std::string_view bytes) {
  if (bytes.size() < kEndSize)
    return std::nullopt;
  size_t last = bytes.size() - kEndSize;
  for (size_t comment = 0; comment <= std::min<size_t>(last, UINT16_MAX); ++comment) {
    size_t at = last - comment;
    if (read32(bytes, at) == kEndOfDirectory && read16(bytes, at + 20) == comment)
      return at;
  }
  return std::nullopt;
}

/// Where a 32-bit field of the central header is all ones, the zip64 extra field has it with 64 bits, in this order.
bool readZip64(std::string_view extra, Member &member) {
  while (extra.size() >= 4) {
    uint16_t id = read16(extra, 0), length = read16(extra, 2);
    std::string_view field = extra.substr(4, length);
    if (field.size() != length)
      return false;
    extra = extra.substr(4 + length);
    if (id != kZip64Extra)
      continue;
    for (uint64_t *value : {&member.size, &member.packed, &member.offset}) {
      if (*value != UINT32_MAX)
        continue;
      if (field.size() < 8)
        return false;
      *value = readLittle(field, 0, 8);
      field = field.substr(8);
    }
  }
  return true;
}

/// Reads the central header at the front of `directory` and drops it.
bool readMember(std::string_view &directory, Member &member) {
  if (directory.size() < kCentralSize || read32(directory, 0) != kCentralHeader)
    return false;
  member.flags = read16(directory, 8);
  member.method = read16(directory, 10);
  member.crc = read32(directory, 16);
  member.packed = read32(directory, 20);
  member.size = read32(directory, 24);
  member.offset = read32(directory, 42);
  size_t name = read16(directory, 28), extra = read16(directory, 30), comment = read16(directory, 32);
  if (directory.size() < kCentralSize + name + extra + comment)
    return false;
  member.name = directory.substr(kCentralSize, name);
  if (!readZip64(directory.substr(kCentralSize + name, extra), member))
    return false;
  directory = directory.substr(kCentralSize + name + extra + comment);
  return true;
}

Result<HostBytes> inflateRaw(std::string_view packed, uint64_t size, const std::string &what) {
  // Deflate packs at most 1032 to 1: a greater claim is false, and must not make us allocate.
  if (size / 1032 > packed.size() + 1 || packed.size() > UINT32_MAX || size > UINT32_MAX)
    return malformed(what + " claims to hold " + std::to_string(size) + " bytes");
  HostBytes result(size);
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return failed("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  stream.avail_in = uInt(packed.size());
  stream.next_out = reinterpret_cast<Bytef *>(result.data());
  stream.avail_out = uInt(size);
  int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.total_out != size)
    return malformed(what + " does not unpack to its size");
  return result;
}

/// What a member holds: a part of the archive, or memory of its own.
Result<Source> unpack(const Source &source, const Member &member) {
  std::string_view archive = source.bytes;
  std::string what = "member '" + std::string(member.name) + "'";
  if (member.flags & 1)
    return malformed(what + " is encrypted");
  if (member.offset > archive.size() || archive.size() - member.offset < kLocalSize ||
      read32(archive, member.offset) != kLocalHeader)
    return malformed(what + " is not where the directory says");
  // The local header's own name and extra field may differ in length from the directory's.
  std::string_view data = archive.substr(member.offset + kLocalSize);
  size_t skip = size_t(read16(archive, member.offset + 26)) + read16(archive, member.offset + 28);
  if (data.size() < skip || data.size() - skip < member.packed)
    return malformed(what + " is cut off");
  data = data.substr(skip, member.packed);

  Source content(data, source.owner);
  if (member.method == kStored) {
    if (member.packed != member.size)
      return malformed(what + " has two sizes");
  } else if (member.method == kDeflated) {
    Result<HostBytes> inflated = inflateRaw(data, member.size, what);
    if (!inflated)
      return inflated.takeFailure();
    auto owner = std::make_shared<HostBytes>(std::move(*inflated));
    content = FileBytes{{owner, owner->data()}, owner->size()};
  } else {
    return failed(what + " is packed by method " + std::to_string(member.method) + ", expected stored or deflated");
  }
  if (checksum(content.bytes) != member.crc)
    return malformed(what + " has a wrong checksum");
  return content;
}

void append16(std::string &bytes, uint16_t value) { appendLittle(bytes, value, 2); }
void append32(std::string &bytes, uint32_t value) { appendLittle(bytes, value, 4); }

/// The fields that the local and the central header share, from `version needed` on.
void appendCommon(std::string &bytes, std::string_view name, std::string_view content) {
  append16(bytes, 20);     // version needed
  append16(bytes, 0x0800); // names are UTF-8
  append16(bytes, kStored);
  append16(bytes, 0);      // time: midnight
  append16(bytes, 0x0021); // date: 1980-01-01, so that equal tensors make equal files
  append32(bytes, checksum(content));
  append32(bytes, uint32_t(content.size()));
  append32(bytes, uint32_t(content.size()));
  append16(bytes, uint16_t(name.size()));
  append16(bytes, 0); // no extra field
}

} // namespace

Result<std::vector<NamedTensor>> parseNpz(const Source &source) {
  std::string_view bytes = source.bytes;
  std::optional<size_t> end = findEndOfDirectory(bytes);
  if (!end)
    return malformed("it has no directory");
  size_t count = read16(bytes, *end + 10), size = read32(bytes, *end + 12), offset = read32(bytes, *end + 16);
  if (count == UINT16_MAX || offset == UINT32_MAX)
    return failed("archives with a zip64 directory are not supported");
  if (offset > *end || size > *end - offset)
    return malformed("its directory is not where it says");

  std::string_view directory = bytes.substr(offset, size);
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    Member member;
    if (!readMember(directory, member))
      return malformed("its directory is cut off");
    Result<Source> content = unpack(source, member);
    if (!content)
      return content.takeFailure();
    Result<HostTensor> tensor = parseNpy(*content);
    if (!tensor)
      return failed("member '" + std::string(member.name) + "': " + tensor.message());
    if (endsWith(member.name, ".npy"))
      member.name.remove_suffix(4);
    tensors.push_back({std::string(member.name), std::move(*tensor)});
  }
  return tensors;
}

Result<std::string> formatNpz(const std::vector<NamedTensor> &tensors) {
  std::string bytes, directory;
  if (tensors.size() >= UINT16_MAX)
    return failed("too many tensors for an .npz file");
  for (const NamedTensor &named : tensors) {
    Result<std::string> content = formatNpy(named.tensor);
    if (!content)
      return content.takeFailure();
    std::string name = named.name + ".npy";
    if (name.size() > UINT16_MAX)
      return failed("a tensor's name is too long for an .npz file");
    if (bytes.size() + content->size() + name.size() + kLocalSize > UINT32_MAX / 2)
      return failed("the tensors are too large for an .npz file");
    append32(directory, kCentralHeader);
    append16(directory, 20); // version made by
    appendCommon(directory, name, *content);
    append16(directory, 0); // no comment
    append16(directory, 0); // first disk
    append16(directory, 0); // internal attributes
    append32(directory, 0); // external attributes
    append32(directory, uint32_t(bytes.size()));
    directory += name;

    append32(bytes, kLocalHeader);
    appendCommon(bytes, name, *content);
    bytes += name;
    bytes += *content;
  }
  uint32_t offset = uint32_t(bytes.size());
  bytes += directory;
  append32(bytes, kEndOfDirectory);
  append16(bytes, 0); // this disk
  append16(bytes, 0); // the directory's disk
  append16(bytes, uint16_t(tensors.size()));
  append16(bytes, uint16_t(tensors.size()));
  append32(bytes, uint32_t(directory.size()));
  append32(bytes, offset);
  append16(bytes, 0); // no comment
  return bytes;
}

} // namespace tiny::files
