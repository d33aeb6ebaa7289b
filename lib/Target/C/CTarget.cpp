// C source behind the interface of all targets.
#include "Tiny/Target/C/CTarget.h"
#include "WriteProgram.h"

#include "Tiny/Conversion/UOpToEmitC/Passes.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/EmitC/Transforms/Passes.h"

using namespace mlir;

namespace tiny::c {
namespace {

class CTarget : public Target {
public:
  StringRef getName() const override { return "c"; }
  StringRef getSummary() const override { return "C11, a function for each kernel and one that runs the program"; }
  Output getOutput() const override { return Output::Source; }
  StringRef getExtension() const override { return ".c"; }

  /// C is written for a processor: its record is the CPU's, so that both give the same bits.
  llvm::Expected<target::RecordAttr> makeRecord(StringRef processor, MLIRContext *context) const override {
    llvm::Expected<const Target *> cpu = findTarget("cpu");
    if (!cpu)
      return cpu.takeError();
    llvm::Expected<target::RecordAttr> record = (*cpu)->makeRecord(processor, context);
    return record ? adaptRecord(*record) : std::move(record);
  }
  /// C has no floats narrower than f32.
  llvm::Expected<target::RecordAttr> adaptRecord(target::RecordAttr record) const override {
    cost::Machine machine = record.getMachine();
    if (machine.kind != cost::DeviceKind::Cpu)
      return llvm::createStringError("'" + record.getName() + "' is a " + cost::getName(machine.kind) +
                                     ", expected a record of a cpu");
    for (auto type :
         {cost::ElementType::F16, cost::ElementType::BF16, cost::ElementType::F8E4M3FN, cost::ElementType::F8E5M2}) {
      machine.types.erase(type);
      machine.converts.erase(type);
    }
    return target::RecordAttr::get(record.getContext(), record.getName(), machine, record.getFeatures());
  }

  StringRef getLevel() const override { return "emitc"; }
  void buildPasses(OpPassManager &manager) const override {
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(emitc::createConvertUOpToEmitC());
    manager.addPass(mlir::emitc::createFormExpressionsPass());
  }

  FailureOr<TargetOutput> serialize(ModuleOp module, const SerializeOptions &options) const override {
    FailureOr<std::vector<OutputFile>> files = writeProgram(module, options.stem, /*single=*/false);
    if (failed(files))
      return failure();
    TargetOutput output;
    output.files = std::move(*files);
    return output;
  }
};

} // namespace

std::unique_ptr<Target> createCTarget() { return std::make_unique<CTarget>(); }

} // namespace tiny::c
