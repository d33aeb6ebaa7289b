// Kernels as functions of a test: compiled and linked as for a container, and loaded as the runtime loads them.
#ifndef TINY_UNITTESTS_TARGET_JIT_H
#define TINY_UNITTESTS_TARGET_JIT_H

#include "Cpu/ElfImage.h"
#include "Tiny/Runtime/Runtime.h"
#include "Tiny/Target/Cpu/Compile.h"

namespace tiny::cpu {

struct JitKernel : KernelLaunch {
  tiny_cpu_kernel function = nullptr;
};

/// The kernels of a module. Functions live as long as it does.
class Jit {
public:
  /// Reports errors as `compileKernels` does.
  static mlir::FailureOr<std::unique_ptr<Jit>> compile(mlir::ModuleOp module, const CodeOptions &options = {}) {
    mlir::FailureOr<Objects> objects = compileKernels(module, options);
    if (failed(objects))
      return mlir::failure();
    auto jit = std::make_unique<Jit>();
    if (objects->kernels.empty())
      return jit;
    llvm::Expected<std::string> code = linkKernels(objects->objects);
    if (!code)
      return module.emitError(llvm::toString(code.takeError()));
    if (jit->image.load(code->data(), code->size()) != TINY_OK)
      return module.emitError(tiny_last_error());
    for (const KernelLaunch &launch : objects->kernels)
      jit->kernels.push_back({launch, reinterpret_cast<tiny_cpu_kernel>(jit->image.find(launch.name.c_str()))});
    return jit;
  }

  /// The kernel of this name, or null.
  const JitKernel *lookup(llvm::StringRef name) const {
    auto it = llvm::find_if(kernels, [&](const JitKernel &kernel) { return kernel.name == name; });
    return it == kernels.end() ? nullptr : &*it;
  }
  const std::vector<JitKernel> &getKernels() const { return kernels; }

private:
  runtime::ElfImage image;
  std::vector<JitKernel> kernels;
};

} // namespace tiny::cpu

#endif // TINY_UNITTESTS_TARGET_JIT_H
