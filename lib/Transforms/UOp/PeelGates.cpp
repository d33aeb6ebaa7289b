// uop-peel-gates: the first and the last steps of a loop, which alone are gated, stand before and behind it, and so
// does the last thread beside the others.
#include "Tiny/Algebra/View/View.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPPEELGATES
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Ranges of the integers that a loop's body computes, or a whole kernel, while an index is from `first` to `last`.
class BodyRanges {
public:
  BodyRanges(ForOp loop, int64_t first, int64_t last) : body(loop.getBody()) {
    known.try_emplace(loop.getInductionVar(), makeRange(first, last));
  }
  BodyRanges(SpecialOp special, int64_t first, int64_t last) {
    known.try_emplace(special.getResult(), makeRange(first, last));
  }

  ConstantIntRanges get(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    ConstantIntRanges range = infer(value);
    known.try_emplace(value, range);
    return range;
  }

private:
  static ConstantIntRanges makeRange(int64_t first, int64_t last) {
    return ConstantIntRanges::range(APInt(64, first), APInt(64, last), true);
  }

  /// Outside the body only constants and the like are looked at.
  ConstantIntRanges infer(Value value) {
    ConstantIntRanges range =
        ConstantIntRanges::maxRange(ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(value.getType())));
    if (auto argument = dyn_cast<BlockArgument>(value); argument && !body) {
      auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
      std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
      return trips && argument == loop.getInductionVar() && trips->sgt(0) && trips->slt(kIndexLimit)
                 ? makeRange(0, trips->getSExtValue() - 1)
                 : range;
    }
    auto op = value.getDefiningOp<InferIntRangeInterface>();
    // Upstream's range of `ceildivsi` is wrong for the least integer.
    if (!op || op->getNumRegions() != 0 || isa<arith::CeilDivSIOp>(op) ||
        (body && op->getBlock() != body && op->getNumOperands() != 0))
      return range;
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : op->getOperands()) {
      if (!getElementTypeOrSelf(operand.getType()).isIntOrIndex())
        return range;
      operands.push_back(get(operand));
    }
    op.inferResultRanges(operands, [&](Value result, const ConstantIntRanges &found) {
      if (result == value)
        range = found;
    });
    return range;
  }

  /// Null for a whole kernel.
  Block *body = nullptr;
  llvm::DenseMap<Value, ConstantIntRanges> known;
};

struct UOpPeelGates : impl::UOpPeelGatesBase<UOpPeelGates> {
  using Base::Base;

  void runOnOperation() override {
    for (SpecialOp thread : llvm::to_vector(getOperation().getBody().getOps<SpecialOp>()))
      if (thread.getAxis() == HardwareAxis::Thread && splitLast(thread))
        break;
    SmallVector<ForOp> loops;
    getOperation().walk([&](ForOp loop) { loops.push_back(loop); });
    for (ForOp loop : loops)
      peel(loop);
  }

private:
  /// A comparison of indices, and what it is in all steps of a loop, but perhaps the first or the last ones.
  struct Gate {
    arith::CmpIOp compare;
    bool holds;
  };

  /// Decides the comparisons that have one value in all steps: copies of a gate may be such, one by one.
  static void settle(ForOp loop, int64_t trips) {
    SmallVector<Gate> settled;
    BodyRanges all(loop, 0, trips - 1);
    for (auto compare : loop.getBody()->getOps<arith::CmpIOp>())
      if (getElementTypeOrSelf(compare.getLhs().getType()).isIndex())
        if (std::optional<APInt> value = all.get(compare.getResult()).getConstantValue())
          settled.push_back({compare, value->isOne()});
    decide(settled);
  }

  /// The comparisons that have one value in the steps from `begin` up to `end`, and not in all.
  static SmallVector<Gate> findGates(ForOp loop, int64_t begin, int64_t end, int64_t trips) {
    SmallVector<Gate> gates;
    BodyRanges some(loop, begin, end - 1), all(loop, 0, trips - 1);
    for (auto compare : loop.getBody()->getOps<arith::CmpIOp>()) {
      if (!getElementTypeOrSelf(compare.getLhs().getType()).isIndex())
        continue;
      std::optional<APInt> value = some.get(compare.getResult()).getConstantValue();
      if (value && !all.get(compare.getResult()).getConstantValue())
        gates.push_back({compare, value->isOne()});
    }
    return gates;
  }

  /// Gives the last thread a body of its own, where it alone is gated. Memory and constants stand before both.
  bool splitLast(SpecialOp thread) {
    int64_t last = thread.getExtent() - 1, operations = 0;
    Block &block = getOperation().getBody().front();
    SmallVector<Operation *> body, before;
    for (Operation &op : block.without_terminator()) {
      bool isShared = op.hasTrait<OpTrait::ConstantLike>() || isa<SpecialOp, LocalOp, RegisterOp>(op);
      (isShared ? before : body).push_back(&op);
      op.walk([&](Operation *) { operations += !isShared; });
    }
    if (last < 1 || operations > maxOperations || maxSteps == 0)
      return false;
    SmallVector<Gate> gates;
    bool isSplit = false;
    BodyRanges some(thread, 0, last - 1), all(thread, 0, last);
    for (Operation *op : body)
      op->walk([&](arith::CmpIOp compare) {
        if (!getElementTypeOrSelf(compare.getLhs().getType()).isIndex())
          return;
        // Of some copies it has one value for all threads.
        if (std::optional<APInt> value = some.get(compare.getResult()).getConstantValue()) {
          gates.push_back({compare, value->isOne()});
          isSplit |= !all.get(compare.getResult()).getConstantValue();
        }
      });
    if (!isSplit)
      return false;
    for (Operation *op : before)
      op->moveBefore(body.front());
    OpBuilder builder(block.getTerminator());
    Location loc = thread.getLoc();
    Value end = arith::ConstantIndexOp::create(builder, loc, last);
    auto compare = [&](arith::CmpIPredicate predicate) {
      return IfOp::create(builder, loc, arith::CmpIOp::create(builder, loc, predicate, thread, end));
    };
    IfOp others = compare(arith::CmpIPredicate::ne), one = compare(arith::CmpIPredicate::eq);
    IRMapping mapping;
    mapping.map(thread.getResult(), end);
    builder.setInsertionPoint(one.getBody().front().getTerminator());
    for (Operation *op : body)
      builder.clone(*op, mapping);
    for (Operation *op : body)
      op->moveBefore(others.getBody().front().getTerminator());
    decide(gates);
    return true;
  }

  void peel(ForOp loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->sgt(kIndexLimit))
      return;
    int64_t operations = 0, all = trips->getSExtValue();
    if (all > 0)
      settle(loop, all);
    loop.getBody()->walk([&](Operation *) { ++operations; });
    int64_t most = std::min<int64_t>(maxSteps, maxOperations / operations);
    // A comparison with one value in some steps has it in fewer of them, too: search by halves.
    auto search = [](int64_t best, int64_t end, function_ref<bool(int64_t)> isFound) {
      while (std::abs(end - best) > 1) {
        int64_t middle = best + (end - best) / 2;
        (isFound(middle) ? best : end) = middle;
      }
      return best;
    };
    auto last = [&](int64_t end) { return findGates(loop, 0, end, all); };
    int64_t steps = search(std::max<int64_t>(1, all - most), all, [&](int64_t end) { return !last(end).empty(); });
    if (SmallVector<Gate> gates = steps < all ? last(steps) : SmallVector<Gate>(); !gates.empty()) {
      peelFrom(loop, steps, all);
      decide(gates);
    } else {
      steps = all;
    }
    // First steps, of a loop that is longer than what is peeled of it.
    auto first = [&](int64_t begin) { return findGates(loop, begin, steps, steps); };
    int64_t begin = search(std::min(most, steps - 1), 0, [&](int64_t begin) { return !first(begin).empty(); });
    if (begin <= 0 || steps - begin <= begin + all - steps)
      return;
    if (SmallVector<Gate> gates = first(begin); !gates.empty()) {
      peelUpTo(loop, begin, steps);
      decide(gates);
    }
  }

  /// Puts a step behind what stands at `builder`, and sets `carried` to what it carries on.
  static void cloneStep(OpBuilder &builder, ForOp loop, int64_t index, SmallVector<Value> &carried) {
    IRMapping step;
    step.map(loop.getInductionVar(), arith::ConstantIndexOp::create(builder, loop.getLoc(), index).getResult());
    step.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, step);
    carried = llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(),
                                  [&](Value value) { return step.lookupOrDefault(value); });
  }

  /// Puts the first steps before the loop.
  static void peelUpTo(ForOp loop, int64_t begin, int64_t steps) {
    OpBuilder builder(loop);
    SmallVector<Value> carried(loop.getInitArgs());
    for (int64_t index = 0; index < begin; ++index)
      cloneStep(builder, loop, index, carried);
    loop.getInitArgsMutable().assign(carried);
    loop.getBoundMutable().set(arith::ConstantIndexOp::create(builder, loop.getLoc(), steps - begin));
    builder.setInsertionPointToStart(loop.getBody());
    Value index = loop.getInductionVar(), first = arith::ConstantIndexOp::create(builder, loop.getLoc(), begin);
    auto place = arith::AddIOp::create(builder, loop.getLoc(), index, first);
    index.replaceAllUsesExcept(place, place);
  }

  /// Lets the loop run for `steps`, and puts the other ones behind it.
  static void peelFrom(ForOp loop, int64_t steps, int64_t trips) {
    // Before there are steps that use them.
    SmallVector<OpOperand *> uses;
    for (Value result : loop.getResults())
      llvm::append_range(uses, llvm::make_pointer_range(result.getUses()));
    OpBuilder builder(loop);
    loop.getBoundMutable().set(arith::ConstantIndexOp::create(builder, loop.getLoc(), steps));
    builder.setInsertionPointAfter(loop);
    SmallVector<Value> carried(loop.getResults());
    for (int64_t index = steps; index < trips; ++index)
      cloneStep(builder, loop, index, carried);
    for (OpOperand *use : uses)
      use->set(carried[cast<OpResult>(use->get()).getResultNumber()]);
  }

  static void decide(ArrayRef<Gate> gates) {
    for (auto [compare, holds] : gates) {
      OpBuilder builder(compare);
      Type type = compare.getType();
      TypedAttr value = builder.getBoolAttr(holds);
      if (auto vector = dyn_cast<VectorType>(type))
        value = DenseElementsAttr::get(vector, holds);
      compare.replaceAllUsesWith(arith::ConstantOp::create(builder, compare.getLoc(), type, value).getResult());
      compare.erase();
    }
  }
};

} // namespace
} // namespace tiny::uop
