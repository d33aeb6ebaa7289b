#include "Tiny/Transforms/Lazy/Passes.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYSETFASTMATH
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

struct SetFastmath : impl::LazySetFastmathBase<SetFastmath> {
  using LazySetFastmathBase::LazySetFastmathBase;

  void runOnOperation() override {
    // The names' parser takes no empty list.
    std::optional<arith::FastMathFlags> added =
        flags.empty() ? arith::FastMathFlags::none : arith::symbolizeFastMathFlags(flags);
    if (!added) {
      getOperation()->emitError("unknown fast-math flags: '") << flags << "'";
      return signalPassFailure();
    }
    getOperation()->walk([&](Operation *op) {
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        reduce.setFastmath(reduce.getFastmath() | *added);
      } else if (auto math = dyn_cast<arith::ArithFastMathInterface>(op)) {
        arith::FastMathFlagsAttr present = math.getFastMathFlagsAttr();
        auto all = (present ? present.getValue() : arith::FastMathFlags::none) | *added;
        op->setAttr(math.getFastMathAttrName(), arith::FastMathFlagsAttr::get(&getContext(), all));
      }
    });
    if (arith::bitEnumContainsAll(*added, arith::FastMathFlags::nsz))
      getOperation()->walk([](arith::AddFOp add) { foldZero(add); });
  }

private:
  /// x + 0.0 is x save for the sign of a zero; upstream folds only x + -0.0, which is x always.
  static void foldZero(arith::AddFOp add) {
    for (auto [value, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      if (!matchPattern(other, m_PosZeroFloat()))
        continue;
      add.replaceAllUsesWith(value);
      add.erase();
      return;
    }
  }
};

} // namespace
} // namespace tiny::lazy
