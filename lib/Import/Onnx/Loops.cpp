// Loops whose number of iterations is known when the model is imported: the body stands once for each of them.
#include "Node.h"
#include "Tiny/Dialect/Tensor/Tensor.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// So many nodes may come of one loop.
constexpr int64_t kMostNodes = 1 << 16;

/// A value, or a sequence or an optional value.
struct Carry {
  Value value;
  std::optional<SmallVector<Value>> sequence;
};

/// A body that is put in place of its node once for each iteration.
class Body {
public:
  Body(Node &node, const onnx::GraphProto &proto) : node(node), proto(proto), graph(node.getOuter()) {}

  /// Checks how many inputs and outputs there are. Emits an error.
  bool hasArity(int inputs, int outputs) {
    if (proto.input_size() == inputs && proto.output_size() == outputs)
      return true;
    node.fail("the body has " + Twine(proto.input_size()) + " inputs and " + Twine(proto.output_size()) +
              " outputs, expected " + Twine(inputs) + " and " + Twine(outputs));
    return false;
  }

  /// Whether so many iterations are not too many. Emits an error.
  bool hasRoom(int64_t iterations) {
    if (iterations <= kMostNodes / std::max(1, proto.node_size()))
      return true;
    node.fail("a loop of " + Twine(iterations) + " iterations of " + Twine(proto.node_size()) +
              " nodes is too long to be unrolled: at most " + Twine(kMostNodes) + " nodes may come of it");
    return false;
  }

  /// One iteration; none after an error.
  std::optional<SmallVector<Carry>> run(ArrayRef<Carry> inputs) {
    SmallVector<Carry> outputs;
    auto bind = [&]() -> LogicalResult {
      for (auto [input, carry] : llvm::zip_equal(proto.input(), inputs))
        if (!input.name().empty() && failed(carry.value ? graph.define(input.name(), carry.value)
                                                        : graph.defineSequence(input.name(), carry.sequence)))
          return failure();
      return success();
    };
    auto collect = [&]() -> LogicalResult {
      for (const onnx::ValueInfoProto &output : proto.output()) {
        const std::optional<SmallVector<Value>> *sequence = graph.lookupSequence(output.name());
        Value value = sequence ? nullptr : graph.lookup(output.name());
        if (!sequence && !value) {
          node.fail("output '" + output.name() + "' is computed by no node");
          return failure();
        }
        outputs.push_back({value, sequence ? *sequence : std::nullopt});
      }
      return success();
    };
    if (succeeded(graph.inlineBody(proto, bind, collect)))
      return outputs;
    node.refuse();
    return std::nullopt;
  }

private:
  Node &node;
  const onnx::GraphProto &proto;
  Graph &graph;
};

Carry getCarry(Node &node, unsigned index) {
  if (node.isSequence(index))
    return {nullptr, node.sequence(index)};
  return {node.input(index), std::nullopt};
}

/// Values of equal shapes one after the other along a new axis. Null after an error.
Value stack(Node &node, ArrayRef<Value> slices, int64_t axis) {
  SmallVector<Value> parts;
  for (Value slice : slices) {
    if (slice.getType() != slices.front().getType())
      return node.fail("the iterations give a scan output of other types");
    Ints shape(shapeOf(slice));
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(node.reshape(slice, shape));
  }
  return node.create("tiny.concat", parts, node.attr("axis", axis));
}

/// The truth value as it is known now; none where it is computed while the model runs.
std::optional<bool> getKnown(Value condition) {
  auto constant = condition.getDefiningOp<tensor::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.getNumElements() != 1 || !elements.getElementType().isInteger(1))
    return std::nullopt;
  return *elements.value_begin<bool>();
}

// Until the condition is false, at most so often. Where the condition is computed while the model runs, all iterations
// are, and those behind the last one change nothing; then what an iteration gives cannot be collected.
Values translateLoop(Node &node) {
  const onnx::GraphProto *proto = node.getGraph("body");
  if (!proto)
    return {};
  Body body(node, *proto);
  unsigned numCarried = std::max(2u, node.numInputs()) - 2;
  if (node.numOutputs() < numCarried)
    return {node.fail("got " + Twine(node.numOutputs()) + " outputs for " + Twine(numCarried) + " carried values")};
  unsigned numScanned = node.numOutputs() - numCarried;
  if (!body.hasArity(int(numCarried + 2), int(numCarried + 1 + numScanned)))
    return {};
  std::optional<int64_t> limit;
  if (node.hasInput(0)) {
    std::optional<Ints> count = node.constantInts(0, "the number of iterations");
    if (!count)
      return {};
    if (count->size() != 1)
      return {node.fail("the number of iterations is not one number")};
    limit = std::max<int64_t>(0, count->front());
  }
  Type i1 = IntegerType::get(node.getContext(), 1);
  Value condition = node.hasInput(1) ? node.reshape(node.input(1), {}) : node.makeInts(1, {}, i1);
  SmallVector<Carry> carried;
  for (unsigned i = 0; i < numCarried; ++i)
    carried.push_back(getCarry(node, i + 2));
  if (node.failed() || !condition)
    return {};
  SmallVector<SmallVector<Value>> scanned(numScanned);
  // Whether the iteration counts; null where it is known that it does.
  Value active;
  for (int64_t k = 0; !limit || k < *limit; ++k) {
    Value folded = condition;
    foldConstants(node.getOuter().builder, folded);
    std::optional<bool> known = getKnown(folded);
    if (known && !*known)
      break;
    if (!known) {
      if (!limit || numScanned)
        return {node.fail("the condition is computed while the model runs; only a constant is supported")};
      active = active ? node.create("tiny.and", {active, condition}) : condition;
    }
    if (!body.hasRoom(known ? k + 1 : *limit))
      return {};
    SmallVector<Carry> inputs{{node.makeInts(k, {}, IntegerType::get(node.getContext(), 64)), std::nullopt},
                              {condition, std::nullopt}};
    inputs.append(carried);
    std::optional<SmallVector<Carry>> outputs = body.run(inputs);
    if (!outputs)
      return {};
    if (!outputs->front().value || typeOf(outputs->front().value).getNumElements() != 1)
      return {node.fail("the body's condition is not one truth value")};
    condition = node.reshape(outputs->front().value, {});
    for (unsigned i = 0; i < numCarried; ++i) {
      Carry &next = (*outputs)[i + 1];
      if (active) {
        if (!next.value || !carried[i].value || next.value.getType() != carried[i].value.getType())
          return {node.fail("a carried value changes its type, and the condition is computed while the model runs; "
                            "only a constant is supported")};
        next.value = node.where(active, next.value, carried[i].value);
      }
      carried[i] = std::move(next);
    }
    for (unsigned i = 0; i < numScanned; ++i) {
      scanned[i].push_back((*outputs)[numCarried + 1 + i].value);
      if (!scanned[i].back())
        return {node.fail("a scan output is a sequence")};
    }
  }
  Values results;
  for (auto [index, carry] : llvm::enumerate(carried)) {
    if (!carry.value)
      node.defineSequence(unsigned(index), carry.sequence);
    results.push_back(carry.value);
  }
  for (ArrayRef<Value> slices : scanned) {
    if (slices.empty())
      return {node.fail("a loop without an iteration gives scan outputs of unknown shape")};
    results.push_back(stack(node, slices, 0));
  }
  return results;
}

/// What a Scan's attributes say of one scanned value.
struct Axis {
  int64_t axis = 0;
  bool isReversed = false;
};

/// The axes and directions that two attributes give for so many values, each of rank `ranks[i]` (and one more, where
/// the axis is new). None after an error.
std::optional<SmallVector<Axis>> readAxes(Node &node, StringRef axes, StringRef directions, ArrayRef<int64_t> ranks) {
  SmallVector<Axis> result(ranks.size());
  std::optional<Ints> given = node.getInts(axes), reversed = node.getInts(directions);
  for (const auto &[list, name] : {std::pair(&given, axes), std::pair(&reversed, directions)})
    if (*list && (*list)->size() != ranks.size()) {
      node.fail("attribute '" + name + "' has " + Twine((*list)->size()) + " numbers, expected " + Twine(ranks.size()));
      return std::nullopt;
    }
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (given) {
      std::optional<int64_t> axis = node.normalizeAxis((*given)[i], ranks[i]);
      if (!axis)
        return std::nullopt;
      result[i].axis = *axis;
    }
    result[i].isReversed = reversed && (*reversed)[i];
  }
  return result;
}

/// A slice of an axis, without it.
Value takeSlice(Node &node, Value value, int64_t axis, int64_t at) {
  Ints shape(shapeOf(value));
  shape.erase(shape.begin() + axis);
  return node.reshape(node.sliceAxis(value, axis, at, at + 1), shape);
}

/// Runs the body over the scanned inputs, of which there is one at least. Gives the states at the end and the scan
/// outputs; empty after an error.
Values scan(Node &node, Body &body, ArrayRef<Value> states, ArrayRef<Value> scanned, ArrayRef<Axis> axes,
            StringRef outputDirections) {
  int64_t length = shapeOf(scanned.front())[axes.front().axis];
  for (auto [value, axis] : llvm::zip_equal(scanned, axes))
    if (shapeOf(value)[axis.axis] != length)
      return {node.fail("the scanned inputs have " + Twine(length) + " and " + Twine(shapeOf(value)[axis.axis]) +
                        " slices")};
  if (length == 0)
    return {node.fail("a scan without an iteration gives scan outputs of unknown shape")};
  if (!body.hasRoom(length))
    return {};
  SmallVector<Carry> carried;
  for (Value state : states)
    carried.push_back({state, std::nullopt});
  SmallVector<SmallVector<Value>> collected(node.numOutputs() - states.size());
  for (int64_t k = 0; k < length; ++k) {
    SmallVector<Carry> inputs(carried);
    for (auto [value, axis] : llvm::zip_equal(scanned, axes))
      inputs.push_back({takeSlice(node, value, axis.axis, axis.isReversed ? length - 1 - k : k), std::nullopt});
    std::optional<SmallVector<Carry>> outputs = body.run(inputs);
    if (!outputs)
      return {};
    if (llvm::any_of(*outputs, [](const Carry &output) { return !output.value; }))
      return {node.fail("an output of the body is a sequence")};
    carried.assign(outputs->begin(), outputs->begin() + states.size());
    for (auto [slices, output] : llvm::zip_equal(collected, ArrayRef(*outputs).drop_front(states.size())))
      slices.push_back(output.value);
  }
  SmallVector<int64_t> ranks;
  for (ArrayRef<Value> slices : collected)
    ranks.push_back(rankOf(slices.front()) + 1);
  std::optional<SmallVector<Axis>> outputAxes = readAxes(node, "scan_output_axes", outputDirections, ranks);
  if (!outputAxes)
    return {};
  Values results;
  for (const Carry &carry : carried)
    results.push_back(carry.value);
  for (auto [slices, axis] : llvm::zip_equal(collected, *outputAxes)) {
    if (axis.isReversed)
      std::reverse(slices.begin(), slices.end());
    results.push_back(stack(node, slices, axis.axis));
  }
  return results;
}

// The body over the slices of its last inputs. Set 8 has a batch before everything, and lengths of its elements.
Values translateScan(Node &node) {
  const onnx::GraphProto *proto = node.getGraph("body");
  if (!proto)
    return {};
  bool hasBatch = node.opset() < 9;
  unsigned first = hasBatch ? 1 : 0, numInputs = node.numInputs() - first;
  int64_t numScanned = node.getInt("num_scan_inputs", 0);
  if (numScanned < 1 || numScanned > numInputs)
    return {node.fail("attribute 'num_scan_inputs' is " + Twine(numScanned) + ", expected 1 to " + Twine(numInputs))};
  unsigned numStates = numInputs - unsigned(numScanned);
  if (node.numOutputs() < numStates)
    return {node.fail("got " + Twine(node.numOutputs()) + " outputs for " + Twine(numStates) + " states")};
  if (hasBatch && node.hasInput(0))
    return {node.fail("the lengths of sequences are not supported")};
  Body body(node, *proto);
  if (!body.hasArity(int(numInputs), int(node.numOutputs())))
    return {};
  SmallVector<Value> inputs;
  SmallVector<int64_t> ranks;
  for (unsigned i = 0; i < numInputs; ++i) {
    inputs.push_back(node.input(first + i));
    if (!inputs.back())
      return {};
    if (rankOf(inputs.back()) < (i < numStates ? 0 : 1) + int64_t(hasBatch))
      return {node.fail("input " + Twine(first + i) + " has no axis to scan")};
    if (i >= numStates)
      ranks.push_back(rankOf(inputs.back()) - hasBatch);
  }
  std::optional<SmallVector<Axis>> axes =
      readAxes(node, "scan_input_axes", hasBatch ? "directions" : "scan_input_directions", ranks);
  if (!axes)
    return {};
  auto run = [&](ArrayRef<Value> values) {
    return scan(node, body, values.take_front(numStates), values.drop_front(numStates), *axes,
                "scan_output_directions");
  };
  if (!hasBatch)
    return run(inputs);
  int64_t batch = shapeOf(inputs.front())[0];
  SmallVector<SmallVector<Value>> collected(node.numOutputs());
  for (int64_t k = 0; k < batch; ++k) {
    SmallVector<Value> values;
    for (Value input : inputs) {
      if (shapeOf(input)[0] != batch)
        return {node.fail("the inputs have batches of " + Twine(batch) + " and " + Twine(shapeOf(input)[0]))};
      values.push_back(takeSlice(node, input, 0, k));
    }
    Values results = run(values);
    if (node.failed() || results.size() != collected.size())
      return {};
    for (auto [list, result] : llvm::zip_equal(collected, results))
      list.push_back(result);
  }
  Values results;
  for (ArrayRef<Value> list : collected)
    results.push_back(list.empty() ? node.fail("a batch of no elements") : stack(node, list, 0));
  return results;
}

} // namespace

ArrayRef<Handler> getLoopHandlers() {
  static const Handler handlers[] = {
      {"Loop", 2, kAnyInputs, "body", translateLoop},
      {"Scan", 1, kAnyInputs,
       "body num_scan_inputs directions scan_input_axes scan_input_directions scan_output_axes scan_output_directions",
       translateScan},
  };
  return handlers;
}

} // namespace tiny::onnximport
