// Copies once what the products of a loop would turn in each iteration.
#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Transforms/Tensor/Passes.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORTURNFACTORS
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

/// The matrix of which the value is the transpose; null where it is none.
Value findTurned(Value value) {
  if (TensorBuilder::getShape(value).size() != 2)
    return {};
  bool isTurned = false;
  while (Operation *def = value.getDefiningOp()) {
    if (auto permute = dyn_cast<PermuteOp>(def))
      isTurned ^= permute.getPermutation().front() != 0;
    else if (auto transpose = dyn_cast<TransposeOp>(def))
      isTurned ^= (transpose.getFirst() - transpose.getSecond()) % 2 != 0;
    else
      break;
    value = def->getOperand(0);
  }
  return isTurned ? value : Value();
}

/// The outermost loop around the operation that does not compute the value, and how often it runs the operation.
std::pair<LoopOp, double> findLoop(Operation *op, Value value) {
  std::pair<LoopOp, double> found = {nullptr, 1};
  for (auto loop = op->getParentOfType<LoopOp>(); loop; loop = loop->getParentOfType<LoopOp>()) {
    if (loop.getBody().isAncestor(value.getParentRegion()))
      break;
    found = {loop, found.second * static_cast<double>(loop.getMost())};
  }
  return found;
}

struct TensorTurnFactors : impl::TensorTurnFactorsBase<TensorTurnFactors> {
  void runOnOperation() override {
    const cost::Machine &machine = target::findMachine(getOperation());
    if (machine.kind != cost::DeviceKind::Cpu)
      return;
    getOperation()->walk([&](MatmulOp product) {
      Value turned = findTurned(product.getRhs());
      if (!turned)
        return;
      auto [loop, times] = findLoop(product, turned);
      int64_t reduced = TensorBuilder::getShape(product.getRhs()).front();
      if (!loop || reduced == 0 || TensorBuilder::getType(product.getLhs()).getNumElements() == 0)
        return;
      int64_t rows = TensorBuilder::getType(product.getLhs()).getNumElements() / reduced;
      // Lanes along the reduced axis want it as it is.
      if (cost::prefersSums(rows, reduced, machine) ||
          times * (cost::kPackElement - cost::kPackVector) <= cost::kPackElement + cost::kPackVector)
        return;
      OpBuilder builder(loop);
      TensorBuilder build(builder, product.getLoc());
      product.getRhsMutable().assign(build.create<ContiguousOp>(build.permute(turned, {1, 0})));
      ++numTurned;
    });
  }
};

} // namespace
} // namespace tiny::tensor
