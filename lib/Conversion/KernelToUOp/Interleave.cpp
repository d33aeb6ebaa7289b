// Stores of lanes that lie apart, between which copies of the body store: all of them together are whole vectors.
#include "Emitter.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

/// Every lane `count` times, one after the other.
static SmallVector<int64_t> repeatLanes(int64_t lanes, int64_t count) {
  return llvm::map_to_vector(llvm::seq(lanes * count), [&](int64_t k) { return k / count; });
}

Value Emitter::interleaveBehind(Location loc, ArrayRef<Value> values) {
  int64_t count = values.size(), lanes = cast<VectorType>(values.front().getType()).getNumElements();
  SmallVector<Value> halves(values);
  int64_t length = lanes;
  for (; halves.size() > 2; length *= 2) {
    SmallVector<Value> pairs;
    for (size_t k = 0; k < halves.size(); k += 2)
      pairs.push_back(vector::ShuffleOp::create(builder, loc, halves[k], halves[std::min(k + 1, halves.size() - 1)],
                                                llvm::to_vector(llvm::seq(2 * length))));
    halves = std::move(pairs);
  }
  return vector::ShuffleOp::create(
      builder, loc, halves[0], halves[1],
      llvm::map_to_vector(llvm::seq(lanes * count), [&](int64_t k) { return k % count * lanes + k / count; }));
}

/// Where instructions pick from two vectors, halves are interleaved first: those of even and of odd places.
Value Emitter::interleave(Location loc, ArrayRef<Value> values) {
  int64_t count = values.size(), lanes = cast<VectorType>(values.front().getType()).getNumElements();
  if (count == 1)
    return values.front();
  // Elsewhere LLVM makes several times as many instructions of one shuffle behind another.
  if (count > 2 && (!options.picksFromTwo || (count % 2 == 1 && count > 3)))
    return interleaveBehind(loc, values);
  if (count % 2 == 0) {
    SmallVector<Value> halves[2];
    for (auto [k, value] : llvm::enumerate(values))
      halves[k % 2].push_back(value);
    Value even = interleave(loc, halves[0]), odd = interleave(loc, halves[1]);
    // In this order, or it becomes a vector.interleave, which not every target has.
    int64_t all = lanes * count / 2;
    return vector::ShuffleOp::create(builder, loc, odd, even, llvm::map_to_vector(llvm::seq(2 * all), [&](int64_t k) {
                                       return (1 - k % 2) * all + k / 2;
                                     }));
  }
  // One value after the other takes its places.
  Value result = pickLanes(values.front(), repeatLanes(lanes, count));
  for (auto [place, value] : llvm::drop_begin(llvm::enumerate(values))) {
    SmallVector<int64_t> picked = llvm::to_vector(llvm::seq(lanes * count));
    for (int64_t lane : llvm::seq(lanes))
      picked[lane * count + place] += lanes * count;
    result = vector::ShuffleOp::create(builder, loc, result, pickLanes(value, repeatLanes(lanes, count)), picked);
  }
  return result;
}

Value Emitter::interleaveGates(Location loc, ArrayRef<Value> gates, int64_t lanes) {
  if (!gates.front())
    return Value();
  if (!llvm::all_equal(gates))
    return interleave(loc, llvm::map_to_vector(gates, [&](Value gate) { return broadcast(gate, lanes); }));
  Value gate = gates.front();
  return isa<VectorType>(gate.getType()) ? pickLanes(gate, repeatLanes(lanes, gates.size())) : gate;
}

void Emitter::emitInterleavedStore(kernel::StoreOp store, int64_t distance) {
  AxisList copyAxes = getCopyAxesOfOperands(store);
  int64_t lanes = getLanesOfOperands(store);
  // Its points go last, so that they follow each other.
  unsigned *between = llvm::find_if(copyAxes, [&](unsigned axis) {
    return countPoints(axis) == distance &&
           kernel::AccessStride(kernel::RangeOp(nest->getAxes()[axis].range)).get(store.getIndex()) ==
               std::optional<int64_t>(1);
  });
  assert(between != copyAxes.end() && "such lanes are chosen where there is one");
  std::rotate(between, between + 1, copyAxes.end());
  Packet indices = read(store.getIndex(), copyAxes, FirstLane), values = read(store.getValue(), copyAxes), gates;
  if (store.getGate())
    gates = read(store.getGate(), copyAxes);
  Value buffer = packets[{store.getBuffer(), Full}].front();
  for (int64_t first = 0, count = countCopies(copyAxes); first < count; first += distance) {
    SmallVector<Value> parts, masks;
    for (int64_t point : llvm::seq(first, first + distance)) {
      parts.push_back(broadcast(values[point], lanes));
      masks.push_back(gates.empty() ? Value() : gates[point]);
    }
    Value gate = gateLanes(store, interleaveGates(store.getLoc(), masks, lanes));
    uop::StoreOp::create(builder, store.getLoc(), interleave(store.getLoc(), parts), buffer, indices[first], gate);
  }
}

} // namespace tiny::kernel_to_uop
