// Copies once what the products of a loop would turn in each iteration.
#include "Tiny/Algebra/Cost/Product.h"
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

/// Picoseconds of a product whose factor of the lanes lies as lanes x depth, if it is turned.
int64_t predictProduct(int64_t rows, int64_t depth, int64_t lanes, bool isTurned, const cost::Machine &machine) {
  cost::Product product = cost::Product::make(1, rows, depth, lanes, isTurned);
  int64_t tiles = cost::findTiles(product, machine).front().times.getTotal();
  std::optional<std::pair<cost::DotShape, int64_t>> dots = isTurned ? cost::chooseDots(product, machine) : std::nullopt;
  return dots ? std::min(tiles, dots->second) : tiles;
}

/// Picoseconds of turning a matrix.
int64_t predictTurning(int64_t depth, int64_t lanes, const cost::Machine &machine) {
  cost::Nest nest;
  nest.axes = {{depth, cost::AxisRole::Loop, false}, {lanes, cost::AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {1, depth}}, {4, true, {lanes, 1}}};
  return cost::predictKernel(nest, machine);
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
      int64_t rows = TensorBuilder::getType(product.getLhs()).getNumElements() / reduced,
              lanes = TensorBuilder::getShape(product.getRhs()).back();
      // Lanes along the reduced axis want it as it is.
      double gain = double(predictProduct(rows, reduced, lanes, /*isTurned=*/true, machine) -
                           predictProduct(rows, reduced, lanes, /*isTurned=*/false, machine));
      if (lanes == 0 || times * gain <= double(predictTurning(reduced, lanes, machine)))
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
