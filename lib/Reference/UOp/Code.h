// A uop function as flat code over one frame: every value has its lanes at a fixed place in it.
#ifndef TINY_LIB_REFERENCE_UOP_CODE_H
#define TINY_LIB_REFERENCE_UOP_CODE_H

#include "../Scalar/ScalarOps.h"
#include "../Session.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny::reference {

/// Where a value's lanes stand in the frame.
struct Slot {
  unsigned at = 0;
  unsigned lanes = 0;
};

struct UOpInstruction {
  enum class Kind : uint8_t {
    Scalar,       ///< the code on every lane of the operands
    Pick,         ///< out[k] = frame[picks[k]]: broadcasts, shuffles, everything that only moves lanes
    PickDynamic,  ///< out = operand 0 at lane operand 1 + ...
    PlaceDynamic, ///< out = operand 1, with operand 0 at lane operand 2
    Recut,        ///< out = the bits of operand 0 in integers of another width, the lower ones first
    Reduce,       ///< out = operand 1 (if any) combined with the lanes of operand 0 in order
    Dot,          ///< operands: bytes, bytes, sums; `picks` say which bytes are unsigned
    Load,         ///< operands: the first element's index, or one of each lane; the gate
    Store,
    LoopBegin, ///< operands: bound, initial values; `target` is behind the matching LoopEnd
    LoopEnd,   ///< operands: yielded values; `target` is the matching LoopBegin
    If,        ///< operand: condition; `target` is behind the body
    EndIf,
    Barrier,
    SubgroupBarrier,
    Shuffle,         ///< operands: value, offset; `parameter` is the mode
    SubgroupReduce,  ///< operand: value
    WorkgroupReduce, ///< operand: value; `parameter` is the number of local axes
    Atomic,          ///< operands: index, gate; `out` is the value
    CopyAsync,       ///< operands: from, to, gate; `parameter` elements from `buffer` to `tile`
    CopyCommit,
    CopyWait,     ///< `parameter` groups may be left
    FragmentLoad, ///< operand: index; `parameter` is the stride; `picks` are rows, columns, whether transposed, and, of
                  ///< a panel, its elements, those of a piece, and of a swizzled group
    FragmentStore,  ///< operands: index, value
    FragmentPlace,  ///< `in` are rows and columns that it gives; `parameter` is the number of columns
    FragmentPick,   ///< operand: fragment; `out` are the lane's elements
    FragmentReduce, ///< operand: the lane's elements; `parameter` is the number of columns
    FragmentPack,   ///< operand: the lane's elements; `out` is the fragment
    MbarrierInit,   ///< `parameter` arrivals; `tile` has the barriers
    MbarrierExpect, ///< operand: index; `parameter` bytes
    MbarrierArrive, ///< operand: index
    MbarrierWait,   ///< operands: index, parity
    CopyBulk, ///< operands: row, column, to, index; from `buffer` to `tile`; `picks` are the tile of the barriers,
              ///< bytes of an element, rows and columns of the box; `extents` those of the matrix, and its stride
    MmaWait,  ///< `parameter` series may be left
    Mma,      ///< operands: left, right, sum; `picks` are m, n, k; `parameter` is 1 where factors are tf32
  };
  Kind kind;
  mlir::Operation *op = nullptr;
  ScalarCode code;
  llvm::SmallVector<Slot, 3> in;
  Slot out;
  llvm::SmallVector<unsigned, 0> picks;
  size_t target = 0;
  unsigned buffer = 0, tile = 0;
  int64_t parameter = 0;
  std::array<int64_t, 3> extents = {};
  /// Subgroups that do it together.
  unsigned subgroups = 1;
  bool gated = false;
};

/// What a loop moves its values between: the index, the carried values inside the loop, and its results.
struct UOpLoop {
  Slot index, bound;
  llvm::SmallVector<Slot> inits, carried, results;
};

/// A hardware axis: every `uop.special` of one axis and dimension has the same index.
struct UOpSpecial {
  uop::HardwareAxis axis;
  uint64_t dim;
  int64_t extent;
  llvm::SmallVector<unsigned> slots;
};

/// Memory of the kernel's own, fresh for each workgroup; of a lane's own, there is one for each lane.
struct UOpTile {
  ScalarType type;
  int64_t count;
  bool isPrivate;
  mlir::Location location;
};

/// The code of one function.
class UOpCode {
public:
  mlir::LogicalResult compile(Session &session, uop::FuncOp func);

  /// Initial values: those of constants.
  std::vector<Scalar> frame;
  std::vector<UOpInstruction> instructions;
  std::vector<UOpLoop> loops;
  llvm::SmallVector<UOpSpecial> specials;
  /// They are numbered behind the arguments.
  std::vector<UOpTile> tiles;
  unsigned nArguments = 0;
  /// It has barriers of phases, or products that run on.
  bool hasPhases = false, hasSeries = false;
  /// Lanes of a subgroup, where that is known.
  std::optional<int64_t> subgroupSize;

private:
  mlir::LogicalResult compileOp(mlir::Operation &op);
  /// A load, a gather or a store; `moved` is what is read or written.
  mlir::LogicalResult compileAccess(mlir::Operation &op, mlir::Value memory, mlir::Value index, mlir::Value gate,
                                    mlir::Value moved);
  mlir::LogicalResult compileVectorOp(mlir::Operation &op);
  mlir::LogicalResult compileDot(uop::DotOp dot);
  mlir::LogicalResult compileConstant(mlir::Operation &op);
  mlir::FailureOr<Slot> define(mlir::Value value);
  Slot get(mlir::Value value) const { return slots.lookup(value); }
  UOpInstruction &append(UOpInstruction::Kind kind, mlir::Operation *op);
  mlir::LogicalResult pick(mlir::Operation &op, mlir::Value result, llvm::ArrayRef<unsigned> picks);

  /// What lanes do together.
  mlir::LogicalResult compileParallelOp(mlir::Operation &op);
  mlir::LogicalResult compilePhases(mlir::Operation &op, unsigned barriers);

  Session *session = nullptr;
  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<mlir::Value, unsigned> buffers;
};

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_UOP_CODE_H
