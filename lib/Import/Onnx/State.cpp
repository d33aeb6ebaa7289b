// Operators that carry a state from one call to the next: TensorScatter, CausalConvWithState, LinearAttention.
#include "State.h"

#include <cmath>

using namespace mlir;

namespace tiny::onnximport {

Value writeRows(Node &node, Value past, Value rows, Value first, int64_t axis, int64_t length, bool wraps) {
  if (!rows || !first)
    return nullptr;
  Type i64 = IntegerType::get(node.getContext(), 64);
  int64_t rank = rankOf(rows), count = shapeOf(rows)[axis];
  if (!past && count == length)
    return rows;
  if (past && count == 0)
    return past;
  Ints shape(shapeOf(rows)), line(rank, 1), none(rank, 0), more(rank, 0);
  shape[axis] = line[axis] = length;
  Value place = node.sub(node.iota(line, i64, axis), first);
  if (wraps)
    place = node.create("tiny.mod", {place, node.like(place, double(length))});
  Value isNew = node.create("tiny.and", {node.create("tiny.ge", {place, node.like(place, 0)}),
                                         node.create("tiny.lt", {place, node.like(place, double(count))})});
  Value bounded = node.create(
      "tiny.minimum", {node.create("tiny.maximum", {place, node.like(place, 0)}), node.like(place, double(count - 1))});
  Value moved = node.create("tiny.take_along", {rows, node.expand(bounded, shape)}, node.attr("axis", axis));
  more[axis] = past ? length - shapeOf(past)[axis] : 0;
  Value old = past ? node.pad(past, none, more) : node.expand(node.like(rows, 0), shape);
  return node.where(isNew, moved, old);
}

namespace {

/// Each token is a copy of the recurrence.
constexpr int64_t kMostTokens = 1024;

Value optional(Node &node, unsigned index) { return node.hasInput(index) ? node.input(index) : Value(); }

Values translateTensorScatter(Node &node) {
  Value past = node.input(0), rows = node.input(1), first = optional(node, 2);
  if (!past || !rows || node.failed())
    return {};
  StringRef mode = node.getString("mode", "linear");
  int64_t rank = rankOf(past);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -2), rank);
  if (!axis)
    return {};
  if (mode != "linear" && mode != "circular")
    return {node.fail("attribute 'mode' is '" + mode + "', expected linear or circular")};
  Ints fitting(shapeOf(past)), perBatch(rank, 1);
  if (rankOf(rows) == rank)
    fitting[*axis] = std::min(fitting[*axis], shapeOf(rows)[*axis]);
  if (*axis == 0 || shapeOf(rows) != ArrayRef<int64_t>(fitting) ||
      (first && shapeOf(first) != shapeOf(past).take_front(1)))
    return {node.fail("expected an update that fits into axis " + Twine(*axis) +
                      " behind the batch, and one place for each of the batch")};
  perBatch[0] = shapeOf(past)[0];
  Type i64 = IntegerType::get(node.getContext(), 64);
  first = first ? node.reshape(node.cast(first, i64), perBatch) : node.scalar(0, i64);
  return {writeRows(node, past, rows, first, *axis, shapeOf(past)[*axis], mode == "circular")};
}

// A convolution of each channel with its own kernel over what came before; the last places are the next state.
Values translateCausalConv(Node &node) {
  Value input = node.input(0), weight = node.input(1), bias = optional(node, 2), past = optional(node, 3);
  StringRef activation = node.getString("activation", "none");
  if (!input || !weight || node.failed())
    return {};
  if (!llvm::is_contained({"none", "silu", "swish"}, activation))
    return {node.fail("attribute 'activation' is '" + activation + "', expected none, silu or swish")};
  if (rankOf(input) != 3 || rankOf(weight) != 3 || shapeOf(weight)[0] != shapeOf(input)[1] || shapeOf(weight)[1] != 1 ||
      shapeOf(weight)[2] < 1)
    return {node.fail("expected an input [batch, channels, length] and a kernel [channels, 1, size]")};
  int64_t channels = shapeOf(input)[1], before = shapeOf(weight)[2] - 1;
  if (past && shapeOf(past) != ArrayRef<int64_t>({shapeOf(input)[0], channels, before}))
    return {node.fail("expected a state of " + Twine(before) + " places")};
  Value all = past ? node.create("tiny.concat", {past, input}, node.attr("axis", int64_t(2)))
                   : node.pad(input, {0, 0, before}, {0, 0, 0});
  SmallVector<Value> operands = {all, weight};
  if (bias)
    operands.push_back(bias);
  Value result = node.create("tiny.conv", operands, node.attr("groups", channels));
  if (activation != "none")
    result = node.create("tiny.silu", result);
  int64_t length = all ? shapeOf(all)[2] : 0;
  return {result, node.sliceAxis(all, 2, length - before, length)};
}

/// The token `index` of [batch, tokens, ...], without that axis.
Value takeToken(Node &node, Value value, int64_t index, ArrayRef<int64_t> shape) {
  return value ? node.reshape(node.sliceAxis(value, 1, index, index + 1), shape) : nullptr;
}

// A matrix [keys, values] of each head is the state: it decays, gets the product of each token's key and value, of
// which `delta` takes off what the state says of the key, and is read by the token's queries.
Values translateLinearAttention(Node &node) {
  Value query = node.input(0), key = node.input(1), value = node.input(2), past = optional(node, 3);
  Value decay = optional(node, 4), beta = optional(node, 5);
  if (!query || !key || !value || node.failed())
    return {};
  StringRef rule = node.getString("update_rule", "gated_delta");
  int64_t readers = node.getInt("q_num_heads", 0), heads = node.getInt("kv_num_heads", 0);
  if (!llvm::is_contained({"linear", "gated", "delta", "gated_delta"}, rule))
    return {node.fail("attribute 'update_rule' is '" + rule + "', expected linear, gated, delta or gated_delta")};
  bool isGated = rule.starts_with("gated"), isDelta = rule.ends_with("delta");
  if (rankOf(query) != 3 || rankOf(key) != 3 || rankOf(value) != 3 ||
      shapeOf(key).drop_back() != shapeOf(query).drop_back() || shapeOf(value).drop_back() != shapeOf(key).drop_back())
    return {node.fail("expected queries, keys and values of rank 3 with as many tokens")};
  int64_t batch = shapeOf(query)[0], tokens = shapeOf(query)[1];
  if (heads < 1 || readers < 1 || readers % heads || shapeOf(query)[2] % readers || shapeOf(value)[2] % heads ||
      shapeOf(key)[2] != shapeOf(query)[2] / readers * heads)
    return {node.fail("the rows do not divide into " + Twine(readers) + " heads that share " + Twine(heads))};
  int64_t keys = shapeOf(key)[2] / heads, values = shapeOf(value)[2] / heads;
  if (tokens < 1 || tokens > kMostTokens)
    return {node.fail("got " + Twine(tokens) + " tokens, expected 1 to " + Twine(kMostTokens))};
  auto fits = [&](Value gate, int64_t other) {
    return gate && rankOf(gate) == 3 && shapeOf(gate).drop_back() == shapeOf(key).drop_back() &&
           (shapeOf(gate)[2] == heads || shapeOf(gate)[2] == other);
  };
  if ((isGated && !fits(decay, heads * keys)) || (isDelta && !fits(beta, 1)) ||
      (past && shapeOf(past) != ArrayRef<int64_t>({batch, heads, keys, values})))
    return {node.fail("expected a decay for each head or key, an update rate for each head or all, and a state of " +
                      Twine(keys) + " x " + Twine(values))};
  Type f32 = Float32Type::get(node.getContext()), element = elementOf(query);
  double scale = node.getFloat("scale", 0);
  query = node.cast(query, f32);
  query = node.mul(query, node.like(query, scale != 0 ? scale : 1 / std::sqrt(double(keys))));
  key = node.cast(key, f32);
  value = node.cast(value, f32);
  Value kept = isGated ? node.create("tiny.exp", node.cast(decay, f32)) : nullptr;
  Value rate = isDelta ? node.cast(beta, f32) : nullptr;
  Type stateElement = past ? elementOf(past) : element;
  Value state = past ? node.cast(past, f32) : node.expand(node.scalar(0, f32), {batch, heads, keys, values});
  SmallVector<Value> results;
  for (int64_t token = 0; token < tokens && !node.failed(); ++token) {
    Value row = takeToken(node, key, token, {batch, heads, 1, keys});
    Value written = takeToken(node, value, token, {batch, heads, 1, values});
    if (isGated)
      state = node.mul(state,
                       takeToken(node, kept, token, {batch, heads, shapeOf(decay)[2] == heads ? 1 : keys, int64_t(1)}));
    if (isDelta) {
      Value known = node.create("tiny.matmul", {row, state});
      Value by = takeToken(node, rate, token, {batch, shapeOf(beta)[2] == heads ? heads : 1, 1, 1});
      written = node.mul(by, node.sub(written, known));
    }
    state = node.add(state, node.mul(node.reshape(row, {batch, heads, keys, 1}), written));
    Value readings = takeToken(node, query, token, {batch, heads, readers / heads, keys});
    results.push_back(node.reshape(node.create("tiny.matmul", {readings, state}), {batch, 1, readers * values}));
  }
  Value all =
      results.size() == 1 ? results.front() : node.create("tiny.concat", results, node.attr("axis", int64_t(1)));
  return {node.cast(all, element), node.cast(state, stateElement)};
}

} // namespace

ArrayRef<Handler> getStateHandlers() {
  static const Handler handlers[] = {
      {"CausalConvWithState", 2, 4, "activation", translateCausalConv},
      {"LinearAttention", 3, 6, "chunk_size kv_num_heads q_num_heads scale update_rule", translateLinearAttention},
      {"TensorScatter", 2, 3, "axis mode", translateTensorScatter},
      {"com.microsoft:CausalConvWithState", 2, 4, "activation ndim", translateCausalConv},
      {"com.microsoft:LinearAttention", 3, 6, "chunk_size kv_num_heads q_num_heads scale update_rule",
       translateLinearAttention},
  };
  return handlers;
}

} // namespace tiny::onnximport
