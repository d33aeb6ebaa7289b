// The lazy dialect: movement, reductions, index sources and groups over tensors. See docs/Dialects/Lazy.md.
#ifndef TINY_DIALECT_LAZY_LAZY_H
#define TINY_DIALECT_LAZY_LAZY_H

#include "Tiny/Algebra/View/View.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Tiny/Dialect/Lazy/LazyDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/Lazy/LazyAttrs.h.inc"

#define GET_OP_CLASSES
#include "Tiny/Dialect/Lazy/LazyOps.h.inc"

namespace tiny::lazy {

/// Whether `op` is one of reshape, expand, permute, pad, shrink, flip, view.
bool isMovement(mlir::Operation *op);

/// What a movement operation does, applied to the view `tracker` that its input already is; invalid on overflow.
ShapeTracker applyMovement(mlir::Operation *movement, const ShapeTracker &tracker);

/// Whether `op` computes each result element from the operand elements at the same place: an `ElementwiseMappable`
/// operation on static tensors of one shape.
bool isElementwise(mlir::Operation *op);

/// The constant that `view` of a splat constant is: the splat where nothing is masked or the splat is zero, zero where
/// everything is masked, else null.
mlir::DenseElementsAttr foldViewOfSplat(mlir::Attribute input, mlir::RankedTensorType result, const ShapeTracker &view);

} // namespace tiny::lazy

#endif // TINY_DIALECT_LAZY_LAZY_H
