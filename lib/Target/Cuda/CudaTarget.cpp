// NVIDIA's GPUs behind the interface of all targets. The kernels alone are written, for a program that loads them.
#include "Tiny/Target/Cuda/CudaTarget.h"
#include "Cuda.h"

#include "Tiny/Conversion/UOpToNVVM/Passes.h"
#include "Tiny/Target/GpuTarget.h"
#include "Tiny/Transforms/UOp/Passes.h"

using namespace mlir;

namespace tiny::cuda {
namespace {

class CudaTarget : public GpuTarget {
public:
  StringRef getName() const override { return kDeviceName; }
  StringRef getSummary() const override { return "PTX for NVIDIA's GPUs, the kernels alone"; }
  Output getOutput() const override { return Output::Source; }
  StringRef getExtension() const override { return ".ptx"; }

  StringRef getLevel() const override { return "nvvm"; }
  void buildPasses(OpPassManager &manager) const override {
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(createConvertUOpToNVVM());
  }

  FailureOr<TargetOutput> serialize(ModuleOp module, const SerializeOptions &options) const override {
    target::RecordAttr record = target::lookupRecord(module, kDeviceName);
    FailureOr<std::string> text =
        writePtx(module, record ? record.getName() : StringRef(kDefaultArchitecture), options.optimization);
    if (failed(text))
      return failure();
    TargetOutput output;
    output.files.push_back({options.stem + ".ptx", std::move(*text)});
    return output;
  }

protected:
  StringRef getProcessorKind() const override { return "the architecture of a GPU"; }
  StringRef getDefaultProcessor() const override { return kDefaultArchitecture; }
  llvm::Expected<cost::Machine> describeMachine(StringRef name) const override { return cuda::describeMachine(name); }
  /// PTX is for an architecture, which the record's name is.
  llvm::Error checkRecordName(StringRef name) const override { return cuda::describeMachine(name).takeError(); }
};

} // namespace

std::unique_ptr<Target> createCudaTarget() { return std::make_unique<CudaTarget>(); }

} // namespace tiny::cuda
