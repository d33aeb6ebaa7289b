// lazy-kernelize-instances: one plan for the instances of a program.
#include "KernelizeFunction.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "Tiny/Transforms/Kernelize/Passes.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYKERNELIZEINSTANCES
#include "Tiny/Transforms/Kernelize/Passes.h.inc"

namespace {

/// What the operations and values of one block are in another one of the same structure.
class BlockMap {
public:
  /// False where the structures differ: operations, or what each takes of the others.
  bool build(Block &from, Block &to) {
    if (from.getNumArguments() != to.getNumArguments() || from.getOperations().size() != to.getOperations().size())
      return false;
    for (auto [argument, peer] : llvm::zip_equal(from.getArguments(), to.getArguments()))
      values[argument] = peer;
    for (auto [op, peer] : llvm::zip_equal(from, to)) {
      if (op.getName() != peer.getName() || op.getNumResults() != peer.getNumResults() ||
          op.getNumOperands() != peer.getNumOperands())
        return false;
      for (auto [operand, other] : llvm::zip_equal(op.getOperands(), peer.getOperands()))
        if (values.lookup(operand) != other)
          return false;
      ops[&op] = &peer;
      for (auto [result, other] : llvm::zip_equal(op.getResults(), peer.getResults()))
        values[result] = other;
    }
    return true;
  }

  Operation *get(Operation *op) const { return ops.lookup(op); }
  Value get(Value value) const { return values.lookup(value); }

  /// What `makeGroups` needs of a plan.
  KernelizePlan get(const KernelizePlan &plan) const {
    KernelizePlan mapped;
    for (const PlannedKernel &kernel : plan.kernels) {
      PlannedKernel &own = mapped.kernels.emplace_back();
      for (Value root : kernel.roots)
        own.roots.push_back(get(root));
      for (Operation *op : kernel.ops)
        own.ops.push_back(get(op));
      for (Value input : kernel.inputs)
        own.inputs.push_back(get(input));
    }
    for (const auto &[op, axes] : plan.kept)
      mapped.kept[get(op)] = axes;
    for (Operation *op : plan.aliases)
      mapped.aliases.insert(get(op));
    return mapped;
  }

  /// Whether two plans rewrite the same concatenations in the same way.
  bool hasSamePlacements(const KernelizePlan &plan, const KernelizePlan &other) const {
    auto isSameStep = [](const Placement::Step &a, const Placement::Step &b) {
      return a.pieces.size() == b.pieces.size() && !a.value == !b.value;
    };
    return llvm::equal(plan.placements, other.placements, [&](const Placement &a, const Placement &b) {
      return get(a.root) == b.root && a.inner.size() == b.inner.size() && llvm::equal(a.steps, b.steps, isSameStep);
    });
  }

private:
  llvm::DenseMap<Operation *, Operation *> ops;
  llvm::DenseMap<Value, Value> values;
};

struct KernelizeInstances : impl::LazyKernelizeInstancesBase<KernelizeInstances> {
  using Base::Base;

  void runOnOperation() override {
    std::vector<SmallVector<func::FuncOp>> functions;
    for (auto instance : getOperation().getOps<ModuleOp>()) {
      size_t number = 0;
      for (auto function : instance.getOps<func::FuncOp>()) {
        if (function.isExternal())
          continue;
        if (number == functions.size())
          functions.emplace_back();
        functions[number++].push_back(function);
      }
    }
    for (ArrayRef<func::FuncOp> peers : functions)
      if (failed(kernelize(peers)))
        return signalPassFailure();
  }

  LogicalResult kernelize(ArrayRef<func::FuncOp> functions) {
    std::vector<FunctionKernelizer> kernelizers;
    for (func::FuncOp function : functions)
      if (failed(kernelizers.emplace_back(function, KernelizeOptions{policy, unsigned(maxBuffers), unsigned(maxOps)})
                     .prepare()))
        return failure();
    SmallVector<FunctionKernelizer *> rest;
    for (FunctionKernelizer &kernelizer : kernelizers)
      rest.push_back(&kernelizer);
    while (!rest.empty()) {
      // Where numbers meet by chance they are round ones, as the greatest sizes often are: the second one decides.
      std::swap(rest[0], rest[rest.size() > 1 ? 1 : 0]);
      SmallVector<FunctionKernelizer *> others = decide(rest);
      assert(others.size() < rest.size() && "the one that decides is done");
      rest = std::move(others);
    }
    return success();
  }

  /// Makes the groups of the first one, and those of all that are alike. Gives the others.
  SmallVector<FunctionKernelizer *> decide(ArrayRef<FunctionKernelizer *> functions) {
    FunctionKernelizer &first = *functions.front();
    SmallVector<FunctionKernelizer *> alike(functions.drop_front()), others;
    for (unsigned round = 0;; ++round) {
      AlgebraActions actions(first.getBlock().getParentOp());
      KernelizePlan plan = first.plan();
      bool isDone = plan.placements.empty() || round == FunctionKernelizer::kMostRounds;
      SmallVector<FunctionKernelizer *> stay;
      for (FunctionKernelizer *peer : alike) {
        BlockMap map;
        bool isAlike = map.build(first.getBlock(), peer->getBlock());
        if (isAlike && isDone) {
          makeGroups(peer->getBlock(), map.get(plan));
          continue;
        }
        KernelizePlan own = isAlike ? peer->plan() : KernelizePlan();
        if (!isAlike || !map.hasSamePlacements(plan, own)) {
          others.push_back(peer);
          continue;
        }
        // Where its parts lie is its own affair.
        peer->place(own);
        stay.push_back(peer);
      }
      if (isDone) {
        first.remark(plan);
        makeGroups(first.getBlock(), plan);
        return others;
      }
      first.place(plan);
      alike = std::move(stay);
    }
  }
};

} // namespace
} // namespace tiny::lazy
