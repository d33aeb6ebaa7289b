// The decisions of lazy-kernelize. From the last operation to the first, each value learns over which domains it is
// wanted; where that is more often than it has elements, the cost model chooses between recomputation and a buffer.
#include "Tiny/Transforms/Lazy/KernelizePlan.h"

#include "Domains.h"
#include "KernelCone.h"
#include "KernelMerge.h"
#include "LazyGraph.h"
#include "Tiny/Transforms/Lazy/CostModel.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

/// What forces a value into a buffer, or lets it be computed where it is used.
namespace reason {
constexpr StringRef boundary = "its buffer is asked for";
constexpr StringRef policy = "the policy asks for it";
constexpr StringRef elementwise = "it is computed once, where it is used";
constexpr StringRef recomputed = "recomputing it costs less than a buffer";
constexpr StringRef hidden = "recomputing it hides behind the memory that the kernel moves";
constexpr StringRef manyUsers = "it is used in more places than it may be recomputed in";
constexpr StringRef expensive = "recomputing it costs more than a buffer";
constexpr StringRef epilogue = "it ends a reduction that can't run where it is used";
constexpr StringRef reduceAgain = "the reduction would run again for each of its uses";
constexpr StringRef reduceNested = "the reduction would run inside another reduction";
constexpr StringRef reduceOther = "the kernel reduces over another space already";
constexpr StringRef reduceMany = "the kernel has as many reductions as it may have";
constexpr StringRef reduceFused = "the reduction runs once where it is used";
constexpr StringRef reduceRows = "too few rows would be left to run side by side";
constexpr StringRef buffers = "the kernel would read more buffers than it may";
constexpr StringRef operations = "the kernel would have more operations than it may";
} // namespace reason

class Planner {
public:
  Planner(Block &block, const KernelizeOptions &options)
      : graph(block), options(options), context(block.getParentOp()->getContext()), cut(graph.nodes.size()) {}

  KernelizePlan run() {
    accumulateWeights();
    findEpilogues();
    // A kernel over a limit is cut and everything decided anew: a cut changes what the kernels before it are.
    constexpr unsigned maxRounds = 16;
    for (unsigned round = 0; round < maxRounds; ++round) {
      decide();
      formKernels();
      if (!cutLargeKernels())
        break;
    }
    plan.aliases = std::move(graph.aliases);
    report();
    return std::move(plan);
  }

private:
  LazyNode &node(unsigned k) { return graph.nodes[k]; }

  /// Per node, what one element costs together with everything that only it needs, down to what is likely stored.
  void accumulateWeights() {
    weight.assign(graph.nodes.size() + 1, 0);
    for (unsigned k = 0; k < graph.nodes.size(); ++k) {
      if (node(k).kind != LazyNode::compute || !isElementwise(node(k).op)) {
        // A movement hands on; a buffer or a reduction is read.
        if (node(k).kind == LazyNode::movement)
          weight[graph.postDominator(k)] += weight[k];
        continue;
      }
      weight[k] += CostModel::weight(node(k).op);
      // Copied as often as may be it would not pay: whoever needs more than one copy finds it stored.
      bool likelyStored = !node(k).op->hasOneUse() && !prefersRecomputation(k, costs.maxCopies);
      if (!node(k).boundary && !likelyStored)
        weight[graph.postDominator(k)] += weight[k];
    }
  }

  /// The cost model's choice for `copies` evaluations of each element.
  bool prefersRecomputation(unsigned k, double copies) {
    Operation *op = node(k).op;
    Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    // What has no width of its own is as wide as an address.
    unsigned width = element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
    double elements = countResultElements(op), bytes = elements * width;
    return costs.prefersRecomputation(elements, bytes, copies * elements, weight[k]);
  }

  /// Per node, some reductions that it could end: reached through elementwise operations and views that expand nothing.
  /// Per reduction, the first operation that takes what follows it elsewhere: into another reduction or a larger shape.
  void findEpilogues() {
    constexpr size_t maxTracked = 4;
    epilogues.assign(graph.nodes.size(), {});
    leaves.assign(graph.nodes.size(), graph.nodes.size());
    for (unsigned k = 0; k < graph.nodes.size(); ++k) {
      auto &own = epilogues[k];
      Operation *op = node(k).op;
      if (!node(k).live || (node(k).kind != LazyNode::movement && node(k).kind != LazyNode::compute))
        continue;
      for (Value operand : op->getOperands()) {
        auto input = graph.producer(operand);
        if (!input || node(*input).boundary)
          continue;
        double elements = cast<RankedTensorType>(operand.getType()).getNumElements();
        bool follows = !isa<ReduceOp, ContiguousOp>(op) && countResultElements(op) <= elements;
        for (unsigned reduce : epilogues[*input])
          if (!follows)
            leaves[reduce] = std::min(leaves[reduce], k);
          else if (own.size() < maxTracked && !llvm::is_contained(own, reduce))
            own.push_back(reduce);
      }
      if (isa<ReduceOp>(op))
        own = {k};
    }
  }

  /// Whether storing `k` also stores all that is needed of a reduction.
  bool endsReduction(unsigned k) {
    return llvm::any_of(epilogues[k], [&](unsigned reduce) {
      return reduce != k && k < leaves[reduce] && graph.isPostDominatedBy(reduce, k);
    });
  }

  /// Whether all reductions that `k` ends combine so little that they may run inside another.
  bool endsSmallReduction(unsigned k) {
    return llvm::all_of(epilogues[k], [&](unsigned reduce) {
      auto type = cast<RankedTensorType>(node(reduce).op->getOperand(0).getType());
      return type.getNumElements() <= costs.nestedReduction;
    });
  }

  /// Where a node is wanted.
  struct Wanted {
    SmallVector<Domains::Id, 2> domains;
    bool overflow = false; ///< in more places than it may be recomputed in

    void add(Domains::Id id, size_t limit) {
      if (overflow || llvm::is_contained(domains, id))
        return;
      if (domains.size() == limit)
        overflow = true;
      else
        domains.push_back(id);
    }
  };

  void decide() {
    size_t count = graph.nodes.size();
    stored.assign(count, false);
    why.assign(count, "");
    reduceSpaces.assign(count, {});
    hidden.assign(count, 0);
    domains.emplace(context);
    wanted.assign(count, {});
    storeDomain.assign(count, 0);
    for (unsigned k = count; k-- > 0;) {
      if (!node(k).live || node(k).kind == LazyNode::opaque || node(k).kind == LazyNode::forward)
        continue;
      decideNode(k, wanted[k], *domains);
      if (node(k).kind != LazyNode::source)
        pass(k);
    }
  }

  /// Tells the operands of `k` where they are wanted.
  void pass(unsigned k) {
    // Under the other policies nothing asks.
    if (options.policy != KernelizePolicy::costModel)
      return;
    SmallVector<Domains::Id, 2> own = wanted[k].domains, inside;
    if (stored[k])
      own = {storeDomain[k] = domains->store(k, node(k).op)};
    for (Domains::Id id : own) {
      if (node(k).kind == LazyNode::movement)
        id = domains->through(id, node(k).op);
      else if (auto reduce = dyn_cast<ReduceOp>(node(k).op))
        id = domains->inside(id, reduce);
      inside.push_back(id);
    }
    for (Value operand : node(k).op->getOperands()) {
      auto input = graph.producer(operand);
      if (!input || node(*input).kind == LazyNode::source || node(*input).kind == LazyNode::opaque)
        continue;
      wanted[*input].overflow |= !stored[k] && wanted[k].overflow;
      for (Domains::Id id : inside)
        wanted[*input].add(id, costs.maxCopies);
    }
  }

  void store(unsigned k, StringRef because) {
    stored[k] = true;
    why[k] = because;
  }

  void decideNode(unsigned k, const Wanted &wanted, Domains &spaces) {
    if (node(k).boundary)
      return store(k, reason::boundary);
    if (node(k).kind != LazyNode::compute)
      return;
    if (!cut[k].empty())
      return store(k, cut[k]);
    if (options.policy != KernelizePolicy::costModel) {
      if (options.policy == KernelizePolicy::none)
        return store(k, reason::policy);
      why[k] = reason::policy;
      return;
    }
    if (auto reduce = dyn_cast<ReduceOp>(node(k).op))
      return decideReduce(k, reduce, wanted, spaces);
    decideElementwise(k, wanted, spaces);
  }

  void decideElementwise(unsigned k, const Wanted &wanted, Domains &spaces) {
    double elements = countResultElements(node(k).op), evaluations = 0;
    for (Domains::Id id : wanted.domains)
      evaluations += spaces.evaluations(id);
    bool repeats = wanted.overflow || evaluations > elements;
    auto inReduction = [&](Domains::Id id) { return spaces.inReduction(id); };
    bool isNested = llvm::any_of(wanted.domains, inReduction) && !endsSmallReduction(k);
    if ((repeats || isNested) && endsReduction(k))
      return store(k, reason::epilogue);
    if (!repeats) {
      why[k] = reason::elementwise;
      return;
    }
    if (wanted.overflow)
      return store(k, reason::manyUsers);
    if (prefersRecomputation(k, evaluations / std::max(elements, 1.0))) {
      why[k] = reason::recomputed;
      return;
    }
    if (wanted.domains.size() != 1 || !hidesRecomputation(wanted.domains.front(), (evaluations - elements) * weight[k]))
      return store(k, reason::expensive);
    why[k] = reason::hidden;
  }

  /// Whether `extra` recomputation fits into what the kernel may add, which is charged.
  bool hidesRecomputation(Domains::Id domain, double extra) {
    unsigned kernel = domains->kernel(domain);
    // A kernel that only moves data has no operations to compare with.
    if (domains->inReduction(domain) || !isElementwise(node(kernel).op))
      return false;
    if (hidden[kernel] + extra > costs.hiddenPerElement * storedElements(kernel))
      return false;
    hidden[kernel] += extra;
    return true;
  }

  double storedElements(unsigned kernel) { return countResultElements(node(kernel).op); }

  void decideReduce(unsigned k, ReduceOp reduce, const Wanted &wanted, Domains &spaces) {
    if (wanted.overflow || wanted.domains.size() != 1 ||
        spaces.evaluations(wanted.domains.front()) > countResultElements(reduce))
      return store(k, reason::reduceAgain);
    Domains::Id domain = wanted.domains.front();
    double combined = spaces.evaluations(spaces.inside(domain, reduce)), rows = spaces.evaluations(domain);
    // Inside another reduction it runs as often as it would by itself, but only as many run side by side as the other
    // one leaves.
    if (spaces.inReduction(domain) && combined > costs.nestedReduction)
      return store(k, reason::reduceNested);
    if (rows < storedElements(spaces.kernel(domain)) && !costs.prefersRows(rows, combined))
      return store(k, reason::reduceRows);
    // Several reductions share a kernel where they share their loops, or where it does not matter.
    auto &others = reduceSpaces[spaces.kernel(domain)];
    if (others.size() + 1 >= costs.maxReductions)
      return store(k, reason::reduceMany);
    std::pair<Attribute, double> own{spaces.reduceSpace(reduce), combined};
    for (auto &other : others)
      if (other.first != own.first && std::min(other.second, own.second) > costs.smallReduction)
        return store(k, reason::reduceOther);
    others.push_back(own);
    why[k] = reason::reduceFused;
  }

  //===--- Kernels ------------------------------------------------------------------------------------------------===//

  /// Whether what reads node `k` reads a buffer.
  bool isBuffer(unsigned k) const {
    const LazyNode &node = graph.nodes[k];
    if (node.kind != LazyNode::compute || !stored[k])
      return node.kind == LazyNode::opaque;
    return options.policy == KernelizePolicy::all ? node.stop || !cut[k].empty() : true;
  }

  void formKernels() {
    plan.kernels.clear();
    auto isStop = [&](Value value) {
      auto k = graph.producer(value);
      return !k || isBuffer(*k);
    };
    ConeCollector cones(graph, isStop);
    if (options.policy == KernelizePolicy::all)
      return formLevels(cones);
    std::vector<MergeCandidate> candidates;
    for (unsigned k = 0; k < graph.nodes.size(); ++k)
      if (stored[k]) {
        candidates.push_back({k, cones.collect({k}), {}});
        for (auto &space : reduceSpaces[k])
          candidates.back().reduces.push_back(space.first);
        if (auto reduce = dyn_cast<ReduceOp>(node(k).op))
          candidates.back().reduces.push_back(domains->reduceSpace(reduce));
      }
    if (options.policy == KernelizePolicy::none) {
      for (MergeCandidate &candidate : candidates)
        plan.kernels.push_back(std::move(candidate.kernel));
      return;
    }
    auto readsInPlace = [&](unsigned from, unsigned to) { return isReadInPlace(from, to); };
    std::vector<PlannedKernel *> single(graph.nodes.size());
    for (MergeCandidate &candidate : candidates)
      single[candidate.root] = &candidate.kernel;
    for (ArrayRef<unsigned> roots : mergeKernels(graph, candidates, readsInPlace, options))
      plan.kernels.push_back(roots.size() == 1 ? std::move(*single[roots.front()]) : cones.collect(roots));
  }

  /// Whether kernel `to` reads what node `from` stores only at the place of the element that it is about to store.
  bool isReadInPlace(unsigned from, unsigned to) {
    const Wanted &uses = wanted[from];
    auto isThere = [&](Domains::Id id) { return domains->kernel(id) == to; };
    return !uses.overflow && llvm::any_of(uses.domains, isThere) &&
           llvm::all_of(uses.domains, [&](Domains::Id id) { return !isThere(id) || id == storeDomain[to]; });
  }

  void formLevels(ConeCollector &cones) {
    // One kernel for all that can be computed at a time: the level counts the buffers on the way to a value.
    std::vector<unsigned> level(graph.nodes.size(), 0);
    std::vector<SmallVector<unsigned, 1>> roots;
    for (unsigned k = 0; k < graph.nodes.size(); ++k) {
      for (Value operand : node(k).op->getOperands())
        if (auto input = graph.producer(operand))
          level[k] = std::max(level[k], level[*input] + isBuffer(*input));
      if (!stored[k])
        continue;
      if (roots.size() <= level[k])
        roots.resize(level[k] + 1);
      roots[level[k]].push_back(k);
    }
    for (auto &together : roots)
      if (!together.empty())
        plan.kernels.push_back(cones.collect(together));
  }

  bool cutLargeKernels() {
    // The policy `all` promises one kernel.
    if (options.policy != KernelizePolicy::costModel)
      return false;
    bool changed = false;
    auto cutAt = [&](Operation *op, StringRef because) {
      auto k = graph.producer(op->getResult(0));
      changed |= cut[*k].empty();
      cut[*k] = because;
    };
    for (const PlannedKernel &kernel : plan.kernels) {
      if (kernel.inputs.size() + kernel.roots.size() > options.maxBuffers)
        for (Operation *op : findBufferCuts(kernel, options.maxBuffers - 1))
          cutAt(op, reason::buffers);
      else if (kernel.ops.size() > options.maxOps)
        for (Operation *op : findOperationCuts(kernel, options.maxOps))
          cutAt(op, reason::operations);
    }
    return changed;
  }

  void report() {
    for (unsigned k = 0; k < graph.nodes.size(); ++k)
      if (node(k).kind == LazyNode::compute && node(k).live && !isa<ContiguousOp>(node(k).op))
        plan.decisions.push_back({node(k).op, !stored[k], stored[k] && !node(k).boundary, why[k]});
  }

  LazyGraph graph;
  KernelizeOptions options;
  CostModel costs;
  MLIRContext *context;
  KernelizePlan plan;
  std::vector<StringRef> cut; ///< why a node must be stored so that its kernel keeps a limit; empty where it need not

  std::vector<double> weight;
  std::vector<SmallVector<unsigned, 1>> epilogues;
  std::vector<unsigned> leaves;
  std::vector<bool> stored;
  std::optional<Domains> domains;
  std::vector<Wanted> wanted;
  std::vector<Domains::Id> storeDomain; ///< of what is stored
  std::vector<StringRef> why;
  std::vector<SmallVector<std::pair<Attribute, double>, 1>> reduceSpaces; ///< by kernel
  std::vector<double> hidden; ///< recomputation that a kernel does beside its stores, by kernel
};

} // namespace

KernelizePlan KernelizePlan::compute(Block &block, const KernelizeOptions &options) {
  return Planner(block, options).run();
}

} // namespace tiny::lazy
