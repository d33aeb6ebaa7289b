// Makes the groups of a plan.
#include "KernelizeFunction.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/NearestOrder.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tiny::lazy {

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
      bool vanishes = isa<ContiguousOp, IotaOp, ReduceOp, ScanOp, AssignOp>(op) || isPointwise(&op) ||
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

} // namespace

void makeGroups(Block &block, const KernelizePlan &plan) { Rewriter(block, plan).run(); }

} // namespace tiny::lazy
