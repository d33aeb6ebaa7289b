// From the uop level down to LLVM, for the CPU.
#ifndef TINY_CONVERSION_UOPTOLLVM_PASSES_H
#define TINY_CONVERSION_UOPTOLLVM_PASSES_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

/// On a compiled kernel, `array<i64: x, y, z>`: how many times the device calls it along each grid axis.
constexpr llvm::StringLiteral kGridAttr = "tiny.grid";
/// On a compiled kernel, a unit: it was compiled for launches whose written buffers overlap others.
constexpr llvm::StringLiteral kInPlaceAttr = "tiny.in_place";
/// On the function: bytes of scratch memory, whose address stands behind those of the buffers (i64). Absent for none.
constexpr llvm::StringLiteral kScratchAttr = "tiny.scratch";

#define GEN_PASS_DECL
#include "Tiny/Conversion/UOpToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/UOpToLLVM/Passes.h.inc"

} // namespace tiny

#endif // TINY_CONVERSION_UOPTOLLVM_PASSES_H
