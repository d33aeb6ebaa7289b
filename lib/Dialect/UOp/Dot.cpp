// Sums of products of bytes against what their device has.
#include "Tiny/Dialect/UOp/Dot.h"

#include "Tiny/Support/UnsignedBound.h"

using namespace mlir;

namespace tiny::uop {

bool hasInstruction(DotOp dot, const cost::Machine &machine) {
  if (dot.getUnsignedLeft() == dot.getUnsignedRight())
    return false;
  Value factor = dot.getUnsignedLeft() ? dot.getLeft() : dot.getRight();
  return machine.hasDot(getUnsignedBound(factor));
}

} // namespace tiny::uop
