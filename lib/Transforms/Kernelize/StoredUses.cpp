// Answers how one kernel reads what another stores: in place, in passes over a row, or over blocks of rows.
#include "StoredUses.h"

#include "FusionHints.h"
#include "KernelReasons.h"
#include "RepeatedRows.h"
#include "Tiny/Dialect/Lazy/Shapes.h"

using namespace mlir;

namespace tiny::lazy {

bool StoredUses::mayRunInRows(unsigned k) const {
  double rows = countResultElements(graph.nodes[k].op), combined = audit.countOnce(k);
  for (const FusedReduction &reduction : fused[k])
    combined = std::max(combined, reduction.combined);
  return costs.prefersRows(rows, combined);
}

bool StoredUses::isPlaceOf(unsigned from, Domains::Id use) const {
  unsigned to = domains.kernel(use);
  ArrayRef<int64_t> shape = shapeOf(graph.nodes[from].op->getResult(0));
  return domains.isInPlace(use, shape, storeDomain[to], shapeOf(graph.nodes[to].op->getResult(0))) ||
         (concatenated.count(to) == 0 && domains.hasLoopPerAxis(use, shape) && mayRunInRows(from));
}

bool StoredUses::isInPlace(unsigned from, unsigned to) const {
  // Running values are computed in order.
  if (isa<ScanOp>(graph.nodes[from].op))
    return false;
  const Wanted &uses = wanted[from];
  auto isThere = [&](Domains::Id id) { return domains.kernel(id) == to; };
  return !uses.overflow && llvm::any_of(uses.domains, isThere) &&
         llvm::all_of(uses.domains, [&](Domains::Id id) { return !isThere(id) || isPlaceOf(from, id); });
}

bool StoredUses::isInRows(unsigned from, unsigned to) const {
  Wanted uses = wanted[from];
  Operation *op = graph.nodes[from].op;
  if (!fused[from].empty() || isa<ReduceOp, ScanOp>(op) || uses.domains.size() > costs.maxEvaluations)
    return false;
  size_t all = uses.domains.size();
  llvm::erase_if(uses.domains, [&](Domains::Id id) { return domains.kernel(id) != to; });
  // What the kernel stores may be an element for each row.
  bool stores = llvm::any_of(uses.domains, [&](Domains::Id id) { return isPlaceOf(from, id); }) ||
                (uses.domains.size() == 1 && domains.evaluations(storeDomain[to]) < countResultElements(op));
  // Other kernels may read rows along other axes, but mostly read them along the last axis alone.
  std::optional<Domains::Row> row = stores ? findKeptRow(op, uses, domains, costs) : std::nullopt;
  return row && (uses.domains.size() == all ||
                 (row->inside == 1 && row->elements == withoutUnits(shapeOf(op->getResult(0))).back()));
}

bool StoredUses::isPassedOver(unsigned from, unsigned to) const {
  Wanted uses = wanted[from];
  if (isa<ScanOp>(graph.nodes[from].op))
    return false;
  if (uses.overflow || concatenated.count(to) != 0)
    return false;
  llvm::erase_if(uses.domains, [&](Domains::Id id) { return domains.kernel(id) != to; });
  if (uses.domains.empty())
    return false;
  std::optional<Domains::Row> row = domains.findSharedRow(uses.domains, shapeOf(graph.nodes[from].op->getResult(0)));
  return row && row->inside == 1;
}

std::optional<Reason> StoredUses::whyNotInBlocks(unsigned from, Attribute loops, double combined) const {
  std::optional<ProductRows> rows = findProductRows(loops);
  Operation *op = graph.nodes[from].op;
  if (!rows || rows->lanes != shapeOf(op->getResult(0)).back())
    return std::nullopt;
  double elements = countResultElements(op), all = elements / rows->lanes;
  double bytes = FusionHints::countBytes(op) / all;
  if (rows->rows < costs.minBlockRows)
    return Reason(reason::blockShort, "rows", rows->rows, costs.minBlockRows);
  if (rows->lanes < costs.minBlockLanes)
    return Reason(reason::blockNarrow, "lanes", rows->lanes, costs.minBlockLanes);
  if (bytes * costs.minBlockRows > costs.largestBlock)
    return Reason(reason::blockLarge, "bytes", bytes * costs.minBlockRows, costs.largestBlock);
  if (!costs.prefersBlocks(all, bytes, rows->sharing, rows->rows, combined))
    return Reason(reason::blockPacked,
                  {{"packing", costs.getPackingCost(all, bytes, rows->sharing, rows->rows, combined)},
                   {"buffer", costs.getBufferCost(all * bytes)}});
  return Reason();
}

void StoredUses::addReader(unsigned kernel, ArrayRef<Value> inputs) {
  for (Value input : inputs)
    if (auto producer = graph.producer(input))
      readers[*producer].push_back(kernel);
}

bool StoredUses::readsStored(ArrayRef<Value> inputs) const {
  return llvm::any_of(inputs, [&](Value input) {
    auto producer = graph.producer(input);
    return producer && graph.nodes[*producer].kind != LazyNode::source;
  });
}

bool StoredUses::isReadBy(unsigned k, ArrayRef<unsigned> kernels) const {
  auto isTheirs = [&](Domains::Id id) { return llvm::is_contained(kernels, domains.kernel(id)); };
  // What a choice that nothing depends on reads is not wanted there, and still an input.
  return !graph.nodes[k].isBoundary() && !wanted[k].overflow && !wanted[k].domains.empty() &&
         llvm::all_of(wanted[k].domains, isTheirs) &&
         llvm::all_of(readers.lookup(k), [&](unsigned reader) { return llvm::is_contained(kernels, reader); });
}

SmallVector<int64_t, 2> StoredUses::findRowAxes(unsigned from, ArrayRef<unsigned> kernels) const {
  SmallVector<int64_t, 2> axes;
  for (unsigned to : kernels) {
    Wanted uses = wanted[from];
    llvm::erase_if(uses.domains, [&](Domains::Id id) { return domains.kernel(id) != to; });
    if (to == from || llvm::all_of(uses.domains, [&](Domains::Id id) { return isPlaceOf(from, id); }))
      continue;
    std::optional<Domains::Row> row = domains.findSharedRow(uses.domains, shapeOf(graph.nodes[from].op->getResult(0)));
    if (!row || row->elements < 2 || (!axes.empty() && axes != row->axes))
      return {};
    axes = row->axes;
  }
  return axes;
}

size_t StoredUses::countPasses(unsigned from, ArrayRef<unsigned> kernels) const {
  return 1 + llvm::count_if(wanted[from].domains, [&](Domains::Id id) {
           return llvm::is_contained(kernels, domains.kernel(id)) && !isPlaceOf(from, id);
         });
}

} // namespace tiny::lazy
