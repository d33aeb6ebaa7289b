// What is known of architectures. The numbers are the maker's, of one part of each: T4, A100, RTX 3090, RTX 4090, H100,
// B200, RTX 5090.
#include "Cuda.h"

#include "Tiny/Conversion/UOpToNVVM/Limits.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tiny::cuda {

using cost::ElementType;
using cost::Instruction;
using cost::Machine;

namespace {

/// Products of matrices that mma.sync has: the first one from sm_75 on, all of them from sm_80 on. Those of f32 are of
/// tf32, its upper bits. Then those that wgmma has, for sm_90a alone, some of the columns.
constexpr cost::MatrixShape kMatrices[] = {
    {16, 8, 8, ElementType::F16, ElementType::F32},  {16, 8, 16, ElementType::F16, ElementType::F32},
    {16, 8, 8, ElementType::BF16, ElementType::F32}, {16, 8, 16, ElementType::BF16, ElementType::F32},
    {16, 8, 16, ElementType::I8, ElementType::I32},  {16, 8, 32, ElementType::I8, ElementType::I32},
    {16, 8, 4, ElementType::F32, ElementType::F32},  {16, 8, 8, ElementType::F32, ElementType::F32},
};
/// And those of f8 where they are products of f16 for the assembler, which sum up in f32: sm_89 and sm_120 have units
/// of their own for them, whose sums have 13 bits behind the point.
constexpr cost::MatrixShape kSmallMatrices[] = {
    {16, 8, 32, ElementType::F8E4M3FN, ElementType::F32},
    {16, 8, 32, ElementType::F8E5M2, ElementType::F32},
};
constexpr int64_t kWarpgroupRows = 64, kWarpgroupDepth = 16, kWarpgroupWideDepth = 8, kWarpgroup = 4;
constexpr int64_t kWarpgroupColumns[] = {256, 128, 64};

/// One row of the table: 10^6 cycles a second, 10^6 bytes a second of memory and of the second cache, bytes that a
/// workgroup may ask for, and lanes of one multiprocessor that it holds and that it begins in a cycle.
struct Architecture {
  StringLiteral name;
  int64_t cores, clock, memoryBandwidth, cacheBandwidth, shared, residentLanes, cycleLanes;
};

constexpr Architecture kArchitectures[] = {
    {"sm_75", 40, 1590, 320000, 1200000, 64 << 10, 1024, 64},
    {"sm_80", 108, 1410, 2039000, 4500000, 163 << 10, 2048, 64},
    {"sm_86", 82, 1695, 936000, 2500000, 99 << 10, 1536, 128},
    {"sm_89", 128, 2520, 1008000, 4500000, 99 << 10, 1536, 128},
    {"sm_90", 132, 1830, 3350000, 5500000, 227 << 10, 2048, 128},
    {"sm_90a", 132, 1830, 3350000, 5500000, 227 << 10, 2048, 128},
    {"sm_100", 148, 1965, 8000000, 9000000, 227 << 10, 2048, 128},
    {"sm_100a", 148, 1965, 8000000, 9000000, 227 << 10, 2048, 128},
    {"sm_120", 170, 2407, 1792000, 5500000, 99 << 10, 1536, 128},
    {"sm_120a", 170, 2407, 1792000, 5500000, 99 << 10, 1536, 128},
};

/// Registers of a multiprocessor, and nanoseconds from a load that misses the caches to its result, as measured on an
/// H200 with few lanes.
constexpr int64_t kRegisters = 65536, kMemoryLatency = 450;

} // namespace

Expected<Machine> describeMachine(StringRef name) {
  const Architecture *found =
      find_if(kArchitectures, [&](const Architecture &architecture) { return architecture.name == name; });
  if (found == std::end(kArchitectures)) {
    auto names = map_range(kArchitectures, [](const Architecture &architecture) { return architecture.name; });
    return createStringError("unknown architecture '" + name + "', expected " + join(names, ", "));
  }
  Machine machine;
  machine.kind = cost::DeviceKind::Gpu;
  machine.types = {ElementType::F64, ElementType::F32, ElementType::I64,
                   ElementType::I32, ElementType::I16, ElementType::I8};
  machine.converts = {ElementType::F16};
  machine.instructions = {Instruction::Fma, Instruction::Round, Instruction::WideAccess, Instruction::Exp2};
  machine.clock = found->clock;
  machine.memoryBandwidth = found->memoryBandwidth;
  machine.sharedCacheBandwidth = found->cacheBandwidth;
  machine.memoryLatency = kMemoryLatency;
  machine.residentLanes = found->residentLanes;
  machine.cycleLanes = found->cycleLanes;
  machine.coreRegisters = kRegisters;
  machine.cores = found->cores;
  // What memory moves at once.
  machine.cacheLine = 32;
  machine.subgroup = 32;
  machine.workgroup = kMostLanesTogether;
  machine.workgroupExtents = kMostLanes;
  machine.grid = kMostWorkgroups;
  machine.shared = found->shared;
  if (name != "sm_75") {
    machine.instructions.insert(Instruction::AsyncCopy);
    machine.instructions.insert(Instruction::FloatToBfloat);
    machine.converts.insert(ElementType::BF16);
  }
  size_t nMatrices = name == "sm_75" ? 1 : std::size(kMatrices);
  auto *next = std::copy_n(kMatrices, nMatrices, machine.matrices.begin());
  if (name.starts_with("sm_9") || name.starts_with("sm_100"))
    next = std::copy(std::begin(kSmallMatrices), std::end(kSmallMatrices), next);
  if (name == "sm_90a") {
    machine.instructions.insert(Instruction::BulkCopy);
    for (ElementType type : {ElementType::F16, ElementType::BF16})
      for (int64_t columns : kWarpgroupColumns)
        *next++ = {kWarpgroupRows, columns, kWarpgroupDepth, type, ElementType::F32, kWarpgroup};
    for (int64_t columns : kWarpgroupColumns)
      *next++ = {kWarpgroupRows, columns, kWarpgroupWideDepth, ElementType::F32, ElementType::F32, kWarpgroup};
  }
  machine.buffers = 31;
  machine.indexBits = 64;
  return machine;
}

} // namespace tiny::cuda
