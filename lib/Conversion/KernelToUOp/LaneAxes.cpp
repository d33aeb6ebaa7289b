// Which local axis of a workgroup each range of lanes is, and what follows for stores and reductions.
#include "Emitter.h"

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

int64_t Emitter::getExtent(unsigned axis) const { return kernel::RangeOp(nest->getAxes()[axis].range).getExtent(); }

/// Ranges of one extent that nothing depends on together are the same lanes. Those that reductions close come first:
/// the lanes of a reduction are consecutive. Of others the inner ones do.
LogicalResult Emitter::placeLanes() {
  AxisList ranges, free;
  for (auto [i, axis] : llvm::enumerate(nest->getAxes())) {
    if (axis.role != AxisRole::Special)
      continue;
    kernel::AxisKind kind = kernel::RangeOp(axis.range).getKind();
    if (kind == kernel::AxisKind::GroupReduce)
      ranges.push_back(i);
    else if (kind == kernel::AxisKind::Local)
      free.push_back(i);
  }
  bool reduces = !ranges.empty();
  llvm::append_range(ranges, llvm::reverse(free));
  if (ranges.empty())
    return success();

  // By range, the ranges that some operation depends on beside it.
  RangePairs together;
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
  auto isApart = [&](unsigned range, ArrayRef<unsigned> members) {
    return llvm::none_of(members, [&](unsigned member) { return together.contains({range, member}); });
  };
  AxisList parts = reduces ? AxisList() : findParts(ranges, together);
  Value all = parts.empty() ? Value() : placeParts(parts);
  unsigned nAxes = all ? 1 : 0;
  for (unsigned range : ranges) {
    kernel::RangeOp op = nest->getAxes()[range].range;
    if (packets.contains({op.getResult(), Full}))
      continue;
    if (all && getExtent(range) == static_cast<int64_t>(all.getDefiningOp<uop::SpecialOp>().getExtent()) &&
        isApart(range, parts)) {
      for (AxisList &members : MutableArrayRef(localAxes).take_front(parts.size()))
        members.push_back(range);
      packets[{op.getResult(), Full}] = {all};
      continue;
    }
    AxisList *axis = llvm::find_if(localAxes, [&](const AxisList &members) {
      return getExtent(members.front()) == getExtent(range) && isApart(range, members);
    });
    if (axis == localAxes.end()) {
      if (nAxes == 3)
        return op.emitError() << "kernel has more than 3 ranges of kind local and group_reduce";
      localAxes.push_back({range});
      localIndices.push_back(uop::SpecialOp::create(builder, op.getLoc(), builder.getIndexType(),
                                                    uop::HardwareAxis::Local, nAxes++, op.getExtent()));
      axis = &localAxes.back();
    } else {
      axis->push_back(range);
    }
    packets[{op.getResult(), Full}] = {localIndices[axis - localAxes.begin()]};
  }
  return success();
}

Emitter::AxisList Emitter::findParts(ArrayRef<unsigned> ranges, const RangePairs &together) const {
  int64_t longest = 0, lanes = 1;
  for (unsigned range : ranges)
    longest = std::max(longest, getExtent(range));
  AxisList parts;
  for (unsigned range : ranges)
    if (getExtent(range) < longest &&
        llvm::all_of(parts, [&](unsigned part) { return together.contains({range, part}); })) {
      parts.push_back(range);
      lanes *= getExtent(range);
    }
  return parts.size() > 1 && lanes == longest ? parts : AxisList();
}

Value Emitter::placeParts(ArrayRef<unsigned> parts) {
  Location loc = kernel.getLoc();
  int64_t lanes = 1, inner = 1;
  for (unsigned part : parts)
    lanes *= getExtent(part);
  Value all = uop::SpecialOp::create(builder, loc, builder.getIndexType(), uop::HardwareAxis::Local, 0, lanes);
  for (unsigned part : parts) {
    Value index = builder.createOrFold<arith::FloorDivSIOp>(loc, all, constant(builder.getIndexAttr(inner)));
    inner *= getExtent(part);
    if (inner != lanes)
      index = builder.createOrFold<sym::ModOp>(loc, index, constant(builder.getIndexAttr(getExtent(part))));
    packets[{kernel::RangeOp(nest->getAxes()[part].range).getResult(), Full}] = {index};
    localAxes.push_back({part});
    localIndices.push_back(index);
  }
  return all;
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
