// Writes containers: the one place that lays out what Format.h describes.
#ifndef TINY_RUNTIME_CONTAINERWRITER_H
#define TINY_RUNTIME_CONTAINERWRITER_H

#include "Tiny/Runtime/Format.h"
#include "Tiny/Runtime/Runtime.h"

#include <map>
#include <string>
#include <vector>

namespace tiny {
namespace runtime {

/// A device that there is code for; see tiny_format_record.
struct ContainerRecord {
  std::string device, name, text;
  uint32_t machine = TINY_MACHINE_ANY;
  uint64_t features = 0, hash = 0;
};

/// See tiny_format_kernel.
struct ContainerKernel {
  std::string name, symbol;
  int64_t grid[3] = {1, 1, 1};
  uint32_t nBuffers = 0, flags = 0;
  uint64_t scratchBytes = 0, operations = 0, bytes = 0;
  std::vector<tiny_tensor_map> maps = {};
};

/// Code for one record, with its kernels in the order in which the program numbers them.
struct ContainerBinary {
  uint32_t record = 0, format = TINY_CODE_ELF;
  std::string code;
  std::vector<ContainerKernel> kernels;
};

/// An input or a result; see tiny_format_parameter.
struct ContainerParameter {
  std::string name;
  tiny_dtype dtype = TINY_DTYPE_F32;
  std::vector<int64_t> shape;
  bool donated = false;
  uint32_t alias = TINY_FORMAT_NONE;
  /// By dimension, what gives its live extent; nothing for one that is static. Empty where all are.
  std::vector<std::vector<tiny_format_term>> live = {};
  /// By dimension, the whole extent and the axes of the grid that cut it; empty where it is whole on every rank.
  std::vector<std::pair<int64_t, std::vector<uint32_t>>> cuts = {};
  /// The stage that has it, or -1.
  int64_t stage = -1;
};

/// Bytes of a constant that stay in a file beside the container.
struct ExternalConstant {
  std::string file;
  uint64_t offset = 0;
  /// tiny_format_checksum of the bytes; 0 where it is not known.
  uint64_t identity = 0;
};

/// A file that constants lie in; see tiny_format_file.
struct ContainerFile {
  std::string name;
  uint64_t size = 0;
  int64_t modified = 0;
  uint64_t sample = 0;
};

/// All of a container.
struct Container {
  std::vector<ContainerRecord> records;
  std::vector<ContainerBinary> binaries;
  std::vector<ContainerParameter> inputs, results;
  /// Name, slots, items, results and sizes. Its kernels are not read: binaries have them. Devices of slots are numbers
  /// of binaries.
  tiny_program_desc program = {};
  /// By the item's number, for constants whose bytes are not to be copied into the container.
  std::map<uint32_t, ExternalConstant> external;
  /// What is known of their files. A file without an entry is not checked.
  std::vector<ContainerFile> files;
};

/// The container's bytes. What is wrong with the program is found when it is loaded.
TINY_EXPORT std::string writeContainer(const Container &container);

} // namespace runtime
} // namespace tiny

#endif // TINY_RUNTIME_CONTAINERWRITER_H
