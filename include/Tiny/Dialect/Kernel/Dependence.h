// What depends on what in a kernel, where textual order means nothing.
#ifndef TINY_DIALECT_KERNEL_DEPENDENCE_H
#define TINY_DIALECT_KERNEL_DEPENDENCE_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Allocator.h"

namespace tiny::kernel {

/// The operations of a graph-region block with every operand's definition before its users; otherwise as written.
/// When a cycle makes that impossible the result is empty and `onCycle` (where given) is one operation of it. Linear,
/// and without recursion.
llvm::SmallVector<mlir::Operation *> sortByDependence(mlir::Block &block, mlir::Operation **onCycle = nullptr);

/// The values that have one element for each point of the range, itself among them: those that are open to it in
/// `RangeSets`. Linear in what depends on the range, however large the kernel is.
llvm::DenseSet<mlir::Value> findVarying(RangeOp range);

/// What some store depends on. Steps of a schedule leave behind what they replaced.
llvm::DenseSet<mlir::Operation *> findLive(mlir::Block &body);

/// For each value of a kernel, the ranges it varies over and the ranges that reductions and stages above it closed.
/// Equal sets are stored once, so the whole table is close to linear in the kernel's size.
class RangeSets {
public:
  /// `order` is the block's operations by dependence, without a cycle.
  explicit RangeSets(llvm::ArrayRef<mlir::Operation *> order);

  /// The kernel's ranges by their position in the order; sets hold these positions, ascending.
  llvm::ArrayRef<RangeOp> getRanges() const { return ranges; }
  /// The position of a range.
  unsigned getPosition(RangeOp range) const { return positions.lookup(range); }
  /// The ranges that a value has one element for each point of. A result of a reduce with a combiner region has those
  /// of the inputs that it is combined from, which can be fewer than another result has.
  llvm::ArrayRef<unsigned> getOpen(mlir::Value value) const { return sets[open.lookup(value)]; }
  /// The ranges that some reduce or stage, on the way to this value, was over.
  llvm::ArrayRef<unsigned> getClosed(mlir::Value value) const { return sets[closed.lookup(value)]; }
  /// The union of what an operation's operands are open to; for a reduce or a stage this includes what it
  /// closes.
  llvm::ArrayRef<unsigned> getOpenOfOperands(mlir::Operation *op);

private:
  using SetId = unsigned;
  SetId intern(llvm::ArrayRef<unsigned> set);
  SetId unite(SetId a, SetId b);
  SetId subtract(SetId a, SetId b);

  llvm::SmallVector<RangeOp> ranges;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Value, SetId> open, closed;
  llvm::SmallVector<llvm::ArrayRef<unsigned>> sets;
  llvm::DenseMap<llvm::ArrayRef<unsigned>, SetId> ids;
  llvm::DenseMap<std::pair<SetId, SetId>, SetId> unions;
  llvm::BumpPtrAllocator storage;
};

} // namespace tiny::kernel

#endif // TINY_DIALECT_KERNEL_DEPENDENCE_H
