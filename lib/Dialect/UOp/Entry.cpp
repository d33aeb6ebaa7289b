// Hardware axes as a grid, tiles as offsets.
#include "Tiny/Dialect/UOp/Entry.h"

using namespace mlir;

namespace tiny::uop {

FailureOr<GridPlan> planGrid(FuncOp func) {
  SmallVector<SpecialOp> specials;
  func.walk([&](SpecialOp op) { specials.push_back(op); });
  GridPlan plan;
  std::array<SpecialOp, 3> grid, workgroup;
  auto place = [](SpecialOp op, SpecialOp &owner, int64_t &extent) -> LogicalResult {
    if (owner && owner.getExtent() != op.getExtent()) {
      auto diag = op.emitOpError("has extent ") << op.getExtent() << ", expected " << owner.getExtent();
      diag.attachNote(owner.getLoc()) << "the same axis is here";
      return diag;
    }
    owner = op;
    extent = op.getExtent();
    return success();
  };
  auto placeInGrid = [&](SpecialOp op, unsigned position) {
    plan.positions[op] = position;
    plan.nAxes = std::max(plan.nAxes, position + 1);
    return place(op, grid[position], plan.grid[position]);
  };

  for (SpecialOp op : specials)
    if (op.getAxis() == HardwareAxis::Global && failed(placeInGrid(op, op.getDim())))
      return failure();
  llvm::SmallDenseMap<int64_t, unsigned> threads;
  for (SpecialOp op : specials) {
    if (op.getAxis() == HardwareAxis::Local && failed(place(op, workgroup[op.getDim()], plan.workgroup[op.getDim()])))
      return failure();
    if (op.getAxis() != HardwareAxis::Thread)
      continue;
    auto [it, isNew] = threads.try_emplace(op.getDim(), 0);
    if (isNew) {
      const auto *free = llvm::find_if(grid, [](SpecialOp owner) { return !owner; });
      if (free == grid.end())
        return op.emitOpError("finds no free grid axis: there are three, for global and thread axes together");
      it->second = free - grid.begin();
    }
    if (failed(placeInGrid(op, it->second)))
      return failure();
  }
  return plan;
}

int64_t getElementBytes(Type element) {
  if (auto vector = dyn_cast<VectorType>(element))
    return vector.getNumElements() * getElementBytes(vector.getElementType());
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8u);
}

int64_t getTileBytes(MemRefType tile) {
  return llvm::alignTo(tile.getNumElements() * getElementBytes(tile.getElementType()), kTileAlignment);
}

FailureOr<int64_t> getScratchBytes(FuncOp func) {
  __int128 bytes = 0;
  WalkResult walked = func.walk([&](LocalOp tile) {
    MemRefType type = tile.getBuffer().getType();
    if (!type.getElementType().isIntOrIndexOrFloat()) {
      tile.emitOpError("has elements of type ") << type.getElementType() << ", which have no size in memory";
      return WalkResult::interrupt();
    }
    bytes += getTileBytes(type);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (bytes >= __int128(1) << 62)
    return func.emitOpError("has tiles of 2^62 bytes or more together");
  return static_cast<int64_t>(bytes);
}

FailureOr<kernel::EntryAttr> getCheckedEntry(FuncOp func, const GridPlan &grid) {
  kernel::EntryAttr entry = kernel::getEntry(func);
  if (!entry)
    return func.emitOpError("has no '") << kernel::kEntryAttr << "'; uop-describe-entry writes it";
  FailureOr<int64_t> scratch = getScratchBytes(func);
  if (failed(scratch))
    return failure();
  if (entry.getGrid() != grid.grid || entry.getWorkgroup() != grid.workgroup)
    return func.emitOpError("has other hardware axes than its '") << kernel::kEntryAttr << "' says";
  // A pass may have removed some since.
  if (entry.getScratch() < *scratch)
    return func.emitOpError("has tiles of ")
           << *scratch << " bytes, its '" << kernel::kEntryAttr << "' says " << entry.getScratch();
  return entry;
}

kernel::TensorMapAttr getTensorMap(CopyBulkOp copy) {
  return kernel::TensorMapAttr::get(copy.getContext(), cast<BlockArgument>(copy.getSource()).getArgNumber(),
                                    cast<MemRefType>(copy.getSource().getType()).getElementType(), copy.getRows(),
                                    copy.getColumns(), copy.getStride(), copy.getBoxRows(), copy.getBoxColumns());
}

} // namespace tiny::uop
