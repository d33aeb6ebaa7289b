// GPUs by Vulkan behind the interface of all targets. The kernels alone are written, for a program that loads them.
#include "Tiny/Target/Vulkan/VulkanTarget.h"
#include "Vulkan.h"

#include "Tiny/Conversion/UOpToSPIRV/Passes.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;

namespace tiny::vulkan {
namespace {

class VulkanTarget : public Target {
public:
  StringRef getName() const override { return kDeviceName; }
  StringRef getSummary() const override { return "SPIR-V for Vulkan, the kernels alone"; }
  Output getOutput() const override { return Output::Source; }
  StringRef getExtension() const override { return ".spv"; }

  llvm::Expected<target::RecordAttr> makeRecord(StringRef name, MLIRContext *context) const override {
    if (name == "host")
      return llvm::createStringError("expected the name of a device, such as " + kDefaultProcessor + ", got 'host'");
    if (name.empty())
      name = kDefaultProcessor;
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
    return record;
  }

  StringRef getLevel() const override { return "spirv"; }
  void buildPasses(OpPassManager &manager) const override {
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(createConvertUOpToSPIRV());
  }

  FailureOr<TargetOutput> serialize(ModuleOp module, const SerializeOptions &options) const override {
    FailureOr<std::string> code = writeSpirv(module);
    if (failed(code))
      return failure();
    TargetOutput output;
    output.files.push_back({options.stem + ".spv", std::move(*code)});
    return output;
  }
};

} // namespace

FailureOr<std::string> writeSpirv(ModuleOp module) {
  auto kernels = module.getOps<spirv::ModuleOp>();
  if (kernels.empty())
    return module.emitError("has no kernel at the spirv level; convert-uop-to-spirv makes them");
  SmallVector<uint32_t, 0> words;
  if (failed(spirv::serialize(*kernels.begin(), words)))
    return failure();
  return std::string(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint32_t));
}

std::unique_ptr<Target> createVulkanTarget() { return std::make_unique<VulkanTarget>(); }

} // namespace tiny::vulkan
