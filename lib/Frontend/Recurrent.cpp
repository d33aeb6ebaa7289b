// LSTM, GRU and RNN: each layer is the ONNX operator, whose gates stand in another order, a loop where there are many
// steps.
#include "Calls.h"
#include "Drawing.h"
#include "Tiny/Frontend/Index.h"
#include "Tiny/Frontend/Nn.h"

#include <cmath>

using namespace tiny;
using namespace tiny::nn;

static std::string describe(const Tensor &tensor) {
  return formatType(tensor.dtype(), tensor.shape().data(), tensor.shape().size());
}

/// PyTorch's gates in the order of ONNX: input, output, forget, cell; update, reset, hidden.
static std::vector<int64_t> getGateOrder(bool isLstm, bool isGru) {
  if (isLstm)
    return {0, 3, 1, 2};
  return isGru ? std::vector<int64_t>{1, 0, 2} : std::vector<int64_t>{0};
}

Recurrent::Recurrent(Kind kind, int64_t in, int64_t size, int64_t layers, bool hasBias, bool isBatchFirst,
                     double dropout, bool isBidirectional, Site site)
    : in(in), size(size), isBatchFirst(isBatchFirst), isBidirectional(isBidirectional), dropout(dropout), kind(kind) {
  if (in < 1 || size < 1 || layers < 1)
    frontend::raise("expects sizes and a number of layers of at least 1, got " + std::to_string(in) + ", " +
                        std::to_string(size) + " and " + std::to_string(layers),
                    site);
  if (!(dropout >= 0 && dropout < 1))
    frontend::raise("expects a probability of at least 0 and below 1, got " + std::to_string(dropout), site);
  int64_t gates = int64_t(getGateOrder(kind == Kind::Lstm, kind == Kind::Gru).size()) * size;
  double bound = 1 / std::sqrt(double(size));
  for (int64_t layer = 0; layer < layers; ++layer)
    for (int64_t direction = 0; direction < countDirections(); ++direction) {
      int64_t features = layer ? size * countDirections() : in;
      Part &part = *parts.emplace_back(
          std::make_unique<Part>(Part{draw({gates, features}, bound), draw({gates, size}, bound), {}, {}}));
      std::string end = "_l" + std::to_string(layer) + (direction ? "_reverse" : "");
      add("weight_ih" + end, part.fromInput);
      add("weight_hh" + end, part.fromHidden);
      if (hasBias) {
        add("bias_ih" + end, part.inputBias.emplace(draw({gates}, bound)));
        add("bias_hh" + end, part.hiddenBias.emplace(draw({gates}, bound)));
      }
    }
}

/// One layer over [steps, batch, features], from states [directions, batch, size].
Recurrent::States Recurrent::runLayer(size_t layer, const Tensor &input, const Tensor *hidden, const Tensor *cell,
                                      Site site) const {
  std::vector<int64_t> order = getGateOrder(kind == Kind::Lstm, kind == Kind::Gru);
  auto arrange = [&](const Tensor &weight) {
    if (order.size() == 1)
      return weight;
    std::vector<Tensor> gates = weight.chunk(int64_t(order.size()), 0, site), arranged;
    for (int64_t gate : order)
      arranged.push_back(gates[size_t(gate)]);
    return Tensor::cat(arranged, 0, site);
  };
  std::vector<Tensor> inputs, hiddens, biases;
  size_t directions = size_t(countDirections());
  for (size_t direction = 0; direction < directions; ++direction) {
    const Part &part = *parts[layer * directions + direction];
    inputs.push_back(frontend::toProduct(arrange(part.fromInput), site));
    hiddens.push_back(frontend::toProduct(arrange(part.fromHidden), site));
    if (part.inputBias)
      biases.push_back(
          frontend::toProduct(Tensor::cat({arrange(*part.inputBias), arrange(*part.hiddenBias)}, 0, site), site));
  }
  using Operand = frontend::Composition::Operand;
  auto optional = [](const Tensor *tensor) { return tensor ? Operand(tensor->getNode()) : Operand(); };
  frontend::Composition call = {"RNN", {input.getNode()}};
  call.operands.emplace_back(Tensor::stack(inputs, 0, site).getNode());
  call.operands.emplace_back(Tensor::stack(hiddens, 0, site).getNode());
  std::optional<Tensor> bias;
  if (!biases.empty())
    bias = Tensor::stack(biases, 0, site);
  call.operands.insert(call.operands.end(), {optional(bias ? &*bias : nullptr), Operand(), optional(hidden)});
  call.attributes.emplace_back("hidden_size", size);
  if (isBidirectional)
    call.attributes.emplace_back("direction", std::string("bidirectional"));
  call.results = 2;
  if (kind == Kind::Lstm) {
    call.op = "LSTM";
    call.operands.push_back(optional(cell));
    call.results = 3;
  } else if (kind == Kind::Gru) {
    call.op = "GRU";
    call.attributes.emplace_back("linear_before_reset", int64_t(1));
  } else if (kind == Kind::Relu) {
    call.attributes.emplace_back("activations", std::vector<std::string>(directions, "Relu"));
  }
  std::vector<Tensor> results = frontend::makeOnnx(call, site);
  // [steps, directions, batch, size] with the directions side by side.
  Tensor output = results[0].permute({0, 2, 1, 3}, site).flatten(2, 3, site);
  States states{output, results[1]};
  if (kind == Kind::Lstm)
    states.cell = results[2];
  return states;
}

Recurrent::States Recurrent::run(const Tensor &given, const Tensor *hidden, const Tensor *cell, Site site) const {
  int64_t layers = countLayers(), directions = countDirections();
  if ((given.dim() != 2 && given.dim() != 3) || given.shape().back() != in)
    frontend::raise("expects an input of rank 2 or 3 with " + std::to_string(in) + " features, got " + describe(given),
                    site);
  bool isOne = given.dim() == 2;
  Tensor input = isOne ? given.unsqueeze(1, site) : isBatchFirst ? given.transpose(0, 1, site) : given;
  int64_t steps = input.shape()[0], batch = input.shape()[1];
  if (steps < 1)
    frontend::raise("expects at least one step, got " + describe(given), site);
  if (tiny_dtype expected = parts.front()->fromInput.dtype(); given.dtype() != expected)
    frontend::raise(std::string("expects an input of the weights' type, ") + getDtypeName(expected) + ", got " +
                        describe(given) + ": `to()` converts it",
                    site);
  Shape stateShape = {layers * directions, batch, size};
  if (isOne)
    stateShape.erase(stateShape.begin() + 1);
  for (const Tensor *state : {hidden, cell})
    if (state && (state->shape() != stateShape || state->dtype() != given.dtype()))
      frontend::raise("expects states of " + formatType(given.dtype(), stateShape.data(), stateShape.size()) +
                          ", got " + describe(*state),
                      site);
  input = frontend::toProduct(input, site);
  auto take = [&](const Tensor *states, int64_t layer) -> std::optional<Tensor> {
    if (!states)
      return std::nullopt;
    Tensor own = states->index({Index::slice(layer * directions, (layer + 1) * directions)}, site);
    return frontend::toProduct(isOne ? own.unsqueeze(1, site) : own, site);
  };
  std::vector<Tensor> hiddens, cells;
  for (int64_t layer = 0; layer < layers; ++layer) {
    if (layer && dropout > 0 && isTraining())
      input = input.dropout(dropout, site);
    std::optional<Tensor> ownHidden = take(hidden, layer), ownCell = take(cell, layer);
    States states =
        runLayer(size_t(layer), input, ownHidden ? &*ownHidden : nullptr, ownCell ? &*ownCell : nullptr, site);
    input = states.output;
    hiddens.push_back(states.hidden);
    if (states.cell)
      cells.push_back(*states.cell);
  }
  auto finish = [&](const std::vector<Tensor> &states) {
    Tensor all = Tensor::cat(states, 0, site);
    return isOne ? all.squeeze(1, site) : all;
  };
  States states{isOne ? input.squeeze(1, site) : isBatchFirst ? input.transpose(0, 1, site) : input, finish(hiddens)};
  if (!cells.empty())
    states.cell = finish(cells);
  return states;
}

LSTM::Result LSTM::operator()(const Tensor &input, const Tensor *hidden, const Tensor *cell, Site site) {
  States states = run(input, hidden, cell, site);
  return {states.output, states.hidden, *states.cell};
}
GRU::Result GRU::operator()(const Tensor &input, const Tensor *hidden, Site site) {
  States states = run(input, hidden, nullptr, site);
  return {states.output, states.hidden};
}
RNN::Result RNN::operator()(const Tensor &input, const Tensor *hidden, Site site) {
  States states = run(input, hidden, nullptr, site);
  return {states.output, states.hidden};
}
