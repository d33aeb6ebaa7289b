// The CPU behind the interface of all targets.
#include "Tiny/Target/Cpu/CpuTarget.h"

#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Target/Cpu/Compile.h"
#include "Tiny/Target/Cpu/Processor.h"
#include "Tiny/Target/Cpu/Record.h"
#include "Tiny/Transforms/UOp/Passes.h"

using namespace mlir;

namespace tiny::cpu {
namespace {

constexpr TargetForm kForms[] = {{"llvm-ir", true}, {"assembly", true}, {"object", false}};

CodeOptions getCodeOptions(const SerializeOptions &options) {
  CodeOptions code;
  code.optimization = options.optimization;
  return code;
}

class CpuTarget : public Target {
public:
  StringRef getName() const override { return kDeviceName; }
  StringRef getSummary() const override { return "machine code, run by the runtime's device of this name"; }
  Output getOutput() const override { return Output::Binary; }
  StringRef getDevice() const override { return "cpu"; }

  llvm::Expected<target::RecordAttr> makeRecord(StringRef name, MLIRContext *context) const override {
    llvm::Expected<Processor> processor = describeProcessor(name);
    if (!processor)
      return processor.takeError();
    context->getOrLoadDialect<target::TargetDialect>();
    return target::RecordAttr::get(context, processor->name, describeMachine(*processor), processor->features);
  }

  llvm::Expected<target::RecordAttr> adaptRecord(target::RecordAttr record) const override {
    llvm::Expected<Processor> processor = describeProcessor(record);
    if (!processor)
      return processor.takeError();
    return record;
  }

  llvm::Expected<MachineNeeds> getNeeds(target::RecordAttr record) const override {
    llvm::Expected<Processor> processor = describeProcessor(record);
    if (!processor)
      return processor.takeError();
    return MachineNeeds{processor->machine, processor->runtimeFeatures};
  }

  llvm::Error checkRunsHere(target::RecordAttr record) const override {
    llvm::Expected<Processor> processor = describeProcessor(record);
    return processor ? cpu::checkRunsHere(*processor) : processor.takeError();
  }

  StringRef getLevel() const override { return "llvm"; }
  void buildPasses(OpPassManager &manager) const override {
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(createConvertUOpToLLVM());
  }

  FailureOr<TargetOutput> serialize(ModuleOp module, const SerializeOptions &options) const override {
    FailureOr<Objects> objects = compileKernels(module, getCodeOptions(options));
    if (failed(objects))
      return failure();
    TargetOutput output;
    output.kernels = std::move(objects->kernels);
    if (output.kernels.empty())
      return output;
    llvm::Expected<std::string> code = linkKernels(objects->objects);
    if (!code)
      return module.emitError(llvm::toString(code.takeError()));
    output.code = std::move(*code);
    return output;
  }

  ArrayRef<TargetForm> getForms() const override { return kForms; }

  /// One part, so that there is one object, with the kernels in the module's order.
  FailureOr<std::string> print(ModuleOp module, StringRef form, const SerializeOptions &options) const override {
    if (llvm::none_of(kForms, [&](const TargetForm &known) { return known.name == form; }))
      return Target::print(module, form, options);
    CodeOptions code = getCodeOptions(options);
    code.together = true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (form == "llvm-ir")
      code.ir = &stream;
    else if (form == "assembly")
      code.assembly = &stream;
    FailureOr<Objects> objects = compileKernels(module, code);
    if (failed(objects))
      return failure();
    if (form == "object" && !objects->objects.empty())
      text = std::move(objects->objects.front());
    return text;
  }
};

} // namespace

std::unique_ptr<Target> createCpuTarget() { return std::make_unique<CpuTarget>(); }

} // namespace tiny::cpu
