// Which class of the record's costs an operation belongs to: the one map from operations to costs.
#ifndef TINY_DIALECT_TARGET_OPCLASS_H
#define TINY_DIALECT_TARGET_OPCLASS_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "mlir/IR/Operation.h"

namespace tiny::target {

/// The class of an operation on data, of any level. What is no `arith` or `math` operation counts as an addition.
cost::OpClass classify(mlir::Operation *op);

/// Whether the operation takes many instructions, as an exponential does.
inline bool isFunction(mlir::Operation *op) { return classify(op) == cost::OpClass::Function; }

} // namespace tiny::target

#endif // TINY_DIALECT_TARGET_OPCLASS_H
