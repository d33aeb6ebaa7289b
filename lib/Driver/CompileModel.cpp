// Compiles a model down to a level, to code, or to one kernel shown at every level.
#include "Tiny/Driver/CompileModel.h"
#include "Descent.h"
#include "LevelSnapshot.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Driver/CompileProgram.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Support/Family.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

namespace {

/// A job of tiny-compile on a module that has been read.
class Job {
public:
  Job(const CompileRequest &request, const Target &target, ModuleOp module)
      : request(request), target(target), module(module), descent(module, makeOptions()) {}

  /// The program at a level, or its kernels in a form of the target.
  Expected<std::string> writeLevel();
  /// One kernel at every level, from the operations that it came from to the last text of the target.
  llvm::Error showKernel(raw_ostream &stream);
  /// An error that lists what there is, where the name is neither a level nor a form.
  llvm::Error checkName(StringRef name) const;

private:
  DescentOptions makeOptions() const {
    DescentOptions options;
    options.target = &target;
    options.machine = request.machine;
    options.pipeline = request.getPipeline();
    options.configure = request.configure;
    return options;
  }
  /// The level as `--compile-to=` and headings call it.
  StringRef getName(Level level) const { return level == Level::Llvm ? target.getLevel() : getLevelName(level); }
  std::optional<Level> findLevel(StringRef name) const;
  llvm::Error lowerTo(Level level);
  Expected<std::string> print(ModuleOp lowered, StringRef form);

  const CompileRequest &request;
  const Target &target;
  ModuleOp module;
  Descent descent;
};

/// The kernel of the name at the level that the module stands at; the message lists what there is.
Expected<Operation *> findKernel(ModuleOp module, StringRef name) {
  std::vector<std::string> names;
  for (Operation &op : *module.getBody()) {
    if (!isa<FunctionOpInterface>(op) || isa<kernel::ProgramOp, func::FuncOp>(op))
      continue;
    StringRef other = SymbolTable::getSymbolName(&op).getValue();
    if (other == name)
      return &op;
    names.push_back("'" + other.str() + "'");
  }
  return llvm::createStringError("no kernel is called '" + name + "'; there " +
                                 (names.empty() ? "are none" : "are " + llvm::join(names, ", ")));
}

llvm::Error Job::lowerTo(Level level) {
  llvm::Error error = level == Level::Llvm ? descent.lowerToTarget() : descent.lowerTo(level);
  if (error && descent.getLevel() > level)
    return llvm::createStringError(request.model + ": " + llvm::toString(std::move(error)));
  return error;
}

/// The kernels of a lowered module in a form of the target.
Expected<std::string> Job::print(ModuleOp lowered, StringRef form) {
  FirstError errors(lowered.getContext());
  FailureOr<std::string> text = target.print(lowered, form, {});
  if (failed(text))
    return errors.take("the target failed without saying why");
  if (text->empty())
    return llvm::createStringError(request.model + ": the program has no kernel, so there is no code");
  return std::move(*text);
}

llvm::Error Job::showKernel(raw_ostream &stream) {
  // Above the kernel level there are no kernels, only what one will be made of.
  std::vector<LevelSnapshot> above;
  for (Level level : {Level::Tensor, Level::Lazy, Level::Kernel, Level::UOp, Level::Llvm}) {
    if (descent.getLevel() > level)
      continue;
    if (llvm::Error error = lowerTo(level))
      return error;
    if (level < Level::Kernel) {
      above.emplace_back(module, getName(level));
      continue;
    }
    Expected<Operation *> kernel = findKernel(module, request.kernel);
    if (!kernel)
      return kernel.takeError();
    for (const LevelSnapshot &snapshot : above) {
      stream << "// ----- " << snapshot.getLevel() << "\n";
      snapshot.printSources(*kernel, stream);
    }
    above.clear();
    stream << "// ----- " << getName(level) << "\n" << **kernel << "\n";
    // The script that it names, which the next step runs.
    if (auto schedule = (*kernel)->getAttrOfType<SymbolRefAttr>("schedule"))
      if (Operation *script = SymbolTable::lookupNearestSymbolFrom(*kernel, schedule))
        stream << "// ----- its schedule\n" << *script << "\n";
  }
  Expected<Operation *> kernel = findKernel(module, request.kernel);
  if (!kernel)
    return kernel.takeError();
  OwningOpRef<ModuleOp> alone(ModuleOp::create(module.getLoc()));
  // The device's record among them.
  (*alone)->setAttrs(module->getAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockBegin(alone->getBody());
  builder.clone(**kernel);
  // Its tiles, where the target has them outside.
  llvm::SmallPtrSet<Operation *, 4> used;
  if (std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(*kernel))
    for (const SymbolTable::SymbolUse &use : *uses)
      if (Operation *symbol = SymbolTable::lookupSymbolIn(module, use.getSymbolRef()))
        if (used.insert(symbol).second)
          builder.clone(*symbol);
  for (const TargetForm &form : target.getForms()) {
    if (!form.isText)
      continue;
    Expected<std::string> text = print(*alone, form.name);
    if (!text)
      return text.takeError();
    stream << "// ----- " << form.name << "\n" << *text;
  }
  return llvm::Error::success();
}

/// The level that the name means, or none: then it may be a form of the target.
std::optional<Level> Job::findLevel(StringRef name) const {
  for (Level level : {Level::Tensor, Level::Lazy, Level::Kernel, Level::UOp, Level::Llvm})
    if (getName(level) == name)
      return level;
  return std::nullopt;
}

llvm::Error Job::checkName(StringRef name) const {
  std::vector<StringRef> known;
  for (Level level : {Level::Tensor, Level::Lazy, Level::Kernel, Level::UOp, Level::Llvm})
    known.push_back(getName(level));
  for (const TargetForm &form : target.getForms())
    known.push_back(form.name);
  if (llvm::is_contained(known, name))
    return llvm::Error::success();
  StringRef last = known.back();
  known.pop_back();
  return llvm::createStringError("--compile-to=" + name + ": expected " + llvm::join(known, ", ") + " or " + last);
}

Expected<std::string> Job::writeLevel() {
  std::optional<Level> level = findLevel(request.to);
  if (llvm::Error error = lowerTo(level.value_or(Level::Llvm)))
    return error;
  if (!level)
    return print(module, request.to);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << "\n";
  return text;
}

} // namespace

static CompileOptions getOptions(const CompileRequest &request) {
  CompileOptions options;
  options.target = request.target;
  options.machine = request.machine;
  options.placement = request.placement;
  options.function = request.function;
  options.pipeline = request.getPipeline();
  options.configure = request.configure;
  options.stem = request.stem;
  options.constants = request.constants;
  options.folder = request.folder;
  return options;
}

/// Compiles a module that has been read for the target.
static Expected<std::vector<OutputFile>> makeOutput(const CompileRequest &request, ModuleOp module) {
  // Of a family there is no program before its instances are joined.
  if (!isFamily(module)) {
    llvm::Expected<FunctionOpInterface> found = findProgram(module, request.function);
    if (!found)
      return llvm::createStringError(request.model + ": " + llvm::toString(found.takeError()));
  }
  Expected<CompiledProgram> program = compileProgram(module, getOptions(request));
  if (!program)
    return addPath(request.model, program.takeError());
  if (!program->files.empty())
    return std::move(program->files);
  // Not by an initialiser list, which would copy what may be most of the memory.
  std::vector<OutputFile> files(1);
  files.front().content = std::move(program->container);
  return files;
}

Expected<std::vector<OutputFile>> compileModule(const CompileRequest &request, ModuleOp module) {
  Expected<std::vector<const Target *>> targets = findTargets(request.target);
  if (!targets)
    return targets.takeError();
  if (request.to.empty() && request.kernel.empty())
    return makeOutput(request, module);
  if (targets->size() > 1)
    return llvm::createStringError("--compile-to and --kernel are for one target, got '" + request.target + "'");
  Job job(request, *targets->front(), module);
  if (llvm::Error error = request.to.empty() ? llvm::Error::success() : job.checkName(request.to))
    return error;
  if (!request.function.empty()) {
    Expected<FunctionOpInterface> program = findProgram(module, request.function);
    if (!program)
      return llvm::createStringError(request.model + ": " + llvm::toString(program.takeError()));
    dropOtherPrograms(module, *program);
  }
  if (request.kernel.empty()) {
    Expected<std::string> text = job.writeLevel();
    if (!text)
      return text.takeError();
    return std::vector<OutputFile>{{"", std::move(*text)}};
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::Error error = job.showKernel(stream))
    return error;
  return std::vector<OutputFile>{{"", std::move(text)}};
}

Expected<std::vector<OutputFile>> compileModel(const CompileRequest &request, MLIRContext *context) {
  Expected<std::vector<const Target *>> targets = findTargets(request.target);
  if (!targets)
    return targets.takeError();
  Expected<DimSizes> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();
  if (llvm::Error error = makeRecord(*targets->front(), request.machine, context).takeError())
    return error;
  auto read = [&](bool isWithin) { return readSource(request.model, context, *dims, isWithin); };
  // A level is shown as it is.
  bool isWhole = request.to.empty() && request.kernel.empty() && targets->size() == 1;
  Expected<OwningOpRef<ModuleOp>> module = isWhole ? readJoined(read, getOptions(request)) : read(/*isWithin=*/false);
  if (!module)
    return addPath(request.model, module.takeError());
  return compileModule(request, **module);
}

Expected<OwningOpRef<ModuleOp>> lowerModelToKernels(const ModelRequest &request, StringRef target,
                                                    MLIRContext *context) {
  Expected<DimSizes> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();
  Expected<OwningOpRef<ModuleOp>> module = readSource(request.model, context, *dims);
  if (!module)
    return module.takeError();
  CompileOptions options;
  options.target = target;
  options.function = request.function;
  options.pipeline = request.getPipeline();
  options.machine = request.machine;
  if (llvm::Error error = lowerToKernels(**module, options))
    return error;
  return module;
}

} // namespace tiny
