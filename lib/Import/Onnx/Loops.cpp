// Loops: a body for each iteration where there are few, or shapes change, and one that is run again and again
// otherwise.
#include "LoopBuilder.h"
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

  bool fits(int64_t iterations) const { return iterations <= kMostNodes / std::max(1, proto.node_size()); }

  /// Whether so many iterations are not too many. Emits an error.
  bool hasRoom(int64_t iterations) {
    if (fits(iterations))
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

  /// The same where no output may be a sequence.
  std::optional<SmallVector<Carry>> runOnValues(ArrayRef<Carry> inputs) {
    std::optional<SmallVector<Carry>> outputs = run(inputs);
    if (!outputs || llvm::all_of(*outputs, [](const Carry &output) { return output.value != nullptr; }))
      return outputs;
    node.fail("an output of the body is a sequence");
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

/// Whether there is a next iteration, as the body gives it. Null after an error.
Value getCondition(Node &node, const Carry &output) {
  if (!output.value || typeOf(output.value).getNumElements() != 1 || !elementOf(output.value).isInteger(1))
    return node.fail("the body's condition is not one truth value");
  return node.reshape(output.value, {});
}

/// The truth value as it is known now; none where it is computed while the model runs.
std::optional<bool> getKnown(Value condition) {
  auto constant = condition.getDefiningOp<tensor::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.getNumElements() != 1 || !elements.getElementType().isInteger(1))
    return std::nullopt;
  return *elements.value_begin<bool>();
}

/// What the node says of its loop.
struct LoopNode {
  Body body;
  unsigned numScanned = 0;
  /// The number of iterations where it is known, and otherwise as it is computed; neither where there is no limit.
  std::optional<int64_t> limit = std::nullopt;
  Value computedLimit = nullptr, condition = nullptr;
  SmallVector<Carry> carried = {};
};

/// The iterations one behind the other. Where the condition is computed while the model runs, all of them are, and
/// those behind the last one change nothing; then what an iteration gives cannot be collected.
Values unroll(Node &node, LoopNode &loop) {
  Value condition = loop.condition;
  SmallVector<Carry> carried = loop.carried;
  unsigned numCarried = carried.size();
  SmallVector<SmallVector<Value>> scanned(loop.numScanned);
  // Whether the iteration counts; null where it is known that it does.
  Value active;
  for (int64_t k = 0; !loop.limit || k < *loop.limit; ++k) {
    Value folded = condition;
    foldConstants(node.getOuter(), folded);
    std::optional<bool> known = getKnown(folded);
    if (known && !*known)
      break;
    if (!known) {
      if (!loop.limit || loop.numScanned)
        return {node.fail("the condition is computed while the model runs; only a constant is supported")};
      active = active ? node.create("tiny.and", {active, condition}) : condition;
    }
    if (!loop.body.hasRoom(known ? k + 1 : *loop.limit))
      return {};
    SmallVector<Carry> inputs{{node.makeInts(k, {}, IntegerType::get(node.getContext(), 64)), std::nullopt},
                              {condition, std::nullopt}};
    inputs.append(carried);
    std::optional<SmallVector<Carry>> outputs = loop.body.run(inputs);
    if (!outputs)
      return {};
    condition = getCondition(node, outputs->front());
    if (!condition)
      return {};
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
    for (unsigned i = 0; i < loop.numScanned; ++i) {
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

/// One body, which the program runs as often as it turns out.
Values repeat(Node &node, LoopNode &loop) {
  SmallVector<Value> carried;
  for (const Carry &carry : loop.carried) {
    if (!carry.value)
      return {node.fail("a loop carries a sequence, and its number of iterations is computed while the model runs; "
                        "only a constant is supported")};
    carried.push_back(carry.value);
  }
  std::optional<bool> known = getKnown(loop.condition);
  Value first = known && *known ? Value() : loop.condition;
  // One iteration more than there may be shows where there would be more.
  int64_t most = loop.limit ? *loop.limit : loop.numScanned ? kMostMeasured + 1 : std::numeric_limits<int64_t>::max();
  bool isWhile = first != nullptr;
  Values results = createLoop(
      node, most, loop.computedLimit, first, carried, [&](Value number, ValueRange values) -> std::optional<Iteration> {
        // In an iteration its condition holds.
        SmallVector<Carry> inputs{{number, std::nullopt},
                                  {node.makeInts(1, {}, IntegerType::get(node.getContext(), 1)), std::nullopt}};
        for (Value value : values)
          inputs.push_back({value, std::nullopt});
        std::optional<SmallVector<Carry>> outputs = loop.body.runOnValues(inputs);
        if (!outputs)
          return std::nullopt;
        Iteration iteration;
        Value next = getCondition(node, outputs->front());
        if (!next)
          return std::nullopt;
        foldConstants(node.getOuter(), next);
        std::optional<bool> always = getKnown(next);
        if (!always || !*always)
          iteration.condition = next;
        isWhile |= iteration.condition != nullptr;
        for (const Carry &output : ArrayRef(*outputs).drop_front())
          (iteration.next.size() < values.size() ? iteration.next : iteration.rows).push_back(output.value);
        return iteration;
      });
  if (node.failed() || !loop.numScanned)
    return node.failed() ? Values() : Values(ArrayRef(results).drop_back());
  Value count = results.pop_back_val();
  if (loop.limit && !isWhile)
    return results;
  std::optional<int64_t> size = node.measure(count, loop.limit ? *loop.limit : kMostMeasured);
  if (!size)
    return {};
  for (Value &rows : MutableArrayRef(results).drop_front(carried.size())) {
    // Instances are made for some sizes, which may be beyond the bound where that is small.
    Ints begin(rankOf(rows)), more(rankOf(rows));
    more.front() = *size - most;
    rows = *size > most ? node.pad(rows, begin, more) : node.sliceAxis(rows, 0, 0, *size);
  }
  return results;
}

// Until the condition is false, at most so often.
Values translateLoop(Node &node) {
  const onnx::GraphProto *proto = node.getGraph("body");
  if (!proto)
    return {};
  LoopNode loop{Body(node, *proto)};
  unsigned numCarried = std::max(2u, node.numInputs()) - 2;
  if (node.numOutputs() < numCarried)
    return {node.fail("got " + Twine(node.numOutputs()) + " outputs for " + Twine(numCarried) + " carried values")};
  loop.numScanned = node.numOutputs() - numCarried;
  if (!loop.body.hasArity(int(numCarried + 2), int(numCarried + 1 + loop.numScanned)))
    return {};
  if (node.hasInput(0)) {
    Value count = node.input(0);
    if (!count)
      return {};
    if (typeOf(count).getNumElements() != 1 || !elementOf(count).isInteger(64))
      return {node.fail("the number of iterations is not one number")};
    if (node.constant(0))
      loop.limit = std::max<int64_t>(0, node.constantInts(0, "the number of iterations")->front());
    else
      loop.computedLimit = node.reshape(count, {});
  }
  Type i1 = IntegerType::get(node.getContext(), 1);
  loop.condition = node.hasInput(1) ? node.reshape(node.input(1), {}) : node.makeInts(1, {}, i1);
  foldConstants(node.getOuter(), loop.condition);
  bool hasSequence = false;
  for (unsigned i = 0; i < numCarried; ++i) {
    loop.carried.push_back(getCarry(node, i + 2));
    hasSequence |= !loop.carried.back().value;
  }
  if (node.failed() || !loop.condition)
    return {};
  // Sequences and shapes that change are there in an unrolled loop alone.
  if (loop.computedLimit || (loop.limit && !loop.body.fits(*loop.limit) && !hasSequence))
    return repeat(node, loop);
  if (hasSequence)
    return unroll(node, loop);
  bool isShort = loop.limit ? *loop.limit < kFewestIterations : loop.numScanned != 0;
  Attempt first(node, [&] { return isShort ? unroll(node, loop) : repeat(node, loop); });
  if (first.hasSucceeded())
    return first.take();
  Attempt second(node, [&] { return isShort ? repeat(node, loop) : unroll(node, loop); });
  if (second.hasSucceeded())
    return second.take();
  (isShort ? first : second).report();
  return {};
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

/// The outputs of a scan: the states, and rows, which get the axis and the direction that attributes say.
Values arrangeRows(Node &node, ArrayRef<Value> states, ArrayRef<Value> rows, StringRef outputDirections) {
  SmallVector<int64_t> ranks;
  for (Value value : rows)
    ranks.push_back(rankOf(value));
  std::optional<SmallVector<Axis>> axes = readAxes(node, "scan_output_axes", outputDirections, ranks);
  if (!axes)
    return {};
  Values results(states);
  for (auto [value, axis] : llvm::zip_equal(rows, *axes)) {
    Value row = axis.isReversed ? node.create("tiny.flip", value, node.attr("axes", ArrayRef<int64_t>{0})) : value;
    Ints order = llvm::to_vector(llvm::seq<int64_t>(1, rankOf(value)));
    order.insert(order.begin() + axis.axis, 0);
    results.push_back(axis.axis == 0 ? row : node.permute(row, order));
  }
  return results;
}

/// One body, which the program runs for each slice.
Values repeatScan(Node &node, Body &body, ArrayRef<Value> states, ArrayRef<Value> scanned, ArrayRef<Axis> axes,
                  StringRef outputDirections) {
  int64_t length = shapeOf(scanned.front())[axes.front().axis];
  Values results = createLoop(
      node, length, nullptr, nullptr, states, [&](Value number, ValueRange carried) -> std::optional<Iteration> {
        SmallVector<Carry> inputs;
        for (Value value : carried)
          inputs.push_back({value, std::nullopt});
        for (auto [value, axis] : llvm::zip_equal(scanned, axes)) {
          Value at = axis.isReversed ? node.sub(node.like(number, double(length - 1)), number) : number;
          inputs.push_back({takeAt(node, value, axis.axis, at), std::nullopt});
        }
        std::optional<SmallVector<Carry>> outputs = body.runOnValues(inputs);
        if (!outputs)
          return std::nullopt;
        Iteration iteration;
        for (const Carry &output : *outputs)
          (iteration.next.size() < carried.size() ? iteration.next : iteration.rows).push_back(output.value);
        return iteration;
      });
  if (node.failed())
    return {};
  ArrayRef<Value> rows = ArrayRef(results).drop_back();
  return arrangeRows(node, rows.take_front(states.size()), rows.drop_front(states.size()), outputDirections);
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
  if (node.isOpen(length) || length >= kFewestIterations) {
    Attempt once(node, [&] { return repeatScan(node, body, states, scanned, axes, outputDirections); });
    if (once.hasSucceeded())
      return once.take();
  }
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
  SmallVector<Value> last, rows;
  for (const Carry &carry : carried)
    last.push_back(carry.value);
  for (ArrayRef<Value> slices : collected) {
    rows.push_back(stack(node, slices, 0));
    if (!rows.back())
      return {};
  }
  return arrangeRows(node, last, rows, outputDirections);
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
