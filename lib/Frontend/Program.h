// What some nodes are computed from, as a function of the values that are known.
#ifndef TINY_LIB_FRONTEND_PROGRAM_H
#define TINY_LIB_FRONTEND_PROGRAM_H

#include "GraphState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tiny::frontend {

struct Program {
  explicit Program(const std::vector<NodePtr> &nodes);

  /// Arguments of the block that are read.
  llvm::SetVector<mlir::Value> inputs;
  /// In an order in which they can be computed.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> outputs;

  /// What tells the program from others: equal ones compute the same from their inputs.
  Structure getStructure() const;
  /// The function `main` of the inputs. An output that aliases an input (-1 for none) is written in its memory.
  mlir::OwningOpRef<mlir::ModuleOp> makeModule(llvm::ArrayRef<int> aliases = {}) const;
  /// An empty function of the inputs, which are mapped to its arguments.
  mlir::func::FuncOp startFunction(mlir::ModuleOp module, mlir::TypeRange results, mlir::IRMapping &mapping) const;

private:
  void collect();
};

/// Says which argument each result updates, or -1: these are donated.
void setAliases(mlir::func::FuncOp function, llvm::ArrayRef<int> aliases);

/// For each output of the program the number of the input that it updates, or -1: the nearest one of its type that
/// `mayTake` allows.
std::vector<int> findUpdates(const Program &program, llvm::function_ref<bool(mlir::Value)> mayTake);

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_PROGRAM_H
