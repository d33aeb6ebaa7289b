// Computes the key of a compiled program: a hash of the source, the options, the device's record and this build.
#include "Tiny/Driver/CompileCache.h"

#include "Tiny/Driver/Devices.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/FileMapping.h"
#include "Tiny/Support/Npy.h"
#include "Descent.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <elf.h>
#include <link.h>

using namespace mlir;
using llvm::Expected;

namespace tiny {
namespace {

/// Texts of any content, one after the other, each with its size so that none runs into the next.
class Hasher {
public:
  void add(StringRef text) {
    uint64_t size = text.size();
    hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof(size)));
    hash.update(text);
  }
  void add(uint64_t number) { add(StringRef(reinterpret_cast<const char *>(&number), sizeof(number))); }
  std::string finish() { return llvm::toHex(hash.final(), /*LowerCase=*/true); }

private:
  llvm::BLAKE3 hash;
};

/// The build id that the linker wrote into a loaded file; empty where it wrote none.
StringRef findBuildId(const dl_phdr_info &object) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = object.dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    // The loader gives addresses as integers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    const char *begin = reinterpret_cast<const char *>(object.dlpi_addr + header.p_vaddr);
    StringRef notes(begin, header.p_memsz);
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
      auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes.data());
      StringRef rest = notes.drop_front(sizeof(ElfW(Nhdr)));
      StringRef name = rest.take_front(note->n_namesz);
      StringRef content = rest.drop_front(std::min<size_t>(rest.size(), llvm::alignTo(note->n_namesz, 4)));
      if (note->n_type == NT_GNU_BUILD_ID && name == StringRef("GNU\0", 4))
        return content.take_front(note->n_descsz);
      notes = content.drop_front(std::min<size_t>(content.size(), llvm::alignTo(note->n_descsz, 4)));
    }
  }
  return "";
}

/// The build of the program and its libraries. A file without a build id is known by its size and its age.
void addBuild(Hasher &hasher) {
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *context) {
        auto &hasher = *static_cast<Hasher *>(context);
        hasher.add(findBuildId(*object));
        if (!findBuildId(*object).empty())
          return 0;
        llvm::sys::fs::file_status status;
        StringRef path = object->dlpi_name;
        if (!llvm::sys::fs::status(path.empty() ? "/proc/self/exe" : path, status)) {
          hasher.add(status.getSize());
          hasher.add(uint64_t(status.getLastModificationTime().time_since_epoch().count()));
        }
        return 0;
      },
      &hasher);
}

/// The model, and where its weights are: they are not read.
void addOnnx(Hasher &hasher, StringRef path, StringRef source) {
  OnnxContent content = getOnnxContent(source);
  hasher.add(content.graph);
  if (content.hasOwnElements) {
    std::optional<FileRange> range = findFileRange(source);
    std::string identity = range ? range->file->getIdentity() : "";
    hasher.add(identity.empty() ? source : StringRef(identity));
  }
  for (const std::string &name : content.files) {
    hasher.add(name);
    // The importer will tell what is wrong with a file.
    Expected<std::string> found = resolveBelow(llvm::sys::path::parent_path(path), name);
    Expected<std::shared_ptr<const FileMapping>> file =
        found ? FileMapping::open(*found) : Expected<std::shared_ptr<const FileMapping>>(found.takeError());
    if (file)
      hasher.add((*file)->getIdentity());
    else
      llvm::consumeError(file.takeError());
  }
}

} // namespace

Expected<std::string> getCacheKey(StringRef path, StringRef source, ArrayRef<std::string> dims,
                                  const CompileOptions &options) {
  Expected<std::vector<const Target *>> targets = findTargets(options.target);
  if (!targets)
    return targets.takeError();
  // The key says nothing of the source but its bytes: a record in it is among them.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::vector<uint64_t> records;
  for (const Target *target : *targets) {
    Expected<target::RecordAttr> record =
        makeRecord(*target, chooseMachine(*target, options, target == targets->front(), &context), &context);
    if (!record)
      return record.takeError();
    records.push_back(record->getStableHash());
  }
  PipelineOptions pipeline;
  if (llvm::Error error = setPipelineOptions(pipeline, options.pipeline))
    return error;

  Hasher hasher;
  addBuild(hasher);
  for (StringRef text : {StringRef(options.target), StringRef(options.function), StringRef(options.pipeline)})
    hasher.add(text);
  for (uint64_t record : records)
    hasher.add(record);
  hasher.add(options.placement.size());
  for (const std::string &place : options.placement)
    hasher.add(place);
  // A given record replaces the source's own, also where both are equal to the host's.
  hasher.add(options.machine.isGiven());
  for (const std::string &file : {pipeline.groups.getValue(), pipeline.schedules.getValue()}) {
    if (file.empty())
      continue;
    Expected<std::string> bytes = readFileBytes(file);
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      return "";
    }
    hasher.add(*bytes);
  }
  hasher.add(dims.size());
  for (const std::string &dim : dims)
    hasher.add(dim);
  hasher.add(path.ends_with(".onnx"));
  if (path.ends_with(".onnx"))
    addOnnx(hasher, path, source);
  else
    hasher.add(source);
  return hasher.finish();
}

} // namespace tiny
