// Finds loops that fill tiles, and says whether these can be filled ahead.
#include "TileLoop.h"

#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::uop {

llvm::MapVector<Operation *, SmallVector<LocalOp>> findTileLoops(FuncOp func) {
  llvm::MapVector<Operation *, SmallVector<LocalOp>> loops;
  for (LocalOp tile : func.getOps<LocalOp>()) {
    if (!tile.getBuffers())
      continue;
    for (Operation *user : tile->getUsers())
      if (isa<StoreOp>(user))
        if (auto loop = user->getParentOfType<ForOp>()) {
          loops[loop].push_back(tile);
          break;
        }
  }
  return loops;
}

StringRef TileLoop::whyNot() {
  std::optional<APInt> count = loop.getStaticTripCount();
  if (!count || count->getActiveBits() > 31)
    return "the number of iterations is not known";
  nRounds = count->getSExtValue();
  nBuffers = LocalOp(tiles.front()).getBuffers().value_or(1);
  Block *body = loop.getBody();
  for (LocalOp tile : tiles) {
    if (static_cast<int64_t>(tile.getBuffers().value_or(1)) != nBuffers)
      return "tiles want different numbers of buffers";
    for (Operation *user : tile->getUsers()) {
      if (!loop->isAncestor(user))
        return "a tile is used outside of the loop";
      auto store = dyn_cast<StoreOp>(user);
      if (store && store->getBlock() != body)
        return "a tile is filled in a loop of its own";
      if (store)
        fills.insert(store);
      else if (!isa<LoadOp, FragmentLoadOp>(user))
        return "a tile is neither filled nor read";
    }
  }
  for (Operation &op : *body) {
    if (isa<BarrierOp>(op))
      barriers.push_back(&op);
    else if (op.getNumRegions() != 0 && op.walk([](BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return "a loop inside has barriers";
  }
  if (barriers.size() < 2)
    return "the loop does not fill its tiles between two barriers";
  if (!llvm::all_of(tiles, [&](LocalOp tile) { return isReadBehindBarrier(tile); }))
    return "a barrier does not stand between filling and reading its tiles";
  if (StringRef reason = whyNotAlone(); !reason.empty())
    return reason;
  return findSlice() ? StringRef() : StringRef("what fills a tile depends on what the loop carries or writes");
}

bool TileLoop::isReadBehindBarrier(LocalOp tile) {
  Operation *lastFill = nullptr, *firstRead = nullptr;
  for (Operation *user : tile->getUsers()) {
    Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
    auto store = dyn_cast<StoreOp>(user);
    if (store && fills.contains(store)) {
      if (!lastFill || lastFill->isBeforeInBlock(inBody))
        lastFill = inBody;
    } else if (!firstRead || inBody->isBeforeInBlock(firstRead)) {
      firstRead = inBody;
    }
  }
  return !lastFill || !firstRead || llvm::any_of(barriers, [&](Operation *barrier) {
    return lastFill->isBeforeInBlock(barrier) && barrier->isBeforeInBlock(firstRead);
  });
}

bool TileLoop::isFilledBefore(LocalOp tile) {
  return !loop->getParentOfType<ForOp>() && llvm::all_of(tile->getUsers(), [&](Operation *user) {
    if (isa<LoadOp, FragmentLoadOp>(user))
      return true;
    Operation *inBlock = loop->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && inBlock->isBeforeInBlock(loop);
  });
}

StringRef TileLoop::whyNotAlone() {
  llvm::SmallPtrSet<Value, 4> read, written;
  bool hasOthers = false;
  loop.getBody()->walk([&](Operation *op) {
    bool reads = isa<LoadOp, GatherOp, FragmentLoadOp, CopyAsyncOp, AtomicOp>(op);
    for (Value operand : op->getOperands()) {
      auto tile = operand.getDefiningOp<LocalOp>();
      hasOthers |= tile && !llvm::is_contained(tiles, tile) && !isFilledBefore(tile);
      if (!tile && isa<MemRefType>(operand.getType()))
        (reads ? read : written).insert(operand);
      if (isa<AtomicOp>(op) && isa<MemRefType>(operand.getType()))
        written.insert(operand);
    }
  });
  if (hasOthers)
    return "the loop uses tiles that are filled elsewhere than in front of it";
  bool isShared = llvm::any_of(
      read, [&](Value buffer) { return written.contains(buffer) && getMemorySpace(buffer) == MemorySpace::Global; });
  return isShared ? "the loop reads a buffer that it writes" : "";
}

Value TileLoop::makeIndex(Location loc, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

bool TileLoop::findSlice() {
  llvm::SetVector<Operation *> pending;
  pending.insert(fills.begin(), fills.end());
  for (size_t k = 0; k < pending.size(); ++k) {
    Operation *op = pending[k];
    auto load = dyn_cast<LoadOp>(op);
    bool isRead = load && getMemorySpace(load.getBuffer()) == MemorySpace::Global &&
                  llvm::none_of(load.getBuffer().getUsers(), llvm::IsaPred<StoreOp, AtomicOp, FragmentStoreOp>);
    if (op->getNumRegions() != 0 || (!isa<StoreOp>(op) && !isRead && !isMemoryEffectFree(op)))
      return false;
    for (Value operand : op->getOperands()) {
      if (llvm::is_contained(loop.getRegionIterArgs(), operand))
        return false;
      if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == loop.getBody())
        pending.insert(def);
    }
  }
  for (Operation &op : *loop.getBody())
    if (pending.contains(&op))
      slice.push_back(&op);
  return true;
}

std::optional<MovedVector> matchMove(StoreOp store) {
  MovedVector moved;
  Value value = store.getValue();
  if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    bool isScalar = choice.getCondition().getType().isInteger(1);
    bool isZero =
        matchPattern(choice.getFalseValue(), m_PosZeroFloat()) || matchPattern(choice.getFalseValue(), m_Zero());
    if (!isScalar || !isZero)
      return std::nullopt;
    moved.condition = choice.getCondition();
    value = choice.getTrueValue();
  }
  moved.load = value.getDefiningOp<LoadOp>();
  if (!moved.load || store.getGate() || moved.load->getParentRegion() != store->getParentRegion())
    return std::nullopt;
  if (Value gate = moved.load.getGate(); gate && !gate.getType().isInteger(1))
    return std::nullopt;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type element = getElementTypeOrSelf(value);
  int64_t bytes = element.isInteger(1) ? 0 : getElementBytes(element) * (vector ? vector.getNumElements() : 1);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return std::nullopt;
  return moved;
}

bool TileLoop::isAllMoves() {
  llvm::SmallPtrSet<Operation *, 8> loads;
  for (StoreOp store : fills) {
    std::optional<MovedVector> moved = matchMove(store);
    if (!moved)
      return false;
    loads.insert(moved->load);
  }
  return llvm::all_of(slice, [&](Operation *op) { return !isa<LoadOp>(op) || loads.contains(op); });
}

SmallVector<Operation *> TileLoop::findReads() {
  SmallVector<Operation *> reads;
  loop.getBody()->walk([&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    auto fragment = dyn_cast<FragmentLoadOp>(op);
    Value buffer = load ? load.getBuffer() : fragment ? fragment.getBuffer() : Value();
    if (buffer && llvm::is_contained(tiles, buffer.getDefiningOp<LocalOp>()))
      reads.push_back(op);
  });
  return reads;
}

bool TileLoop::collectIndex(Value index, llvm::SmallPtrSetImpl<Operation *> &ops) {
  if (index.getParentBlock() != loop.getBody())
    return true;
  Operation *op = index.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  ops.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return collectIndex(operand, ops); });
}

} // namespace tiny::uop
