// Entry of the interpreter: checks inputs, picks the evaluator of a function's level, and returns its results.
#include "Tiny/Reference/Interpreter.h"

#include "Ranks.h"
#include "Session.h"
#include "Tiny/Dialect/Kernel/Sizes.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Support/Family.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tiny::reference {

static bool isKernel(Operation *op) { return op->hasTrait<KernelTrait>(); }

FailureOr<Signature> getEvaluationSignature(FunctionOpInterface function) {
  FailureOr<Signature> signature = getSignature(function);
  if (succeeded(signature) && isKernel(function))
    signature->results = signature->inputs;
  // Of a program of one rank among many the tensors of all together.
  auto grid = function->getAttrOfType<DenseI64ArrayAttr>(kGridAttr);
  if (failed(signature) || !grid)
    return signature;
  auto widen = [&](SmallVector<RankedTensorType> &types, bool isInput) {
    for (auto [number, type] : llvm::enumerate(types)) {
      auto attribute = [&, number = number](StringRef name) {
        return isInput ? function.getArgAttr(number, name) : function.getResultAttr(number, name);
      };
      if (std::optional<ShardedTensor> tensor =
              getShardedTensor(type, attribute(kShardingAttr), attribute(kWholeAttr), grid.asArrayRef()))
        type = tensor->whole;
    }
  };
  widen(signature->inputs, true);
  widen(signature->results, false);
  return signature;
}

SmallVector<FunctionOpInterface> getEvaluable(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions = getPrograms(module);
  llvm::StringSet<> launched;
  for (auto program : module.getOps<kernel::ProgramOp>())
    program.walk([&](kernel::LaunchOp launch) { launched.insert(launch.getCallee()); });
  for (auto function : module.getOps<FunctionOpInterface>())
    if (isKernel(function) && !function.isExternal() && !launched.contains(function.getName()) &&
        succeeded(getSignature(function)))
      functions.push_back(function);
  return functions;
}

/// Whether a function is of `tiny` operations; one that has none of either level is evaluated as a lazy graph.
static bool isTensorLevel(FunctionOpInterface function) {
  return llvm::any_of(function.getFunctionBody().front(), [](Operation &op) {
    return isa_and_nonnull<tensor::TinyDialect, shard::ShardDialect>(op.getDialect());
  });
}

FailureOr<Buffers> evaluateFunction(Session &session, FunctionOpInterface function, Buffers inputs) {
  if (isa<kernel::FuncOp>(function)) {
    if (failed(evaluateKernel(session, function, inputs)))
      return failure();
    return inputs;
  }
  if (isa<uop::FuncOp>(function)) {
    if (failed(evaluateUOp(session, function, inputs)))
      return failure();
    return inputs;
  }
  if (isa<kernel::ProgramOp>(function))
    return evaluateProgram(session, function, inputs);
  if (!isa<func::FuncOp>(function) || !function.getFunctionBody().hasOneBlock())
    return session.unsupported(function);
  Block &body = function.getFunctionBody().front();
  return isTensorLevel(function) ? evaluateTensor(session, body, inputs) : evaluateLazy(session, body, inputs);
}

static std::string describe(tiny_dtype dtype, ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tensor<";
  for (int64_t extent : shape)
    os << extent << "x";
  os << getDtypeName(dtype) << ">";
  return text;
}

/// Inputs that are what the function takes, as buffers of its own argument types.
static FailureOr<Buffers> readInputs(Session &session, FunctionOpInterface function, const Signature &signature,
                                     ArrayRef<HostTensor> inputs, ArrayRef<int64_t> sizes) {
  Location location = function.getLoc();
  if (inputs.size() != signature.inputs.size())
    return session.fail(Session::Kind::Inputs, location,
                        "'" + function.getName() + "' takes " + Twine(signature.inputs.size()) + " inputs, got " +
                            Twine(inputs.size()));
  Buffers buffers;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    RankedTensorType type = signature.inputs[index];
    std::optional<tiny_dtype> dtype = getDtype(type.getElementType());
    if (!dtype || !type.hasStaticShape())
      return session.fail(Session::Kind::Unsupported, location,
                          "the interpreter does not know the type of input " + Twine(index) + " of '" +
                              function.getName() + "'");
    SmallVector<int64_t> shape = kernel::getLiveShape(function.getArgAttr(index, kShapeAttr), type, sizes);
    std::string expected = describe(*dtype, shape), got = describe(input.dtype, input.shape);
    if (expected != got || input.bytes.size() != static_cast<size_t>(input.size()) * tiny_dtype_size(input.dtype))
      return session.fail(Session::Kind::Inputs, location,
                          "input " + Twine(index) + " of '" + function.getName() + "' is " + expected + ", got " + got);
    Type element = getElementTypeOrSelf(function.getArgumentTypes()[index]);
    FailureOr<Buffer> buffer = fromHost(session, input, element, location);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  if (sizes.empty())
    return buffers;
  HostTensor live = HostTensor::zeros(TINY_DTYPE_I64, {static_cast<int64_t>(sizes.size())});
  std::memcpy(live.bytes.data(), sizes.data(), live.bytes.size());
  FailureOr<Buffer> buffer = fromHost(session, live, IntegerType::get(function.getContext(), 64), location);
  if (failed(buffer))
    return failure();
  buffers.push_back(*buffer);
  return buffers;
}

/// The sizes of a program that has some; of none, none.
static FailureOr<SmallVector<int64_t>> readSizes(Session &session, FunctionOpInterface function,
                                                 const Signature &signature, ArrayRef<HostTensor> inputs) {
  auto program = dyn_cast<kernel::ProgramOp>(function.getOperation());
  if (!program || !program.getSizes() || inputs.size() != signature.inputs.size())
    return SmallVector<int64_t>();
  std::vector<std::vector<int64_t>> shapes;
  for (const HostTensor &input : inputs)
    shapes.push_back(input.shape);
  llvm::Expected<SmallVector<int64_t>> sizes = kernel::findSizes(program, signature, shapes);
  if (!sizes)
    return session.fail(Session::Kind::Inputs, function.getLoc(), llvm::toString(sizes.takeError()));
  return *sizes;
}

/// The sizes that the program has computed.
static LogicalResult readComputed(Session &session, FunctionOpInterface function, ArrayRef<Buffer> arguments,
                                  MutableArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return success();
  auto names = cast<kernel::ProgramOp>(function.getOperation()).getSizesAttr().getAsRange<kernel::SizeAttr>();
  for (auto [number, name] : llvm::enumerate(names)) {
    if (!name.getComputed())
      continue;
    sizes[number] = arguments.back().load(number).i;
    if (sizes[number] < name.getLeast() || sizes[number] > name.getMost())
      return session.fail(Session::Kind::Undefined, function.getLoc(),
                          "size '" + name.getName() + "' is computed as " + Twine(sizes[number]) + ", expected " +
                              Twine(name.getLeast()) + " to " + Twine(name.getMost()));
  }
  return success();
}

Evaluated evaluate(ModuleOp module, StringRef program, ArrayRef<HostTensor> inputs, const InterpreterOptions &options) {
  Session session(options);
  Evaluated evaluated;
  auto run = [&]() -> LogicalResult {
    auto function = module.lookupSymbol<FunctionOpInterface>(program);
    if (!function || function.isExternal())
      return session.fail(Session::Kind::Inputs, module.getLoc(), "there is no function '" + program + "' to evaluate");
    FailureOr<Signature> signature = getEvaluationSignature(function);
    if (failed(signature))
      return session.fail(Session::Kind::Unsupported, function.getLoc(),
                          "'" + program + "' takes or gives something else than tensors");
    if (function->hasAttr(kGridAttr))
      return evaluateRanks(function, inputs, evaluated, options);
    FailureOr<SmallVector<int64_t>> sizes = readSizes(session, function, *signature, inputs);
    if (failed(sizes))
      return failure();
    FailureOr<Buffers> arguments = readInputs(session, function, *signature, inputs, *sizes);
    if (failed(arguments))
      return failure();
    FailureOr<Buffers> results = evaluateFunction(session, function, *arguments);
    if (failed(results))
      return failure();
    if (failed(readComputed(session, function, *arguments, *sizes)))
      return failure();
    for (auto [index, buffer, bound] : llvm::enumerate(*results, signature->results)) {
      RankedTensorType type = bound;
      if (!sizes->empty()) {
        type = RankedTensorType::get(kernel::getLiveShape(function.getResultAttr(index, kShapeAttr), bound, *sizes),
                                     bound.getElementType());
        buffer.count = std::min(buffer.count, type.getNumElements());
      }
      FailureOr<HostTensor> tensor = toHost(session, buffer, type, function.getLoc());
      if (failed(tensor))
        return failure();
      evaluated.results.push_back(std::move(*tensor));
    }
    return success();
  };
  if (failed(run())) {
    evaluated.results.clear();
    if (!evaluated.error)
      evaluated.error = session.error;
  }
  evaluated.dividedByZero |= session.undefined;
  evaluated.steps += session.steps;
  return evaluated;
}

FailureOr<SmallVector<HostTensor>> interpret(ModuleOp module, StringRef program, ArrayRef<HostTensor> inputs,
                                             const InterpreterOptions &options) {
  Evaluated evaluated = evaluate(module, program, inputs, options);
  if (evaluated.error) {
    InFlightDiagnostic error = emitError(evaluated.error->location) << evaluated.error->message;
    if (evaluated.error->other)
      error.attachNote(evaluated.error->other) << "the other operation is here";
    return failure();
  }
  return std::move(evaluated.results);
}

} // namespace tiny::reference
