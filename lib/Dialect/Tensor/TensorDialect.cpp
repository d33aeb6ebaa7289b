#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tiny::tensor;

#include "Tiny/Dialect/Tensor/TensorDialect.cpp.inc"
#include "Tiny/Dialect/Tensor/TensorInterfaces.cpp.inc"

void TinyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tiny/Dialect/Tensor/TensorOps.cpp.inc"
      >();
}

Operation *TinyDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

#define GET_OP_CLASSES
#include "Tiny/Dialect/Tensor/TensorOps.cpp.inc"
