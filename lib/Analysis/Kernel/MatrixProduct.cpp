// Finds products of matrices: sums over products of factors in a narrow type.
#include "Tiny/Analysis/Kernel/MatrixProduct.h"

using namespace mlir;

namespace tiny::kernel {

/// The value before it was widened to the type of the sum.
static Value findNarrow(Value factor) {
  Operation *op = factor.getDefiningOp();
  return isa_and_present<arith::ExtFOp, arith::ExtSIOp>(op) ? op->getOperand(0) : factor;
}

std::optional<MatrixProduct> matchMatrixProduct(ReduceOp reduce, std::string &reason) {
  auto refuse = [&](const char *why) {
    reason = why;
    return std::nullopt;
  };
  std::optional<arith::AtomicRMWKind> kind = reduce.getKind();
  if (kind != arith::AtomicRMWKind::addf && kind != arith::AtomicRMWKind::addi)
    return refuse("the reduction is no sum");
  if (!reduce.mayReorder())
    return refuse("the sum keeps its order");
  Operation *product = reduce.getInputs().size() == 1 ? reduce.getInputs().front().getDefiningOp() : nullptr;
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(product))
    return refuse("the sum is not over a product");
  MatrixProduct found;
  found.left = findNarrow(product->getOperand(0));
  found.right = findNarrow(product->getOperand(1));
  // Factors of two types are multiplied as they are widened.
  bool isNarrow = found.left.getType() == found.right.getType();
  if (!isNarrow)
    std::tie(found.left, found.right) = std::pair(product->getOperand(0), product->getOperand(1));
  found.inside.push_back(product);
  for (Value factor : llvm::SmallSetVector<Value, 2>(product->operand_begin(), product->operand_end()))
    if (isNarrow && findNarrow(factor) != factor)
      found.inside.push_back(factor.getDefiningOp());
  if (!llvm::all_of(found.inside, [](Operation *op) {
        return llvm::all_of(op->getUsers(), [&](Operation *user) { return user == *op->user_begin(); });
      }))
    return refuse("the product is used besides");
  return found;
}

} // namespace tiny::kernel
