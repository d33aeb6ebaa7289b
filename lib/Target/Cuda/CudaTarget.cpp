// NVIDIA's GPUs behind the interface of all targets. The kernels alone are written, for a program that loads them.
#include "Tiny/Target/Cuda/CudaTarget.h"
#include "Cuda.h"

#include "Tiny/Conversion/UOpToNVVM/Passes.h"
#include "Tiny/Transforms/UOp/Passes.h"

using namespace mlir;

namespace tiny::cuda {
namespace {

class CudaTarget : public Target {
public:
  StringRef getName() const override { return kDeviceName; }
  StringRef getSummary() const override { return "PTX for NVIDIA's GPUs, the kernels alone"; }
  Output getOutput() const override { return Output::Source; }
  StringRef getExtension() const override { return ".ptx"; }

  llvm::Expected<target::RecordAttr> makeRecord(StringRef name, MLIRContext *context) const override {
    if (name == "host")
      return llvm::createStringError("expected the architecture of a GPU, such as " + kDefaultArchitecture +
                                     ", got 'host'");
    if (name.empty())
      name = kDefaultArchitecture;
    llvm::Expected<cost::Machine> machine = describeMachine(name);
    if (!machine)
      return machine.takeError();
    context->getOrLoadDialect<target::TargetDialect>();
    return target::RecordAttr::get(context, name, *machine);
  }

  llvm::Expected<target::RecordAttr> adaptRecord(target::RecordAttr record) const override {
    if (cost::DeviceKind kind = record.getMachine().kind; kind != cost::DeviceKind::Gpu)
      return llvm::createStringError("'" + record.getName() + "' is a " + cost::getName(kind) +
                                     ", expected a record of a gpu");
    llvm::Expected<cost::Machine> machine = describeMachine(record.getName());
    if (!machine)
      return machine.takeError();
    return record;
  }

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
};

} // namespace

std::unique_ptr<Target> createCudaTarget() { return std::make_unique<CudaTarget>(); }

} // namespace tiny::cuda
