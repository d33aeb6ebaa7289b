// A flat program on lanes: what lazy chains, kernel DAGs and combiners are compiled to. Every register holds the
// element of many points at once, and no call depth depends on the graph.
#ifndef TINY_LIB_REFERENCE_TAPE_H
#define TINY_LIB_REFERENCE_TAPE_H

#include "Scalar/ScalarOps.h"
#include "Session.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace tiny::reference {

/// Points that one run evaluates.
constexpr size_t kLanes = 128;

/// A register number.
using Register = unsigned;
constexpr Register kNoRegister = ~0u;

class Tape {
public:
  /// A register that the caller fills before each run, such as an index.
  Register addInput();
  /// The same value in every lane.
  Register addConstant(Scalar value);
  Register addConstant(int64_t value) { return addConstant(makeInt(value)); }
  /// An operation on elements.
  Register addScalar(const ScalarCode &code, llvm::ArrayRef<Register> operands, mlir::Operation *op);
  /// offset + sum of registers times strides.
  Register addLinear(llvm::ArrayRef<Register> indices, llvm::ArrayRef<int64_t> strides, int64_t offset = 0);
  /// (index / divisor) % modulus, for indices that are not negative; without the modulus where that is 0.
  Register addDigit(Register index, int64_t divisor, int64_t modulus);
  /// Whether begin <= index < end, and `also` where given.
  Register addWithin(Register index, int64_t begin, int64_t end, Register also = kNoRegister);
  /// Both of two gates, of which each may be absent.
  Register addAnd(Register a, Register b);
  /// An element; junk where the gate is off. Indices outside the buffer are errors of `op`.
  Register addLoad(Buffer buffer, Register index, Register gate, mlir::Operation *op);
  /// The value where the gate is on, else zero.
  Register addMasked(Register value, Register gate);

  /// Evaluates every instruction on the first `count` lanes.
  mlir::LogicalResult run(Session &session, size_t count, mlir::Location location);

  Scalar *lanes(Register reg) { return storage.data() + reg * kLanes; }
  size_t getSize() const { return instructions.size(); }

private:
  enum class Kind : uint8_t { Scalar, Linear, Digit, Within, And, Load, Masked };
  struct Instruction {
    Kind kind;
    Register out;
    Register second = kNoRegister;
    llvm::SmallVector<Register, 3> in;
    ScalarCode code;
    llvm::SmallVector<int64_t, 4> numbers;
    Buffer buffer;
    mlir::Operation *op = nullptr;
  };

  Register addRegister();
  Instruction &append(Kind kind, llvm::ArrayRef<Register> in);
  mlir::LogicalResult load(Session &session, const Instruction &instruction, size_t count);

  std::vector<Scalar> storage;
  std::vector<Instruction> instructions;
  std::map<int64_t, Register> constants;
};

/// Registers with a loop over each: a point's indices, the last axis fastest.
struct Axes {
  llvm::SmallVector<Register> registers;
  llvm::SmallVector<int64_t> extents;

  void add(Register reg, int64_t extent) {
    registers.push_back(reg);
    extents.push_back(extent);
  }
  int64_t size() const;
  /// Puts the indices of points begin, begin + 1, ... into the registers' lanes.
  void fill(Tape &tape, int64_t begin, size_t count) const;
  /// Puts the indices of one point into all of `count` lanes.
  void broadcast(Tape &tape, int64_t point, size_t count) const;
};

/// Calls `visit` with (first point, count) for all points in order, after the tape ran on them.
mlir::LogicalResult forEachPoint(Session &session, Tape &tape, const Axes &axes, mlir::Location location,
                                 llvm::function_ref<mlir::LogicalResult(int64_t, size_t)> visit);

/// How a reduction combines: a kind, or a region compiled to a tape.
class Combiner {
public:
  /// From accumulators and elements to new accumulators. Fails on operations that are not known.
  static mlir::FailureOr<Combiner> get(Session &session, mlir::Operation *reduce,
                                       std::optional<mlir::arith::AtomicRMWKind> kind, mlir::Region &region,
                                       llvm::ArrayRef<ScalarType> types);
  /// The identity of a kind.
  static mlir::FailureOr<Scalar> getIdentity(Session &session, mlir::Operation *reduce, mlir::arith::AtomicRMWKind kind,
                                             mlir::Type type);

  /// One step on `count` lanes: accumulators[result][lane] absorbs elements[result][lane].
  mlir::LogicalResult combine(Session &session, llvm::ArrayRef<Scalar *> accumulators,
                              llvm::ArrayRef<const Scalar *> elements, size_t count, mlir::Location location);
  /// One accumulator for each result absorbs `count` elements, one after the other.
  mlir::LogicalResult absorb(Session &session, llvm::ArrayRef<Scalar *> accumulators,
                             llvm::ArrayRef<const Scalar *> elements, size_t count, mlir::Location location);

private:
  /// One for each result, if the reduction has a kind; else the tape holds the region.
  llvm::SmallVector<ScalarCode> codes;
  std::shared_ptr<Tape> tape;
  llvm::SmallVector<Register> arguments, yields;
};

/// Reduces `elements` over `reduced`, in order, for every point of `outer`; `initials` are registers too. Result k of
/// point p goes to results[k] at p.
mlir::LogicalResult reduceOver(Session &session, Tape &tape, const Axes &outer, const Axes &reduced, Combiner &combiner,
                               llvm::ArrayRef<Register> elements, llvm::ArrayRef<Register> initials,
                               llvm::MutableArrayRef<Buffer> results, mlir::Location location);

/// Running values along an axis of `extent` elements whose neighbours stand next to each other: each element of
/// `result` is that before it combined with the element there; the first of a row is its element.
class ScanInto {
public:
  ScanInto(Combiner &combiner, Buffer &result, int64_t extent) : combiner(combiner), result(result), extent(extent) {}
  /// Takes `count` elements from position `begin` on, which follows those that it took before.
  mlir::LogicalResult absorb(Session &session, int64_t begin, const Scalar *elements, size_t count,
                             mlir::Location location);

private:
  Combiner &combiner;
  Buffer &result;
  int64_t extent;
  Scalar running = {};
};

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_TAPE_H
