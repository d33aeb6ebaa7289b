// Where kernels read what others store.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_STOREDUSES_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_STOREDUSES_H

#include "Concatenations.h"
#include "Domains.h"
#include "KernelAudit.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "SideBySide.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Support/Remarks.h"

namespace tiny::lazy {

/// What is decided of each node, as far as kernels that read each other's results need it to become one. A kernel has
/// the number of the node that it stores.
struct StoredUses {
  const LazyGraph &graph;
  const cost::CostModel &costs;
  const KernelAudit &audit;
  const Domains &domains;
  llvm::ArrayRef<Wanted> wanted;
  llvm::ArrayRef<Domains::Id> storeDomain;
  const StoredSlices &concatenated;
  llvm::ArrayRef<llvm::SmallVector<FusedReduction, 1>> fused;
  /// By node: the kernels that have it as an input.
  llvm::DenseMap<unsigned, llvm::SmallVector<unsigned, 2>> readers{};

  /// Notes what a kernel reads.
  void addReader(unsigned kernel, llvm::ArrayRef<mlir::Value> inputs);

  /// Whether kernel `to` reads what node `from` stores only at the place of the element that it is about to store, or
  /// in outer loops of its own that run once for each element: there it can store it too.
  bool isInPlace(unsigned from, unsigned to) const;
  /// Whether kernel `to` reads what node `from` stores in passes over a row, of which one can store it. Each computes
  /// it again where no schedule keeps it: at most so often that the kernel keeps the bound, whatever joins it.
  bool isInRows(unsigned from, unsigned to) const;
  /// Whether kernel `to` reads what node `from` stores in passes over its rows, with a reduction among them. Products
  /// compute such rows in blocks, which stay in fast memory: see `whyNotInBlocks`.
  bool isPassedOver(unsigned from, unsigned to) const;
  /// Why the rows of products in these loops (see `getProductLoops`), which `from` stores, are not kept in blocks for
  /// the passes over them, or an empty string; none where they are no rows. The products combine `combined` elements.
  std::optional<Reason> whyNotInBlocks(unsigned from, mlir::Attribute loops, double combined) const;
  /// Whether one of the inputs is computed by a kernel.
  bool readsStored(llvm::ArrayRef<mlir::Value> inputs) const;
  /// Whether nobody but these kernels reads what the node `k` stores.
  bool isReadBy(unsigned k, llvm::ArrayRef<unsigned> kernels) const;
  /// The axes of a row of what the node `from` stores, one of these kernels, which become one, where all that reads it
  /// elsewhere than in place does so in passes over such rows; none else.
  llvm::SmallVector<int64_t, 2> findRowAxes(unsigned from, llvm::ArrayRef<unsigned> kernels) const;
  /// How often kernels that become one evaluate what the node `from`, one of theirs, stores.
  size_t countPasses(unsigned from, llvm::ArrayRef<unsigned> kernels) const;

private:
  bool isPlaceOf(unsigned from, Domains::Id use) const;
  /// Whether the reductions of the kernel that stores `k` may run where the rows of another one are.
  bool mayRunInRows(unsigned k) const;
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_STOREDUSES_H
