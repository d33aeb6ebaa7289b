#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tiny::tensor;

#include "Tiny/Dialect/Tensor/TensorDialect.cpp.inc"
#include "Tiny/Dialect/Tensor/TensorInterfaces.cpp.inc"

void TinyDialect::initialize() { registerTinyDialectOperations(this); }

Operation *TinyDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
