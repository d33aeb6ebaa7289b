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

void addFlag(Operation *op, arith::FastMathFlags flag) {
  auto function = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr present = function.getFastMathFlagsAttr();
  auto flags = (present ? present.getValue() : arith::FastMathFlags::none) | flag;
  op->setAttr(function.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

/// Divisions of the element by its row's sum: numbers of 0 to 1 by one of 1 or more, or NaN.
SmallVector<arith::DivFOp> findQuotients(ShiftedElement element) {
  SmallVector<arith::DivFOp> found;
  Value value = element.function->getResult(0);
  if (!element.isPlain())
    return found;
  for (Operation *user : value.getUsers()) {
    auto sum = dyn_cast<ReduceOp>(user);
    if (!sum || sum.getKind() != arith::AtomicRMWKind::addf || sum.getInputs().size() != 1 ||
        sum.getAxes() != element.maximum.getAxes())
      continue;
    for (Operation *movement : sum->getUsers()) {
      auto repeated = dyn_cast<ViewOp>(movement);
      if (!repeated || repeated.getTracker().getTracker().simplify() != repeatResult(sum))
        continue;
      for (Operation *last : repeated->getUsers())
        if (auto quotient = dyn_cast<arith::DivFOp>(last);
            quotient && quotient.getLhs() == value && quotient.getRhs() == repeated.getResult())
          found.push_back(quotient);
    }
  }
  return found;
}

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
      addFlag(op, arith::FastMathFlags::afn);
      remarks.passed(op->getLoc(), "approximate", "the device may approximate the exponential");
      for (arith::DivFOp quotient : findQuotients(*element))
        addFlag(quotient, arith::FastMathFlags::arcp);
    });
  }
};

} // namespace
} // namespace tiny::lazy
