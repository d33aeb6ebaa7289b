// uop-pipeline-tiles: several tiles in place of one, so that one is filled while another one is read.
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPPIPELINETILES
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// One loop, and the tiles that it fills.
class Pipeline {
public:
  Pipeline(ForOp loop, ArrayRef<LocalOp> tiles)
      : loop(loop), tiles(tiles), builder(loop), induction(loop.getInductionVar()) {}

  /// Why the tiles can't be filled ahead, or nothing.
  StringRef whyNot() {
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

  void run() {
    bool isAsync = target::findMachine(loop).has(cost::Instruction::AsyncCopy);
    SmallVector<Operation *> reads = findReads();
    Location loc = loop.getLoc();
    // In a loop around this one, lanes that are behind still read the last tiles.
    if (loop->getParentOfType<ForOp>())
      BarrierOp::create(builder, loc);
    for (int64_t ahead = 0; ahead < nBuffers - 1; ++ahead) {
      Value round = makeIndex(loc, ahead);
      if (ahead < nRounds)
        fill(round, round, isAsync);
      CopyCommitOp::create(builder, loc);
    }
    bool isCopied = isAsync && isAllMoves();
    // The loop carries the number of the tile that it reads, and what the first products of the iteration multiply.
    SmallVector<Value> inits(loop.getInits());
    inits.push_back(makeIndex(loc, 0));
    SmallVector<FragmentLoadOp> early =
        isCopied && nRounds >= nBuffers ? findEarlyLoads(reads) : SmallVector<FragmentLoadOp>();
    if (!early.empty()) {
      waitForTile();
      IRMapping mapping;
      llvm::SmallPtrSet<Operation *, 16> indices;
      for (FragmentLoadOp load : early)
        (void)collectIndex(load.getIndex(), indices);
      for (Operation &op : *loop.getBody())
        if (indices.contains(&op))
          builder.clone(op, mapping);
      for (FragmentLoadOp load : early)
        inits.push_back(builder.clone(*load, mapping)->getResult(0));
    }
    auto fresh = ForOp::create(builder, loc, loop.getBound(), inits);
    Block *body = fresh.getBody(), *old = loop.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    Value slot = body->getArgument(old->getNumArguments()), round = fresh.getInductionVar();
    builder.setInsertionPointToStart(body);
    if (early.empty())
      waitForTile();
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, makeIndex(loc, nBuffers - 1));
    Value above = arith::AddIOp::create(builder, loc, slot, makeIndex(loc, 1));
    Value after = arith::SelectOp::create(builder, loc, isLast, makeIndex(loc, 0), above);
    Operation *begin = &body->back();

    bool isInTurn = barriers.size() > 2;
    for (Operation *removed : barriers)
      removed->erase();
    induction = round;
    for (auto [argument, value] : llvm::zip(old->getArguments(), body->getArguments()))
      argument.replaceAllUsesWith(value);
    body->getOperations().splice(body->end(), old->getOperations());
    // Lanes that copy go on at once, so they do it while they compute. Where tiles are read in turn, most of that may
    // lie in front of the last reads.
    if (isCopied && reads.size() > 1 && !isInTurn)
      builder.setInsertionPoint(body->findAncestorOpInBlock(*reads[reads.size() / 2]));
    else
      builder.setInsertionPointAfter(begin);
    Value next = arith::AddIOp::create(builder, loc, round, makeIndex(loc, nBuffers - 1));
    Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, next, makeIndex(loc, nRounds));
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, makeIndex(loc, 0));
    Value before = arith::SubIOp::create(builder, loc, slot, makeIndex(loc, 1));
    Value free = arith::SelectOp::create(builder, loc, isFirst, makeIndex(loc, nBuffers - 1), before);
    if (isCopied) {
      // Zeros in place of what is behind the last iteration: nothing reads them, and no branch parts the body.
      fill(next, free, isAsync, more);
    } else {
      auto branch = IfOp::create(builder, loc, more);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&branch.getBody().front());
      fill(next, free, isAsync);
    }
    CopyCommitOp::create(builder, loc);

    for (StoreOp store : fills)
      store.erase();
    SmallVector<Value> results{after};
    if (!early.empty()) {
      // All reads of this tile are done: the next one is waited for, and its first factors are loaded.
      builder.setInsertionPointAfter(body->findAncestorOpInBlock(*reads.back()));
      waitForTile();
      for (auto [load, argument] : llvm::zip(early, body->getArguments().take_back(early.size()))) {
        auto copy = cast<FragmentLoadOp>(builder.clone(*load));
        moveRead(copy, after);
        results.push_back(copy.getResult());
        load.replaceAllUsesWith(argument);
      }
    }
    for (Operation *read : reads)
      if (llvm::is_contained(early, read))
        read->erase();
      else
        moveRead(read, slot);
    Operation *yield = body->getTerminator();
    yield->insertOperands(yield->getNumOperands(), results);
    loop.replaceAllUsesWith(fresh.getResults().drop_back(results.size()));
    loop.erase();
    for (LocalOp tile : tiles) {
      MemRefType type = tile.getBuffer().getType();
      tile.getBuffer().setType(MemRefType::get({type.getNumElements() * nBuffers}, type.getElementType()));
      tile.removeBuffersAttr();
    }
  }

private:
  /// Whether a barrier stands behind all that fills the tile, and in front of all that reads it.
  bool isReadBehindBarrier(LocalOp tile) {
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

  /// Whether all that writes to the other tile is done once and for all in front of the loop.
  bool isFilledBefore(LocalOp tile) {
    return !loop->getParentOfType<ForOp>() && llvm::all_of(tile->getUsers(), [&](Operation *user) {
      if (isa<LoadOp, FragmentLoadOp>(user))
        return true;
      Operation *inBlock = loop->getBlock()->findAncestorOpInBlock(*user);
      return inBlock && inBlock->isBeforeInBlock(loop);
    });
  }

  /// Why barriers of the loop are there for something else, too, or nothing.
  StringRef whyNotAlone() {
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

  Value makeIndex(Location loc, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  static int64_t countElements(Value tile) { return cast<MemRefType>(tile.getType()).getNumElements(); }

  /// What fills the tiles, in the body's order; false where that can't run for another iteration.
  bool findSlice() {
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

  /// A vector that goes to the tile as it is where the gate is on, else as zeros.
  struct Moved {
    LoadOp load;
    Value condition;
  };
  static std::optional<Moved> matchMove(StoreOp store) {
    Moved moved;
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

  /// Whether all that fills tiles are such vectors, and nothing is loaded for them but these.
  bool isAllMoves() {
    llvm::SmallPtrSet<Operation *, 8> loads;
    for (StoreOp store : fills) {
      std::optional<Moved> moved = matchMove(store);
      if (!moved)
        return false;
      loads.insert(moved->load);
    }
    return llvm::all_of(slice, [&](Operation *op) { return !isa<LoadOp>(op) || loads.contains(op); });
  }

  /// What reads the tiles, in order.
  SmallVector<Operation *> findReads() {
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

  /// Adds what the index is made of in the loop's body. Whether that is the same in all iterations.
  bool collectIndex(Value index, llvm::SmallPtrSetImpl<Operation *> &ops) {
    if (index.getParentBlock() != loop.getBody())
      return true;
    Operation *op = index.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    ops.insert(op);
    return llvm::all_of(op->getOperands(), [&](Value operand) { return collectIndex(operand, ops); });
  }

  /// Factors of the first products of an iteration, which the one before can load, if there are other products.
  SmallVector<FragmentLoadOp> findEarlyLoads(ArrayRef<Operation *> reads) {
    llvm::SetVector<Operation *> factors;
    for (auto product : loop.getBody()->getOps<MmaOp>())
      // What several subgroups multiply stays in the tile.
      if (countTeam(product) == 1 && llvm::is_contained(loop.getRegionIterArgs(), product.getSum()))
        for (Value factor : {product.getLeft(), product.getRight()})
          factors.insert(factor.getDefiningOp());
    SmallVector<FragmentLoadOp> early;
    for (Operation *read : reads)
      if (factors.remove(read))
        early.push_back(cast<FragmentLoadOp>(read));
    llvm::SmallPtrSet<Operation *, 16> ops;
    bool areEarly = factors.empty() && early.size() < reads.size() &&
                    llvm::all_of(
                        early,
                        [&](FragmentLoadOp load) {
                          return load->getBlock() == loop.getBody() && collectIndex(load.getIndex(), ops);
                        });
    return areEarly ? early : SmallVector<FragmentLoadOp>();
  }

  /// Waits until the next tile is there, and all lanes are done with the one before.
  void waitForTile() {
    CopyWaitOp::create(builder, loop.getLoc(), nBuffers - 2);
    BarrierOp::create(builder, loop.getLoc());
  }

  /// Fills the tile of this number for this iteration, if it is one.
  void fill(Value round, Value slot, bool isAsync, Value isRound = Value()) {
    IRMapping mapping;
    mapping.map(induction, round);
    llvm::SmallPtrSet<Operation *, 8> copied;
    for (StoreOp store : fills)
      if (isAsync && matchMove(store))
        copied.insert(store);
    for (Operation *op : slice) {
      auto store = dyn_cast<StoreOp>(op);
      if (!store) {
        builder.clone(*op, mapping);
        continue;
      }
      Location loc = store.getLoc();
      Value begin = arith::MulIOp::create(builder, loc, slot, makeIndex(loc, countElements(store.getBuffer())));
      Value index = arith::AddIOp::create(builder, loc, begin, mapping.lookupOrDefault(store.getIndex()));
      if (!copied.contains(store)) {
        auto copy = cast<StoreOp>(builder.clone(*op, mapping));
        index.getDefiningOp()->moveBefore(copy);
        copy.getIndexMutable().assign(index);
        continue;
      }
      Moved moved = *matchMove(store);
      Value gate = moved.load.getGate() ? mapping.lookupOrDefault(moved.load.getGate()) : Value();
      if (moved.condition) {
        Value condition = mapping.lookupOrDefault(moved.condition);
        gate = gate ? arith::AndIOp::create(builder, loc, gate, condition).getResult() : condition;
      }
      if (isRound)
        gate = gate ? arith::AndIOp::create(builder, loc, gate, isRound).getResult() : isRound;
      auto vector = dyn_cast<VectorType>(moved.load.getType());
      CopyAsyncOp::create(builder, loc, moved.load.getBuffer(), mapping.lookupOrDefault(moved.load.getIndex()),
                          store.getBuffer(), index, vector ? vector.getNumElements() : 1, gate);
    }
    // Loads that are copies now, and what was for them alone.
    Block *block = builder.getInsertionBlock();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
      bool isLoad = isa<LoadOp>(op) && op.use_empty();
      if (isLoad || isOpTriviallyDead(&op))
        if (llvm::any_of(slice, [&](Operation *from) { return mapping.lookupOrNull(from) == &op; }))
          op.erase();
    }
  }

  /// Reads the tile of this number.
  void moveRead(Operation *read, Value slot) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(read);
    Location loc = read->getLoc();
    OpOperand &index =
        isa<LoadOp>(read) ? cast<LoadOp>(read).getIndexMutable() : cast<FragmentLoadOp>(read).getIndexMutable();
    Value buffer = isa<LoadOp>(read) ? cast<LoadOp>(read).getBuffer() : cast<FragmentLoadOp>(read).getBuffer();
    Value begin = arith::MulIOp::create(builder, loc, slot, makeIndex(loc, countElements(buffer)));
    index.assign(arith::AddIOp::create(builder, loc, begin, index.get()));
  }

  ForOp loop;
  ArrayRef<LocalOp> tiles;
  OpBuilder builder;
  /// The number of the iteration, in the loop as it is now.
  Value induction;
  int64_t nRounds = 0, nBuffers = 1;
  llvm::SetVector<StoreOp> fills;
  SmallVector<Operation *> barriers, slice;
};

struct UOpPipelineTiles : impl::UOpPipelineTilesBase<UOpPipelineTiles> {
  using Base::Base;

  void runOnOperation() override {
    llvm::MapVector<Operation *, SmallVector<LocalOp>> loops;
    for (LocalOp tile : getOperation().getOps<LocalOp>()) {
      if (!tile.getBuffers())
        continue;
      for (Operation *user : tile->getUsers())
        if (isa<StoreOp>(user))
          if (auto loop = user->getParentOfType<ForOp>()) {
            loops[loop].push_back(tile);
            break;
          }
    }
    for (auto &[loop, tiles] : loops) {
      Pipeline pipeline(cast<ForOp>(loop), tiles);
      Location loc = loop->getLoc();
      StringRef reason = pipeline.whyNot();
      Remarks remarks("uop-pipeline-tiles", loop);
      if (!reason.empty()) {
        remarks.missed(loc, "pipeline", "tiles are there once: " + reason);
        continue;
      }
      pipeline.run();
      remarks.passed(loc, "pipeline", "tiles are filled ahead");
    }
    // What could not be done is not tried again.
    for (LocalOp tile : getOperation().getOps<LocalOp>())
      tile.removeBuffersAttr();
  }
};

} // namespace
} // namespace tiny::uop
