// The bound on recomputation: how many operations the planned kernels evaluate, and where to cut if they are too many.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_KERNELAUDIT_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_KERNELAUDIT_H

#include "FusionHints.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Algebra/Cost/CostModel.h"

namespace tiny::lazy {

/// Counts operations. An elementwise operation counts once for each element that it is evaluated at. A reduction counts
/// once for each element that each of its accumulators combines, whatever they compute. Movement and index sources
/// count nothing. The *unfused* count evaluates each value once. Kernels that merge later share what they have in
/// common, so the counts are upper bounds. Arithmetic on indices is counted, but neither bounded nor cut: loading a
/// mask costs as much.
class KernelAudit {
public:
  KernelAudit(const LazyGraph &graph, const FusionHints &hints);

  void clear() {
    entries.clear();
    onIndices = 0;
  }
  /// Adds: the kernel that stores the node `kernel` evaluates `node` at `points` places; for a reduction, places of its
  /// input.
  void add(unsigned node, unsigned kernel, double points);

  /// Notes that the kernel that stores `kernel` became part of one that computes all of it `times` times.
  void repeat(unsigned kernel, double times);

  /// Operations of one evaluation of a node's whole result.
  double countOnce(unsigned node) const { return once[node]; }
  /// Operations of all kernels, and of the same graph if nothing is evaluated twice.
  double countEvaluated() const;
  double countUnfused() const;

  /// A node to store, and what those that evaluate it count and may count.
  struct Cut {
    unsigned node;
    double operations, limit;
  };
  /// Nodes to store so that neither a kernel nor all together evaluate more than `costs.maxEvaluations` times the
  /// unfused count. Empty if they do not. With `thorough`, everything that an offending kernel evaluates twice.
  llvm::SmallVector<Cut> findCuts(const cost::CostModel &costs, bool thorough);

private:
  struct Entry {
    unsigned kernel, node;
    double operations;
  };
  void findCuts(llvm::MutableArrayRef<Entry> part, double limit, bool thorough, llvm::SmallVector<Cut> &cuts);

  const LazyGraph &graph;
  const FusionHints &hints;
  std::vector<double> once;   ///< by node: operations of one evaluation of the whole result
  std::vector<Entry> entries; ///< but for arithmetic on indices
  double onIndices = 0;       ///< operations of that
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_KERNELAUDIT_H
