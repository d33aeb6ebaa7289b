// Keeping what a kernel reads in a tile: packing on a CPU, shared memory on a GPU.
#ifndef TINY_TRANSFORMS_KERNEL_STAGE_H
#define TINY_TRANSFORMS_KERNEL_STAGE_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// What is worth a tile of what is computed from a load: the load itself, or the one value that all else takes from the
/// elementwise operations on it which vary over the same ranges. So masks and functions of one operand are staged with
/// it, and a product of two operands is not.
mlir::Value findStagedValue(LoadOp load);

/// Why the value can't be kept in a tile over these ranges, or an empty string. See `transform.tiny.stage`.
std::string whyNotStage(mlir::Value value, mlir::ArrayRef<RangeOp> ranges);

/// Computes the value over ranges of its own, in the order given, and lets its users load it from the tile;
/// `whyNotStage` must have nothing against it.
StageOp stageValue(mlir::RewriterBase &rewriter, mlir::Value value, mlir::ArrayRef<RangeOp> ranges, StageSpace space);

} // namespace tiny::kernel

#endif // TINY_TRANSFORMS_KERNEL_STAGE_H
