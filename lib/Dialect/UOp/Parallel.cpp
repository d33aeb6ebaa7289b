// Workgroups and subgroups of a kernel, and the rules for what their lanes do together.
#include "Tiny/Dialect/UOp/Parallel.h"

#include "Tiny/Dialect/Target/Target.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::uop {

MemorySpace getMemorySpace(Value buffer) {
  if (buffer.getDefiningOp<LocalOp>())
    return MemorySpace::Workgroup;
  return buffer.getDefiningOp<RegisterOp>() ? MemorySpace::Private : MemorySpace::Global;
}

std::array<int64_t, 3> getWorkgroupExtents(FuncOp func) {
  std::array<int64_t, 3> extents = {1, 1, 1};
  func.walk([&](SpecialOp op) {
    if (op.getAxis() == HardwareAxis::Local)
      extents[op.getDim()] = op.getExtent();
  });
  return extents;
}

unsigned countLocalAxes(FuncOp func) {
  unsigned count = 0;
  func.walk([&](SpecialOp op) {
    if (op.getAxis() == HardwareAxis::Local)
      count = std::max(count, static_cast<unsigned>(op.getDim()) + 1);
  });
  return count;
}

std::optional<int64_t> getSubgroupSize(FuncOp func) {
  std::optional<int64_t> size;
  func.walk([&](SpecialOp op) {
    if (op.getAxis() != HardwareAxis::Lane)
      return WalkResult::advance();
    size = op.getExtent();
    return WalkResult::interrupt();
  });
  if (size)
    return size;
  const cost::Machine &machine = target::findMachine(func);
  return machine.kind == cost::DeviceKind::Gpu && machine.subgroup > 0 ? std::optional(machine.subgroup) : std::nullopt;
}

bool isSubgroupOp(Operation *op) {
  return isa<SubgroupBarrierOp, ShuffleOp, SubgroupReduceOp, FragmentFillOp, FragmentLoadOp, FragmentStoreOp,
             FragmentReduceOp, FragmentPackOp, MmaOp, MmaWaitOp, MbarrierArriveOp>(op);
}

int64_t countTeam(Operation *op) {
  int64_t count = 1;
  if (auto place = dyn_cast<FragmentPlaceOp>(op))
    count = cast<FragmentType>(place.getFragment()).getSubgroups();
  if (auto reduce = dyn_cast<FragmentReduceOp>(op))
    count = cast<FragmentType>(reduce.getFragment()).getSubgroups();
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())))
    if (auto fragment = dyn_cast<FragmentType>(type))
      count = std::max(count, fragment.getSubgroups());
  return count;
}

bool isHeldByTeam(FragmentLoadOp load, FragmentType type) {
  return type.getSubgroups() > 1 && type.getRole() == FragmentRole::Left && load.getTransposed() &&
         type.getScalar().getIntOrFloatBitWidth() > 16;
}

bool isPhaseOp(Operation *op) {
  return isa<MbarrierInitOp, MbarrierExpectOp, MbarrierArriveOp, MbarrierWaitOp, CopyBulkOp, MmaWaitOp>(op);
}

bool isWorkgroupOp(Operation *op) { return isa<BarrierOp, WorkgroupReduceOp, MbarrierInitOp>(op); }

/// (subgroup_c1) to (subgroup_c6): of axes, and of the operations that need subgroups, the first one first.
static LogicalResult verifySubgroups(FuncOp func, ArrayRef<Operation *> users, SpecialOp lane, SpecialOp subgroup,
                                     SpecialOp team) {
  Operation *user = users.front();
  int64_t lanes = 1;
  for (int64_t extent : getWorkgroupExtents(func))
    lanes *= extent;
  // (subgroup_c1) their size is known
  std::optional<int64_t> size = getSubgroupSize(func);
  if (!size)
    return user->emitOpError("needs the size of subgroups, which neither a lane axis nor the record of a GPU states");
  // (subgroup_c2) it is the device's
  const cost::Machine &machine = target::findMachine(func);
  if (lane && machine.kind == cost::DeviceKind::Gpu && machine.subgroup != *size)
    return lane.emitOpError("has extent ")
           << *size << ", expected that of the device's subgroups, " << machine.subgroup;
  // (subgroup_c3) a workgroup has whole ones
  if (lanes % *size != 0)
    return user->emitOpError("needs whole subgroups of ") << *size << " lanes, but a workgroup has " << lanes;
  // (subgroup_c4) as many as the axis says
  if (subgroup && static_cast<int64_t>(subgroup.getExtent()) != lanes / *size)
    return subgroup.emitOpError("has extent ") << subgroup.getExtent() << ", expected " << lanes / *size
                                               << " subgroups of a workgroup of " << lanes << " lanes";
  // (subgroup_c5) teams are equal
  int64_t count = lanes / *size;
  if (team && count % static_cast<int64_t>(team.getExtent()) != 0)
    return team.emitOpError("has extent ") << team.getExtent() << ", which " << count << " subgroups are not shared by";
  // (subgroup_c6) what subgroups hold together, those of one team hold
  for (Operation *op : users) {
    int64_t together = countTeam(op);
    bool fits =
        team && together > 1 ? count == together * static_cast<int64_t>(team.getExtent()) : count % together == 0;
    if (!fits)
      return op->emitOpError("is of ") << together << " subgroups together, but a workgroup has " << count
                                       << (team ? " in " + std::to_string(team.getExtent()) + " teams" : std::string());
  }
  return success();
}

/// (mma_c4) the device has an instruction for it
static LogicalResult verifyShape(MmaOp op) {
  const cost::Machine &machine = target::findMachine(op);
  if (machine.kind != cost::DeviceKind::Gpu)
    return success();
  FragmentType left = op.getLeft().getType(), sum = op.getSum().getType();
  std::optional<cost::ElementType> input = target::getElementType(left.getElement());
  std::optional<cost::ElementType> total = target::getElementType(sum.getElement());
  // An instruction that reads f32 does not read all of its bits.
  if (left.getElement().isF32())
    input = std::nullopt;
  for (const cost::MatrixShape &shape : machine.matrices)
    if (shape.m == sum.getRows() && shape.n == sum.getColumns() && shape.k == left.getColumns() &&
        shape.input == input && shape.sum == total && shape.subgroups == sum.getSubgroups())
      return success();
  return op.emitOpError("is of ") << sum.getRows() << "x" << sum.getColumns() << "x" << left.getColumns() << " "
                                  << left.getElement() << " to " << sum.getElement()
                                  << (sum.getSubgroups() == 1 ? "" : " by several subgroups")
                                  << ", which the device's record has no instruction for";
}

/// (fragment_place_c1) (fragment_elements_c2) (fragment_reduce_c2) (fragment_pack_c2) the lanes of a subgroup hold
/// equally many elements
static LogicalResult verifyHeld(Operation *op, FragmentType type, int64_t held, int64_t subgroup) {
  int64_t lanes = subgroup * type.getSubgroups();
  if (held * lanes == type.getRows() * type.getColumns())
    return success();
  return op->emitOpError("gives a lane ")
         << held << " elements of " << type << ", which " << lanes << " lanes hold together";
}

LogicalResult verifyParallel(FuncOp func) {
  SmallVector<Operation *> together, held, subgroupUsers;
  SpecialOp lane, subgroup, team;
  func.walk([&](Operation *op) {
    if (isSubgroupOp(op) || isWorkgroupOp(op))
      together.push_back(op);
    auto special = dyn_cast<SpecialOp>(op);
    if (special && special.getAxis() == HardwareAxis::Lane)
      lane = special;
    if (special && special.getAxis() == HardwareAxis::Subgroup)
      subgroup = special;
    if (special && special.getAxis() == HardwareAxis::Team)
      team = special;
    if (isa<FragmentPlaceOp, FragmentElementsOp, FragmentReduceOp, FragmentPackOp>(op))
      held.push_back(op);
    if (isSubgroupOp(op) || op == lane || op == subgroup || op == team || isa<FragmentPlaceOp>(op))
      subgroupUsers.push_back(op);
  });
  if (!subgroupUsers.empty() && failed(verifySubgroups(func, subgroupUsers, lane, subgroup, team)))
    return failure();
  for (Operation *op : held) {
    int64_t subgroupSize = getSubgroupSize(func).value_or(0);
    std::pair<FragmentType, Type> of =
        llvm::TypeSwitch<Operation *, std::pair<FragmentType, Type>>(op)
            .Case([](FragmentPlaceOp place) {
              return std::pair(cast<FragmentType>(place.getFragment()), place.getRows().getType());
            })
            .Case([](FragmentElementsOp elements) {
              return std::pair(elements.getValue().getType(), elements.getElements().getType());
            })
            .Case([](FragmentReduceOp reduce) {
              return std::pair(cast<FragmentType>(reduce.getFragment()), reduce.getElements().getType());
            })
            .Case([](FragmentPackOp pack) { return std::pair(pack.getType(), pack.getElements().getType()); });
    // (fragment_pack_c3) columns from a number on are of a sum that has as many
    if (auto pack = dyn_cast<FragmentPackOp>(op); pack && pack.getFrom()) {
      FragmentType type = pack.getType();
      int64_t all = pack.getElements().getType().getNumElements() * subgroupSize * type.getSubgroups();
      int64_t first = *pack.getFrom(), columns = all / type.getRows();
      if (all % type.getRows() != 0 || first < 0 || first % type.getColumns() != 0 ||
          first + type.getColumns() > columns)
        return pack.emitOpError() << "takes columns " << first << " to " << first + type.getColumns() - 1 << " of "
                                  << columns << ", in steps of " << type.getColumns();
      continue;
    }
    if (failed(verifyHeld(op, of.first, cast<VectorType>(of.second).getNumElements(), subgroupSize)))
      return failure();
  }
  if (together.empty())
    return success();

  Uniformity uniformity(func);
  for (Operation *op : together) {
    // (uniform_c1) what a workgroup does together stands where all of its lanes come; (uniform_c2) what a subgroup
    // does, where those of the subgroup come, or of the team
    Agreement needed = isWorkgroupOp(op)   ? Agreement::Workgroup
                       : countTeam(op) > 1 ? Agreement::Team
                                           : Agreement::Subgroup;
    StringRef who = needed == Agreement::Workgroup ? "workgroup" : needed == Agreement::Team ? "team" : "subgroup";
    Operation *cause = nullptr;
    if (uniformity.getControl(op, cause) > needed) {
      auto diag = op->emitOpError("stands in control flow that differs between the lanes of a ") << who;
      diag.attachNote(cause->getLoc()) << "lanes part here";
      return diag;
    }
    // (fragment_load_c3) (fragment_store_c3) (mbarrier_arrive_c1) a subgroup, or a team, reads and writes one matrix,
    // and comes to one barrier
    Value index;
    if (auto load = dyn_cast<FragmentLoadOp>(op))
      index = load.getIndex();
    if (auto store = dyn_cast<FragmentStoreOp>(op))
      index = store.getIndex();
    if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
      index = arrive.getIndex();
    if (index && uniformity.get(index) > needed)
      return op->emitOpError("has an index that differs between the lanes of a ") << who;
    // (workgroup_reduce_c3) the axes are there
    if (auto reduce = dyn_cast<WorkgroupReduceOp>(op); reduce && reduce.getDims() > countLocalAxes(func))
      return op->emitOpError("is over ") << reduce.getDims() << " local axes, but the kernel has "
                                         << countLocalAxes(func);
    if (auto mma = dyn_cast<MmaOp>(op); mma && failed(verifyShape(mma)))
      return failure();
  }
  return success();
}

} // namespace tiny::uop
