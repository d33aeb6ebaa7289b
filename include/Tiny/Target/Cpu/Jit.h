// Kernels as functions in this process, by ORC.
#ifndef TINY_TARGET_CPU_JIT_H
#define TINY_TARGET_CPU_JIT_H

#include "Tiny/Runtime/Abi.h"
#include "Tiny/Target/Cpu/Compile.h"

namespace tiny::cpu {

struct JitOptions : CodeOptions {
  /// Where not null, the object files go there, in the module's order. `Jit::load` takes them.
  std::vector<std::string> *objects = nullptr;
};

/// A compiled kernel. It lives as long as its Jit.
struct JitKernel : KernelLaunch {
  tiny_cpu_kernel function = nullptr;
};

/// Owns the machine code of a module's kernels. Lookups may come from any thread.
class Jit {
public:
  ~Jit();
  Jit(const Jit &) = delete;
  Jit &operator=(const Jit &) = delete;

  /// `compileKernels`, loaded.
  static mlir::FailureOr<std::unique_ptr<Jit>> compile(mlir::ModuleOp module, const JitOptions &options = {});

  /// The same from what was compiled before, for this host: `module` declares the kernels (only their attributes are
  /// looked at), and the objects define them.
  static mlir::FailureOr<std::unique_ptr<Jit>> load(mlir::ModuleOp module, llvm::ArrayRef<std::string> objects);

  /// The kernel of this name, or null.
  const JitKernel *lookup(llvm::StringRef name) const;
  /// All kernels, in the module's order.
  const std::vector<JitKernel> &getKernels() const { return kernels; }

private:
  struct Code;
  Jit();
  llvm::Error link(llvm::ArrayRef<std::string> objects);

  std::unique_ptr<Code> code;
  std::vector<JitKernel> kernels;
};

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_JIT_H
