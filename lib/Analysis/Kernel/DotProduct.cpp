// Finds sums of products of bytes.
#include "Tiny/Analysis/Kernel/DotProduct.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Support/UnsignedBound.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

std::optional<DotProduct> matchDotProduct(ReduceOp reduce, std::string &reason) {
  auto refuse = [&](const char *why) {
    reason = why;
    return std::nullopt;
  };
  if (reduce.getKind() != arith::AtomicRMWKind::addi || reduce.getInputs().size() != 1 ||
      !reduce.getResult(0).getType().isInteger(32))
    return refuse("the reduction is no sum of integers of 32 bits");
  auto product = reduce.getInputs().front().getDefiningOp<arith::MulIOp>();
  if (!product || !product->hasOneUse())
    return refuse("the sum is not over a product of its own");
  DotProduct found;
  found.reduce = reduce;
  found.inside.push_back(product);
  for (auto [factor, operand] : {std::pair(&found.left, product.getLhs()), std::pair(&found.right, product.getRhs())}) {
    Operation *cast = operand.getDefiningOp();
    if (!isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(cast) || !cast->getOperand(0).getType().isInteger(8))
      return refuse("a factor is no byte that is widened");
    *factor = {cast->getOperand(0), isa<arith::ExtUIOp>(cast)};
    if (cast->hasOneUse() && !llvm::is_contained(found.inside, cast))
      found.inside.push_back(cast);
  }
  return found;
}

static llvm::SmallSetVector<Operation *, 4> findReduces(RangeOp axis) {
  llvm::SmallSetVector<Operation *, 4> reduces;
  for (Operation *user : axis->getUsers()) {
    auto reduce = dyn_cast<ReduceOp>(user);
    if (reduce && llvm::is_contained(reduce.getRanges(), axis.getResult()))
      reduces.insert(reduce);
  }
  return reduces;
}

bool hasInstructions(RangeOp axis, const cost::Machine &machine) {
  return llvm::all_of(findReduces(axis), [&](Operation *op) {
    std::string reason;
    std::optional<DotProduct> product = matchDotProduct(cast<ReduceOp>(op), reason);
    if (!product || product->left.isUnsigned == product->right.isUnsigned)
      return false;
    return machine.hasDot(getUnsignedBound(product->left.isUnsigned ? product->left.bytes : product->right.bytes));
  });
}

std::string whyNotDot(RangeOp axis) {
  std::string reason;
  for (Operation *op : findReduces(axis))
    if (!matchDotProduct(cast<ReduceOp>(op), reason))
      return reason;
  llvm::DenseSet<Value> varying = findVarying(axis);
  AccessStride strides(axis);
  for (Operation &op : axis->getParentOfType<FuncOp>().getBody().front()) {
    auto load = dyn_cast<LoadOp>(op);
    if (load && varying.contains(load.getResult()) &&
        (strides.get(load.getIndex()) != std::optional<int64_t>(1) ||
         (load.getGate() && varying.contains(load.getGate()))))
      return llvm::formatv("a load does not move along axis {0} by one element, or is gated by it", axis.getId());
    if (isa<StageOp, ScanOp>(op) &&
        llvm::any_of(op.getOperands(), [&](Value operand) { return varying.contains(operand); }))
      return llvm::formatv("axis {0} is not only summed up", axis.getId());
  }
  return "";
}

} // namespace tiny::kernel
