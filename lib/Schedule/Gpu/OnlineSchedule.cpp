// Finds rows, keys, depth and columns of two products with a running maximum between them.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "OnlineSchedule.h"

#include "Workgroups.h"

#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/BlockReduce.h"

using namespace mlir;

namespace tiny::kernel {

/// Tiles of keys and of their weights: one is read, the next one is on its way. Teams go on apart from each other: they
/// have one more where it fits.
static constexpr int64_t kBuffers = 2, kBuffersOfTeams = 3;

/// Bytes of a line of a tile that several subgroups multiply (uop-swizzle-tiles).
static constexpr int64_t kPieceBytes = 128;

/// Registers of a lane that scores or their exponentials, what is read beside them, and sums are fewer than. The others
/// are for factors and addresses: with more, compilers spill.
static constexpr int64_t kHeldRegisters = 144;

namespace {

/// The kernel's two reductions.
struct OnlineReduces {
  ReduceOp online, product;
  MatrixProduct match;
};

} // namespace

static std::optional<OnlineReduces> findReduces(FuncOp kernel) {
  OnlineReduces found;
  for (auto reduce : kernel.getBody().getOps<ReduceOp>()) {
    auto axis = reduce.getRanges().front().getDefiningOp<RangeOp>();
    std::string reason;
    if (reduce.getRanges().size() == 1 && !found.online && findMaximumReduce(axis) == reduce) {
      found.online = reduce;
    } else if (std::optional<MatrixProduct> match = matchMatrixProduct(reduce, reason);
               match && !found.product && reduce.getRanges().size() == 1) {
      found.product = reduce;
      found.match = *match;
    } else {
      return std::nullopt;
    }
  }
  return found.online && found.product ? std::optional(found) : std::nullopt;
}

/// Tiles of products that several subgroups compute together: rows of their sums, and keys in a block. Lines of all
/// tiles are as long as units for matrices read them.
static void addTeamTiles(const cost::Machine &target, const OnlineReduces &reduces, int64_t depth,
                         SmallVectorImpl<ProductTile> &tiles) {
  Type factor = reduces.match.factorType;
  depth = llvm::alignTo(depth, kPieceBytes * 8 / int64_t(factor.getIntOrFloatBitWidth()));
  for (const cost::MatrixShape &shape : target.matrices)
    if (shape.m != 0 && shape.subgroups > 1 && shape.input == target::getElementType(factor))
      for (int64_t teams : {2, 1})
        for (int64_t keys : {2, 1})
          tiles.push_back({{teams * shape.m, keys * shape.n, depth}, {teams, 1}, {shape.m, shape.n, shape.k}});
}

SmallVector<ProductTile> listOnlineTiles(FuncOp kernel, const cost::Machine &target) {
  std::optional<OnlineReduces> reduces = findReduces(kernel);
  if (!reduces || target.subgroup == 0)
    return {};
  std::optional<cost::ElementType> type = target::getElementType(reduces->match.factorType);
  const cost::MatrixShape *deepest = nullptr;
  for (const cost::MatrixShape &shape : target.matrices)
    if (shape.m != 0 && shape.subgroups == 1 && shape.input == type && (!deepest || shape.k > deepest->k))
      deepest = &shape;
  if (!deepest)
    return {};
  int64_t depth = llvm::alignTo(reduces->product.getRanges().front().getDefiningOp<RangeOp>().getExtent(), deepest->k);
  // Matrices of rows of a subgroup, subgroups, and matrices of keys in a block: the more, the fewer loads and
  // corrections for each product.
  SmallVector<ProductTile> tiles;
  for (int64_t rows : {2, 1})
    for (int64_t subgroups : {8, 4, 2, 1})
      for (int64_t keys : {8, 4, 2})
        tiles.push_back({{rows * subgroups * deepest->m, keys * deepest->n, depth},
                         {subgroups, 1},
                         {deepest->m, deepest->n, deepest->k}});
  addTeamTiles(target, *reduces, depth, tiles);
  return tiles;
}

bool scheduleOnline(SchedulePlan &plan, const cost::Machine &target, const ProductTile &tile) {
  unstageCheapTiles(plan);
  SmallVector<int64_t> shared = findSharedAxes(plan.getKernel());
  mergeWalkedTogether(plan, shared);
  std::optional<OnlineReduces> reduces = findReduces(plan.getKernel());
  if (!reduces)
    return false;
  // Rows are the longest axis that only the left factor varies along.
  int64_t rows = -1, columns = -1;
  Value left = reduces->match.left, right = reduces->match.right;
  for (RangeOp axis : getNest(plan.getKernel(), AxisKind::Loop)) {
    llvm::DenseSet<Value> varying = findVarying(axis);
    int64_t id = axis.getId();
    if (!llvm::is_contained(shared, id)) {
      if (columns >= 0)
        return false;
      columns = id;
    } else if (varying.contains(left) != varying.contains(right) &&
               (rows < 0 || axis.getExtent() > plan.getAxis(rows).getExtent())) {
      rows = id;
    }
  }
  if (rows < 0 || columns < 0)
    return false;
  int64_t keys = reduces->online.getRanges().front().getDefiningOp<RangeOp>().getId();
  int64_t depth = reduces->product.getRanges().front().getDefiningOp<RangeOp>().getId();
  // Masks and the like are read for each score. Where padding has ends, lanes hold them beside it.
  llvm::DenseSet<Value> ofRows = findVarying(plan.getAxis(rows)), ofKeys = findVarying(plan.getAxis(keys));
  bool hasEnds =
      plan.getAxis(rows).getExtent() % tile.extents[0] != 0 || plan.getAxis(keys).getExtent() % tile.extents[1] != 0;
  int64_t beside = llvm::count_if(plan.getKernel().getBody().getOps<LoadOp>(), [&](LoadOp load) {
    return hasEnds && ofRows.contains(load.getIndex()) && ofKeys.contains(load.getIndex());
  });
  // Sums of a block are apart from those of all blocks unless they are relative to the same maximum.
  int64_t sums = mayBlockRunning(reduces->online) ? 1 : 2;
  int64_t heldColumns =
      (1 + beside) * tile.extents[1] + sums * llvm::alignTo(plan.getAxis(columns).getExtent(), tile.shape[1]);
  int64_t heldRows = tile.extents[0] / tile.subgroups[0];
  auto [m, n, k] = tile.shape;
  if (heldRows * heldColumns >= kHeldRegisters * target.subgroup * target.countTeam(m, n, k))
    return false;
  if (!plan.tensorize({rows, keys, depth, columns}, tile))
    return false;
  planWorkgroups(plan, shared, target);
  // While the lanes multiply, the next block may come: what uop-pipeline-tiles makes of it.
  llvm::DenseSet<Value> varying = findVarying(plan.getAxis(keys));
  SmallVector<int64_t> filling;
  for (auto stage : plan.getKernel().getBody().getOps<StageOp>())
    if (stage.getSpace() == StageSpace::Local && varying.contains(stage.getValue()))
      filling.push_back(stage.getRanges().front().getDefiningOp<RangeOp>().getId());
  int64_t buffers = kBuffers;
  if (target.countTeam(m, n, k) > 1) {
    int64_t held = 0, filled = 0;
    for (auto stage : plan.getKernel().getBody().getOps<StageOp>()) {
      MemRefType type = stage.getTile().getType();
      if (stage.getSpace() != StageSpace::Local)
        continue;
      int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8u);
      (varying.contains(stage.getValue()) ? filled : held) += bytes;
    }
    // Beside them there are barriers.
    if (held + kBuffersOfTeams * filled < target.shared)
      buffers = kBuffersOfTeams;
  }
  for (int64_t id : filling)
    plan.pipeline(id, buffers);
  return true;
}

} // namespace tiny::kernel
