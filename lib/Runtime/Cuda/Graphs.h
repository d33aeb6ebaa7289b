// Steps that follow each other as one graph of the driver's, which is kept for the next run.
#ifndef TINY_LIB_RUNTIME_CUDA_GRAPHS_H
#define TINY_LIB_RUNTIME_CUDA_GRAPHS_H

#include "Modules.h"

#include <vector>

namespace tiny {
namespace runtime {
namespace cuda {

/// A command as a node has it. Addresses may differ from run to run, all else is the same.
struct GraphStep {
  enum class Kind { Launch, Copy, Fill } kind;
  CudaKernel *kernel = nullptr;
  /// Launch: those of the buffers; the first `nInputs` are read only. Copy: source, target. Fill: target.
  std::vector<CUdeviceptr> pointers;
  std::vector<uint64_t> sizes;
  uint32_t nInputs = 0;
  uint32_t value = 0, valueBytes = 1;
  bool operator==(const GraphStep &other) const {
    return kind == other.kind && kernel == other.kernel && pointers == other.pointers && sizes == other.sizes &&
           value == other.value && valueBytes == other.valueBytes;
  }
};

/// The graph of one list of steps of a program. Used by one run at a time.
class CudaReplay final : public Replay {
public:
  explicit CudaReplay(Context &context) : context(context) {}
  ~CudaReplay() override;

  /// Makes the graph do these steps, in an order that keeps what one does for another. TINY_UNSUPPORTED where the
  /// driver refuses: then they are called one by one, from now on.
  tiny_status prepare(std::vector<GraphStep> steps);
  CUgraphExec getExecutable() const { return exec; }
  /// How often it was asked for. A graph is made when a second run comes.
  uint64_t runs = 0;

private:
  tiny_status build();
  tiny_status update(const std::vector<GraphStep> &to);
  CUresult addNode(size_t index);
  std::vector<CUgraphNode> findDependencies(size_t index) const;
  void clear();

  Context &context;
  std::vector<GraphStep> steps;
  std::vector<CUgraphNode> nodes;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  bool isRefused = false;
};

/// "0": no graphs.
constexpr const char *kGraphsVariable = "TINY_CUDA_GRAPHS";

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_GRAPHS_H
