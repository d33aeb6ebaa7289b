// Chooses among the schedules for GPUs by prediction.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "GpuSchedule.h"

#include "FlatSchedule.h"
#include "GroupSchedule.h"
#include "MatrixSchedule.h"

using namespace mlir;

namespace tiny::kernel {

StringRef scheduleGpu(SchedulePlan &plan, const cost::Machine &target) {
  SchedulePlan flat(plan);
  scheduleFlat(flat, target);
  int64_t best = predictWorkgroups(flat.getKernel(), target);
  StringRef rule = "workgroups and lanes along shared axes";
  bool hasReduction = !plan.getKernel().getBody().getOps<ReduceOp>().empty();
  for (int64_t lanes : hasReduction ? listGroupLanes(target) : SmallVector<int64_t>()) {
    SchedulePlan groups(plan);
    if (!scheduleGroups(groups, target, lanes))
      break;
    int64_t time = predictWorkgroups(groups.getKernel(), target);
    if (time >= best)
      continue;
    best = time;
    flat.swap(groups);
    rule = "reductions by the lanes of a workgroup";
  }
  for (const ProductTile &tile : listProductTiles(plan.getKernel(), target)) {
    SchedulePlan products(plan);
    if (!scheduleMatrices(products, target, tile))
      continue;
    int64_t time = predictWorkgroups(products.getKernel(), target);
    if (time >= best)
      continue;
    best = time;
    flat.swap(products);
    rule = "products of matrices by the subgroups of a workgroup";
  }
  plan.swap(flat);
  return rule;
}

} // namespace tiny::kernel
