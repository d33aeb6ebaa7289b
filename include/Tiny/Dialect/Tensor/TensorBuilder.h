// Writes tensor operations in a row at one location: what decompositions are written with.
#ifndef TINY_DIALECT_TENSOR_TENSORBUILDER_H
#define TINY_DIALECT_TENSOR_TENSORBUILDER_H

#include "Tiny/Dialect/Tensor/Tensor.h"

namespace tiny::tensor {

/// Operands broadcast and promote as in the operations themselves; what folds is not created.
class TensorBuilder {
public:
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() { return loc; }

  /// One operation with one result.
  template <typename OpTy, typename... Args> mlir::Value create(Args &&...args) {
    return builder.createOrFold<OpTy>(loc, std::forward<Args>(args)...);
  }

  static mlir::RankedTensorType getType(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  static llvm::ArrayRef<int64_t> getShape(mlir::Value value) { return getType(value).getShape(); }
  static mlir::Type getElement(mlir::Value value) { return getType(value).getElementType(); }

  /// A tensor of one number, rounded to the element type.
  mlir::Value full(mlir::RankedTensorType type, double value);
  /// The same with an attribute of the element type.
  mlir::Value full(llvm::ArrayRef<int64_t> shape, mlir::TypedAttr value);
  /// A number in the type of `value`, shape included.
  mlir::Value like(mlir::Value value, double number) { return full(getType(value), number); }

  /// Movement; what changes nothing gives the value itself.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// NumPy's broadcast_to, by a reshape where the rank grows.
  mlir::Value expand(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value permute(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value pad(mlir::Value value, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                  mlir::TypedAttr number = {});
  mlir::Value shrink(mlir::Value value, llvm::ArrayRef<int64_t> begin, llvm::ArrayRef<int64_t> end);
  mlir::Value cast(mlir::Value value, mlir::Type element);
  /// A reshape that puts the elements of a rank-1 tensor on one axis of a result of rank `rank`.
  mlir::Value onAxis(mlir::Value value, int64_t axis, int64_t rank);

  mlir::Value neg(mlir::Value x) { return create<NegOp>(x); }
  mlir::Value abs(mlir::Value x) { return create<AbsOp>(x); }
  mlir::Value exp(mlir::Value x) { return create<ExpOp>(x); }
  mlir::Value log(mlir::Value x) { return create<LogOp>(x); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return create<AddOp>(x, y); }
  mlir::Value add(mlir::Value x, double y) { return add(x, like(x, y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return create<SubOp>(x, y); }
  mlir::Value sub(mlir::Value x, double y) { return sub(x, like(x, y)); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return create<MulOp>(x, y); }
  mlir::Value mul(mlir::Value x, double y) { return mul(x, like(x, y)); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return create<DivOp>(x, y); }
  mlir::Value maximum(mlir::Value x, mlir::Value y) { return create<MaximumOp>(x, y); }
  mlir::Value maximum(mlir::Value x, double y) { return maximum(x, like(x, y)); }
  mlir::Value minimum(mlir::Value x, mlir::Value y) { return create<MinimumOp>(x, y); }
  mlir::Value minimum(mlir::Value x, double y) { return minimum(x, like(x, y)); }
  mlir::Value eq(mlir::Value x, mlir::Value y) { return create<EqOp>(x, y); }
  mlir::Value eq(mlir::Value x, double y) { return eq(x, like(x, y)); }
  mlir::Value ne(mlir::Value x, mlir::Value y) { return create<NeOp>(x, y); }
  mlir::Value ne(mlir::Value x, double y) { return ne(x, like(x, y)); }
  mlir::Value lt(mlir::Value x, mlir::Value y) { return create<LtOp>(x, y); }
  mlir::Value lt(mlir::Value x, double y) { return lt(x, like(x, y)); }
  mlir::Value gt(mlir::Value x, double y) { return create<GtOp>(x, like(x, y)); }
  mlir::Value where(mlir::Value condition, mlir::Value x, mlir::Value y) { return create<WhereOp>(condition, x, y); }

  /// Reductions along normalised axes.
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> axes, bool keepdims = false) {
    return create<SumOp>(x, axes, keepdims);
  }
  mlir::Value max(mlir::Value x, llvm::ArrayRef<int64_t> axes, bool keepdims = false) {
    return create<MaxOp>(x, axes, keepdims);
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// `value` as an attribute of the element type, rounded to the nearest; a float truncates to an integer.
mlir::TypedAttr getNumber(mlir::Type element, double value);
/// What never wins a maximum: minus infinity, the lowest number where there is no infinity, false.
mlir::TypedAttr getLowest(mlir::Type element);

/// Fails with an error at `location` where a loop over `shape` with elements like this passes 2^62 bytes.
llvm::LogicalResult checkIterationSpace(mlir::Location location, llvm::ArrayRef<int64_t> shape, mlir::Type element);

} // namespace tiny::tensor

#endif // TINY_DIALECT_TENSOR_TENSORBUILDER_H
