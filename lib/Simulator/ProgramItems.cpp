// Items and their predicted times.
// NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ProgramItems.h"

#include "ProgramMemory.h"
#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Schedule/Variants.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Signature.h"

using namespace mlir;
using tiny::cost::ClusterItem;

namespace tiny {

Value ProgramReader::findRoot(Value buffer) const {
  while (auto alias = buffer.getDefiningOp<kernel::AliasOp>())
    buffer = alias.getSource();
  return buffer;
}

double ProgramReader::move(int64_t bytes) const {
  const cost::Machine &facts = machine.machine;
  double bandwidth = static_cast<double>(facts.memoryBandwidth ? facts.memoryBandwidth : 1);
  return static_cast<double>(facts.launch) + static_cast<double>(bytes) * 1e3 / bandwidth;
}

FailureOr<double> ProgramReader::predict(kernel::LaunchOp launch) {
  auto [known, isNew] = kernels.try_emplace(launch.getCallee(), 0);
  if (!isNew)
    return known->second;
  auto kernel = dyn_cast_or_null<kernel::FuncOp>(SymbolTable::lookupNearestSymbolFrom(program, launch.getCalleeAttr()));
  std::optional<SmallVector<cost::Nest>> nests;
  // A script that names axes by handles leaves the kernel without its schedule.
  if (std::optional<SmallVector<kernel::ScheduleStep>> steps = kernel ? kernel::findSteps(kernel) : std::nullopt) {
    kernel::SchedulePlan plan = kernel::makePlan(kernel, *steps);
    nests = kernel::findNests(plan.getKernel());
  } else if (kernel) {
    nests = kernel::findNests(kernel);
  }
  if (!nests)
    return launch.emitOpError("has no prediction: its kernel has passes of more than 64 axes, or is not there");
  int64_t picoseconds = cost::predictKernelOn(*nests, machine.machine, machine.threads).total;
  return known->second = static_cast<double>(picoseconds) * 1e-3 * machine.factor;
}

FailureOr<ClusterItem> ProgramReader::readItem(Operation *op) {
  ClusterItem item;
  if (auto axis = program->getAttrOfType<IntegerAttr>(kStageAxisAttr))
    if (auto places = op->getAttrOfType<DenseI64ArrayAttr>(kPlacesAttr)) {
      item.stageAxis = axis.getInt();
      item.places.assign(places.asArrayRef().begin(), places.asArrayRef().end());
    }
  // What stands in an item's lists, too.
  op->walk([&](Operation *nested) {
    for (Value buffer : nested->getOperands()) {
      unsigned number = numbers.try_emplace(findRoot(buffer), numbers.size()).first->second;
      if (!llvm::is_contained(item.buffers, number))
        item.buffers.push_back(number);
    }
  });
  if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
    FailureOr<double> time = predict(launch);
    if (failed(time))
      return failure();
    item.name = launch.getCallee().str();
    item.time = *time;
    return item;
  }
  if (auto collective = dyn_cast<kernel::CollectiveOp>(op)) {
    item.kind = ClusterItem::Kind::Exchange;
    item.name = collective.getKind().str();
    item.isAsync = collective.getAsync();
    item.axes.assign(collective.getAxes().begin(), collective.getAxes().end());
    item.bytes = std::max(countBufferBytes(collective.getSource()), countBufferBytes(collective.getTarget()));
    switch (*parseCollectiveKind(collective.getKind())) {
    case CollectiveKind::AllReduce:
      item.exchange = cost::Exchange::AllReduce;
      break;
    case CollectiveKind::AllGather:
      item.exchange = cost::Exchange::AllGather;
      break;
    case CollectiveKind::ReduceScatter:
      item.exchange = cost::Exchange::ReduceScatter;
      break;
    case CollectiveKind::AllToAll:
      item.exchange = cost::Exchange::AllToAll;
      break;
    case CollectiveKind::Broadcast:
      item.exchange = cost::Exchange::Broadcast;
      break;
    case CollectiveKind::Send:
      item.exchange = cost::Exchange::Send;
      llvm::copy(*collective.getPeers(), item.peers.begin());
      break;
    }
    return item;
  }
  // It takes no time of its own.
  if (isa<kernel::WaitOp>(op)) {
    item.name = "wait";
    return item;
  }
  if (auto loop = dyn_cast<kernel::LoopOp>(op)) {
    item.kind = ClusterItem::Kind::Loop;
    item.name = "loop";
    item.count = loop.getMost();
  } else if (isa<kernel::IfOp>(op)) {
    item.kind = ClusterItem::Kind::Branch;
    item.name = "if";
  } else {
    // A copy reads and writes, a fill writes.
    item.name = op->getName().stripDialect().str();
    int64_t bytes = 0;
    for (Value buffer : op->getOperands())
      bytes += countBufferBytes(buffer);
    item.time = move(bytes) * machine.factor;
    return item;
  }
  for (auto [region, list] : llvm::zip(op->getRegions(), std::array{&item.body, &item.otherwise})) {
    if (region.empty())
      continue;
    FailureOr<std::vector<ClusterItem>> items = readList(region.front());
    if (failed(items))
      return failure();
    *list = std::move(*items);
  }
  return item;
}

FailureOr<std::vector<ClusterItem>> ProgramReader::readList(Block &list) {
  std::vector<ClusterItem> items;
  for (Operation &op : list) {
    if (isa<kernel::AllocOp, kernel::ConstantOp, kernel::AliasOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    FailureOr<ClusterItem> item = readItem(&op);
    if (failed(item))
      return failure();
    items.push_back(std::move(*item));
  }
  return items;
}

} // namespace tiny
