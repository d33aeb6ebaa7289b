// The groups of a function as a graph that may be rewritten against the order in which they stand.
#ifndef TINY_LIB_TRANSFORMS_LAZY_STATEGRAPH_H
#define TINY_LIB_TRANSFORMS_LAZY_STATEGRAPH_H

#include "Tiny/Analysis/Lazy/StateUses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tiny {

/// Whether the function is one that can be planned: one block, and values with buffers. What is not is left to
/// convert-lazy-to-kernel to refuse.
bool isPlannable(mlir::func::FuncOp func);

/// Changes what groups read, and keeps account of what must run before what. Until `sort`, what stands behind its user
/// may be read.
class StateGraph {
public:
  explicit StateGraph(mlir::func::FuncOp func) : block(func.getBody().front()) {}

  mlir::Block &getBlock() { return block; }

  //===--- Rewrites -----------------------------------------------------------------------------------------------===//

  /// A group that copies a value to a buffer of its own, before `user` where it can be; of a splat it fills one.
  mlir::Value copy(mlir::Value value, mlir::Operation *user);

  void setOperand(StateUse use, mlir::Value value);

  /// Lets uses read, instead of the keys of `moved` and views of these, the values and the same views of them. The base
  /// of an update stays.
  void moveReads(mlir::ArrayRef<StateUse> uses, llvm::SmallDenseMap<mlir::Value, mlir::Value> &moved);
  /// The same for bases.
  void moveBases(mlir::ArrayRef<Update> updates, llvm::SmallDenseMap<mlir::Value, mlir::Value> &moved);

  /// Gives an update another base. What its group reads stays.
  void setBase(const Update &update, mlir::Value base);
  void setBase(const Update &update, mlir::DenseElementsAttr splat);

  /// Makes the group of an update compute the value only, and a second one assign it; returns the result of that.
  mlir::OpResult split(const Update &update);

  /// Another input of a group.
  mlir::BlockArgument addInput(lazy::GroupOp group, mlir::Value value);

  /// Erases inputs of groups that updates were the last to have a use for. Numbers of operands change.
  void dropUnusedInputs();

  //===--- Order --------------------------------------------------------------------------------------------------===//

  /// Lets `later` wait for `earlier`.
  void addEdge(mlir::Operation *earlier, mlir::Operation *later);

  /// Those of `ops` that wait for `op`; not itself.
  llvm::SmallDenseSet<mlir::Operation *> findAfter(mlir::Operation *op,
                                                   const llvm::SmallDenseSet<mlir::Operation *> &ops);

  /// Puts everything behind what it waits for, as near to the old order as can be.
  void sort();

private:
  mlir::Value moveOver(mlir::Value value, llvm::SmallDenseMap<mlir::Value, mlir::Value> &moved);
  mlir::Block &block;
  llvm::SetVector<mlir::Operation *> slimmed; // groups that may have inputs without use
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 1>> edges; // what waits for an operation
  bool goesBack = false; // something stands before what it waits for
};

} // namespace tiny

#endif // TINY_LIB_TRANSFORMS_LAZY_STATEGRAPH_H
