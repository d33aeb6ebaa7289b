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

  /// Drops the pages of a constant that was copied out of a mapped file.
  void dropPages(const void *data, uint64_t size) const {
    for (const MappedFile &mapped : constantFiles)
      // What lies in front of a file is far behind its end.
      if (uint64_t begin = reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(mapped.data());
          begin < mapped.size())
        mapped.dropPages(begin, begin + size);
  }

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
