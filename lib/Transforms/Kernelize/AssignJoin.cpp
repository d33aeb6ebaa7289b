// Joins kernels that assign to one state one after the other, where their stores are disjoint.
#include "AssignJoin.h"

#include "KernelReasons.h"
#include "Tiny/Algebra/Symbolic/Exact.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

ShapeTracker placesOf(AssignOp assign) { return assign.getTracker().getTracker(); }

bool hasReductions(const PlannedKernel &kernel) { return llvm::any_of(kernel.ops, llvm::IsaPred<ReduceOp>); }

bool readsSame(const PlannedKernel &first, const PlannedKernel &second, Value state) {
  return llvm::any_of(second.inputs,
                      [&](Value input) { return input != state && llvm::is_contained(first.inputs, input); });
}

/// Whether what kernels reduce goes into one loop, as with mergeKernels.
bool reduceTogether(ArrayRef<const MergeCandidate *> candidates, const cost::CostModel &costs) {
  size_t reductions = 0;
  llvm::SmallDenseSet<Attribute> spaces;
  for (const MergeCandidate *candidate : candidates) {
    if (!candidate || candidate->reduces.empty() || !costs.isSmallProduct(candidate->product))
      return false;
    reductions += candidate->reduces.size();
    spaces.insert_range(candidate->reduces);
  }
  return spaces.size() == 1 && reductions <= costs.maxLoops;
}

/// Whether a kernel reads nothing of a state but the elements at the places of `assign`, in their order.
bool readsOnlyPlaces(const PlannedKernel &kernel, Value state, AssignOp assign) {
  return llvm::all_of(kernel.ops, [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() != state || op == assign)
        continue;
      if (!isMovement(op))
        return false;
      auto shape = cast<RankedTensorType>(state.getType()).getShape();
      ShapeTracker read = applyMovement(op, ShapeTracker::identity(shape));
      if (!read || !(read.simplify() == placesOf(assign).simplify()))
        return false;
    }
    return true;
  });
}

} // namespace

void joinAssignments(std::vector<PlannedKernel> &kernels, const LazyGraph &graph, ArrayRef<MergeCandidate> candidates,
                     const KernelizeOptions &options, const cost::CostModel &costs, std::vector<Decision> &merges) {
  llvm::DenseMap<Operation *, const MergeCandidate *> candidateOf;
  for (const MergeCandidate &candidate : candidates)
    candidateOf[graph.nodes[candidate.root].op] = &candidate;
  llvm::DenseMap<Operation *, unsigned> kernelOf;                // by the last assignment
  std::vector<SmallVector<AssignOp, 1>> assigns(kernels.size()); // of each kernel, the last one first
  for (unsigned k = 0; k < kernels.size(); ++k) {
    auto assign = kernels[k].roots.size() == 1 ? kernels[k].roots.front().getDefiningOp<AssignOp>() : AssignOp();
    if (!assign)
      continue;
    kernelOf[assign] = k;
    assigns[k] = {assign};
    auto earlier = assign.getBase().getDefiningOp<AssignOp>();
    auto it = earlier && earlier->hasOneUse() ? kernelOf.find(earlier) : kernelOf.end();
    if (it == kernelOf.end())
      continue;
    PlannedKernel &first = kernels[it->second], &second = kernels[k];
    SmallVector<AssignOp, 1> before = assigns[it->second];
    Value state = before.back().getBase();
    bool mayReduce = readsSame(first, second, state) && llvm::all_of(before, [&](AssignOp other) {
                       return other.getValue().getType() == assign.getValue().getType();
                     });
    if (mayReduce) {
      SmallVector<const MergeCandidate *> all = {candidateOf.lookup(assign)};
      for (AssignOp other : before)
        all.push_back(candidateOf.lookup(other));
      mayReduce = reduceTogether(all, costs);
    }
    bool fits = (mayReduce || (!hasReductions(first) && !hasReductions(second))) &&
                readsOnlyPlaces(second, state, assign) &&
                (before.size() > 1 || readsOnlyPlaces(first, state, earlier)) &&
                llvm::all_of(before, [&](AssignOp other) { return areDisjoint(placesOf(other), placesOf(assign)); });
    PlannedKernel both;
    both.roots = second.roots;
    both.inputs = first.inputs;
    for (Value input : second.inputs)
      if (input != earlier.getResult() && !llvm::is_contained(both.inputs, input))
        both.inputs.push_back(input);
    both.ops = first.ops;
    llvm::append_range(both.ops, second.ops);
    llvm::sort(both.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    both.ops.erase(llvm::unique(both.ops), both.ops.end());
    fits &= before.size() < costs.maxResults && both.inputs.size() + 1 <= options.maxBuffers &&
            (options.policy == KernelizePolicy::all || both.countCode(costs) <= options.maxOps);
    if (!fits)
      continue;
    second = std::move(both);
    llvm::append_range(assigns[k], before);
    first = {};
    merges.push_back({assign, Decision::fused, reason::disjoint});
  }
  llvm::erase_if(kernels, [](const PlannedKernel &kernel) { return kernel.roots.empty(); });
}

} // namespace tiny::lazy
