// Powers of two against what their device has.
#include "Tiny/Dialect/UOp/Exp2.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tiny::uop {

bool isInstruction(math::Exp2Op op, const cost::Machine &machine) {
  return machine.has(cost::Instruction::Exp2) && getElementTypeOrSelf(op.getType()).isF32() &&
         arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
}

} // namespace tiny::uop
