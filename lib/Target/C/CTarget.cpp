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

  /// C is written for a processor: its facts and its record are the CPU's, so that both give the same bits.
  llvm::Expected<DeviceFacts> describe(StringRef processor) const override {
    llvm::Expected<const Target *> cpu = findTarget("cpu");
    if (!cpu)
      return cpu.takeError();
    llvm::Expected<DeviceFacts> facts = (*cpu)->describe(processor);
    // C has no 16-bit floats.
    if (facts && !llvm::is_contained(facts->emulated, "f16"))
      facts->emulated.push_back("f16");
    if (facts)
      facts->identity = "c " + facts->identity;
    return facts;
  }
  llvm::Expected<target::RecordAttr> makeRecord(StringRef processor, MLIRContext *context) const override {
    llvm::Expected<const Target *> cpu = findTarget("cpu");
    return cpu ? (*cpu)->makeRecord(processor, context) : cpu.takeError();
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
