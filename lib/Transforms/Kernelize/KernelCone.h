// What one kernel computes to get from its bases to its results, and where it can be cut.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_KERNELCONE_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_KERNELCONE_H

#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tiny::lazy {

/// Collects the operations of a kernel, from its roots down to its inputs.
class ConeCollector {
public:
  /// `isBase` says of a node whether it is read from a buffer.
  ConeCollector(const LazyGraph &graph, llvm::function_ref<bool(unsigned)> isBase)
      : graph(graph), isBase(isBase), seen(graph.nodes.size(), 0) {}

  /// The kernel that computes the results of these nodes, which are in block order.
  PlannedKernel collect(llvm::ArrayRef<unsigned> roots);

private:
  const LazyGraph &graph;
  llvm::function_ref<bool(unsigned)> isBase;
  std::vector<unsigned> seen; ///< the last collection that visited a node
  unsigned round = 0;
};

/// Operations to store so that no part of the kernel reads more than `maxInputs` buffers.
llvm::SmallVector<mlir::Operation *> findBufferCuts(const PlannedKernel &kernel, size_t maxInputs);

/// Operations to store so that the kernel falls into parts of code of at most the length `maxOps`, as `countCode` has
/// it, cut where few values pass from part to part. A cut is a single operation if such a place exists.
llvm::SmallVector<mlir::Operation *> findOperationCuts(const PlannedKernel &kernel, size_t maxOps,
                                                       const cost::CostModel &costs);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_KERNELCONE_H
