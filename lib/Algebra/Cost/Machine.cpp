// The names of facts, and the record that stands for any program without one.
#include "Tiny/Algebra/Cost/Machine.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tiny::cost {

static constexpr StringLiteral kClassNames[kOpClasses] = {"free",           "add",      "multiply_add", "divide",
                                                          "divide_integer", "function", "gather"};
static constexpr StringLiteral kTypeNames[kElementTypes] = {"f64",    "f32", "f16", "bf16", "f8E4M3FN",
                                                            "f8E5M2", "i64", "i32", "i16",  "i8"};
static constexpr StringLiteral kInstructionNames[kInstructions] = {
    "fma",  "round", "gather", "masked_store", "double_to_half",  "async_copy", "wide_access", "float_to_bfloat",
    "dot7", "dot8",  "exp2",   "bulk_copy",    "hidden_fragments"};
static constexpr StringLiteral kKindNames[] = {"cpu", "gpu"};

StringRef getName(OpClass opClass) { return kClassNames[static_cast<unsigned>(opClass)]; }
StringRef getName(ElementType type) { return kTypeNames[static_cast<unsigned>(type)]; }
StringRef getName(Instruction instruction) { return kInstructionNames[static_cast<unsigned>(instruction)]; }
StringRef getName(DeviceKind kind) { return kKindNames[static_cast<unsigned>(kind)]; }

template <typename E, size_t n> static std::optional<E> find(const StringLiteral (&names)[n], StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<E>(found - std::begin(names));
}

template <> std::optional<OpClass> parseName(StringRef name) { return find<OpClass>(kClassNames, name); }
template <> std::optional<ElementType> parseName(StringRef name) { return find<ElementType>(kTypeNames, name); }
template <> std::optional<Instruction> parseName(StringRef name) { return find<Instruction>(kInstructionNames, name); }
template <> std::optional<DeviceKind> parseName(StringRef name) { return find<DeviceKind>(kKindNames, name); }

static constexpr Fact kFacts[] = {
    {"vector_bits", &Machine::vectorBits, "bits of a vector register"},
    {"vector_registers", &Machine::vectorRegisters, "vector registers of a core"},
    {"clock", &Machine::clock, "10^6 cycles a second"},
    {"cache_line", &Machine::cacheLine, "bytes of a cache line"},
    {"lines_ahead", &Machine::linesAhead, "cache lines that are fetched ahead"},
    {"core_bandwidth", &Machine::coreBandwidth, "10^6 bytes a second between memory and one core"},
    {"memory_bandwidth", &Machine::memoryBandwidth, "10^6 bytes a second between memory and all cores"},
    {"cores", &Machine::cores, "cores, or multiprocessors of a GPU"},
    {"launch", &Machine::launch, "nanoseconds of a launch"},
    {"wake", &Machine::wake, "nanoseconds until other threads have begun"},
    {"subgroup", &Machine::subgroup, "lanes that run in step"},
    {"workgroup", &Machine::workgroup, "lanes of one workgroup, at most"},
    {"shared", &Machine::shared, "bytes that a workgroup shares, at most"},
    {"resident_lanes", &Machine::residentLanes, "lanes that one core holds at once"},
    {"cycle_lanes", &Machine::cycleLanes, "lanes of which one core begins an operation in a cycle"},
    {"lane_access", &Machine::laneAccess, "cycles of one lane's access, where lanes access memory one by one"},
    {"core_registers", &Machine::coreRegisters, "registers of 32 bits for all lanes of one core"},
    {"memory_latency", &Machine::memoryLatency, "nanoseconds until memory answers"},
    {"shared_cache_bandwidth", &Machine::sharedCacheBandwidth,
     "10^6 bytes a second between the cache of all cores and them"},
    {"buffers", &Machine::buffers, "buffers of one kernel, at most"},
    {"buffer_bytes", &Machine::bufferBytes, "bytes of one buffer of a kernel, at most"},
    {"index_bits", &Machine::indexBits, "bits of an index"},
    {"loop_rounds", &Machine::loopRounds, "rounds of loops that one lane runs, at most"},
    {"memory_bytes", &Machine::memoryBytes, "bytes of memory of one rank"},
};

ArrayRef<Fact> getFacts() { return kFacts; }

int64_t Machine::getCacheBytes(unsigned level) const {
  int64_t bytes = 0;
  for (unsigned k = 0; k < caches.size() && k <= level; ++k)
    bytes = caches[k].bytes ? caches[k].bytes : bytes;
  return bytes;
}

/// Every number of the record, in one order.
static SmallVector<int64_t, 96> listNumbers(const Machine &machine) {
  SmallVector<int64_t, 96> numbers = {static_cast<int64_t>(machine.kind), machine.types.getBits(),
                                      machine.converts.getBits(), machine.instructions.getBits()};
  for (const Fact &fact : kFacts)
    numbers.push_back(machine.*fact.value);
  for (const OpCost &cost : machine.costs)
    numbers.append({cost.interval, cost.latency});
  for (const Cache &cache : machine.caches)
    numbers.append({cache.bytes, cache.bandwidth});
  append_range(numbers, machine.workgroupExtents);
  append_range(numbers, machine.grid);
  for (const Distance &distance : machine.network)
    numbers.append({distance.ranks, distance.latency, distance.bandwidth});
  for (const MatrixShape &shape : machine.matrices)
    numbers.append({shape.m, shape.n, shape.k, static_cast<int64_t>(shape.input), static_cast<int64_t>(shape.sum),
                    shape.subgroups});
  return numbers;
}

int64_t Machine::countTeam(int64_t m, int64_t n, int64_t k) const {
  const MatrixShape *found = find_if(
      matrices, [&](const MatrixShape &shape) { return shape.m == m && shape.n == n && shape.k == k && m != 0; });
  return found == matrices.end() ? 1 : found->subgroups;
}

bool Machine::operator==(const Machine &other) const { return listNumbers(*this) == listNumbers(other); }

hash_code hash_value(const Machine &machine) {
  SmallVector<int64_t, 96> numbers = listNumbers(machine);
  return hash_combine_range(numbers.begin(), numbers.end());
}

const Machine &getGenericMachine() {
  static const Machine generic = [] {
    Machine machine;
    machine.vectorBits = 512;
    machine.vectorRegisters = 32;
    machine.types = {ElementType::F64, ElementType::F32, ElementType::I64,
                     ElementType::I32, ElementType::I16, ElementType::I8};
    machine.converts = {ElementType::F16};
    machine.instructions = {Instruction::Fma, Instruction::Round, Instruction::Gather, Instruction::MaskedStore};
    machine.clock = 2500;
    machine.getCost(OpClass::Add) = {50, 400};
    machine.getCost(OpClass::MultiplyAdd) = {50, 400};
    machine.getCost(OpClass::Divide) = {200, 1600};
    machine.getCost(OpClass::DivideInteger) = {400, 2500};
    machine.getCost(OpClass::Function) = {600, 4000};
    machine.getCost(OpClass::Gather) = {1000, 2500};
    machine.caches = {Cache{32 << 10, 160000}, Cache{1 << 20, 80000}, Cache{16 << 20, 25000}};
    machine.cacheLine = 64;
    machine.linesAhead = 16;
    machine.coreBandwidth = 10000;
    machine.memoryBandwidth = 160000;
    machine.cores = 16;
    machine.launch = 100;
    machine.wake = 5000;
    machine.buffers = 31;
    machine.indexBits = 64;
    return machine;
  }();
  return generic;
}

} // namespace tiny::cost
