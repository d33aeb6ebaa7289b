// Arrays with signed, unsigned and boolean elements: what `tiny` operations are evaluated on. Every operation is
// evaluated by its own definition, in double or in wide integers, and rounded once.
#ifndef TINY_LIB_REFERENCE_TENSOR_ARRAY_H
#define TINY_LIB_REFERENCE_TENSOR_ARRAY_H

#include "../Session.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tiny::reference {

/// Wide enough for every sum and product of two elements.
using Wide = __int128;

/// An element type of the tensor level.
struct Element {
  ScalarType scalar;
  bool isUnsigned = false;

  bool isFloat() const { return scalar.isFloat(); }
  bool isBool() const { return !isFloat() && scalar.width == 1; }
  bool operator==(const Element &other) const { return scalar == other.scalar && isUnsigned == other.isUnsigned; }
};
std::optional<Element> getElement(mlir::Type type);

/// The number that an element is: truth values are 0 and 1.
double asDouble(Scalar value, Element type);
Wide asWide(Scalar value, Element type);
/// A computed number as an element: floats round, integers wrap, a float becomes a truth value or an integer as in a
/// cast.
Scalar fromDouble(double value, Element type);
Scalar fromWide(Wide value, Element type);
/// tiny.cast of one element.
Scalar convert(Scalar value, Element from, Element to);

/// A tensor in memory, row-major.
struct Array {
  llvm::SmallVector<int64_t> shape;
  Element type;
  std::vector<Scalar> values;

  int64_t size() const { return values.size(); }
  double number(int64_t at) const { return asDouble(values[at], type); }
  Wide wide(int64_t at) const { return asWide(values[at], type); }
};

/// A zero array of a static tensor type. Fails at the session's limit.
mlir::FailureOr<Array> makeArray(Session &session, mlir::Type type, mlir::Location location);
/// The array with elements of another type.
Array convertArray(Array array, Element to);

/// Row-major positions of index tuples.
int64_t toLinear(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> indices);
/// Calls `visit` with (position, indices) of every element in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(int64_t, llvm::ArrayRef<int64_t>)> visit);
/// The position in an array of shape `from` that broadcasts to `indices`.
int64_t broadcastIndex(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> indices);

/// The families. Each returns whether it knows the operation; then `result`, of the result's type, is filled or an
/// error is noted.
enum class Known { No, Yes, Failed };
using Operands = llvm::ArrayRef<const Array *>;
Known evaluateElementwise(Session &session, mlir::Operation *op, Operands operands, Array &result);
Known evaluateIndexing(Session &session, mlir::Operation *op, Operands operands, Array &result);
Known evaluateMovement(Session &session, mlir::Operation *op, Operands operands, Array &result);
Known evaluateProduct(Session &session, mlir::Operation *op, Operands operands, Array &result);
Known evaluateReduction(Session &session, mlir::Operation *op, Operands operands, Array &result);

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_TENSOR_ARRAY_H
