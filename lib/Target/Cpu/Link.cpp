// Objects become one ELF file, by lld in this process.
#include "Tiny/Target/Cpu/Compile.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

/// What lld calls in the place of llvm::cl::ResetAllOptionOccurrences (see CMakeLists.txt): the options of the process
/// are not its own.
extern "C" void tiny_lld_reset_options() {}

using namespace llvm;

namespace tiny::cpu {
namespace {

/// A folder that goes with all that is in it: lld reads and writes files.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    // What cannot be removed stays: it is in the folder for temporary files.
    if (!path.empty())
      (void)sys::fs::remove_directories(path);
  }

  Error create() {
    if (std::error_code code = sys::fs::createUniqueDirectory("tiny-link", path))
      return createStringError(code, "no temporary folder: " + code.message());
    return Error::success();
  }
  std::string getPath(const Twine &name) const { return (path + "/" + name).str(); }

private:
  SmallString<128> path;
};

Error writeFile(StringRef path, StringRef content) {
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::CD_CreateAlways);
  if (!code) {
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  return code ? createStringError(code, path + ": " + code.message()) : Error::success();
}

} // namespace

Expected<std::string> linkKernels(ArrayRef<std::string> objects) {
  TemporaryFolder folder;
  if (Error error = folder.create())
    return error;
  std::string output = folder.getPath("kernels.so");
  // Nothing may be left to look up, no page is writable and executable, and the bytes depend on the objects alone.
  std::vector<std::string> words = {
      "ld.lld",      "-shared", "-o", output, "--no-undefined", "-Bsymbolic", "--build-id=none", "--hash-style=sysv",
      "--threads=1", "-O1",     "-s", "-z",   "norelro"};
  for (auto [index, object] : enumerate(objects)) {
    words.push_back(folder.getPath(Twine(index) + ".o"));
    if (Error error = writeFile(words.back(), object))
      return error;
  }
  std::vector<const char *> arguments(words.size());
  transform(words, arguments.begin(), [](const std::string &word) { return word.c_str(); });

  std::string messages;
  raw_string_ostream stream(messages);
  {
    // lld has one state for the process.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    bool linked = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
    lld::CommonLinkerContext::destroy();
    if (!linked)
      return createStringError("the kernels cannot be linked: " + StringRef(messages).split('\n').first);
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> bytes = MemoryBuffer::getFile(output, /*IsText=*/false,
                                                                       /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError(bytes.getError(), "the linked kernels cannot be read: " + bytes.getError().message());
  return (*bytes)->getBuffer().str();
}

} // namespace tiny::cpu
