// Emits single operations and reductions: copies, lanes, strided and gathered loads, accumulators.
#include "Emitter.h"

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Support/ReductionIdentity.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

LogicalResult Emitter::emitOp(Operation *op) {
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  AxisList copyAxes = fragmentProducts.contains(op) ? getCopyAxes(reduce.getResult(0), Corner)
                      : reduce                      ? getCopyAxesOfOperands(op)
                      : op->getNumResults()         ? getCopyAxes(op->getResult(0))
                                                    : getCopyAxesOfOperands(op);
  if (countCopies(copyAxes) > options.maxCopies)
    return op->emitError() << "depends on upcast and unroll ranges with more than " << options.maxCopies
                           << " points together, and each would be a copy";
  if (reduce)
    return emitReduce(reduce);
  if (auto store = dyn_cast<kernel::StoreOp>(op)) {
    emitStore(store);
    return success();
  }
  if (auto stage = dyn_cast<kernel::StageOp>(op))
    return emitStage(stage);
  if (auto scan = dyn_cast<kernel::ScanOp>(op))
    return emitScan(scan);
  for (Form form : {FirstLane, Corner, Full}) {
    if (llvm::none_of(op->getResults(), [&](Value result) { return wanted.contains({result, form}); }))
      continue;
    if (auto load = dyn_cast<kernel::LoadOp>(op))
      emitLoad(load, form);
    else
      emitLanewise(op, form);
  }
  return success();
}

SmallVector<Value> Emitter::clone(Operation *op, ValueRange operands) {
  int64_t lanes = 1;
  for (Value operand : operands)
    if (auto vector = dyn_cast<VectorType>(operand.getType()))
      lanes = vector.getNumElements();
  bool onVectors = lanes != 1;
  SmallVector<Value> inputs(operands);
  if (onVectors && isa<sym::RangeOfOp>(op))
    return inputs;
  // select takes one condition for all lanes.
  bool scalarFirst = isa<arith::SelectOp>(op) && !isa<VectorType>(inputs.front().getType());
  if (onVectors)
    for (Value &input : MutableArrayRef(inputs).drop_front(scalarFirst ? 1 : 0))
      input = broadcast(input, lanes);
  IRMapping mapping;
  mapping.map(op->getOperands(), inputs);
  Operation *copy = op->clone(mapping);
  copy->setOperands(inputs);
  if (onVectors)
    for (Value result : copy->getResults())
      result.setType(VectorType::get(lanes, result.getType()));
  // Index arithmetic on the constants that copies bring folds at once; floats are left to canonicalization, where a
  // folded function is a choice.
  bool exact =
      llvm::all_of(copy->getResultTypes(), [](Type type) { return getElementTypeOrSelf(type).isIntOrIndex(); });
  SmallVector<OpFoldResult> folded;
  // Folding in place, which moves a constant to the right, leaves no results and may open the next fold.
  for (int round = 0; exact && folded.empty() && round < 3; ++round)
    if (failed(copy->fold(folded)))
      break;
  SmallVector<Value> results;
  for (OpFoldResult result : folded) {
    if (auto value = dyn_cast<Value>(result))
      results.push_back(value);
    else if (auto attr = dyn_cast<TypedAttr>(cast<Attribute>(result)))
      results.push_back(constant(attr));
  }
  if (!results.empty() && results.size() == copy->getNumResults()) {
    copy->destroy();
    return results;
  }
  builder.insert(copy);
  return copy->getResults();
}

void Emitter::emitLanewise(Operation *op, Form form) {
  AxisList copyAxes = getCopyAxes(op->getResult(0), form);
  SmallVector<Packet> operands;
  for (Value operand : op->getOperands())
    operands.push_back(read(operand, copyAxes, form));
  SmallVector<Packet> results(op->getNumResults());
  for (unsigned point : llvm::seq<unsigned>(countCopies(copyAxes))) {
    SmallVector<Value> inputs;
    for (const Packet &operand : operands)
      inputs.push_back(operand[point]);
    if (form == Full && getDotAxis(op->getResult(0)))
      for (auto [input, operand] : llvm::zip_equal(inputs, op->getOperands()))
        input = spread(input, operand, getLanes(op->getResult(0)));
    for (auto [packet, value] : llvm::zip_equal(results, clone(op, inputs)))
      packet.push_back(value);
  }
  for (auto [result, packet] : llvm::zip_equal(op->getResults(), results)) {
    for (Value &value : packet)
      value = broadcast(value, form == Full ? getLanes(result) : 1);
    packets[{result, form}] = std::move(packet);
  }
}

Value Emitter::pickLanes(Value value, ArrayRef<int64_t> picked, unsigned depth) {
  auto type = VectorType::get(picked.size(), getElementTypeOrSelf(value.getType()));
  Operation *op = value.getDefiningOp();
  if (DenseElementsAttr attr; matchPattern(value, m_Constant(&attr))) {
    SmallVector<Attribute> elements(attr.getValues<Attribute>());
    return constant(DenseElementsAttr::get(
        type, llvm::map_to_vector(picked, [&](int64_t lane) -> Attribute { return elements[lane]; })));
  }
  if (auto all = dyn_cast_if_present<vector::BroadcastOp>(op))
    return all.getType() == type ? value : broadcast(all.getSource(), type.getNumElements());
  // Pick from the operands instead of the result where that may be a condition: moving single bits takes longer.
  if (depth > 0 &&
      isa_and_present<arith::CmpIOp, arith::AndIOp, arith::OrIOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    Value sides[] = {pickLanes(op->getOperand(0), picked, depth - 1), pickLanes(op->getOperand(1), picked, depth - 1)};
    Operation *copy = builder.clone(*op);
    copy->setOperands(sides);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }
  return vector::ShuffleOp::create(builder, value.getLoc(), value, value, picked);
}

Value Emitter::reverseLanes(Value value) {
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  return pickLanes(value, llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(lanes))));
}

Value Emitter::emitStridedLoad(kernel::LoadOp load, int64_t lanes, int64_t distance, Value buffer, Value index,
                               Value gate) {
  int64_t step = std::abs(distance), count = lanes * step;
  auto getPlace = [&](int64_t lane) { return step * (distance < 0 ? lanes - 1 - lane : lane); };
  if (distance < 0) {
    Value back = constant(builder.getIndexAttr(step * (lanes - 1)));
    index = builder.createOrFold<arith::SubIOp>(load.getLoc(), index, back);
  }
  auto lanesType = VectorType::get(count, builder.getI1Type());
  Value mask;
  if (step == 1) {
    mask = gate && isa<VectorType>(gate.getType()) ? reverseLanes(gate) : gate;
  } else if (gate && isa<VectorType>(gate.getType())) {
    // The elements between the lanes are off.
    Value none = constant(DenseElementsAttr::get(cast<VectorType>(gate.getType()), false));
    SmallVector<int64_t> spread(count, lanes);
    for (int64_t lane : llvm::seq(lanes))
      spread[getPlace(lane)] = lane;
    mask = vector::ShuffleOp::create(builder, load.getLoc(), gate, none, spread);
  } else {
    // Behind the last lane the buffer may end.
    SmallVector<bool> read(count, true);
    std::fill(read.end() - step + 1, read.end(), false);
    mask = constant(DenseElementsAttr::get(lanesType, read));
    if (gate)
      mask = arith::AndIOp::create(builder, load.getLoc(), mask, broadcast(gate, count));
  }
  Value all = uop::LoadOp::create(builder, load.getLoc(), VectorType::get(count, load.getType()), buffer, index, mask);
  SmallVector<int64_t> picked;
  for (int64_t lane : llvm::seq(lanes))
    picked.push_back(getPlace(lane));
  return vector::ShuffleOp::create(builder, load.getLoc(), all, all, picked);
}

void Emitter::emitLoad(kernel::LoadOp load, Form form) {
  if (form == Full && getDotAxis(load.getResult()))
    return emitDotLoad(load);
  if (isHeldTile(load.getBuffer()))
    return emitHeldLoad(load);
  AxisList copyAxes = getCopyAxes(load.getResult(), form);
  int64_t lanes = form == Full ? getLanes(load.getResult()) : 1;
  bool advances = lanes != 1 && hasLanes(load.getIndex());
  Value buffer = packets[{load.getBuffer(), Full}].front();
  auto found = form == Full ? distances.find(load) : distances.end();
  std::optional<int64_t> distance = found == distances.end() ? std::nullopt : std::optional(found->second);
  bool isGather = distance == std::optional<int64_t>(0);
  Packet indices = read(load.getIndex(), copyAxes, isGather ? Full : form == Corner ? Corner : FirstLane), gates;
  if (load.getGate())
    gates = read(load.getGate(), copyAxes, form);
  Packet packet;
  Type type = load.getType();
  for (unsigned point : llvm::seq<unsigned>(countCopies(copyAxes))) {
    Value gate = gates.empty() ? Value() : gates[point];
    if (isGather) {
      packet.push_back(
          uop::GatherOp::create(builder, load.getLoc(), VectorType::get(lanes, type), buffer, indices[point], gate));
      continue;
    }
    if (distance) {
      packet.push_back(emitStridedLoad(load, lanes, *distance, buffer, indices[point], gate));
      continue;
    }
    // One element for all lanes is read when any lane asks for it.
    if (gate && !advances && isa<VectorType>(gate.getType()))
      gate = vector::ReductionOp::create(builder, load.getLoc(), vector::CombiningKind::OR, gate);
    Value value = uop::LoadOp::create(builder, load.getLoc(), advances ? VectorType::get(lanes, type) : type, buffer,
                                      indices[point], gate);
    packet.push_back(broadcast(value, lanes));
  }
  packets[{load.getResult(), form}] = std::move(packet);
}

void Emitter::emitStore(kernel::StoreOp store) {
  AxisList copyAxes = getCopyAxesOfOperands(store);
  int64_t lanes = getLanesOfOperands(store);
  auto found = distances.find(store);
  if (found != distances.end() && found->second != 0)
    return emitInterleavedStore(store, found->second);
  bool isScattered = found != distances.end();
  Value buffer = packets[{store.getBuffer(), Full}].front();
  Packet indices = read(store.getIndex(), copyAxes, isScattered ? Full : FirstLane),
         values = read(store.getValue(), copyAxes), gates;
  if (store.getGate())
    gates = read(store.getGate(), copyAxes);
  auto pick = [&](Value value, int64_t lane) -> Value {
    if (!value || !isa<VectorType>(value.getType()))
      return value;
    return vector::ExtractOp::create(builder, store.getLoc(), value, lane);
  };
  for (unsigned point : llvm::seq<unsigned>(countCopies(copyAxes))) {
    Value value = values[point], index = indices[point];
    Value gate = gateLanes(store, gates.empty() ? Value() : gates[point]);
    if (!isScattered)
      uop::StoreOp::create(builder, store.getLoc(), broadcast(value, lanes), buffer, index, gate);
    for (int64_t lane : llvm::seq(isScattered ? lanes : 0))
      uop::StoreOp::create(builder, store.getLoc(), pick(value, lane), buffer, pick(index, lane), pick(gate, lane));
  }
}

//===--- Reductions -----------------------------------------------------------------------------------------------===//

void Emitter::findProducts() {
  if (!options.contract)
    return;
  for (Operation *op : order) {
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    if (!reduce || fragmentProducts.contains(op) || reduce.getKind() != arith::AtomicRMWKind::addf ||
        reduce.getInputs().size() != 1 ||
        !arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::contract))
      continue;
    auto product = reduce.getInputs().front().getDefiningOp<arith::MulFOp>();
    // A product that stands outside the loop is computed once there, which is better than to fuse it.
    if (product && product->hasOneUse() && (product.getType().isF32() || product.getType().isF64()) &&
        nest->getHome(product) == nest->getHome(reduce))
      products.insert(product);
  }
}

int64_t Emitter::getAccumulatorLanes(kernel::ReduceOp reduce, Value result) const {
  // Only a reduce with a kind may be over lanes, which its accumulators then have and its results do not.
  return reduce.getKind() ? getLanesOfOperands(reduce) / (dots.contains(reduce) ? kernel::kDotPoints : 1)
                          : getLanes(result);
}

Emitter::Packet Emitter::buildInits(kernel::ReduceOp reduce) {
  if (auto product = fragmentProducts.find(reduce); product != fragmentProducts.end())
    return buildFragments(reduce, product->second);
  Packet packet;
  for (auto [i, result] : llvm::enumerate(reduce.getResults())) {
    AxisList copyAxes = getCopyAxes(result);
    Packet starts;
    if (reduce.getKind())
      starts.assign(countCopies(copyAxes),
                    constant(getReductionIdentity(*reduce.getKind(), result.getType(), builder, reduce.getLoc())));
    else
      starts = read(reduce.getInits()[i], copyAxes);
    for (Value start : starts)
      packet.push_back(broadcast(start, getAccumulatorLanes(reduce, result)));
  }
  return packet;
}

void Emitter::combineKind(kernel::ReduceOp reduce, Packet &accumulated) {
  AxisList copyAxes = getCopyAxes(reduce.getResult(0));
  SmallVector<unsigned> closed = nest->getClosedCopies(reduce);
  llvm::erase_if(closed, [&](unsigned axis) { return llvm::is_contained(laneAxes, axis); });
  int64_t lanes = getLanesOfOperands(reduce);
  // The closed axes go last, so their points follow each other inside each point of the result.
  AxisList all = copyAxes;
  llvm::append_range(all, closed);
  unsigned points = countCopies(copyAxes), inner = countCopies(closed);
  auto product = reduce.getInputs().front().getDefiningOp<arith::MulFOp>();
  if (product && products.contains(product)) {
    Packet left = read(product.getLhs(), all), right = read(product.getRhs(), all);
    for (unsigned at : llvm::seq(points * inner))
      accumulated[at / inner] =
          math::FmaOp::create(builder, product.getLoc(), broadcast(left[at], lanes), broadcast(right[at], lanes),
                              accumulated[at / inner], reduce.getFastmath());
    return;
  }
  for (auto [k, input] : llvm::enumerate(reduce.getInputs())) {
    Packet elements = read(input, all);
    for (unsigned at : llvm::seq(points * inner)) {
      Value &accumulator = accumulated[k * points + at / inner];
      accumulator = arith::getReductionOp(*reduce.getKind(), builder, reduce.getLoc(), accumulator,
                                          broadcast(elements[at], lanes));
      if (auto op = accumulator.getDefiningOp<arith::ArithFastMathInterface>())
        op->setAttr(op.getFastMathAttrName(), reduce.getFastmathAttr());
    }
  }
}

void Emitter::combineRegion(kernel::ReduceOp reduce, Packet &accumulated) {
  // Lanes that the reduce is over need a kind, so all that is closed here are copies.
  // Inside the combiner, too, a value has a copy for each point of the axes that it depends on, and no more: what the
  // accumulators of a tile share is computed once for all of them.
  struct Copies {
    AxisList axes;
    Packet values;
  };
  Block &combiner = reduce.getCombiner().front();
  SmallVector<unsigned> closed = nest->getClosedCopies(reduce);
  unsigned count = reduce.getNumResults(), inner = countCopies(closed);
  SmallVector<Copies> elements;
  for (Value input : reduce.getInputs()) {
    AxisList axes = getCopyAxes(input);
    llvm::erase_if(axes, [&](unsigned axis) { return llvm::is_contained(closed, axis); });
    AxisList all = axes;
    llvm::append_range(all, closed);
    elements.push_back({axes, read(input, all)});
  }
  for (unsigned step : llvm::seq(inner)) {
    llvm::DenseMap<Value, Copies> copies;
    auto rest = ArrayRef<Value>(accumulated);
    for (auto [k, result] : llvm::enumerate(reduce.getResults())) {
      AxisList axes = getCopyAxes(result);
      unsigned points = countCopies(axes);
      copies[combiner.getArgument(k)] = {axes, Packet(rest.take_front(points))};
      rest = rest.drop_front(points);
      Copies &element = copies[combiner.getArgument(count + k)];
      element.axes = elements[k].axes;
      for (size_t at = step; at < elements[k].values.size(); at += inner)
        element.values.push_back(elements[k].values[at]);
    }
    auto readAt = [&](Value value, ArrayRef<unsigned> axes) {
      const Copies &source = copies.find(value)->second;
      Packet values;
      for (unsigned position : project(axes, source.axes))
        values.push_back(source.values[position]);
      return values;
    };
    for (Operation &op : combiner.without_terminator()) {
      if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
        copies[constantOp.getResult()] = {{}, {constant(constantOp.getValue())}};
        continue;
      }
      AxisList axes;
      for (Value operand : op.getOperands())
        llvm::append_range(axes, copies.find(operand)->second.axes);
      llvm::sort(axes);
      axes.erase(llvm::unique(axes), axes.end());
      SmallVector<Packet> operands;
      for (Value operand : op.getOperands())
        operands.push_back(readAt(operand, axes));
      SmallVector<Packet> results(op.getNumResults());
      for (unsigned point : llvm::seq<unsigned>(countCopies(axes))) {
        SmallVector<Value> inputs;
        for (const Packet &operand : operands)
          inputs.push_back(operand[point]);
        for (auto [packet, value] : llvm::zip_equal(results, clone(&op, inputs)))
          packet.push_back(value);
      }
      for (auto [result, packet] : llvm::zip_equal(op.getResults(), results))
        copies[result] = {axes, std::move(packet)};
    }
    Packet next;
    for (auto [yielded, result] : llvm::zip_equal(combiner.getTerminator()->getOperands(), reduce.getResults()))
      for (Value value : readAt(yielded, getCopyAxes(result)))
        next.push_back(broadcast(value, getLanes(result)));
    accumulated = std::move(next);
  }
}

static vector::CombiningKind getLaneKind(arith::AtomicRMWKind kind) {
  switch (kind) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::addi:
    return vector::CombiningKind::ADD;
  case arith::AtomicRMWKind::mulf:
  case arith::AtomicRMWKind::muli:
    return vector::CombiningKind::MUL;
  case arith::AtomicRMWKind::maximumf:
    return vector::CombiningKind::MAXIMUMF;
  case arith::AtomicRMWKind::minimumf:
    return vector::CombiningKind::MINIMUMF;
  case arith::AtomicRMWKind::maxnumf:
    return vector::CombiningKind::MAXNUMF;
  case arith::AtomicRMWKind::minnumf:
    return vector::CombiningKind::MINNUMF;
  case arith::AtomicRMWKind::maxs:
    return vector::CombiningKind::MAXSI;
  case arith::AtomicRMWKind::mins:
    return vector::CombiningKind::MINSI;
  case arith::AtomicRMWKind::maxu:
    return vector::CombiningKind::MAXUI;
  case arith::AtomicRMWKind::minu:
    return vector::CombiningKind::MINUI;
  case arith::AtomicRMWKind::andi:
    return vector::CombiningKind::AND;
  case arith::AtomicRMWKind::ori:
    return vector::CombiningKind::OR;
  case arith::AtomicRMWKind::xori:
    return vector::CombiningKind::XOR;
  case arith::AtomicRMWKind::assign:
    break;
  }
  llvm_unreachable("a reduce has no such kind");
}

Value Emitter::combineLanes(kernel::ReduceOp reduce, Value result, Value accumulator) {
  if (!isa<VectorType>(accumulator.getType()) || hasLanes(result))
    return accumulator;
  assert(reduce.getKind() && "only such a reduce is over lanes");
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(accumulator.getType()));
  return vector::ReductionOp::create(builder, reduce.getLoc(), getLaneKind(*reduce.getKind()), accumulator,
                                     isFloat ? reduce.getFastmath() : arith::FastMathFlags::none);
}

void Emitter::setResults(kernel::ReduceOp reduce, ArrayRef<Value> accumulated) {
  if (fragmentProducts.contains(reduce)) {
    setElements(reduce, accumulated);
    return;
  }
  Packet combined(accumulated);
  if (rowReduces.contains(reduce)) {
    reduceRows(reduce, combined);
    accumulated = combined;
  }
  for (Value result : reduce.getResults()) {
    unsigned points = countCopies(getCopyAxes(result));
    Packet packet;
    for (Value accumulator : accumulated.take_front(points))
      packet.push_back(reduceGroup(reduce, combineLanes(reduce, result, accumulator)));
    accumulated = accumulated.drop_front(points);
    packets[{result, Full}] = std::move(packet);
  }
}

LogicalResult Emitter::emitReduce(kernel::ReduceOp reduce) {
  if (failed(countGroupAxes(reduce)))
    return failure();
  bool isLoop = !nest->getClosedLoops(reduce).empty();
  kernel::StageOp tile = kernel::getAccumulatingTile(reduce);
  if (tile && failed(checkAccumulated(reduce)))
    return failure();
  bool isInTile = tile && !nest->getAccumulatingLoops(tile).empty();
  Packet inits = isLoop ? Packet() : isInTile ? loadAccumulators(tile) : buildInits(reduce);
  Packet &accumulated = isLoop ? accumulators[reduce] : inits;
  if (auto product = fragmentProducts.find(reduce); product != fragmentProducts.end())
    combineFragments(reduce, product->second, accumulated);
  else if (auto product = dots.find(reduce); product != dots.end())
    combineDots(product->second, accumulated);
  else if (reduce.getKind())
    combineKind(reduce, accumulated);
  else
    combineRegion(reduce, accumulated);
  if (!isLoop)
    setResults(reduce, accumulated);
  return success();
}

//===--- Scans ----------------------------------------------------------------------------------------------------===//

Emitter::Packet Emitter::buildInits(kernel::ScanOp scan) {
  Value first = constant(getScanIdentity(scan.getKind(), scan.getType(), builder, scan.getLoc()));
  return Packet(countCopies(getCopyAxes(scan.getResult())), broadcast(first, getLanes(scan.getResult())));
}

LogicalResult Emitter::emitScan(kernel::ScanOp scan) {
  Packet &values = running[scan];
  Packet elements = read(scan.getInput(), getCopyAxes(scan.getResult()));
  for (auto [value, element] : llvm::zip_equal(values, elements))
    value = arith::getReductionOp(scan.getKind(), builder, scan.getLoc(), value,
                                  broadcast(element, getLanes(scan.getResult())));
  packets[{scan.getResult(), Full}] = values;
  return success();
}

} // namespace tiny::kernel_to_uop
