// GPUs by Vulkan behind the interface of all targets: SPIR-V for the runtime's device.
#include "Tiny/Target/Vulkan/VulkanTarget.h"
#include "Vulkan.h"

#include "Tiny/Conversion/UOpToSPIRV/Passes.h"
#include "Tiny/Runtime/Format.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::vulkan {
namespace {

constexpr TargetForm kForms[] = {{"spv", false}};

FailureOr<std::string> writeWords(spirv::ModuleOp module) {
  SmallVector<uint32_t, 0> words;
  if (failed(spirv::serialize(module, words)))
    return failure();
  return std::string(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint32_t));
}

/// One kernel, with what it refers to, as a module.
FailureOr<std::string> writeKernel(spirv::ModuleOp all, spirv::FuncOp kernel) {
  llvm::DenseSet<StringAttr> used;
  kernel.walk([&](spirv::AddressOfOp address) { used.insert(address.getVariableAttr().getAttr()); });
  kernel.walk([&](spirv::ReferenceOfOp constant) { used.insert(constant.getSpecConstAttr().getAttr()); });
  OwningOpRef<spirv::ModuleOp> alone(cast<spirv::ModuleOp>(all->cloneWithoutRegions()));
  Block &body = alone->getRegion().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  for (Operation &op : *all.getBody()) {
    bool isUsed = llvm::TypeSwitch<Operation *, bool>(&op)
                      .Case([&](spirv::GlobalVariableOp variable) { return used.contains(variable.getSymNameAttr()); })
                      .Case([&](spirv::SpecConstantOp constant) { return used.contains(constant.getSymNameAttr()); })
                      .Case([&](spirv::FuncOp other) { return other == kernel; })
                      .Case<spirv::EntryPointOp, spirv::ExecutionModeOp>(
                          [&](auto entry) { return entry.getFn() == kernel.getSymName(); })
                      .Default([](Operation *) { return false; });
    if (isUsed)
      builder.clone(op);
  }
  return writeWords(*alone);
}

class VulkanTarget : public GpuTarget {
public:
  StringRef getName() const override { return kDeviceName; }
  StringRef getSummary() const override { return "SPIR-V, run by the runtime's device of this name"; }
  Output getOutput() const override { return Output::Binary; }
  StringRef getDevice() const override { return kDeviceName; }

  StringRef getLevel() const override { return "spirv"; }
  void buildPasses(OpPassManager &manager) const override {
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(createConvertUOpToSPIRV());
  }

  /// Each kernel is a module of its own: a driver reads all of a module for each entry point.
  FailureOr<TargetOutput> serialize(ModuleOp module, const SerializeOptions &options) const override {
    TargetOutput output;
    output.format = TINY_CODE_SPIRV;
    for (auto kernel : module.getOps<func::FuncOp>())
      if (auto entry = kernel->getAttrOfType<kernel::EntryAttr>(kernel::kEntryAttr))
        output.kernels.push_back({kernel.getSymName().str(), entry});
    for (auto kernels : module.getOps<spirv::ModuleOp>())
      for (auto kernel : kernels.getOps<spirv::FuncOp>()) {
        FailureOr<std::string> code = writeKernel(kernels, kernel);
        if (failed(code))
          return failure();
        uint32_t size = code->size();
        output.code.append(reinterpret_cast<const char *>(&size), sizeof(size));
        output.code += *code;
      }
    return output;
  }

  llvm::Expected<MachineNeeds> getNeeds(target::RecordAttr record) const override {
    MachineNeeds needs;
    needs.features = record.getMachine().loopRounds;
    return needs;
  }

  ArrayRef<TargetForm> getForms() const override { return kForms; }
  FailureOr<std::string> print(ModuleOp module, StringRef form, const SerializeOptions &options) const override {
    return form == kForms[0].name ? writeSpirv(module) : Target::print(module, form, options);
  }

protected:
  StringRef getProcessorKind() const override { return "the name of a device"; }
  StringRef getDefaultProcessor() const override { return kDefaultProcessor; }
  llvm::Expected<cost::Machine> describeMachine(StringRef name) const override { return vulkan::describeMachine(name); }
  llvm::Expected<std::pair<std::string, cost::Machine>> describeFound(const FoundDevice &found) const override {
    return vulkan::describeFound(found);
  }
};

} // namespace

FailureOr<std::string> writeSpirv(ModuleOp module) {
  auto kernels = module.getOps<spirv::ModuleOp>();
  if (kernels.empty())
    return module.emitError("has no kernel at the spirv level; convert-uop-to-spirv makes them");
  return writeWords(*kernels.begin());
}

std::unique_ptr<Target> createVulkanTarget() { return std::make_unique<VulkanTarget>(); }

} // namespace tiny::vulkan
