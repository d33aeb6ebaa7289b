// Which sums of products of bytes a device computes in one instruction.
#ifndef TINY_DIALECT_UOP_DOT_H
#define TINY_DIALECT_UOP_DOT_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Dialect/UOp/UOp.h"

namespace tiny::uop {

/// Whether the machine has an instruction that computes it as it is: one factor is signed, the other one unsigned, and
/// not too large for the instruction.
bool hasInstruction(DotOp dot, const cost::Machine &machine);

} // namespace tiny::uop

#endif // TINY_DIALECT_UOP_DOT_H
