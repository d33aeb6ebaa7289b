// What reductions accumulate in, and how their axes are written.
#ifndef TINY_DIALECT_TENSOR_REDUCTION_H
#define TINY_DIALECT_TENSOR_REDUCTION_H

#include "Tiny/Dialect/Tensor/Promotion.h"

namespace tiny::tensor {

/// What a reduction accumulates in, and what it gives.
enum class ReduceRule {
  Accumulate, ///< in the accumulator of the input's type; gives floats in the input's type, integers as accumulated
  Same,       ///< in the input's type
  Float,      ///< in f32 or f64; gives the input's type where that is a float, else f32
  Bool,       ///< on `!= 0`; gives i1
  Index,      ///< on the input; gives i32, or i64 where the reduced axes have more than 2^31 - 1 elements
};

/// The axis counted from the front, or none where it lies outside [-rank, rank).
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// Axes from the front, ascending; none where one is out of range or stands twice.
std::optional<llvm::SmallVector<int64_t>> normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

/// An error for the operation `name` where the axis is out of range.
llvm::LogicalResult checkAxis(std::optional<mlir::Location> location, llvm::StringRef name, int64_t axis, int64_t rank);

/// `normalizeAxes` with an error for the operation `name` where there is none.
mlir::FailureOr<llvm::SmallVector<int64_t>> checkAxes(std::optional<mlir::Location> location, llvm::StringRef name,
                                                      llvm::ArrayRef<int64_t> axes, int64_t rank);

/// `shape` with `axes` (normalised) removed, or of size 1 with `keepdims`.
llvm::SmallVector<int64_t> reduceShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes, bool keepdims);

/// The type of a reduction's result; fails with an error at `location` for the operation `name`.
llvm::LogicalResult inferReduction(std::optional<mlir::Location> location, llvm::StringRef name, mlir::Type input,
                                   llvm::ArrayRef<int64_t> axes, bool keepdims, ReduceRule rule,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

/// The type of softmax and its like: the input's, as a float.
llvm::LogicalResult inferAlongAxis(std::optional<mlir::Location> location, llvm::StringRef name, mlir::Type input,
                                   int64_t axis, llvm::SmallVectorImpl<mlir::Type> &types);

/// The type of running sums: the input's, integers as they are accumulated.
llvm::LogicalResult inferRunning(std::optional<mlir::Location> location, llvm::StringRef name, mlir::Type input,
                                 int64_t axis, llvm::SmallVectorImpl<mlir::Type> &types);

/// Ascending axes, at least one, no keepdims, and an input of the type that the rule accumulates in.
bool isExplicitReduction(mlir::Value input, llvm::ArrayRef<int64_t> axes, bool keepdims, ReduceRule rule);

/// The same reduction in explicit form, with casts and a reshape around it.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> makeReductionExplicit(mlir::OpBuilder &builder, mlir::Operation *op,
                                                                      llvm::ArrayRef<int64_t> axes, ReduceRule rule);

} // namespace tiny::tensor

#endif // TINY_DIALECT_TENSOR_REDUCTION_H
