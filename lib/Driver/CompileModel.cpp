// Compiles a model down to a level, to code, or to one kernel shown at every level.
#include "Tiny/Driver/CompileModel.h"
#include "LevelSnapshot.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Target/Cpu/Jit.h"
#include "Tiny/Target/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

Expected<llvm::StringMap<int64_t>> parseDims(ArrayRef<std::string> texts) {
  llvm::StringMap<int64_t> dims;
  for (const std::string &text : texts) {
    auto [name, size] = StringRef(text).rsplit('=');
    int64_t number;
    if (name.empty() || size.getAsInteger(10, number) || number < 0)
      return llvm::createStringError("--dim " + text + ": expected NAME=SIZE");
    if (!dims.try_emplace(name, number).second)
      return llvm::createStringError("--dim " + text + ": '" + name + "' has a size already");
  }
  return dims;
}

namespace {

/// Takes a module down, step by step.
class Descent {
public:
  Descent(const CompileRequest &request, ModuleOp module)
      : request(request), module(module), level(detectLevel(module)) {}

  llvm::Error lowerTo(Level to) {
    if (level > to)
      return llvm::createStringError(request.model + ": the program is at the " + getLevelName(level) +
                                     " level, below the " + getLevelName(to) + " level");
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    if (request.configure && failed(request.configure(manager)))
      return llvm::createStringError("the pass manager cannot be set up");
    PipelineOptions options;
    if (llvm::Error error = setPipelineOptions(options, request.pipeline, request.processor))
      return error;
    manager.addPass(createTargetAttach({/*target=*/"", request.processor, /*record=*/""}));
    buildPipeline(manager, level, to, options);
    level = to;
    FirstError errors(module.getContext());
    if (failed(manager.run(module)))
      return errors.take("the compiler failed without saying why");
    return llvm::Error::success();
  }

  Level getLevel() const { return level; }

private:
  const CompileRequest &request;
  ModuleOp module;
  Level level;
};

llvm::Error emitCode(ModuleOp module, const CompileRequest &request, cpu::JitOptions options) {
  options.processor = request.processor;
  // One part, so that there is one object, with the kernels in the module's order.
  options.together = true;
  FirstError errors(module.getContext());
  FailureOr<std::unique_ptr<cpu::Jit>> jit = cpu::Jit::compile(module, options);
  if (failed(jit))
    return errors.take("machine code cannot be generated");
  if ((*jit)->getKernels().empty())
    return llvm::createStringError(request.model + ": the program has no kernel, so there is no code");
  return llvm::Error::success();
}

/// The kernel of the name at the level that the module stands at; the message lists what there is.
Expected<Operation *> findKernel(ModuleOp module, StringRef name) {
  std::vector<std::string> names;
  for (Operation &op : *module.getBody()) {
    if (!isa<kernel::FuncOp, uop::FuncOp, LLVM::LLVMFuncOp>(op))
      continue;
    StringRef other = SymbolTable::getSymbolName(&op).getValue();
    if (other == name)
      return &op;
    names.push_back("'" + other.str() + "'");
  }
  return llvm::createStringError("no kernel is called '" + name + "'; there " +
                                 (names.empty() ? "are none" : "are " + llvm::join(names, ", ")));
}

llvm::Error showKernel(ModuleOp module, const CompileRequest &request, raw_ostream &stream) {
  Descent descent(request, module);
  // Above the kernel level there are no kernels, only what one will be made of.
  std::vector<LevelSnapshot> above;
  for (Level level : {Level::Tensor, Level::Lazy, Level::Kernel, Level::UOp, Level::Llvm}) {
    if (descent.getLevel() > level)
      continue;
    if (llvm::Error error = descent.lowerTo(level))
      return error;
    if (level < Level::Kernel) {
      above.emplace_back(module, getLevelName(level));
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
    stream << "// ----- " << getLevelName(level) << "\n" << **kernel << "\n";
    // The script that it names, which the next step runs.
    if (auto schedule = (*kernel)->getAttrOfType<SymbolRefAttr>("schedule"))
      if (Operation *script = SymbolTable::lookupNearestSymbolFrom(*kernel, schedule))
        stream << "// ----- its schedule\n" << *script << "\n";
  }
  Expected<Operation *> kernel = findKernel(module, request.kernel);
  if (!kernel)
    return kernel.takeError();
  OwningOpRef<ModuleOp> alone(ModuleOp::create(module.getLoc()));
  OpBuilder::atBlockBegin(alone->getBody()).clone(**kernel);
  std::string ir, assembly;
  llvm::raw_string_ostream irStream(ir), assemblyStream(assembly);
  cpu::JitOptions options;
  options.ir = &irStream;
  options.assembly = &assemblyStream;
  if (llvm::Error error = emitCode(*alone, request, options))
    return error;
  stream << "// ----- llvm-ir\n" << ir << "// ----- assembly\n" << assembly;
  return llvm::Error::success();
}

} // namespace

Expected<std::string> compileModel(const CompileRequest &request, MLIRContext *context) {
  std::optional<Level> level = parseLevel(request.to);
  bool isCode = llvm::is_contained({"llvm-ir", "assembly", "object"}, request.to);
  if (!level && !isCode)
    return llvm::createStringError("--compile-to=" + request.to +
                                   ": expected tensor, lazy, kernel, uop, llvm, llvm-ir, assembly or object");
  Expected<llvm::StringMap<int64_t>> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();
  Expected<OwningOpRef<ModuleOp>> module = readSource(request.model, context, *dims);
  if (!module)
    return module.takeError();
  if (!request.function.empty()) {
    Expected<FunctionOpInterface> program = findProgram(**module, request.function);
    if (!program)
      return llvm::createStringError(request.model + ": " + llvm::toString(program.takeError()));
    dropOtherPrograms(**module, *program);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!request.kernel.empty()) {
    if (llvm::Error error = showKernel(**module, request, stream))
      return error;
    return text;
  }
  if (llvm::Error error = Descent(request, **module).lowerTo(level.value_or(Level::Llvm)))
    return error;
  if (!isCode) {
    (*module)->print(stream);
    stream << "\n";
    return text;
  }
  cpu::JitOptions options;
  std::vector<std::string> objects;
  if (request.to == "object")
    options.objects = &objects;
  else
    (request.to == "llvm-ir" ? options.ir : options.assembly) = &stream;
  if (llvm::Error error = emitCode(**module, request, options))
    return error;
  return objects.empty() ? text : objects.front();
}

} // namespace tiny
