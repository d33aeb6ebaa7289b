// Launches against what their device has.
#include "Tiny/Dialect/UOp/Limits.h"

#include "Tiny/Dialect/Target/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::uop {

LogicalResult checkLimits(FuncOp func, kernel::EntryAttr entry, const LaunchLimits &least) {
  const cost::Machine &machine = target::findMachine(func);
  bool isKnown = machine.kind == cost::DeviceKind::Gpu;
  auto choose = [&](const auto &stated, const auto &otherwise) {
    return isKnown && stated != std::decay_t<decltype(stated)>{} ? stated : otherwise;
  };
  auto check = [&](int64_t count, const Twine &what, int64_t most) -> LogicalResult {
    if (count <= most)
      return success();
    return func.emitOpError("has ") << count << what.str() << ", expected at most " << most;
  };
  std::array<int64_t, 3> mostGroups = choose(machine.grid, least.grid),
                         mostLanes = choose(machine.workgroupExtents, least.lanes);
  int64_t together = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::string along = std::string(" along ") + "xyz"[axis];
    if (failed(check(entry.getGrid()[axis], " workgroups" + along, mostGroups[axis])) ||
        failed(check(entry.getWorkgroup()[axis], " lanes" + along, mostLanes[axis])))
      return failure();
    together *= entry.getWorkgroup()[axis];
  }
  for (BlockArgument argument : func.getBody().getArguments()) {
    auto type = cast<MemRefType>(argument.getType());
    uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(type.getNumElements(), getElementBytes(type.getElementType()));
    if (failed(check(int64_t(std::min<uint64_t>(bytes, INT64_MAX)),
                     " bytes in argument " + Twine(argument.getArgNumber()),
                     choose(machine.bufferBytes, least.bufferBytes))))
      return failure();
  }
  if (failed(check(together, " lanes in a workgroup", choose(machine.workgroup, least.lanesTogether))))
    return failure();
  return check(entry.getScratch(), " bytes of workgroup memory", choose(machine.shared, least.shared));
}

} // namespace tiny::uop
