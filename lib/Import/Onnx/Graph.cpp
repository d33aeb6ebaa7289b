// Translates an ONNX graph: initializers, inputs, nodes in order, outputs.
#include "Graph.h"

#include "Node.h"
#include "TensorData.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Family.h"

using namespace mlir;

namespace tiny::onnximport {

Graph::Graph(const onnx::ModelProto &model, int64_t opset, DataFiles &files, ModuleOp module,
             const OnnxImportOptions &options)
    : opset(opset), builder(module.getContext()), files(files), model(model), proto(model.graph()), options(options),
      module(module) {}

InFlightDiagnostic Graph::emitError() { return mlir::emitError(module.getLoc()); }

Value Graph::lookup(StringRef name) {
  for (Scope *at = scope; at; at = at->parent) {
    if (Value value = at->values.lookup(name))
      return value;
    ElementsAttr elements = at->initializers.lookup(name);
    if (!elements)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    // All of them stand first, in the order of their first use.
    if (lastConstant)
      builder.setInsertionPointAfter(lastConstant);
    else
      builder.setInsertionPointToStart(&function.getBody().front());
    Location loc = NameLoc::get(builder.getStringAttr(name));
    Value value = tensor::ConstantOp::create(builder, loc, elements.getShapedType(), elements);
    lastConstant = value.getDefiningOp();
    at->values[name] = value;
    return value;
  }
  return nullptr;
}

ElementsAttr Graph::lookupConstant(StringRef name) {
  for (Scope *at = scope; at; at = at->parent) {
    if (ElementsAttr elements = at->initializers.lookup(name))
      return elements;
    if (Value value = at->values.lookup(name)) {
      if (auto constant = value.getDefiningOp<tensor::ConstantOp>())
        return constant.getValue();
      // Floats of open sizes stay operations.
      return options.choices && isa<FloatType>(elementOf(value)) ? evaluateKnown(value) : nullptr;
    }
  }
  return nullptr;
}

const std::optional<SmallVector<Value>> *Graph::lookupSequence(StringRef name) {
  for (Scope *at = scope; at; at = at->parent)
    if (auto found = at->sequences.find(name); found != at->sequences.end())
      return &found->second;
  return nullptr;
}

LogicalResult Graph::define(StringRef name, Value value) {
  if (scope->initializers.contains(name) || scope->sequences.contains(name) ||
      !scope->values.try_emplace(name, value).second)
    return emitError() << "two values are called '" << name << "'";
  return success();
}

LogicalResult Graph::defineSequence(StringRef name, std::optional<SmallVector<Value>> values) {
  if (scope->initializers.contains(name) || scope->values.contains(name) ||
      !scope->sequences.try_emplace(name, std::move(values)).second)
    return emitError() << "two values are called '" << name << "'";
  return success();
}

LogicalResult Graph::importInitializers(const onnx::GraphProto &graph) {
  bool complete = true;
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer()) {
    std::string name = tensor.values().name();
    auto emit = [&]() -> InFlightDiagnostic { return emitError() << "sparse initializer '" << name << "': "; };
    if (ElementsAttr elements = readSparseTensor(builder.getContext(), tensor, files, emit)) {
      scope->initializers.try_emplace(name, elements);
    } else {
      scope->refused.insert(name);
      complete = false;
    }
  }
  for (const auto &[index, tensor] : llvm::enumerate(graph.initializer())) {
    std::string name = tensor.name();
    auto emit = [&, index = index]() -> InFlightDiagnostic {
      return emitError() << "initializer " << index << " '" << name << "': ";
    };
    if (name.empty())
      return emit() << "it has no name";
    ElementsAttr elements = readTensor(builder.getContext(), tensor, files, emit);
    if (isFourBit(tensor.data_type()))
      fourBit.insert(name);
    if (!elements) {
      scope->refused.insert(name);
      complete = false;
    } else if (!scope->initializers.try_emplace(name, elements).second) {
      return emit() << "another initializer has this name";
    }
  }
  return success(complete);
}

RankedTensorType Graph::getInputType(StringRef name, const onnx::TypeProto &type) {
  auto fail = [&](const Twine &message) {
    emitError() << "input '" << name << "': " << message;
    return nullptr;
  };
  if (!type.has_tensor_type())
    return fail("it is no tensor");
  const onnx::TypeProto::Tensor &tensor = type.tensor_type();
  Type element = getElementType(builder.getContext(), tensor.elem_type());
  if (!element)
    return fail("element type " + getDataTypeName(tensor.elem_type()) + " is not supported");

  Ints shape;
  // Where no shape is stated, it has the axes whose sizes are given.
  for (int64_t axis = 0; !tensor.has_shape(); ++axis) {
    auto bound = options.dims.find((name + ":" + Twine(axis)).str());
    if (bound == options.dims.end())
      break;
    sized.insert(bound->first());
    shape.push_back(bound->second);
  }
  if (!tensor.has_shape() && shape.empty())
    return fail("it has no shape; give its sizes as '" + name + ":0=SIZE'");
  for (const auto &[axis, dim] : llvm::enumerate(tensor.shape().dim())) {
    std::string place = (name + ":" + Twine(axis)).str();
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      shape.push_back(dim.dim_value());
      continue;
    }
    auto bound = options.dims.find(dim.dim_param());
    if (dim.dim_param().empty() || bound == options.dims.end())
      bound = options.dims.find(place);
    // Another axis of the name may have been given by its place.
    if (bound == options.dims.end() && !dim.dim_param().empty())
      bound = options.dims.find(places.lookup(dim.dim_param()));
    if (bound == options.dims.end()) {
      std::string open = dim.dim_param().empty() ? place : dim.dim_param();
      if (options.choices && options.choices->otherwise) {
        options.choices->unsized.insert(open);
        shape.push_back(options.choices->otherwise);
        continue;
      }
      return fail("the size of axis " + Twine(axis) + " is open; give it as '" + open + "=SIZE'");
    }
    sized.insert(bound->first());
    shape.push_back(bound->second);
  }
  if (!countElements(shape, tiny_dtype_size(*getDtype(element))))
    return fail("the size of its shape overflows");
  return RankedTensorType::get(shape, element);
}

std::optional<int64_t> Graph::getLength(StringRef name) {
  auto given = options.dims.find(name);
  if (given == options.dims.end())
    return std::nullopt;
  sized.insert(name);
  return given->second;
}

LogicalResult Graph::listInput(const onnx::ValueInfoProto &info, SmallVectorImpl<Input> &inputs) {
  const onnx::TypeProto *type = &info.type();
  bool isOptional = type->has_optional_type(), isSequence = false;
  if (isOptional)
    type = &type->optional_type().elem_type();
  if ((isSequence = type->has_sequence_type()))
    type = &type->sequence_type().elem_type();
  std::optional<int64_t> length = 1;
  if (isOptional || isSequence) {
    length = getLength(info.name());
    if (!length && !isOptional)
      return emitError() << "input '" << info.name() << "': the length of the sequence is open; give it as '"
                         << info.name() << "=LENGTH'";
    constexpr int64_t kLongest = 4096;
    if (length && *length > (isSequence ? kLongest : 1))
      return emitError() << "input '" << info.name() << "': expects at most " << (isSequence ? kLongest : 1)
                         << " elements, got " << *length;
    if (length && *length == 0 && !isSequence)
      length.reset();
    if (!length)
      return defineSequence(info.name(), std::nullopt);
    if (isSequence)
      sequenceInputs.push_back({info.name(), *length});
  }
  for (int64_t element = 0; element < *length; ++element) {
    std::string name = isSequence ? info.name() + "." + std::to_string(element) : info.name();
    RankedTensorType tensor = getInputType(name, *type);
    if (!tensor)
      return failure();
    inputs.push_back({name, tensor});
  }
  return success();
}

LogicalResult Graph::importInputs() {
  for (const onnx::ValueInfoProto &info : proto.input())
    for (const auto &[axis, dim] : llvm::enumerate(info.type().tensor_type().shape().dim()))
      if (std::string place = info.name() + ":" + std::to_string(axis);
          !dim.dim_param().empty() && options.dims.contains(place))
        places[dim.dim_param()] = place;
  SmallVector<Input> inputs;
  bool complete = true;
  for (const onnx::ValueInfoProto &info : proto.input()) {
    // Old models list their initializers here too, as inputs with a default.
    if (top.initializers.contains(info.name()))
      continue;
    if (top.refused.contains(info.name()))
      continue;
    if (failed(listInput(info, inputs))) {
      top.refused.insert(info.name());
      complete = false;
    }
  }
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  SmallVector<Location> locations;
  for (const Input &input : inputs) {
    StringAttr name = builder.getStringAttr(input.name);
    types.push_back(input.type);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, name)));
    locations.push_back(NameLoc::get(name));
  }
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, module.getLoc(), options.function, builder.getFunctionType(types, {}));
  Block *block = builder.createBlock(&function.getBody(), {}, types, locations);
  function.setAllArgAttrs(names);
  for (auto [argument, input] : llvm::zip_equal(block->getArguments(), inputs))
    if (failed(define(input.name, argument)))
      return failure();
  for (const auto &[name, length] : sequenceInputs) {
    SmallVector<Value> elements;
    for (int64_t element = 0; element < length && complete; ++element)
      elements.push_back(lookup(name + "." + std::to_string(element)));
    if (failed(defineSequence(name, std::move(elements))))
      return failure();
  }
  return success(complete);
}

LogicalResult Graph::checkDims() {
  // In the order of their names: a map's own differs from run to run.
  SmallVector<StringRef> given = llvm::to_vector(options.dims.keys());
  llvm::sort(given);
  for (StringRef name : given)
    if (!sized.contains(name))
      return emitError() << "the model leaves no dimension '" << name << "' open";
  return success();
}

std::optional<int64_t> Graph::findOpen(int64_t size) {
  OnnxChoices *choices = options.choices;
  if (!choices)
    return std::nullopt;
  size_t number = nChoices++;
  if (choices->imports == 0) {
    choices->sizes.push_back(size);
    choices->isOpen.push_back(false);
  }
  if (number >= choices->sizes.size())
    return std::nullopt;
  if (choices->imports == 1)
    choices->isOpen[number] = choices->sizes[number] != size;
  return choices->isOpen[number] ? std::optional(choices->sizes[number]) : std::nullopt;
}

OnnxSlice *Graph::nextSlice(Location loc, int64_t size) {
  OnnxChoices *choices = options.choices;
  if (!choices)
    return nullptr;
  OnnxSlice &slice = choices->slices[{loc, nSlices[loc]++}];
  if (choices->imports == 0)
    slice.most = size;
  return &slice;
}

std::optional<bool> Graph::wasFolded(Value value) const {
  if (!options.choices || options.choices->imports == 0)
    return std::nullopt;
  auto known = options.choices->folded.find(value.getLoc());
  return known == options.choices->folded.end() ? std::nullopt : std::optional(known->second);
}

void Graph::noteFolded(Value value, bool isFolded) {
  if (isFirstImport())
    options.choices->folded.try_emplace(value.getLoc(), isFolded);
}

OnnxDecision::Known *Graph::nextDecision(Location loc) {
  OnnxChoices *choices = options.choices;
  if (!choices || choices->imports < 2)
    return nullptr;
  unsigned number = nDecisions[loc]++;
  OnnxDecision &decision = choices->decisions.try_emplace({loc, number}, OnnxDecision{loc, {}}).first->second;
  OnnxDecision::Known &known = decision.known[choices->imports];
  known.sizes = options.dims;
  return &known;
}

int64_t Graph::measure(StringRef name, Value count, int64_t most) {
  // A body that stands here several times has a size each time.
  std::string unique = name.str();
  for (unsigned number = 1; sized.contains(unique); ++number)
    unique = name.str() + "." + std::to_string(number);
  sized.insert(unique);
  measured.push_back({unique, count, most});
  auto given = options.dims.find(unique);
  return given == options.dims.end() ? most : given->second;
}

LogicalResult Graph::importOutputs() {
  SmallVector<Value> results;
  SmallVector<Attribute> names;
  if (!proto.output_size())
    return emitError() << "the model has no outputs";
  auto add = [&](Value value, const Twine &name) {
    results.push_back(value);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, builder.getStringAttr(name))));
  };
  for (const onnx::ValueInfoProto &info : proto.output()) {
    // Each element of a sequence is a result.
    if (const std::optional<SmallVector<Value>> *sequence = lookupSequence(info.name())) {
      if (!*sequence)
        return emitError() << "output '" << info.name() << "' is an optional value that is absent";
      for (auto [index, value] : llvm::enumerate(**sequence))
        add(value, info.name() + "." + Twine(index));
      continue;
    }
    Value value = lookup(info.name());
    if (!value)
      return emitError() << "output '" << info.name() << "' is computed by no node";
    Type declared = getElementType(builder.getContext(), info.type().tensor_type().elem_type());
    Type computed = cast<RankedTensorType>(value.getType()).getElementType();
    if (declared && declared != computed)
      return emitError() << "output '" << info.name() << "' is declared with elements of type " << declared
                         << ", and its elements are of type " << computed;
    add(value, info.name());
  }
  for (const Measured &size : measured) {
    results.push_back(size.count);
    names.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr(kSizeAttr, builder.getStringAttr(size.name)),
                                   builder.getNamedAttr(kBoundAttr, builder.getI64IntegerAttr(size.most))}));
  }
  func::ReturnOp::create(builder, module.getLoc(), results);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllResultAttrs(names);
  return success();
}

/// Shapes and axes were constants that became attributes.
void Graph::eraseUnusedConstants() {
  function.walk([](tensor::ConstantOp op) {
    op->removeAttr(kFollowsAttr);
    op->removeAttr(kShapedAttr);
  });
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (isa<tensor::ConstantOp>(op) && op.use_empty())
      op.erase();
}

LogicalResult Graph::import() {
  // All that is missing is said, not only the first of it: behind what is refused, nodes are still looked at.
  bool complete = succeeded(importInitializers(proto));
  complete &= succeeded(importInputs());
  if (!function)
    return failure();
  complete &= succeeded(importNodes(proto.node()));
  if (!complete || failed(checkDims()) || failed(importOutputs()))
    return failure();
  noteDecisions(*this, function);
  eraseUnusedConstants();
  if (options.choices)
    ++options.choices->imports;
  return success();
}

} // namespace tiny::onnximport
