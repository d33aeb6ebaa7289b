// Folds products by powers of two into the constant dividend of a quotient, where no bit of a result changes.
#include "FloatScales.h"

#include "Tiny/Dialect/Symbolic/ArithBridge.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::sym;

using llvm::APFloat;

namespace {
/// A product d * x with d = 2^k or -2^k.
struct Scale {
  APFloat factor;
  int exponent;
  Value scaled;
};
} // namespace

static std::optional<Scale> matchScale(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  for (unsigned k : {0u, 1u}) {
    FloatAttr constant;
    if (!matchPattern(product->getOperand(k), m_Constant(&constant)))
      continue;
    int exponent = constant.getValue().getExactLog2Abs();
    if (exponent != INT_MIN)
      return Scale{constant.getValue(), exponent, product->getOperand(1 - k)};
  }
  return std::nullopt;
}

/// c * d or c / d for a power of two d, where it is exact.
static std::optional<APFloat> rescale(const APFloat &c, const Scale &scale, bool divides) {
  int k = divides ? -scale.exponent : scale.exponent;
  std::optional<FloatRange> point = makeFloatRange(c, c);
  if (!point || !staysNormal(*point, k))
    return std::nullopt;
  APFloat result = scalbn(c, k, APFloat::rmNearestTiesToEven);
  return scale.factor.isNegative() ? neg(result) : result;
}

int64_t tiny::sym::foldScales(Block &block) {
  ExprContext context;
  ArithBridge bridge(context, &block);
  int64_t count = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() != 1 || !isa<FloatType>(op.getResult(0).getType()))
      continue;
    FloatAttr dividend;
    Value divisor;
    std::optional<APFloat> next;
    if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
      // c / (d x) -> (c / d) / x   [d = +-2^k; d x and c / d are exact: one real number, rounded once]
      std::optional<Scale> scale = matchScale(quotient.getRhs());
      if (!scale || !matchPattern(quotient.getLhs(), m_Constant(&dividend)))
        continue;
      std::optional<FloatRange> range = bridge.floatRange(scale->scaled);
      if (!range || !scalesExactly(*range, scale->exponent))
        continue;
      next = rescale(dividend.getValue(), *scale, true);
      divisor = scale->scaled;
    } else if (std::optional<Scale> scale = matchScale(op.getResult(0))) {
      // d (c / x) -> (d c) / x   [d = +-2^k; no quotient is subnormal before or after, so that scaling commutes with
      // rounding]
      auto quotient = scale->scaled.getDefiningOp<arith::DivFOp>();
      if (!quotient || quotient->getBlock() != &block || !matchPattern(quotient.getLhs(), m_Constant(&dividend)))
        continue;
      std::optional<FloatRange> range = bridge.floatRange(quotient);
      if (!range || !staysNormal(*range, scale->exponent))
        continue;
      next = rescale(dividend.getValue(), *scale, false);
      divisor = quotient.getRhs();
    }
    if (!next)
      continue;
    OpBuilder builder(&op);
    Type type = op.getResult(0).getType();
    Value constant = arith::ConstantOp::create(builder, op.getLoc(), FloatAttr::get(cast<FloatType>(type), *next));
    Value folded = arith::DivFOp::create(builder, op.getLoc(), constant, divisor);
    op.getResult(0).replaceAllUsesWith(folded);
    ++count;
  }
  // What the folds left without a use, users first.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (count > 0 && isa<arith::MulFOp, arith::DivFOp>(op) && op.use_empty())
      op.erase();
  return count;
}
