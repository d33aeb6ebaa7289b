#include "Tiny/Dialect/Tensor/LowerAttributes.h"

#include "Tiny/Dialect/Tensor/Tensor.h"

using namespace mlir;

namespace tiny::tensor {

LogicalResult verifyNoLowerAttributes(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    if (!isa_and_present<TinyDialect>(op->getDialect()))
      return WalkResult::advance();
    for (NamedAttribute attribute : op->getDiscardableAttrs()) {
      StringRef level = attribute.getName().getValue().split('.').first;
      if (level != "lazy" && level != "kernel" && level != "uop")
        continue;
      op->emitOpError("has attribute '") << attribute.getName().getValue() << "', which is for operations of the "
                                         << level << " level: set it there, on what this becomes";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tiny::tensor
