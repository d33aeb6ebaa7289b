// Merges kernels: a reader with what it reads in place, passes with the products before them, and kernels side by side.
#include "KernelMerge.h"

#include "KernelReasons.h"
#include "Tiny/Support/Actions.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

struct Merged {
  SmallVector<unsigned, 1> roots;
  SmallVector<int64_t, 4> loops; ///< the sizes of the largest result, but for ones
  llvm::SmallSetVector<Value, 4> inputs;
  size_t code = 0, reductions = 0;
  double product = 0;
  unsigned level = 0;
  bool keepsRows = false; ///< of a product, for passes over them
  bool isSize = false;    ///< others may need to know it before they run
};

class Merger {
public:
  Merger(const LazyGraph &graph, llvm::function_ref<bool(unsigned, unsigned)> readsInPlace,
         BlocksFunction whyNotInBlocks, const KernelizeOptions &options, const cost::CostModel &costs,
         std::vector<Decision> &merges)
      : graph(graph), readsInPlace(readsInPlace), whyNotInBlocks(whyNotInBlocks), options(options), costs(costs),
        merges(merges), home(graph.nodes.size(), -1), opaqueLevel(graph.nodes.size(), 0) {}

  std::vector<SmallVector<unsigned, 1>> run(ArrayRef<MergeCandidate> candidates) {
    if (!candidates.empty())
      findSizes(graph.nodes[candidates.front().root].op->getBlock()->getTerminator());
    // In block order everything that a kernel or an unknown operation reads has its level before it.
    unsigned next = 0;
    for (unsigned k = 0; k < graph.nodes.size(); ++k) {
      if (graph.nodes[k].kind == LazyNode::opaque)
        graph.nodes[k].op->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            opaqueLevel[k] = std::max(opaqueLevel[k], levelAbove(operand));
        });
      if (next < candidates.size() && candidates[next].root == k)
        place(candidates[next++]);
    }
    std::vector<SmallVector<unsigned, 1>> result;
    result.reserve(kernels.size());
    for (Merged &merged : kernels)
      result.push_back(std::move(merged.roots));
    return result;
  }

private:
  /// The results that say a size, and whether ranks are stages.
  void findSizes(Operation *terminator) {
    auto function = dyn_cast<FunctionOpInterface>(terminator->getParentOp());
    hasStages = function && function->hasAttr(kStageAxisAttr);
    for (auto [number, value] : llvm::enumerate(terminator->getOperands()))
      if (function && function.getResultAttr(number, kSizeAttr))
        for (auto node = graph.producer(value); node; node = graph.producer(graph.nodes[*node].op->getOperand(0))) {
          sizes.insert(*node);
          if (graph.nodes[*node].kind != LazyNode::movement)
            break;
        }
  }

  /// The least level of what reads `value`, through movements that stand outside.
  unsigned levelAbove(Value value) const {
    auto node = graph.producer(value);
    while (node && graph.nodes[*node].kind == LazyNode::movement && home[*node] < 0)
      node = graph.producer(graph.nodes[*node].op->getOperand(0));
    if (!node)
      return 0;
    if (home[*node] >= 0)
      return kernels[home[*node]].level + 1;
    return graph.nodes[*node].kind == LazyNode::opaque && graph.nodes[*node].op->getNumOperands() != 0
               ? opaqueLevel[*node] + 1
               : 0;
  }

  void place(const MergeCandidate &candidate) {
    unsigned level = 0;
    for (Value input : candidate.kernel.inputs)
      level = std::max(level, levelAbove(input));
    Operation *op = graph.nodes[candidate.root].op;
    refusal = {};
    // An assignment stays alone: loads and stores in one kernel have no order. What says a size is there before
    // anything of that size is computed.
    bool isSize = sizes.contains(candidate.root), isAlone = isSize || isa<AssignOp>(op);
    int into = isAlone ? -1 : findRows(candidate, level);
    Reason because = reason::keptRows;
    if (into >= 0) {
      kernels[into].keepsRows = true;
    } else if (!isAlone) {
      into = findInPlace(candidate, level);
      because = reason::inPlace;
    }
    if (into < 0 && !isAlone) {
      into = findBeside(candidate, level);
      because = reason::beside;
    }
    if (into >= 0 && !mayHappen<FusionAction>(op, "merge")) {
      into = -1;
      refusal = reason::stopped;
    }
    if (into >= 0)
      merges.push_back({op, Decision::fused, because});
    else if (!refusal.empty())
      merges.push_back({op, Decision::refused, refusal});
    if (into < 0) {
      into = kernels.size();
      kernels.emplace_back();
      kernels.back().level = level;
      kernels.back().isSize = isSize;
    }
    Merged &kernel = kernels[into];
    if (SmallVector<int64_t, 4> loops = getLoops(candidate.root);
        kernel.roots.empty() || loops.size() > kernel.loops.size())
      kernel.loops = std::move(loops);
    kernel.roots.push_back(candidate.root);
    kernel.inputs.insert(candidate.kernel.inputs.begin(), candidate.kernel.inputs.end());
    kernel.code += candidate.kernel.countCode(costs);
    kernel.reductions += candidate.reduces.size();
    kernel.product = std::max(kernel.product, candidate.product);
    home[candidate.root] = into;
    if (isAlone)
      return;
    // The latest is the one that may have room left.
    for (Value input : candidate.kernel.inputs)
      beside[{keyOf(candidate, kernel.level), input}] = into;
  }

  SmallVector<int64_t, 4> getLoops(unsigned node) const {
    SmallVector<int64_t, 4> loops(cast<RankedTensorType>(graph.nodes[node].op->getResult(0).getType()).getShape());
    llvm::erase(loops, 1);
    return loops;
  }

  /// `inRows` says that the candidate reduces rows of a product, after the loops of that.
  bool fits(const Merged &kernel, const MergeCandidate &candidate, bool inRows = false) {
    size_t inputs = kernel.inputs.size(), code = kernel.code + candidate.kernel.countCode(costs);
    for (Value input : candidate.kernel.inputs)
      inputs += !kernel.inputs.contains(input);
    if (kernel.isSize)
      refusal = reason::mergedSize;
    else if (kernel.roots.size() >= costs.maxResults)
      refusal = {reason::mergedResults, "results", kernel.roots.size() + 1, costs.maxResults};
    else if (inputs + kernel.roots.size() + 1 > options.maxBuffers)
      refusal = {reason::mergedBuffers, "buffers", inputs + kernel.roots.size() + 1, options.maxBuffers};
    else if (code > options.maxOps)
      refusal = {reason::mergedOperations, "operations", code, options.maxOps};
    else if (kernel.reductions + candidate.reduces.size() > costs.maxLoops)
      refusal = {reason::mergedReductions, "reductions", kernel.reductions + candidate.reduces.size(), costs.maxLoops};
    else if (kernel.reductions != 0 && !candidate.reduces.empty() && !inRows &&
             !costs.isSmallProduct(std::max(kernel.product, candidate.product)))
      refusal = {reason::mergedProduct, "combined", std::max(kernel.product, candidate.product),
                 costs.getSmallProduct()};
    else if (scansAcross(kernel, candidate.root))
      refusal = {reason::mergedScans, {{"axis", double(cast<ScanOp>(graph.nodes[candidate.root].op).getAxis())}}};
    else
      return true;
    return false;
  }

  /// Whether the node scans along another axis than a result of the kernel does: one loop can carry only one of them,
  /// and go around the other.
  bool scansAcross(const Merged &kernel, unsigned node) const {
    std::optional<size_t> axis = findScanLoop(node);
    return axis && llvm::any_of(kernel.roots, [&](unsigned root) {
             std::optional<size_t> other = findScanLoop(root);
             return other && *other != *axis;
           });
  }

  /// The number of the loop, as `getLoops` has them, that a scan goes along; none for what is no scan.
  std::optional<size_t> findScanLoop(unsigned node) const {
    auto scan = dyn_cast<ScanOp>(graph.nodes[node].op);
    if (!scan)
      return std::nullopt;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(scan->getResult(0).getType()).getShape();
    return size_t(llvm::count_if(shape.take_front(scan.getAxis()), [](int64_t size) { return size != 1; }));
  }

  /// The kernel whose only product this one passes over, row by row.
  int findRows(const MergeCandidate &candidate, unsigned level) {
    int into = -1;
    for (Value input : candidate.kernel.inputs) {
      if (level == 0 || levelAbove(input) != level)
        continue;
      auto node = graph.producer(input);
      if (!node || home[*node] < 0 || (into >= 0 && home[*node] != into) || graph.nodes[*node].stop ||
          graph.nodes[*node].gathered)
        return -1;
      into = home[*node];
      // It may continue another result of the kernel only in place.
      if (kernels[into].roots.front() != *node ? !readsInPlace(*node, candidate.root)
                                               : kernels[into].roots.size() != 1 && !kernels[into].keepsRows)
        return -1;
    }
    if (into < 0)
      return -1;
    std::optional<Reason> because = whyNotInBlocks(kernels[into].roots.front(), candidate.root);
    if (!because)
      return -1;
    refusal = *because;
    return refusal.empty() && fits(kernels[into], candidate, /*inRows=*/true) ? into : -1;
  }

  /// The kernel whose result this one continues.
  int findInPlace(const MergeCandidate &candidate, unsigned level) {
    int into = -1;
    for (Value input : candidate.kernel.inputs) {
      if (levelAbove(input) != level || level == 0)
        continue;
      // All that is as late must come from one kernel, and be read where it is made.
      auto node = graph.producer(input);
      if (!node || home[*node] < 0 || (into >= 0 && home[*node] != into) || graph.nodes[*node].stop ||
          graph.nodes[*node].gathered || !readsInPlace(*node, candidate.root))
        return -1;
      into = home[*node];
    }
    // What a kernel stores goes into outer loops of this one only if this one reads all of it: the rest would have
    // loops of its own, and compute again what they share. What goes on from results in outer loops stands there too,
    // and what combines the rows of a result in the loops over these.
    SmallVector<int64_t, 4> loops = getLoops(candidate.root);
    auto readsOnly = [&](llvm::function_ref<bool(ArrayRef<int64_t>)> fits) {
      return llvm::all_of(kernels[into].roots,
                          [&](unsigned root) { return !reads(candidate, root) || fits(getLoops(root)); });
    };
    auto isSame = [&](ArrayRef<int64_t> read) { return read == ArrayRef<int64_t>(loops); };
    auto isInside = [&](ArrayRef<int64_t> read) { return !read.empty() && isSame(read.drop_back()); };
    if (into >= 0 && kernels[into].loops != loops && !(candidate.reduces.empty() && readsOnly(isSame)) &&
        !readsOnly(isInside) &&
        !llvm::all_of(kernels[into].roots, [&](unsigned root) { return reads(candidate, root); })) {
      refusal = reason::mergedLoops;
      return -1;
    }
    return into >= 0 && fits(kernels[into], candidate) ? into : -1;
  }

  bool reads(const MergeCandidate &candidate, unsigned root) const {
    return llvm::any_of(candidate.kernel.inputs, [&](Value input) { return graph.producer(input) == root; });
  }

  /// A kernel of the same kind that reads one of the same buffers.
  int findBeside(const MergeCandidate &candidate, unsigned level) {
    Attribute key = keyOf(candidate, level);
    for (Value input : candidate.kernel.inputs) {
      auto it = beside.find({key, input});
      if (it != beside.end() && hasStages) {
        refusal = reason::mergedStages;
        return -1;
      }
      if (it != beside.end() && !kernels[it->second].keepsRows &&
          kernels[it->second].loops == getLoops(candidate.root) && fits(kernels[it->second], candidate))
        return it->second;
    }
    return -1;
  }

  /// Level, shape and loops: kernels that differ in one of them are never put side by side.
  Attribute keyOf(const MergeCandidate &candidate, unsigned level) const {
    Type type = graph.nodes[candidate.root].op->getResult(0).getType();
    Builder builder(type.getContext());
    SmallVector<Attribute> key = {builder.getI64IntegerAttr(level),
                                  builder.getDenseI64ArrayAttr(cast<RankedTensorType>(type).getShape())};
    for (Attribute space : candidate.reduces)
      if (!llvm::is_contained(ArrayRef(key).drop_front(2), space))
        key.push_back(space);
    return builder.getArrayAttr(key);
  }

  const LazyGraph &graph;
  llvm::function_ref<bool(unsigned, unsigned)> readsInPlace;
  BlocksFunction whyNotInBlocks;
  const KernelizeOptions &options;
  const cost::CostModel &costs;
  std::vector<Decision> &merges;
  Reason refusal; ///< why the kernel that is being placed did not fit where it could have gone
  bool hasStages = false;
  std::vector<Merged> kernels;
  llvm::DenseSet<unsigned> sizes;    ///< nodes
  std::vector<int> home;             ///< by node: the kernel that stores it
  std::vector<unsigned> opaqueLevel; ///< by node: the level of an unknown operation
  llvm::DenseMap<std::pair<Attribute, Value>, int> beside;
};

} // namespace

std::vector<SmallVector<unsigned, 1>> mergeKernels(const LazyGraph &graph, ArrayRef<MergeCandidate> candidates,
                                                   llvm::function_ref<bool(unsigned, unsigned)> readsInPlace,
                                                   BlocksFunction whyNotInBlocks, const KernelizeOptions &options,
                                                   const cost::CostModel &costs, std::vector<Decision> &merges) {
  return Merger(graph, readsInPlace, whyNotInBlocks, options, costs, merges).run(candidates);
}

} // namespace tiny::lazy
