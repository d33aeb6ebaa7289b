// Sums of products of bytes on a range of kind dot: its points stand next to each other in each lane of a vector, and
// one operation multiplies the bytes of two vectors and adds up those of each lane.
#include "Emitter.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

static_assert(kernel::kDotPoints == uop::DotOp::kBytes);

std::optional<unsigned> Emitter::getDotAxis(Value value) const {
  for (unsigned position : sets->getOpen(value))
    if (unsigned axis = nest->getAxis(sets->getRanges()[position]); nest->getAxes()[axis].role == AxisRole::Dot)
      return axis;
  return std::nullopt;
}

LogicalResult Emitter::findDots() {
  auto isDot = [&](unsigned position) {
    return nest->getAxes()[nest->getAxis(sets->getRanges()[position])].role == AxisRole::Dot;
  };
  for (Operation *op : order)
    if (llvm::count_if(sets->getOpenOfOperands(op), isDot) > 1)
      return op->emitError("depends on two ranges of kind dot");
  for (const Axis &axis : nest->getAxes()) {
    if (axis.role != AxisRole::Dot)
      continue;
    kernel::RangeOp range = axis.range;
    unsigned position = sets->getPosition(range);
    if (static_cast<int64_t>(range.getExtent()) != kernel::kDotPoints)
      return range.emitError() << "range of kind dot has " << range.getExtent() << " points, expected "
                               << kernel::kDotPoints;
    for (Operation *op : order) {
      if (isa<kernel::RangeOp>(op) || !llvm::is_contained(sets->getOpenOfOperands(op), position))
        continue;
      auto reduce = dyn_cast<kernel::ReduceOp>(op);
      if (reduce && llvm::is_contained(reduce.getRanges(), range.getResult())) {
        std::string reason;
        std::optional<kernel::DotProduct> product = kernel::matchDotProduct(reduce, reason);
        if (!product)
          return reduce.emitError() << "is over range id(" << range.getId() << ") of kind dot: " << reason;
        dots[reduce] = *product;
        products.insert_range(product->inside);
        continue;
      }
      auto load = dyn_cast<kernel::LoadOp>(op);
      if (load ? kernel::AccessStride(range.getResult()).get(load.getIndex()) != std::optional<int64_t>(1)
               : !isa<sym::RangeOfOp>(op) && (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0))
        return op->emitError() << (load ? "does not move by one element along" : "is not done to each point of")
                               << " range id(" << range.getId() << ") of kind dot";
    }
  }
  return success();
}

Value Emitter::spread(Value value, Value operand, int64_t lanes) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return broadcast(value, lanes);
  int64_t count = vector.getNumElements();
  if (count == lanes)
    return value;
  bool isOfDots = getDotAxis(operand).has_value();
  SmallVector<int64_t> from;
  for (int64_t lane : llvm::seq(lanes))
    from.push_back(isOfDots ? lane % count : lane / (lanes / count));
  return vector::ShuffleOp::create(builder, value.getLoc(), value, value, from);
}

Value Emitter::narrowGate(kernel::LoadOp load, Value gate, int64_t bytes) {
  auto vector = dyn_cast<VectorType>(gate.getType());
  if (!vector)
    return gate;
  if (!hasLanes(load.getGate()) || hasLanes(load.getIndex()))
    return spread(gate, load.getGate(), bytes);
  if (!getDotAxis(load.getGate()))
    return vector::ReductionOp::create(builder, gate.getLoc(), vector::CombiningKind::OR, gate);
  Value any;
  for (int64_t begin = 0; begin < vector.getNumElements(); begin += bytes) {
    Value part =
        vector::ShuffleOp::create(builder, gate.getLoc(), gate, gate, llvm::to_vector(llvm::seq(begin, begin + bytes)));
    any = any ? arith::OrIOp::create(builder, gate.getLoc(), any, part) : part;
  }
  return any;
}

void Emitter::emitDotLoad(kernel::LoadOp load) {
  AxisList copyAxes = getCopyAxes(load.getResult());
  std::optional<unsigned> laneAxis = getLaneAxis(load.getIndex());
  int64_t lanes = (laneAxis ? getExtent(*laneAxis) : 1) * kernel::kDotPoints;
  Packet indices = read(load.getIndex(), copyAxes, FirstLane), gates, packet;
  if (load.getGate())
    gates = read(load.getGate(), copyAxes);
  for (unsigned point : llvm::seq<unsigned>(countCopies(copyAxes))) {
    Value gate = gates.empty() ? Value() : narrowGate(load, gates[point], lanes);
    Value value = uop::LoadOp::create(builder, load.getLoc(), VectorType::get(lanes, load.getType()),
                                      packets[{load.getBuffer(), Full}].front(), indices[point], gate);
    packet.push_back(spread(value, load.getIndex(), getLanes(load.getResult())));
  }
  packets[{load.getResult(), Full}] = std::move(packet);
}

void Emitter::combineDots(const kernel::DotProduct &product, Packet &accumulated) {
  kernel::ReduceOp reduce = product.reduce;
  AxisList all = getCopyAxes(reduce.getResult(0));
  unsigned points = countCopies(all);
  SmallVector<unsigned> closed = nest->getClosedCopies(reduce);
  llvm::erase_if(closed, [&](unsigned axis) { return llvm::is_contained(laneAxes, axis); });
  unsigned inner = countCopies(closed);
  llvm::append_range(all, closed);
  Packet left = read(product.left.bytes, all), right = read(product.right.bytes, all);
  int64_t lanes = getAccumulatorLanes(reduce, reduce.getResult(0)), bytes = lanes * kernel::kDotPoints;
  for (unsigned at : llvm::seq(points * inner)) {
    Value &sum = accumulated[at / inner];
    Value x = spread(left[at], product.left.bytes, bytes), y = spread(right[at], product.right.bytes, bytes);
    bool isScalar = !isa<VectorType>(sum.getType());
    if (isScalar)
      sum = vector::BroadcastOp::create(builder, reduce.getLoc(), VectorType::get(1, sum.getType()), sum);
    sum = uop::DotOp::create(builder, reduce.getLoc(), sum.getType(), x, y, sum, product.left.isUnsigned,
                             product.right.isUnsigned);
    if (isScalar)
      sum = vector::ExtractOp::create(builder, reduce.getLoc(), sum, 0);
  }
}

} // namespace tiny::kernel_to_uop
