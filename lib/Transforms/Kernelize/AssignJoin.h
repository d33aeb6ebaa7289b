// Assignments to one state that become one kernel.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_ASSIGNJOIN_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_ASSIGNJOIN_H

#include "KernelMerge.h"

namespace tiny::lazy {

/// Joins kernels of which each assigns to what the one before has assigned, that state being for nothing else, where no
/// hazard stands between their stores: they write places that are disjoint, and read of the state at most what they
/// write. Kernels with reductions stay apart, since their loops would run one after the other, unless they assign
/// values of one shape, read the same buffer and reduce over one space: then there is one loop. `candidates` tell what
/// each kernel reduces. Tells of each in `merges`.
void joinAssignments(std::vector<PlannedKernel> &kernels, const LazyGraph &graph,
                     llvm::ArrayRef<MergeCandidate> candidates, const KernelizeOptions &options, const CostModel &costs,
                     std::vector<Decision> &merges);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_ASSIGNJOIN_H
