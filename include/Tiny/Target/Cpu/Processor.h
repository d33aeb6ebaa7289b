// What the compiler above code generation has to know of a processor.
#ifndef TINY_TARGET_CPU_PROCESSOR_H
#define TINY_TARGET_CPU_PROCESSOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tiny::cpu {

/// Whether a fused multiply-add of f32 and f64 is an instruction, not a call. `processor` is LLVM's name of one of the
/// host's architecture, empty for the host itself; an unknown name is an error.
llvm::Expected<bool> hasFma(llvm::StringRef processor = "");

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_PROCESSOR_H
