// The way down from whatever a module is: the pipelines to the uop level, and the target's passes behind it.
#include "Descent.h"

#include "Tiny/Driver/Source.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Target/Passes.h"
#include "Tiny/Testing/Witness.h"

using namespace mlir;

namespace tiny {

llvm::Error setPipelineOptions(PipelineOptions &options, StringRef text) {
  std::string reason;
  llvm::raw_string_ostream reasonStream(reason);
  if (failed(options.parseFromString(text, reasonStream)))
    // What a value should have been its parser has reported, and has left no reason.
    return llvm::createStringError(reason.empty() ? "'" + text + "' has a value that its option cannot have"
                                                  : StringRef(reason).trim().rsplit(": ").second);
  return llvm::Error::success();
}

Descent::Descent(ModuleOp module, DescentOptions options)
    : module(module), options(std::move(options)), level(detectLevel(module)) {}

llvm::Error Descent::run(llvm::function_ref<llvm::Error(PassManager &)> build) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  if (options.timing)
    manager.enableTiming(*options.timing);
  if (options.configure && failed(options.configure(manager)))
    return llvm::createStringError("the pass manager cannot be set up");
  if (llvm::Error error = build(manager))
    return error;
  FirstError errors(module.getContext());
  if (failed(manager.run(module)))
    return errors.take("the compiler failed without saying why");
  if (options.isStopped && options.isStopped())
    return llvm::createStringError("the compiler was stopped");
  return llvm::Error::success();
}

std::unique_ptr<Pass> Descent::makeAttach() const {
  return createTargetAttach({options.target->getName().str(), options.machine.processor, options.machine.record});
}

llvm::Error Descent::lowerTo(Level to, llvm::function_ref<void(OpPassManager &)> add) {
  if (level > to)
    return llvm::createStringError("the program is at the " + getLevelName(level) + " level, below the " +
                                   getLevelName(to) + " level");
  if (module->hasAttr(reference::kWitnessesAttr) && to >= Level::Kernel) {
    if (llvm::Error error = runPipeline(Level::Kernel, nullptr))
      return error;
    if (llvm::Error error = reference::checkWitnesses(module))
      return error;
    if (to == Level::Kernel && !add)
      return llvm::Error::success();
  }
  return runPipeline(to, add);
}

llvm::Error Descent::runPipeline(Level to, llvm::function_ref<void(OpPassManager &)> add) {
  return run([&](PassManager &manager) -> llvm::Error {
    PipelineOptions pipeline;
    if (llvm::Error error = setPipelineOptions(pipeline, options.pipeline))
      return error;
    pipeline.instances = pipeline.instances || isFamily(module);
    manager.addPass(makeAttach());
    buildPipeline(manager, level, to, pipeline);
    if (add)
      add(manager);
    level = to;
    return llvm::Error::success();
  });
}

llvm::Error Descent::lowerToTarget() {
  StringRef name = options.target->getLevel();
  if (level == Level::Llvm && getLevelName(level) == name)
    return run([&](PassManager &manager) {
      manager.addPass(makeAttach());
      return llvm::Error::success();
    });
  if (llvm::Error error = lowerTo(Level::UOp))
    return error;
  level = Level::Llvm;
  return run([&](PassManager &manager) {
    options.target->buildPasses(manager);
    return llvm::Error::success();
  });
}

} // namespace tiny
