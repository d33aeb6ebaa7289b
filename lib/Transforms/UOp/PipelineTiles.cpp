// uop-pipeline-tiles: several tiles in place of one, so that one is filled while another one is read.
#include "TileLoop.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPPIPELINETILES
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// One loop, and the tiles that it fills.
class Pipeline : public TileLoop {
public:
  using TileLoop::TileLoop;

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
      MovedVector moved = *matchMove(store);
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
};

struct UOpPipelineTiles : impl::UOpPipelineTilesBase<UOpPipelineTiles> {
  using Base::Base;

  void runOnOperation() override {
    llvm::MapVector<Operation *, SmallVector<LocalOp>> loops = findTileLoops(getOperation());
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
