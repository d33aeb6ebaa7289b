// sym-simplify: index slices into the engine and, where they became cheaper, back.
#include "FloatScales.h"

#include "Tiny/Dialect/Symbolic/Access.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Transforms/Symbolic/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::sym {
#define GEN_PASS_DEF_SYMSIMPLIFY
#include "Tiny/Transforms/Symbolic/Passes.h.inc"
} // namespace tiny::sym

using namespace tiny;
using namespace tiny::sym;

namespace {
/// One block's slices.
class BlockSimplifier {
public:
  BlockSimplifier(Block &block, bool hasOrder) : block(block), hasOrder(hasOrder), bridge(context, &block) {}

  /// One round; the cost that it saved.
  int64_t run();
  int64_t getNumSimplified() const { return numSimplified; }

private:
  bool isInSlice(Operation *op) const {
    return op && op->getBlock() == &block && ArithBridge::isArithmetic(op) && !isa<arith::ConstantOp>(op);
  }
  SmallVector<Operation *> findRoots();
  int64_t replace(Value value, Expr simpler, Operation *before, OpOperand *use);
  void eraseDead();

  Block &block;
  bool hasOrder;
  ExprContext context;
  ArithBridge bridge;
  int64_t numSimplified = 0;
};
} // namespace

/// The operations of slices that something outside of slices uses, each after those that it depends on.
SmallVector<Operation *> BlockSimplifier::findRoots() {
  SmallVector<Operation *> roots;
  for (Operation &op : block)
    if (isInSlice(&op) && llvm::any_of(op.getUsers(), [&](Operation *user) { return !isInSlice(user); }))
      roots.push_back(&op);
  if (hasOrder)
    return roots;
  // Without dominance, order by dependence: a depth-first walk of the slices.
  llvm::SmallPtrSet<Operation *, 16> isRoot(roots.begin(), roots.end());
  llvm::DenseMap<Operation *, bool> done;
  SmallVector<Operation *> ordered, stack;
  for (Operation *root : roots) {
    stack.push_back(root);
    while (!stack.empty()) {
      Operation *op = stack.back();
      auto [entry, isNew] = done.try_emplace(op, false);
      if (isNew) {
        for (Value operand : llvm::reverse(op->getOperands()))
          if (Operation *producer = operand.getDefiningOp(); isInSlice(producer) && !done.count(producer))
            stack.push_back(producer);
        continue;
      }
      stack.pop_back();
      if (!entry->second && isRoot.contains(op))
        ordered.push_back(op);
      entry->second = true;
    }
  }
  return ordered;
}

/// Writes `simpler` before an operation and lets it stand for `value`, in one use or in all, if that is cheaper.
/// Returns what it saves.
int64_t BlockSimplifier::replace(Value value, Expr simpler, Operation *before, OpOperand *use) {
  int64_t oldCost = bridge.costOf(value);
  if (!simpler || simpler.cost() >= oldCost)
    return 0;
  OpBuilder builder(before);
  Value written = bridge.materialize(builder, value.getLoc(), simpler);
  // The engine's estimate and the operations agree but for what they share; only the operations count.
  int64_t newCost = bridge.costOf(written);
  if (newCost >= oldCost)
    return 0;
  ++numSimplified;
  if (use)
    use->set(written);
  else
    value.replaceAllUsesWith(written);
  return oldCost - newCost;
}

void BlockSimplifier::eraseDead() {
  llvm::SetVector<Operation *> worklist;
  for (Operation &op : block)
    if (ArithBridge::isArithmetic(&op))
      worklist.insert(&op);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!op->use_empty())
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == &block && ArithBridge::isArithmetic(producer))
        worklist.insert(producer);
    op->erase();
  }
}

int64_t BlockSimplifier::run() {
  int64_t saved = 0;
  for (Operation *root : findRoots()) {
    Value value = root->getResult(0);
    Expr expression = bridge.importValue(value);
    saved += replace(value, context.simplify(expression), root, nullptr);
  }
  // An access (memref, index, gate) reads its index only where its gate is on.
  bridge.forgetWritten();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<Access> access = getAccess(&op);
    if (!access || !access->gate || !isInSlice(access->index->get().getDefiningOp()))
      continue;
    OpOperand &index = *access->index;
    Expr expression = bridge.importValue(index.get()), gate = bridge.importValue(access->gate);
    saved += replace(index.get(), context.given(context.simplify(expression), gate), &op, &index);
  }
  eraseDead();
  return saved;
}

namespace {
struct SymSimplify : sym::impl::SymSimplifyBase<SymSimplify> {
  void runOnOperation() override {
    AlgebraActions actions(getOperation());
    getOperation()->walk([&](Block *block) {
      actions.moveTo(block->getParentOp());
      bool hasOrder = mayHaveSSADominance(*block->getParent());
      simplified += foldScales(*block);
      // Each round saves cost, so this ends.
      while (true) {
        BlockSimplifier simplifier(*block, hasOrder);
        int64_t cost = simplifier.run();
        simplified += simplifier.getNumSimplified();
        saved += cost;
        if (cost == 0)
          break;
      }
    });
  }
};
} // namespace
