// Kernels as functions in this process: from llvm.func to machine code for the host, by ORC.
#ifndef TINY_TARGET_CPU_JIT_H
#define TINY_TARGET_CPU_JIT_H

#include "Tiny/Runtime/Abi.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tiny::cpu {

/// How to compile.
struct JitOptions {
  /// 0: none; 1: for loops as they stand; 2: vectorising what is scalar, too; 3: all of LLVM's `-O3`.
  unsigned optimization = 2;
  /// LLVM's name of the processor to compile for, "x86-64-v3", with that processor's features; empty means the host
  /// with its own.
  std::string processor;
  /// All kernels make one object, on one thread; else each makes one of its own, on the MLIR context's threads.
  bool together = false;
  /// Where not null, the optimised LLVM IR and the assembly of every kernel are printed there.
  llvm::raw_ostream *ir = nullptr;
  llvm::raw_ostream *assembly = nullptr;
  /// Where not null, the object files go there, in the module's order. `Jit::load` takes them.
  std::vector<std::string> *objects = nullptr;
};

/// A compiled kernel. It lives as long as its Jit.
struct JitKernel {
  std::string name;
  tiny_cpu_kernel function = nullptr;
  /// Extents of the grid, from `tiny.grid`.
  std::array<int64_t, 3> grid = {1, 1, 1};
  /// It may be launched on buffers that overlap (`tiny.in_place`).
  bool inPlace = false;
  /// Bytes of scratch memory that it wants (`tiny.scratch`).
  uint64_t scratchBytes = 0;
};

/// What an `llvm.func` that says `tiny.grid` is as a kernel, but for its machine code.
JitKernel describeKernel(mlir::LLVM::LLVMFuncOp op);

/// Owns the machine code of a module's kernels. Lookups may come from any thread.
class Jit {
public:
  ~Jit();
  Jit(const Jit &) = delete;
  Jit &operator=(const Jit &) = delete;

  /// Compiles every `llvm.func` that has a body and says `tiny.grid`; the rest of the module is not looked at. Reports
  /// at the kernel's location what cannot be compiled, such as one that would call a library. The module is not
  /// changed.
  static mlir::FailureOr<std::unique_ptr<Jit>> compile(mlir::ModuleOp module, const JitOptions &options = {});

  /// The same from what was compiled before, for this host: `module` declares the kernels (only their attributes are
  /// looked at), and the objects define them.
  static mlir::FailureOr<std::unique_ptr<Jit>> load(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> objects);

  /// The kernel of this name, or null.
  const JitKernel *lookup(llvm::StringRef name) const;
  /// All kernels, in the module's order.
  const std::vector<JitKernel> &getKernels() const { return kernels; }

private:
  struct Code;
  Jit();
  llvm::Error link(llvm::ArrayRef<llvm::StringRef> objects);

  std::unique_ptr<Code> code;
  std::vector<JitKernel> kernels;
};

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_JIT_H
