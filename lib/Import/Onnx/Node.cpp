// What a handler sees of an ONNX node: inputs, attributes, and builders of tensor operations.
#include "Node.h"

#include "TensorData.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tiny::onnximport {

Value Node::fail(const Twine &message) {
  emitError(loc) << message;
  hasFailed = true;
  return nullptr;
}

//===--- Inputs --------------------------------------------------------------------------------------------------===//

Value Node::input(unsigned index) {
  if (!hasInput(index))
    return fail("input " + Twine(index) + " is missing");
  if (Value value = graph.lookup(proto.input(index)))
    return index == 1 ? alignOldOperand(value) : value;
  return fail("input " + Twine(index) + ", '" + proto.input(index) +
              "', is neither an input nor an initializer nor computed by an earlier node");
}

// Before set 7 the second operand broadcasts only with `broadcast = 1`, from the axis `axis` on.
Value Node::alignOldOperand(Value value) {
  if (opset() >= 7 || !hasAttribute("broadcast") || !hasAttribute("axis"))
    return value;
  Value first = input(0);
  if (!first)
    return nullptr;
  int64_t axis = getInt("axis", 0), after = rankOf(first) - (axis < 0 ? axis + rankOf(first) : axis) - rankOf(value);
  if (after < 0 || after > rankOf(first))
    return fail("axis " + Twine(axis) + " is out of range for rank " + Twine(rankOf(first)));
  Ints shape(shapeOf(value));
  shape.append(after, 1);
  return reshape(value, shape);
}

ElementsAttr Node::constant(unsigned index) {
  return hasInput(index) ? graph.lookupConstant(proto.input(index)) : nullptr;
}

std::optional<Ints> Node::constantInts(unsigned index, StringRef what) {
  if (!input(index))
    return std::nullopt;
  ElementsAttr elements = constant(index);
  if (!elements) {
    fail(what + " is computed while the model runs; only a constant is supported");
    return std::nullopt;
  }
  std::optional<HostTensor> tensor;
  if (elements.getElementType().isIntOrIndex())
    tensor = readConstant(elements);
  if (!tensor) {
    fail(what + " is not of integers");
    return std::nullopt;
  }
  Ints numbers(tensor->size());
  for (int64_t i = 0, e = tensor->size(); i < e; ++i)
    numbers[i] = tensor->getInteger(i);
  return numbers;
}

bool Node::checkPlaces(unsigned index, Value of, ArrayRef<int64_t> axes) {
  // Of instances some are at sizes out of the bounds, where a table may have no such place.
  bool isChecked = hasInput(index) && !followsSizes(input(index));
  ElementsAttr elements = isChecked ? constant(index) : ElementsAttr();
  std::optional<HostTensor> tensor = elements ? readConstant(elements) : std::nullopt;
  for (int64_t i = 0, e = tensor ? tensor->size() : 0; i < e; ++i) {
    int64_t number = tensor->getInteger(i), axis = axes[i % axes.size()], size = typeOf(of).getDimSize(axis);
    if (number >= -size && number < size)
      continue;
    fail("index " + Twine(number) + " is outside of axis " + Twine(axis) + " of size " + Twine(size));
    return false;
  }
  return true;
}

TypedAttr Node::constantScalar(unsigned index, StringRef what) {
  if (!input(index))
    return nullptr;
  ElementsAttr elements = constant(index);
  if (!elements || elements.getNumElements() != 1) {
    fail(what + (elements ? " is not one number" : " is computed while the model runs; only a constant is supported"));
    return nullptr;
  }
  // One number is never kept aside as large constants are.
  return *llvm::cast<DenseElementsAttr>(elements).value_begin<TypedAttr>();
}

std::optional<SmallVector<double>> Node::constantNumbers(unsigned index, StringRef what) {
  if (!input(index))
    return std::nullopt;
  ElementsAttr elements = constant(index);
  std::optional<HostTensor> tensor = elements ? readConstant(elements) : std::nullopt;
  if (!tensor) {
    fail(what + " is computed while the model runs; only a constant is supported");
    return std::nullopt;
  }
  SmallVector<double> numbers;
  for (int64_t i = 0; i < tensor->size(); ++i)
    numbers.push_back(tensor->getNumber(i));
  return numbers;
}

bool Node::isSequence(unsigned index) { return hasInput(index) && graph.lookupSequence(proto.input(index)); }

bool Node::isAbsent(unsigned index) {
  return !hasInput(index) || (isSequence(index) && !*graph.lookupSequence(proto.input(index)));
}

std::optional<int64_t> Node::measure(Value count, int64_t most) {
  if (!count)
    return std::nullopt;
  if (ElementsAttr known = evaluateKnown(count))
    return llvm::cast<DenseElementsAttr>(known).getValues<APInt>()[0].getSExtValue();
  // Of an open size nothing may be left, at that.
  if (most == 0 && !graph.isSized(outputName(0)))
    return 0;
  if (graph.isInBody()) {
    fail("a size that is data, in the body of a loop or a branch, is not supported");
    return std::nullopt;
  }
  return graph.measure(outputName(0), count, most);
}

std::optional<SmallVector<Value>> Node::sequence(unsigned index) {
  if (isSequence(index) && !isAbsent(index))
    return *graph.lookupSequence(proto.input(index));
  fail("input " + Twine(index) + " is no sequence whose length is known");
  return std::nullopt;
}

void Node::defineSequence(unsigned output, std::optional<SmallVector<Value>> values) {
  if (values)
    foldConstants(graph, *values);
  if (hasOutput(output) && ::mlir::failed(graph.defineSequence(proto.output(output), std::move(values))))
    hasFailed = true;
}

const onnx::GraphProto *Node::getGraph(StringRef name) {
  const onnx::AttributeProto *attribute = findAttribute(name);
  if (attribute && attribute->has_g())
    return &attribute->g();
  fail("attribute '" + name + "' is not a graph");
  return nullptr;
}

//===--- Attributes ----------------------------------------------------------------------------------------------===//

const onnx::AttributeProto *Node::findAttribute(StringRef name) const {
  for (const onnx::AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

int64_t Node::getInt(StringRef name, int64_t otherwise) {
  const onnx::AttributeProto *attribute = findAttribute(name);
  if (!attribute)
    return otherwise;
  if (attribute->has_i())
    return attribute->i();
  fail("attribute '" + name + "' is not an integer");
  return otherwise;
}

double Node::getFloat(StringRef name, double otherwise) {
  const onnx::AttributeProto *attribute = findAttribute(name);
  if (!attribute)
    return otherwise;
  if (attribute->has_f())
    return attribute->f();
  fail("attribute '" + name + "' is not a float");
  return otherwise;
}

StringRef Node::getString(StringRef name, StringRef otherwise) {
  const onnx::AttributeProto *attribute = findAttribute(name);
  if (!attribute)
    return otherwise;
  if (attribute->has_s())
    return attribute->s();
  fail("attribute '" + name + "' is not a string");
  return otherwise;
}

std::optional<Ints> Node::getInts(StringRef name) {
  const onnx::AttributeProto *attribute = findAttribute(name);
  if (!attribute)
    return std::nullopt;
  // An empty list leaves no trace but the attribute's type.
  if (attribute->ints_size() || attribute->type() == onnx::AttributeProto::INTS)
    return Ints(attribute->ints().begin(), attribute->ints().end());
  fail("attribute '" + name + "' is not a list of integers");
  return std::nullopt;
}

std::optional<int64_t> Node::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  fail("axis " + Twine(axis) + " is out of range for rank " + Twine(rank));
  return std::nullopt;
}

std::optional<Ints> Node::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  Ints result;
  for (int64_t axis : axes) {
    std::optional<int64_t> normal = normalizeAxis(axis, rank);
    if (!normal)
      return std::nullopt;
    if (llvm::is_contained(result, *normal)) {
      fail("axis " + Twine(axis) + " is named twice");
      return std::nullopt;
    }
    result.push_back(*normal);
  }
  llvm::sort(result);
  return result;
}

std::optional<Ints> Node::getIntsFromEither(StringRef attribute, unsigned index) {
  if (hasAttribute(attribute))
    return getInts(attribute);
  if (hasInput(index))
    return constantInts(index, "'" + attribute.str() + "'");
  return Ints();
}

//===--- Building ------------------------------------------------------------------------------------------------===//

NamedAttribute Node::attr(StringRef name, int64_t value) {
  return graph.builder.getNamedAttr(name, graph.builder.getI64IntegerAttr(value));
}

NamedAttribute Node::attr(StringRef name, ArrayRef<int64_t> values) {
  return graph.builder.getNamedAttr(name, graph.builder.getDenseI64ArrayAttr(values));
}

NamedAttribute Node::attrF64(StringRef name, double value) {
  return graph.builder.getNamedAttr(name, graph.builder.getF64FloatAttr(value));
}

NamedAttribute Node::attr(StringRef name, Attribute value) { return graph.builder.getNamedAttr(name, value); }

TypedAttr Node::number(double number, Type element) {
  if (auto floatType = dyn_cast<FloatType>(element))
    return FloatAttr::get(floatType, number);
  // Out of int64_t's range the conversion would be undefined.
  constexpr double kLimit = 9223372036854774784.0;
  int64_t integer = number >= -kLimit && number <= kLimit ? int64_t(number) : number > 0 ? INT64_MAX : INT64_MIN;
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, APInt(64, uint64_t(integer)).sextOrTrunc(width));
}

NamedAttribute Node::attrUnit(StringRef name) { return graph.builder.getNamedAttr(name, graph.builder.getUnitAttr()); }

Value Node::build(OperationState &state) {
  Operation *op = graph.builder.create(state);
  if (succeeded(verify(op)))
    return op->getResult(0);
  op->erase();
  hasFailed = true;
  return nullptr;
}

Value Node::create(StringRef op, ValueRange operands, ArrayRef<NamedAttribute> attributes) {
  if (llvm::is_contained(operands, Value()))
    return nullptr;
  OperationState state(loc, op);
  state.addOperands(operands);
  state.addAttributes(attributes);

  // The generated builders abort when inference fails, so it is called first.
  std::optional<RegisteredOperationName> info = state.name.getRegisteredInfo();
  auto *inference = info ? info->getInterface<InferTypeOpInterface>() : nullptr;
  assert(inference && "handlers name operations with inferred types");
  DictionaryAttr dictionary = state.attributes.getDictionary(getContext());
  int propertyBytes = info->getOpPropertyByteSize();
  auto storage = std::make_unique<char[]>(propertyBytes);
  OpaqueProperties properties(propertyBytes ? storage.get() : nullptr);
  if (properties)
    info->initOpProperties(properties, /*init=*/nullptr);
  llvm::scope_exit destroy([&] {
    if (properties)
      info->destroyOpProperties(properties);
  });
  SmallVector<Type> types;
  auto emit = [&] { return emitError(loc); };
  if ((properties && ::mlir::failed(info->setOpPropertiesFromAttribute(state.name, properties, dictionary, emit))) ||
      ::mlir::failed(inference->inferReturnTypes(getContext(), loc, operands, dictionary, properties, {}, types))) {
    hasFailed = true;
    return nullptr;
  }
  state.addTypes(types);
  return build(state);
}

Value Node::createTyped(StringRef op, RankedTensorType type, ValueRange operands, ArrayRef<NamedAttribute> attributes) {
  if (llvm::is_contained(operands, Value()))
    return nullptr;
  OperationState state(loc, op);
  state.addOperands(operands);
  state.addAttributes(attributes);
  state.addTypes(type);
  return build(state);
}

Value Node::reshape(Value input, ArrayRef<int64_t> shape) {
  if (!input || shapeOf(input) == shape)
    return input;
  return createTyped("tiny.reshape", typeOf(input).clone(shape), input);
}

Value Node::expand(Value input, ArrayRef<int64_t> shape) {
  if (!input || shapeOf(input) == shape)
    return input;
  return createTyped("tiny.expand", typeOf(input).clone(shape), input);
}

Value Node::cast(Value input, Type element) {
  if (!input || elementOf(input) == element)
    return input;
  return createTyped("tiny.cast", typeOf(input).clone(element), input);
}

Value Node::iota(ArrayRef<int64_t> shape, Type element, int64_t axis) {
  return createTyped("tiny.iota", RankedTensorType::get(shape, element), {}, attr("axis", axis));
}

Value Node::permute(Value input, ArrayRef<int64_t> permutation) {
  return create("tiny.permute", input, attr("permutation", permutation));
}

Value Node::shrink(Value input, ArrayRef<int64_t> begin, ArrayRef<int64_t> end) {
  if (!input || (end == shapeOf(input) && llvm::all_of(begin, [](int64_t at) { return at == 0; })))
    return input;
  return create("tiny.shrink", input, {attr("begin", begin), attr("end", end)});
}

Value Node::sliceAxis(Value input, int64_t axis, int64_t from, int64_t to) {
  if (!input)
    return nullptr;
  Ints begin(rankOf(input), 0), end(shapeOf(input));
  begin[axis] = from;
  end[axis] = to;
  return shrink(input, begin, end);
}

Value Node::sum(Value input, ArrayRef<int64_t> axes, bool keepdims) {
  if (!input || axes.empty())
    return input;
  SmallVector<NamedAttribute> attributes = {attr("axes", axes)};
  if (keepdims)
    attributes.push_back(attrUnit("keepdims"));
  return create("tiny.sum", input, attributes);
}

Value Node::spreadAxis(Value input, int64_t axis, int64_t stride) {
  if (!input || stride == 1 || shapeOf(input)[axis] < 2)
    return input;
  Ints apart(shapeOf(input)), zeros(rankOf(input) + 1, 0), none(rankOf(input) + 1, 0), merged(shapeOf(input));
  apart.insert(apart.begin() + axis + 1, 1);
  zeros[axis + 1] = stride - 1;
  merged[axis] *= stride;
  Value result = reshape(pad(reshape(input, apart), none, zeros), merged);
  return sliceAxis(result, axis, 0, merged[axis] - stride + 1);
}

bool Node::isFourBit(unsigned index) const {
  return int(index) < proto.input_size() && graph.fourBit.contains(proto.input(int(index)));
}

void Node::markFourBit(unsigned output) { graph.fourBit.insert(outputName(output)); }

Value Node::pad(Value input, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return input;
  return create("tiny.pad", input, {attr("low", low), attr("high", high)});
}

Value Node::like(Value value, double number) { return value ? scalar(number, elementOf(value)) : nullptr; }

Value Node::scalar(double number, Type element) {
  Attribute value = Node::number(number, element);
  return makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, element), value));
}

Value Node::makeConstant(ElementsAttr elements) {
  return createTyped("tiny.constant", llvm::cast<RankedTensorType>(elements.getShapedType()), {},
                     graph.builder.getNamedAttr("value", elements));
}

Value Node::makeInts(ArrayRef<int64_t> numbers, ArrayRef<int64_t> shape, Type element) {
  SmallVector<APInt> values;
  for (int64_t number : numbers)
    values.push_back(APInt(64, uint64_t(number)).sextOrTrunc(element.getIntOrFloatBitWidth()));
  return makeConstant(DenseElementsAttr::get(RankedTensorType::get(shape, element), values));
}

Value Node::makeFloats(ArrayRef<double> numbers, ArrayRef<int64_t> shape, Type element) {
  SmallVector<Attribute> values;
  for (double value : numbers)
    values.push_back(number(value, element));
  return makeConstant(DenseElementsAttr::get(RankedTensorType::get(shape, element), values));
}

} // namespace tiny::onnximport
