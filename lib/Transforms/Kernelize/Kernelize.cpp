// lazy-kernelize: turns the plan into groups.
#include "GroupOutline.h"
#include "PlaceParts.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "Tiny/Support/NearestOrder.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"
#include "Tiny/Transforms/Kernelize/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYKERNELIZE
#include "Tiny/Transforms/Kernelize/Passes.h.inc"

namespace {

/// Rewrites one block. What stays, and the new groups, are put in an order in which each stands behind what it reads;
/// of the possible ones, the one nearest to the old order.
class Rewriter {
public:
  Rewriter(Block &block, const KernelizePlan &plan) : block(block), plan(plan) {}

  void run() {
    collectItems();
    sortItems();
    OpBuilder builder(block.getTerminator());
    for (unsigned item : order) {
      if (items[item].kernel) {
        emit(builder, *items[item].kernel);
        continue;
      }
      Operation *op = items[item].op;
      if (isMovement(op)) {
        emitAlias(builder, op);
        continue;
      }
      remapOperands(op);
      if (op != block.getTerminator())
        op->moveBefore(block.getTerminator());
    }
    for (Operation *op : llvm::reverse(obsolete))
      if (op->use_empty())
        op->erase();
  }

private:
  /// Either a kernel or an operation that stays.
  struct Item {
    const PlannedKernel *kernel = nullptr;
    Operation *op = nullptr;
    unsigned position = 0; ///< in the old order
  };

  void collectItems() {
    llvm::DenseMap<Operation *, unsigned> position;
    for (Operation &op : block) {
      position[&op] = position.size();
      bool vanishes = isa<ContiguousOp, IotaOp, ReduceOp, AssignOp>(op) || isPointwise(&op) ||
                      (isMovement(&op) && !plan.aliases.contains(&op));
      if (!vanishes)
        items.push_back({nullptr, &op, position[&op]});
      // A constant that kernels took in, and a movement of which there is a copy, go too.
      if (vanishes || isMovement(&op) || isa<arith::ConstantOp>(op))
        obsolete.push_back(&op);
    }
    for (const PlannedKernel &kernel : plan.kernels)
      items.push_back({&kernel, nullptr, position[kernel.roots.back().getDefiningOp()]});
  }

  void sortItems() {
    llvm::DenseMap<Value, unsigned> producer;
    for (auto [k, item] : llvm::enumerate(items)) {
      if (item.kernel)
        for (Value root : item.kernel->roots)
          producer[root] = k;
      else
        for (Value result : item.op->getResults())
          producer[result] = k;
    }
    std::vector<SmallVector<unsigned, 4>> waiting(items.size());
    for (unsigned k = 0; k < items.size(); ++k) {
      SmallVector<Value> reads;
      if (items[k].kernel)
        llvm::append_range(reads, items[k].kernel->inputs);
      else
        forEachOperand(items[k].op, [&](OpOperand &operand) { reads.push_back(baseOf(operand.get(), items[k].op)); });
      for (Value value : reads)
        if (auto it = producer.find(value); it != producer.end() && it->second != k)
          waiting[k].push_back(it->second);
    }
    order = sortNearest(waiting, llvm::map_to_vector(items, [](const Item &item) { return item.position; }));
  }

  /// Operands of `op`, and of what stands in its regions unless it is isolated.
  static void forEachOperand(Operation *op, llvm::function_ref<void(OpOperand &)> apply) {
    for (OpOperand &operand : op->getOpOperands())
      apply(operand);
    if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          apply(operand);
      });
  }

  /// What `user` really reads when it reads `value`: a group that is there already takes views of bases in, and a view
  /// that stays reads the base of its chain.
  Value baseOf(Value value, Operation *user) const {
    value = skipContiguous(value);
    while ((isa<GroupOp>(user) || isMovement(user)) && value.getDefiningOp() && value.getParentBlock() == &block &&
           isMovement(value.getDefiningOp()))
      value = skipContiguous(value.getDefiningOp()->getOperand(0));
    return value;
  }

  /// The value after the rewriting.
  Value lookup(Value value) const {
    value = skipContiguous(value);
    auto it = stored.find(value);
    return it == stored.end() ? value : it->second;
  }

  /// One view for a chain of movements, of its base. The old ones stay while kernels are made from them.
  void emitAlias(OpBuilder &builder, Operation *op) {
    Value base = baseOf(op->getOperand(0), op), result = op->getResult(0);
    SmallVector<Operation *> chain;
    for (Value value = result; value != base; value = skipContiguous(chain.back()->getOperand(0)))
      chain.push_back(value.getDefiningOp());
    if (chain.size() == 1) {
      Operation *copy = builder.clone(*op);
      copy->setOperand(0, lookup(base));
      stored[result] = copy->getResult(0);
      return;
    }
    auto tracker = ShapeTracker::identity(cast<RankedTensorType>(base.getType()).getShape());
    for (Operation *link : llvm::reverse(chain))
      tracker = applyMovement(link, tracker);
    auto attr = TrackerAttr::get(op->getContext(), tracker);
    stored[result] = ViewOp::create(builder, op->getLoc(), result.getType(), lookup(base), attr);
  }

  void remapOperands(Operation *op) {
    if (auto group = dyn_cast<GroupOp>(op))
      return sinkViews(group);
    forEachOperand(op, [&](OpOperand &operand) {
      // `stored` knows values of this block only.
      if (operand.get().getParentBlock() == &block)
        operand.set(lookup(operand.get()));
    });
  }

  /// Moves the views that a group reads into it.
  void sinkViews(GroupOp group) {
    OpBuilder builder = OpBuilder::atBlockBegin(&group.getBody().front());
    for (OpOperand &operand : group->getOpOperands()) {
      SmallVector<Operation *> chain;
      Value base = skipContiguous(operand.get());
      while (base.getDefiningOp() && isMovement(base.getDefiningOp())) {
        chain.push_back(base.getDefiningOp());
        base = skipContiguous(chain.back()->getOperand(0));
      }
      operand.set(lookup(base));
      if (chain.empty())
        continue;
      BlockArgument argument = group.getBody().getArgument(operand.getOperandNumber());
      Value old = argument;
      IRMapping mapping;
      // The argument takes the base's type; its readers take the view.
      SmallVector<OpOperand *> readers;
      for (OpOperand &use : old.getUses())
        readers.push_back(&use);
      argument.setType(cast<RankedTensorType>(base.getType()));
      Value inner = argument;
      if (Operation *source = base.getDefiningOp(); source && !stored.contains(base) && isa<IotaOp>(source))
        inner = builder.clone(*source)->getResult(0);
      for (Operation *link : llvm::reverse(chain)) {
        Operation *copy = builder.clone(*link);
        copy->setOperand(0, inner);
        inner = copy->getResult(0);
      }
      for (OpOperand *use : readers)
        use->set(inner);
    }
    dropSourceInputs(group);
  }

  /// An index source is no buffer: its argument, which nobody reads any more, goes.
  static void dropSourceInputs(GroupOp group) {
    Block &body = group.getBody().front();
    for (unsigned k = group.getInputs().size(); k-- > 0;)
      if (group.getInputs()[k].getDefiningOp<IotaOp>() && body.getArgument(k).use_empty()) {
        body.eraseArgument(k);
        group.getInputsMutable().erase(k);
      }
  }

  void emit(OpBuilder &builder, const PlannedKernel &kernel) {
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (Value input : kernel.inputs)
      inputs.push_back(lookup(input));
    for (Value root : kernel.roots) {
      types.push_back(root.getType());
      locations.push_back(root.getLoc());
    }
    auto group = GroupOp::create(builder, builder.getFusedLoc(locations), types,
                                 builder.getStringAttr(getKernelLabel(kernel)), inputs);
    Block &body = group.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value input : kernel.inputs)
      mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    for (Operation *op : kernel.ops) {
      // The buffer that it asks for is the group's result.
      if (auto contiguous = dyn_cast<ContiguousOp>(op)) {
        mapping.map(contiguous.getResult(), mapping.lookup(skipContiguous(contiguous.getInput())));
        continue;
      }
      for (Value operand : op->getOperands())
        if (Value named = skipContiguous(operand); named != operand)
          mapping.map(operand, mapping.lookup(named));
      Operation *copy = inner.clone(*op, mapping);
      if (auto kept = plan.kept.find(op); kept != plan.kept.end()) {
        DenseI64ArrayAttr axes = kept->second.empty() ? nullptr : inner.getDenseI64ArrayAttr(kept->second);
        for (auto [result, value] : llvm::zip_equal(op->getResults(), copy->getResults()))
          mapping.map(result, KeepOp::create(inner, op->getLoc(), value, axes).getResult());
      }
    }
    SmallVector<Value> results;
    for (Value root : kernel.roots)
      results.push_back(mapping.lookup(root));
    YieldOp::create(inner, group.getLoc(), results);
    for (auto [root, result] : llvm::zip_equal(kernel.roots, group.getResults()))
      stored[root] = result;
  }

  Block &block;
  const KernelizePlan &plan;
  std::vector<Item> items;
  std::vector<unsigned> order;
  SmallVector<Operation *> obsolete;
  llvm::DenseMap<Value, Value> stored;
};

struct LazyKernelize : impl::LazyKernelizeBase<LazyKernelize> {
  using LazyKernelizeBase::LazyKernelizeBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "function '" << function.getName() << "' has control flow: expects one block";
      return signalPassFailure();
    }
    AlgebraActions actions(function);
    Block &block = function.getBody().front();
    storeViewedBases(block);
    KernelizeOptions options;
    options.policy = policy;
    options.maxBuffers = std::min<unsigned>(maxBuffers, getMostBuffers(function));
    options.maxOps = maxOps;
    KernelizePlan plan = KernelizePlan::compute(block, options);
    // A part of a concatenation may be one itself.
    constexpr unsigned maxNesting = 8;
    for (unsigned k = 0; k < maxNesting && !plan.placements.empty(); ++k) {
      placeAll(plan);
      plan = KernelizePlan::compute(block, options);
    }
    remark(plan);
    groups += plan.kernels.size();
    llvm::DenseSet<Operation *> seen;
    for (const PlannedKernel &kernel : plan.kernels)
      for (Operation *op : kernel.ops)
        if (isa<ReduceOp>(op) || isPointwise(op))
          recomputed += !seen.insert(op).second;
    Rewriter(block, plan).run();
  }

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

  /// Places all concatenations that do not read another one.
  void placeAll(const KernelizePlan &plan) {
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
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(getOperation().getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  void tell(const Decision &decision, StringRef made, StringRef refused) {
    Remarks remarks(getArgument(), getOperation());
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

  void remark(const KernelizePlan &plan) {
    Remarks remarks(getArgument(), getOperation());
    if (!remarks.isOn())
      return;
    for (const Decision &decision : plan.decisions)
      tell(decision, "fused", "stored");
    for (const Decision &decision : plan.merges)
      tell(decision, "merged", "apart");
    for (const Decision &decision : plan.concatenations)
      tell(decision, "placed", "copied");
    double kernels = plan.kernels.size();
    remarks.analysis(getOperation().getLoc(), "planned",
                     llvm::formatv("{0:f0} kernels, {1:f0} operations; {2:f0} when nothing is computed twice", kernels,
                                   plan.operations, plan.unfusedOperations)
                         .str(),
                     {{"kernels", kernels}, {"operations", plan.operations}, {"unfused", plan.unfusedOperations}});
  }
};

} // namespace
} // namespace tiny::lazy
