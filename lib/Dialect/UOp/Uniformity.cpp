// Which values and which control flow are the same for the lanes of a subgroup or a workgroup.
#include "Tiny/Dialect/UOp/Parallel.h"

using namespace mlir;

namespace tiny::uop {

Agreement Uniformity::get(Value value) const {
  auto found = agreements.find(value);
  return found == agreements.end() ? Agreement::Workgroup : found->second;
}

Agreement Uniformity::join(ValueRange values) const {
  Agreement all = Agreement::Workgroup;
  for (Value value : values)
    all = std::max(all, get(value));
  return all;
}

bool Uniformity::raise(Value value, Agreement agreement) {
  if (agreement <= get(value))
    return false;
  agreements[value] = agreement;
  return true;
}

/// What one operation gives; true when that is news.
bool Uniformity::update(Operation *op) {
  if (auto special = dyn_cast<SpecialOp>(op)) {
    if (special.getExtent() == 1)
      return false;
    switch (special.getAxis()) {
    case HardwareAxis::Global:
    case HardwareAxis::Thread:
      return false;
    case HardwareAxis::Team:
      return raise(special, Agreement::Team);
    case HardwareAxis::Subgroup:
      return raise(special, Agreement::Subgroup);
    case HardwareAxis::Local:
    case HardwareAxis::Lane:
      return raise(special, Agreement::Lane);
    }
    return false;
  }
  if (auto loop = dyn_cast<ForOp>(op)) {
    Agreement bound = get(loop.getBound());
    bool isNews = raise(loop.getInductionVar(), bound);
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(loop.getInits(), loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands(),
                         loop.getResults())) {
      Agreement carried = std::max(bound, std::max(get(init), get(yielded)));
      isNews |= raise(argument, carried);
      isNews |= raise(result, carried);
    }
    return isNews;
  }
  if (op->getNumResults() == 0)
    return false;
  Agreement agreement = join(op->getOperands());
  if (auto reduce = dyn_cast<WorkgroupReduceOp>(op)) {
    // Over all of them every lane gets the same.
    agreement = reduce.getDims() >= nLocalAxes ? Agreement::Workgroup : Agreement::Lane;
  } else if (isa<SubgroupReduceOp>(op)) {
    agreement = std::min(agreement, Agreement::Subgroup);
  } else if (auto shuffle = dyn_cast<ShuffleOp>(op)) {
    bool isBroadcast = shuffle.getMode() == ShuffleMode::From && get(shuffle.getOffset()) <= Agreement::Subgroup;
    if (isBroadcast)
      agreement = std::min(agreement, Agreement::Subgroup);
    else if (get(shuffle.getValue()) != Agreement::Workgroup)
      agreement = Agreement::Lane;
  } else if (isa<FragmentPlaceOp, FragmentElementsOp>(op) ||
             (isa<LoadOp, GatherOp>(op) && getMemorySpace(op->getOperand(0)) == MemorySpace::Private)) {
    agreement = Agreement::Lane;
  }
  bool isNews = false;
  for (Value result : op->getResults())
    isNews |= raise(result, agreement);
  return isNews;
}

Uniformity::Uniformity(FuncOp func) : nLocalAxes(countLocalAxes(func)) {
  // A value rises three times at most, and what loops carry takes another round for each loop that it goes through.
  bool isNews = true;
  while (isNews) {
    isNews = false;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != func.getOperation())
        isNews |= update(op);
    });
  }
}

Agreement Uniformity::getControl(Operation *op, Operation *&cause) const {
  Agreement control = Agreement::Workgroup;
  for (Operation *around = op->getParentOp(); around && !isa<FuncOp>(around); around = around->getParentOp()) {
    // A loop's bound or a condition.
    Agreement here = around->getNumOperands() == 0 ? Agreement::Workgroup : get(around->getOperand(0));
    if (here > control) {
      control = here;
      cause = around;
    }
  }
  return control;
}

} // namespace tiny::uop
