// The parts of uop-legalize.
#ifndef TINY_LIB_TRANSFORMS_UOP_LEGALIZE_H
#define TINY_LIB_TRANSFORMS_UOP_LEGALIZE_H

#include "Tiny/Dialect/UOp/Dot.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "llvm/ADT/DenseSet.h"

namespace tiny::uop {

/// Replaces division and modulo that round down or up, and stated bounds, after it has used what they say.
mlir::LogicalResult expandDivisions(FuncOp func);

/// Replaces fused multiply-adds that may be contracted, or reports the first that may not.
mlir::LogicalResult expandFma(FuncOp func);

/// The float types narrower than f32 that a target computes in.
struct FloatSupport {
  /// Types that it has no arithmetic and no casts of: they are computed in f32, from and to bits.
  llvm::SmallDenseSet<mlir::Type, 4> emulated;
  /// It computes in f64.
  bool hasDouble = true;
  /// It rounds f64 to f16 in one step.
  bool doubleToHalf = false;
  /// It rounds f32 to bf16, even where that is emulated otherwise.
  bool floatToBfloat = false;
};

/// Leaves only moves, `arith.bitcast`, `arith.select`, constants and, where the target has it, `arith.truncf` from f32
/// of the emulated types; reports the first operation that has no emulation.
mlir::LogicalResult emulateFloats(FuncOp func, const FloatSupport &support);

/// Replaces scalars of 64-bit integers by pairs of words of 32; only loads, stores and `vector.bitcast` of a
/// `vector<1xi64>` are left. Reports the first operation that has no emulation, and one on f64 if the target has none.
mlir::LogicalResult emulateIntegers(FuncOp func, bool hasDouble);

/// Gives casts from floats to integers a meaning everywhere: what is too large or too small becomes the largest or the
/// least integer, NaN becomes 0.
void saturateCasts(FuncOp func);

/// Replaces `math.floor`, `ceil`, `trunc`, `round` and `roundeven` by additions and comparisons, with the same result
/// for every operand.
void expandRounding(FuncOp func);

/// Replaces `uop.dot` by products of wider integers where the machine has no instruction that gives the same.
void expandDots(FuncOp func, const cost::Machine &machine);

/// Cuts vectors to at most `maxBits` bits; reports the first operation that cannot be cut.
mlir::LogicalResult splitVectors(FuncOp func, int64_t maxBits);

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_LEGALIZE_H
