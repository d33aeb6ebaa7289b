// Which powers of two a device computes in one instruction.
#ifndef TINY_DIALECT_UOP_EXP2_H
#define TINY_DIALECT_UOP_EXP2_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tiny::uop {

/// Whether `op` is 2^x of f32 with the flag `afn`, on a machine whose instruction approximates it.
bool isInstruction(mlir::math::Exp2Op op, const cost::Machine &machine);

} // namespace tiny::uop

#endif // TINY_DIALECT_UOP_EXP2_H
