// Compiles a module, loads it on a device, and runs it on host tensors.
#include "Tiny/Driver/Executable.h"

#include "HostProgram.h"
#include "Image.h"
#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Reference/Interpreter.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Target/Cpu/Processor.h"
#include "Tiny/Target/Passes.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include <chrono>

using namespace mlir;
using llvm::Expected;

namespace tiny {

constexpr StringLiteral kReferenceDevice = "reference";

/// What runs: a program on a device of the runtime, or a module for the interpreter. Members are destroyed in reverse:
/// the machine code and the constants outlive the program that uses them.
struct Executable::Loaded {
  runtime::Device device;
  std::unique_ptr<cpu::Jit> jit;
  std::unique_ptr<HostProgram> host;

  OwningOpRef<ModuleOp> module;
  std::string function;

  /// By kernel.
  llvm::StringMap<KernelWork> work;

  /// By result: the argument whose buffer it is in. By argument: whether the program may write it.
  std::vector<std::optional<unsigned>> aliases;
  std::vector<bool> donated;
};

Executable::Executable() : loaded(std::make_unique<Loaded>()) {}
Executable::~Executable() = default;

/// What one launch moves and computes.
static KernelWork getWork(uop::FuncOp kernel) {
  KernelWork work;
  for (Type type : kernel.getArgumentTypes())
    if (auto buffer = dyn_cast<MemRefType>(type); buffer && buffer.hasStaticShape())
      work.bytes += uint64_t(buffer.getNumElements()) * llvm::divideCeil(buffer.getElementTypeBitWidth(), 8);
  if (auto operations = kernel->getAttrOfType<IntegerAttr>("uop.operations"))
    work.operations = operations.getInt();
  return work;
}

/// A part of the report; without one it measures nothing.
static TimingScope nest(TimingScope *timing, StringRef name) { return timing ? timing->nest(name) : TimingScope(); }

llvm::Error setPipelineOptions(PipelineOptions &options, StringRef text, StringRef processor) {
  // The pipelines that the options are for begin with a target's record.
  registerAllTargets();
  Expected<cpu::Processor> described = cpu::describeProcessor(processor);
  if (!described)
    return described.takeError();
  // The options as text may say otherwise.
  options.fma = described->fma;
  options.rounding = described->rounding;
  if (!described->f16) {
    std::vector<std::string> emulated = options.emulate;
    emulated.push_back("f16");
    options.emulate = emulated;
  }
  std::string reason;
  llvm::raw_string_ostream reasonStream(reason);
  if (failed(options.parseFromString(text, reasonStream)))
    // A value that is none of the known ones has been reported by its parser: nothing is left to say.
    return llvm::createStringError(StringRef(reason).trim().rsplit(": ").second);
  return llvm::Error::success();
}

/// Takes the module to the bottom of the ladder, and notes on the way what its kernels do where `work` is given. Errors
/// are the passes' own.
static llvm::Error lower(ModuleOp module, const CompileOptions &options, llvm::StringMap<KernelWork> *work) {
  TimingScope timing = nest(options.timing, "Passes");
  PipelineOptions pipeline;
  if (llvm::Error error = setPipelineOptions(pipeline, options.pipeline, options.processor))
    return error;
  auto run = [&](Level from, Level to, bool count) -> llvm::Error {
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    manager.enableTiming(timing);
    if (options.configure && failed(options.configure(manager)))
      return llvm::createStringError("the pass manager cannot be set up");
    manager.addPass(createTargetAttach({/*target=*/"", options.processor, /*record=*/""}));
    buildPipeline(manager, from, to, pipeline);
    if (count)
      manager.nest<uop::FuncOp>().addPass(uop::createUOpCountOperations());
    FirstError errors(module.getContext());
    if (failed(manager.run(module)))
      return errors.take("the compiler failed without saying why");
    return llvm::Error::success();
  };
  Level level = detectLevel(module);
  if (!work || level > Level::UOp)
    return run(level, Level::Llvm, /*count=*/false);
  if (llvm::Error error = run(level, Level::UOp, /*count=*/true))
    return error;
  for (auto kernel : module.getOps<uop::FuncOp>())
    (*work)[kernel.getSymName()] = getWork(kernel);
  return run(Level::UOp, Level::Llvm, /*count=*/false);
}

static Expected<runtime::Device> openDevice(const std::string &name, unsigned threads) {
  runtime::Device device;
  tiny_status status = tiny_device_open(name.c_str(), device.receive());
  if (status == TINY_NOT_FOUND)
    return llvm::createStringError(Twine(tiny_last_error()) + ", '" + kReferenceDevice + "'");
  if (status != TINY_OK)
    return llvm::createStringError(tiny_last_error());
  if (threads && tiny_device_set_threads(device.get(), threads) != TINY_OK)
    return llvm::createStringError(tiny_last_error());
  return device;
}

/// Notes what the program takes and gives, and says of its state.
llvm::Error Executable::describe(FunctionOpInterface program) {
  inputs = tiny::getInputs(program);
  results = tiny::getResults(program);
  FirstError errors(program->getContext());
  if (failed(verifyState(program)))
    return errors.take("what the program says about its state does not hold");
  loaded->function = program.getName().str();
  for (unsigned k = 0; k < program.getNumArguments(); ++k)
    loaded->donated.push_back(program.getArgAttr(k, kDonatedAttr) != nullptr);
  for (unsigned k = 0; k < program.getNumResults(); ++k)
    loaded->aliases.push_back(getAliasedArgument(program, k));
  return llvm::Error::success();
}

/// Loads the host side of a module at the llvm level on the device. Without machine code the kernels have no function.
llvm::Error Executable::loadHost(ModuleOp module, TimingScope *parent) {
  TimingScope timing = nest(parent, "Loading");
  auto host = module.lookupSymbol<kernel::ProgramOp>(loaded->function);
  if (!host)
    return llvm::createStringError("'" + loaded->function + "' is a kernel, or did not become a program");
  auto findKernel = [&](StringRef name) -> Expected<cpu::JitKernel> {
    if (!loaded->jit)
      if (auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
          kernel && kernel->hasAttrOfType<DenseI64ArrayAttr>(kGridAttr))
        return cpu::JitKernel{cpu::describeKernel(kernel)};
    if (const cpu::JitKernel *kernel = loaded->jit ? loaded->jit->lookup(name) : nullptr)
      return *kernel;
    return llvm::createStringError("there is no machine code for kernel '" + name + "'");
  };
  Expected<std::unique_ptr<HostProgram>> hostProgram = HostProgram::load(host, loaded->device.get(), findKernel);
  if (!hostProgram)
    return hostProgram.takeError();
  loaded->host = std::move(*hostProgram);
  return llvm::Error::success();
}

Expected<std::unique_ptr<Executable>> Executable::compile(ModuleOp module, const CompileOptions &options) {
  std::unique_ptr<Executable> executable(new Executable());
  Loaded &loaded = *executable->loaded;
  bool reference = options.device == kReferenceDevice;
  if (!reference) {
    Expected<runtime::Device> device = openDevice(options.device, options.threads);
    if (!device)
      return device.takeError();
    loaded.device = std::move(*device);
  }

  Expected<FunctionOpInterface> program = findProgram(module, options.function);
  if (!program)
    return program.takeError();
  dropOtherPrograms(module, *program);
  if (llvm::Error error = executable->describe(*program))
    return error;
  if (reference) {
    loaded.module = module.clone();
    return executable;
  }

  if (llvm::Error error = lower(module, options, options.countWork ? &loaded.work : nullptr))
    return error;
  std::vector<std::string> objects;
  if (options.device == kCpuDevice) {
    TimingScope timing = nest(options.timing, "Code generation");
    FirstError errors(module.getContext());
    cpu::JitOptions jitOptions;
    jitOptions.processor = options.processor;
    if (options.image)
      jitOptions.objects = &objects;
    FailureOr<std::unique_ptr<cpu::Jit>> jit = cpu::Jit::compile(module, jitOptions);
    if (failed(jit))
      return errors.take("machine code cannot be generated");
    loaded.jit = std::move(*jit);
  }
  if (llvm::Error error = executable->loadHost(module, options.timing))
    return error;
  if (options.image && loaded.jit)
    *options.image = writeImage(module.lookupSymbol<kernel::ProgramOp>(loaded.function), objects, loaded.work);
  return executable;
}

Expected<std::unique_ptr<Executable>> Executable::load(std::unique_ptr<llvm::MemoryBuffer> image, MLIRContext *context,
                                                       unsigned threads, TimingScope *timing) {
  Expected<runtime::Device> device = openDevice(kCpuDevice.str(), threads);
  if (!device)
    return device.takeError();
  std::unique_ptr<Executable> executable(new Executable());
  Loaded &loaded = *executable->loaded;
  loaded.device = std::move(*device);
  context->loadDialect<kernel::KernelDialect, LLVM::LLVMDialect>();
  Expected<OwningOpRef<ModuleOp>> module = readImage(std::move(image), context);
  if (!module)
    return module.takeError();
  Expected<FunctionOpInterface> program = findProgram(**module, "");
  if (!program)
    return program.takeError();
  if (llvm::Error error = executable->describe(*program))
    return error;
  {
    TimingScope linking = nest(timing, "Linking");
    FirstError errors(context);
    FailureOr<std::unique_ptr<cpu::Jit>> jit = cpu::Jit::load(**module, getObjects(**module));
    if (failed(jit))
      return errors.take("machine code cannot be loaded");
    loaded.jit = std::move(*jit);
  }
  loaded.work = tiny::getKernelWork(**module);
  if (llvm::Error error = executable->loadHost(**module, timing))
    return error;
  return executable;
}

/// A buffer over a tensor's memory.
static Expected<runtime::Buffer> borrow(tiny_device *device, const HostTensor &tensor, uint32_t flags) {
  runtime::Buffer buffer;
  char *data = const_cast<char *>(tensor.bytes.data());
  if (tiny_buffer_import(device, data, tensor.bytes.size(), flags, nullptr, nullptr, buffer.receive()) != TINY_OK)
    return runtimeError("a tensor's memory cannot be used");
  return buffer;
}

/// Runs the program on buffers over the tensors' own memory. A donated argument is not the caller's to lose: the
/// program gets the memory of the result that aliases it, with the argument's elements in it, or a copy.
llvm::Error Executable::runOnDevice(ArrayRef<const HostTensor *> arguments, std::vector<HostTensor> &tensors,
                                    const tiny_run_options *options) const {
  std::vector<runtime::Buffer> owners;
  std::vector<tiny_buffer *> inputs(arguments.size()), outputs;
  std::vector<HostTensor> copies;
  copies.reserve(arguments.size());
  auto add = [&](const HostTensor &tensor, uint32_t flags) -> Expected<tiny_buffer *> {
    Expected<runtime::Buffer> buffer = borrow(loaded->device.get(), tensor, flags);
    if (!buffer)
      return buffer.takeError();
    owners.push_back(std::move(*buffer));
    return owners.back().get();
  };
  for (auto [tensor, alias] : llvm::zip_equal(tensors, loaded->aliases)) {
    if (alias && &tensor != arguments[*alias])
      tensor.bytes = arguments[*alias]->bytes;
    Expected<tiny_buffer *> buffer = add(tensor, TINY_IMPORT_READ_WRITE);
    if (!buffer)
      return buffer.takeError();
    outputs.push_back(*buffer);
    if (alias)
      inputs[*alias] = *buffer;
  }
  for (auto [input, argument, donated] : llvm::zip_equal(inputs, arguments, loaded->donated)) {
    if (input)
      continue;
    if (donated)
      copies.push_back(*argument);
    Expected<tiny_buffer *> buffer =
        add(donated ? copies.back() : *argument, donated ? TINY_IMPORT_READ_WRITE : TINY_IMPORT_READ_ONLY);
    if (!buffer)
      return buffer.takeError();
    input = *buffer;
  }
  if (tiny_program_run(loaded->host->get(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), options) !=
      TINY_OK)
    return runtimeError("the program cannot run");
  return llvm::Error::success();
}

unsigned Executable::getThreads() const { return loaded->device ? tiny_device_threads(loaded->device.get()) : 1; }

const llvm::StringMap<KernelWork> &Executable::getKernelWork() const { return loaded->work; }

std::optional<tiny_memory_plan> Executable::getMemoryPlan() const {
  tiny_memory_plan plan;
  if (!loaded->host || tiny_program_memory(loaded->host->get(), &plan) != TINY_OK)
    return std::nullopt;
  return plan;
}

/// Runs the module by its definition.
static llvm::Error interpret(ModuleOp module, StringRef function, ArrayRef<const HostTensor *> arguments,
                             std::vector<HostTensor> &results) {
  SmallVector<HostTensor> inputs;
  for (const HostTensor *argument : arguments)
    inputs.push_back(*argument);
  FirstError errors(module.getContext());
  FailureOr<SmallVector<HostTensor>> values = reference::interpret(module, function, inputs);
  if (failed(values))
    return errors.take("the program has no meaning");
  results.assign(std::make_move_iterator(values->begin()), std::make_move_iterator(values->end()));
  return llvm::Error::success();
}

Expected<RunResult> Executable::run(ArrayRef<const HostTensor *> arguments, const tiny_run_options *options) const {
  assert(arguments.size() == inputs.size() && "one tensor per input");
  RunResult result;
  uint64_t bytes = 0;
  for (const Parameter &parameter : results) {
    std::optional<tiny_dtype> dtype = getDtype(parameter.type.getElementType());
    if (!dtype || !countElements(parameter.type.getShape(), tiny_dtype_size(*dtype)))
      return llvm::createStringError("result '" + parameter.name + "' is of a type that has no buffers");
    bytes += uint64_t(parameter.type.getNumElements()) * tiny_dtype_size(*dtype);
    if (llvm::Error error = checkMemory(bytes, "result '" + parameter.name + "', " + formatType(parameter.type) + ","))
      return error;
    result.tensors.push_back(HostTensor::zeros(*dtype, parameter.type.getShape()));
  }
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = run(arguments, result.tensors, options))
    return error;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

llvm::Error Executable::run(ArrayRef<const HostTensor *> arguments, std::vector<HostTensor> &tensors,
                            const tiny_run_options *options) const {
  assert(arguments.size() == inputs.size() && tensors.size() == results.size() && "one tensor each");
  if (loaded->module)
    return interpret(*loaded->module, loaded->function, arguments, tensors);
  return runOnDevice(arguments, tensors, options);
}

} // namespace tiny
