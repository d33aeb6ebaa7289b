// Index expressions as tensors: each variable is the index along one axis.
#ifndef TINY_LIB_TRANSFORMS_LAZY_INDEXTENSORS_H
#define TINY_LIB_TRANSFORMS_LAZY_INDEXTENSORS_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny::lazy {

/// Writes `root` as arith on tensors of `shape` over `lazy.iota`. `axisOf` says along which axis each variable of the
/// expression runs. Elements are i32, or i64 where a bound of some part needs it; a condition gives i1. Returns null,
/// having written nothing, when a variable has no axis or an operation has no form on tensors.
mlir::Value writeIndexTensor(mlir::OpBuilder &builder, mlir::Location loc, Expr root, llvm::ArrayRef<int64_t> shape,
                             const llvm::DenseMap<const ExprNode *, int64_t> &axisOf);

/// The element of `value` at `indices` as an expression: integers or a condition, computed from indices, constants and
/// views of such. Null where anything else takes part, where the type could wrap, or where it is too large to look at.
Expr readIndexTensor(ExprContext &context, mlir::Value value, llvm::ArrayRef<Expr> indices);

/// The index tuple of a row-major position in a shape of extents above 0; null parts where it has none.
llvm::SmallVector<Expr> unravel(ExprContext &context, Expr position, llvm::ArrayRef<int64_t> shape);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_INDEXTENSORS_H
