// Which local axis of a workgroup each range of lanes is, and what follows for stores and reductions.
#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

/// Ranges of one extent that nothing depends on together are the same lanes. Those that reductions close come first:
/// the lanes of a reduction are consecutive.
LogicalResult Emitter::placeLanes() {
  SmallVector<unsigned> ranges;
  for (kernel::AxisKind kind : {kernel::AxisKind::GroupReduce, kernel::AxisKind::Local})
    for (auto [i, axis] : llvm::enumerate(nest->getAxes()))
      if (axis.role == AxisRole::Special && kernel::RangeOp(axis.range).getKind() == kind)
        ranges.push_back(i);
  if (ranges.empty())
    return success();

  // By range, the ranges that some operation depends on beside it.
  llvm::DenseSet<std::pair<unsigned, unsigned>> together;
  for (Operation *op : order) {
    if (isa<kernel::RangeOp>(op))
      continue;
    ArrayRef<unsigned> open = sets->getOpenOfOperands(op);
    SmallVector<unsigned> here;
    for (unsigned range : ranges)
      if (llvm::is_contained(open, sets->getPosition(nest->getAxes()[range].range)))
        here.push_back(range);
    for (unsigned first : here)
      for (unsigned second : here)
        together.insert({first, second});
  }
  for (unsigned range : ranges) {
    kernel::RangeOp op = nest->getAxes()[range].range;
    auto fits = [&](const AxisList &members) {
      return kernel::RangeOp(nest->getAxes()[members.front()].range).getExtent() == op.getExtent() &&
             llvm::none_of(members, [&](unsigned member) { return together.contains({range, member}); });
    };
    AxisList *axis = llvm::find_if(localAxes, fits);
    if (axis == localAxes.end()) {
      if (localAxes.size() == 3)
        return op.emitError() << "kernel has more than 3 ranges of kind local and group_reduce";
      localAxes.push_back({range});
      localIndices.push_back(uop::SpecialOp::create(builder, op.getLoc(), builder.getIndexType(),
                                                    uop::HardwareAxis::Local, localAxes.size() - 1, op.getExtent()));
      axis = &localAxes.back();
    } else {
      axis->push_back(range);
    }
    packets[{op.getResult(), Full}] = {localIndices[axis - localAxes.begin()]};
  }
  return success();
}

Value Emitter::gateLanes(Operation *op, Value gate) {
  if (localAxes.empty())
    return gate;
  ArrayRef<unsigned> open = sets->getOpenOfOperands(op);
  // Each lane has elements of its own of what the subgroups compute together.
  if (fragmentAxis && llvm::is_contained(open, sets->getPosition(fragmentRows)))
    return gate;
  for (auto [members, index] : llvm::zip_equal(localAxes, localIndices)) {
    bool depends = llvm::any_of(members, [&](unsigned member) {
      return llvm::is_contained(open, sets->getPosition(nest->getAxes()[member].range));
    });
    if (depends)
      continue;
    Value isFirst = builder.createOrFold<arith::CmpIOp>(op->getLoc(), arith::CmpIPredicate::eq, index,
                                                        constant(builder.getIndexAttr(0)));
    if (!gate) {
      gate = isFirst;
      continue;
    }
    if (auto lanes = dyn_cast<VectorType>(gate.getType()))
      isFirst = broadcast(isFirst, lanes.getNumElements());
    gate = arith::AndIOp::create(builder, op->getLoc(), gate, isFirst);
  }
  return gate;
}

LogicalResult Emitter::checkShared(kernel::StageOp stage) {
  for (unsigned position : sets->getOpen(stage.getTile())) {
    kernel::RangeOp range = sets->getRanges()[position];
    bool isLanes = llvm::any_of(
        localAxes, [&](const AxisList &members) { return llvm::is_contained(members, nest->getAxis(range)); });
    if (isLanes)
      return stage.emitError() << "depends on range id(" << range.getId()
                               << "), lanes that it is not over: they share the tile";
  }
  return success();
}

FailureOr<unsigned> Emitter::countGroupAxes(kernel::ReduceOp reduce) {
  unsigned count = 0, last = 0;
  for (auto [number, members] : llvm::enumerate(localAxes)) {
    bool isOver = llvm::any_of(members, [&](unsigned member) {
      return llvm::is_contained(reduce.getRanges(), kernel::RangeOp(nest->getAxes()[member].range).getResult());
    });
    if (!isOver)
      continue;
    ++count;
    last = number + 1;
  }
  if (count != last)
    return reduce.emitError() << "is over lanes that are not consecutive in their workgroup";
  return count;
}

Value Emitter::reduceGroup(kernel::ReduceOp reduce, Value value) {
  unsigned dims = *countGroupAxes(reduce);
  if (dims == 0)
    return value;
  auto combine = [&](Value number) -> Value {
    return uop::WorkgroupReduceOp::create(builder, reduce.getLoc(), number.getType(), *reduce.getKind(), number, dims);
  };
  auto lanes = dyn_cast<VectorType>(value.getType());
  if (!lanes)
    return combine(value);
  SmallVector<Value> numbers;
  for (int64_t lane : llvm::seq(lanes.getNumElements()))
    numbers.push_back(combine(vector::ExtractOp::create(builder, reduce.getLoc(), value, lane)));
  return vector::FromElementsOp::create(builder, reduce.getLoc(), lanes, numbers);
}

} // namespace tiny::kernel_to_uop
