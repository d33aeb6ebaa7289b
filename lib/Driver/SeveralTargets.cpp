// Kernels leave the kernel level each for its own target; the program stays there, and becomes items as always.
#include "SeveralTargets.h"

#include "Descent.h"
#include "ProgramContainer.h"
#include "ProgramItems.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Driver/Source.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

namespace {

constexpr StringLiteral kScheduleAttr = "schedule";

class SeveralTargets {
public:
  SeveralTargets(ModuleOp module, ArrayRef<const Target *> targets, const CompileOptions &options)
      : module(module), targets(targets), options(options) {}

  /// Takes what kernels say, and what the options say, which counts more.
  llvm::Error takeAttributes();
  llvm::Error takeOptions(ArrayRef<StringRef> kernels);
  /// Compiles all kernels. Each target's output has its own.
  Expected<std::vector<TargetOutput>> compile(ArrayRef<StringRef> kernels);
  /// Makes copies between the targets' devices items of the program, where kernels are of more than the first.
  llvm::Error addCopies(ArrayRef<TargetOutput> outputs);

private:
  Expected<size_t> findPlace(StringRef kernel, StringRef name) const;
  Expected<TargetOutput> compileKernels(size_t target, ArrayRef<StringRef> kernels);
  Expected<TargetOutput> compileWhatGoes(size_t target, std::vector<StringRef> &kernels);
  OwningOpRef<ModuleOp> extract(size_t target, ArrayRef<StringRef> kernels);

  ModuleOp module;
  ArrayRef<const Target *> targets;
  const CompileOptions &options;
  /// Targets that somebody chose.
  llvm::StringMap<size_t> places;
  /// Why the first target that was asked has no code for a kernel.
  llvm::StringMap<std::string> reasons;
};

} // namespace

Expected<size_t> SeveralTargets::findPlace(StringRef kernel, StringRef name) const {
  std::string names;
  for (auto [index, target] : llvm::enumerate(targets)) {
    if (target->getName() == name)
      return index;
    names += (names.empty() ? "'" : ", '") + target->getName().str() + "'";
  }
  return llvm::createStringError("kernel '" + kernel + "' is placed on '" + name + "', expected one of " + names);
}

/// The attributes go until all is placed: the module has no records of the other targets yet.
llvm::Error SeveralTargets::takeAttributes() {
  for (auto func : module.getOps<kernel::FuncOp>())
    if (auto device = func->getAttrOfType<StringAttr>(target::kDevice)) {
      Expected<size_t> found = findPlace(func.getSymName(), device);
      if (!found)
        return found.takeError();
      places[func.getSymName()] = *found;
      func->removeAttr(target::kDevice);
    }
  return llvm::Error::success();
}

llvm::Error SeveralTargets::takeOptions(ArrayRef<StringRef> kernels) {
  for (StringRef text : options.placement) {
    auto [kernel, name] = text.split('=');
    if (!llvm::is_contained(kernels, kernel)) {
      std::string known;
      for (StringRef other : kernels)
        known += (known.empty() ? "'" : ", '") + other.str() + "'";
      return llvm::createStringError("no kernel is called '" + kernel + "', which is to be placed; there are " +
                                     (known.empty() ? "none" : known));
    }
    Expected<size_t> found = findPlace(kernel, name);
    if (!found)
      return found.takeError();
    places[kernel] = *found;
  }
  return llvm::Error::success();
}

/// Whether it passes a buffer that it writes a second time, as a whole or in part.
static bool mayBeInPlace(kernel::LaunchOp launch) {
  SmallVector<Value> roots(llvm::map_range(launch.getOperands(), [](Value buffer) { return kernel::getRoot(buffer); }));
  for (size_t written = launch.getIns().size(); written < roots.size(); ++written)
    if (llvm::is_contained(ArrayRef(roots).take_front(written), roots[written]))
      return true;
  return false;
}

/// The kernels, and of the program the launches that say which of them write in place: with others, passes would change
/// what the program itself passes. For another target than the first kernels have no schedule yet.
OwningOpRef<ModuleOp> SeveralTargets::extract(size_t target, ArrayRef<StringRef> kernels) {
  OwningOpRef<ModuleOp> extracted(module.clone());
  for (Operation &op : llvm::make_early_inc_range(*extracted->getBody())) {
    auto func = dyn_cast<kernel::FuncOp>(op);
    if (func && llvm::is_contained(kernels, func.getSymName())) {
      // It stays, whether it is launched here or not.
      SymbolTable::setSymbolVisibility(func, SymbolTable::Visibility::Public);
      func->removeAttr(target::kDevice);
      if (target)
        func->removeAttr(kScheduleAttr);
    } else if (func || (target && isa<ModuleOp>(op))) {
      op.erase();
    }
  }
  extracted->walk([&](kernel::LaunchOp launch) {
    if (!llvm::is_contained(kernels, launch.getCallee()) || !mayBeInPlace(launch))
      launch.erase();
  });
  return extracted;
}

Expected<TargetOutput> SeveralTargets::compileKernels(size_t index, ArrayRef<StringRef> kernels) {
  const Target &target = *targets[index];
  MLIRContext *context = module.getContext();
  OwningOpRef<ModuleOp> extracted = extract(index, kernels);
  DescentOptions how;
  how.target = &target;
  how.pipeline = options.pipeline;
  how.configure = options.configure;
  how.machine = chooseMachine(target, options, module, index == 0);
  FirstError errors(context);
  if (index) {
    Expected<target::RecordAttr> record = makeRecord(target, how.machine, context);
    if (!record)
      return record.takeError();
    target::attachRecord(*extracted, target.getName(), *record);
    PassManager manager(context, ModuleOp::getOperationName());
    buildSchedules(manager);
    if (failed(manager.run(*extracted)))
      return errors.take("the schedules failed without saying why");
  }
  if (llvm::Error error = Descent(*extracted, how).lowerToTarget())
    return std::move(error);
  SerializeOptions serialize;
  serialize.stem = options.stem;
  FailureOr<TargetOutput> output = target.serialize(*extracted, serialize);
  if (failed(output))
    return errors.take("the target failed without saying why");
  return std::move(*output);
}

/// All at once; where that fails, those that the target has code for. The others stay in the list.
Expected<TargetOutput> SeveralTargets::compileWhatGoes(size_t target, std::vector<StringRef> &kernels) {
  Expected<TargetOutput> all = compileKernels(target, kernels);
  if (all) {
    kernels.clear();
    return all;
  }
  llvm::consumeError(all.takeError());
  std::vector<StringRef> good, bad;
  for (StringRef kernel : kernels) {
    Expected<TargetOutput> alone = compileKernels(target, kernel);
    (alone ? good : bad).push_back(kernel);
    if (!alone)
      reasons.try_emplace(kernel, llvm::toString(alone.takeError()));
  }
  kernels = std::move(bad);
  return compileKernels(target, good);
}

Expected<std::vector<TargetOutput>> SeveralTargets::compile(ArrayRef<StringRef> kernels) {
  std::vector<StringRef> left = kernels.vec();
  std::vector<TargetOutput> outputs;
  for (size_t target = 0; target < targets.size(); ++target) {
    std::vector<StringRef> mine, others;
    for (StringRef kernel : left) {
      auto place = places.find(kernel);
      (place == places.end() || place->second == target ? mine : others).push_back(kernel);
    }
    Expected<TargetOutput> output = compileWhatGoes(target, mine);
    if (!output)
      return output.takeError();
    outputs.push_back(std::move(*output));
    left = std::move(others);
    llvm::append_range(left, mine);
  }
  if (!left.empty())
    return llvm::createStringError("kernel '" + left.front() + "': " + reasons[left.front()]);
  return outputs;
}

llvm::Error SeveralTargets::addCopies(ArrayRef<TargetOutput> outputs) {
  MLIRContext *context = module.getContext();
  SmallVector<StringRef> devices;
  bool isOnSeveral = false;
  for (auto [index, target] : llvm::enumerate(targets)) {
    devices.push_back(target->getName());
    for (const KernelLaunch &launch : outputs[index].kernels)
      if (auto func = module.lookupSymbol<kernel::FuncOp>(launch.name)) {
        func->setAttr(target::kDevice, StringAttr::get(context, target->getName()));
        isOnSeveral |= index != 0;
      }
  }
  if (!isOnSeveral)
    return llvm::Error::success();
  FirstError errors(context);
  PassManager manager(context, ModuleOp::getOperationName());
  if (options.configure && failed(options.configure(manager)))
    return errors.take("the passes failed without saying why");
  buildCopiesBetweenDevices(manager, devices);
  return failed(manager.run(module)) ? errors.take("the copies failed without saying why") : llvm::Error::success();
}

Expected<std::string> compileForSeveral(ModuleOp module, ArrayRef<const Target *> targets,
                                        const CompileOptions &options) {
  CompileOptions first = options;
  first.target = targets.front()->getName();
  SeveralTargets several(module, targets, options);
  if (llvm::Error error = several.takeAttributes())
    return std::move(error);
  if (llvm::Error error = lowerToKernels(module, first))
    return std::move(error);
  Expected<FunctionOpInterface> found = findProgram(module, options.function);
  if (!found)
    return found.takeError();
  auto program = dyn_cast<kernel::ProgramOp>(found->getOperation());
  if (!program)
    return llvm::createStringError("'" + found->getName() + "' is a kernel, or did not become a program");
  Expected<std::unique_ptr<ProgramItems>> items = ProgramItems::build(program);
  if (!items)
    return items.takeError();
  std::vector<StringRef> kernels;
  for (StringRef kernel : (*items)->getKernels())
    kernels.push_back(kernel);
  if (llvm::Error error = several.takeOptions(kernels))
    return std::move(error);
  Expected<std::vector<TargetOutput>> outputs = several.compile(kernels);
  if (!outputs)
    return outputs.takeError();
  // The container says what each is for. What began below every record has none of the first target.
  for (auto [index, target] : llvm::enumerate(targets)) {
    if (index == 0 && target::lookupRecord(module, target->getName()))
      continue;
    Expected<target::RecordAttr> record =
        makeRecord(*target, chooseMachine(*target, options, module, index == 0), module.getContext());
    if (!record)
      return record.takeError();
    target::attachRecord(module, target->getName(), *record);
  }
  if (llvm::Error error = several.addCopies(*outputs))
    return std::move(error);
  std::vector<TargetBinary> binaries;
  for (auto [target, output] : llvm::zip_equal(targets, *outputs))
    binaries.push_back({target, &output});
  return writeContainer(program, binaries, options);
}

} // namespace tiny
