// The kernel by which a loop in a graph decides whether it goes on.
#ifndef TINY_LIB_RUNTIME_CUDA_LOOPS_H
#define TINY_LIB_RUNTIME_CUDA_LOOPS_H

#include "Modules.h"

namespace tiny {
namespace runtime {
namespace cuda {

/// What the kernel is launched with. Addresses of what a loop does not have are 0.
struct LoopParameters {
  CUgraphConditionalHandle handle = 0;
  /// Of two i64: the iteration, and how many there are at most.
  CUdeviceptr state = 0;
  CUdeviceptr limit = 0, counter = 0, condition = 0;
  int64_t most = 0;
  /// In front of the first iteration, not behind one.
  int64_t isFirst = 0;
};

/// Bytes that a loop keeps of itself.
constexpr uint64_t kLoopBytes = 16;

/// The kernel, loaded when it is first asked for. The driver's compiler knows `cudaGraphSetConditional`, which the text
/// declares and calls; no library of the toolkit's is linked.
class LoopKernel {
public:
  explicit LoopKernel(Context &context) : context(context) {}
  /// Null where the driver does not take it: then the host decides. The context is current.
  const CudaKernel *get();

private:
  Context &context;
  std::once_flag isAsked;
  CudaKernel kernel;
};

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_LOOPS_H
