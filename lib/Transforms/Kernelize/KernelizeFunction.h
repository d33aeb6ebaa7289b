// What lazy-kernelize does with a function, step by step.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_KERNELIZEFUNCTION_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_KERNELIZEFUNCTION_H

#include "Tiny/Transforms/Kernelize/KernelizePlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tiny::lazy {

/// Rewrites a block: what stays, and the groups of the plan, are put in an order in which each stands behind what it
/// reads; of the possible ones, the one nearest to the old order.
void makeGroups(mlir::Block &block, const KernelizePlan &plan);

/// A function under lazy-kernelize.
class FunctionKernelizer {
public:
  FunctionKernelizer(mlir::func::FuncOp function, const KernelizeOptions &options)
      : function(function), options(options) {}

  /// Fails with an error where the function has control flow.
  llvm::LogicalResult prepare();
  mlir::Block &getBlock() { return function.getBody().front(); }
  KernelizePlan plan() { return KernelizePlan::compute(getBlock(), options); }
  /// Places all concatenations of the plan that do not read another one. Everything is decided anew after that, up to
  /// kMostRounds times: a part of a concatenation may be one itself.
  void place(const KernelizePlan &plan);
  static constexpr unsigned kMostRounds = 8;
  /// Remarks for each decision.
  void remark(const KernelizePlan &plan);

private:
  void tell(const Decision &decision, llvm::StringRef made, llvm::StringRef refused);

  mlir::func::FuncOp function;
  KernelizeOptions options;
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_KERNELIZEFUNCTION_H
