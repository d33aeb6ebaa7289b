// Chooses among the schedules for GPUs by prediction.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "GpuSchedule.h"

#include "FlatSchedule.h"
#include "GroupSchedule.h"
#include "LaneProducts.h"
#include "MatrixSchedule.h"
#include "OnlineSchedule.h"
#include "Prediction.h"
#include "Workgroups.h"

using namespace mlir;

namespace tiny::kernel {

GpuSchedule scheduleGpu(SchedulePlan &plan, const cost::Machine &target) {
  fuseSiblings(plan);
  SchedulePlan best(plan);
  constexpr int64_t kLanes[] = {64, 256};
  scheduleFlat(best, target, kLanes[0], /*hasVectors=*/false);
  GpuSchedule chosen = {"workgroups and lanes along shared axes", predictWorkgroups(best.getKernel(), target)};
  // Takes what `write` plans where that is faster and the device can run it; whether it plans anything.
  auto consider = [&](StringRef about, llvm::function_ref<bool(SchedulePlan &)> write) {
    SchedulePlan next(plan);
    if (!write(next))
      return false;
    WorkgroupTimes times = predictWorkgroups(next.getKernel(), target);
    if (times.fits && times.getTotal() < chosen.times.getTotal()) {
      chosen = {about, times};
      best.swap(next);
    }
    return true;
  };
  for (int64_t lanes : kLanes)
    consider("vectors of lanes along shared axes",
             [&](SchedulePlan &next) { return scheduleFlat(next, target, lanes, /*hasVectors=*/true); });
  for (int64_t lanes : kLanes)
    for (int64_t rows : {4, 8, 16})
      consider("blocks of rows and columns of which a lane holds one",
               [&](SchedulePlan &next) { return scheduleTurned(next, target, rows, lanes / rows); });
  consider("lanes of one workgroup along an axis of each store",
           [&](SchedulePlan &next) { return scheduleApart(next, target, kLanes[1]); });
  for (bool hasVectors : {false, true})
    consider("lanes that reduce for points of their own",
             [&](SchedulePlan &next) { return scheduleFlat(next, target, kLanes[0], hasVectors, /*repeats=*/true); });
  for (int64_t lanes : kLanes)
    for (int64_t rows : {1, 2})
      consider("lanes that reduce for neighbours",
               [&](SchedulePlan &next) { return scheduleNeighbours(next, target, lanes, rows); });
  bool hasReduction = !plan.getKernel().getBody().getOps<ReduceOp>().empty();
  for (int64_t lanes : hasReduction ? listGroupLanes(target) : SmallVector<int64_t>()) {
    if (!consider("reductions by the lanes of a workgroup",
                  [&](SchedulePlan &next) { return scheduleGroups(next, target, lanes, /*hasVectors=*/false); }))
      break;
    consider("reductions of vectors by the lanes of a workgroup",
             [&](SchedulePlan &next) { return scheduleGroups(next, target, lanes, /*hasVectors=*/true); });
    for (bool hasVectors : {false, true})
      consider("rows that the lanes of a workgroup hold",
               [&](SchedulePlan &next) { return scheduleGroups(next, target, lanes, hasVectors, /*holds=*/true); });
  }
  if (hasReduction && target.subgroup > 1)
    for (int64_t blocks = 4; blocks * target.subgroup <= target.workgroup; blocks *= 2)
      if (!consider("columns that a workgroup reduces in blocks",
                    [&](SchedulePlan &next) { return scheduleColumns(next, target, target.subgroup, blocks); }))
        break;
  for (const ProductTile &tile : listProductTiles(plan.getKernel(), target))
    consider("products of matrices by the subgroups of a workgroup",
             [&](SchedulePlan &next) { return scheduleMatrices(next, target, tile, /*merges=*/false); });
  for (const ProductTile &tile : listOnlineTiles(plan.getKernel(), target))
    consider("products of matrices with a running maximum between them",
             [&](SchedulePlan &next) { return scheduleOnline(next, target, tile); });
  for (bool merges : {false, true})
    for (const ProductTile &tile : listLaneTiles(plan, target, merges))
      consider("products of matrices by the lanes of a workgroup",
               [&](SchedulePlan &next) { return scheduleMatrices(next, target, tile, merges); });
  plan.swap(best);
  return chosen;
}

} // namespace tiny::kernel
