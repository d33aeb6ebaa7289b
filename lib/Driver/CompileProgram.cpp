// Lowers a program to a target, and puts what the target makes of it into a container.
#include "Tiny/Driver/CompileProgram.h"

#include "Descent.h"
#include "ProgramContainer.h"
#include "SeveralTargets.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

/// A part of the report; without one it measures nothing.
static TimingScope nest(TimingScope *timing, StringRef name) { return timing ? timing->nest(name) : TimingScope(); }

static DescentOptions getDescent(ModuleOp module, const Target &target, const CompileOptions &options,
                                 TimingScope *timing) {
  DescentOptions how;
  how.target = &target;
  how.machine = chooseMachine(target, options, module);
  how.pipeline = options.pipeline;
  how.configure = options.configure;
  how.isStopped = options.isStopped;
  how.timing = timing;
  return how;
}

/// Takes the module to the target.
static llvm::Error lower(ModuleOp module, const Target &target, const CompileOptions &options) {
  TimingScope timing = nest(options.timing, "Passes");
  return Descent(module, getDescent(module, target, options, &timing)).lowerToTarget();
}

/// The program that the options name, alone in its module.
static Expected<FunctionOpInterface> takeProgram(ModuleOp module, const CompileOptions &options) {
  Expected<FunctionOpInterface> program = findProgram(module, options.function);
  if (program)
    dropOtherPrograms(module, *program);
  return program;
}

llvm::Error lowerToKernels(ModuleOp module, const CompileOptions &options) {
  Expected<std::vector<const Target *>> targets = findTargets(options.target);
  if (!targets)
    return targets.takeError();
  const Target *target = targets->front();
  // Each instance of a family has the program alone.
  if (!isFamily(module))
    if (llvm::Error error = takeProgram(module, options).takeError())
      return error;
  return Descent(module, getDescent(module, *target, options, options.timing)).lowerTo(Level::Kernel);
}

/// Whether an instance has a size out of the family's bounds.
static bool isBeyondBounds(ModuleOp family) {
  auto bounds = family->getAttrOfType<DictionaryAttr>(kSizesAttr);
  return llvm::any_of(family.getOps<ModuleOp>(), [&](ModuleOp instance) {
    auto sizes = instance->getAttrOfType<DictionaryAttr>(kSizesAttr);
    return sizes && llvm::any_of(sizes, [&](NamedAttribute size) {
             auto own = bounds.getAs<DenseI64ArrayAttr>(size.getName());
             return own && cast<IntegerAttr>(size.getValue()).getInt() > own[1];
           });
  });
}

Expected<OwningOpRef<ModuleOp>> readJoined(llvm::function_ref<Expected<OwningOpRef<ModuleOp>>(bool)> read,
                                           const CompileOptions &options) {
  Expected<OwningOpRef<ModuleOp>> module = read(/*isWithin=*/false);
  if (!module || !isFamily(**module))
    return module;
  bool isBeyond = isBeyondBounds(**module);
  llvm::Error error = lowerToKernels(**module, options);
  if (!error)
    return module;
  if (isBeyond) {
    Expected<OwningOpRef<ModuleOp>> within = read(/*isWithin=*/true);
    llvm::Error other = within ? lowerToKernels(**within, options) : within.takeError();
    bool isProgram = !other;
    llvm::consumeError(std::move(other));
    if (isProgram) {
      llvm::consumeError(std::move(error));
      return within;
    }
  }
  return error;
}

Expected<CompiledProgram> compileProgram(ModuleOp module, const CompileOptions &options) {
  Expected<std::vector<const Target *>> targets = findTargets(options.target);
  if (!targets)
    return targets.takeError();
  if (targets->size() > 1) {
    Expected<std::string> container = compileForSeveral(module, *targets, options);
    if (!container)
      return container.takeError();
    CompiledProgram compiled;
    compiled.container = std::move(*container);
    return compiled;
  }
  if (!options.placement.empty())
    return llvm::createStringError("kernels are placed where there are several targets, got '" + options.target + "'");
  Expected<const Target *> target = targets->front();
  if (isFamily(module))
    if (llvm::Error error = lowerToKernels(module, options))
      return error;
  Expected<FunctionOpInterface> program = takeProgram(module, options);
  if (!program)
    return program.takeError();
  FirstError errors(module.getContext());
  if (failed(verifyState(*program)))
    return errors.take("what the program says about its state does not hold");
  std::string name = program->getName().str();
  if (llvm::Error error = lower(module, **target, options))
    return error;
  auto host = module.lookupSymbol<kernel::ProgramOp>(name);
  if (!host)
    return llvm::createStringError("'" + name + "' is a kernel, or did not become a program");

  TimingScope timing = nest(options.timing, "Code generation");
  SerializeOptions how;
  how.stem = options.stem;
  FailureOr<TargetOutput> output = (*target)->serialize(module, how);
  if (failed(output))
    return errors.take("the target failed without saying why");
  CompiledProgram compiled;
  compiled.files = std::move(output->files);
  if ((*target)->getOutput() == Target::Output::Source)
    return compiled;
  Expected<std::string> container = writeContainer(host, TargetBinary{*target, &*output}, options);
  if (!container)
    return container.takeError();
  compiled.container = std::move(*container);
  return compiled;
}

} // namespace tiny
