// Which kernels become one with several results.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_KERNELMERGE_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_KERNELMERGE_H

#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"

namespace tiny::lazy {

/// A kernel with one result, and the facts that decide whether it merges with others.
struct MergeCandidate {
  unsigned root;                                 ///< the node that it stores
  PlannedKernel kernel;                          ///< what it computes
  llvm::SmallVector<mlir::Attribute, 1> reduces; ///< the spaces that it reduces over
  double product = 0;                            ///< elements that the largest of its products of two values combines
  mlir::Attribute productLoops = {};             ///< those of all its reductions, where these are products
};

using BlocksFunction = llvm::function_ref<std::optional<Reason>(unsigned, unsigned)>;

/// Sets of roots that one kernel stores, in the order of their first roots. Two kernels become one
/// - if the second reads what the first stores, element by element or once in each round of outer loops
///   (`readsInPlace(first, second)`), and reads nothing else that is stored later than the first kernel's inputs. That
///   saves a load and a launch;
/// - if the second passes over rows that the first computes as products (`whyNotInBlocks(first, second)` is empty; it
///   is none for other kernels). Blocks of rows then stay in fast memory;
/// - if their results have one shape, neither needs the other, they read the same buffer and, if they reduce, reduce
///   over the same space.
/// Each kernel has a level, one above the highest that it reads from. A set stays on one level, so no two sets wait for
/// each other. `merges` gets each kernel that joined another, and each that could not because of a cap.
std::vector<llvm::SmallVector<unsigned, 1>> mergeKernels(const LazyGraph &graph,
                                                         llvm::ArrayRef<MergeCandidate> candidates,
                                                         llvm::function_ref<bool(unsigned, unsigned)> readsInPlace,
                                                         BlocksFunction whyNotInBlocks, const KernelizeOptions &options,
                                                         const cost::CostModel &costs, std::vector<Decision> &merges);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_KERNELMERGE_H
