// How element types promote and shapes broadcast: the one place that says so.
#ifndef TINY_DIALECT_TENSOR_PROMOTION_H
#define TINY_DIALECT_TENSOR_PROMOTION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tiny::tensor {

/// Element types that an operand may have: f64 f32 f16 bf16 f8E4M3FN f8E5M2; i8 to i64, ui8 to ui64; i1.
enum class ElementSet { Any, Float, Integer, Bool, IntegerOrBool, Number };

/// Whether a type is a static ranked tensor of such elements that takes at most 2^62 bytes.
bool isTensorOf(mlir::Type type, ElementSet set);

/// What an elementwise operation computes in, and what it gives.
enum class ElementRule {
  Promote, ///< computes in and gives the operands' common type
  Number,  ///< the same, but refuses truth values alone
  Float,   ///< the same, but integers and truth values become f32
  Compare, ///< computes in the common type and gives i1
  Select,  ///< the first operand is a condition and stays i1; the others as in Promote
};

/// The least type that both promote to, by JAX's lattice:
/// i1 < {i8 < i16 < i32 < i64, ui8 < ui16 < ui32 < ui64, ui8 < i16, ui16 < i32, ui32 < i64} < f8 < {f16, bf16} < f32
/// < f64; i64 with ui64 gives f32, two different f8 give f16, f16 with bf16 gives f32.
mlir::Type promote(mlir::Type lhs, mlir::Type rhs);

/// `element` where it is a float, else f32.
mlir::Type toFloat(mlir::Type element);

/// What sums and products of `element` accumulate in: f32 for f16, bf16 and f8, 32 bits for smaller integers and i1.
mlir::Type getAccumulator(mlir::Type element);

/// NumPy's rule: aligned at the last axis, sizes are equal or one of them is 1.
std::optional<llvm::SmallVector<int64_t>> broadcastShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// Whether a static shaped type takes at most 2^62 bytes.
bool hasValidSize(mlir::ShapedType type);

/// `4x3x` without the last x, or `scalar`: a shape in a message.
std::string printShape(llvm::ArrayRef<int64_t> shape);

/// The operand as a static ranked tensor, or null; inference runs before the verifier.
mlir::RankedTensorType getStaticTensor(mlir::Type type);

/// The type of an elementwise operation's result; fails with an error at `location` for the operation `name`.
llvm::LogicalResult inferElementwise(std::optional<mlir::Location> location, llvm::StringRef name,
                                     mlir::ValueRange operands, ElementRule rule,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether every operand already has the shape of the result and the element type that the operation computes in.
bool hasExplicitOperands(mlir::Operation *op, ElementRule rule);

/// The same operation on operands that are cast, reshaped and expanded to what it computes in.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> makeOperandsExplicit(mlir::OpBuilder &builder, mlir::Operation *op,
                                                                     ElementRule rule);

/// A float function of f16, bf16 or f8, which has explicit operands, in f32 as a whole, so that it rounds to the type
/// once. None where the rule or the type is another.
std::optional<llvm::SmallVector<mlir::Value>> computeInF32(mlir::OpBuilder &builder, mlir::Operation *op,
                                                           ElementRule rule);

/// An error for an operation that does not exist yet: `'tiny.add' op ` and the message.
template <typename... Args>
llvm::LogicalResult emitInferError(std::optional<mlir::Location> location, llvm::StringRef name, Args &&...args) {
  return mlir::emitOptionalError(location, "'", name, "' op ", std::forward<Args>(args)...);
}

} // namespace tiny::tensor

#endif // TINY_DIALECT_TENSOR_PROMOTION_H
