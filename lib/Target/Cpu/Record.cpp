// What is known of families of processors. The numbers are the makers' and those of public instruction tables, of
// server parts where there are several; costs are of registers as wide as the family's widest.
#include "Tiny/Target/Cpu/Record.h"

using namespace llvm;

namespace tiny::cpu {

using cost::Cache;
using cost::ElementType;
using cost::Instruction;
using cost::Machine;
using cost::OpClass;
using cost::OpCost;

namespace {

/// One row of the table. Costs in hundredths of a cycle, bandwidths in 10^6 bytes a second, the clock in 10^6 cycles.
struct Family {
  StringLiteral name;
  int64_t vectorBits, clock;
  OpCost add, multiplyAdd, divide, divideInteger, function, gather;
  Cache caches[3];
  int64_t coreBandwidth, memoryBandwidth, cores, linesAhead = 16;
};

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

constexpr Family kFamilies[] = {
    {"x86-64",
     128,
     2500,
     {100, 300},
     {200, 700},
     {700, 1400},
     {800, 2400},
     {1600, 8000},
     {400, 900},
     {{32 * KiB, 40000}, {256 * KiB, 25000}, {8 * MiB, 15000}},
     8000,
     20000,
     4},
    {"x86-64-v2",
     128,
     2500,
     {100, 300},
     {200, 700},
     {700, 1400},
     {800, 2400},
     {1400, 7000},
     {400, 900},
     {{32 * KiB, 40000}, {256 * KiB, 25000}, {8 * MiB, 15000}},
     8000,
     20000,
     4},
    {"x86-64-v3",
     256,
     3000,
     {50, 400},
     {50, 400},
     {500, 1100},
     {400, 2400},
     {600, 5000},
     {500, 2000},
     {{32 * KiB, 150000}, {256 * KiB, 75000}, {8 * MiB, 25000}},
     12000,
     30000,
     8},
    {"x86-64-v4",
     512,
     2500,
     {50, 400},
     {50, 400},
     {200, 1600},
     {400, 2500},
     {600, 4000},
     {1000, 2500},
     {{32 * KiB, 160000}, {1 * MiB, 80000}, {16 * MiB, 25000}},
     10000,
     160000,
     16},
    {"znver1",
     256,
     3000,
     {100, 300},
     {100, 500},
     {500, 1000},
     {800, 2400},
     {1200, 6000},
     {1200, 2000},
     {{32 * KiB, 90000}, {512 * KiB, 60000}, {8 * MiB, 30000}},
     18000,
     170000,
     32},
    {"znver2",
     256,
     3300,
     {50, 300},
     {50, 500},
     {500, 1000},
     {400, 2400},
     {600, 5000},
     {900, 2000},
     {{32 * KiB, 200000}, {512 * KiB, 100000}, {16 * MiB, 40000}},
     20000,
     204800,
     64},
    {"znver3",
     256,
     3500,
     {50, 300},
     {50, 400},
     {500, 1100},
     {400, 2400},
     {600, 5000},
     {800, 1900},
     {{32 * KiB, 220000}, {512 * KiB, 110000}, {32 * MiB, 50000}},
     22000,
     204800,
     64},
    {"znver4",
     512,
     3500,
     {100, 300},
     {100, 400},
     {1000, 1100},
     {800, 2500},
     {1200, 5000},
     {2400, 4000},
     {{32 * KiB, 220000}, {1 * MiB, 110000}, {32 * MiB, 60000}},
     25000,
     460800,
     64},
    {"znver5",
     512,
     3800,
     {50, 300},
     {50, 400},
     {800, 1300},
     {400, 2500},
     {600, 5000},
     {1600, 3000},
     {{48 * KiB, 480000}, {1 * MiB, 240000}, {32 * MiB, 120000}},
     45000,
     576000,
     128,
     4},
    {"skylake-avx512",
     512,
     2500,
     {50, 400},
     {50, 400},
     {1000, 1700},
     {400, 2500},
     {600, 5000},
     {1000, 2600},
     {{32 * KiB, 320000}, {1 * MiB, 130000}, {32 * MiB, 20000}},
     12000,
     128000,
     28},
    {"icelake-server",
     512,
     2600,
     {50, 400},
     {50, 400},
     {1000, 1700},
     {400, 2500},
     {600, 5000},
     {1000, 2600},
     {{48 * KiB, 330000}, {1280 * KiB, 140000}, {54 * MiB, 22000}},
     13000,
     204800,
     40},
    {"sapphirerapids",
     512,
     2700,
     {50, 400},
     {50, 400},
     {1000, 1700},
     {400, 2500},
     {600, 5000},
     {1000, 2600},
     {{48 * KiB, 345000}, {2 * MiB, 150000}, {105 * MiB, 22000}},
     14000,
     307200,
     56},
};

/// Processors that are as another one, as far as the table goes.
constexpr std::pair<StringLiteral, StringLiteral> kAliases[] = {
    {"cascadelake", "skylake-avx512"},
    {"cooperlake", "skylake-avx512"},
    {"emeraldrapids", "sapphirerapids"},
    {"graniterapids", "sapphirerapids"},
};

const Family &findFamily(const Processor &processor) {
  StringRef name = processor.name;
  for (auto [alias, family] : kAliases)
    name = name == alias ? StringRef(family) : name;
  for (const Family &family : kFamilies)
    if (family.name == name)
      return family;
  StringRef level = processor.vectorBits >= 512   ? "x86-64-v4"
                    : processor.vectorBits >= 256 ? "x86-64-v3"
                    : processor.rounding          ? "x86-64-v2"
                                                  : "x86-64";
  return *find_if(kFamilies, [&](const Family &family) { return family.name == level; });
}

} // namespace

Expected<Processor> describeProcessor(target::RecordAttr record) {
  if (record.getMachine().kind != cost::DeviceKind::Cpu)
    return createStringError("'" + record.getName() + "' is a " + cost::getName(record.getMachine().kind) +
                             ", expected a record of a cpu");
  return describeProcessor(record.getName(), record.getFeatures());
}

Machine describeMachine(const Processor &processor) {
  const Family &family = findFamily(processor);
  Machine machine;
  machine.vectorBits = processor.vectorBits;
  machine.vectorRegisters = processor.vectorBits >= 512 ? 32 : 16;
  machine.types = {ElementType::F64, ElementType::F32, ElementType::I64,
                   ElementType::I32, ElementType::I16, ElementType::I8};
  if (processor.f16)
    machine.converts.insert(ElementType::F16);
  if (processor.fma)
    machine.instructions.insert(Instruction::Fma);
  if (processor.rounding)
    machine.instructions.insert(Instruction::Round);
  if (processor.vectorBits >= 256)
    machine.instructions.insert(Instruction::MaskedStore);
  if (processor.vectorBits >= 512)
    machine.instructions.insert(Instruction::Gather);
  if (processor.dot7)
    machine.instructions.insert(Instruction::Dot7);
  if (processor.dot8)
    machine.instructions.insert(Instruction::Dot8);
  machine.clock = family.clock;
  machine.getCost(OpClass::Add) = family.add;
  machine.getCost(OpClass::MultiplyAdd) = family.multiplyAdd;
  machine.getCost(OpClass::Divide) = family.divide;
  machine.getCost(OpClass::DivideInteger) = family.divideInteger;
  machine.getCost(OpClass::Function) = family.function;
  machine.getCost(OpClass::Gather) = family.gather;
  std::copy(std::begin(family.caches), std::end(family.caches), machine.caches.begin());
  machine.cacheLine = 64;
  machine.linesAhead = family.linesAhead;
  machine.coreBandwidth = family.coreBandwidth;
  machine.memoryBandwidth = family.memoryBandwidth;
  machine.cores = processor.cores ? processor.cores : family.cores;
  machine.launch = 100;
  machine.wake = 5000;
  machine.buffers = 31;
  machine.indexBits = 64;
  return machine;
}

} // namespace tiny::cpu
