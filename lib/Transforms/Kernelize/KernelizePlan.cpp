// The decisions of lazy-kernelize. From the last operation to the first, each value learns over which domains it is
// wanted; where that is more often than it has elements, the cost model chooses between recomputation and a buffer.
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"

#include "AssignJoin.h"
#include "Concatenations.h"
#include "Domains.h"
#include "FusionHints.h"
#include "KernelAudit.h"
#include "KernelForm.h"
#include "KernelMerge.h"
#include "KernelReasons.h"
#include "RepeatedRows.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Placements.h"
#include "SideBySide.h"
#include "StoredUses.h"
#include "Tiny/Dialect/Lazy/Parts.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Support/Actions.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

class Planner {
public:
  Planner(Block &block, const KernelizeOptions &options)
      : graph(block), options(options), costs(makeCosts(target::findMachine(block.getParentOp()))),
        context(block.getParentOp()->getContext()), hints(graph, costs), audit(graph, hints), cut(graph.nodes.size()) {}

  KernelizePlan run() {
    selectsParts = findSelections(graph);
    // A kernel over a limit is cut and everything decided anew: a cut changes what the kernels before it are.
    constexpr unsigned maxRounds = 64, patience = 8;
    for (unsigned round = 0; round < maxRounds; ++round) {
      decide();
      // What a split makes possible changes what the kernels before are, which may want splits in turn.
      constexpr unsigned maxSplits = 4;
      for (unsigned k = 0; k < maxSplits && (domains->foundSplits() || hasJoined); ++k)
        decide();
      chooseRows();
      formKernels();
      if (!cutKernels(round >= patience))
        break;
    }
    if (options.policy == KernelizePolicy::costModel)
      joinKernels();
    if (options.policy != KernelizePolicy::none)
      joinAssignments(plan.kernels, graph, candidates, options, costs, plan.merges);
    if (options.policy == KernelizePolicy::costModel)
      findPlacements(
          plan, graph, concatenated, costs, [&](unsigned k) { return stored[k]; },
          [&](unsigned k) { return wanted[k].overflow || wanted[k].domains.size() > 1; });
    plan.aliases = std::move(graph.aliases);
    report();
    return std::move(plan);
  }

private:
  LazyNode &node(unsigned k) { return graph.nodes[k]; }
  bool isAll() const { return options.policy == KernelizePolicy::all; }

  void decide() {
    size_t count = graph.nodes.size();
    stored.assign(count, false);
    kept.assign(count, false);
    keptAxes.assign(count, {});
    why.assign(count, "");
    fused.assign(count, {});
    concatenated.clear();
    repeatedRows.clear();
    hasJoined = false;
    hidden.assign(count, 0);
    domains.emplace(context, costs.maxTile, splits);
    wanted.assign(count, {});
    storeDomain.assign(count, 0);
    storeDomains.clear();
    audit.clear();
    findReduced();
    for (unsigned k = count; k-- > 0;) {
      if (!node(k).live || node(k).kind == LazyNode::opaque || node(k).kind == LazyNode::forward)
        continue;
      decideNode(k, wanted[k], *domains);
      if (node(k).kind != LazyNode::source)
        pass(k);
    }
  }

  /// Of what passes over a row compute again, keeps the last of a chain that takes a function, unless that is computed
  /// from what is kept, and decides anew what it is computed from.
  void chooseRows() {
    keptRows.clear();
    llvm::DenseSet<unsigned> repeated(repeatedRows.begin(), repeatedRows.end());
    for (unsigned k : llvm::reverse(repeatedRows)) {
      unsigned next = graph.postDominator(k);
      if ((!repeated.contains(next) || !wanted[k].isSame(wanted[next])) && takesFunction(k))
        keptRows.insert(k);
    }
    if (!keptRows.empty())
      decide();
  }

  /// Whether `k` is computed by a function from what its kernel reads.
  bool takesFunction(unsigned k) const {
    return lazy::takesFunction(
        graph, k, [&](unsigned other) { return isBuffer(other) || kept[other] || keptRows.contains(other); });
  }

  /// What needs a reduction that may run in the same kernel. One that is returned may be stored there.
  void findReduced() {
    isReduced.assign(graph.nodes.size(), false);
    for (unsigned k = 0; k < graph.nodes.size(); ++k)
      for (Value operand : node(k).op->getOperands())
        if (auto input = graph.producer(operand);
            input && !node(*input).gathered && !node(*input).stop && cut[*input].empty())
          isReduced[k] = isReduced[k] || isReduced[*input] || isa<ReduceOp>(node(*input).op);
  }

  /// The domain of what `k` stores. One kernel for everything stores all that has one shape in the same loops.
  Domains::Id getStoreDomain(unsigned k) {
    if (!isAll())
      return domains->store(k, node(k).op);
    auto shape = cast<RankedTensorType>(getStoredValue(node(k).op).getType()).getShape();
    auto [it, isNew] = storeDomains.try_emplace(shape, 0);
    if (isNew)
      it->second = domains->store(k, node(k).op);
    return it->second;
  }

  /// Where the kernel that stores `k` evaluates it: part by part where it is a concatenation.
  void addStoreDomains(unsigned k, SmallVectorImpl<Domains::Id> &own) {
    storeDomain[k] = getStoreDomain(k);
    Value value = getStoredValue(node(k).op);
    Parts parts = selectsParts[k] && !isAll() && !joined.contains(k) ? findParts(value) : Parts();
    if (parts.begins.size() == 1) {
      if (!llvm::is_contained(own, storeDomain[k]))
        own.push_back(storeDomain[k]);
      return;
    }
    for (size_t part = 0; part < parts.begins.size(); ++part) {
      auto [begin, end] = parts.getInterval(part, cast<RankedTensorType>(value.getType()).getShape());
      own.push_back(domains->storePart(k, node(k).op, parts.axis, begin, end));
      concatenated[k].push_back({begin, end, own.back()});
    }
    concatenated[k].front().axis = parts.axis;
  }

  /// Parts that share a reduction become one nest again, in the next round: else each would run it.
  void joinParts(unsigned k, const Wanted &wanted) {
    if (wanted.domains.size() < 2 || !(isReduced[k] || isa<ReduceOp>(node(k).op)))
      return;
    unsigned kernel = domains->kernel(wanted.domains.front());
    double evaluations = 0, elements = countResultElements(node(k).op);
    for (Domains::Id id : wanted.domains) {
      evaluations += domains->evaluations(id);
      // What one part alone would run again and again is stored anyway.
      if (domains->kernel(id) != kernel || domains->evaluations(id) > elements)
        return;
    }
    bool repeats = isa<ReduceOp>(node(k).op) || evaluations > elements;
    if (repeats && concatenated.count(kernel) != 0)
      hasJoined |= joined.insert(kernel).second;
  }

  /// Tells the operands of `k` where they are wanted.
  void pass(unsigned k) {
    SmallVector<Domains::Id, 2> own, inside;
    bool isMemory = kept[k] || isBuffer(k);
    if (!isMemory)
      own = wanted[k].domains;
    // What is kept row by row is computed in one of the passes over it.
    if (!keptAxes[k].empty())
      own = {*llvm::find_if(own, [&](Domains::Id id) { return domains->inReduction(id); })};
    // Where a value is kept, what is stored of it is read from there.
    if (kept[k])
      own.push_back(domains->store(k, node(k).op));
    else if (stored[k])
      addStoreDomains(k, own);
    auto reduce = dyn_cast<ReduceOp>(node(k).op);
    for (Domains::Id id : own) {
      unsigned kernel = domains->kernel(id);
      if (node(k).kind == LazyNode::movement)
        id = domains->through(id, node(k).op, isReduced[k]);
      else if (reduce)
        id = domains->inside(id, reduce, isMemory ? 0 : wanted[k].reduces);
      if (node(k).kind == LazyNode::compute)
        audit.add(k, kernel, domains->evaluations(id));
      inside.push_back(id);
    }
    unsigned reduces = (isMemory ? 0 : wanted[k].reduces) + bool(reduce);
    size_t limit = costs.maxEvaluations;
    // What each part wants of a value it does not compute again for the others.
    for (Domains::Id id : inside)
      if (auto slices = concatenated.find(domains->kernel(id)); slices != concatenated.end())
        limit = std::max(limit, costs.maxEvaluations * slices->second.size());
    // The base of an assignment is a buffer that the kernel writes to.
    OperandRange operands = node(k).op->getOperands();
    // That of a gather is one that it reads from.
    if (isa<AssignOp>(node(k).op))
      operands = operands.take_front(1);
    else if (isa<GatherOp>(node(k).op))
      operands = operands.drop_front(1);
    for (Value operand : operands) {
      auto input = graph.producer(operand);
      if (!input || node(*input).kind == LazyNode::source || node(*input).kind == LazyNode::opaque)
        continue;
      wanted[*input].overflow |= !isMemory && wanted[k].overflow;
      wanted[*input].reduces = std::max(wanted[*input].reduces, reduces);
      for (Domains::Id id : inside)
        if (!isa<arith::SelectOp>(node(k).op) || readsOver(*domains, node(k).op, operand, id))
          wanted[*input].add(id, limit, costs.maxLoops);
    }
  }

  void store(unsigned k, Reason because) {
    stored[k] = true;
    why[k] = std::move(because);
  }

  /// Puts a value into memory: that of its kernel where there is one kernel for everything, else a buffer.
  void keep(unsigned k, Reason because) {
    if (!isAll())
      return store(k, std::move(because));
    kept[k] = true;
    why[k] = std::move(because);
  }

  void decideNode(unsigned k, Wanted wanted, Domains &spaces) {
    if (node(k).isBoundary() && !isAll())
      return store(k, reason::boundary);
    if (node(k).returned || node(k).stop)
      store(k, reason::boundary);
    if (node(k).stop || node(k).kind != LazyNode::compute)
      return;
    if (cut[k] == reason::buffers)
      return store(k, cut[k]);
    if (!cut[k].empty())
      return keep(k, cut[k]);
    if (node(k).gathered)
      return keep(k, reason::gathered);
    if (apart.contains(k))
      return keep(k, reason::besidePart);
    joinParts(k, wanted);
    if (wanted.domains.empty() && !wanted.overflow) {
      why[k] = stored[k] ? reason::boundary : reason::unselected;
      return;
    }
    if (options.policy == KernelizePolicy::none)
      return store(k, reason::policy);
    // One kernel may compute what it stores again for those who read it.
    if (stored[k])
      wanted.add(getStoreDomain(k), costs.maxEvaluations, costs.maxLoops);
    if (auto reduce = dyn_cast<ReduceOp>(node(k).op))
      return decideReduce(k, reduce, wanted, spaces);
    decideElementwise(k, wanted, spaces);
  }

  void decideElementwise(unsigned k, const Wanted &wanted, Domains &spaces) {
    double elements = countResultElements(node(k).op), evaluations = 0;
    for (Domains::Id id : wanted.domains)
      evaluations += spaces.evaluations(id);
    bool repeats = wanted.exceedsLimit() || evaluations > elements;
    auto inReduction = [&](Domains::Id id) { return spaces.inReduction(id) && spaces.tile(id) == 1; };
    bool isNested = llvm::any_of(wanted.domains, inReduction) && !hints.endsSmallReduction(k);
    if (hints.endsReduction(k) && (repeats || isNested || keptEnds.contains(k) || !isWantedOnce(k, wanted)))
      return keep(k, {reason::whyEnd(repeats, isNested), {{"evaluations", evaluations}, {"elements", elements}}});
    if (!repeats || hints.isIndexArithmetic(k)) {
      why[k] = repeats ? reason::indexArithmetic : reason::elementwise;
      return;
    }
    double copies = evaluations / std::max(elements, 1.0);
    bool repeatsReduction = wantsReductionAgain(graph, k, isReduced, wanted, spaces);
    if (std::optional<Domains::Row> row = findRepeatedRow(graph, k, wanted, spaces, hints, costs);
        row && !repeatsReduction) {
      repeatedRows.push_back(k);
      if (keptRows.contains(k)) {
        keptAxes[k] = row->axes;
        why[k] = {reason::rowKept, hints.weighSides(k, copies)};
        return;
      }
    }
    if (!wanted.exceedsLimit() && hints.prefersRecomputation(k, copies) &&
        (!repeatsReduction || hints.prefersRereading(k, copies))) {
      why[k] = {reason::recomputed, hints.weighSides(k, copies)};
      return;
    }
    if (!repeatsReduction && findKeptRow(node(k).op, wanted, spaces, costs)) {
      why[k] = {reason::rowKept, hints.weighSides(k, copies)};
      return;
    }
    if (wanted.exceedsLimit())
      return keep(k, Reason(reason::copies, "places", wanted.countPlaces(), wanted.limit));
    // What a reduction is needed for would run it again.
    double packed = std::max(evaluations / elements / costs.getPackedPlaces(), 1.0);
    if (hints.isPacked(k) && !isReduced[k] && hints.prefersRecomputation(k, packed)) {
      why[k] = {reason::packed, hints.weighSides(k, packed)};
      return;
    }
    // One evaluation for a tile of accumulators is little beside what combines into them.
    auto isBesideTile = [&](Domains::Id id) { return costs.hidesBesideTile(hints.getWeight(k), spaces.tile(id)); };
    if (llvm::all_of(wanted.domains, isBesideTile)) {
      why[k] = {reason::besideTile, hints.weighSides(k, copies)};
      return;
    }
    if (wanted.domains.size() != 1 ||
        !hidesRecomputation(wanted.domains.front(), (evaluations - elements) * hints.getWeight(k)))
      return keep(k, {reason::expensive, hints.weighSides(k, copies)});
    why[k] = {reason::hidden, hints.weighSides(k, copies)};
  }

  /// Whether `extra` recomputation fits into what the kernel may add, which is charged.
  bool hidesRecomputation(Domains::Id domain, double extra) {
    unsigned kernel = domains->kernel(domain);
    // A kernel that only moves data has no operations to compare with, one that reduces waits for these.
    if (domains->inReduction(domain) || !isPointwise(node(kernel).op) || isReduced[kernel])
      return false;
    double operations = countResultElements(node(kernel).op) * hints.getWeight(kernel);
    if (hidden[kernel] + extra > costs.getHidden(FusionHints::countBytes(node(kernel).op), operations))
      return false;
    hidden[kernel] += extra;
    return true;
  }

  void decideReduce(unsigned k, ReduceOp reduce, const Wanted &wanted, Domains &spaces) {
    if (wanted.overflow || !isWantedOnce(k, wanted))
      return keep(k, wanted.overflow ? Reason(reason::copies, "places", wanted.countPlaces(), wanted.limit)
                                     : Reason(reason::reduceAgain, {{"places", double(wanted.domains.size())}}));
    if (wanted.domains.size() > 1 && hints.readsReduction(reduce))
      return keep(k, {reason::reduceInside, {{"places", double(wanted.domains.size())}}});
    for (size_t window = 0; window < wanted.domains.size(); ++window) {
      Reason refusal = fuse(reduce, wanted, window, spaces);
      if (refusal.empty())
        continue;
      for (Domains::Id id : ArrayRef(wanted.domains).take_front(window))
        fused[spaces.kernel(id)].pop_back();
      if (wanted.domains.size() > 1)
        keepEnd(k);
      return keep(k, refusal);
    }
    why[k] = reason::reduceFused;
  }

  /// Whether the domains that a value is wanted over are one, or windows that do not overlap.
  bool isWantedOnce(unsigned k, const Wanted &wanted) const {
    auto type = cast<RankedTensorType>(graph.nodes[k].op->getResult(0).getType());
    return wanted.domains.size() == 1 || domains->areWindows(wanted.domains, type.getShape());
  }

  /// What ends a reduction that is wanted in windows which can't have it is stored with it, in the next round.
  void keepEnd(unsigned reduce) {
    std::optional<unsigned> end;
    for (unsigned k = graph.postDominator(reduce); k < graph.nodes.size(); k = graph.postDominator(k))
      if (node(k).kind == LazyNode::compute && wanted[k].domains.size() > 1 && hints.endsReduction(k))
        end = k;
      else if (node(k).kind != LazyNode::movement)
        break;
    if (end)
      hasJoined |= keptEnds.insert(*end).second;
  }

  /// Notes that one of the windows that a reduction is wanted in runs there, or returns why it can't.
  Reason fuse(ReduceOp reduce, const Wanted &wanted, size_t window, Domains &spaces) {
    Domains::Id domain = wanted.domains[window], inner = spaces.inside(domain, reduce, wanted.reduces);
    double combined = spaces.evaluations(inner), rows = spaces.evaluations(domain);
    double results = countResultElements(reduce);
    if (rows > results && (spaces.inReduction(domain) || !hints.prefersRepeat(reduce, results, rows, combined)))
      return {reason::reduceAgain, {{"runs", rows}, {"results", results}}};
    // Inside another reduction as many run side by side as that one leaves; all of them where they are written out.
    bool isBesideTile = spaces.tile(domain) != 1;
    if (spaces.inReduction(domain) && !isBesideTile && !costs.isSmall(combined) && !hints.isWritten(reduce))
      return {reason::reduceNested, "combined", combined, costs.launch};
    unsigned kernel = spaces.kernel(domain);
    if (rows < countResultElements(node(kernel).op) && !costs.prefersRows(rows, combined))
      return {reason::reduceRows, "rows", rows, costs.getThreads(combined)};
    auto &others = fused[kernel];
    if (others.size() + 1 >= costs.maxLoops)
      return {reason::reduceMany, "reductions", others.size() + 2, costs.maxLoops};
    size_t here = llvm::count_if(wanted.domains, [&](Domains::Id id) { return spaces.kernel(id) == kernel; });
    FusedReduction own{spaces.reduceSpace(reduce), spaces.nest(domain), combined, *graph.producer(reduce.getResult(0))};
    own.isWritten = spaces.inReduction(domain) && hints.isWritten(reduce);
    if (hints.isProduct(reduce) && !own.isWritten) {
      own.loops = getProductLoops(reduce, spaces.viewOf(domain));
      own.product = combined;
    }
    size_t count = wanted.domains.size();
    Reason refusal = whyNotInWindows(reduce, own, count, combined * count, here == count, costs);
    if (refusal.empty() && !isBesideTile)
      refusal = whyNotBeside(own, others, costs);
    // The other parts of a concatenation have loops of their own.
    if (refusal.empty() && count == 1 && own.isLarge(costs) && concatenated.count(kernel) != 0)
      refusal = {reason::mergedProduct, "combined", combined, costs.getSmallProduct()};
    if (refusal == reason::reduceOther)
      for (const FusedReduction &other : others)
        joinReductions(kernel, other, own);
    if (refusal.empty())
      others.push_back(own);
    return refusal;
  }

  /// In loops of their own parts of `kernel` can't share what they reduce. In a kernel before they can: that is so in
  /// the next round.
  void joinReductions(unsigned kernel, const FusedReduction &first, const FusedReduction &second) {
    auto slices = concatenated.find(kernel);
    if (slices == concatenated.end() || first.space != second.space || !graph.sharesInput(first.node, second.node))
      return;
    unsigned ends[] = {hints.findEnd(first.node), hints.findEnd(second.node)};
    auto isPart = [&](unsigned k) {
      const auto &uses = wanted[k].domains;
      return uses.size() == 1 && isWholePart(*domains, slices->second, node(k).op->getResult(0), uses.front());
    };
    auto isProduct = [&](unsigned k) { return hints.isProduct(cast<ReduceOp>(node(k).op)); };
    if (llvm::all_of(ends, isPart) && !isProduct(first.node) && !isProduct(second.node))
      for (unsigned end : ends)
        hasJoined |= apart.insert(end).second;
  }

  //===--- Kernels ------------------------------------------------------------------------------------------------===//

  /// Whether what reads node `k` reads a buffer.
  bool isBuffer(unsigned k) const {
    const LazyNode &node = graph.nodes[k];
    if (node.kind != LazyNode::compute || !stored[k])
      return node.kind == LazyNode::opaque;
    return !isAll() || node.stop || cut[k] == reason::buffers;
  }

  void formKernels() {
    auto isBase = [&](unsigned k) { return isBuffer(k); };
    plan.kernels = isAll() ? formLevels(graph, isBase, stored, options) : formSingles(graph, isBase, stored);
  }

  /// Puts kernels together that gain by it. What they become keeps the limits, so nothing is decided anew.
  void joinKernels() {
    for (unsigned k = 0; k < graph.nodes.size(); ++k) {
      if (!stored[k])
        continue;
      candidates.push_back({k, std::move(plan.kernels[candidates.size()]), {}});
      for (const FusedReduction &reduction : fused[k])
        candidates.back().reduces.push_back(reduction.space);
      if (auto reduce = dyn_cast<ReduceOp>(node(k).op))
        candidates.back().reduces.push_back(domains->reduceSpace(reduce));
      for (Operation *op : candidates.back().kernel.ops)
        if (auto reduce = dyn_cast<ReduceOp>(op); reduce && hints.isProduct(reduce))
          candidates.back().product =
              std::max(candidates.back().product, audit.countOnce(*graph.producer(reduce.getResult(0))));
      candidates.back().productLoops = findProductLoops(node(k).op, fused[k], hints);
    }
    std::vector<MergeCandidate *> single(graph.nodes.size());
    StoredUses uses{graph, costs, audit, *domains, wanted, storeDomain, concatenated, fused};
    for (MergeCandidate &candidate : candidates) {
      single[candidate.root] = &candidate;
      uses.addReader(candidate.root, candidate.kernel.inputs);
    }
    auto readsInPlace = [&](unsigned from, unsigned to) {
      return uses.isInPlace(from, to) || (!uses.readsStored(single[from]->kernel.inputs) && uses.isInRows(from, to));
    };
    auto whyNotInBlocks = [&](unsigned from, unsigned to) -> std::optional<Reason> {
      const MergeCandidate &product = *single[from];
      if (!product.productLoops || !uses.isPassedOver(from, to))
        return std::nullopt;
      return uses.whyNotInBlocks(from, product.productLoops, product.product);
    };
    auto isBase = [&](unsigned k) { return isBuffer(k); };
    ConeCollector cones(graph, isBase);
    plan.kernels.clear();
    for (ArrayRef<unsigned> roots :
         mergeKernels(graph, candidates, readsInPlace, whyNotInBlocks, options, costs, plan.merges)) {
      plan.kernels.push_back(roots.size() == 1 ? std::move(single[roots.front()]->kernel) : cones.collect(roots));
      // What only they read is not stored.
      llvm::erase_if(plan.kernels.back().roots,
                     [&](Value root) { return uses.isReadBy(*graph.producer(root), roots); });
      for (unsigned root : roots) {
        auto isBlock = [&](unsigned to) { return to != root && whyNotInBlocks(root, to) == StringRef(); };
        if (llvm::any_of(roots, isBlock)) {
          keptAxes[root] = uses.findRowAxes(root, roots);
          why[root] = reason::keptBlock;
        } else if (size_t passes = uses.countPasses(root, roots); passes > 1) {
          if (SmallVector<int64_t, 2> axes = uses.findRowAxes(root, roots); !axes.empty() && takesFunction(root)) {
            keptAxes[root] = axes;
            keptRows.insert(root);
            why[root] = reason::rowKept;
          } else {
            audit.repeat(root, passes);
          }
        }
      }
    }
  }

  bool cutAt(unsigned k, const Reason &because) {
    // What is in memory already may still have to be in a buffer.
    bool isNew = !isBuffer(k) && (cut[k].empty() || (cut[k] != because.text && because == reason::buffers));
    if (isNew)
      cut[k] = because;
    return isNew;
  }

  /// Cuts what makes a kernel too large, else what is computed too often, else what an action handler stops.
  bool cutKernels(bool thorough) {
    if (options.policy == KernelizePolicy::none)
      return false;
    bool changed = false;
    for (const SizeCut &cut : findSizeCuts(plan.kernels, options, costs))
      // Both sides of a cut compute on indices what they need.
      if (unsigned k = *graph.producer(cut.op->getResult(0)); !hints.isIndexArithmetic(k))
        changed |= cutAt(k, cut.reason);
    if (changed)
      return changed;
    for (const KernelAudit::Cut &found : audit.findCuts(costs, thorough))
      changed |= cutAt(found.node, {reason::recomputation, "operations", found.operations, found.limit});
    for (unsigned k = 0; k < graph.nodes.size() && !changed && context->hasActionHandler(); ++k)
      if (node(k).live && node(k).kind == LazyNode::compute && !stored[k] && !kept[k] && asked.insert(k).second)
        changed = !mayHappen<FusionAction>(node(k).op, "fuse") && cutAt(k, reason::stopped);
    return changed;
  }
  void report() {
    for (unsigned k = 0; k < graph.nodes.size(); ++k) {
      if (!node(k).live || !(node(k).kind == LazyNode::compute || stored[k]) || isa<ContiguousOp>(node(k).op))
        continue;
      Decision::Kind inBuffer = node(k).isBoundary() ? Decision::stored : Decision::refused;
      bool isKept = kept[k] || !keptAxes[k].empty();
      plan.decisions.push_back({node(k).op, isKept ? Decision::kept : stored[k] ? inBuffer : Decision::fused, why[k]});
      if (isKept)
        plan.kept[node(k).op] = keptAxes[k];
    }
    plan.operations = audit.countEvaluated();
    plan.unfusedOperations = audit.countUnfused();
  }

  LazyGraph graph;
  KernelizeOptions options;
  cost::CostModel costs;
  MLIRContext *context;
  FusionHints hints;
  KernelAudit audit;
  KernelizePlan plan;
  std::vector<Reason> cut; ///< why a node must be stored so that its kernel keeps a limit; empty where it need not

  llvm::DenseSet<unsigned> asked; ///< values whose fusion was an action already
  std::vector<bool> stored, kept, isReduced, selectsParts;
  std::vector<SmallVector<int64_t, 2>> keptAxes; ///< of what its kernel keeps row by row
  SmallVector<unsigned> repeatedRows;            ///< what passes over a row compute again, the last first
  llvm::DenseSet<unsigned> keptRows;             ///< of these, what is to be kept
  std::optional<Domains> domains;
  Domains::KernelSplits splits;
  std::vector<Wanted> wanted;
  std::vector<Domains::Id> storeDomain;                        ///< of what is stored
  llvm::DenseMap<ArrayRef<int64_t>, Domains::Id> storeDomains; ///< by shape, under `policy=all`
  std::vector<Reason> why;
  std::vector<SmallVector<FusedReduction, 1>> fused; ///< by kernel
  std::vector<MergeCandidate> candidates;            ///< to share a kernel, by what they store
  StoredSlices concatenated;
  llvm::DenseSet<unsigned> joined;   ///< kernels whose parts share a reduction
  llvm::DenseSet<unsigned> apart;    ///< parts that are reduced with others
  llvm::DenseSet<unsigned> keptEnds; ///< what ends a reduction that can't run in the windows it is wanted in
  bool hasJoined = false;            ///< in this round
  std::vector<double> hidden;        ///< recomputation that a kernel does beside its stores, by kernel
};

} // namespace

KernelizePlan KernelizePlan::compute(Block &block, const KernelizeOptions &options) {
  return Planner(block, options).run();
}

} // namespace tiny::lazy
