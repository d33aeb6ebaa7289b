// What LLVM IR of a kernel needs so that the assembler of PTX finds registers for it.
#ifndef TINY_LIB_TARGET_CUDA_REGISTERS_H
#define TINY_LIB_TARGET_CUDA_REGISTERS_H

#include "llvm/IR/Function.h"

namespace tiny::cuda {

/// Keeps loops with many products as they are: LLVM and the assembler would write one of few rounds out, which needs
/// the registers of several.
void keepProductLoops(llvm::Function &function);

/// Behind products of matrices a lane does the same to each of its many sums, one operation of all after the other, and
/// all inputs of the next one live at a time. Computes what stores need in front of each store instead: behind the last
/// thing that lanes do together, an instruction goes in front of the first one that needs it.
void sinkToStores(llvm::Function &function);

/// Keeps the assembler from writing out loops with many products, and from computing what follows products of too many
/// sums at a time. `gridDepth` workgroups of a launch lie behind each other: the assembler does not know how many.
void saveRegisters(llvm::Function &function, int64_t gridDepth);

} // namespace tiny::cuda

#endif // TINY_LIB_TARGET_CUDA_REGISTERS_H
