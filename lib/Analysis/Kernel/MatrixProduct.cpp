// Finds products of matrices: sums over products of factors in a narrow type.
#include "Tiny/Analysis/Kernel/MatrixProduct.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::kernel {

/// Bits of an f32 that tf32 has.
static constexpr int32_t kTf32Bits = ~((1 << 13) - 1);

Value truncateToTf32(OpBuilder &builder, Location loc, Value value) {
  Value bits = arith::BitcastOp::create(builder, loc, builder.getI32Type(), value);
  Value mask = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(kTf32Bits));
  Value upper = arith::AndIOp::create(builder, loc, bits, mask);
  return arith::BitcastOp::create(builder, loc, value.getType(), upper);
}

/// A factor, as it is before what stands between it and the product.
struct Factor {
  Value value;
  /// Nearest to the product first.
  SmallVector<Operation *, 3> inside;
  bool isTruncated = false;
};

/// The factor before it was widened to the type of the sum, or truncated.
static Factor findNarrow(Value factor) {
  Operation *op = factor.getDefiningOp();
  if (isa_and_present<arith::ExtFOp, arith::ExtSIOp>(op))
    return {op->getOperand(0), {op}};
  auto last = dyn_cast_or_null<arith::BitcastOp>(op);
  auto mask = last ? last.getIn().getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  auto first = mask ? mask.getLhs().getDefiningOp<arith::BitcastOp>() : arith::BitcastOp();
  APInt bits;
  if (first && first.getIn().getType().isF32() && last.getType().isF32() &&
      matchPattern(mask.getRhs(), m_ConstantInt(&bits)) && bits == APInt(32, kTf32Bits, /*isSigned=*/true))
    return {first.getIn(), {last, mask, first}, /*isTruncated=*/true};
  return {factor, {}};
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
  Factor left = findNarrow(product->getOperand(0)), right = findNarrow(product->getOperand(1));
  // Factors of two types are multiplied as they are widened.
  if (left.value.getType() != right.value.getType() || left.isTruncated != right.isTruncated)
    std::tie(left, right) = std::pair(Factor{product->getOperand(0), {}}, Factor{product->getOperand(1), {}});
  MatrixProduct found;
  found.left = left.value;
  found.right = right.value;
  found.factorType = left.isTruncated ? FloatTF32Type::get(product->getContext()) : left.value.getType();
  llvm::SmallSetVector<Operation *, 7> inside;
  inside.insert(product);
  inside.insert_range(left.inside);
  inside.insert_range(right.inside);
  llvm::append_range(found.inside, inside);
  if (!llvm::all_of(found.inside, [](Operation *op) {
        return llvm::all_of(op->getUsers(), [&](Operation *user) { return user == *op->user_begin(); });
      }))
    return refuse("the product is used besides");
  return found;
}

} // namespace tiny::kernel
