// lazy-approximate-exponentials: lets devices approximate exponentials of which a row's largest is 1.
#include "ShiftedElement.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/Lazy/Passes.h"

using namespace mlir;

namespace tiny::lazy {

#define GEN_PASS_DEF_LAZYAPPROXIMATEEXPONENTIALS
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

struct ApproximateExponentials : impl::LazyApproximateExponentialsBase<ApproximateExponentials> {
  using LazyApproximateExponentialsBase::LazyApproximateExponentialsBase;

  void runOnOperation() override {
    if (!target::findMachine(getOperation()).has(cost::Instruction::Exp2))
      return;
    Remarks remarks("lazy-approximate-exponentials", getOperation());
    getOperation().walk([&](Operation *op) {
      std::optional<ShiftedElement> element = matchShiftedElement(op);
      if (!element || !element->maximum || !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
        return;
      auto function = cast<arith::ArithFastMathInterface>(op);
      arith::FastMathFlagsAttr present = function.getFastMathFlagsAttr();
      auto flags = (present ? present.getValue() : arith::FastMathFlags::none) | arith::FastMathFlags::afn;
      op->setAttr(function.getFastMathAttrName(), arith::FastMathFlagsAttr::get(&getContext(), flags));
      remarks.passed(op->getLoc(), "approximate", "the device may approximate the exponential");
    });
  }
};

} // namespace
} // namespace tiny::lazy
