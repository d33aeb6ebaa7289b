// lazy-kernelize: decides, and turns the decisions into groups.
#include "KernelizeFunction.h"

#include "GroupOutline.h"
#include "PlaceParts.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "Tiny/Transforms/Kernelize/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYKERNELIZE
#include "Tiny/Transforms/Kernelize/Passes.h.inc"

/// The base of an assignment is a buffer or a splat: what is only a view, or an index, gets a buffer.
static void storeViewedBases(Block &block) {
  auto store = [](OpOperand &operand) {
    Operation *base = operand.get().getDefiningOp();
    if (!base || !(isMovement(base) || isa<IotaOp>(base)))
      return;
    OpBuilder builder(operand.getOwner());
    operand.set(ContiguousOp::create(builder, operand.getOwner()->getLoc(), operand.get()));
  };
  for (Operation &op : block) {
    if (auto assign = dyn_cast<AssignOp>(op))
      store(assign.getBaseMutable());
    if (auto group = dyn_cast<GroupOp>(op))
      for (auto assign : group.getBody().front().getOps<AssignOp>())
        if (auto base = dyn_cast<BlockArgument>(assign.getBase()))
          store(group->getOpOperand(base.getArgNumber()));
  }
}

LogicalResult FunctionKernelizer::prepare() {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "function '" << function.getName() << "' has control flow: expects one block";
  options.maxBuffers = std::min<unsigned>(options.maxBuffers, getMostBuffers(function));
  storeViewedBases(getBlock());
  return success();
}

/// Places all concatenations that do not read another one.
void FunctionKernelizer::place(const KernelizePlan &plan) {
  llvm::SmallPtrSet<Operation *, 4> placed;
  for (const Placement &placement : plan.placements) {
    // What reads one that is gone waits for the next round.
    auto isGone = [&](const Placement::Piece &piece) { return placed.contains(piece.chosen.getDefiningOp()); };
    if (llvm::any_of(placement.steps, [&](const Placement::Step &step) { return llvm::any_of(step.pieces, isGone); }))
      continue;
    placeParts(placement);
    placed.insert(placement.root);
    for (const Placement::Inner &inner : placement.inner)
      placed.insert(inner.op);
  }
  for (const Decision &decision : plan.concatenations)
    if (placed.contains(decision.op))
      tell(decision, "placed", "copied");
  // What is left of them would read the parts.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void FunctionKernelizer::tell(const Decision &decision, StringRef made, StringRef refused) {
  Remarks remarks("lazy-kernelize", function);
  if (!remarks.isOn())
    return;
  StringRef name = decision.kind == Decision::fused ? made : decision.kind == Decision::kept ? "kept" : refused;
  std::string message = (decision.op->getName().getStringRef() + " " + name + ": " + decision.reason.text).str();
  Location loc = decision.op->getLoc();
  if (decision.kind == Decision::fused)
    remarks.passed(loc, name, message, decision.reason.numbers);
  else if (decision.kind == Decision::refused)
    remarks.missed(loc, name, message, decision.reason.numbers);
  else
    remarks.analysis(loc, name, message, decision.reason.numbers);
}

void FunctionKernelizer::remark(const KernelizePlan &plan) {
  Remarks remarks("lazy-kernelize", function);
  if (!remarks.isOn())
    return;
  for (const Decision &decision : plan.decisions)
    tell(decision, "fused", "stored");
  for (const Decision &decision : plan.merges)
    tell(decision, "merged", "apart");
  for (const Decision &decision : plan.concatenations)
    tell(decision, "placed", "copied");
  double kernels = plan.kernels.size();
  remarks.analysis(function.getLoc(), "planned",
                   llvm::formatv("{0:f0} kernels, {1:f0} operations; {2:f0} when nothing is computed twice", kernels,
                                 plan.operations, plan.unfusedOperations)
                       .str(),
                   {{"kernels", kernels}, {"operations", plan.operations}, {"unfused", plan.unfusedOperations}});
}

namespace {

struct LazyKernelize : impl::LazyKernelizeBase<LazyKernelize> {
  using LazyKernelizeBase::LazyKernelizeBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    AlgebraActions actions(function);
    FunctionKernelizer kernelizer(function, {policy, unsigned(maxBuffers), unsigned(maxOps)});
    if (failed(kernelizer.prepare()))
      return signalPassFailure();
    KernelizePlan plan = kernelizer.plan();
    for (unsigned k = 0; k < FunctionKernelizer::kMostRounds && !plan.placements.empty(); ++k) {
      kernelizer.place(plan);
      plan = kernelizer.plan();
    }
    kernelizer.remark(plan);
    groups += plan.kernels.size();
    llvm::DenseSet<Operation *> seen;
    for (const PlannedKernel &kernel : plan.kernels)
      for (Operation *op : kernel.ops)
        if (isa<ReduceOp>(op) || isPointwise(op))
          recomputed += !seen.insert(op).second;
    makeGroups(kernelizer.getBlock(), plan);
  }
};

} // namespace
} // namespace tiny::lazy
