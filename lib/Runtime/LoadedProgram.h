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
  /// A binary that is run, with its code.
  struct Part {
    const tiny_format_binary *binary = nullptr;
    std::unique_ptr<Code> code;
  };
  /// One, or of several devices that are opened as one those of each; none where no binary has code.
  std::vector<Part> parts;
  /// Of each kernel: the first part that has it.
  std::vector<uint32_t> partOf;

  const tiny_format_kernel &getKernel(const Part &part, uint32_t kernel) const {
    return container.kernels[part.binary->first_kernel + kernel];
  }
  const Part &getPart(uint32_t kernel) const { return parts[partOf[kernel]]; }
  /// What the code calls a kernel.
  const char *getSymbol(uint32_t kernel) const {
    return container.getString(getKernel(getPart(kernel), kernel).symbol);
  }
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_LOADEDPROGRAM_H
