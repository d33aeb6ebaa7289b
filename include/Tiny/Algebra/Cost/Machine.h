// The facts about one device, as numbers. `#target.record` holds one of these; passes and the cost model read it.
#ifndef TINY_ALGEBRA_COST_MACHINE_H
#define TINY_ALGEBRA_COST_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tiny::cost {

/// What a device is, as far as its facts differ: a processor has vectors and caches, a GPU workgroups.
enum class DeviceKind { Cpu, Gpu };

/// Classes of operations that take about as long as each other. `Free` takes nothing: casts that a load does.
enum class OpClass { Free, Add, MultiplyAdd, Divide, DivideInteger, Function, Gather };
inline constexpr unsigned kOpClasses = 7;

/// Element types, for the sets of them that a device computes in or converts.
enum class ElementType { F64, F32, F16, BF16, F8E4M3FN, F8E5M2, I64, I32, I16, I8 };
inline constexpr unsigned kElementTypes = 10;

/// Instructions that a device may have or lack.
enum class Instruction {
  Fma,
  Round,
  Gather,
  MaskedStore,
  DoubleToHalf,
  AsyncCopy,
  WideAccess,
  FloatToBfloat,
  Dot7,
  Dot8,
  Exp2,
  BulkCopy,
  HiddenFragments
};
inline constexpr unsigned kInstructions = 13;

/// The names in the IR: `multiply_add`, `bf16`, `masked_store`, `cpu`.
llvm::StringRef getName(OpClass opClass);
llvm::StringRef getName(ElementType type);
llvm::StringRef getName(Instruction instruction);
llvm::StringRef getName(DeviceKind kind);
template <typename E> std::optional<E> parseName(llvm::StringRef name);

/// A set of values of one of the enums above.
template <typename E> class Set {
public:
  constexpr Set() = default;
  constexpr Set(std::initializer_list<E> values) {
    for (E value : values)
      insert(value);
  }
  constexpr void insert(E value) { bits |= 1u << static_cast<unsigned>(value); }
  constexpr void erase(E value) { bits &= ~(1u << static_cast<unsigned>(value)); }
  constexpr bool contains(E value) const { return bits >> static_cast<unsigned>(value) & 1; }
  constexpr bool isEmpty() const { return bits == 0; }
  constexpr uint32_t getBits() const { return bits; }

private:
  uint32_t bits = 0;
};

/// Hundredths of a cycle of one core, for one operation on a full vector register of f32. `interval` lies between the
/// starts of two that do not wait for each other, `latency` until the result is there.
struct OpCost {
  int64_t interval = 0, latency = 0;
};

/// One level of cache: bytes that one core may fill, and 10^6 bytes a second that one core reads of it.
struct Cache {
  int64_t bytes = 0, bandwidth = 0;
};

/// Ranks within one distance of each other: so many of consecutive numbers. Nanoseconds until a short message is there,
/// and 10^6 bytes a second that each of them sends while all do.
struct Distance {
  int64_t ranks = 0, latency = 0, bandwidth = 0;
};

/// A product of matrices in one instruction: an m x k times a k x n of `input`, summed up in `sum`.
struct MatrixShape {
  int64_t m = 0, n = 0, k = 0;
  ElementType input = ElementType::F16, sum = ElementType::F32;
  /// Subgroups next to each other that compute it together. If they are several, factors stay in tiles.
  int64_t subgroups = 1;
};

/// Rows so far apart, or multiples of it, lie in the same places of pages, and of the first cache: it holds one row for
/// each time that it has so many bytes.
inline constexpr int64_t kPageBytes = 4096;

/// Facts only, never a decision. 0 and empty: the device has none, or it is not known.
struct Machine {
  DeviceKind kind = DeviceKind::Cpu;
  /// Bits of a vector register, and how many of these one core or one lane has.
  int64_t vectorBits = 0, vectorRegisters = 0;
  /// Types that it computes in, and others that it converts from and to f32 by an instruction.
  Set<ElementType> types, converts;
  Set<Instruction> instructions;
  /// Millions of cycles a second.
  int64_t clock = 0;
  std::array<OpCost, kOpClasses> costs = {};
  /// From the first level on.
  std::array<Cache, 4> caches = {};
  /// Bytes of a cache line, and lines that are fetched ahead of those that were asked for, where these follow each
  /// other: behind the end of a run they come for nothing.
  int64_t cacheLine = 0, linesAhead = 0;
  /// 10^6 bytes a second that move between memory and one core, and all cores.
  int64_t coreBandwidth = 0, memoryBandwidth = 0;
  int64_t cores = 0;
  /// Nanoseconds that a launch takes beside what it computes, and until other threads that wait for work have begun.
  int64_t launch = 0, wake = 0;
  /// Lanes that run in step, lanes of one workgroup, extents of one in x, y and z, and bytes that one shares.
  int64_t subgroup = 0, workgroup = 0;
  std::array<int64_t, 3> workgroupExtents = {};
  /// Workgroups of a launch in x, y and z, at most.
  std::array<int64_t, 3> grid = {};
  int64_t shared = 0;
  /// Of one core of a GPU: lanes that it holds at once, lanes of which it begins an operation in a cycle, and registers
  /// of 32 bits for all of them.
  int64_t residentLanes = 0, cycleLanes = 0, coreRegisters = 0;
  /// Cycles of one lane's access to memory, where lanes of a subgroup do that one after the other.
  int64_t laneAccess = 0;
  /// Nanoseconds until memory answers, and 10^6 bytes a second that all cores read of the cache that they share.
  int64_t memoryLatency = 0, sharedCacheBandwidth = 0;
  std::array<MatrixShape, 24> matrices = {};
  /// Buffers that one kernel may name, bytes of one of them, and bits of an index.
  int64_t buffers = 0, bufferBytes = 0, indexBits = 0;
  /// Rounds of loops that one lane runs, of all loops of a kernel together.
  int64_t loopRounds = 0;
  /// Bytes of memory of one rank.
  int64_t memoryBytes = 0;
  /// From the nearest one on.
  std::array<Distance, 4> network = {};

  const OpCost &getCost(OpClass opClass) const { return costs[static_cast<unsigned>(opClass)]; }
  OpCost &getCost(OpClass opClass) { return costs[static_cast<unsigned>(opClass)]; }
  bool has(Instruction instruction) const { return instructions.contains(instruction); }
  /// Whether one instruction adds up four products of signed bytes and unsigned ones of at most `most`. `Dot7` adds up
  /// two of them in 16 bits, and saturates: 2 * 128 * 127 is as much as there may be, and -2 * 128 * 128 as little.
  bool hasDot(uint64_t most) const { return has(Instruction::Dot8) || (has(Instruction::Dot7) && most <= 128); }
  /// Elements of 32 bits in a vector register, at least 1.
  int64_t getLanes() const { return vectorBits < 32 ? 1 : vectorBits / 32; }
  /// Bytes of this level of cache, of the last one below where there is none.
  int64_t getCacheBytes(unsigned level) const;

  /// Subgroups that multiply an m x k by a k x n matrix together; 1 where no instruction does.
  int64_t countTeam(int64_t m, int64_t n, int64_t k) const;

  bool operator==(const Machine &other) const;
};

llvm::hash_code hash_value(const Machine &machine);

/// One fact that is a number: its name in the IR, where it stands, and its unit.
struct Fact {
  llvm::StringLiteral name;
  int64_t Machine::*value;
  llvm::StringLiteral unit;
};

/// All facts that are one number, in the order in which they are printed.
llvm::ArrayRef<Fact> getFacts();

/// The record that a program without one stands for: a processor with vectors of 512 bits, named "generic".
const Machine &getGenericMachine();

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_MACHINE_H
