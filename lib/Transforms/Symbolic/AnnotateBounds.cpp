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

namespace {
struct SymAnnotateBounds : sym::impl::SymAnnotateBoundsBase<SymAnnotateBounds> {
  void runOnOperation() override {
    getOperation()->walk([&](Block *block) {
      ExprContext context;
      ArithBridge bridge(context, block);
      for (Operation &op : *block) {
        if (!ArithBridge::isArithmetic(&op) || isa<arith::ConstantOp>(op))
          continue;
        Bounds bounds = bridge.importValue(op.getResult(0)).bounds();
        op.setAttr("sym.bounds", DenseI64ArrayAttr::get(&getContext(), {bounds.low, bounds.high}));
      }
    });
  }
};
} // namespace
