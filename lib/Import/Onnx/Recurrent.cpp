// LSTM, GRU and RNN, and com.microsoft's LSTM with bytes as weights: loops over the steps of the sequence, or one copy
// of the cell for each where there are few.
#include "Activation.h"
#include "LoopBuilder.h"
#include "Quantized.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// Weights [outputs, inputs] of numbers, or with a scale [inputs, outputs] of bytes.
struct Matrix {
  Value value, scale = nullptr, zero = nullptr;
};

/// One direction's weights and state, and what its cell computes with.
struct Cell {
  Matrix weight, recurrence;
  Value inputBias, hiddenBias, peephole, hidden, state;
  SmallVector<Activation> activations;
  int64_t size;
};

/// The function, behind the cell's clip where it `clips`.
Value activate(Node &node, const Activation &function, Value value, bool clips) {
  if (clips && node.hasAttribute("clip")) {
    double most = node.getFloat("clip", 0);
    value = node.create("tiny.minimum",
                        {node.create("tiny.maximum", {value, node.like(value, -most)}), node.like(value, most)});
  }
  return activate(node, function, value);
}

/// The functions of all directions. Parameters are given in the order of the functions that take them.
std::optional<SmallVector<Activation>> readActivations(Node &node, ArrayRef<StringRef> defaults, int64_t directions) {
  SmallVector<StringRef> names;
  if (const onnx::AttributeProto *named = node.findAttribute("activations"))
    names.assign(named->strings().begin(), named->strings().end());
  if (names.empty())
    for (int64_t k = 0; k < directions; ++k)
      names.append(defaults.begin(), defaults.end());
  if (names.size() != directions * defaults.size()) {
    node.fail("got " + Twine(names.size()) + " activations, expected " + Twine(directions * defaults.size()));
    return std::nullopt;
  }
  unsigned nextAlpha = 0, nextBeta = 0;
  auto take = [&](StringRef attribute, unsigned &next, bool takes, double &parameter) {
    const onnx::AttributeProto *list = node.findAttribute(attribute);
    if (takes && list && int(next) < list->floats_size())
      parameter = list->floats(int(next++));
  };
  SmallVector<Activation> activations;
  for (StringRef name : names) {
    std::optional<Activation> activation = findActivation(node, name);
    if (!activation)
      return std::nullopt;
    take("activation_alpha", nextAlpha, activation->hasAlpha, activation->alpha);
    take("activation_beta", nextBeta, activation->hasBeta, activation->beta);
    activations.push_back(*activation);
  }
  return activations;
}

/// Part `index` of `count` equal parts along the last axis.
Value part(Node &node, const Cell &cell, Value value, int64_t index) {
  return value ? node.sliceAxis(value, rankOf(value) - 1, index * cell.size, (index + 1) * cell.size) : nullptr;
}

/// x * W^T + bias, for all gates at once.
Value project(Node &node, Value input, const Matrix &weight, Value bias) {
  if (weight.scale)
    return multiplyBytes(node, quantizeDynamically(node, input), weight.value, weight.scale, weight.zero, bias);
  Value product = node.create("tiny.matmul", {input, node.permute(weight.value, {1, 0})});
  return bias ? node.add(product, bias) : product;
}

void stepRnn(Node &node, Cell &cell, Value fromInput) {
  Value sum = node.add(fromInput, project(node, cell.hidden, cell.recurrence, cell.hiddenBias));
  cell.hidden = activate(node, cell.activations[0], sum, /*clips=*/true);
}

// Gates in the order update, reset, hidden.
void stepGru(Node &node, Cell &cell, Value fromInput) {
  Value fromHidden = project(node, cell.hidden, cell.recurrence, cell.hiddenBias);
  auto gate = [&](int64_t index) {
    Value sum = node.add(part(node, cell, fromInput, index), part(node, cell, fromHidden, index));
    return activate(node, cell.activations[0], sum, /*clips=*/true);
  };
  Value update = gate(0), reset = gate(1), candidate;
  if (node.getInt("linear_before_reset", 0)) {
    candidate = node.mul(reset, part(node, cell, fromHidden, 2));
  } else {
    Matrix rows = {node.sliceAxis(cell.recurrence.value, 0, 2 * cell.size, 3 * cell.size)};
    Value bias = cell.hiddenBias ? part(node, cell, cell.hiddenBias, 2) : nullptr;
    candidate = project(node, node.mul(reset, cell.hidden), rows, bias);
  }
  candidate = activate(node, cell.activations[1], node.add(part(node, cell, fromInput, 2), candidate), /*clips=*/true);
  Value kept = node.mul(update, cell.hidden);
  cell.hidden = node.add(node.mul(node.sub(node.like(update, 1), update), candidate), kept);
}

// Gates in the order input, output, forget, cell. As in onnxruntime the state itself is not clipped.
void stepLstm(Node &node, Cell &cell, Value fromInput) {
  Value sum = node.add(fromInput, project(node, cell.hidden, cell.recurrence, cell.hiddenBias));
  auto gate = [&](int64_t index, Value seen, int64_t peephole) {
    Value value = part(node, cell, sum, index);
    if (cell.peephole)
      value = node.add(value, node.mul(seen, part(node, cell, cell.peephole, peephole)));
    return activate(node, cell.activations[0], value, /*clips=*/true);
  };
  Value input = gate(0, cell.state, 0);
  Value forget = node.getInt("input_forget", 0) ? node.sub(node.like(input, 1), input) : gate(2, cell.state, 2);
  Value candidate = activate(node, cell.activations[1], part(node, cell, sum, 3), /*clips=*/true);
  cell.state = node.add(node.mul(forget, cell.state), node.mul(input, candidate));
  Value output = gate(1, cell.state, 1);
  cell.hidden = node.mul(output, activate(node, cell.activations[2], cell.state, /*clips=*/false));
}

/// The direction's slice of an operand [directions, ...], without that axis.
Value takeDirection(Node &node, Value value, int64_t direction) {
  return value ? node.reshape(node.sliceAxis(value, 0, direction, direction + 1), shapeOf(value).drop_front())
               : nullptr;
}

Value join(Node &node, ArrayRef<Value> parts, int64_t axis) {
  SmallVector<Value> apart;
  for (Value value : parts) {
    if (!value)
      return nullptr;
    Ints shape(shapeOf(value));
    shape.insert(shape.begin() + axis, 1);
    apart.push_back(node.reshape(value, shape));
  }
  return apart.size() == 1 ? apart.front() : node.create("tiny.concat", apart, node.attr("axis", axis));
}

Values translateRecurrent(Node &node, int64_t gates, ArrayRef<StringRef> defaults,
                          void (*step)(Node &, Cell &, Value)) {
  bool isLstm = gates == 4, batchFirst = node.getInt("layout", 0) != 0;
  auto optional = [&](unsigned index) { return node.hasInput(index) ? node.input(index) : Value(); };
  Value input = node.input(0), weight = node.input(1), recurrence = node.input(2), bias = optional(3);
  Value lengths = optional(4), hidden = optional(5), state = isLstm ? optional(6) : Value();
  Value peephole = isLstm ? optional(7) : Value();
  if (!input || !weight || !recurrence || node.failed())
    return {};
  if (rankOf(input) != 3 || rankOf(weight) != 3 || rankOf(recurrence) != 3)
    return {node.fail("expected the input and both weights of rank 3")};
  if (batchFirst) {
    input = node.permute(input, {1, 0, 2});
    for (Value *value : {&hidden, &state})
      if (*value)
        *value = node.permute(*value, {1, 0, 2});
  }
  StringRef direction = node.getString("direction", "forward");
  // Bytes come with their inputs first.
  bool isQuantized = node.numInputs() > 8;
  int64_t directions = direction == "bidirectional" ? 2 : 1, size = shapeOf(recurrence)[isQuantized ? 1 : 2];
  int64_t outputs = isQuantized ? 2 : 1;
  int64_t steps = shapeOf(input)[0], batch = shapeOf(input)[1];
  if (shapeOf(weight)[0] != directions || shapeOf(recurrence)[0] != directions ||
      shapeOf(weight)[outputs] != gates * size || shapeOf(recurrence)[outputs] != gates * size)
    return {node.fail("the weights do not fit " + Twine(directions) + " directions of " + Twine(size) + " units")};
  if (steps < 1)
    return {node.fail("got a sequence of no steps")};
  std::optional<SmallVector<Activation>> activations = readActivations(node, defaults, directions);
  if (!activations)
    return {};

  SmallVector<Value> sequences, lastHidden, lastState;
  for (int64_t d = 0; d < directions; ++d) {
    Cell cell;
    cell.size = size;
    cell.activations.assign(activations->begin() + d * defaults.size(),
                            activations->begin() + (d + 1) * defaults.size());
    cell.weight = {takeDirection(node, weight, d), takeDirection(node, optional(8), d),
                   takeDirection(node, optional(9), d)};
    cell.recurrence = {takeDirection(node, recurrence, d), takeDirection(node, optional(10), d),
                       takeDirection(node, optional(11), d)};
    cell.peephole = takeDirection(node, peephole, d);
    if (Value both = takeDirection(node, bias, d)) {
      cell.inputBias = node.sliceAxis(both, 0, 0, gates * size);
      cell.hiddenBias = node.sliceAxis(both, 0, gates * size, 2 * gates * size);
    }
    Value zeros = node.expand(node.like(input, 0), {batch, size});
    cell.hidden = hidden ? takeDirection(node, hidden, d) : zeros;
    cell.state = state ? takeDirection(node, state, d) : zeros;
    bool reverse = direction == "reverse" || d == 1;
    // The input of all steps at once: bytes get one scale for all of them.
    Value rows = node.reshape(input, {steps * batch, shapeOf(input)[2]});
    Value projected = project(node, rows, cell.weight, cell.inputBias);
    if (!projected)
      return {};
    // One step at a time, an integer like the lengths; gives its output.
    auto run = [&](Value time, Value fromInput) {
      Value before = cell.hidden, stateBefore = cell.state;
      step(node, cell, fromInput);
      Value result = cell.hidden;
      if (lengths) {
        // Behind a sequence's end its state stays and its output is zero.
        Value runs = node.reshape(node.create("tiny.gt", {lengths, time}), {batch, 1});
        result = node.where(runs, cell.hidden, zeros);
        cell.hidden = node.where(runs, cell.hidden, before);
        cell.state = isLstm ? node.where(runs, cell.state, stateBefore) : cell.state;
      }
      return result;
    };
    // Asked at all sizes, so that questions keep their numbers.
    if (node.isOpen(steps) || steps >= kFewestIterations) {
      SmallVector<Value> carried = {cell.hidden};
      if (isLstm)
        carried.push_back(cell.state);
      projected = node.reshape(projected, {steps, batch, gates * size});
      Values results = createLoop(
          node, steps, nullptr, nullptr, carried, [&](Value number, ValueRange values) -> std::optional<Iteration> {
            cell.hidden = values[0];
            cell.state = isLstm ? values[1] : Value();
            Value time = reverse ? node.sub(node.like(number, double(steps - 1)), number) : number;
            Value result = run(lengths ? node.cast(time, elementOf(lengths)) : time, takeAt(node, projected, 0, time));
            Iteration iteration{nullptr, {cell.hidden}, {result}};
            if (isLstm)
              iteration.next.push_back(cell.state);
            return iteration;
          });
      if (node.failed())
        return {};
      cell.hidden = results[0];
      cell.state = isLstm ? results[1] : Value();
      Value rows = results[isLstm ? 2 : 1];
      sequences.push_back(reverse ? node.create("tiny.flip", rows, node.attr("axes", ArrayRef<int64_t>{0})) : rows);
    } else {
      SmallVector<Value> results(steps);
      for (int64_t k = 0; k < steps && !node.failed(); ++k) {
        int64_t time = reverse ? steps - 1 - k : k;
        Value number = lengths ? node.like(lengths, double(time)) : Value();
        results[time] = run(number, node.sliceAxis(projected, 0, time * batch, (time + 1) * batch));
      }
      if (node.failed())
        return {};
      sequences.push_back(join(node, results, 0));
    }
    lastHidden.push_back(cell.hidden);
    lastState.push_back(cell.state);
  }
  // [steps, directions, batch, size], or with the batch first.
  Value all = join(node, sequences, 1), last = join(node, lastHidden, 0);
  Value lastCell = isLstm ? join(node, lastState, 0) : Value();
  if (!all || !last)
    return {};
  if (batchFirst) {
    all = node.permute(all, {2, 0, 1, 3});
    last = node.permute(last, {1, 0, 2});
    lastCell = lastCell ? node.permute(lastCell, {1, 0, 2}) : lastCell;
  }
  return {all, last, lastCell};
}

Values translateLstm(Node &node) { return translateRecurrent(node, 4, {"sigmoid", "tanh", "tanh"}, stepLstm); }
Values translateGru(Node &node) { return translateRecurrent(node, 3, {"sigmoid", "tanh"}, stepGru); }
Values translateRnn(Node &node) { return translateRecurrent(node, 1, {"tanh"}, stepRnn); }

} // namespace

ArrayRef<Handler> getRecurrentHandlers() {
  static const Handler handlers[] = {
      {"GRU", 3, 6,
       "activation_alpha activation_beta activations clip direction hidden_size layout linear_before_reset",
       translateGru},
      {"LSTM", 3, 8, "activation_alpha activation_beta activations clip direction hidden_size input_forget layout",
       translateLstm},
      {"com.microsoft:DynamicQuantizeLSTM", 12, 12,
       "activation_alpha activation_beta activations clip direction hidden_size input_forget", translateLstm},
      {"RNN", 3, 6, "activation_alpha activation_beta activations clip direction hidden_size layout", translateRnn},
  };
  return handlers;
}

} // namespace tiny::onnximport
