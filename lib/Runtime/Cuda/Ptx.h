// What the text of a PTX module says of itself, as far as the runtime has to know before it hands it to a driver.
#ifndef TINY_LIB_RUNTIME_CUDA_PTX_H
#define TINY_LIB_RUNTIME_CUDA_PTX_H

#include "Tiny/Runtime/Runtime.h"

#include <map>
#include <string>

namespace tiny {
namespace runtime {
namespace cuda {

/// A function that can be launched.
struct PtxEntry {
  uint32_t lanes[3] = {1, 1, 1};
  uint32_t nParameters = 0;
  /// It uses an array of workgroup memory whose size a launch says.
  bool usesLaunchMemory = false;
};

struct PtxModule {
  /// "sm_80".
  std::string target;
  std::map<std::string, PtxEntry> entries;
};

/// Reads the text. TINY_INVALID_ARGUMENT says what is wrong with it; what a driver checks is not checked.
tiny_status readPtx(const std::string &text, PtxModule &module);

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_PTX_H
