#include "Tiny/Dialect/UOp/UOp.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tiny::uop;

#include "Tiny/Dialect/UOp/UOpDialect.cpp.inc"
#include "Tiny/Dialect/UOp/UOpEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/UOp/UOpAttrs.cpp.inc"

bool tiny::uop::isStaticBuffer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 1 && memref.hasStaticShape() && memref.getLayout().isIdentity();
}

void UOpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tiny/Dialect/UOp/UOpAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tiny/Dialect/UOp/UOpOps.cpp.inc"
      >();
}
