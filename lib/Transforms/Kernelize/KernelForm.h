// Kernels from the decision what is stored, and where they are too large.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_KERNELFORM_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_KERNELFORM_H

#include "KernelCone.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Support/Remarks.h"

namespace tiny::lazy {

/// One kernel for each stored node, in block order.
std::vector<PlannedKernel> formSingles(const LazyGraph &graph, llvm::function_ref<bool(unsigned)> isBase,
                                       const std::vector<bool> &stored);

/// For `policy=all`: one kernel for all stored nodes of a level, that is with equally many buffers on the way to them.
/// Each assignment is a kernel of its own. If a kernel would have more results, or read more buffers for them, than the
/// limit, several kernels share them, and later ones read what earlier ones store.
std::vector<PlannedKernel> formLevels(const LazyGraph &graph, llvm::function_ref<bool(unsigned)> isBase,
                                      const std::vector<bool> &stored, const KernelizeOptions &options);

/// An operation to store so that a kernel keeps a limit, and the limit.
struct SizeCut {
  mlir::Operation *op;
  Reason reason;
};

/// Cuts for kernels with more buffers than the limit or, unless the policy is `all`, with longer code.
llvm::SmallVector<SizeCut> findSizeCuts(llvm::ArrayRef<PlannedKernel> kernels, const KernelizeOptions &options,
                                        const cost::CostModel &costs);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_KERNELFORM_H
