// A .safetensors file that several processes write together, each its parts of the tensors.
//
// One of them starts it, all write, and the first one ends it: until then the elements stand in a temporary file beside
// it, so that the file is complete, or what it was before.
#ifndef TINY_FILES_SHAREDFILE_H
#define TINY_FILES_SHAREDFILE_H

#include "Tiny/Files/Parts.h"
#include "Tiny/Files/Tensors.h"

namespace tiny::files {

/// What the ranks have of a tensor.
struct SharedTensor {
  std::string name;
  tiny_dtype dtype;
  Parts parts;
  /// Of the rank's own part.
  std::vector<int64_t> local;
};

/// Where each of the tensors lies in the file.
Result<SafetensorsLayout> layOutShared(const std::vector<SharedTensor> &tensors);
/// Makes the temporary file, as long as the whole one, and gives its name.
Result<std::string> startShared(const std::string &path, const SafetensorsLayout &layout);
/// Writes what the rank at this place has. Of ranks that have the same the first one writes.
Failure writeShared(const std::string &temporary, const SafetensorsLayout &layout,
                    const std::vector<SharedTensor> &tensors, const std::vector<int64_t> &place,
                    const std::vector<const char *> &elements);
/// Gives the file its name.
Failure finishShared(const std::string &temporary, const std::string &path);

} // namespace tiny::files

#endif // TINY_FILES_SHAREDFILE_H
