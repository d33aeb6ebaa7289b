// What a program keeps of the container that it was loaded from.
#ifndef TINY_LIB_RUNTIME_LOADEDPROGRAM_H
#define TINY_LIB_RUNTIME_LOADEDPROGRAM_H

#include "ContainerReader.h"
#include "Device.h"
#include "MappedFile.h"

#include <deque>
#include <vector>

namespace tiny {
namespace runtime {

/// Tables point into the container's bytes, constants into them or into files beside it.
struct LoadedProgram {
  /// The container, where the runtime mapped it.
  MappedFile file;
  std::deque<MappedFile> constantFiles;
  ContainerReader container;
  /// What is run; null where no binary has code.
  const tiny_format_binary *binary = nullptr;
  std::unique_ptr<Code> code;

  /// What the code calls a kernel of the binary.
  const char *getSymbol(uint32_t kernel) const {
    return container.getString(container.kernels[binary->first_kernel + kernel].symbol);
  }
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_LOADEDPROGRAM_H
