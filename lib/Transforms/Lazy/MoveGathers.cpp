// lazy-move-gathers: what data picks of something computed is computed for the picked elements only.
#include "GatherCone.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Transforms/Lazy/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYMOVEGATHERS
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

// Why a gather of something computed stays.
constexpr llvm::StringLiteral kBoundary = "its base is stored anyway";
constexpr llvm::StringLiteral kEndsReduction = "its base ends a reduction, which is stored with it";
constexpr llvm::StringLiteral kStoredInstead = "more would be stored in place of its base";
constexpr llvm::StringLiteral kAgain = "too much would be computed again (maxEvaluations)";
constexpr llvm::StringLiteral kExpensive = "computing what it picks costs more than a buffer";
constexpr llvm::StringLiteral kLarge = "its base is computed by more operations than one gather may move before";

double countElements(Value value) {
  double count = 1;
  for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
    count *= size;
  return count;
}

bool isEmpty(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements() == 0; }

/// The value that a base is a view of, and its other readers.
struct Table {
  Value stored;
  bool isStored = false;  ///< whatever becomes of the gathers
  bool hasOthers = false; ///< something else computes it, too
};

struct LazyMoveGathers : impl::LazyMoveGathersBase<LazyMoveGathers> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      runOnBlock(block);
  }

  void runOnBlock(Block &block) {
    // In their order: what a later one picks of is what an earlier one was moved into.
    SmallVector<GatherOp> gathers(block.getOps<GatherOp>());
    llvm::DenseSet<Operation *> done;
    bool hasMoved = false;
    for (GatherOp gather : gathers)
      if (!done.contains(gather))
        hasMoved |= moveGathersOf(gather.getBase(), block, done);
    demanded.clear();
    if (!hasMoved)
      return;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  /// Moves all gathers of a base or none: what one of them reads is stored for all.
  bool moveGathersOf(Value base, Block &block, llvm::DenseSet<Operation *> &done) {
    SmallVector<GatherOp> gathers;
    for (OpOperand &use : base.getUses())
      if (auto gather = dyn_cast<GatherOp>(use.getOwner()))
        if (isBaseOf(use, block) && done.insert(gather).second && !isEmpty(base) && !isEmpty(gather.getResult()))
          gathers.push_back(gather);
    std::vector<GatherCone> cones;
    Remarks remarks("lazy-move-gathers", getOperation());
    bool hasMoved = false;
    for (GatherOp gather : gathers) {
      GatherCone cone(gather);
      if (cone.isView()) {
        remarks.passed(gather.getLoc(), "moved", "the gather is a view: no data says what it picks",
                       {{"picked", countElements(gather.getResult())}});
        gather.replaceAllUsesWith(cone.write());
        gather.erase();
        ++movedGathers;
        hasMoved = true;
      } else {
        cones.push_back(std::move(cone));
      }
    }
    if (llvm::all_of(cones, [](const GatherCone &cone) { return cone.isLookup(); }))
      return hasMoved;
    Table table = findTable(base, block);
    Reason refusal = refuse(table, cones);
    for (GatherCone &cone : cones) {
      GatherOp gather = cone.getGather();
      if (!refusal.empty()) {
        remarks.missed(gather.getLoc(), "stays", "the gather stays: " + refusal.text, refusal.numbers);
        continue;
      }
      double picked = countElements(gather.getResult()), elements = countElements(table.stored);
      remarks.passed(gather.getLoc(), "moved",
                     "the gather moves: " + Twine(cone.getNumOperations()) + " operations for " +
                         Twine(uint64_t(picked)) + " elements of " + Twine(uint64_t(elements)),
                     {{"operations", double(cone.getNumOperations())}, {"picked", picked}, {"elements", elements}});
      gather.replaceAllUsesWith(cone.write());
      gather.erase();
      ++movedGathers;
    }
    return hasMoved || refusal.empty();
  }

  static bool isBaseOf(OpOperand &use, Block &block) {
    return isa<GatherOp>(use.getOwner()) && use.getOperandNumber() == 0 && use.getOwner()->getBlock() == &block;
  }

  Table findTable(Value base, Block &block) {
    Table table{base};
    for (OpOperand &use : base.getUses())
      table.hasOthers |= !isBaseOf(use, block);
    while (true) {
      table.isStored |= isDemanded(table.stored, block);
      Operation *view = table.stored.getDefiningOp();
      if (!view || !isMovement(view))
        return table;
      table.stored = view->getOperand(0);
      table.hasOthers |= !table.stored.hasOneUse();
    }
  }

  /// Whether something that no group takes in reads a value, or the whole of it in another shape.
  bool isDemanded(Value value, Block &block) {
    auto [known, isNew] = demanded.try_emplace(value, false);
    if (!isNew)
      return known->second;
    auto isOutside = [&](Operation *user) { return user->getBlock() != &block || !canStandInGroup(user); };
    auto isState = [&](Operation *user) { return isa<AssignOp>(user) && cast<AssignOp>(user).getBase() == value; };
    auto identity = ShapeTracker::identity(cast<RankedTensorType>(value.getType()).getShape());
    for (Operation *user : value.getUsers())
      known->second |= isOutside(user) || isState(user) ||
                       (isMovement(user) && applyMovement(user, identity).isContiguous() &&
                        llvm::any_of(user->getUsers(), isOutside));
    return known->second;
  }

  /// Why the gathers of a table stay; empty where they are moved.
  static Reason refuse(const Table &table, ArrayRef<GatherCone> cones) {
    if (table.isStored)
      return kBoundary;
    double elements = countElements(table.stored), bytes = GatherCone::countBytes(table.stored);
    double picked = 0, pickedOperations = 0, pickedCost = 0, wholeOperations = 0, wholeCost = 0, instead = 0;
    llvm::SmallPtrSet<Value, 2> storedInstead;
    Value stored = table.stored;
    cost::CostModel costs(target::findMachine(stored.getParentRegion()->getParentOp()));
    for (const GatherCone &cone : cones) {
      if (!cone.isValid())
        return kLarge;
      if (cone.endsReduction())
        return kEndsReduction;
      double count = countElements(cone.getGather().getResult());
      double cost = cone.getWeight() + cone.getBytesRead() * costs.byteMoved;
      picked += count;
      pickedOperations += count * cone.getNumOperations();
      pickedCost += count * cost;
      wholeOperations = std::max(wholeOperations, elements * cone.getNumOperations());
      wholeCost = std::max(wholeCost, elements * cost);
      for (Value value : cone.getStoredInstead())
        if (storedInstead.insert(value).second)
          instead += countElements(value) * GatherCone::countBytes(value);
    }
    // Counted as docs/Scheduling.md says: a gather is an operation, too.
    if (pickedOperations + picked > costs.maxEvaluations * (wholeOperations + picked))
      return {
          kAgain,
          {{"operations", pickedOperations + picked}, {"limit", costs.maxEvaluations * (wholeOperations + picked)}}};
    if (table.hasOthers)
      wholeCost = 0;
    if (storedInstead.empty())
      return costs.prefersPicking(elements, bytes, wholeCost, picked, pickedCost)
                 ? Reason()
                 : Reason(kExpensive, {{"picked", pickedCost},
                                       {"buffer", costs.getPickedLimit(elements, bytes, wholeCost, picked)}});
    // A buffer for a buffer.
    if (storedInstead.size() > 1 || instead > elements * bytes)
      return {kStoredInstead, {{"bytes", instead}, {"limit", elements * bytes}}};
    return pickedCost <= wholeCost ? Reason() : Reason(kExpensive, {{"picked", pickedCost}, {"buffer", wholeCost}});
  }

  llvm::DenseMap<Value, bool> demanded; ///< what was asked of isDemanded in this block
};

} // namespace
} // namespace tiny::lazy
