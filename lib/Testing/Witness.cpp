// Evaluates small programs at single sizes, and the program for all sizes on the same inputs.
#include "Tiny/Testing/Witness.h"

#include "Compare.h"
#include "Tiny/Reference/Interpreter.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Testing/RandomInputs.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tiny::reference {

/// What a witness may hold, in bytes.
static constexpr uint64_t kMostBytes = uint64_t(1) << 22;
/// How far floats may be from each other, in epsilons of their type: sums are taken in other orders.
static constexpr double kTolerance = 1 << 14;

/// Sets the arguments that the function gives back as sizes that are data.
static void setSizes(FunctionOpInterface function, DictionaryAttr sizes, SmallVectorImpl<HostTensor> &inputs) {
  for (unsigned result = 0; result < function.getNumResults(); ++result) {
    auto name = function.getResultAttrOfType<StringAttr>(result, kSizeAttr);
    auto size = name ? sizes.getAs<IntegerAttr>(name) : IntegerAttr();
    Operation *last = function.getFunctionBody().front().getTerminator();
    auto argument = size ? dyn_cast<BlockArgument>(last->getOperand(result)) : BlockArgument();
    if (!argument)
      continue;
    int64_t value = size.getInt();
    HostTensor &input = inputs[argument.getArgNumber()];
    std::memcpy(input.bytes.data(), &value, std::min<size_t>(sizeof(value), input.bytes.size()));
  }
}

/// The sizes, those that are data as the results say.
static DictionaryAttr readSizes(FunctionOpInterface function, DictionaryAttr sizes, ArrayRef<HostTensor> results) {
  NamedAttrList read(sizes);
  for (auto [index, result] : llvm::enumerate(results))
    if (auto name = function.getResultAttrOfType<StringAttr>(index, kSizeAttr)) {
      int64_t value = 0;
      std::memcpy(&value, result.bytes.data(), std::min<size_t>(sizeof(value), result.bytes.size()));
      read.set(name, IntegerAttr::get(IntegerType::get(sizes.getContext(), 64), value));
    }
  return read.getDictionary(sizes.getContext());
}

static ArrayAttr makeConstants(MLIRContext *context, ArrayRef<HostTensor> tensors) {
  return ArrayAttr::get(context, llvm::map_to_vector(tensors, [&](const HostTensor &tensor) -> Attribute {
                          return makeConstant(context, tensor);
                        }));
}

/// Makes all but a few elements of every second input zero.
static void thinOut(MutableArrayRef<HostTensor> inputs, unsigned draw) {
  for (size_t number = (draw + 1) % 2; number < inputs.size(); number += 2) {
    HostTensor &input = inputs[number];
    int64_t left = (draw - 1) / 2, count = input.size();
    size_t width = tiny_dtype_size(input.dtype);
    for (int64_t element = 0; element < count; ++element) {
      auto bytes = MutableArrayRef(input.bytes.data(), input.bytes.size()).slice(element * width, width);
      // What stays lies apart: the last element, and others before it.
      if (element * left / count == (element + 1) * left / count)
        llvm::fill(bytes, 0);
      else if (llvm::all_of(bytes, [](auto byte) { return byte == 0; }))
        // About 1 in any format of floats.
        isFloat(input.dtype) ? bytes.back() = 0x3f : bytes.front() = 1;
    }
  }
}

DictionaryAttr makeWitness(ModuleOp module, DictionaryAttr &sizes, uint64_t &steps, unsigned draw) {
  SmallVector<FunctionOpInterface> functions = getEvaluable(module);
  if (functions.size() != 1)
    return nullptr;
  FunctionOpInterface function = functions.front();
  FailureOr<Signature> signature = getEvaluationSignature(function);
  uint64_t elements = 0;
  if (succeeded(signature))
    for (RankedTensorType type : signature->inputs)
      elements += type.hasStaticShape() ? std::max<int64_t>(type.getNumElements(), 0) : kMostBytes;
  if (failed(signature) || elements * 8 > kMostBytes)
    return nullptr;
  RandomOptions random;
  random.seed = 1;
  FailureOr<SmallVector<HostTensor>> inputs = randomInputs(*signature, random);
  if (failed(inputs))
    return nullptr;
  if (draw > 0)
    thinOut(*inputs, draw);
  setSizes(function, sizes, *inputs);
  InterpreterOptions limits;
  limits.maxSteps = steps;
  limits.maxBytes = kMostBytes * 8;
  Evaluated evaluated = evaluate(module, function.getName(), *inputs, limits);
  bool isOver = evaluated.error && evaluated.error->kind == InterpreterError::Kind::Limit;
  steps -= isOver ? steps : std::min(steps, evaluated.steps);
  if (evaluated.error || evaluated.dividedByZero)
    return nullptr;
  DictionaryAttr made = std::exchange(sizes, readSizes(function, sizes, evaluated.results));
  if (made != sizes)
    return nullptr;
  SmallVector<HostTensor> results;
  uint64_t bytes = 0;
  for (auto [index, result] : llvm::enumerate(evaluated.results))
    if (!function.getResultAttr(index, kSizeAttr)) {
      bytes += result.bytes.size();
      results.push_back(std::move(result));
    }
  if (bytes > kMostBytes)
    return nullptr;
  Builder builder(module.getContext());
  return builder.getDictionaryAttr({builder.getNamedAttr("program", builder.getStringAttr(function.getName())),
                                    builder.getNamedAttr("sizes", sizes),
                                    builder.getNamedAttr("inputs", makeConstants(module.getContext(), *inputs)),
                                    builder.getNamedAttr("results", makeConstants(module.getContext(), results))});
}

static std::optional<SmallVector<HostTensor>> readConstants(ArrayAttr list) {
  SmallVector<HostTensor> tensors;
  for (Attribute element : list) {
    auto constant = dyn_cast<ElementsAttr>(element);
    std::optional<HostTensor> tensor = constant ? readConstant(constant) : std::nullopt;
    if (!tensor)
      return std::nullopt;
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

/// What differs at one witness; empty where nothing does, or where the program cannot be evaluated.
static std::string compare(ModuleOp module, DictionaryAttr witness) {
  if (!witness || !witness.getAs<DictionaryAttr>("sizes"))
    return "";
  auto program = witness.getAs<StringAttr>("program");
  auto given = witness.getAs<ArrayAttr>("inputs"), expected = witness.getAs<ArrayAttr>("results");
  if (!program || !given || !expected)
    return "";
  std::optional<SmallVector<HostTensor>> inputs = readConstants(given), results = readConstants(expected);
  auto function = dyn_cast_or_null<FunctionOpInterface>(module.lookupSymbol(program));
  if (!inputs || !results || !function)
    return "";
  InterpreterOptions limits;
  limits.maxSteps = uint64_t(1) << 24;
  limits.maxBytes = kMostBytes * 64;
  Evaluated evaluated = evaluate(module, program, *inputs, limits);
  if (evaluated.error)
    return evaluated.error->kind == InterpreterError::Kind::Undefined ? "it " + evaluated.error->message : "";
  if (evaluated.results.size() != results->size())
    return "";
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(*results, evaluated.results))) {
    auto &[right, got] = pair;
    auto name = function.getResultAttrOfType<StringAttr>(index, "tiny.name");
    std::string what = "result " + (name ? "'" + name.str() + "'" : std::to_string(index));
    if (right.dtype != got.dtype || right.shape != got.shape)
      return what + " has another type";
    if (std::optional<Difference> difference = findDifference(right, got, kTolerance, /*zerosHaveSigns=*/false))
      return "element " + std::to_string(difference->element) + " of " + what + " is " + difference->after +
             ", expected " + difference->before;
  }
  return "";
}

llvm::Error checkWitnesses(ModuleOp module) {
  auto witnesses = module->getAttrOfType<ArrayAttr>(kWitnessesAttr);
  if (!witnesses)
    return llvm::Error::success();
  module->removeAttr(kWitnessesAttr);
  for (Attribute entry : witnesses) {
    auto witness = dyn_cast<DictionaryAttr>(entry);
    std::string difference = compare(module, witness);
    if (difference.empty())
      continue;
    std::string sizes;
    llvm::raw_string_ostream stream(sizes);
    llvm::interleaveComma(witness.getAs<DictionaryAttr>("sizes"), stream, [&](NamedAttribute size) {
      stream << size.getName().getValue() << " = ";
      size.getValue().print(stream, /*elideType=*/true);
    });
    return llvm::createStringError("at " + Twine(sizes) + " " + kWrongProgram + "be wrong: " + difference +
                                   "; with other bounds it may be right");
  }
  return llvm::Error::success();
}

} // namespace tiny::reference
