// Tracks how often a fused kernel evaluates each value: its loops, and the element that it needs in each iteration.
#include "Domains.h"

#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Algebra/Symbolic/Exact.h"
#include "Tiny/Dialect/Lazy/Shapes.h"
#include "Tiny/Support/Combiner.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tiny::lazy {

cost::CostModel makeCosts(const cost::Machine &machine) {
  constexpr int64_t kRegisters = 256 / 4;
  cost::CostModel costs(machine);
  const cost::MatrixShape &matrix = machine.matrices.front();
  if (machine.kind == cost::DeviceKind::Gpu && matrix.m)
    costs.maxTile = machine.subgroup * kRegisters / matrix.m;
  return costs;
}

unsigned Domains::addSpace(Space space) {
  space.whole = spaces.size();
  llvm::append_range(space.axes, llvm::seq<unsigned>(0, space.shape.size()));
  space.rank.assign(space.shape.size(), 0);
  spaces.push_back(std::move(space));
  return spaces.size() - 1;
}

unsigned Domains::findInnermost(unsigned space) const {
  const Space &from = spaces[space];
  ArrayRef<unsigned> rank = spaces[from.whole].rank;
  unsigned innermost = 0;
  for (unsigned k = 1; k < from.own.size(); ++k)
    if (rank[from.axes[from.own[k]]] >= rank[from.axes[from.own[innermost]]])
      innermost = k;
  return innermost;
}

unsigned Domains::withoutLoop(unsigned space, unsigned position) {
  unsigned axis = spaces[space].own[position];
  SmallVector<unsigned, 6> axes(spaces[space].axes);
  axes.erase(axes.begin() + axis);
  auto [it, isNew] = narrower.try_emplace({spaces[space].whole, axes}, spaces.size());
  if (!isNew)
    return it->second;
  Space narrow = spaces[space];
  narrow.axes = std::move(axes);
  narrow.rank.clear();
  narrow.own.erase(narrow.own.begin() + position);
  narrow.points /= std::max<int64_t>(narrow.shape[axis], 1);
  narrow.shape.erase(narrow.shape.begin() + axis);
  for (unsigned &own : narrow.own)
    own -= own > axis;
  for (unsigned &tile : narrow.tileAxes)
    tile -= tile > axis;
  spaces.push_back(std::move(narrow));
  return it->second;
}

void Domains::sortLoops(unsigned space, const ShapeTracker &view) {
  const Space &from = spaces[space];
  SmallVectorImpl<unsigned> &rank = spaces[from.whole].rank;
  llvm::SmallBitVector needed(rank.size());
  for (unsigned axis : from.own)
    if (!view.dropAxis(axis))
      needed.set(from.axes[axis]);
  // Ranks are sorted already: of one at most, some loops are needed and some are not.
  unsigned open = std::numeric_limits<unsigned>::max();
  ArrayRef<int64_t> sizes = spaces[from.whole].shape;
  for (auto [axis, own] : llvm::enumerate(rank))
    if (!needed.test(axis) && sizes[axis] != 1)
      open = std::min(open, own);
  for (unsigned axis : needed.set_bits())
    if (rank[axis] > open)
      return;
  for (auto [axis, own] : llvm::enumerate(rank))
    own += own > open || (own == open && !needed.test(axis));
}

/// The axes of the inputs that some results of a reduction with a combiner region vary along and others do not.
static SmallVector<unsigned, 1> findTileAxes(ReduceOp reduce) {
  if (reduce.getCombiner().empty())
    return {};
  auto variesAlong = [&](Value input, unsigned axis) {
    auto view = input.getDefiningOp<ViewOp>();
    if (!view)
      return !isa_and_present<arith::ConstantOp>(input.getDefiningOp());
    ShapeTracker tracker = view.getTracker().getTracker();
    const View &last = tracker.views().back();
    return last.getStrides()[axis] != 0 || last.isAxisMasked(axis);
  };
  SmallVector<unsigned, 1> axes;
  SmallVector<llvm::BitVector> combined = getCombinedInputs(reduce.getCombiner().front());
  ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1 || llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis)))
      continue;
    auto varies = [&](const llvm::BitVector &inputs) {
      return llvm::any_of(inputs.set_bits(), [&](unsigned k) { return variesAlong(reduce.getInputs()[k], axis); });
    };
    if (llvm::any_of(combined, varies) && !llvm::all_of(combined, varies))
      axes.push_back(axis);
  }
  return axes;
}

unsigned Domains::besideTile(unsigned space, const ShapeTracker &view) {
  const View &last = view.views().back();
  auto isInvariant = [&](unsigned axis) { return last.getStrides()[axis] == 0 && !last.isAxisMasked(axis); };
  if (spaces[space].tileAxes.empty() || spaces[space].tile != 1 || !llvm::all_of(spaces[space].tileAxes, isInvariant))
    return space;
  auto [it, isNew] = tiles.try_emplace(space, spaces.size());
  if (isNew) {
    Space beside = spaces[space];
    for (unsigned axis : beside.tileAxes)
      beside.tile *= beside.shape[axis];
    beside.points /= beside.tile;
    beside.axes.clear();
    addSpace(std::move(beside));
  }
  return it->second;
}

ShapeTracker Domains::viewOf(Id id) const {
  const Domain &domain = domains[id];
  return domain.view ? domain.view.getTracker() : ShapeTracker::identity(spaces[domain.space].shape);
}

/// The domain of `view`, hoisted out of the loops that it does not depend on; `shape` is that of the value.
Domains::Id Domains::make(unsigned space, ShapeTracker view, ArrayRef<int64_t> shape, bool isReduced) {
  while (view) {
    if (spaces[space].own.empty()) {
      if (!spaces[space].parent)
        break;
      // Independent of the reduction: evaluated where the reduction is.
      Id parent = *spaces[space].parent;
      ShapeTracker outer = view.compose(viewOf(parent)).simplify();
      if (!outer)
        break;
      view = std::move(outer);
      space = domains[parent].space;
      continue;
    }
    if (isReduced && !spaces[space].parent)
      sortLoops(space, view);
    unsigned innermost = findInnermost(space);
    ShapeTracker narrow = view.dropAxis(spaces[space].own[innermost]);
    if (!narrow) {
      if (isReduced && !spaces[space].parent)
        findSplits(space, view);
      break;
    }
    view = std::move(narrow);
    space = withoutLoop(space, innermost);
  }
  if (!view) {
    // Positions that overflow: like nothing else.
    domains.push_back({space, TrackerAttr()});
    return domains.size() - 1;
  }
  space = besideTile(space, view);
  TrackerAttr attr;
  if (!view.isIdentity(shape))
    attr = TrackerAttr::get(context, view);
  auto [it, isNew] = known.try_emplace({space, attr ? Attribute(attr) : UnitAttr::get(context)}, domains.size());
  if (isNew)
    domains.push_back({space, attr});
  return it->second;
}

void Domains::findSplits(unsigned space, const ShapeTracker &view) {
  // One view that depends on a loop depends on all of its digits.
  const Space &whole = spaces[spaces[space].whole];
  if (view.views().size() == 1 || whole.digits.empty())
    return;
  ExprContext expressions;
  SmallVector<Expr> loops;
  for (int64_t size : spaces[space].shape)
    loops.push_back(expressions.leaf({0, std::max<int64_t>(size - 1, 0)}));
  IndexAndValidity at = view.toIndex(expressions, loops);
  Splits &own = splits[whole.kernel];
  own.resize(whole.storedShape.size());
  for (auto [axis, ends] : llvm::zip_equal(spaces[space].axes, findDigits({at.index, at.valid}, loops))) {
    // Of the digit that the loop is already.
    auto [stored, unit] = whole.digits[axis];
    for (int64_t &end : ends)
      end *= unit;
    hasSplit |= joinDigits(own[stored], ends, whole.storedShape[stored]);
  }
}

Domains::Id Domains::store(unsigned kernel, Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(getStoredValue(op));
  Space space{kernel, countResultElements(op), {}, {}, std::nullopt};
  space.storedShape.assign(shape.begin(), shape.end());
  auto known = splits.find(kernel);
  for (auto [axis, size] : llvm::enumerate(shape)) {
    ArrayRef<int64_t> ends;
    if (known != splits.end())
      ends = known->second[axis];
    for (int64_t digit : getDigitExtents(ends, size)) {
      space.shape.push_back(digit);
      space.digits.push_back({axis, ends.empty() ? 1 : ends.back()});
      ends = ends.drop_back(!ends.empty());
    }
  }
  llvm::append_range(space.own, llvm::seq<unsigned>(0, space.shape.size()));
  ShapeTracker loops = ShapeTracker::identity(shape).reshape(space.shape);
  return make(addSpace(std::move(space)), std::move(loops), shape);
}

Domains::Id Domains::storePart(unsigned kernel, Operation *op, int64_t axis, int64_t begin, int64_t end) {
  ArrayRef<int64_t> shape = shapeOf(getStoredValue(op));
  SmallVector<int64_t> low(shape.size(), 0), high(shape);
  low[axis] = begin;
  high[axis] = end;
  ShapeTracker part = ShapeTracker::identity(shape).shrink(low, high);
  Space space{kernel, 1, {}, {}, std::nullopt};
  space.shape.assign(part.shape().begin(), part.shape().end());
  for (int64_t size : space.shape)
    space.points *= size;
  llvm::append_range(space.own, llvm::seq<unsigned>(0, shape.size()));
  return make(addSpace(std::move(space)), std::move(part), shape);
}

std::pair<int64_t, int64_t> Domains::getIndices(Id id, ArrayRef<int64_t> shape, int64_t axis) const {
  int64_t last = std::max<int64_t>(shape[axis] - 1, 0), stride = 1;
  ShapeTracker view = viewOf(id);
  if (!view || view.isIdentity(shape))
    return {0, last};
  ExprContext context;
  SmallVector<Expr> loops;
  for (int64_t size : view.shape())
    loops.push_back(context.leaf({0, std::max<int64_t>(size - 1, 0)}));
  for (int64_t size : shape.drop_front(axis + 1))
    stride *= size;
  Expr index = context.floorDiv(view.toIndex(context, loops).index, context.constant(stride));
  if (axis != 0)
    index = context.mod(index, context.constant(shape[axis]));
  return index ? std::pair(std::max<int64_t>(index->low, 0), std::min(index->high, last))
               : std::pair<int64_t, int64_t>(0, last);
}

unsigned Domains::nest(Id id) const {
  while (std::optional<Id> parent = spaces[domains[id].space].parent)
    id = *parent;
  return spaces[domains[id].space].whole;
}

ShapeTracker Domains::viewThrough(Id id, Operation *movement) const {
  // The view of the input for each element of the result, seen through the view of the result for each point.
  ShapeTracker view = applyMovement(movement, ShapeTracker::identity(shapeOf(movement->getOperand(0))));
  return view && domains[id].view ? view.compose(domains[id].view.getTracker()).simplify() : view;
}

Domains::Id Domains::through(Id id, Operation *movement, bool isReduced) {
  return make(domains[id].space, viewThrough(id, movement), shapeOf(movement->getOperand(0)), isReduced);
}

double Domains::evaluationsThrough(Id id, Operation *movement) const {
  ShapeTracker view = viewThrough(id, movement);
  while (view) {
    const Space &space = spaces[domains[id].space];
    SmallVector<unsigned, 6> own(space.own);
    llvm::sort(own, std::greater<>());
    double points = space.points;
    bool isNeeded = false;
    for (unsigned axis : own) {
      ShapeTracker narrow = view.dropAxis(axis);
      isNeeded |= !narrow;
      if (!narrow)
        continue;
      points /= std::max<int64_t>(space.shape[axis], 1);
      view = std::move(narrow);
    }
    if (isNeeded || !space.parent)
      return points;
    id = *space.parent;
    view = view.compose(viewOf(id)).simplify();
  }
  return evaluations(id);
}

bool Domains::repeats(ArrayRef<Id> all, Operation *movement) const {
  double elements = ShapedType::getNumElements(shapeOf(movement->getOperand(0)));
  return llvm::any_of(
      all, [&](Id id) { return kernel(id) != kernel(all.front()) || evaluationsThrough(id, movement) > elements; });
}

bool Domains::isInPlace(Id id, ArrayRef<int64_t> shape, Id stored, ArrayRef<int64_t> storedShape) const {
  // One point is the place of a scalar and of an element of any value.
  if (id == stored)
    return ShapedType::getNumElements(shape) == ShapedType::getNumElements(storedShape);
  auto isWhole = [](const ShapeTracker &view) {
    return isContiguousPart(view) && view.views().front().getOffset() == 0;
  };
  return domains[id].space == domains[stored].space && withoutUnits(shape) == withoutUnits(storedShape) &&
         isWhole(viewOf(id)) && isWhole(viewOf(stored));
}

bool Domains::isWhole(Id id, ArrayRef<int64_t> shape, Id nest) const {
  ShapeTracker view = viewOf(id);
  return domains[id].space == domains[nest].space && view.isContiguous() &&
         view.numElements() == ShapedType::getNumElements(shape);
}

bool Domains::hasLoopPerAxis(Id id, ArrayRef<int64_t> shape) const {
  const Space &space = spaces[domains[id].space];
  return !space.parent && isWhole(id, shape, id) && withoutUnits(space.shape) == withoutUnits(shape);
}

std::optional<Domains::Row> Domains::findSharedRow(ArrayRef<Id> wanted, ArrayRef<int64_t> shape) const {
  // The axes of `of`, among those that are loops of `whole`, by their numbers without axes of one step.
  auto getLoops = [](ArrayRef<int64_t> whole, ArrayRef<unsigned> of) {
    SmallVector<unsigned, 6> loops;
    for (unsigned axis : of)
      if (whole[axis] != 1)
        loops.push_back(axis - llvm::count(whole.take_front(axis), 1));
    return loops;
  };
  SmallVector<int64_t> sizes = withoutUnits(shape);
  unsigned loops = sizes.size();
  std::optional<Id> rows;
  std::optional<unsigned> stored;
  SmallVector<unsigned, 6> along;
  int64_t row = 1;
  for (Id id : wanted) {
    const Space &space = spaces[domains[id].space];
    if (!isWhole(id, shape, id) || withoutUnits(space.shape) != sizes)
      return std::nullopt;
    if (!space.parent) {
      if (stored.value_or(space.whole) != space.whole)
        return std::nullopt;
      stored = space.whole;
      continue;
    }
    SmallVector<unsigned, 6> own = getLoops(space.shape, space.own);
    int64_t points = 1;
    for (unsigned axis : space.own)
      points *= space.shape[axis];
    if (own.empty() || !llvm::equal(own, llvm::seq<unsigned>(own.front(), own.front() + own.size())) ||
        (rows && (*rows != *space.parent || along != own)))
      return std::nullopt;
    rows = space.parent;
    along = std::move(own);
    row = points;
  }
  if (!rows || row == 0 || inReduction(*rows))
    return std::nullopt;
  const Space &outer = spaces[domains[*rows].space];
  ShapeTracker view = viewOf(*rows);
  if (!view.isContiguous() || view.numElements() * row != ShapedType::getNumElements(shape))
    return std::nullopt;
  // The loops over what is stored have the row's axes inside.
  if (stored) {
    SmallVector<unsigned, 6> around = getLoops(spaces[outer.whole].shape, outer.axes);
    auto isOutside = [&](unsigned axis) { return !llvm::is_contained(along, axis); };
    auto others = llvm::make_filter_range(llvm::seq<unsigned>(0, loops), isOutside);
    if (outer.whole != *stored || !llvm::equal(around, others))
      return std::nullopt;
  }
  int64_t inside = 1;
  for (int64_t size : ArrayRef<int64_t>(sizes).drop_front(along.back() + 1))
    inside *= size;
  Row found{row, inside, {}};
  unsigned loop = 0;
  for (auto [axis, size] : llvm::enumerate(shape))
    if (size != 1 && llvm::is_contained(along, loop++))
      found.axes.push_back(axis);
  return found;
}

bool Domains::areWindows(ArrayRef<Id> ids, ArrayRef<int64_t> shape) const {
  double points = 0;
  for (Id id : ids)
    points += evaluations(id);
  if (points > ShapedType::getNumElements(shape))
    return false;
  for (size_t k = 0; k < ids.size(); ++k) {
    ShapeTracker view = viewOf(ids[k]);
    if (!view || !view.isUnmasked() || view.isInjective() != true || view.numElements() != evaluations(ids[k]))
      return false;
    if (!llvm::all_of(ids.take_front(k), [&](Id other) { return areDisjoint(viewOf(other), view); }))
      return false;
  }
  return true;
}

Attribute Domains::reduceSpace(ReduceOp reduce) const {
  SmallVector<int64_t> key(shapeOf(reduce.getInputs().front()));
  key.push_back(-1);
  llvm::append_range(key, reduce.getAxes());
  return DenseI64ArrayAttr::get(context, key);
}

bool Domains::areLoops(Id id, ReduceOp reduce, ArrayRef<unsigned> axes) const {
  ShapeTracker tracker = viewOf(id);
  const View &view = tracker.views().back();
  ArrayRef<int64_t> shape = shapeOf(reduce.getResult(0));
  if (tracker.views().size() != 1 || !tracker.isUnmasked() || tracker.isInjective() != true ||
      tracker.numElements() != ShapedType::getNumElements(shape))
    return false;
  // The view is a bijection: a loop with the extent and the stride of an axis is that axis.
  ArrayRef<int64_t> inputShape = shapeOf(reduce.getInputs().front());
  return llvm::all_of(axes, [&](unsigned axis) {
    int64_t stride = 1;
    for (unsigned k = axis + 1; k < inputShape.size(); ++k)
      if (!llvm::is_contained(reduce.getAxes(), int64_t(k)))
        stride *= inputShape[k];
    auto isAxis = [&](unsigned loop) {
      return view.getShape()[loop] == inputShape[axis] && view.getStrides()[loop] == stride;
    };
    return llvm::any_of(spaces[domains[id].space].own, isAxis);
  });
}

Domains::Id Domains::inside(Id id, ReduceOp reduce, unsigned stage) {
  ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
  // A tile is of what the kernel stores, in loops of its own.
  SmallVector<unsigned, 1> tileAxes;
  if (!spaces[domains[id].space].parent)
    tileAxes = findTileAxes(reduce);
  if (!areLoops(id, reduce, tileAxes))
    tileAxes.clear();
  int64_t tile = 1;
  for (unsigned axis : tileAxes)
    tile *= shape[axis];
  if (tile > maxTile)
    tileAxes.clear();
  Attribute loops = reduceSpace(reduce);
  if (!tileAxes.empty()) {
    SmallVector<int64_t> axes(tileAxes.begin(), tileAxes.end());
    loops = ArrayAttr::get(context, {loops, DenseI64ArrayAttr::get(context, axes)});
  }
  auto [it, isNew] = reductions.try_emplace({id, stage, loops}, spaces.size());
  if (isNew) {
    Space space{kernel(id), evaluations(id), SmallVector<int64_t, 6>(shape), {}, id};
    space.tileAxes = tileAxes;
    for (int64_t axis : reduce.getAxes()) {
      space.own.push_back(axis);
      space.points *= shape[axis];
    }
    addSpace(std::move(space));
  }
  return make(it->second, ShapeTracker::identity(shape), shape);
}

} // namespace tiny::lazy
