// Translates nodes: by their operator's handler, or by a function of the model, whose body is put in its place.
#include "Graph.h"
#include "Node.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tiny::onnximport {

constexpr unsigned kDeepest = 64;

/// The handlers of all operators by name, from all tables.
static const llvm::StringMap<const Handler *> &getHandlers() {
  static const llvm::StringMap<const Handler *> handlers = [] {
    llvm::StringMap<const Handler *> map;
    for (ArrayRef<Handler> table :
         {getAttentionHandlers(),      getContractionHandlers(), getDeformedHandlers(),      getElementwiseHandlers(),
          getFusedHandlers(),          getIndexingHandlers(),    getCountedHandlers(),       getLoopHandlers(),
          getLossHandlers(),           getMovementHandlers(),    getNormalizationHandlers(), getProductHandlers(),
          getQuantizedFusedHandlers(), getQuantizedHandlers(),   getRandomHandlers(),        getRecurrentHandlers(),
          getReduceHandlers(),         getResizeHandlers(),      getSamplingHandlers(),      getScatterHandlers(),
          getSelectionHandlers(),      getSequenceHandlers(),    getSignalHandlers(),        getSpatialHandlers(),
          getStateHandlers(),          getTrainingHandlers()})
      for (const Handler &handler : table)
        map[handler.op] = &handler;
    return map;
  }();
  return handlers;
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
  llvm::StringSet<> seen;
  for (const onnx::AttributeProto &attribute : proto.attribute()) {
    if (!llvm::is_contained(known, attribute.name())) {
      node.fail("attribute '" + attribute.name() + "' is not supported");
      return false;
    }
    if (!seen.insert(attribute.name()).second) {
      node.fail("attribute '" + attribute.name() + "' is given twice");
      return false;
    }
  }
  return true;
}

LogicalResult Graph::callHandler(const Handler &handler, const onnx::NodeProto &proto, Location loc) {
  Node node(*this, proto, loc);
  if (!checkNode(node, proto, handler))
    return failure();
  Values results;
  if (handler.translate) {
    results = handler.translate(node);
  } else {
    SmallVector<Value> operands;
    for (unsigned i = 0; i < node.numInputs(); ++i)
      operands.push_back(node.input(i));
    results = {node.create(handler.target, operands)};
  }
  if (node.failed())
    return failure();
  SmallVector<Value> inputs;
  for (const std::string &name : proto.input())
    if (Value input = !options.choices || name.empty() ? Value() : lookup(name))
      inputs.push_back(input);
  foldConstants(*this, results, inputs);
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    if (!node.hasOutput(i) || scope->sequences.contains(proto.output(i)))
      continue;
    if (i >= results.size() || !results[i])
      return mlir::emitError(loc) << "output " << i << ", '" << proto.output(i) << "', is not supported";
    if (failed(define(proto.output(i), results[i])))
      return failure();
  }
  return success();
}

const onnx::FunctionProto *Graph::findFunction(const onnx::NodeProto &call) const {
  for (const onnx::FunctionProto &callee : model.functions())
    if (callee.name() == call.op_type() && callee.domain() == call.domain())
      return &callee;
  return nullptr;
}

LogicalResult Graph::inlineBody(const onnx::GraphProto &body, function_ref<LogicalResult()> bind,
                                function_ref<LogicalResult()> use) {
  if (depth == kDeepest)
    return emitError() << "more than " << kDeepest << " bodies stand inside each other";
  Scope inner;
  inner.parent = scope;
  llvm::SaveAndRestore enter(scope, &inner);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  return success(succeeded(importInitializers(body)) && succeeded(bind()) && succeeded(importNodes(body.node())) &&
                 succeeded(use()));
}

/// The node with the call's attributes in the place of those that it takes from the function.
static onnx::NodeProto bindAttributes(const onnx::NodeProto &node, const onnx::NodeProto &call) {
  onnx::NodeProto bound = node;
  bound.clear_attribute();
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *bound.add_attribute() = attribute;
      continue;
    }
    for (const onnx::AttributeProto &given : call.attribute()) {
      if (given.name() != attribute.ref_attr_name())
        continue;
      onnx::AttributeProto *copy = bound.add_attribute();
      *copy = given;
      copy->set_name(attribute.name());
    }
  }
  return bound;
}

LogicalResult Graph::inlineFunction(const onnx::FunctionProto &callee, const onnx::NodeProto &call) {
  if (depth == kDeepest)
    return emitError() << "more than " << kDeepest << " bodies stand inside each other";
  // Functions that call others twice each are few, and what stands here of them is not.
  constexpr size_t kMostInlined = 1 << 17;
  nInlined += callee.node_size();
  if (nInlined > kMostInlined)
    return emitError() << "more than " << kMostInlined << " nodes come of the model's functions";
  if (call.input_size() > callee.input_size() || call.output_size() > callee.output_size())
    return emitError() << "the function takes " << callee.input_size() << " inputs and gives " << callee.output_size()
                       << " outputs, got " << call.input_size() << " and " << call.output_size();
  Scope inner;
  for (int i = 0; i < call.input_size(); ++i) {
    if (call.input(i).empty())
      continue;
    if (const std::optional<SmallVector<Value>> *sequence = lookupSequence(call.input(i)))
      inner.sequences[callee.input(i)] = *sequence;
    else if (Value value = lookup(call.input(i)))
      inner.values[callee.input(i)] = value;
    else
      return emitError() << "input " << i << ", '" << call.input(i)
                         << "', is neither an input nor an initializer nor computed by an earlier node";
  }
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (const onnx::NodeProto &node : callee.node())
    *nodes.Add() = bindAttributes(node, call);
  {
    llvm::SaveAndRestore enter(scope, &inner);
    llvm::SaveAndRestore deeper(depth, depth + 1);
    llvm::SaveAndRestore version(opset, opset);
    for (const onnx::OperatorSetIdProto &used : callee.opset_import())
      if (used.domain().empty() || used.domain() == "ai.onnx")
        opset = used.version();
    if (failed(importNodes(nodes)))
      return failure();
  }
  for (int i = 0; i < call.output_size(); ++i) {
    if (call.output(i).empty())
      continue;
    auto sequence = inner.sequences.find(callee.output(i));
    Value value = inner.values.lookup(callee.output(i));
    if (!value && sequence == inner.sequences.end())
      return emitError() << "output '" << callee.output(i) << "' is computed by no node";
    if (failed(value ? define(call.output(i), value) : defineSequence(call.output(i), sequence->second)))
      return failure();
  }
  return success();
}

LogicalResult Graph::translateNode(const onnx::NodeProto &proto, Location loc, bool isRefused) {
  std::string name = proto.op_type();
  bool isDefault = proto.domain().empty() || proto.domain() == "ai.onnx";
  if (!isDefault)
    name = proto.domain() + ":" + name;
  if (const Handler *handler = getHandlers().lookup(name)) {
    if (!isRefused)
      return callHandler(*handler, proto, loc);
    Node node(*this, proto, loc);
    return success(checkNode(node, proto, *handler));
  }
  if (const onnx::FunctionProto *callee = findFunction(proto))
    return isRefused ? success() : inlineFunction(*callee, proto);
  if (!isDefault)
    return mlir::emitError(loc) << "operators of domain '" << proto.domain() << "' are not supported";
  return mlir::emitError(loc) << "the operator is not supported";
}

LogicalResult Graph::importNode(const onnx::NodeProto &node, int index) {
  // What a refused node computes is refused once, but an operator that is missing, too, is said.
  auto isRefused = [&](const std::string &input) {
    for (Scope *at = scope; at; at = at->parent)
      if (at->refused.contains(input))
        return true;
    return false;
  };
  bool dependsOnRefused = llvm::any_of(node.input(), isRefused);
  std::string name = node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
  Location loc = NameLoc::get(builder.getStringAttr(name));
  // Every message says where in the model the fault is, also if the dialect finds it. A body may have several.
  SmallVector<std::string> messages;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        messages.push_back(diagnostic.str());
      return success();
    });
    result = translateNode(node, loc, dependsOnRefused);
  }
  if (succeeded(result) && !dependsOnRefused)
    return success();
  for (const std::string &output : node.output())
    scope->refused.insert(output);
  if (succeeded(result))
    return failure();
  bool hasBody = !messages.empty() && StringRef(messages.front()).starts_with("node ");
  if (!hasBody)
    messages.resize(1);
  std::string domain = node.domain().empty() ? "" : node.domain() + ".";
  std::string version = node.domain().empty() || node.domain() == "ai.onnx" ? "-" + std::to_string(opset) : "";
  for (const std::string &message : messages)
    emitError() << "node " << index << " '" << name << "' (" << domain << node.op_type() << version << "): " << message;
  return failure();
}

LogicalResult Graph::importNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes) {
  // All that is missing is said, not only the first of it.
  bool complete = true;
  for (const auto &[index, node] : llvm::enumerate(nodes))
    complete &= succeeded(importNode(node, int(index)));
  return success(complete);
}

} // namespace tiny::onnximport

std::vector<tiny::OnnxOperator> tiny::listOnnxOperators() {
  std::vector<OnnxOperator> operators;
  for (const auto &entry : onnximport::getHandlers())
    operators.push_back({entry.getKey(), entry.getValue()->attributes});
  llvm::sort(operators, [](const OnnxOperator &lhs, const OnnxOperator &rhs) { return lhs.name < rhs.name; });
  return operators;
}
