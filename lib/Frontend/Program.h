// What some nodes are computed from, as a function of the values that are known.
#ifndef TINY_LIB_FRONTEND_PROGRAM_H
#define TINY_LIB_FRONTEND_PROGRAM_H

#include "GraphState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tiny::frontend {

/// Refers to what it was made of: for as long as that lives and the graph, which is locked, does not change.
struct Program {
  explicit Program(llvm::ArrayRef<NodePtr> wanted);

  llvm::ArrayRef<NodePtr> wanted;
  /// All that is reached, in the order in which it was made: what is read comes before who reads it, and the results of
  /// an operation follow each other. No reference is added to those of who reads them.
  std::vector<const NodePtr *> nodes;
  /// Arguments of the block that are read, and their nodes.
  llvm::SetVector<mlir::Value> inputs;
  std::vector<const NodePtr *> leaves;
  /// In an order in which they can be computed.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> outputs;
  /// How many values there are, with results that nothing reads: nodes have their numbers, inputs the first ones.
  size_t places = 0;

  /// Calls `visit` with each operation that has nodes, in order, and with those of its results that are reached.
  void forEachHolder(llvm::function_ref<void(const Holder &, llvm::ArrayRef<const NodePtr *>)> visit) const;
  /// What tells the program from others: equal ones compute the same from their inputs.
  Structure getStructure() const;
  /// The function `main` of the inputs. An output that aliases an input (-1 for none) is written in its memory.
  mlir::OwningOpRef<mlir::ModuleOp> makeModule(llvm::ArrayRef<int> aliases = {}) const;
  /// An empty function of the inputs, which are mapped to its arguments.
  mlir::func::FuncOp startFunction(mlir::ModuleOp module, mlir::TypeRange results, mlir::IRMapping &mapping) const;

private:
  /// Finds the operations and the inputs.
  void collect();
};

/// What each output is computed from, as far as anyone has a handle on it and a gradient goes there.
std::vector<std::vector<std::weak_ptr<Node>>> findSources(const Program &program);

/// Says which argument each result updates, or -1: these are donated.
void setAliases(mlir::func::FuncOp function, llvm::ArrayRef<int> aliases);

/// For each output of the program the number of the input that it updates, or -1: the nearest one of its type that
/// `mayTake` allows.
std::vector<int> findUpdates(const Program &program, llvm::function_ref<bool(const NodePtr &)> mayTake);

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_PROGRAM_H
