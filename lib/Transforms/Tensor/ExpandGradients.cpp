// Replaces gradients by operations that compute them: reverse mode, from graph to graph.
//
// Of the operations between the targets and the loss, those without a gradient of their own are decomposed first. Then
// a walk backwards asks each what its result's gradient adds to those of its operands, and adds these up. The gradient
// of a branch or a loop leaves gradients in its bodies, which are expanded next.
#include "SumBehindLoops.h"
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Support/Origin.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSOREXPANDGRADIENTS
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

bool hasFloats(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType())) && isa<RankedTensorType>(value.getType());
}

/// What an operation computes with: its operands, and what its bodies read.
SmallVector<Value> getRead(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(values, captured);
  return values;
}

/// Erases what nobody asked for.
void dropDead(Block &block) {
  for (Operation &def : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isa_and_present<TinyDialect>(def.getDialect()) && isOpTriviallyDead(&def))
      def.erase();
}

/// One gradient operation.
class Expansion {
public:
  explicit Expansion(GradientOp op) : op(op), builder(op) {}

  LogicalResult run();

private:
  LogicalResult collectPath();
  LogicalResult decomposePath();
  LogicalResult sweep();
  LogicalResult sweepControl(ControlGradientOpInterface control, TensorBuilder &build);
  void copyCheckpoint(CheckpointOp checkpoint, TensorBuilder &build);
  void add(Value value, Value gradient, TensorBuilder &build);

  GradientOp op;
  OpBuilder builder;
  /// What the loss depends on and what depends on a target, in the order of the block.
  SmallVector<Operation *> path;
  /// What depends on a target, and the targets.
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> gradients;
  /// What is computed anew, by what it was computed by first.
  llvm::DenseMap<Operation *, Operation *> copies;
};

LogicalResult Expansion::collectPath() {
  // Backwards from the loss, and then, in the order of the block, forwards from the targets.
  llvm::SetVector<Operation *> needed;
  auto push = [&](Value value) {
    if (Operation *def = value.getDefiningOp(); def && hasFloats(value))
      needed.insert(def);
  };
  push(op.getLoss());
  for (size_t k = 0; k < needed.size(); ++k)
    for (Value operand : getRead(needed[k]))
      push(operand);
  // What was computed before the body in which the targets are watched depends on none of them.
  if (llvm::all_of(op.getTargets(), [&](Value target) { return target.getParentBlock() == op->getBlock(); }))
    needed.remove_if([&](Operation *def) {
      return def->getBlock() != op->getBlock() && def->getParentRegion()->isProperAncestor(op->getParentRegion());
    });
  for (Operation *def : needed)
    if (def->getBlock() != op->getBlock())
      return op.emitOpError("expects a loss that is computed in its own block, got one that depends on '")
             << def->getName() << "' outside of it";
  SmallVector<Operation *> sorted = needed.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  active = llvm::DenseSet<Value>(op.getTargets().begin(), op.getTargets().end());
  path.clear();
  for (Operation *def : sorted)
    if (llvm::any_of(getRead(def), [&](Value operand) { return hasFloats(operand) && active.contains(operand); })) {
      path.push_back(def);
      active.insert(def->result_begin(), def->result_end());
    }
  return success();
}

/// Until each operation on the path knows its gradient. Each round takes one step of every decomposition.
LogicalResult Expansion::decomposePath() {
  for (bool changed = true; changed;) {
    changed = false;
    if (failed(collectPath()))
      return failure();
    for (Operation *def : path) {
      if (isa<GradientOpInterface, ControlGradientOpInterface, shard::ShardOp>(def))
        continue;
      auto composite = dyn_cast<DecomposableOpInterface>(def);
      if (!composite || composite.isPrimitive())
        return def->emitOpError("has no gradient, and a target's gradient passes through it");
      def->setLoc(withOrigin(def->getLoc(), def->getName().stripDialect()));
      OpBuilder before(def);
      FailureOr<SmallVector<Value>> values = composite.decompose(before);
      if (failed(values))
        return failure();
      def->replaceAllUsesWith(*values);
      def->erase();
      changed = true;
    }
  }
  return success();
}

/// Adds what the value's use gave, summed over the axes along which it was broadcast and in the value's type.
void Expansion::add(Value value, Value gradient, TensorBuilder &build) {
  ArrayRef<int64_t> shape = TensorBuilder::getShape(value), wider = TensorBuilder::getShape(gradient);
  int64_t leading = wider.size() - shape.size();
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < static_cast<int64_t>(wider.size()); ++axis)
    if (axis < leading || (shape[axis - leading] == 1 && wider[axis] != 1))
      axes.push_back(axis);
  if (!axes.empty())
    gradient = build.reshape(build.sum(gradient, axes), shape);
  gradient = build.cast(gradient, TensorBuilder::getElement(value));
  Value &sum = gradients[value];
  sum = sum ? build.add(sum, gradient) : gradient;
}

/// Asks about the values on the path alone: the others' gradients would be carried for nobody.
LogicalResult Expansion::sweepControl(ControlGradientOpInterface control, TensorBuilder &build) {
  auto each = llvm::map_to_vector(control->getResults(), [&](Value result) { return gradients.lookup(result); });
  if (llvm::none_of(each, [](Value gradient) { return bool(gradient); }))
    return success();
  llvm::SetVector<Value> values;
  for (Value value : getRead(control))
    if (hasFloats(value) && active.contains(value))
      values.insert(value);
  FailureOr<SmallVector<Value>> parts = control.differentiateValues(build, each, values.getArrayRef());
  if (failed(parts))
    return failure();
  for (auto [value, part] : llvm::zip_equal(values, *parts))
    if (part)
      add(value, part, build);
  return success();
}

/// Computes what lies between the checkpoint's begins and its value again, for the gradients that follow.
void Expansion::copyCheckpoint(CheckpointOp checkpoint, TensorBuilder &build) {
  IRMapping mapping;
  for (Value begin : checkpoint.getBegins())
    if (!mapping.contains(begin))
      mapping.map(begin, build.where(checkpoint.getAlways(), begin, build.like(begin, 0)));
  llvm::SetVector<Operation *> needed;
  auto push = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == op->getBlock() && !mapping.contains(value))
      needed.insert(def);
  };
  push(checkpoint.getInput());
  for (size_t k = 0; k < needed.size(); ++k)
    llvm::for_each(getRead(needed[k]), push);
  SmallVector<Operation *> sorted = needed.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *def : sorted)
    if (llvm::any_of(getRead(def), [&](Value value) { return mapping.contains(value); }))
      copies.try_emplace(def, build.getBuilder().clone(*def, mapping));
}

LogicalResult Expansion::sweep() {
  TensorBuilder build(builder, op.getLoc());
  Value seed = op.getSeed();
  gradients[op.getLoss()] = seed ? seed : build.like(op.getLoss(), 1);
  for (Operation *def : llvm::reverse(path)) {
    // The operation that is differentiated, and the gradient that asks for it.
    Location loc = builder.getFusedLoc({withOrigin(def->getLoc(), def->getName().stripDialect()), op.getLoc()});
    TensorBuilder local(builder, loc);
    if (auto control = dyn_cast<ControlGradientOpInterface>(def)) {
      if (failed(sweepControl(control, local)))
        return failure();
      continue;
    }
    Value gradient = gradients.lookup(def->getResult(0));
    if (!gradient)
      continue;
    // An annotation is of the value, not of its gradient.
    if (auto annotation = dyn_cast<shard::ShardOp>(def)) {
      add(annotation.getSrc(), gradient, build);
      continue;
    }
    if (auto checkpoint = dyn_cast<CheckpointOp>(def))
      copyCheckpoint(checkpoint, local);
    Operation *known = copies.lookup(def);
    SmallVector<Value> parts = cast<GradientOpInterface>(known ? known : def).differentiate(local, gradient);
    for (auto [operand, part] : llvm::zip_equal(def->getOperands(), parts))
      if (part && hasFloats(operand))
        add(operand, part, local);
  }
  SmallVector<Value> results;
  for (Value target : op.getTargets()) {
    Value gradient = gradients.lookup(target);
    results.push_back(gradient ? gradient : build.like(target, 0));
  }
  op->replaceAllUsesWith(results);
  return success();
}

LogicalResult Expansion::run() {
  if (mayBeGraphRegion(*op->getParentRegion()))
    return op.emitOpError("expects to stand in a function, whose operations have an order");
  if (failed(decomposePath()) || failed(sweep()))
    return failure();
  Block *block = op->getBlock();
  op.erase();
  dropDead(*block);
  return success();
}

struct TensorExpandGradients : impl::TensorExpandGradientsBase<TensorExpandGradients> {
  void runOnOperation() override {
    // In order: the loss of one may depend on the gradients before it, those that it left in bodies included.
    auto findFirst = [&] {
      GradientOp first;
      getOperation()->walk([&](GradientOp op) {
        first = op;
        return WalkResult::interrupt();
      });
      return first;
    };
    while (GradientOp op = findFirst()) {
      if (failed(Expansion(op).run()))
        return signalPassFailure();
      ++numExpanded;
    }
    getOperation()->walk([](WatchOp op) {
      op.replaceAllUsesWith(op.getKept() ? op.getKept() : op.getInput());
      op.erase();
    });
    SmallVector<LoopOp> loops;
    getOperation()->walk([&](LoopOp loop) {
      if (loop->removeAttr(LoopOp::kGoesBack))
        loops.push_back(loop);
    });
    // Rows of iterations are in front of axes that ranks share, and would be merged with them.
    bool isShared = false;
    getOperation()->walk([&](shard::ShardOp) { isShared = true; });
    for (LoopOp loop : loops) {
      dropDead(loop.getBody().front());
      if (!isShared)
        sumBehind(loop);
    }
  }
};

} // namespace
} // namespace tiny::tensor
