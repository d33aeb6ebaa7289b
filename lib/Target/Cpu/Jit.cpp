// Loads compiled kernels into this process.
#include "Tiny/Target/Cpu/Jit.h"

#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Target/Cpu/Processor.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace mlir;

namespace tiny::cpu {

struct Jit::Code {
  std::unique_ptr<llvm::orc::LLJIT> lljit;
};

Jit::Jit() = default;
Jit::~Jit() = default;

/// No platform and no symbols of the process: an object refers to nothing outside itself.
static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> createLinker() {
  return llvm::orc::LLJITBuilder()
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
      .setLinkProcessSymbolsByDefault(false)
      .create();
}

llvm::Error Jit::link(ArrayRef<std::string> objects) {
  auto linker = createLinker();
  if (!linker)
    return linker.takeError();
  code = std::make_unique<Code>(Code{std::move(*linker)});
  for (StringRef object : objects)
    if (llvm::Error error = code->lljit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "kernels")))
      return error;
  for (JitKernel &kernel : kernels) {
    llvm::Expected<llvm::orc::ExecutorAddr> address = code->lljit->lookup(kernel.name);
    if (!address)
      return address.takeError();
    kernel.function = address->toPtr<tiny_cpu_kernel>();
  }
  return llvm::Error::success();
}

FailureOr<std::unique_ptr<Jit>> Jit::compile(ModuleOp module, const JitOptions &options) {
  FailureOr<Objects> objects = compileKernels(module, options);
  if (failed(objects))
    return failure();
  std::unique_ptr<Jit> jit(new Jit);
  for (const KernelLaunch &kernel : objects->kernels)
    jit->kernels.push_back({kernel});
  if (jit->kernels.empty())
    return jit;
  if (llvm::Error error = jit->link(objects->objects))
    return module.emitError(llvm::toString(std::move(error)));
  if (options.objects)
    *options.objects = std::move(objects->objects);
  return jit;
}

FailureOr<std::unique_ptr<Jit>> Jit::load(ModuleOp module, ArrayRef<std::string> objects) {
  std::unique_ptr<Jit> jit(new Jit);
  for (auto op : module.getOps<LLVM::LLVMFuncOp>())
    if (op.isExternal() && op->hasAttrOfType<DenseI64ArrayAttr>(kGridAttr))
      jit->kernels.push_back({describeKernel(op)});
  if (jit->kernels.empty())
    return jit;
  if (llvm::Error error = describeProcessor().takeError())
    return module.emitError(llvm::toString(std::move(error)));
  if (llvm::Error error = jit->link(objects))
    return module.emitError(llvm::toString(std::move(error)));
  return jit;
}

const JitKernel *Jit::lookup(StringRef name) const {
  auto it = llvm::find_if(kernels, [&](const JitKernel &kernel) { return kernel.name == name; });
  return it == kernels.end() ? nullptr : &*it;
}

} // namespace tiny::cpu
