// Kernels as objects: from llvm.func to ELF files in memory, which `linkKernels` makes one.
#ifndef TINY_TARGET_CPU_COMPILE_H
#define TINY_TARGET_CPU_COMPILE_H

#include "Tiny/Target/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tiny::cpu {

/// How to compile.
struct CodeOptions {
  /// 0: none; 1: for loops as they stand; 2: vectorising what is scalar, too; 3: all of LLVM's `-O3`.
  unsigned optimization = 2;
  /// All kernels make one object, on one thread; else each makes one of its own, on the MLIR context's threads.
  bool together = false;
  /// Where not null, the optimised LLVM IR and the assembly of every kernel are printed there.
  llvm::raw_ostream *ir = nullptr;
  llvm::raw_ostream *assembly = nullptr;
};

/// The machine code of a module's kernels, before it is linked.
struct Objects {
  std::vector<std::string> objects;
  /// In the module's order.
  std::vector<KernelLaunch> kernels;
};

/// Compiles every `llvm.func` that has a body and says `kernel.entry`, for the processor that the module's record of
/// "cpu" names, or for the host. The rest of the module is not looked at. Reports at the kernel's location what cannot
/// be compiled, such as one that would call a library. The module is not changed.
mlir::FailureOr<Objects> compileKernels(mlir::ModuleOp module, const CodeOptions &options = {});

/// Links objects that refer to nothing outside themselves to one position-independent ELF file, a shared library that
/// has no undefined symbol and needs no other. The same objects give the same bytes. Any thread may call it.
llvm::Expected<std::string> linkKernels(llvm::ArrayRef<std::string> objects);

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_COMPILE_H
