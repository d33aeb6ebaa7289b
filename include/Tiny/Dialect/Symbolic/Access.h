// Accesses to rank-1 buffers, whatever dialect they are of.
#ifndef TINY_DIALECT_SYMBOLIC_ACCESS_H
#define TINY_DIALECT_SYMBOLIC_ACCESS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tiny::sym {

/// What an operation with operands `memref, index` or `memref, index, gate`, at the end of its operands, reads or
/// writes: elements index .. index + lanes - 1, where the gate is on.
struct Access {
  mlir::OpOperand *buffer;
  mlir::OpOperand *index;
  /// An i1, or null.
  mlir::Value gate;
  /// There is a gate for each lane, which says nothing of the index as a whole.
  bool isGatedByLane;
  /// More than one where the value is a vector.
  int64_t lanes;
};

/// The access of an operation, or none if it has not this form.
std::optional<Access> getAccess(mlir::Operation *op);

} // namespace tiny::sym

#endif // TINY_DIALECT_SYMBOLIC_ACCESS_H
