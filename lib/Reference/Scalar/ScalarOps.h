// The one table of what arith, math and sym operations compute, for one element. Lazy, kernel and uop share it.
#ifndef TINY_LIB_REFERENCE_SCALAR_SCALAROPS_H
#define TINY_LIB_REFERENCE_SCALAR_SCALAROPS_H

#include "Tiny/Reference/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include <optional>

namespace tiny::reference {

struct ScalarCode;

/// The operands of many elements at once: `in[operand][element]`.
using LaneArgs = const Scalar *const *;

/// Computes `count` results, before they are rounded to their type. Sets `undefined` when an integer is divided by
/// zero, which reads as zero here and may do anything on a device.
using LaneFn = void (*)(const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &undefined);

/// An operation on elements, ready to run.
struct ScalarCode {
  LaneFn compute = nullptr;
  ScalarType in, out;
  /// A predicate or whatever else an operation has as a parameter.
  int64_t parameter = 0;

  void run(LaneArgs args, Scalar *results, size_t count, bool &undefined) const {
    compute(*this, args, results, count, undefined);
    normalize(out, results, count);
  }
};

/// A row of the tables.
struct ScalarEntry {
  llvm::StringLiteral name;
  LaneFn compute;
};

/// The rows of each family: arith on integers, arith on floats and casts, math.
llvm::ArrayRef<ScalarEntry> getIntegerOps();
llvm::ArrayRef<ScalarEntry> getFloatOps();
llvm::ArrayRef<ScalarEntry> getMathOps();

/// What an operation computes for its result number `result`; none when the interpreter does not know it.
std::optional<ScalarCode> getScalarCode(mlir::Operation *op, unsigned result = 0);
/// The code of an operation known by name, from and to the same type.
std::optional<ScalarCode> getScalarCode(llvm::StringRef name, ScalarType type);
/// What combines two elements under a reduce kind.
std::optional<ScalarCode> getCombinerCode(mlir::arith::AtomicRMWKind kind, ScalarType type);

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_SCALAR_SCALAROPS_H
