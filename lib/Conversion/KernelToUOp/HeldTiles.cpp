// Tiles in registers along lanes or fragments: what a lane holds of a row, or of a matrix, stays where it is. A load
// walks along other ranges of the same extents, so it is the same copies by other names. Reductions along columns of
// matrices combine what the lane holds of a row, and then what others hold of it.
#include "Emitter.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

/// The index where all ranges are 0, where it is a sum of multiples of them and of numbers.
static std::optional<int64_t> evaluateAtOrigin(Value index) {
  SmallVector<std::pair<Value, int64_t>> pending{{index, 1}};
  int64_t sum = 0;
  while (!pending.empty()) {
    auto [value, factor] = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (isa_and_present<kernel::RangeOp>(op))
      continue;
    if (std::optional<int64_t> number = getConstantIntValue(value)) {
      sum += *number * factor;
    } else if (isa_and_present<arith::AddIOp>(op)) {
      pending.append({{op->getOperand(0), factor}, {op->getOperand(1), factor}});
    } else if (isa_and_present<arith::MulIOp>(op)) {
      std::optional<int64_t> left = getConstantIntValue(op->getOperand(0)),
                             right = getConstantIntValue(op->getOperand(1));
      if (!left && !right)
        return std::nullopt;
      pending.push_back({op->getOperand(left ? 1 : 0), factor * (left ? *left : *right)});
    } else {
      return std::nullopt;
    }
  }
  return sum;
}

LogicalResult Emitter::findHeldTile(kernel::LoadOp load, kernel::StageOp stage) {
  auto refuse = [&] { return load.emitError("reads a tile that the lanes hold in another order than it is filled"); };
  if (load.getGate() || evaluateAtOrigin(load.getIndex()) != std::optional<int64_t>(0))
    return refuse();
  // Ranges of the index by stride; those of the tile have one each.
  llvm::SmallDenseMap<int64_t, kernel::RangeOp> walking;
  for (unsigned position : sets->getOpen(load.getIndex())) {
    kernel::RangeOp range = sets->getRanges()[position];
    std::optional<int64_t> stride = kernel::AccessStride(range.getResult()).get(load.getIndex());
    if (!stride || !walking.try_emplace(*stride, range).second)
      return refuse();
  }
  auto getRole = [&](kernel::RangeOp range) { return nest->getAxes()[nest->getAxis(range)].role; };
  int64_t stride = 1;
  auto &axes = heldLoads[load];
  for (Value value : llvm::reverse(stage.getRanges())) {
    auto own = value.getDefiningOp<kernel::RangeOp>();
    kernel::RangeOp other = walking.lookup(stride);
    if (!other || other.getExtent() != own.getExtent() || getRole(own) == AxisRole::Loop ||
        getRole(own) != getRole(other))
      return refuse();
    walking.erase(stride);
    axes[nest->getAxis(own)] = nest->getAxis(other);
    if (isFragment(own) && !(own == fragmentRows && other == own)) {
      if (!isColumns(own))
        return stage.emitError() << "is a tile in registers along range id(" << own.getId()
                                 << ") of kind fragment, which is no column of a product";
      fragmentColumns.insert(other);
    }
    stride *= own.getExtent();
  }
  return walking.empty() ? success() : refuse();
}

LogicalResult Emitter::findHeldTiles() {
  for (Operation *op : order)
    if (auto load = dyn_cast<kernel::LoadOp>(op); load && isHeldTile(load.getBuffer()))
      if (failed(findHeldTile(load, load.getBuffer().getDefiningOp<kernel::StageOp>())))
        return failure();
  return success();
}

LogicalResult Emitter::checkHeldLanes() {
  for (auto &[op, axes] : heldLoads)
    for (const auto &pair : axes) {
      auto own = pair.first;
      auto other = pair.second;
      if (nest->getAxes()[own].role != AxisRole::Special)
        continue;
      bool isSame = llvm::any_of(localAxes, [&](const AxisList &members) {
        return llvm::is_contained(members, own) && llvm::is_contained(members, other);
      });
      if (!isSame)
        return op->emitError("reads a tile in registers that other lanes hold");
    }
  return success();
}

LogicalResult Emitter::findRowReduces() {
  for (Operation *op : order) {
    if (isa<kernel::RangeOp>(op) || products.contains(op) || fragmentProducts.contains(op))
      continue;
    int64_t columns = 0;
    for (unsigned position : sets->getOpenOfOperands(op))
      columns += isColumns(sets->getRanges()[position]);
    auto load = dyn_cast<kernel::LoadOp>(op);
    bool isIndex = op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
    if (columns > 1 && !isIndex && !(load && isHeldTile(load.getBuffer())))
      return op->emitError("varies along two ranges of kind fragment that are columns");
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    if (!reduce || llvm::none_of(reduce.getRanges(),
                                 [&](Value range) { return isFragment(range.getDefiningOp<kernel::RangeOp>()); }))
      continue;
    SmallVector<kernel::RangeOp> open = getFragmentRanges(reduce.getInputs().front());
    if (!nest->getClosedLoops(reduce).empty() || columns != 1 || !llvm::is_contained(open, fragmentRows))
      return reduce.emitError("combines what lanes hold, but not along one row of a product and nothing else");
    rowReduces.insert(reduce);
  }
  return success();
}

SmallVector<unsigned> Emitter::findElements(ArrayRef<unsigned> outer, ArrayRef<unsigned> copyAxes) const {
  AxisList all(outer);
  all.push_back(*fragmentAxis);
  return project(all, copyAxes);
}

void Emitter::reduceRows(kernel::ReduceOp reduce, MutableArrayRef<Value> accumulated) {
  AxisList axes = getCopyAxes(reduce.getResult(0)), outer = axes;
  llvm::erase(outer, *fragmentAxis);
  Location loc = reduce.getLoc();
  auto type = VectorType::get(heldElements, reduce.getResult(0).getType());
  uop::FragmentType sum = fragmentProducts.begin()->second.sum;
  auto fragment = uop::FragmentType::get(builder.getContext(), sum.getRole(), sum.getRows(), sum.getColumns(),
                                         type.getElementType(), sum.getSubgroups());
  SmallVector<unsigned> elements = findElements(outer, axes);
  for (size_t first = 0; first < elements.size(); first += heldElements) {
    SmallVector<Value> held;
    for (unsigned position : ArrayRef(elements).slice(first, heldElements))
      held.push_back(accumulated[position]);
    Value all = vector::FromElementsOp::create(builder, loc, type, held);
    all = uop::FragmentReduceOp::create(builder, loc, type, *reduce.getKind(), all, fragment);
    for (auto [k, position] : llvm::enumerate(ArrayRef(elements).slice(first, heldElements)))
      accumulated[position] = vector::ExtractOp::create(builder, loc, all, k);
  }
}

/// The axes of a packet over `copyAxes`, with the lanes of its vectors as the innermost one.
static SmallVector<unsigned> addLanes(ArrayRef<unsigned> copyAxes, std::optional<unsigned> lanes) {
  SmallVector<unsigned> axes(copyAxes);
  if (lanes)
    axes.push_back(*lanes);
  return axes;
}

void Emitter::emitHeldStage(kernel::StageOp stage) {
  Packet &elements = heldTiles[stage];
  for (Value value : packets.lookup({stage.getValue(), Full})) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type)
      elements.push_back(value);
    for (int64_t lane : llvm::seq(type ? type.getNumElements() : 0))
      elements.push_back(vector::ExtractOp::create(builder, stage.getLoc(), value, lane));
  }
}

void Emitter::emitHeldLoad(kernel::LoadOp load) {
  auto stage = load.getBuffer().getDefiningOp<kernel::StageOp>();
  AxisList from = addLanes(getCopyAxes(stage.getValue()), getLaneAxis(stage.getValue())),
           to = addLanes(getCopyAxes(load.getResult()), getLaneAxis(load.getResult()));
  const auto &renamed = heldLoads.find(load)->second;
  for (unsigned &axis : from)
    if (auto other = renamed.find(axis); other != renamed.end() && axis != fragmentAxis)
      axis = other->second;
  const Packet &elements = heldTiles.find(stage)->second;
  Packet packet;
  for (unsigned position : project(to, from))
    packet.push_back(elements[position]);
  if (int64_t lanes = getLanes(load.getResult()); lanes > 1) {
    Packet vectors;
    for (size_t first = 0; first < packet.size(); first += lanes)
      vectors.push_back(vector::FromElementsOp::create(builder, load.getLoc(), VectorType::get(lanes, load.getType()),
                                                       ArrayRef(packet).slice(first, lanes)));
    packet = std::move(vectors);
  }
  packets[{load.getResult(), Full}] = std::move(packet);
}

} // namespace tiny::kernel_to_uop
