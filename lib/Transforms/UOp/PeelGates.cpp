// uop-peel-gates: the last steps of a loop, which alone are gated, stand behind it.
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

/// Ranges of the integers that a loop's body computes, while its index is from `first` to `last`.
class BodyRanges {
public:
  BodyRanges(ForOp loop, int64_t first, int64_t last) : body(loop.getBody()) {
    known.try_emplace(loop.getInductionVar(), ConstantIntRanges::range(APInt(64, first), APInt(64, last), true));
  }

  ConstantIntRanges get(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    ConstantIntRanges range = infer(value);
    known.try_emplace(value, range);
    return range;
  }

private:
  /// Outside the body only constants and the like are looked at.
  ConstantIntRanges infer(Value value) {
    ConstantIntRanges range =
        ConstantIntRanges::maxRange(ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(value.getType())));
    auto op = value.getDefiningOp<InferIntRangeInterface>();
    // Upstream's range of `ceildivsi` is wrong for the least integer.
    if (!op || op->getNumRegions() != 0 || isa<arith::CeilDivSIOp>(op) ||
        (op->getBlock() != body && op->getNumOperands() != 0))
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

  Block *body;
  llvm::DenseMap<Value, ConstantIntRanges> known;
};

struct UOpPeelGates : impl::UOpPeelGatesBase<UOpPeelGates> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ForOp> loops;
    getOperation().walk([&](ForOp loop) { loops.push_back(loop); });
    for (ForOp loop : loops)
      peel(loop);
  }

private:
  /// A comparison of indices, and what it is in all steps of a loop but the last ones.
  struct Gate {
    arith::CmpIOp compare;
    bool holds;
  };

  /// The comparisons that have one value in the first `steps`, and not in all.
  static SmallVector<Gate> findGates(ForOp loop, int64_t steps, int64_t trips) {
    SmallVector<Gate> gates;
    BodyRanges first(loop, 0, steps - 1), all(loop, 0, trips - 1);
    for (auto compare : loop.getBody()->getOps<arith::CmpIOp>()) {
      if (!getElementTypeOrSelf(compare.getLhs().getType()).isIndex())
        continue;
      std::optional<APInt> value = first.get(compare.getResult()).getConstantValue();
      if (value && !all.get(compare.getResult()).getConstantValue())
        gates.push_back({compare, value->isOne()});
    }
    return gates;
  }

  void peel(ForOp loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->sgt(kIndexLimit))
      return;
    int64_t operations = 0;
    loop.getBody()->walk([&](Operation *) { ++operations; });
    int64_t all = trips->getSExtValue(), most = std::min<int64_t>(maxSteps, maxOperations / operations);
    // A comparison with one value in some first steps has it in fewer of them, too: search by halves.
    int64_t steps = std::max<int64_t>(1, all - most);
    for (int64_t end = all; steps + 1 < end;) {
      int64_t middle = steps + (end - steps) / 2;
      (findGates(loop, middle, all).empty() ? end : steps) = middle;
    }
    SmallVector<Gate> gates = steps < all ? findGates(loop, steps, all) : SmallVector<Gate>();
    if (gates.empty())
      return;
    peelFrom(loop, steps, all);
    decide(gates);
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
    for (int64_t index = steps; index < trips; ++index) {
      IRMapping step;
      step.map(loop.getInductionVar(), arith::ConstantIndexOp::create(builder, loop.getLoc(), index).getResult());
      step.map(loop.getRegionIterArgs(), carried);
      for (Operation &op : loop.getBody()->without_terminator())
        builder.clone(op, step);
      carried = llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(),
                                    [&](Value value) { return step.lookupOrDefault(value); });
    }
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
