// A tile that is filled for several rounds of a loop at once.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

StageOp findFilledStage(RangeOp axis) {
  for (Operation *user : axis->getUsers())
    if (auto stage = dyn_cast<StageOp>(user); stage && llvm::is_contained(stage.getRanges(), axis.getResult()))
      return stage;
  return nullptr;
}

/// What the tile's elements are computed by and that varies along the axis, definitions first.
static llvm::SetVector<Operation *> findVaryingSlice(StageOp stage, RangeOp axis) {
  llvm::DenseSet<Value> varying = findVarying(axis);
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> pending{stage.getValue()};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && op != axis && varying.contains(value) && needed.insert(op).second)
      llvm::append_range(pending, op->getOperands());
  }
  llvm::SetVector<Operation *> slice;
  for (Operation *op : sortByDependence(*axis->getBlock()))
    if (needed.contains(op))
      slice.insert(op);
  return slice;
}

std::string whyNotWiden(RangeOp filling, RangeOp axis) {
  StageOp stage = findFilledStage(filling);
  if (!stage)
    return llvm::formatv("axis {0} fills no tile", filling.getId());
  if (axis.getKind() != AxisKind::Loop || isReduced(axis) || isStaged(axis))
    return llvm::formatv("axis {0} is no free loop", axis.getId());
  if (!findVarying(axis).contains(stage.getValue()))
    return llvm::formatv("the tile does not vary along axis {0}", axis.getId());
  __int128 points = __int128(stage.getTile().getType().getNumElements()) * axis.getExtent();
  if (points >= (__int128(1) << 31))
    return "the tile would have 2^31 elements or more";
  llvm::SetVector<Operation *> slice = findVaryingSlice(stage, axis);
  for (Operation *op : slice) {
    if (isa<StageOp>(op))
      return llvm::formatv("another tile that varies along axis {0} takes part", axis.getId());
    // It would run in two loops.
    auto isWithin = [&](Operation *user) { return user == stage || slice.contains(user); };
    if (isa<ReduceOp, ScanOp>(op) && !llvm::all_of(op->getUsers(), isWithin))
      return llvm::formatv("a reduction or a scan that varies along axis {0} is used besides", axis.getId());
  }
  return "";
}

RangeOp widenStage(RewriterBase &rewriter, RangeOp filling, RangeOp axis) {
  StageOp stage = findFilledStage(filling);
  llvm::SetVector<Operation *> slice = findVaryingSlice(stage, axis);
  Location loc = stage.getLoc();
  rewriter.setInsertionPoint(stage);
  auto fresh = RangeOp::create(rewriter, axis.getLoc(), axis.getKind(), getNextId(stage->getParentOfType<FuncOp>()),
                               axis.getExtent(), IntegerAttr(), axis.getSize());
  IRMapping mapping;
  mapping.map(axis.getResult(), fresh.getResult());
  for (Operation *op : slice)
    rewriter.clone(*op, mapping);
  SmallVector<Value> ranges{fresh};
  llvm::append_range(ranges, stage.getRanges());
  auto type = cast<MemRefType>(stage.getTile().getType());
  auto wide = StageOp::create(
      rewriter, loc, MemRefType::get({type.getNumElements() * int64_t(axis.getExtent())}, type.getElementType()),
      mapping.lookup(stage.getValue()), ranges, stage.getSpaceAttr(), stage.getBuffersAttr());
  Value extent = arith::ConstantIndexOp::create(rewriter, loc, type.getNumElements());
  Value row = arith::MulIOp::create(rewriter, loc, axis, extent);
  for (Operation *user : llvm::to_vector(stage->getUsers())) {
    auto load = cast<LoadOp>(user);
    rewriter.setInsertionPoint(load);
    Value index = arith::AddIOp::create(rewriter, load.getLoc(), row, load.getIndex());
    rewriter.modifyOpInPlace(load, [&] {
      load.getBufferMutable().assign(wide.getTile());
      load.getIndexMutable().assign(index);
    });
  }
  rewriter.eraseOp(stage);
  // A range has one loop: what the tile no longer needs must not close it too.
  for (Operation *op : llvm::reverse(slice))
    if (op->use_empty())
      rewriter.eraseOp(op);
  return fresh;
}

//===--- copies ---------------------------------------------------------------------------------------------------===//

/// The stages that are filled for each point of the axis, each behind those that it reads.
static SmallVector<StageOp> findStagesInside(RangeOp axis) {
  SmallVector<StageOp> stages;
  if (axis->getBlock()->getOps<StageOp>().empty())
    return stages;
  llvm::DenseSet<Value> varying = findVarying(axis);
  for (Operation *op : sortByDependence(*axis->getBlock()))
    if (auto stage = dyn_cast<StageOp>(op); stage && varying.contains(stage.getTile()))
      stages.push_back(stage);
  return stages;
}

std::string whyNotWidenForCopies(RangeOp axis) {
  for (StageOp stage : findStagesInside(axis)) {
    if (__int128(stage.getTile().getType().getNumElements()) * axis.getExtent() >= (__int128(1) << 31))
      return "a tile would have 2^31 elements or more";
    llvm::SetVector<Operation *> slice = findVaryingSlice(stage, axis);
    auto isWithin = [&](Operation *user) { return isa<StageOp>(user) || slice.contains(user); };
    for (Operation *op : slice)
      if (isa<ReduceOp, ScanOp>(op) && !llvm::all_of(op->getUsers(), isWithin))
        return llvm::formatv("axis {0} is outer to a tile, which is filled with a reduction or a scan that is used "
                             "besides",
                             axis.getId());
  }
  return "";
}

void widenForCopies(RewriterBase &rewriter, RangeOp axis) {
  for (StageOp stage : findStagesInside(axis)) {
    llvm::SetVector<Operation *> slice = findVaryingSlice(stage, axis);
    rewriter.setInsertionPoint(stage);
    auto fresh = RangeOp::create(rewriter, axis.getLoc(), axis.getKind(), getNextId(stage->getParentOfType<FuncOp>()),
                                 axis.getExtent(), IntegerAttr(), axis.getSize());
    IRMapping mapping;
    mapping.map(axis.getResult(), fresh.getResult());
    for (Operation *op : slice)
      rewriter.clone(*op, mapping);
    SmallVector<Value> ranges(stage.getRanges());
    ranges.push_back(fresh);
    auto type = cast<MemRefType>(stage.getTile().getType());
    auto wide = StageOp::create(
        rewriter, stage.getLoc(),
        MemRefType::get({type.getNumElements() * int64_t(axis.getExtent())}, type.getElementType()),
        mapping.lookupOrDefault(stage.getValue()), ranges, stage.getSpaceAttr(), stage.getBuffersAttr());
    Value extent = arith::ConstantIndexOp::create(rewriter, stage.getLoc(), axis.getExtent());
    for (Operation *user : llvm::to_vector(stage->getUsers())) {
      auto load = cast<LoadOp>(user);
      rewriter.setInsertionPoint(load);
      Value scaled = arith::MulIOp::create(rewriter, load.getLoc(), load.getIndex(), extent);
      Value index = arith::AddIOp::create(rewriter, load.getLoc(), scaled, axis);
      rewriter.modifyOpInPlace(load, [&] {
        load.getBufferMutable().assign(wide.getTile());
        load.getIndexMutable().assign(index);
      });
    }
    rewriter.eraseOp(stage);
    for (Operation *op : llvm::reverse(slice))
      if (op->use_empty())
        rewriter.eraseOp(op);
  }
}

} // namespace tiny::kernel
