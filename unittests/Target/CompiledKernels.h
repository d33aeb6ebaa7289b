// Kernels as functions of a test: compiled and linked as for a container, and loaded as the runtime loads them.
#ifndef TINY_UNITTESTS_TARGET_COMPILEDKERNELS_H
#define TINY_UNITTESTS_TARGET_COMPILEDKERNELS_H

#include "Cpu/ElfImage.h"
#include "Tiny/Runtime/Runtime.h"
#include "Tiny/Target/Cpu/Compile.h"

namespace tiny::cpu {

struct CompiledKernel : KernelLaunch {
  tiny_cpu_kernel function = nullptr;
};

/// The kernels of a module. Functions live as long as it does.
class CompiledKernels {
public:
  /// Reports errors as `compileKernels` does.
  static mlir::FailureOr<std::unique_ptr<CompiledKernels>> compile(mlir::ModuleOp module,
                                                                   const CodeOptions &options = {}) {
    mlir::FailureOr<Objects> objects = compileKernels(module, options);
    if (failed(objects))
      return mlir::failure();
    auto compiled = std::make_unique<CompiledKernels>();
    if (objects->kernels.empty())
      return compiled;
    llvm::Expected<std::string> code = linkKernels(objects->objects);
    if (!code)
      return module.emitError(llvm::toString(code.takeError()));
    if (compiled->image.load(code->data(), code->size()) != TINY_OK)
      return module.emitError(tiny_last_error());
    for (const KernelLaunch &launch : objects->kernels)
      compiled->kernels.push_back(
          {launch, reinterpret_cast<tiny_cpu_kernel>(compiled->image.find(launch.name.c_str()))});
    return compiled;
  }

  /// The kernel of this name, or null.
  const CompiledKernel *lookup(llvm::StringRef name) const {
    auto it = llvm::find_if(kernels, [&](const CompiledKernel &kernel) { return kernel.name == name; });
    return it == kernels.end() ? nullptr : &*it;
  }
  const std::vector<CompiledKernel> &getKernels() const { return kernels; }

private:
  runtime::ElfImage image;
  std::vector<CompiledKernel> kernels;
};

} // namespace tiny::cpu

#endif // TINY_UNITTESTS_TARGET_COMPILEDKERNELS_H
