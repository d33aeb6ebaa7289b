// The items of a list as a graph, and a new order of them.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_ITEMGRAPH_H
#define TINY_LIB_TRANSFORMS_KERNEL_ITEMGRAPH_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Transforms/Kernel/MemoryOrder.h"
#include "llvm/ADT/SetVector.h"

namespace tiny::kernel {

/// Of all elements of a buffer.
int64_t countBytes(mlir::Value buffer);

/// The items of a list that do work, and what they wait for.
class ItemGraph {
public:
  explicit ItemGraph(mlir::Block &block);

  llvm::SmallVector<mlir::Operation *> items;
  MemoryGraph graph;

private:
  struct Accesses {
    std::optional<unsigned> write;
    llvm::SmallVector<unsigned, 2> reads; // since then
  };
  using Steps = llvm::SmallSetVector<unsigned, 8>;
  void read(mlir::Value root, unsigned step, Steps &before);
  void write(mlir::Value root, unsigned step, Steps &before);

  llvm::DenseMap<mlir::Value, Accesses> accesses;
};

/// Puts the items of a list into this order, which their graph allows. Allocations, constants and aliases move to their
/// first use.
void reorderItems(const ItemGraph &items, llvm::ArrayRef<unsigned> order, mlir::Block &block);

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_ITEMGRAPH_H
