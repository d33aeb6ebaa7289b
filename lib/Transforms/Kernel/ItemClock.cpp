// Predicted times of items.
#include "ItemClock.h"
#include "ItemGraph.h"

#include "Tiny/Algebra/Cost/Network.h"
#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Support/Collective.h"

using namespace mlir;

namespace tiny::kernel {

double ItemClock::predictExchange(CollectiveOp op) const {
  if (!machine.network.front().ranks)
    return 0;
  int64_t bytes = std::max(countBytes(op.getSource()), countBytes(op.getTarget()));
  int64_t ranks = countGroup(op.getGrid(), op.getAxes()), span = cost::findSpan(op.getGrid(), op.getAxes());
  auto kind = [&] {
    switch (*parseCollectiveKind(op.getKind())) {
    case CollectiveKind::AllReduce:
      return cost::Exchange::AllReduce;
    case CollectiveKind::AllGather:
      return cost::Exchange::AllGather;
    case CollectiveKind::ReduceScatter:
      return cost::Exchange::ReduceScatter;
    case CollectiveKind::AllToAll:
      return cost::Exchange::AllToAll;
    case CollectiveKind::Broadcast:
      return cost::Exchange::Broadcast;
    case CollectiveKind::Send:
      return cost::Exchange::Send;
    }
    llvm_unreachable("covered switch");
  }();
  return static_cast<double>(cost::predictExchange(machine, kind, bytes, ranks, span));
}

double ItemClock::predict(Operation *item) {
  if (auto collective = dyn_cast<CollectiveOp>(item))
    return predictExchange(collective);
  auto launch = dyn_cast<LaunchOp>(item);
  if (!launch)
    return 0;
  auto [known, isNew] = kernels.try_emplace(launch.getCalleeAttr(), 0);
  if (!isNew)
    return known->second;
  auto kernel = dyn_cast_or_null<FuncOp>(SymbolTable::lookupNearestSymbolFrom(item, launch.getCalleeAttr()));
  std::optional<SmallVector<cost::Nest>> nests = kernel ? findNests(kernel) : std::nullopt;
  double picoseconds = 0;
  for (const cost::Nest &nest : nests.value_or(SmallVector<cost::Nest>()))
    picoseconds += static_cast<double>(cost::boundNest(nest, machine));
  return known->second = picoseconds / 1e3 / static_cast<double>(std::max<int64_t>(machine.cores, 1));
}

} // namespace tiny::kernel
