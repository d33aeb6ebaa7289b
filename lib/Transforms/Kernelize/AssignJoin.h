// Assignments to one state that become one kernel.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_ASSIGNJOIN_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_ASSIGNJOIN_H

#include "KernelMerge.h"

namespace tiny::lazy {

/// Joins kernels that assign to one state, one after the other, if nothing else reads the states between. Their stores
/// must write disjoint places, and each kernel may read only those elements of the state that it writes. Kernels with
/// reductions stay apart, since their loops would run one after the other, unless they assign values of one shape, read
/// the same buffer and reduce over one space: then they share a loop. `candidates` says what each kernel reduces. Adds
/// each join to `merges`.
void joinAssignments(std::vector<PlannedKernel> &kernels, const LazyGraph &graph,
                     llvm::ArrayRef<MergeCandidate> candidates, const KernelizeOptions &options,
                     const cost::CostModel &costs, std::vector<Decision> &merges);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_ASSIGNJOIN_H
