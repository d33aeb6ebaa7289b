// Zip archives of .npy members, and the files that hold them. Layout: PKWARE's APPNOTE.TXT, sections 4.3 to 4.5.
#include "Tiny/Support/Npy.h"
#include "Tiny/Support/Safetensors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <zlib.h>

using namespace llvm;
using namespace llvm::support::endian;

namespace tiny {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndOfDirectory = 0x06054b50;
constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kZip64Extra = 1;

Error malformed(const Twine &what) { return createStringError("malformed .npz: " + what); }

struct Member {
  StringRef name;
  uint16_t flags = 0, method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

/// The last end-of-directory record whose comment ends with the file.
std::optional<size_t> findEndOfDirectory(StringRef bytes) {
  if (bytes.size() < kEndSize)
    return std::nullopt;
  size_t last = bytes.size() - kEndSize;
  for (size_t comment = 0; comment <= std::min<size_t>(last, UINT16_MAX); ++comment) {
    const char *at = bytes.data() + last - comment;
    if (read32le(at) == kEndOfDirectory && read16le(at + 20) == comment)
      return last - comment;
  }
  return std::nullopt;
}

/// Where a 32-bit field of the central header is all ones, the zip64 extra field has it with 64 bits, in this order.
bool readZip64(StringRef extra, Member &member) {
  while (extra.size() >= 4) {
    uint16_t id = read16le(extra.data()), length = read16le(extra.data() + 2);
    StringRef field = extra.substr(4, length);
    if (field.size() != length)
      return false;
    extra = extra.drop_front(4 + length);
    if (id != kZip64Extra)
      continue;
    for (uint64_t *value : {&member.size, &member.packed, &member.offset}) {
      if (*value != UINT32_MAX)
        continue;
      if (field.size() < 8)
        return false;
      *value = read64le(field.data());
      field = field.drop_front(8);
    }
  }
  return true;
}

/// Reads the central header at the front of `directory` and drops it.
bool readMember(StringRef &directory, Member &member) {
  if (directory.size() < kCentralSize || read32le(directory.data()) != kCentralHeader)
    return false;
  const char *at = directory.data();
  member.flags = read16le(at + 8);
  member.method = read16le(at + 10);
  member.crc = read32le(at + 16);
  member.packed = read32le(at + 20);
  member.size = read32le(at + 24);
  member.offset = read32le(at + 42);
  size_t name = read16le(at + 28), extra = read16le(at + 30), comment = read16le(at + 32);
  if (directory.size() < kCentralSize + name + extra + comment)
    return false;
  member.name = directory.substr(kCentralSize, name);
  if (!readZip64(directory.substr(kCentralSize + name, extra), member))
    return false;
  directory = directory.drop_front(kCentralSize + name + extra + comment);
  return true;
}

Expected<std::string> inflateRaw(StringRef packed, uint64_t size, const Twine &what) {
  // Deflate packs at most 1032 to 1: a greater claim is false, and must not make us allocate.
  if (size / 1032 > packed.size() + 1 || packed.size() > UINT32_MAX || size > UINT32_MAX)
    return malformed(what + " claims to hold " + Twine(size) + " bytes");
  std::string result(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return createStringError("zlib does not start");
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

Expected<std::string> unpack(StringRef archive, const Member &member) {
  std::string what = ("member '" + member.name + "'").str();
  if (member.flags & 1)
    return malformed(what + " is encrypted");
  if (member.offset > archive.size() || archive.size() - member.offset < kLocalSize ||
      read32le(archive.data() + member.offset) != kLocalHeader)
    return malformed(what + " is not where the directory says");
  const char *local = archive.data() + member.offset;
  // The local header's own name and extra field may differ in length from the directory's.
  StringRef data = archive.drop_front(member.offset + kLocalSize);
  size_t skip = size_t(read16le(local + 26)) + read16le(local + 28);
  if (data.size() < skip || data.size() - skip < member.packed)
    return malformed(what + " is cut off");
  data = data.substr(skip, member.packed);

  std::string content;
  if (member.method == kStored) {
    if (member.packed != member.size)
      return malformed(what + " has two sizes");
    content = data.str();
  } else if (member.method == kDeflated) {
    Expected<std::string> inflated = inflateRaw(data, member.size, what);
    if (!inflated)
      return inflated.takeError();
    content = std::move(*inflated);
  } else {
    return createStringError(what + " is packed by method " + Twine(member.method) + ", expected stored or deflated");
  }
  if (crc32(arrayRefFromStringRef(content)) != member.crc)
    return malformed(what + " has a wrong checksum");
  return content;
}

void append16(std::string &bytes, uint16_t value) { bytes += {char(value & 0xff), char(value >> 8)}; }
void append32(std::string &bytes, uint32_t value) {
  append16(bytes, uint16_t(value));
  append16(bytes, uint16_t(value >> 16));
}

/// The fields that the local and the central header share, from `version needed` on.
void appendCommon(std::string &bytes, StringRef name, StringRef content) {
  append16(bytes, 20);     // version needed
  append16(bytes, 0x0800); // names are UTF-8
  append16(bytes, kStored);
  append16(bytes, 0);      // time: midnight
  append16(bytes, 0x0021); // date: 1980-01-01, so that equal tensors make equal files
  append32(bytes, crc32(arrayRefFromStringRef(content)));
  append32(bytes, uint32_t(content.size()));
  append32(bytes, uint32_t(content.size()));
  append16(bytes, uint16_t(name.size()));
  append16(bytes, 0); // no extra field
}

} // namespace

Expected<std::vector<NamedTensor>> parseNpz(StringRef bytes) {
  std::optional<size_t> end = findEndOfDirectory(bytes);
  if (!end)
    return malformed("it has no directory");
  const char *at = bytes.data() + *end;
  size_t count = read16le(at + 10), size = read32le(at + 12), offset = read32le(at + 16);
  if (count == UINT16_MAX || offset == UINT32_MAX)
    return createStringError("archives with a zip64 directory are not supported");
  if (offset > *end || size > *end - offset)
    return malformed("its directory is not where it says");

  StringRef directory = bytes.substr(offset, size);
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    Member member;
    if (!readMember(directory, member))
      return malformed("its directory is cut off");
    Expected<std::string> content = unpack(bytes, member);
    if (!content)
      return content.takeError();
    Expected<HostTensor> tensor = parseNpy(*content);
    if (!tensor)
      return createStringError("member '" + member.name + "': " + toString(tensor.takeError()));
    member.name.consume_back(".npy");
    tensors.push_back({member.name.str(), std::move(*tensor)});
  }
  return tensors;
}

Expected<std::string> formatNpz(ArrayRef<NamedTensor> tensors) {
  std::string bytes, directory;
  if (tensors.size() >= UINT16_MAX)
    return createStringError("too many tensors for an .npz file");
  for (const NamedTensor &named : tensors) {
    Expected<std::string> content = formatNpy(named.tensor);
    if (!content)
      return content.takeError();
    std::string name = named.name + ".npy";
    if (name.size() > UINT16_MAX)
      return createStringError("a tensor's name is too long for an .npz file");
    if (bytes.size() + content->size() + name.size() + kLocalSize > UINT32_MAX / 2)
      return createStringError("the tensors are too large for an .npz file");
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

Expected<std::string> readFileBytes(StringRef path) {
  auto fail = [&](const Twine &why) { return createStringError("cannot open '" + path + "': " + why); };
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(path, status))
    return fail(error.message());
  if (status.type() != sys::fs::file_type::regular_file && status.type() != sys::fs::file_type::fifo_file)
    return fail("not a file");
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Error writeFileAtomically(StringRef path, StringRef bytes) {
  sys::fs::file_status status;
  bool exists = !sys::fs::status(path, status);
  if (exists &&
      (status.type() == sys::fs::file_type::character_file || status.type() == sys::fs::file_type::fifo_file)) {
    // Renaming would put a file in the place of a device or a pipe.
    std::error_code error;
    raw_fd_ostream stream(path, error, sys::fs::CD_OpenExisting);
    if (!error)
      stream << bytes;
    stream.flush();
    if (!error)
      error = stream.error();
    stream.clear_error();
    return error ? createStringError("cannot write '" + path + "': " + error.message()) : Error::success();
  }
  if (exists && status.type() != sys::fs::file_type::regular_file)
    return createStringError("cannot write '" + path + "': not a file");
  Error error = writeToOutput(path, [&](raw_ostream &stream) {
    stream << bytes;
    return Error::success();
  });
  if (!error)
    return error;
  // LLVM's message names the temporary file; what went wrong is the part after it.
  std::string message = toString(std::move(error));
  return createStringError("cannot write '" + path + "': " + StringRef(message).rsplit(": ").second.str());
}

Expected<std::vector<NamedTensor>> readTensors(StringRef path) {
  Expected<std::string> bytes = readFileBytes(path);
  if (!bytes)
    return bytes.takeError();
  if (StringRef(*bytes).starts_with("PK")) {
    Expected<std::vector<NamedTensor>> tensors = parseNpz(*bytes);
    if (!tensors)
      return createStringError(path + ": " + toString(tensors.takeError()));
    return tensors;
  }
  if (path.ends_with(".safetensors")) {
    Expected<std::vector<NamedTensor>> tensors = parseSafetensors(*bytes);
    if (!tensors)
      return createStringError(path + ": " + toString(tensors.takeError()));
    return tensors;
  }
  Expected<HostTensor> tensor = parseNpy(*bytes);
  if (!tensor)
    return createStringError(path + ": " + toString(tensor.takeError()));
  std::vector<NamedTensor> tensors;
  tensors.push_back({"", std::move(*tensor)});
  return tensors;
}

Error writeTensors(StringRef path, ArrayRef<NamedTensor> tensors) {
  bool archive = path.ends_with(".npz"), safe = path.ends_with(".safetensors");
  if (!archive && !safe && tensors.size() != 1)
    return createStringError("cannot write '" + path + "': an .npy file holds one tensor, got " +
                             Twine(tensors.size()) + "; name an .npz file");
  Expected<std::string> bytes = safe      ? formatSafetensors(tensors)
                                : archive ? formatNpz(tensors)
                                          : formatNpy(tensors.front().tensor);
  if (!bytes)
    return createStringError("cannot write '" + path + "': " + toString(bytes.takeError()));
  return writeFileAtomically(path, *bytes);
}

} // namespace tiny
