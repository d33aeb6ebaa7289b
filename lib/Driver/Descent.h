// Takes a module down to a target.
#ifndef TINY_LIB_DRIVER_DESCENT_H
#define TINY_LIB_DRIVER_DESCENT_H

#include "Tiny/Pipelines/Pipelines.h"
#include "Tiny/Target/Target.h"
#include "mlir/Support/Timing.h"

namespace tiny {

/// What a descent depends on, beside the module.
struct DescentOptions {
  const Target *target = nullptr;
  MachineChoice machine;
  /// Options of the pipelines as text.
  std::string pipeline;
  /// Sets up each pass manager. May be empty.
  std::function<llvm::LogicalResult(mlir::PassManager &)> configure;
  /// Asked after each pipeline whether the rest is to be left out, as an error. May be empty.
  std::function<bool()> isStopped;
  /// Where passes report their time. May be null.
  mlir::TimingScope *timing = nullptr;
};

/// Goes down step by step: between two of them a caller may look at the module. Errors are one line, of the first pass
/// that failed.
class Descent {
public:
  Descent(mlir::ModuleOp module, DescentOptions options);

  /// Takes the module to this level, which `Level::Llvm` is not: the last step is the target's. Fails when it stands
  /// below. `add` may add passes behind the pipeline.
  llvm::Error lowerTo(Level to, llvm::function_ref<void(mlir::OpPassManager &)> add = nullptr);

  /// Takes the module to what the target serialises.
  llvm::Error lowerToTarget();

  /// Where the module stands; above the target's own level or at it.
  Level getLevel() const { return level; }

private:
  std::unique_ptr<mlir::Pass> makeAttach() const;
  llvm::Error runPipeline(Level to, llvm::function_ref<void(mlir::OpPassManager &)> add);
  llvm::Error run(llvm::function_ref<llvm::Error(mlir::PassManager &)> build);

  mlir::ModuleOp module;
  DescentOptions options;
  Level level;
};

/// Sets what the text says.
llvm::Error setPipelineOptions(PipelineOptions &options, llvm::StringRef text);

} // namespace tiny

#endif // TINY_LIB_DRIVER_DESCENT_H
