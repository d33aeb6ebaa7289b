// What there is to know of a processor.
#ifndef TINY_TARGET_CPU_PROCESSOR_H
#define TINY_TARGET_CPU_PROCESSOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tiny::cpu {

/// The machine that kernels are compiled for, in LLVM's words.
struct Processor {
  std::string triple, name;
  /// What it has beyond the processor of this name, or lacks: "+avx2,-fma".
  std::string features;
  /// The widest vectors it computes in, in bits.
  unsigned vectorBits = 128;
  /// It has instructions for fused multiply-adds of f32 and f64.
  bool fma = true;
  /// It has instructions that round to integers.
  bool rounding = true;
  /// It has instructions between f16 and f32. Without them f16 is emulated.
  bool f16 = true;
  /// It has instructions for sums of products of bytes, in its widest vectors: with one unsigned
  /// factor of up to 128, of any.
  bool dot7 = false, dot8 = false;
  /// Threads that run at once, of the host; 0: as many as the largest of its family.
  unsigned cores = 0;
  /// TINY_MACHINE_* of Tiny/Runtime/Format.h, and of its features those that it has.
  uint32_t machine = 0;
  uint64_t runtimeFeatures = 0;
};

/// The host with its features where the name is empty or "host", or on its architecture the processor that LLVM calls
/// so with that processor's features and these. An unknown name or feature is an error.
llvm::Expected<Processor> describeProcessor(llvm::StringRef name = "", llvm::StringRef features = "");

/// An error that names an instruction set which the processor has and this machine has not.
llvm::Error checkRunsHere(const Processor &processor);

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_PROCESSOR_H
