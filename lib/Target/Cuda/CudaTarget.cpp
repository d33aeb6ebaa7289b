// NVIDIA's GPUs behind the interface of all targets: PTX for the runtime's device.
#include "Tiny/Target/Cuda/CudaTarget.h"
#include "Cuda.h"

#include "Tiny/Conversion/UOpToNVVM/Passes.h"
#include "Tiny/Runtime/Format.h"
#include "Tiny/Target/GpuTarget.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tiny::cuda {
namespace {

constexpr TargetForm kForms[] = {{"ptx", true}};

class CudaTarget : public GpuTarget {
public:
  StringRef getName() const override { return kDeviceName; }
  StringRef getSummary() const override { return "PTX for NVIDIA's GPUs, run by the runtime's device of this name"; }
  Output getOutput() const override { return Output::Binary; }
  StringRef getDevice() const override { return kDeviceName; }

  StringRef getLevel() const override { return "nvvm"; }
  void buildPasses(OpPassManager &manager) const override {
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(createConvertUOpToNVVM());
  }

  FailureOr<TargetOutput> serialize(ModuleOp module, const SerializeOptions &options) const override {
    TargetOutput output;
    output.format = TINY_CODE_PTX;
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
      if (kernel::EntryAttr entry = kernel::getEntry(kernel))
        output.kernels.push_back({kernel.getSymName().str(), entry});
    if (output.kernels.empty())
      return output;
    llvm::StringMap<std::string> symbols;
    FailureOr<std::string> text = writePtx(module, getArchitecture(module), options.optimization, &symbols);
    if (failed(text))
      return failure();
    for (KernelLaunch &kernel : output.kernels)
      kernel.symbol = symbols.lookup(kernel.name);
    output.code = std::move(*text);
    output.code.push_back(0);
    return output;
  }

  ArrayRef<TargetForm> getForms() const override { return kForms; }
  FailureOr<std::string> print(ModuleOp module, StringRef form, const SerializeOptions &options) const override {
    return form == kForms[0].name ? writePtx(module, getArchitecture(module), options.optimization)
                                  : Target::print(module, form, options);
  }

  /// "sm_90a" is for that architecture alone.
  llvm::Expected<MachineNeeds> getNeeds(target::RecordAttr record) const override {
    StringRef number = record.getName();
    MachineNeeds needs;
    needs.machine = TINY_MACHINE_CUDA;
    needs.features = 0;
    if (llvm::Error error = checkRecordName(number))
      return error;
    number.consume_front("sm_");
    uint32_t exact = number.consume_back("a") ? TINY_CUDA_EXACT : 0;
    bool failed = number.getAsInteger(10, needs.features);
    assert(!failed && "architectures have numbers");
    (void)failed;
    needs.features |= exact;
    return needs;
  }

protected:
  StringRef getProcessorKind() const override { return "the architecture of a GPU"; }
  StringRef getDefaultProcessor() const override { return kDefaultArchitecture; }
  llvm::Expected<cost::Machine> describeMachine(StringRef name) const override { return cuda::describeMachine(name); }
  /// PTX is for an architecture, which the record's name is.
  llvm::Error checkRecordName(StringRef name) const override { return cuda::describeMachine(name).takeError(); }

private:
  static StringRef getArchitecture(ModuleOp module) {
    target::RecordAttr record = target::lookupRecord(module, kDeviceName);
    return record ? record.getName() : StringRef(kDefaultArchitecture);
  }
};

} // namespace

std::unique_ptr<Target> createCudaTarget() { return std::make_unique<CudaTarget>(); }

} // namespace tiny::cuda
