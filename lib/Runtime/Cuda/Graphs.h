// Steps that follow each other as one graph of the driver's, which is kept for the next run. A loop among them is a
// conditional node: the device decides how often its body, a graph of its own, is done.
#ifndef TINY_LIB_RUNTIME_CUDA_GRAPHS_H
#define TINY_LIB_RUNTIME_CUDA_GRAPHS_H

#include "Loops.h"
#include "Streams.h"

#include <vector>

namespace tiny {
namespace runtime {
namespace cuda {

/// A command as a node has it. Addresses may differ from run to run, all else is the same.
struct GraphStep {
  enum class Kind { Launch, Copy, Fill, Loop } kind;
  CudaKernel *kernel = nullptr;
  /// Launch: those of the buffers; the first `nInputs` are read only. Copy: source, target. Fill: target. Loop: limit,
  /// counter, condition; 0 for what it does not have.
  std::vector<CUdeviceptr> pointers;
  std::vector<uint64_t> sizes;
  uint32_t nInputs = 0;
  uint32_t value = 0, valueBytes = 1;
  /// Loop: the most iterations, and what one does.
  int64_t count = 0;
  std::vector<GraphStep> body;
  bool operator==(const GraphStep &other) const {
    return fits(other) && pointers == other.pointers && value == other.value && valueBytes == other.valueBytes &&
           body == other.body;
  }
  /// Whether a node of this can become one of the other.
  bool fits(const GraphStep &other) const {
    return kind == other.kind && kernel == other.kernel && sizes == other.sizes && count == other.count &&
           fit(body, other.body);
  }
  static bool fit(const std::vector<GraphStep> &a, const std::vector<GraphStep> &b);
};

/// The graph of one list of steps of a program. Used by one run at a time.
class CudaReplay final : public Replay {
public:
  CudaReplay(Context &context, Streams &streams) : context(context), streams(streams) {}
  ~CudaReplay() override;

  /// Makes the graph do these steps, in an order that keeps what one does for another. TINY_UNSUPPORTED where the
  /// driver refuses: then they are called one by one, from now on. `loopKernel` is there where they have loops.
  tiny_status prepare(std::vector<GraphStep> steps, const CudaKernel *loopKernel);
  CUgraphExec getExecutable() const { return exec; }
  /// What its loops keep of themselves, which each launch writes; null without loops.
  Storage *getState() const { return state.get(); }
  /// How often it was asked for.
  uint64_t runs = 0;

private:
  /// Of a step. A loop has a kernel in front of its node and one at the end of its body, too, and a part of the state.
  struct Node {
    CUgraphNode node = nullptr;
    CUgraphNode first = nullptr, next = nullptr;
    LoopParameters loop;
    std::vector<Node> body;
  };
  tiny_status build(const CudaKernel *loopKernel);
  CUresult addNodes(CUgraph to, const std::vector<GraphStep> &steps, std::vector<Node> &made);
  CUresult addLoop(CUgraph to, const GraphStep &step, const std::vector<CUgraphNode> &before, Node &made);
  CUresult addLoopKernel(CUgraph to, const std::vector<CUgraphNode> &before, LoopParameters parameters, bool isFirst,
                         CUgraphNode &node);
  CUresult update(const std::vector<GraphStep> &to, const std::vector<GraphStep> &from, std::vector<Node> &made);
  CUresult updateLoop(const GraphStep &to, const GraphStep &from, Node &made);
  void clear();

  Context &context;
  Streams &streams;
  std::vector<GraphStep> steps;
  std::vector<Node> nodes;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  const CudaKernel *loopKernel = nullptr;
  std::unique_ptr<Storage> state;
  /// Of the state.
  uint64_t usedBytes = 0;
  bool isRefused = false;
};

/// "0": no graphs.
constexpr const char *kGraphsVariable = "TINY_CUDA_GRAPHS";

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_GRAPHS_H
