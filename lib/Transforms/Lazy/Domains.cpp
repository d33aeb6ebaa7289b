#include "Domains.h"

#include "LazyGraph.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tiny::lazy {

Domains::Id Domains::intern(unsigned space, Attribute view, bool isTracker) {
  auto [it, isNew] = known.try_emplace({space, view}, domains.size());
  if (isNew)
    domains.push_back({space, isTracker ? cast<TrackerAttr>(view) : TrackerAttr()});
  return it->second;
}

Domains::Id Domains::store(unsigned kernel, Operation *op) {
  spaces.push_back({kernel, countResultElements(op), false});
  return intern(spaces.size() - 1, UnitAttr::get(context), false);
}

Domains::Id Domains::through(Id id, Operation *movement) {
  // The view of the input for each point of the result, seen through the view of the result for each point of the space.
  Domain domain = domains[id];
  auto shape = cast<RankedTensorType>(movement->getOperand(0).getType()).getShape();
  ShapeTracker view = applyMovement(movement, ShapeTracker::identity(shape));
  if (view && domain.view)
    view = view.compose(domain.view.getTracker()).simplify();
  if (view && view.isIdentity(shape))
    return intern(domain.space, UnitAttr::get(context), false);
  if (view)
    return intern(domain.space, TrackerAttr::get(context, view), true);
  // Positions that overflow: a domain of its own.
  domains.push_back({domain.space, TrackerAttr()});
  return domains.size() - 1;
}

Attribute Domains::reduceSpace(ReduceOp reduce) const {
  SmallVector<int64_t> key(cast<RankedTensorType>(reduce.getInputs().front().getType()).getShape());
  key.push_back(-1);
  llvm::append_range(key, reduce.getAxes());
  return DenseI64ArrayAttr::get(context, key);
}

Domains::Id Domains::inside(Id id, ReduceOp reduce) {
  auto [it, isNew] = knownSpaces.try_emplace({id, reduceSpace(reduce)}, spaces.size());
  if (isNew) {
    double points = evaluations(id);
    auto shape = cast<RankedTensorType>(reduce.getInputs().front().getType()).getShape();
    for (int64_t axis : reduce.getAxes())
      points *= shape[axis];
    spaces.push_back({kernel(id), points, true});
  }
  return intern(it->second, UnitAttr::get(context), false);
}

} // namespace tiny::lazy
