// Translates an ONNX graph: initializers, inputs, nodes in order, outputs.
#include "Graph.h"

#include "Node.h"
#include "TensorData.h"
#include "Tiny/Dialect/Tensor/Tensor.h"

using namespace mlir;

namespace tiny::onnximport {

Graph::Graph(const onnx::GraphProto &proto, int64_t opset, ModuleOp module, const OnnxImportOptions &options)
    : opset(opset), builder(module.getContext()), proto(proto), options(options), module(module) {}

InFlightDiagnostic Graph::emitError() { return mlir::emitError(module.getLoc()); }

Value Graph::lookup(StringRef name) {
  if (Value value = values.lookup(name))
    return value;
  ElementsAttr elements = initializers.lookup(name);
  if (!elements)
    return nullptr;
  OpBuilder::InsertionGuard guard(builder);
  // All of them stand first, in the order of their first use.
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(&function.getBody().front());
  Location loc = NameLoc::get(builder.getStringAttr(name));
  Value value = tensor::ConstantOp::create(builder, loc, elements.getShapedType(), elements);
  lastConstant = value.getDefiningOp();
  values[name] = value;
  return value;
}

ElementsAttr Graph::lookupConstant(StringRef name) {
  if (ElementsAttr elements = initializers.lookup(name))
    return elements;
  if (Value value = values.lookup(name))
    if (auto constant = value.getDefiningOp<tensor::ConstantOp>())
      return constant.getValue();
  return nullptr;
}

LogicalResult Graph::define(StringRef name, Value value) {
  if (initializers.contains(name) || !values.try_emplace(name, value).second)
    return emitError() << "two values are called '" << name << "'";
  return success();
}

LogicalResult Graph::importInitializers() {
  if (proto.sparse_initializer_size())
    return emitError() << "sparse initializers are not supported";
  for (const auto &[index, tensor] : llvm::enumerate(proto.initializer())) {
    std::string name = tensor.name();
    auto emit = [&, index = index]() -> InFlightDiagnostic {
      return emitError() << "initializer " << index << " '" << name << "': ";
    };
    if (name.empty())
      return emit() << "it has no name";
    ElementsAttr elements = readTensor(builder.getContext(), tensor, emit);
    if (!elements)
      return failure();
    if (!initializers.try_emplace(name, elements).second)
      return emit() << "another initializer has this name";
  }
  return success();
}

RankedTensorType Graph::getInputType(const onnx::ValueInfoProto &info) {
  auto fail = [&](const Twine &message) {
    emitError() << "input '" << info.name() << "': " << message;
    return nullptr;
  };
  if (!info.type().has_tensor_type())
    return fail("it is no tensor");
  const onnx::TypeProto::Tensor &tensor = info.type().tensor_type();
  Type element = getElementType(builder.getContext(), tensor.elem_type());
  if (!element)
    return fail("element type " + getDataTypeName(tensor.elem_type()) + " is not supported");
  if (!tensor.has_shape())
    return fail("it has no shape");

  Ints shape;
  for (const auto &[axis, dim] : llvm::enumerate(tensor.shape().dim())) {
    std::string place = (info.name() + ":" + Twine(axis)).str();
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      shape.push_back(dim.dim_value());
      continue;
    }
    auto bound = options.dims.find(dim.dim_param());
    if (dim.dim_param().empty() || bound == options.dims.end())
      bound = options.dims.find(place);
    if (bound == options.dims.end()) {
      std::string name = dim.dim_param().empty() ? place : dim.dim_param();
      return fail("the size of axis " + Twine(axis) + " is open; give it as '" + name + "=SIZE'");
    }
    sized.insert(bound->first());
    shape.push_back(bound->second);
  }
  if (!countElements(shape, tiny_dtype_size(*getDtype(element))))
    return fail("the size of its shape overflows");
  return RankedTensorType::get(shape, element);
}

LogicalResult Graph::importInputs() {
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  SmallVector<Location> locations;
  for (const onnx::ValueInfoProto &info : proto.input()) {
    // Old models list their initializers here too, as inputs with a default.
    if (initializers.contains(info.name()))
      continue;
    RankedTensorType type = getInputType(info);
    if (!type)
      return failure();
    StringAttr name = builder.getStringAttr(info.name());
    types.push_back(type);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, name)));
    locations.push_back(NameLoc::get(name));
  }
  // In the order of their names: a map's own differs from run to run.
  SmallVector<StringRef> given = llvm::to_vector(options.dims.keys());
  llvm::sort(given);
  for (StringRef name : given)
    if (!sized.contains(name))
      return emitError() << "the model leaves no dimension '" << name << "' open";

  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, module.getLoc(), options.function, builder.getFunctionType(types, {}));
  Block *block = builder.createBlock(&function.getBody(), {}, types, locations);
  function.setAllArgAttrs(names);
  for (auto [argument, name] : llvm::zip(block->getArguments(), names)) {
    StringRef text = cast<StringAttr>(cast<DictionaryAttr>(name).get(kNameAttr)).getValue();
    if (failed(define(text, argument)))
      return failure();
  }
  return success();
}

/// The handler of an operator, from all tables.
static const Handler *findHandler(StringRef op) {
  static const llvm::StringMap<const Handler *> handlers = [] {
    llvm::StringMap<const Handler *> map;
    for (ArrayRef<Handler> table :
         {getContractionHandlers(), getElementwiseHandlers(), getIndexingHandlers(), getKnownHandlers(),
          getLossHandlers(), getMovementHandlers(), getNormalizationHandlers(), getProductHandlers(),
          getQuantizedHandlers(), getRandomHandlers(), getRecurrentHandlers(), getReduceHandlers(), getResizeHandlers(),
          getSamplingHandlers(), getScatterHandlers(), getSelectionHandlers(), getSignalHandlers(),
          getTrainingHandlers()})
      for (const Handler &handler : table)
        map[handler.op] = &handler;
    return map;
  }();
  return handlers.lookup(op);
}

/// Whether the node has what every node of its operator has. Emits an error if not.
static bool checkNode(Node &node, const onnx::NodeProto &proto, const Handler &handler) {
  if (node.numInputs() < handler.minInputs || node.numInputs() > handler.maxInputs) {
    std::string expected = std::to_string(handler.minInputs);
    if (handler.maxInputs == kAnyInputs)
      expected = "at least " + expected;
    else if (handler.maxInputs != handler.minInputs)
      expected += " to " + std::to_string(handler.maxInputs);
    node.fail("got " + Twine(node.numInputs()) + " inputs, expected " + expected);
    return false;
  }
  SmallVector<StringRef> known;
  handler.attributes.split(known, ' ');
  // Hints of the oldest sets, which say nothing about the result.
  if (node.opset() < 7)
    known.append({"consumed_inputs", "is_test", "broadcast", "axis"});
  for (const onnx::AttributeProto &attribute : proto.attribute()) {
    if (!llvm::is_contained(known, attribute.name())) {
      node.fail("attribute '" + attribute.name() + "' is not supported");
      return false;
    }
  }
  return true;
}

LogicalResult Graph::translateNode(const onnx::NodeProto &proto, Location loc) {
  std::string name = proto.op_type();
  if (!proto.domain().empty() && proto.domain() != "ai.onnx")
    name = proto.domain() + ":" + name;
  const Handler *handler = findHandler(name);
  if (!handler && name != proto.op_type())
    return mlir::emitError(loc) << "operators of domain '" << proto.domain() << "' are not supported";
  if (!handler)
    return mlir::emitError(loc) << "the operator is not supported";
  Node node(*this, proto, loc);
  if (!checkNode(node, proto, *handler))
    return failure();

  Values results;
  if (handler->translate) {
    results = handler->translate(node);
  } else {
    SmallVector<Value> operands;
    for (unsigned i = 0; i < node.numInputs(); ++i)
      operands.push_back(node.input(i));
    results = {node.create(handler->target, operands)};
  }
  if (node.failed())
    return failure();
  foldConstants(builder, results);
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    if (!node.hasOutput(i))
      continue;
    if (i >= results.size() || !results[i])
      return mlir::emitError(loc) << "output " << i << ", '" << proto.output(i) << "', is not supported";
    if (failed(define(proto.output(i), results[i])))
      return failure();
  }
  return success();
}

LogicalResult Graph::importNode(int index) {
  const onnx::NodeProto &node = proto.node(index);
  // What a refused node computes is refused once.
  if (llvm::any_of(node.input(), [&](const std::string &input) { return refused.contains(input); })) {
    for (const std::string &output : node.output())
      refused.insert(output);
    return failure();
  }
  std::string name = node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
  Location loc = NameLoc::get(builder.getStringAttr(name));
  // Every message says where in the model the fault is, also if the dialect finds it.
  std::string message;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && message.empty())
        message = diagnostic.str();
      return success();
    });
    result = translateNode(node, loc);
  }
  if (succeeded(result))
    return success();
  for (const std::string &output : node.output())
    refused.insert(output);
  std::string domain = node.domain().empty() ? "" : node.domain() + ".";
  std::string version = node.domain().empty() || node.domain() == "ai.onnx" ? "-" + std::to_string(opset) : "";
  return emitError() << "node " << index << " '" << name << "' (" << domain << node.op_type() << version
                     << "): " << message;
}

LogicalResult Graph::importOutputs() {
  SmallVector<Value> results;
  SmallVector<Attribute> names;
  if (!proto.output_size())
    return emitError() << "the model has no outputs";
  for (const onnx::ValueInfoProto &info : proto.output()) {
    Value value = lookup(info.name());
    if (!value)
      return emitError() << "output '" << info.name() << "' is computed by no node";
    results.push_back(value);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, builder.getStringAttr(info.name()))));
  }
  func::ReturnOp::create(builder, module.getLoc(), results);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllResultAttrs(names);
  return success();
}

/// Shapes and axes were constants that became attributes.
void Graph::eraseUnusedConstants() {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (isa<tensor::ConstantOp>(op) && op.use_empty())
      op.erase();
}

LogicalResult Graph::import() {
  if (failed(importInitializers()) || failed(importInputs()))
    return failure();
  // All that is missing is said, not only the first of it.
  bool complete = true;
  for (int index = 0; index < proto.node_size(); ++index)
    complete &= succeeded(importNode(index));
  if (!complete || failed(importOutputs()))
    return failure();
  eraseUnusedConstants();
  return success();
}

} // namespace tiny::onnximport
