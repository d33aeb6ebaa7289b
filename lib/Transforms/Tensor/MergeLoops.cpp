// Makes one loop of two of which one computes all that the other does.
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORMERGELOOPS
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

/// For each value that the body of `less` yields, the equal one of the body of `more`. None where one has none, or
/// where the loops do not run alike. Both carry the same: what is carried is equal as long as it was before each
/// iteration.
std::optional<SmallVector<Value>> findEqual(LoopOp less, LoopOp more) {
  if (less.getMost() != more.getMost() || less.getLimit() != more.getLimit() ||
      less.getCondition() != more.getCondition() || !llvm::equal(less.getCarried(), more.getCarried()))
    return std::nullopt;
  Block &from = less.getBody().front(), &in = more.getBody().front();
  llvm::DenseMap<Value, Value> equal;
  for (auto [one, other] : llvm::zip_equal(from.getArguments(), in.getArguments()))
    equal[one] = other;
  auto lookUp = [&](Value value) {
    Value found = equal.lookup(value);
    return found ? found : value;
  };
  llvm::MapVector<OperationName, SmallVector<Operation *>> byName;
  for (Operation &op : in.without_terminator())
    byName[op.getName()].push_back(&op);
  for (Operation &op : from.without_terminator()) {
    if (!isMemoryEffectFree(&op))
      return std::nullopt;
    for (Operation *other : byName.lookup(op.getName()))
      if (OperationEquivalence::isEquivalentTo(
              &op, other, [&](Value a, Value b) { return success(lookUp(a) == b); },
              [&](Value a, Value b) { equal[a] = b; }, OperationEquivalence::IgnoreLocations)) {
        for (auto [one, same] : llvm::zip_equal(op.getResults(), other->getResults()))
          equal[one] = same;
        break;
      }
  }
  SmallVector<Value> yielded;
  for (Value value : from.getTerminator()->getOperands()) {
    yielded.push_back(lookUp(value));
    if (less.getBody().isAncestor(yielded.back().getParentRegion()))
      return std::nullopt;
  }
  size_t next = (less.getCondition() ? 1 : 0) + less.getNumCarried();
  if (!llvm::equal(ArrayRef(yielded).take_front(next), in.getTerminator()->getOperands().take_front(next)))
    return std::nullopt;
  return SmallVector<Value>(ArrayRef(yielded).drop_front(next));
}

/// Whether all that a loop reads is there before an operation of its block.
bool canStandBefore(LoopOp loop, Operation *place) {
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(loop.getBody(), read);
  read.insert(loop->operand_begin(), loop->operand_end());
  return llvm::all_of(read, [&](Value value) {
    Operation *def = value.getDefiningOp();
    return !def || def->getBlock() != place->getBlock() || def->isBeforeInBlock(place);
  });
}

/// Replaces `less` by results of `more`, which gives what it misses as rows. Returns what `more` became.
LoopOp replace(LoopOp less, LoopOp more, ArrayRef<Value> rows) {
  SmallVector<Value> missing;
  OperandRange given = more.getYieldedRows();
  for (Value row : rows)
    if (!llvm::is_contained(given, row) && !llvm::is_contained(missing, row))
      missing.push_back(row);
  OpBuilder builder(more);
  if (!missing.empty())
    more = more.addRows(builder, missing);
  given = more.getYieldedRows();
  unsigned nCarried = more.getNumCarried();
  SmallVector<Value> results(more.getResults().take_front(nCarried));
  for (Value row : rows)
    results.push_back(more.getResult(nCarried + (llvm::find(given, row) - given.begin())));
  results.push_back(more.getResults().back());
  less->replaceAllUsesWith(results);
  less.erase();
  return more;
}

struct TensorMergeLoops : impl::TensorMergeLoopsBase<TensorMergeLoops> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      // The loops that stay, each once in the order of the block.
      SmallVector<LoopOp> kept;
      for (LoopOp loop : llvm::make_early_inc_range(block->getOps<LoopOp>()))
        if (!mergeInto(kept, loop))
          kept.push_back(loop);
    }
  }

private:
  bool mergeInto(MutableArrayRef<LoopOp> kept, LoopOp loop) {
    for (LoopOp &before : kept) {
      if (std::optional<SmallVector<Value>> rows = findEqual(loop, before)) {
        before = replace(loop, before, *rows);
        ++numMerged;
        return true;
      }
      if (std::optional<SmallVector<Value>> rows = findEqual(before, loop); rows && canStandBefore(loop, before)) {
        loop->moveBefore(before);
        before = replace(before, loop, *rows);
        ++numMerged;
        return true;
      }
    }
    return false;
  }
};

} // namespace
} // namespace tiny::tensor
