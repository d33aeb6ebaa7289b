// What is known of devices. "generic" has the least limits that Vulkan 1.2 allows, "lavapipe" those of Mesa's driver
// for processors, which tests run on. Clock, cores and bandwidth are a small GPU's, and a small processor's: a device
// states limits, and nothing of its speed.
#include "Vulkan.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tiny::vulkan {

using cost::ElementType;
using cost::Instruction;
using cost::Machine;

namespace {

/// One row of the table: 10^6 cycles a second, 10^6 bytes a second, bytes, lanes, cycles, bytes.
struct Processor {
  StringLiteral name;
  int64_t cores, clock, memoryBandwidth, cacheLine, subgroup, workgroup, cycleLanes, laneAccess, shared;
  std::array<int64_t, 3> extents;
};

constexpr Processor kProcessors[] = {
    {"generic", 16, 1500, 100000, 32, 1, 128, 0, 0, 16 << 10, {128, 128, 64}},
    // A load or a store is a loop over the lanes there, of some 20 cycles each (measured on one of 256 bits).
    {"lavapipe", 2, 2500, 20000, 64, 8, 1024, 8, 20, 32 << 10, {1024, 1024, 1024}},
};

/// Lanes that a core of a GPU begins in a cycle.
constexpr int64_t kCycleLanes = 128;

} // namespace

Expected<Machine> describeMachine(StringRef name) {
  const Processor *found = find_if(kProcessors, [&](const Processor &processor) { return processor.name == name; });
  if (found == std::end(kProcessors)) {
    auto names = map_range(kProcessors, [](const Processor &processor) { return processor.name; });
    return createStringError("unknown device '" + name + "', expected " + join(names, ", "));
  }
  Machine machine;
  machine.kind = cost::DeviceKind::Gpu;
  machine.types = {ElementType::F64, ElementType::F32, ElementType::I64,
                   ElementType::I32, ElementType::I16, ElementType::I8};
  machine.converts = {ElementType::F16};
  // No fma: SPIR-V's may round twice.
  machine.instructions = {Instruction::Round, Instruction::HiddenFragments};
  machine.clock = found->clock;
  machine.memoryBandwidth = found->memoryBandwidth;
  machine.cores = found->cores;
  machine.cacheLine = found->cacheLine;
  machine.subgroup = found->subgroup;
  machine.workgroup = found->workgroup;
  machine.cycleLanes = found->cycleLanes;
  machine.laneAccess = found->laneAccess;
  machine.workgroupExtents = found->extents;
  machine.grid = {65535, 65535, 65535};
  machine.shared = found->shared;
  machine.buffers = 31;
  // What the standard demands of every device.
  machine.bufferBytes = 128 << 20;
  machine.indexBits = 32;
  // Mesa's driver for processors ends all loops of a lane then, in silence.
  machine.loopRounds = 65535;
  return machine;
}

/// As many rows and columns as a record's list has, and no more than it takes.
static void addMatrices(ArrayRef<tiny_matrix_shape> shapes, Machine &machine) {
  auto getType = [](tiny_dtype type) -> std::optional<ElementType> {
    switch (type) {
    case TINY_DTYPE_F16:
      return ElementType::F16;
    case TINY_DTYPE_F32:
      return ElementType::F32;
    case TINY_DTYPE_I8:
      return ElementType::I8;
    case TINY_DTYPE_I32:
      return ElementType::I32;
    default:
      return std::nullopt;
    }
  };
  auto *next = machine.matrices.begin();
  for (const tiny_matrix_shape &shape : shapes) {
    std::optional<ElementType> factor = getType(shape.factor), sum = getType(shape.sum);
    // Lanes share a sum evenly.
    bool isShared = int64_t(shape.m) * shape.n % machine.subgroup == 0;
    if (factor && sum && isShared && next != machine.matrices.end())
      *next++ = {shape.m, shape.n, shape.k, *factor, *sum};
  }
}

Expected<std::pair<std::string, Machine>> describeFound(const FoundDevice &found) {
  if (!found.facts)
    return createStringError("this machine's device 'vulkan' states no facts");
  const tiny_device_facts &facts = *found.facts;
  bool isProcessor = facts.loop_rounds != 0;
  Machine machine = cantFail(describeMachine(isProcessor ? "lavapipe" : "generic"));
  auto has = [&](tiny_dtype type) { return facts.dtypes >> type & 1; };
  machine.types = {ElementType::F32, ElementType::I32};
  for (auto [type, dtype] : {std::pair(ElementType::F64, TINY_DTYPE_F64), std::pair(ElementType::I64, TINY_DTYPE_I64),
                             std::pair(ElementType::I16, TINY_DTYPE_I16), std::pair(ElementType::I8, TINY_DTYPE_I8)})
    if (has(dtype))
      machine.types.insert(type);
  machine.converts = {};
  if (has(TINY_DTYPE_F16))
    machine.converts.insert(ElementType::F16);
  if (facts.cores != 0)
    machine.cores = facts.cores;
  machine.subgroup = facts.subgroup_lanes;
  machine.workgroup = facts.workgroup_lanes;
  // Workgroups may be of more lanes than begin in a cycle.
  if (!isProcessor && machine.subgroup > 1)
    machine.cycleLanes = kCycleLanes;
  machine.shared = facts.workgroup_bytes;
  for (unsigned axis = 0; axis < 3; ++axis) {
    machine.workgroupExtents[axis] = facts.workgroup_extents[axis];
    // Launches count in 31 bits.
    machine.grid[axis] = std::min<uint32_t>(facts.grid[axis], INT32_MAX);
  }
  machine.buffers = std::min<int64_t>(facts.buffers, machine.buffers);
  machine.bufferBytes = facts.buffer_bytes;
  machine.loopRounds = facts.loop_rounds;
  if (machine.subgroup > 1)
    addMatrices(found.matrices, machine);
  return std::pair(found.name, machine);
}

} // namespace tiny::vulkan
