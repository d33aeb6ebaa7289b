// What is known of devices. "generic" has the least limits that Vulkan 1.2 allows, "lavapipe" those of Mesa's driver
// for processors, which tests run on. Clock, cores and bandwidth are a small GPU's, and a small processor's.
#include "Vulkan.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tiny::vulkan {

using cost::ElementType;
using cost::Instruction;
using cost::Machine;

namespace {

/// One row of the table: 10^6 cycles a second, 10^6 bytes a second, lanes, bytes.
struct Processor {
  StringLiteral name;
  int64_t cores, clock, memoryBandwidth, cacheLine, subgroup, workgroup, shared;
  std::array<int64_t, 3> extents;
};

constexpr Processor kProcessors[] = {
    {"generic", 16, 1500, 100000, 32, 1, 128, 16 << 10, {128, 128, 64}},
    {"lavapipe", 2, 2500, 20000, 64, 8, 1024, 32 << 10, {1024, 1024, 1024}},
};

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
  machine.instructions = {Instruction::Round};
  machine.clock = found->clock;
  machine.memoryBandwidth = found->memoryBandwidth;
  machine.cores = found->cores;
  machine.cacheLine = found->cacheLine;
  machine.subgroup = found->subgroup;
  machine.workgroup = found->workgroup;
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

} // namespace tiny::vulkan
