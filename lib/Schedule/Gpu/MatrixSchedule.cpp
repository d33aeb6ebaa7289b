// Chooses rows, columns and depth of a kernel's product, and the tiles that workgroups compute of it.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "MatrixSchedule.h"

#include "Workgroups.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/Axes.h"

using namespace mlir;

namespace tiny::kernel {

/// Tiles of each factor, at least and at most: one is read, the others are on their way.
static constexpr int64_t kLeastBuffers = 2, kMostBuffers = 4;
/// Subgroups of one core that hide each other's waits.
static constexpr int64_t kSubgroupsOfCore = 8;
/// Bytes behind each row of a tile, so that lanes do not meet in a bank of memory (uop-pad-tiles).
static constexpr int64_t kPadding = 16;
/// Bytes of a line of a tile that several subgroups multiply (uop-swizzle-tiles).
static constexpr int64_t kPieceBytes = 128;
/// Most elements of a team's sums along rows and columns, of those of one row: half of a lane's registers.
static constexpr int64_t kMostTeamColumns = 256;

/// The one sum of products among the kernel's reductions, or null.
static ReduceOp findSumOfProducts(FuncOp kernel, std::optional<MatrixProduct> &product) {
  ReduceOp found;
  std::string reason;
  for (auto reduce : kernel.getBody().getOps<ReduceOp>()) {
    std::optional<MatrixProduct> match = matchMatrixProduct(reduce, reason);
    if (!match)
      continue;
    if (found)
      return nullptr;
    found = reduce;
    product = match;
  }
  return found;
}

/// The products of one instruction that the record has for the types.
static SmallVector<cost::MatrixShape> findShapes(const cost::Machine &target, Type factor, Type sum) {
  SmallVector<cost::MatrixShape> found;
  // Instructions that read f32 do not read all of its bits.
  if (factor.isF32())
    return found;
  for (const cost::MatrixShape &shape : target.matrices)
    if (shape.m != 0 && shape.input == target::getElementType(factor) && shape.sum == target::getElementType(sum))
      found.push_back(shape);
  return found;
}

/// The deepest one that a subgroup computes.
static std::optional<cost::MatrixShape> findShape(const cost::Machine &target, Type factor, Type sum) {
  std::optional<cost::MatrixShape> found;
  for (const cost::MatrixShape &shape : findShapes(target, factor, sum))
    if (shape.subgroups == 1 && (!found || shape.k > found->k))
      found = shape;
  return found;
}

/// Tiles of each factor that fit, with as many workgroups on a core as it takes to keep it busy.
static int64_t countBuffers(const ProductTile &tile, Type factor, const cost::Machine &target) {
  int64_t width = llvm::divideCeil(factor.getIntOrFloatBitWidth(), 8u), bytes = 0;
  auto [m, n, k] = tile.shape;
  int64_t team = target.countTeam(m, n, k);
  for (int64_t extent : {tile.extents[0], tile.extents[1]})
    bytes += extent * tile.extents[2] * width + (team > 1 ? 0 : std::max(extent, tile.extents[2]) * kPadding);
  int64_t subgroups = tile.subgroups[0] * tile.subgroups[1] * team;
  // By a tile lanes get the elements of sums, in 32 bits, where they cannot tell which ones they hold.
  int64_t left = target.shared;
  if (!tile.isOfLanes() && target.has(cost::Instruction::HiddenFragments))
    left -= subgroups * m * n * 4;
  if (tile.isOfLanes())
    subgroups = llvm::divideCeil(subgroups, std::max<int64_t>(1, target.subgroup));
  int64_t workgroups = std::max<int64_t>(1, kSubgroupsOfCore / subgroups);
  // Without copies on the side nothing is on its way for long.
  int64_t most = target.has(cost::Instruction::AsyncCopy) ? kMostBuffers : kLeastBuffers;
  return std::min(most, left / (workgroups * bytes));
}

/// Tiles of products that several subgroups compute together. Their lines are as long as units for matrices read them.
static void addTeamTiles(const cost::Machine &target, const MatrixProduct &product, Type sum,
                         SmallVectorImpl<ProductTile> &tiles) {
  Type factor = product.getTileType();
  struct Share {
    int64_t rows;
    std::array<int64_t, 2> teams;
  };
  constexpr Share kShares[] = {{1, {2, 1}}, {2, {1, 1}}, {1, {1, 1}}};
  for (const cost::MatrixShape &shape : findShapes(target, product.factorType, sum))
    for (const Share &share : kShares) {
      if (shape.subgroups == 1 || share.rows * shape.n > kMostTeamColumns)
        continue;
      ProductTile tile = {{share.rows * share.teams[0] * shape.m, share.teams[1] * shape.n,
                           kPieceBytes * 8 / int64_t(factor.getIntOrFloatBitWidth())},
                          share.teams,
                          {shape.m, shape.n, shape.k}};
      if (countBuffers(tile, factor, target) >= kLeastBuffers)
        tiles.push_back(tile);
    }
}

SmallVector<ProductTile> listProductTiles(FuncOp kernel, const cost::Machine &target) {
  std::optional<MatrixProduct> product;
  ReduceOp reduce = findSumOfProducts(kernel, product);
  if (!reduce || target.subgroup == 0)
    return {};
  std::optional<cost::MatrixShape> shape = findShape(target, product->factorType, reduce.getResult(0).getType());
  if (!shape)
    return {};
  // Matrices of a subgroup along rows and columns: the more, the fewer loads for each product. Sums take a quarter to a
  // half of a lane's registers with the most.
  struct Share {
    int64_t rows, columns;
    std::array<int64_t, 2> subgroups;
  };
  constexpr Share kShares[] = {{4, 8, {2, 4}}, {4, 8, {4, 2}}, {4, 8, {2, 2}}, {4, 4, {2, 2}}, {2, 8, {2, 2}},
                               {2, 4, {2, 2}}, {2, 4, {2, 1}}, {1, 4, {1, 2}}, {1, 2, {2, 2}}};
  // The deeper, the fewer barriers.
  constexpr int64_t kDepths[] = {4, 2};
  Type factor = product->getTileType();
  SmallVector<ProductTile> tiles;
  for (const Share &share : kShares)
    for (int64_t depth : kDepths) {
      ProductTile tile = {
          {share.rows * share.subgroups[0] * shape->m, share.columns * share.subgroups[1] * shape->n, depth * shape->k},
          share.subgroups,
          {shape->m, shape->n, shape->k}};
      bool isShallow = depth == kDepths[std::size(kDepths) - 1];
      if (isShallow || countBuffers(tile, factor, target) >= kLeastBuffers)
        tiles.push_back(tile);
    }
  addTeamTiles(target, *product, reduce.getResult(0).getType(), tiles);
  return tiles;
}

/// Of these axes the longest one, the inner of two that are as long; -1 of none.
static int64_t findLongest(ArrayRef<RangeOp> axes) {
  RangeOp longest;
  for (RangeOp axis : axes)
    if (!longest || axis.getExtent() >= longest.getExtent())
      longest = axis;
  return longest ? static_cast<int64_t>(longest.getId()) : -1;
}

namespace {

/// The ids of the axes of a product: those that one factor varies along, those that the other one does, and reduced
/// ones.
struct ProductGroups {
  ReduceOp reduce;
  MatrixProduct product;
  SmallVector<int64_t> rows, columns, depth;
};

} // namespace

/// Whether all stores walk along one of the axes.
static bool isStoredAlong(SchedulePlan &plan, ArrayRef<int64_t> axes) {
  return llvm::any_of(axes, [&](int64_t id) {
    AccessStride strides(plan.getAxis(id).getResult());
    return llvm::all_of(plan.getKernel().getBody().getOps<StoreOp>(),
                        [&](StoreOp store) { return strides.get(store.getIndex()) == 1; });
  });
}

/// Axes with nothing to tile are none of them.
static std::optional<ProductGroups> findGroups(SchedulePlan &plan, ArrayRef<int64_t> shared) {
  std::optional<MatrixProduct> product;
  ReduceOp reduce = findSumOfProducts(plan.getKernel(), product);
  if (!reduce)
    return std::nullopt;
  ProductGroups groups = {reduce, *product, {}, {}, {}};
  for (int64_t id : shared) {
    RangeOp axis = plan.getAxis(id);
    llvm::DenseSet<Value> varying = findVarying(axis);
    bool ofLeft = varying.contains(product->left), ofRight = varying.contains(product->right);
    if (ofLeft != ofRight)
      (ofLeft ? groups.rows : groups.columns).push_back(id);
  }
  for (RangeOp axis : getNest(plan.getKernel(), AxisKind::Reduce))
    if (llvm::is_contained(reduce.getRanges(), axis.getResult()))
      groups.depth.push_back(axis.getId());
  // What is stored next to each other lies in lanes next to each other.
  if (isStoredAlong(plan, groups.rows) && !isStoredAlong(plan, groups.columns))
    std::swap(groups.rows, groups.columns);
  return groups;
}

/// Makes one axis of them; forgets the others.
static bool mergeAll(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes, SmallVectorImpl<int64_t> *shared) {
  while (axes.size() > 1) {
    if (!plan.merge(axes[0], axes[1]))
      return false;
    if (shared)
      llvm::erase(*shared, axes[1]);
    axes.erase(axes.begin() + 1);
  }
  return true;
}

static SmallVector<RangeOp> getAxes(SchedulePlan &plan, ArrayRef<int64_t> ids) {
  return llvm::map_to_vector(ids, [&](int64_t id) { return plan.getAxis(id); });
}

std::optional<ProductSpace> findProductSpace(const SchedulePlan &plan, const cost::Machine &target, bool merges) {
  SchedulePlan copy(plan);
  unstageCheapTiles(copy);
  SmallVector<int64_t> shared = findSharedAxes(copy.getKernel());
  mergeWalkedTogether(copy, shared);
  std::optional<ProductGroups> groups = findGroups(copy, shared);
  if (!groups || groups->rows.empty() || groups->columns.empty() || groups->depth.empty())
    return std::nullopt;
  // Loops over other reduced axes would begin to fill tiles again and again.
  if (!merges && groups->depth.size() > 1)
    return std::nullopt;
  if (merges && groups->rows.size() + groups->columns.size() + groups->depth.size() == 3)
    return std::nullopt;
  ProductSpace space;
  auto multiply = [&](ArrayRef<int64_t> ids) {
    double extent = 1;
    for (int64_t id : ids)
      extent *= copy.getAxis(id).getExtent();
    return extent;
  };
  double all = multiply(shared), reduced = multiply(groups->depth);
  auto take = [&](ArrayRef<int64_t> ids) -> double {
    return merges ? multiply(ids) : copy.getAxis(findLongest(getAxes(copy, ids))).getExtent();
  };
  space.rows = take(groups->rows);
  space.columns = take(groups->columns);
  space.depth = take(groups->depth);
  space.others = all / (space.rows * space.columns) * (reduced / space.depth);
  space.bytes = llvm::divideCeil(groups->product.getTileType().getIntOrFloatBitWidth(), 8u);
  space.hasInstruction = target.subgroup > 0 &&
                         !findShapes(target, groups->product.factorType, groups->reduce.getResult(0).getType()).empty();
  return space;
}

/// Whether a team's sums leave too few registers for the masks that padding brings.
static bool leavesNoMasks(const ProductTile &tile, const cost::Machine &target) {
  auto [m, n, k] = tile.shape;
  return target.countTeam(m, n, k) > 1 &&
         tile.extents[0] / tile.subgroups[0] / m * (tile.extents[1] / tile.subgroups[1]) >= kMostTeamColumns;
}

bool scheduleMatrices(SchedulePlan &plan, const cost::Machine &target, const ProductTile &tile, bool merges) {
  unstageCheapTiles(plan);
  SmallVector<int64_t> shared = findSharedAxes(plan.getKernel());
  mergeWalkedTogether(plan, shared);
  std::optional<ProductGroups> groups = findGroups(plan, shared);
  if (!groups)
    return false;
  Type factor = groups->product.getTileType();
  if (merges && (!mergeAll(plan, groups->rows, &shared) || !mergeAll(plan, groups->columns, &shared) ||
                 !mergeAll(plan, groups->depth, nullptr)))
    return false;
  int64_t ids[] = {findLongest(getAxes(plan, groups->rows)), findLongest(getAxes(plan, groups->columns)),
                   findLongest(getAxes(plan, groups->depth))};
  if (llvm::is_contained(ids, -1))
    return false;
  auto isPadded = [&](unsigned number) {
    return static_cast<int64_t>(plan.getAxis(ids[number]).getExtent()) % tile.extents[number] != 0;
  };
  // The other factor may be the one that lies as the right one has to.
  auto turns = [&] {
    return turnsRight({plan.getAxis(ids[0]), plan.getAxis(ids[1]), plan.getAxis(ids[2])}, tile, target);
  };
  if (turns()) {
    std::swap(ids[0], ids[1]);
    if (turns())
      std::swap(ids[0], ids[1]);
  }
  if ((leavesNoMasks(tile, target) && llvm::any_of(llvm::seq(3u), isPadded)) || !plan.tensorize(ids, tile))
    return false;
  planWorkgroups(plan, shared, target);
  // While the lanes multiply, the next tiles come.
  SmallVector<int64_t> filling;
  for (auto stage : plan.getKernel().getBody().getOps<StageOp>())
    filling.push_back(stage.getRanges().front().getDefiningOp<RangeOp>().getId());
  int64_t buffers = std::max(kLeastBuffers, countBuffers(tile, factor, target));
  for (int64_t id : filling)
    plan.pipeline(id, buffers);
  return true;
}

} // namespace tiny::kernel
