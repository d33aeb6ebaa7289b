// sym-annotate-bounds: what the engine knows of each value, as attributes.
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Transforms/Symbolic/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tiny::sym {
#define GEN_PASS_DEF_SYMANNOTATEBOUNDS
#include "Tiny/Transforms/Symbolic/Passes.h.inc"
} // namespace tiny::sym

using namespace tiny;
using namespace tiny::sym;

/// Exact: the formats that have ranges are no wider.
static double toDouble(llvm::APFloat value) {
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

namespace {
struct SymAnnotateBounds : sym::impl::SymAnnotateBoundsBase<SymAnnotateBounds> {
  /// The bounds of an operation's result, where something is known of it; null for constants.
  DenseArrayAttr boundsOf(Operation &op, ArithBridge &bridge) {
    if (op.getNumResults() != 1 || isa<arith::ConstantOp>(op))
      return {};
    Value value = op.getResult(0);
    auto integers = [&](Bounds bounds) { return DenseI64ArrayAttr::get(&getContext(), {bounds.low, bounds.high}); };
    if (isa<FloatType>(value.getType())) {
      std::optional<FloatRange> range = bridge.floatRange(value);
      if (!range)
        return {};
      return DenseF64ArrayAttr::get(&getContext(), {toDouble(range->low), toDouble(range->high)});
    }
    if (value.getType().isIndex() || ArithBridge::isArithmetic(&op)) {
      Bounds bounds = bridge.importValue(value).bounds();
      return ArithBridge::isArithmetic(&op) || !(bounds == Bounds()) ? integers(bounds) : DenseArrayAttr();
    }
    if (!value.getType().isInteger() || value.getType().isInteger(1))
      return {};
    std::optional<Bounds> bounds = bridge.integerRange(value);
    unsigned width = value.getType().getIntOrFloatBitWidth();
    bool saysNothing = !bounds || (bounds->low == llvm::minIntN(width) && bounds->high == llvm::maxIntN(width));
    return saysNothing ? DenseArrayAttr() : integers(*bounds);
  }

  void runOnOperation() override {
    getOperation()->walk([&](Block *block) {
      ExprContext context;
      ArithBridge bridge(context, block);
      for (Operation &op : *block)
        if (DenseArrayAttr bounds = boundsOf(op, bridge))
          op.setAttr("sym.bounds", bounds);
    });
  }
};
} // namespace
