// Where shardings meet: the collectives that lead from one to another.
//
// An axis is cut by one axis of the grid after the other, each time into equal parts of which the last ones are padded.
// So every step here adds or removes the last grid axis of a tensor's axis, and undoes its padding itself.
#include "Reshard.h"

#include "Tiny/Support/Signature.h"

using namespace mlir;

namespace tiny::tensor {

Value Resharder::padTo(Value value, int64_t axis, int64_t size, Location loc, TypedAttr number) {
  ArrayRef<int64_t> own = TensorBuilder::getShape(value);
  SmallVector<int64_t> low(own.size(), 0), high(own.size(), 0);
  high[axis] = size - own[axis];
  return high[axis] == 0 ? value : TensorBuilder(builder, loc).pad(value, low, high, number);
}

Value Resharder::cutTo(Value value, int64_t axis, int64_t size, Location loc) {
  ArrayRef<int64_t> own = TensorBuilder::getShape(value);
  SmallVector<int64_t> begin(own.size(), 0), end(own);
  end[axis] = size;
  return own[axis] == size ? value : TensorBuilder(builder, loc).shrink(value, begin, end);
}

/// The type with another size of one axis.
static RankedTensorType resize(Value value, int64_t axis, int64_t size) {
  RankedTensorType type = TensorBuilder::getType(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  return type.clone(shape);
}

void Resharder::allReduce(LocalValue &value, ArrayRef<int16_t> axes, Location loc) {
  value.value = shard::AllReduceOp::create(builder, loc, value.value, gridOp.getSymName(), axes, value.kind);
  llvm::erase_if(value.partial, [&](int16_t axis) { return llvm::is_contained(axes, axis); });
}

void Resharder::gather(LocalValue &value, int64_t size, int64_t axis, Location loc) {
  int16_t last = value.sharding[axis].pop_back_val();
  RankedTensorType type = resize(value.value, axis, TensorBuilder::getShape(value.value)[axis] * shape[last]);
  value.value = shard::AllGatherOp::create(builder, loc, type, gridOp.getSymName(), ArrayRef<int16_t>(last),
                                           value.value, APInt(64, axis));
  value.value = cutTo(value.value, axis, getLocalSize(size, value.sharding[axis], shape), loc);
}

void Resharder::slice(LocalValue &value, int64_t axis, int16_t gridAxis, Location loc) {
  int64_t own = TensorBuilder::getShape(value.value)[axis], part = (own + shape[gridAxis] - 1) / shape[gridAxis];
  value.sharding[axis].push_back(gridAxis);
  // A number everywhere is it on every rank.
  if (auto full = value.value.getDefiningOp<FullOp>()) {
    value.value = FullOp::create(builder, loc, resize(value.value, axis, part), full.getValue());
    return;
  }
  Value padded = padTo(value.value, axis, part * shape[gridAxis], loc);
  value.value = shard::AllSliceOp::create(builder, loc, resize(padded, axis, part), padded, gridOp.getSymName(),
                                          ArrayRef<int16_t>(gridAxis), axis);
}

void Resharder::reduceScatter(LocalValue &value, int64_t axis, int16_t gridAxis, Location loc) {
  int64_t own = TensorBuilder::getShape(value.value)[axis], part = (own + shape[gridAxis] - 1) / shape[gridAxis];
  Value padded = padTo(value.value, axis, part * shape[gridAxis], loc);
  value.value = shard::ReduceScatterOp::create(builder, loc, resize(padded, axis, part), gridOp.getSymName(),
                                               ArrayRef<int16_t>(gridAxis), padded, value.kind, APInt(64, axis));
  value.sharding[axis].push_back(gridAxis);
  llvm::erase(value.partial, gridAxis);
}

void Resharder::allToAll(LocalValue &value, int64_t size, int64_t from, int64_t to, Location loc) {
  int16_t gridAxis = value.sharding[from].pop_back_val();
  int64_t parts = shape[gridAxis], own = TensorBuilder::getShape(value.value)[to], part = (own + parts - 1) / parts;
  Value padded = padTo(value.value, to, part * parts, loc);
  RankedTensorType type = resize(padded, to, part);
  SmallVector<int64_t> local(type.getShape());
  local[from] *= parts;
  value.value = shard::AllToAllOp::create(builder, loc, type.clone(local), gridOp.getSymName(),
                                          ArrayRef<int16_t>(gridAxis), padded, APInt(64, to), APInt(64, from));
  value.sharding[to].push_back(gridAxis);
  value.value = cutTo(value.value, from, getLocalSize(size, value.sharding[from], shape), loc);
}

/// Whether the next grid axis that `target` adds to `own` is this one.
static bool isNext(const GridAxes &own, const GridAxes &target, int16_t gridAxis) {
  return own.size() < target.size() && target[own.size()] == gridAxis &&
         ArrayRef<int16_t>(target).take_front(own.size()) == ArrayRef<int16_t>(own);
}

static bool isPrefix(const GridAxes &own, const GridAxes &target) {
  return own.size() <= target.size() && ArrayRef<int16_t>(target).take_front(own.size()) == ArrayRef<int16_t>(own);
}

LocalValue Resharder::reshard(LocalValue value, ArrayRef<int64_t> whole, const Sharding &target, Location loc) {
  int64_t rank = whole.size();
  // What would be reduced and then cut is scattered.
  for (bool changed = true; changed;) {
    changed = false;
    for (int16_t gridAxis : GridAxes(value.partial))
      for (int64_t axis = 0; axis < rank && !changed; ++axis)
        if (isNext(value.sharding[axis], target[axis], gridAxis)) {
          reduceScatter(value, axis, gridAxis, loc);
          changed = true;
        }
  }
  if (!value.partial.empty())
    allReduce(value, GridAxes(value.partial), loc);
  for (int64_t axis = 0; axis < rank; ++axis)
    while (!isPrefix(value.sharding[axis], target[axis])) {
      int16_t last = value.sharding[axis].back();
      int64_t to = 0;
      while (to < rank && !isNext(value.sharding[to], target[to], last))
        ++to;
      if (to < rank && to != axis)
        allToAll(value, whole[axis], axis, to, loc);
      else
        gather(value, whole[axis], axis, loc);
    }
  for (int64_t axis = 0; axis < rank; ++axis)
    while (value.sharding[axis].size() < target[axis].size())
      slice(value, axis, target[axis][value.sharding[axis].size()], loc);
  return value;
}

bool Resharder::isPadded(int64_t size, ArrayRef<int16_t> axes) const {
  int64_t parts = 1;
  for (int16_t axis : axes)
    parts *= shape[axis];
  return getLocalSize(size, axes, shape) * parts != size;
}

Value Resharder::getPlaces(int64_t size, ArrayRef<int16_t> axes, Location loc) {
  Value &value = places[{size, std::vector<int16_t>(axes.begin(), axes.end())}];
  if (value)
    return value;
  Type element = builder.getI64Type();
  value = IotaOp::create(builder, loc, ArrayRef<int64_t>(size), element, 0);
  for (int16_t axis : axes) {
    int64_t own = TensorBuilder::getShape(value)[0], part = (own + shape[axis] - 1) / shape[axis];
    value = padTo(value, 0, part * shape[axis], loc, builder.getI64IntegerAttr(-1));
    value = shard::AllSliceOp::create(builder, loc, resize(value, 0, part), value, gridOp.getSymName(),
                                      ArrayRef<int16_t>(axis), 0);
  }
  return value;
}

Value Resharder::maskPadding(const LocalValue &value, int64_t size, int64_t axis, TypedAttr identity, Location loc) {
  if (!isPadded(size, value.sharding[axis]))
    return value.value;
  TensorBuilder build(builder, loc);
  Value at = getPlaces(size, value.sharding[axis], loc);
  int64_t rank = TensorBuilder::getShape(value.value).size();
  Value isInside = build.onAxis(build.create<GeOp>(at, build.like(at, 0)), axis, rank);
  return build.where(isInside, value.value, build.full(ArrayRef<int64_t>(), identity));
}

} // namespace tiny::tensor
