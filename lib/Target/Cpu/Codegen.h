// From an LLVM module of kernels to an object file in memory.
#ifndef TINY_LIB_TARGET_CPU_CODEGEN_H
#define TINY_LIB_TARGET_CPU_CODEGEN_H

#include "Tiny/Target/Cpu/Processor.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace tiny::cpu {

/// The code generator for a processor that `describeProcessor` described.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Processor &processor, unsigned optimization);

/// Tells every function of the module what it is compiled for, and that nothing outside may be called.
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine, const Processor &processor);

/// LLVM's optimiser, with the machine's costs.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine, unsigned optimization);

/// Makes functions of what branches lead to that are seldom taken. Equal ones are one. What a sine computes for large
/// arguments is most of its code: it is compiled once for all sines of a kernel.
void outlineRareBranches(llvm::Module &module);

/// Makes scalar stores of masked ones of which a constant mask has a single lane on. LLVM 22 stores as many bytes as
/// the wider type has where such a store is of integers that were truncated: for AVX-512, `masked.store(trunc v)` of 16
/// bits writes 32.
void expandSingleLaneStores(llvm::Module &module);

/// Cuts masked loads and stores of more than one register, whose mask is no constant, into those of registers in which
/// some lane may be on. For AVX2, LLVM 22 computes their masks in bytes, and loads registers in which no lane can be on
/// as if all were, or dies: of `masked.load <16 x i32>` with a mask of one condition and the first 7 lanes it loads the
/// last 8. An access of the first lanes, by a constant mask, becomes plain ones of powers of two: LLVM would load and
/// store bytes and halves one by one, and a masked store of words takes long on many processors.
void splitMasks(llvm::Module &module);

/// Runs the code generator; the module is used up.
void emitCode(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
              llvm::SmallVectorImpl<char> &output);

/// A function that would be called from outside the object, and the kernel that would.
struct ForeignCall {
  std::string symbol, kernel;
};
/// What the object leaves undefined; empty for a good one.
llvm::Expected<std::vector<ForeignCall>> findForeignCalls(llvm::MemoryBufferRef object);

} // namespace tiny::cpu

#endif // TINY_LIB_TARGET_CPU_CODEGEN_H
