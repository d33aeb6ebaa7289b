// Loads compiled programs on devices, or hands a module to the interpreter, and runs them on host tensors.
#include "Tiny/Driver/Executable.h"

#include "ProgramContainer.h"
#include "ProgramItems.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Reference/Interpreter.h"
#include "Tiny/Runtime/Format.h"
#include "Tiny/Support/Signature.h"
#include <atomic>
#include <chrono>

using namespace mlir;
using llvm::Expected;

namespace tiny {

/// What runs: a program on a device of the runtime, or a module for the interpreter. Members are destroyed in reverse:
/// the container's bytes outlive the program that uses them.
struct Executable::Loaded {
  runtime::Device device;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  LoadedContainer container;
  std::atomic<bool> hasRun = false; ///< on ranks

  OwningOpRef<ModuleOp> module;
  std::string function;
};

Executable::Executable() : loaded(std::make_unique<Loaded>()) {}
Executable::~Executable() = default;

static Expected<runtime::Device> openDevice(StringRef name, unsigned threads) {
  runtime::Device device;
  tiny_status status = tiny_device_open(name.str().c_str(), device.receive());
  if (status == TINY_NOT_FOUND)
    return llvm::createStringError(Twine(tiny_last_error()) + ", '" + kReferenceDevice + "'");
  if (status != TINY_OK || (threads && tiny_device_set_threads(device.get(), threads) != TINY_OK))
    return llvm::createStringError(tiny_last_error());
  return device;
}

static std::string getDeviceName(StringRef device) {
  return device.empty() ? llvm::cantFail(findTarget(""))->getDevice().str() : device.str();
}

llvm::Error Executable::checkDevice(StringRef device, unsigned threads) {
  return countThreads(device, threads).takeError();
}

Expected<unsigned> Executable::countThreads(StringRef device, unsigned threads) {
  if (device == kReferenceDevice) {
    if (threads)
      return llvm::createStringError("device '" + device + "' has no threads to set");
    return 1u;
  }
  Expected<runtime::Device> opened = openDevice(getDeviceName(device), threads);
  if (!opened)
    return opened.takeError();
  return tiny_device_threads(opened->get());
}

/// The bytes where the runtime takes them: at a multiple of a container's alignment.
static std::unique_ptr<llvm::MemoryBuffer> copyAligned(StringRef bytes) {
  auto copy =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytes.size(), "container", llvm::Align(TINY_FORMAT_ALIGNMENT));
  llvm::copy(bytes, copy->getBufferStart());
  return copy;
}

Expected<std::unique_ptr<Executable>> Executable::load(StringRef container, MLIRContext *context, StringRef device,
                                                       unsigned threads, const ContainerOrigin &origin) {
  return load(copyAligned(container), context, device, threads, origin);
}

Expected<std::unique_ptr<Executable>> Executable::load(std::unique_ptr<llvm::MemoryBuffer> container,
                                                       MLIRContext *context, StringRef device, unsigned threads,
                                                       const ContainerOrigin &origin) {
  std::unique_ptr<Executable> executable(new Executable());
  Loaded &loaded = *executable->loaded;
  Expected<runtime::Device> opened = openDevice(getDeviceName(device), threads);
  if (!opened)
    return opened.takeError();
  loaded.device = std::move(*opened);
  bool isAligned = llvm::isAddrAligned(llvm::Align(TINY_FORMAT_ALIGNMENT), container->getBufferStart());
  loaded.bytes = isAligned ? std::move(container) : copyAligned(container->getBuffer());
  Expected<LoadedContainer> program = loadContainer(loaded.bytes->getBuffer(), origin, loaded.device.get(), context);
  if (!program)
    return program.takeError();
  loaded.container = std::move(*program);
  executable->inputs = loaded.container.inputs;
  executable->results = loaded.container.results;
  executable->sizes = loaded.container.sizes;
  return executable;
}

Expected<std::unique_ptr<Executable>> Executable::interpret(ModuleOp module, StringRef function) {
  std::unique_ptr<Executable> executable(new Executable());
  Expected<FunctionOpInterface> program = findProgram(module, function);
  if (!program)
    return program.takeError();
  dropOtherPrograms(module, *program);
  FirstError errors(module.getContext());
  if (failed(verifyState(*program)))
    return errors.take("what the program says about its state does not hold");
  executable->inputs = tiny::getInputs(*program);
  executable->results = tiny::getResults(*program);
  executable->sizes = tiny::getSizes(*program);
  executable->loaded->function = program->getName().str();
  executable->loaded->module = module.clone();
  return executable;
}

Expected<std::unique_ptr<Executable>> Executable::compile(ModuleOp module, const CompileOptions &options,
                                                          StringRef device, unsigned threads) {
  if (device == kReferenceDevice)
    return interpret(module, options.function);
  CompileOptions here = options;
  here.constants = ConstantPlace::Machine;
  here.device = getDeviceName(device);
  if (here.target.empty())
    here.target = nameTargetsOf(here.device);
  Expected<CompiledProgram> program = compileProgram(module, here);
  if (!program)
    return program.takeError();
  if (program->container.empty())
    return llvm::createStringError("target '" + options.target + "' makes source code, which no device runs");
  TimingScope timing = options.timing ? options.timing->nest("Loading") : TimingScope();
  ContainerOrigin origin;
  origin.isOwn = true;
  return load(program->container, module.getContext(), device, threads, origin);
}

/// A tensor as the device sees it.
struct DeviceTensor {
  runtime::Buffer buffer;
  /// It is not the tensor's own memory: what is written must be read back.
  bool isCopy = false;
};

/// A buffer over memory of the caller's, or a copy on a device that does not compute there.
static Expected<DeviceTensor> borrow(tiny_device *device, const tiny_host_memory &memory, uint32_t flags) {
  DeviceTensor tensor;
  tiny_status status =
      tiny_buffer_import(device, memory.data, memory.size, flags, nullptr, nullptr, tensor.buffer.receive());
  tensor.isCopy = status == TINY_UNSUPPORTED;
  if (tensor.isCopy && (status = tiny_buffer_allocate(device, memory.size, tensor.buffer.receive())) == TINY_OK)
    status = tiny_buffer_write(tensor.buffer.get(), 0, memory.data, memory.size);
  if (status != TINY_OK)
    return runtimeError("a tensor's memory cannot be used");
  return tensor;
}

/// Runs it on buffers: an input that a result aliases is the result's.
static llvm::Error runOnBuffers(tiny_device *device, const LoadedContainer &container,
                                ArrayRef<tiny_host_memory> arguments, ArrayRef<tiny_host_memory> tensors,
                                const tiny_run_options *options) {
  std::vector<DeviceTensor> owners;
  std::vector<tiny_buffer *> inputs(arguments.size()), outputs;
  auto add = [&](const tiny_host_memory &memory, uint32_t flags) -> Expected<tiny_buffer *> {
    Expected<DeviceTensor> tensor = borrow(device, memory, flags);
    if (!tensor)
      return tensor.takeError();
    owners.push_back(std::move(*tensor));
    return owners.back().buffer.get();
  };
  for (auto [tensor, alias] : llvm::zip_equal(tensors, container.aliases)) {
    Expected<tiny_buffer *> buffer = add(tensor, TINY_IMPORT_READ_WRITE);
    if (!buffer)
      return buffer.takeError();
    outputs.push_back(*buffer);
    if (alias)
      inputs[*alias] = *buffer;
  }
  for (auto [input, argument, donated] : llvm::zip_equal(inputs, arguments, container.donated)) {
    if (input)
      continue;
    Expected<tiny_buffer *> buffer = add(argument, donated ? TINY_IMPORT_READ_WRITE : TINY_IMPORT_READ_ONLY);
    if (!buffer)
      return buffer.takeError();
    input = *buffer;
  }
  if (tiny_program_run(container.program.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                       options) != TINY_OK)
    return runtimeError("the program cannot run");
  // The results' buffers were made first.
  for (auto [tensor, owner] : llvm::zip_first(tensors, owners))
    if (owner.isCopy && tiny_buffer_read(owner.buffer.get(), 0, tensor.data, tensor.size) != TINY_OK)
      return runtimeError("a result cannot be read");
  return llvm::Error::success();
}

llvm::Error Executable::runOnDevice(ArrayRef<ArrayRef<char>> arguments, ArrayRef<MutableArrayRef<char>> tensors,
                                    const tiny_run_options *options) const {
  if (loaded->container.ranks.grid.empty() || (options && options->communicator))
    return runAlone(arguments, tensors, options);
  return runRanks(
      loaded->container.ranks, arguments, tensors, options ? *options : tiny_run_options{},
      [this](ArrayRef<ConstSpan> parts, ArrayRef<Span> partResults, const tiny_run_options &with) {
        return runAlone(parts, partResults, &with);
      },
      /*isFirst=*/!loaded->hasRun.exchange(true));
}

/// Runs the program on the tensors' own memory, where the device can. A donated argument is not the caller's to lose:
/// the program gets the memory of the result that aliases it, with the argument's elements in it, or a copy.
llvm::Error Executable::runAlone(ArrayRef<ArrayRef<char>> arguments, ArrayRef<MutableArrayRef<char>> tensors,
                                 const tiny_run_options *options) const {
  const LoadedContainer &container = loaded->container;
  std::vector<tiny_host_memory> inputs, outputs;
  inputs.reserve(arguments.size());
  outputs.reserve(tensors.size());
  std::vector<HostTensor::Bytes> copies;
  copies.reserve(arguments.size());
  std::vector<bool> isResult(arguments.size());
  for (std::optional<unsigned> alias : container.aliases)
    if (alias)
      isResult[*alias] = true;
  for (auto [argument, donated, aliased] : llvm::zip_equal(arguments, container.donated, isResult)) {
    if (donated && !aliased)
      copies.emplace_back(argument.begin(), argument.end());
    const char *data = donated && !aliased ? copies.back().data() : argument.data();
    inputs.push_back({const_cast<char *>(data), argument.size()});
  }
  for (auto [tensor, alias] : llvm::zip_equal(tensors, container.aliases)) {
    outputs.push_back({tensor.data(), tensor.size()});
    if (!alias)
      continue;
    if (tensor.data() != arguments[*alias].data())
      llvm::copy(arguments[*alias], tensor.begin());
    inputs[*alias] = outputs.back();
  }
  if (!tiny_device_computes_on_host(loaded->device.get()))
    return runOnBuffers(loaded->device.get(), container, inputs, outputs, options);
  if (tiny_program_run_on_host(container.program.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                               options) != TINY_OK)
    return runtimeError("the program cannot run");
  return llvm::Error::success();
}

unsigned Executable::getThreads() const { return loaded->device ? tiny_device_threads(loaded->device.get()) : 1; }

bool Executable::hasRanks() const { return !loaded->container.ranks.grid.empty(); }

const WorkByKernel &Executable::getKernelWork() const { return loaded->container.work; }

std::optional<tiny_memory_plan> Executable::getMemoryPlan() const {
  tiny_memory_plan plan;
  if (!loaded->container.program || tiny_program_memory(loaded->container.program.get(), &plan) != TINY_OK)
    return std::nullopt;
  return plan;
}

std::vector<tiny_temporary> Executable::getTemporaries() const {
  const tiny_program *program = loaded->container.program.get();
  std::vector<tiny_temporary> all(program ? tiny_program_temporary_count(program) : 0);
  for (auto [index, temporary] : llvm::enumerate(all))
    if (tiny_program_temporary(program, index, &temporary) != TINY_OK)
      return {};
  return all;
}

llvm::Error Executable::checkFits() const {
  std::optional<tiny_memory_plan> plan = getMemoryPlan();
  if (!plan)
    return llvm::Error::success();
  return checkMemory(plan->arguments + plan->constants + plan->results + plan->arena,
                     "a run with " + Twine(plan->arguments) + " bytes of arguments, " + Twine(plan->constants) +
                         " of constants, " + Twine(plan->results) + " of results and " + Twine(plan->arena) +
                         " of temporaries");
}

/// Runs the module by its definition.
static llvm::Error interpretProgram(ModuleOp module, StringRef function, ArrayRef<const HostTensor *> arguments,
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

/// The shape at these sizes; at the greatest where there are none.
static Expected<std::vector<int64_t>> getShapeAt(const Parameter &parameter, StringRef what, ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return parameter.type.getShape().vec();
  Expected<std::vector<int64_t>> shape =
      toExpected(files::evaluateShape(parameter.type.getShape().vec(), parameter.live, sizes.vec()));
  if (!shape)
    return llvm::createStringError(what + " '" + parameter.name + "': " + llvm::toString(shape.takeError()));
  return shape;
}

Expected<std::vector<int64_t>> Executable::findSizes(ArrayRef<const HostTensor *> arguments) const {
  std::vector<int64_t> found(sizes.size());
  if (loaded->module || sizes.empty())
    return std::vector<int64_t>();
  std::vector<tiny_shape> shapes;
  for (const HostTensor *tensor : arguments)
    shapes.push_back({tensor->shape.data(), uint32_t(tensor->shape.size())});
  if (tiny_program_find_sizes(loaded->container.program.get(), shapes.data(), shapes.size(), found.data()) != TINY_OK)
    return llvm::createStringError(tiny_last_error());
  return found;
}

Expected<HostTensor> Executable::makeResult(unsigned index, uint64_t others, ArrayRef<int64_t> at) const {
  const Parameter &parameter = results[index];
  Expected<std::vector<int64_t>> shape = getShapeAt(parameter, "result", at);
  if (!shape)
    return shape.takeError();
  std::optional<tiny_dtype> dtype = getDtype(parameter.type.getElementType());
  std::optional<int64_t> count = dtype ? countElements(*shape, tiny_dtype_size(*dtype)) : std::nullopt;
  if (!count)
    return llvm::createStringError("result '" + parameter.name + "' is of a type that has no buffers");
  if (llvm::Error error =
          checkMemory(others + uint64_t(*count) * tiny_dtype_size(*dtype),
                      "result '" + parameter.name + "', " + formatType(parameter.type.clone(*shape)) + ","))
    return error;
  return HostTensor::zeros(*dtype, *shape);
}

Expected<RunResult> Executable::run(ArrayRef<const HostTensor *> arguments, const tiny_run_options *options) const {
  assert(arguments.size() == inputs.size() && "one tensor per input");
  Expected<std::vector<int64_t>> at = findSizes(arguments);
  if (!at)
    return at.takeError();
  RunResult result;
  uint64_t bytes = 0;
  for (unsigned index = 0; index < results.size(); ++index) {
    Expected<HostTensor> tensor = makeResult(index, bytes, *at);
    if (!tensor)
      return tensor.takeError();
    bytes += tensor->bytes.size();
    result.tensors.push_back(std::move(*tensor));
  }
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = run(arguments, result.tensors, options))
    return error;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

bool Executable::hasComputedSizes() const {
  return llvm::any_of(sizes, [](const files::Size &size) { return size.isComputed; });
}

llvm::Error Executable::resizeResults(std::vector<HostTensor> &tensors, ArrayRef<int64_t> at) const {
  for (auto [parameter, tensor] : llvm::zip_equal(results, tensors)) {
    Expected<std::vector<int64_t>> shape = getShapeAt(parameter, "result", at);
    if (!shape)
      return shape.takeError();
    tensor.shape.assign(shape->begin(), shape->end());
    tensor.bytes.resize(uint64_t(tensor.size()) * tiny_dtype_size(tensor.dtype));
  }
  return llvm::Error::success();
}

llvm::Error Executable::run(ArrayRef<const HostTensor *> arguments, std::vector<HostTensor> &tensors,
                            const tiny_run_options *options, std::optional<ArrayRef<int64_t>> known) const {
  assert(arguments.size() == inputs.size() && tensors.size() == results.size() && "one tensor each");
  if (loaded->module)
    return interpretProgram(*loaded->module, loaded->function, arguments, tensors);
  Expected<std::vector<int64_t>> at = known ? known->vec() : findSizes(arguments);
  if (!at)
    return at.takeError();
  // What a run before has made shorter has room for all again.
  if (hasComputedSizes())
    if (llvm::Error error = resizeResults(tensors, *at))
      return error;
  for (auto [parameter, tensor] : llvm::zip_equal(results, tensors)) {
    if (sizes.empty())
      break;
    Expected<std::vector<int64_t>> shape = getShapeAt(parameter, "result", *at);
    if (!shape)
      return shape.takeError();
    if (ArrayRef(*shape) != ArrayRef(tensor.shape))
      return llvm::createStringError("result '" + parameter.name + "': got " + formatType(tensor) + ", expected " +
                                     formatType(parameter.type.clone(*shape)));
  }
  tiny_run_options own = options ? *options : tiny_run_options{};
  if (!at->empty())
    own.sizes = own.found_sizes = at->data();
  auto inputSpans =
      llvm::map_to_vector(arguments, [](const HostTensor *tensor) { return ArrayRef<char>(tensor->bytes); });
  SmallVector<MutableArrayRef<char>> resultSpans;
  for (HostTensor &tensor : tensors)
    resultSpans.push_back(tensor.bytes);
  if (llvm::Error error = runOnDevice(inputSpans, resultSpans, &own))
    return error;
  return hasComputedSizes() ? resizeResults(tensors, *at) : llvm::Error::success();
}

/// A tensor of the parameter's type at these sizes, or the error that it has none of so many bytes.
static Expected<HostTensor> describe(const Parameter &parameter, StringRef what, ArrayRef<char> bytes,
                                     ArrayRef<int64_t> sizes) {
  HostTensor tensor;
  Expected<std::vector<int64_t>> shape = getShapeAt(parameter, what, sizes);
  if (!shape)
    return shape.takeError();
  tensor.shape.assign(shape->begin(), shape->end());
  std::optional<tiny_dtype> dtype = getDtype(parameter.type.getElementType());
  if (!dtype)
    return llvm::createStringError(what + " '" + parameter.name + "' is of a type that has no buffers");
  tensor.dtype = *dtype;
  uint64_t expected = uint64_t(tensor.size()) * tiny_dtype_size(*dtype);
  if (bytes.size() != expected)
    return llvm::createStringError(what + " '" + parameter.name + "': got " + Twine(bytes.size()) +
                                   " bytes of memory, expected " + Twine(expected) + " for " +
                                   formatType(parameter.type.clone(*shape)));
  if (!llvm::isAddrAligned(llvm::Align(8), bytes.data()))
    return llvm::createStringError(what + " '" + parameter.name + "': its memory is not at a multiple of 8 bytes");
  return tensor;
}

llvm::Error Executable::runOn(ArrayRef<ArrayRef<char>> arguments, ArrayRef<MutableArrayRef<char>> tensors,
                              const tiny_run_options *options) const {
  assert(arguments.size() == inputs.size() && tensors.size() == results.size() && "one span each");
  if (!sizes.empty() && (!options || !options->sizes))
    return llvm::createStringError("the program has sizes, and the options of the run do not say them");
  ArrayRef<int64_t> at;
  if (!sizes.empty())
    at = ArrayRef(options->sizes, sizes.size());
  std::vector<HostTensor> inputTensors, resultTensors;
  for (auto [parameter, bytes] : llvm::zip_equal(inputs, arguments)) {
    Expected<HostTensor> tensor = describe(parameter, "input", bytes, at);
    if (!tensor)
      return tensor.takeError();
    inputTensors.push_back(std::move(*tensor));
  }
  for (auto [parameter, bytes] : llvm::zip_equal(results, tensors))
    if (Expected<HostTensor> tensor = describe(parameter, "result", bytes, at); !tensor)
      return tensor.takeError();
  if (!loaded->module)
    return runOnDevice(arguments, tensors, options);
  for (auto [tensor, bytes] : llvm::zip_equal(inputTensors, arguments))
    tensor.bytes.assign(bytes.begin(), bytes.end());
  auto pointers = llvm::map_to_vector(inputTensors, [](const HostTensor &tensor) { return &tensor; });
  if (llvm::Error error = interpretProgram(*loaded->module, loaded->function, pointers, resultTensors))
    return error;
  for (auto [tensor, bytes] : llvm::zip_equal(resultTensors, tensors))
    llvm::copy(tensor.bytes, bytes.begin());
  return llvm::Error::success();
}

} // namespace tiny
