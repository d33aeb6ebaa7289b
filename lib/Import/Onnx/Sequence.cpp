// Sequences of a known length, optional values, and branches: names that stand for several values, or for none.
#include "LoopBuilder.h"
#include "TensorData.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kLongest = 4096;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

Values translateEmpty(Node &node) {
  node.defineSequence(0, SmallVector<Value>());
  return {};
}

Values translateConstruct(Node &node) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < node.numInputs(); ++i)
    values.push_back(node.input(i));
  if (!node.failed())
    node.defineSequence(0, values);
  return {};
}

/// A place in a sequence that may count from the end; `size` is one more than the last. None after an error.
std::optional<int64_t> readPlace(Node &node, unsigned index, int64_t length, int64_t size) {
  std::optional<Ints> place = node.constantInts(index, "the position");
  if (!place)
    return std::nullopt;
  int64_t at = place->size() == 1 ? place->front() : INT64_MAX;
  at = at < 0 && at >= -length ? at + length : at;
  if (at >= 0 && at < size)
    return at;
  node.fail("the position is not in a sequence of " + Twine(length));
  return std::nullopt;
}

Values translateInsert(Node &node) {
  std::optional<SmallVector<Value>> values = node.sequence(0);
  Value value = node.input(1);
  if (!values || !value)
    return {};
  int64_t length = int64_t(values->size());
  std::optional<int64_t> at = node.hasInput(2) ? readPlace(node, 2, length, length + 1) : length;
  if (!at)
    return {};
  values->insert(values->begin() + *at, value);
  node.defineSequence(0, values);
  return {};
}

Values translateErase(Node &node) {
  std::optional<SmallVector<Value>> values = node.sequence(0);
  if (!values)
    return {};
  int64_t length = int64_t(values->size());
  std::optional<int64_t> at = node.hasInput(1) ? readPlace(node, 1, length, length) : length - 1;
  if (!at)
    return {};
  if (values->empty())
    return {node.fail("the sequence is empty")};
  values->erase(values->begin() + *at);
  node.defineSequence(0, values);
  return {};
}

Values translateAt(Node &node) {
  std::optional<SmallVector<Value>> values = node.sequence(0);
  if (!values)
    return {};
  std::optional<int64_t> at = readPlace(node, 1, int64_t(values->size()), int64_t(values->size()));
  return {at ? (*values)[*at] : nullptr};
}

Values translateLength(Node &node) {
  std::optional<SmallVector<Value>> values = node.sequence(0);
  return {values ? node.makeInts(int64_t(values->size()), {}, i64(node)) : nullptr};
}

Values translateConcatFromSequence(Node &node) {
  std::optional<SmallVector<Value>> values = node.sequence(0);
  if (!values)
    return {};
  if (values->empty())
    return {node.fail("the sequence is empty")};
  bool isNew = node.getInt("new_axis", 0) != 0;
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(values->front()) + isNew);
  if (!axis)
    return {};
  for (Value &value : *values) {
    Ints shape(shapeOf(value));
    if (isNew && *axis <= int64_t(shape.size()))
      shape.insert(shape.begin() + *axis, 1);
    value = node.reshape(value, shape);
  }
  return {node.create("tiny.concat", *values, node.attr("axis", *axis))};
}

// Parts of a size, of the sizes of a list, or single slices.
Values translateSplitToSequence(Node &node) {
  Value input = node.input(0);
  std::optional<int64_t> axis = input ? node.normalizeAxis(node.getInt("axis", 0), rankOf(input)) : std::nullopt;
  if (!axis)
    return {};
  int64_t size = shapeOf(input)[*axis], step = 1;
  Ints sizes;
  if (node.hasInput(1)) {
    std::optional<Ints> given = node.constantInts(1, "the sizes");
    if (!given)
      return {};
    if (rankOf(node.input(1)) == 0)
      step = given->front();
    else
      sizes = *given;
  }
  if (sizes.empty()) {
    if (step < 1 || size / step > kLongest)
      return {node.fail("cannot split " + Twine(size) + " elements into parts of " + Twine(step))};
    for (int64_t at = 0; at < size; at += step)
      sizes.push_back(std::min(step, size - at));
  }
  bool isSqueezed = !node.hasInput(1) && !node.getInt("keepdims", 1);
  SmallVector<Value> values;
  int64_t at = 0;
  for (int64_t part : sizes) {
    if (part < 0 || part > size - at)
      return {node.fail("the sizes of the parts do not add up to " + Twine(size))};
    Value slice = node.sliceAxis(input, *axis, at, at + part);
    Ints shape(shapeOf(input));
    shape.erase(shape.begin() + *axis);
    values.push_back(isSqueezed ? node.reshape(slice, shape) : slice);
    at += part;
  }
  if (at != size)
    return {node.fail("the sizes of the parts do not add up to " + Twine(size))};
  node.defineSequence(0, values);
  return {};
}

/// An optional value is the value itself, or an absent sequence.
Values passOn(Node &node) {
  if (!node.isSequence(0))
    return {node.input(0)};
  if (std::optional<SmallVector<Value>> values = node.sequence(0))
    node.defineSequence(0, values);
  return {};
}

Values translateOptional(Node &node) {
  if (node.hasInput(0))
    return passOn(node);
  node.defineSequence(0, std::nullopt);
  return {};
}

Values translateHasElement(Node &node) {
  return {node.makeInts(node.isAbsent(0) ? 0 : 1, {}, IntegerType::get(node.getContext(), 1))};
}

Values translateGetElement(Node &node) {
  if (node.isAbsent(0))
    return {node.fail("the optional value is absent")};
  return passOn(node);
}

/// What a body's outputs stand for.
struct Outputs {
  SmallVector<Value> values;
  SmallVector<std::optional<SmallVector<Value>>> sequences;
};

/// Translates a branch here; false after an error.
bool runBranch(Node &node, const onnx::GraphProto &body, Outputs &outputs) {
  Graph &graph = node.getOuter();
  if (body.output_size() != int(node.numOutputs())) {
    node.fail("a branch has " + Twine(body.output_size()) + " outputs, expected " + Twine(node.numOutputs()));
    return false;
  }
  auto collect = [&]() -> LogicalResult {
    for (const onnx::ValueInfoProto &output : body.output()) {
      const std::optional<SmallVector<Value>> *sequence = graph.lookupSequence(output.name());
      Value value = sequence ? nullptr : graph.lookup(output.name());
      if (!sequence && !value) {
        node.fail("output '" + output.name() + "' is computed by no node");
        return failure();
      }
      outputs.values.push_back(value);
      outputs.sequences.push_back(sequence ? *sequence : std::nullopt);
    }
    return success();
  };
  if (succeeded(graph.inlineBody(body, [] { return success(); }, collect)))
    return true;
  node.refuse();
  return false;
}

/// Whether two values have one type at all sizes: an extent that is open equals a fixed one by chance.
bool haveOneType(Node &node, Value first, Value second) {
  bool isOne = first.getType() == second.getType();
  for (auto [one, other] : llvm::zip(shapeOf(first), shapeOf(second))) {
    bool isOpen = node.isOpen(one), isOtherOpen = node.isOpen(other);
    isOne &= isOpen == isOtherOpen;
  }
  return isOne;
}

// With a known condition one branch is translated. With a computed one both are: into bodies, of which one runs, or
// each result is chosen.
Values translateIf(Node &node) {
  Value condition = node.input(0);
  const onnx::GraphProto *yes = node.getGraph("then_branch"), *no = node.getGraph("else_branch");
  if (!condition || !yes || !no)
    return {};
  if (typeOf(condition).getNumElements() != 1)
    return {node.fail("the condition is not one truth value")};
  Outputs chosen;
  if (node.constant(0)) {
    std::optional<Ints> known = node.constantInts(0, "the condition");
    if (!known || !runBranch(node, known->front() ? *yes : *no, chosen))
      return {};
    for (unsigned i = 0; i < chosen.values.size(); ++i)
      if (!chosen.values[i])
        node.defineSequence(i, chosen.sequences[i]);
    return Values(ArrayRef<Value>(chosen.values));
  }
  auto build = [&](const onnx::GraphProto &body) -> std::optional<SmallVector<Value>> {
    Outputs outputs;
    if (!runBranch(node, body, outputs))
      return std::nullopt;
    return outputs.values;
  };
  auto branch = [&] {
    return createBranch(node, node.reshape(condition, {}), [&] { return build(*yes); }, [&] { return build(*no); });
  };
  auto choose = [&]() -> Values {
    std::optional<SmallVector<Value>> some = build(*yes), other = some ? build(*no) : std::nullopt;
    if (!other)
      return {};
    Values results;
    for (auto [first, second] : llvm::zip(*some, *other)) {
      if (!first || !second || !haveOneType(node, first, second))
        return {node.fail("the branches give other types, and the condition is computed while the model runs; only a "
                          "constant is supported")};
      results.push_back(node.where(node.reshape(condition, {}), first, second));
    }
    return results;
  };
  // A branch that costs more than to choose among its values is not computed for nothing.
  constexpr int kFewNodes = 4;
  bool isSmall = yes->node_size() + no->node_size() <= kFewNodes;
  Attempt first(node, [&] { return isSmall ? choose() : branch(); });
  if (first.hasSucceeded())
    return first.take();
  Attempt second(node, [&] { return isSmall ? branch() : choose(); });
  if (second.hasSucceeded())
    return second.take();
  (isSmall ? first : second).report();
  return {};
}

// The body for each element of the first sequence; others give their element, tensors are given whole.
Values translateSequenceMap(Node &node) {
  std::optional<SmallVector<Value>> values = node.sequence(0);
  const onnx::GraphProto *body = node.getGraph("body");
  if (!values || !body)
    return {};
  Graph &graph = node.getOuter();
  if (body->input_size() != int(node.numInputs()) || body->output_size() != int(node.numOutputs()))
    return {node.fail("the body has " + Twine(body->input_size()) + " inputs and " + Twine(body->output_size()) +
                      " outputs, expected " + Twine(node.numInputs()) + " and " + Twine(node.numOutputs()))};
  SmallVector<SmallVector<Value>> results(node.numOutputs());
  for (size_t k = 0; k < values->size(); ++k) {
    SmallVector<Value> inputs;
    for (unsigned i = 0; i < node.numInputs(); ++i) {
      if (!node.isSequence(i)) {
        inputs.push_back(node.input(i));
        continue;
      }
      std::optional<SmallVector<Value>> each = node.sequence(i);
      if (each && each->size() != values->size())
        node.fail("the sequences have " + Twine(values->size()) + " and " + Twine(each->size()) + " elements");
      inputs.push_back(each && !node.failed() ? (*each)[k] : nullptr);
    }
    if (node.failed())
      return {};
    auto bind = [&]() -> LogicalResult {
      for (auto [input, value] : llvm::zip(body->input(), inputs))
        if (failed(graph.define(input.name(), value)))
          return failure();
      return success();
    };
    auto collect = [&]() -> LogicalResult {
      for (auto [output, list] : llvm::zip(body->output(), results)) {
        list.push_back(graph.lookup(output.name()));
        if (!list.back())
          return failure();
      }
      return success();
    };
    if (failed(graph.inlineBody(*body, bind, collect))) {
      node.refuse();
      return {};
    }
  }
  for (auto [index, list] : llvm::enumerate(results))
    node.defineSequence(unsigned(index), list);
  return {};
}

} // namespace

ArrayRef<Handler> getSequenceHandlers() {
  static const Handler handlers[] = {
      {"ConcatFromSequence", 1, 1, "axis new_axis", translateConcatFromSequence},
      {"If", 1, 1, "else_branch then_branch", translateIf},
      {"Optional", 0, 1, "type", translateOptional},
      {"OptionalGetElement", 1, 1, "", translateGetElement},
      {"OptionalHasElement", 0, 1, "", translateHasElement},
      {"SequenceAt", 2, 2, "", translateAt},
      {"SequenceConstruct", 1, kAnyInputs, "", translateConstruct},
      {"SequenceEmpty", 0, 0, "dtype", translateEmpty},
      {"SequenceErase", 1, 2, "", translateErase},
      {"SequenceInsert", 2, 3, "", translateInsert},
      {"SequenceLength", 1, 1, "", translateLength},
      {"SequenceMap", 1, kAnyInputs, "body", translateSequenceMap},
      {"SplitToSequence", 1, 2, "axis keepdims", translateSplitToSequence},
  };
  return handlers;
}

} // namespace tiny::onnximport
