// kernel-truncate-factors: products of f32 multiply the upper bits of their factors, where the device has an
// instruction for that.
#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/Kernel/Passes.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELTRUNCATEFACTORS
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

/// Whether some free range varies the first value and not the second one: each of its points multiplies the second one
/// again.
bool repeats(FuncOp kernel, Value first, Value second) {
  return llvm::any_of(kernel.getBody().getOps<RangeOp>(), [&](RangeOp range) {
    if (range.getKind() == AxisKind::Reduce)
      return false;
    llvm::DenseSet<Value> varying = findVarying(range);
    return varying.contains(first) && !varying.contains(second);
  });
}

/// Whether the reduction sums up products of f32 of a matrix by a matrix.
bool isProductOfMatrices(FuncOp kernel, ReduceOp reduce) {
  std::string reason;
  std::optional<MatrixProduct> product = matchMatrixProduct(reduce, reason);
  return product && product->factorType.isF32() && repeats(kernel, product->left, product->right) &&
         repeats(kernel, product->right, product->left);
}

struct TruncateFactors : impl::KernelTruncateFactorsBase<TruncateFactors> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp kernel = getOperation();
    const cost::Machine &machine = target::findMachine(kernel);
    if (llvm::none_of(machine.matrices, [](const cost::MatrixShape &shape) {
          return shape.m != 0 && shape.input == cost::ElementType::F32;
        }))
      return markAllAnalysesPreserved();
    OpBuilder builder(kernel.getContext());
    for (auto reduce : llvm::to_vector(kernel.getBody().getOps<ReduceOp>())) {
      if (!isProductOfMatrices(kernel, reduce))
        continue;
      Operation *product = reduce.getInputs().front().getDefiningOp();
      builder.setInsertionPoint(product);
      for (OpOperand &factor : product->getOpOperands())
        factor.set(truncateToTf32(builder, product->getLoc(), factor.get()));
      ++numTruncated;
      Remarks("kernel-truncate-factors", reduce).passed(reduce.getLoc(), "truncated", "factors are truncated to tf32");
    }
  }
};

} // namespace
} // namespace tiny::kernel
