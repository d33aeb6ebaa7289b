// Compiles what stands between bases of a lazy graph into a tape, by element on demand.
#ifndef TINY_LIB_REFERENCE_LAZY_TAPE_H
#define TINY_LIB_REFERENCE_LAZY_TAPE_H

#include "../Tape.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tiny::reference {

/// Compiles values at index tuples. Values in `bases` are loaded; every other value is computed from its operands at
/// the indices it needs, where movement operations compute indices.
class LazyTape {
public:
  LazyTape(Session &session, Tape &tape, const llvm::DenseMap<mlir::Value, Buffer> &bases)
      : session(session), tape(tape), bases(bases) {}

  /// The register that holds `value` at the indices in `indices`, one for each of its axes.
  mlir::FailureOr<Register> compile(mlir::Value value, llvm::ArrayRef<Register> indices);

private:
  /// An index tuple, and under which gate it means anything.
  struct Place {
    llvm::SmallVector<Register> indices;
    Register gate = kNoRegister;
    Register linear = kNoRegister;
  };
  using Key = std::pair<mlir::Value, unsigned>;

  mlir::FailureOr<std::optional<Register>> compileLeaf(mlir::Value value, unsigned place);
  /// The place at which a movement operation reads its input, and the gate below which it reads zero.
  mlir::FailureOr<unsigned> move(mlir::Operation *op, unsigned place);
  mlir::FailureOr<bool> compileGather(lazy::GatherOp op, unsigned place, llvm::SmallVectorImpl<Key> &worklist);
  Register getLinear(unsigned place, mlir::Type type);
  void unravel(Register linear, llvm::ArrayRef<int64_t> shape, Place &place);

  Session &session;
  Tape &tape;
  const llvm::DenseMap<mlir::Value, Buffer> &bases;
  std::vector<Place> places;
  llvm::DenseMap<Key, Register> values;
  llvm::DenseMap<Key, unsigned> moved;
};

/// Row-major strides.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_LAZY_TAPE_H
