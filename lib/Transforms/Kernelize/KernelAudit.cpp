// Counts the operations of planned kernels, and finds what to store where they compute too much twice.
#include "KernelAudit.h"

using namespace mlir;

namespace tiny::lazy {

/// One evaluation of the whole result.
static double countOperations(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return double(cast<RankedTensorType>(reduce.getInputs().front().getType()).getNumElements()) *
           reduce.getNumResults();
  return isPointwise(op) || isa<ScanOp>(op) ? countResultElements(op) : 0;
}

KernelAudit::KernelAudit(const LazyGraph &graph, const FusionHints &hints) : graph(graph), hints(hints) {
  for (const LazyNode &node : graph.nodes)
    once.push_back(node.kind == LazyNode::compute ? countOperations(node.op) : 0);
}

void KernelAudit::add(unsigned node, unsigned kernel, double points) {
  Operation *op = graph.nodes[node].op;
  if (hints.isIndexArithmetic(node))
    onIndices += once[node] != 0 ? points : 0;
  else if (once[node] != 0)
    entries.push_back({kernel, node, isa<ReduceOp>(op) ? points * op->getNumResults() : points});
}

void KernelAudit::repeat(unsigned kernel, double times) {
  for (Entry &entry : entries)
    if (entry.kernel == kernel)
      entry.operations *= times;
}

double KernelAudit::countEvaluated() const {
  double sum = onIndices;
  for (const Entry &entry : entries)
    sum += entry.operations;
  return sum;
}

double KernelAudit::countUnfused() const {
  double sum = 0;
  for (unsigned k = 0; k < graph.nodes.size(); ++k)
    if (graph.nodes[k].live)
      sum += once[k];
  return sum;
}

SmallVector<KernelAudit::Cut> KernelAudit::findCuts(const cost::CostModel &costs, bool thorough) {
  SmallVector<Cut> cuts;
  llvm::sort(entries,
             [](const Entry &a, const Entry &b) { return std::tie(a.kernel, a.node) < std::tie(b.kernel, b.node); });
  for (size_t begin = 0, end; begin < entries.size(); begin = end) {
    double unfused = 0;
    for (end = begin; end < entries.size() && entries[end].kernel == entries[begin].kernel; ++end)
      if (end == begin || entries[end].node != entries[end - 1].node)
        unfused += once[entries[end].node];
    findCuts(MutableArrayRef(entries).slice(begin, end - begin), costs.maxEvaluations * unfused, thorough, cuts);
  }
  // Kernels that each keep the bound can break it together: by what several of them compute.
  if (cuts.empty()) {
    llvm::stable_sort(entries, [](const Entry &a, const Entry &b) { return a.node < b.node; });
    findCuts(entries, costs.maxEvaluations * countUnfused(), thorough, cuts);
  }
  return cuts;
}

/// `part` is sorted by node, but for the kernels of one node.
void KernelAudit::findCuts(MutableArrayRef<Entry> part, double limit, bool thorough, SmallVector<Cut> &cuts) {
  struct Candidate {
    unsigned node;
    double operations;  ///< of itself
    double accumulated; ///< with all that only it needs
    double saved = 0;   ///< by storing it
  };
  SmallVector<Candidate> nodes;
  double sum = 0;
  for (const Entry &entry : part) {
    sum += entry.operations;
    if (nodes.empty() || nodes.back().node != entry.node)
      nodes.push_back({entry.node, 0, 0});
    nodes.back().operations += entry.operations;
    nodes.back().accumulated += entry.operations;
  }
  // Counts are sums of large products; a bound that is met exactly is met.
  if (sum <= limit * (1 + 1e-9))
    return;
  // In block order what only a node needs comes before it.
  llvm::DenseMap<unsigned, unsigned> place;
  for (auto [k, candidate] : llvm::enumerate(nodes))
    place[candidate.node] = k;
  for (Candidate &candidate : nodes) {
    unsigned above = graph.postDominator(candidate.node);
    while (above < graph.nodes.size() && graph.nodes[above].kind == LazyNode::movement)
      above = graph.postDominator(above);
    if (auto it = place.find(above); it != place.end())
      nodes[it->second].accumulated += candidate.accumulated;
    candidate.saved = candidate.accumulated * (1 - once[candidate.node] / std::max(candidate.operations, 1.0));
  }
  llvm::erase_if(nodes, [](const Candidate &candidate) { return candidate.saved <= 0; });
  llvm::stable_sort(nodes, [](const Candidate &a, const Candidate &b) { return a.saved > b.saved; });
  constexpr size_t maxCuts = 256;
  size_t first = cuts.size();
  double operations = sum;
  for (const Candidate &candidate : nodes) {
    // The next round sees what is left of many.
    if (!thorough && (sum <= limit || cuts.size() - first == maxCuts))
      break;
    auto isAlong = [&](const Cut &cut) {
      return graph.isPostDominatedBy(candidate.node, cut.node) || graph.isPostDominatedBy(cut.node, candidate.node);
    };
    // A cut on the way to or from this node saves its operations already.
    if (!thorough && llvm::any_of(ArrayRef(cuts).drop_front(first), isAlong))
      continue;
    cuts.push_back({candidate.node, operations, limit});
    sum -= candidate.saved;
  }
}

} // namespace tiny::lazy
