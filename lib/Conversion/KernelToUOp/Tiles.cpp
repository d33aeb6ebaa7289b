// Tiles in memory: what fills them, and the reductions that they accumulate.
#include "Emitter.h"

#include "Tiny/Support/ReductionIdentity.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

Value Emitter::getTile(kernel::StageOp stage) {
  Packet &packet = packets[{stage.getTile(), Full}];
  if (packet.empty()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(&target.getBody().front().front());
    MemRefType type = stage.getTile().getType();
    packet = {stage.getSpace() == kernel::StageSpace::Local
                  ? uop::LocalOp::create(builder, stage.getLoc(), type, stage.getBuffersAttr()).getBuffer()
                  : uop::RegisterOp::create(builder, stage.getLoc(), type).getBuffer()};
  }
  return packet.front();
}

Emitter::Packet Emitter::findPlaces(kernel::StageOp stage) {
  AxisList copyAxes = getCopyAxesOfOperands(stage);
  Packet places(countCopies(copyAxes), constant(builder.getIndexAttr(0)));
  for (Value range : stage.getRanges()) {
    Value extent = constant(builder.getIndexAttr(range.getDefiningOp<kernel::RangeOp>().getExtent()));
    for (auto [place, index] : llvm::zip_equal(places, read(range, copyAxes, FirstLane))) {
      place = builder.createOrFold<arith::MulIOp>(stage.getLoc(), place, extent);
      place = builder.createOrFold<arith::AddIOp>(stage.getLoc(), place, index);
    }
  }
  return places;
}

LogicalResult Emitter::emitStage(kernel::StageOp stage) {
  if (isHeldTile(stage.getTile())) {
    emitHeldStage(stage);
    return success();
  }
  if (AxisList outer = getCopyAxes(stage.getTile()); !outer.empty())
    return stage.emitError() << "depends on range id(" << kernel::RangeOp(nest->getAxes()[outer.front()].range).getId()
                             << "), an axis of copies that it is not over: each copy would need a tile of its own";
  if (isShared(stage) && failed(checkShared(stage)))
    return failure();
  Value tile = getTile(stage);
  int64_t lanes = getLanesOfOperands(stage);
  Packet values = read(stage.getValue(), getCopyAxesOfOperands(stage));
  // Lanes wait here where no loop fills the tile, else around the loop.
  bool waits = isShared(stage) && nest->getClosedLoops(stage).empty();
  if (waits && nest->getHome(stage) != LoopNest::kRoot)
    uop::BarrierOp::create(builder, stage.getLoc());
  Value gate = isShared(stage) ? gateLanes(stage, Value()) : Value();
  for (auto [value, place] : llvm::zip_equal(values, findPlaces(stage)))
    uop::StoreOp::create(builder, stage.getLoc(), broadcast(value, lanes), tile, place, gate);
  if (waits)
    uop::BarrierOp::create(builder, stage.getLoc());
  return success();
}

LogicalResult Emitter::checkAccumulated(kernel::ReduceOp reduce) {
  kernel::StageOp stage = kernel::getAccumulatingTile(reduce);
  if (isShared(stage) || isHeldTile(stage.getTile()))
    return stage.emitError("accumulates in a tile that lanes share");
  if (getAccumulatorLanes(reduce, reduce.getResult(0)) != getLanes(reduce.getResult(0)))
    return reduce.emitError("combines lanes, and the tile that accumulates it has a place for their result alone");
  return success();
}

Emitter::Packet Emitter::loadAccumulators(kernel::StageOp stage) {
  Value result = stage.getValue(), tile = getTile(stage);
  AxisList copyAxes = getCopyAxes(result);
  int64_t lanes = getLanes(result);
  Type type = lanes == 1 ? result.getType() : VectorType::get(lanes, result.getType());
  Packet values(countCopies(copyAxes));
  // Places that the result does not depend on hold the same.
  for (auto [point, place] : llvm::zip_equal(project(getCopyAxesOfOperands(stage), copyAxes), findPlaces(stage)))
    if (Value &value = values[point]; !value)
      value = uop::LoadOp::create(builder, stage.getLoc(), type, tile, place, Value());
  return values;
}

void Emitter::emitNeutral(kernel::StageOp stage) {
  Location loc = stage.getLoc();
  Value neutral =
      constant(getReductionIdentity(*stage.getAccumulated().getKind(), stage.getValue().getType(), builder, loc));
  Value end = constant(builder.getIndexAttr(stage.getTile().getType().getNumElements())), tile = getTile(stage);
  auto loop = uop::ForOp::create(builder, loc, end, ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = loop.getBody();
  body->empty() ? builder.setInsertionPointToEnd(body) : builder.setInsertionPoint(body->getTerminator());
  uop::StoreOp::create(builder, loc, neutral, tile, loop.getInductionVar(), Value());
}

} // namespace tiny::kernel_to_uop
