// Tiles of joined kernels: their places are at the greatest extents, not at the live ones.
#include "Join.h"

using namespace mlir;

namespace tiny::kernel {

void layOutTile(StageOp stage) {
  SmallVector<RangeOp> ranges;
  for (Value range : stage.getRanges())
    ranges.push_back(range.getDefiningOp<RangeOp>());
  if (llvm::none_of(ArrayRef(ranges).drop_front(), [](RangeOp range) { return bool(range.getSize()); }))
    return;
  for (Operation *user : llvm::make_early_inc_range(stage.getTile().getUsers())) {
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      continue;
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Value rest = load.getIndex(), place = arith::ConstantIndexOp::create(builder, loc, 0);
    int64_t stride = 1;
    for (auto [number, range] : llvm::enumerate(llvm::reverse(ranges))) {
      Value coordinate = rest;
      if (number + 1 < ranges.size()) {
        auto extent = static_cast<int64_t>(range.getExtent());
        Value live = range.getSize() ? range.getSize() : Value(arith::ConstantIndexOp::create(builder, loc, extent));
        // Where a size is 0 nothing is read, but divided by it nevertheless.
        live = arith::MaxSIOp::create(builder, loc, live, arith::ConstantIndexOp::create(builder, loc, 1));
        coordinate = arith::RemUIOp::create(builder, loc, rest, live);
        rest = arith::DivUIOp::create(builder, loc, rest, live);
      }
      Value distance =
          arith::MulIOp::create(builder, loc, coordinate, arith::ConstantIndexOp::create(builder, loc, stride));
      place = arith::AddIOp::create(builder, loc, place, distance);
      stride *= static_cast<int64_t>(range.getExtent());
    }
    load.getIndexMutable().assign(place);
  }
}

} // namespace tiny::kernel
