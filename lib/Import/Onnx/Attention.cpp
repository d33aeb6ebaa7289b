// Attention, of the standard and of com.microsoft, as products around a softmax; positions by rotation.
#include "Quantized.h"
#include "State.h"
#include "TensorData.h"

#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr double kLowest = -3.4028234663852886e38;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }
Value optional(Node &node, unsigned index) { return node.hasInput(index) ? node.input(index) : Value(); }

/// Queries, keys and values: [batch, heads, rows, size].
struct Heads {
  Value query, key, value;
};

/// What is added to the scores, and which of them count; both may be null and broadcast to [batch, heads, rows, keys].
struct Mask {
  Value bias, allowed;
  /// What stands in place of a score that does not count.
  double filter = kLowest;
};

/// [batch, rows, heads * size] to [batch, heads, rows, size]; what has rank 4 already stays. Null after an error.
Value splitHeads(Node &node, Value value, int64_t heads) {
  if (!value || rankOf(value) == 4)
    return value;
  ArrayRef<int64_t> shape = shapeOf(value);
  if (rankOf(value) != 3 || heads < 1 || shape[2] % heads)
    return node.fail("expected rows that divide into " + Twine(heads) + " heads");
  return node.permute(node.reshape(value, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

Value mergeHeads(Node &node, Value value) {
  if (!value)
    return nullptr;
  ArrayRef<int64_t> shape = shapeOf(value);
  return node.reshape(node.permute(value, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

/// Each head of keys and values stands for as many heads of queries, side by side.
Value repeatHeads(Node &node, Value value, int64_t heads) {
  if (!value || shapeOf(value)[1] == heads)
    return value;
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape[1] < 1 || heads % shape[1])
    return node.fail(Twine(heads) + " heads of queries do not divide into " + Twine(shape[1]) + " heads of keys");
  Value apart = node.reshape(value, {shape[0], shape[1], 1, shape[2], shape[3]});
  Value wide = node.expand(apart, {shape[0], shape[1], heads / shape[1], shape[2], shape[3]});
  return node.reshape(wide, {shape[0], heads, shape[2], shape[3]});
}

Value concat(Node &node, Value first, Value second, int64_t axis) {
  return first ? node.create("tiny.concat", {first, second}, node.attr("axis", axis)) : second;
}

Value both(Node &node, Value first, Value second) {
  return first && second ? node.create("tiny.and", {first, second}) : first ? first : second;
}

/// softmax(scale * query * key^T + bias) * value; what may not be seen counts nothing, also where a row sees nothing.
/// `stages` gets the scores, behind the soft cap, with bias and mask, and as shares.
Value attend(Node &node, Heads heads, const Mask &mask, Values *stages = nullptr) {
  if (!heads.query || !heads.key || !heads.value || node.failed())
    return nullptr;
  auto keep = [&](Value stage) {
    if (stages)
      stages->push_back(stage);
  };
  int64_t count = shapeOf(heads.query)[1], size = shapeOf(heads.query)[3];
  Value keys = node.permute(repeatHeads(node, heads.key, count), {0, 1, 3, 2});
  double scale = node.getFloat("scale", 0), cap = node.hasAttribute("softcap") ? node.getFloat("softcap", 0) : 0;
  Value query = node.mul(heads.query, node.like(heads.query, scale != 0 ? scale : 1 / std::sqrt(double(size))));
  Value scores = node.create("tiny.matmul", {query, keys});
  keep(scores);
  if (cap > 0)
    scores = node.mul(node.create("tiny.tanh", node.div(scores, node.like(scores, cap))), node.like(scores, cap));
  keep(scores);
  if (mask.bias)
    scores = node.add(scores, node.cast(mask.bias, elementOf(heads.query)));
  if (mask.allowed)
    scores = node.where(mask.allowed, scores, node.like(scores, mask.filter));
  keep(stages && mask.allowed ? node.where(mask.allowed, scores, node.like(scores, -INFINITY)) : scores);
  Value shares = node.create("tiny.softmax", scores, node.attr("axis", int64_t(3)));
  if (mask.allowed && mask.filter == kLowest)
    shares = node.where(mask.allowed, shares, node.like(shares, 0));
  keep(shares);
  Value result = node.create("tiny.matmul", {shares, repeatHeads(node, heads.value, count)});
  return result ? node.cast(result, elementOf(heads.query)) : nullptr;
}

/// Whether the row `offset` + i may see key j: none behind it, and of those in front of it `window`, where that is not
/// negative. `offset` is one number, or [batch, 1, 1, 1].
Value seeBack(Node &node, Value offset, int64_t rows, int64_t keys, int64_t window = -1) {
  Value row = node.add(node.iota({1, 1, rows, 1}, i64(node), 2), offset);
  Value key = node.iota({1, 1, 1, keys}, i64(node), 3);
  Value sees = node.create("tiny.le", {key, row});
  if (window >= 0)
    sees =
        node.create("tiny.and", {sees, node.create("tiny.gt", {key, node.sub(row, node.like(row, double(window)))})});
  return sees;
}

/// Whether the key j lies in the row's window, from `left_window_size` keys in front of it to `right_window_size`
/// behind; null where neither side has a bound.
Value seeWindow(Node &node, Value offset, int64_t rows, int64_t keys) {
  Value row = node.add(node.iota({1, 1, rows, 1}, i64(node), 2), offset);
  Value key = node.iota({1, 1, 1, keys}, i64(node), 3), sees;
  int64_t left = node.getInt("left_window_size", -1), right = node.getInt("right_window_size", -1);
  if (left >= 0)
    sees = node.create("tiny.ge", {node.add(key, node.like(key, double(left))), row});
  if (right >= 0)
    sees = both(node, sees, node.create("tiny.le", {key, node.add(row, node.like(row, double(right)))}));
  return sees;
}

/// com.microsoft's masks: a length for each batch, ends and then starts, or a number for each key, perhaps of each row.
Value readMask(Node &node, Value mask, int64_t batch, int64_t keys) {
  if (!mask)
    return nullptr;
  ArrayRef<int64_t> shape = shapeOf(mask);
  Value wide = node.cast(mask, i64(node)), key = node.iota({1, 1, 1, keys}, i64(node), 3);
  if (shape.size() == 1 && (shape[0] == batch || shape[0] == 2 * batch)) {
    Value ends = node.reshape(node.sliceAxis(wide, 0, 0, batch), {batch, 1, 1, 1});
    Value allowed = node.create("tiny.lt", {key, ends});
    if (shape[0] == batch)
      return allowed;
    Value starts = node.reshape(node.sliceAxis(wide, 0, batch, 2 * batch), {batch, 1, 1, 1});
    return node.create("tiny.and", {allowed, node.create("tiny.ge", {key, starts})});
  }
  if ((shape.size() != 2 && shape.size() != 3) || shape.back() != keys)
    return node.fail("a mask of rank " + Twine(shape.size()) + " does not fit " + Twine(keys) + " keys");
  int64_t rows = shape.size() == 3 ? shape[1] : 1;
  return node.create("tiny.ne", {node.reshape(wide, {shape[0], 1, rows, keys}), node.like(wide, 0)});
}

/// The rest of both forms of com.microsoft's attention, whose keys and values follow `past` ones.
Values finishAttention(Node &node, Heads heads, Value given, Value bias, int64_t past) {
  if (!heads.query || !heads.key || !heads.value || node.failed())
    return {};
  int64_t batch = shapeOf(heads.query)[0], rows = shapeOf(heads.query)[2], keys = shapeOf(heads.key)[2];
  Mask mask;
  mask.bias = bias;
  mask.allowed = readMask(node, given, batch, keys);
  mask.filter = node.getFloat("mask_filter_value", -10000);
  if (node.failed())
    return {};
  // A key that is masked keeps its place among others; one that comes later has none.
  if (mask.allowed) {
    Value masked = node.where(mask.allowed, node.scalar(0, elementOf(heads.query)),
                              node.scalar(mask.filter, elementOf(heads.query)));
    mask.bias = mask.bias ? node.add(mask.bias, masked) : masked;
  }
  mask.allowed = nullptr;
  mask.filter = kLowest;
  if (node.getInt("unidirectional", 0))
    mask.allowed = seeBack(node, node.scalar(double(past), i64(node)), rows, keys);
  return {mergeHeads(node, attend(node, heads, mask)), heads.key, heads.value};
}

Values translateMultiHeadAttention(Node &node) {
  Value query = node.input(0), key = optional(node, 1), value = optional(node, 2), bias = optional(node, 3);
  Value pastKey = optional(node, 6), pastValue = optional(node, 7);
  int64_t count = node.getInt("num_heads", 0);
  if (!query || node.failed())
    return {};
  Heads heads;
  // [batch, rows, heads, 3 or 2, size] holds all three, or keys and values.
  auto unpack = [&](Value packed, int64_t index) {
    Ints shape(shapeOf(packed));
    return node.reshape(node.sliceAxis(packed, 3, index, index + 1), {shape[0], shape[1], shape[2] * shape[4]});
  };
  if (!key && !value && rankOf(query) == 5 && shapeOf(query)[3] == 3) {
    key = unpack(query, 1);
    value = unpack(query, 2);
    query = unpack(query, 0);
  } else if (key && !value && rankOf(key) == 5 && shapeOf(key)[3] == 2) {
    value = unpack(key, 1);
    key = unpack(key, 0);
  }
  if (!query || !key || !value || rankOf(query) != 3)
    return {node.failed() ? Value() : node.fail("expected queries, keys and values, apart or packed")};
  if (bias && rankOf(key) == 3 && rankOf(value) == 3) {
    int64_t size = shapeOf(query)[2];
    if (rankOf(bias) != 1 || shapeOf(bias)[0] != 2 * size + shapeOf(value)[2])
      return {node.fail("expected a bias for each column of queries, keys and values")};
    query = node.add(query, node.sliceAxis(bias, 0, 0, size));
    key = node.add(key, node.sliceAxis(bias, 0, size, 2 * size));
    value = node.add(value, node.sliceAxis(bias, 0, 2 * size, shapeOf(bias)[0]));
  }
  heads = {splitHeads(node, query, count), splitHeads(node, key, count), splitHeads(node, value, count)};
  int64_t past = pastKey && rankOf(pastKey) == 4 ? shapeOf(pastKey)[2] : 0;
  heads.key = concat(node, pastKey, heads.key, 2);
  heads.value = concat(node, pastValue, heads.value, 2);
  return finishAttention(node, heads, optional(node, 4), optional(node, 5), past);
}

/// Attention whose queries, keys and values are columns of one product; a mask, past ones and a bias of the scores may
/// be null.
Values attendProduct(Node &node, Value product, Value given, Value past, Value bias) {
  if (!product || node.failed())
    return {};
  int64_t count = node.getInt("num_heads", 0), columns = shapeOf(product).back(), at = 0;
  std::optional<Ints> sizes = node.getInts("qkv_hidden_sizes");
  if (!sizes)
    sizes = Ints(3, columns / 3);
  if (rankOf(product) != 3 || sizes->size() != 3 || (*sizes)[0] < 1 || (*sizes)[2] < 1 || (*sizes)[0] > columns ||
      columns - 2 * (*sizes)[0] != (*sizes)[2] || (past && (rankOf(past) != 5 || shapeOf(past)[0] != 2)))
    return {node.fail("the weight's " + Twine(columns) + " columns do not divide into queries, keys and values")};
  Value parts[3];
  for (int64_t k = 0; k < 3; at += (*sizes)[k], ++k)
    parts[k] = splitHeads(node, node.sliceAxis(product, 2, at, at + (*sizes)[k]), count);
  Heads heads = {parts[0], parts[1], parts[2]};
  for (int64_t k = 0; past && k < 2; ++k) {
    Value before = node.reshape(node.sliceAxis(past, 0, k, k + 1), shapeOf(past).drop_front());
    (k ? heads.value : heads.key) = concat(node, before, parts[k + 1], 2);
  }
  Values results = finishAttention(node, heads, given, bias, past ? shapeOf(past)[3] : 0);
  if (results.empty() || !results[0])
    return {};
  Value present;
  if (node.hasOutput(1)) {
    Ints apart = {1};
    apart.append(shapeOf(heads.key).begin(), shapeOf(heads.key).end());
    present = concat(node, node.reshape(heads.key, apart), node.reshape(heads.value, apart), 0);
  }
  return {results[0], present};
}

/// Whether the operands are rows [batch, rows, size] and a matrix; an error where they are not.
bool checkProduct(Node &node, Value input, Value weight) {
  if (!input || !weight || node.failed())
    return false;
  if (rankOf(input) != 3 || rankOf(weight) != 2)
    node.fail("expected rows of rank 3 and a matrix, got ranks " + Twine(rankOf(input)) + " and " +
              Twine(rankOf(weight)));
  return !node.failed();
}

Values translateContribAttention(Node &node) {
  Value input = node.input(0), weight = node.input(1), bias = optional(node, 2);
  if (!checkProduct(node, input, weight))
    return {};
  Value product = node.create("tiny.matmul", {input, weight});
  if (bias)
    product = node.add(product, bias);
  return attendProduct(node, product, optional(node, 3), optional(node, 4), optional(node, 5));
}

// The same with bytes as operands of the product.
Values translateQAttention(Node &node) {
  Value input = node.input(0), weight = node.input(1);
  if (!checkProduct(node, input, weight))
    return {};
  Values rows = {input, node.input(3), optional(node, 6)};
  Value product = multiplyBytes(node, rows, weight, node.input(4), optional(node, 7), node.input(2));
  return attendProduct(node, product, optional(node, 5), optional(node, 8), nullptr);
}

/// Turns pairs of the first numbers of each row by the angles of its position. `input` is [batch, heads, rows, size],
/// the tables are [batch or 1, rows, pairs].
Value rotate(Node &node, Value input, Value cosine, Value sine, bool interleaved) {
  if (!input || !cosine || !sine)
    return nullptr;
  ArrayRef<int64_t> shape = shapeOf(input), table = shapeOf(cosine);
  if (shape.size() != 4 || table.size() != 3 || table != shapeOf(sine) || 2 * table[2] > shape[3] ||
      table[1] != shape[2] || (table[0] != 1 && table[0] != shape[0]))
    return node.fail("the tables of angles do not fit the input");
  int64_t pairs = table[2];
  Ints flat = {shape[0], shape[1], shape[2], pairs};
  cosine = node.reshape(cosine, {table[0], 1, table[1], pairs});
  sine = node.reshape(sine, {table[0], 1, table[1], pairs});
  Value first = node.sliceAxis(input, 3, 0, pairs), second = node.sliceAxis(input, 3, pairs, 2 * pairs);
  if (interleaved) {
    Value apart = node.reshape(node.sliceAxis(input, 3, 0, 2 * pairs), {shape[0], shape[1], shape[2], pairs, 2});
    first = node.reshape(node.sliceAxis(apart, 4, 0, 1), flat);
    second = node.reshape(node.sliceAxis(apart, 4, 1, 2), flat);
  }
  Value real = node.sub(node.mul(first, cosine), node.mul(second, sine));
  Value imaginary = node.add(node.mul(first, sine), node.mul(second, cosine));
  if (!real || !imaginary)
    return nullptr;
  Value turned;
  if (interleaved) {
    flat.push_back(1);
    turned = concat(node, node.reshape(real, flat), node.reshape(imaginary, flat), 4);
    turned = turned ? node.reshape(turned, {shape[0], shape[1], shape[2], 2 * pairs}) : nullptr;
  } else {
    turned = concat(node, real, imaginary, 3);
  }
  if (2 * pairs == shape[3] || !turned)
    return turned;
  return concat(node, turned, node.sliceAxis(input, 3, 2 * pairs, shape[3]), 3);
}

// com.microsoft names the positions in front of the tables, and may give the first one alone.
Values translateRotary(Node &node, bool isContrib) {
  Value input = node.input(0), cosine = node.input(isContrib ? 2 : 1), sine = node.input(isContrib ? 3 : 2);
  Value positions = optional(node, isContrib ? 1 : 3);
  if (!input || !cosine || !sine || node.failed())
    return {};
  int64_t count = node.getInt("num_heads", 0);
  if (count == 0 && rankOf(input) == 3 && rankOf(cosine) > 0 && shapeOf(cosine).back() > 0)
    count = shapeOf(input)[2] / (2 * shapeOf(cosine).back());
  Value heads = splitHeads(node, input, count);
  if (!heads)
    return {};
  if (positions) {
    if (typeOf(positions).getNumElements() == 1)
      positions = node.add(node.reshape(positions, {1, 1}), node.iota({1, shapeOf(heads)[2]}, elementOf(positions), 1));
    cosine = node.create("tiny.take", {cosine, positions}, node.attr("axis", int64_t(0)));
    sine = node.create("tiny.take", {sine, positions}, node.attr("axis", int64_t(0)));
  }
  Value turned = rotate(node, heads, cosine, sine, node.getInt("interleaved", 0) != 0);
  return {rankOf(input) == 3 ? mergeHeads(node, turned) : turned};
}

Values translateContribRotary(Node &node) { return translateRotary(node, true); }
Values translateStandardRotary(Node &node) { return translateRotary(node, false); }

// Queries in groups that share keys; new keys are written behind those of each batch.
Values translateGroupQueryAttention(Node &node) {
  Value query = node.input(0), key = optional(node, 1), value = optional(node, 2);
  Value pastKey = optional(node, 3), pastValue = optional(node, 4), lengths = node.input(5);
  std::optional<Ints> total = node.constantInts(6, "the total length");
  int64_t count = node.getInt("num_heads", 0), keyCount = node.getInt("kv_num_heads", 0);
  if (!query || !lengths || !total || node.failed())
    return {};
  constexpr int64_t kMostHeads = 1 << 20;
  if (rankOf(query) != 3 || total->size() != 1 || std::min(count, keyCount) < 1 ||
      std::max(count, keyCount) > kMostHeads || !pastKey != !pastValue ||
      (pastKey && (rankOf(pastKey) != 4 || shapeOf(pastKey) != shapeOf(pastValue))))
    return {node.fail("expected queries of rank 3, counts of heads, one total length and a past of rank 4")};
  if (!key && !value) {
    int64_t columns = shapeOf(query)[2], size = columns / (count + 2 * keyCount);
    value = node.sliceAxis(query, 2, (count + keyCount) * size, (count + 2 * keyCount) * size);
    key = node.sliceAxis(query, 2, count * size, (count + keyCount) * size);
    query = node.sliceAxis(query, 2, 0, count * size);
  }
  Heads heads = {splitHeads(node, query, count), splitHeads(node, key, keyCount), splitHeads(node, value, keyCount)};
  if (!heads.query || !heads.key || !heads.value)
    return {};
  int64_t batch = shapeOf(query)[0], rows = shapeOf(query)[1], length = total->front();
  if (pastKey)
    length = std::max(length, shapeOf(pastKey)[2]);
  if (rows < 1 || length < rows || length > INT32_MAX || typeOf(lengths).getNumElements() != batch)
    return {node.fail("a total length of " + Twine(length) + " does not fit " + Twine(rows) + " rows in " +
                      Twine(batch) + " batches")};
  // A first prompt begins at row 0, and ends with what it was filled up with.
  Value first = node.reshape(node.cast(lengths, i64(node)), {batch, 1, 1, 1});
  first = total->front() == rows ? node.mul(first, node.like(first, 0))
                                 : node.sub(first, node.like(first, double(rows - 1)));
  if (node.getInt("do_rotary", 0)) {
    Value places = node.add(node.reshape(first, {batch, 1}), node.iota({1, rows}, i64(node), 1));
    if (node.hasInput(9))
      places = node.input(9);
    Value cosine = node.create("tiny.take", {node.input(7), places}, node.attr("axis", int64_t(0)));
    Value sine = node.create("tiny.take", {node.input(8), places}, node.attr("axis", int64_t(0)));
    bool interleaved = node.getInt("rotary_interleaved", 0) != 0;
    heads.query = rotate(node, heads.query, cosine, sine, interleaved);
    heads.key = rotate(node, heads.key, cosine, sine, interleaved);
  }
  heads.key = writeRows(node, pastKey, heads.key, first, 2, length);
  heads.value = writeRows(node, pastValue, heads.value, first, 2, length);
  Mask mask;
  mask.bias = optional(node, 10);
  mask.allowed = seeBack(node, first, rows, length, node.getInt("local_window_size", -1));
  return {mergeHeads(node, attend(node, heads, mask)), heads.key, heads.value};
}

Values translateAttention(Node &node) {
  Value query = node.input(0), key = node.input(1), value = node.input(2), given = optional(node, 3);
  Value pastKey = optional(node, 4), pastValue = optional(node, 5), lengths = optional(node, 6);
  if (!query || !key || !value || node.failed())
    return {};
  int64_t keyCount = node.getInt("kv_num_heads", 0);
  Heads heads = {splitHeads(node, query, node.getInt("q_num_heads", 0)), splitHeads(node, key, keyCount),
                 splitHeads(node, value, keyCount)};
  heads.key = concat(node, pastKey, heads.key, 2);
  heads.value = concat(node, pastValue, heads.value, 2);
  if (!heads.query || !heads.key || !heads.value)
    return {};
  int64_t rows = shapeOf(heads.query)[2], keys = shapeOf(heads.key)[2], batch = shapeOf(heads.query)[0];
  Mask mask;
  // A mask may end in front of the keys that no batch uses.
  if (given && rankOf(given) > 0 && shapeOf(given).back() > 1 && shapeOf(given).back() < keys) {
    Ints none(rankOf(given), 0), more(rankOf(given), 0);
    more.back() = keys - shapeOf(given).back();
    Type element = elementOf(given);
    given = node.create("tiny.pad", given,
                        {node.attr("low", none), node.attr("high", more),
                         node.attr("value", Node::number(element.isInteger(1) ? 0 : -INFINITY, element))});
  }
  if (given && elementOf(given).isInteger(1))
    mask.allowed = given;
  else
    mask.bias = given;
  Value offset = node.scalar(double(pastKey ? shapeOf(pastKey)[2] : 0), i64(node));
  if (lengths) {
    Value ends = node.reshape(lengths, {batch, 1, 1, 1});
    mask.allowed = both(node, mask.allowed, node.create("tiny.lt", {node.iota({1, 1, 1, keys}, i64(node), 3), ends}));
    offset = node.sub(ends, node.like(ends, double(rows)));
  }
  if (node.getInt("is_causal", 0))
    mask.allowed = both(node, mask.allowed, seeBack(node, offset, rows, keys));
  mask.allowed = both(node, mask.allowed, seeWindow(node, offset, rows, keys));
  int64_t stage = node.getInt("qk_matmul_output_mode", 0);
  if (stage < 0 || stage > 3)
    return {node.fail("attribute 'qk_matmul_output_mode' is " + Twine(stage) + ", expected 0 to 3")};
  Values stages;
  Value result = attend(node, heads, mask, &stages);
  if (!result)
    return {};
  Value scores = node.hasOutput(3) ? node.cast(stages[stage], elementOf(heads.query)) : Value();
  return {rankOf(query) == 3 ? mergeHeads(node, result) : result, heads.key, heads.value, scores};
}

/// What the graph that an attribute holds makes of a value; the value itself where there is none.
Value runModifier(Node &node, StringRef name, Value value) {
  if (!value || !node.hasAttribute(name))
    return value;
  const onnx::GraphProto *body = node.getGraph(name);
  if (!body)
    return nullptr;
  if (body->input_size() != 1 || body->output_size() != 1)
    return node.fail("the body of '" + name + "' has " + Twine(body->input_size()) + " inputs and " +
                     Twine(body->output_size()) + " outputs, expected one of each");
  Graph &graph = node.getOuter();
  Value result;
  auto bind = [&] { return graph.define(body->input(0).name(), value); };
  auto collect = [&] {
    result = graph.lookup(body->output(0).name());
    return success(result != nullptr);
  };
  if (failed(graph.inlineBody(*body, bind, collect)))
    node.refuse();
  if (result && result.getType() != value.getType())
    return node.fail("the body of '" + name + "' gives another type");
  return result;
}

Values translateFlexAttention(Node &node) {
  Value query = node.input(0), key = node.input(1), value = node.input(2);
  if (!query || !key || !value)
    return {};
  if (rankOf(query) != 4 || rankOf(key) != 4 || rankOf(value) != 4)
    return {node.fail("expected queries, keys and values of rank 4")};
  int64_t count = shapeOf(query)[1], size = shapeOf(query)[3];
  Type element = elementOf(query), precision = element.isF64() ? element : Type(Float32Type::get(node.getContext()));
  if (int32_t stated = int32_t(node.getInt("softmax_precision", 0)))
    precision = getElementType(node.getContext(), stated);
  if (!precision || !isa<FloatType>(precision))
    return {node.fail("attribute 'softmax_precision' names no type of floats")};
  key = repeatHeads(node, key, count);
  value = repeatHeads(node, value, count);
  Value scores = key ? node.create("tiny.matmul", {query, node.permute(key, {0, 1, 3, 2})}) : nullptr;
  scores = node.mul(scores, node.like(scores, node.getFloat("scale", 1 / std::sqrt(double(size)))));
  scores = runModifier(node, "score_mod", node.cast(scores, precision));
  Value shares = node.create("tiny.softmax", scores, node.attr("axis", int64_t(3)));
  shares = runModifier(node, "prob_mod", shares);
  return {node.create("tiny.matmul", {node.cast(shares, element), value})};
}

} // namespace

ArrayRef<Handler> getAttentionHandlers() {
  static const Handler handlers[] = {
      {"Attention", 3, 7,
       "is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size scale softcap "
       "softmax_precision",
       translateAttention},
      {"RotaryEmbedding", 3, 4, "interleaved num_heads rotary_embedding_dim", translateStandardRotary},
      {"ai.onnx.preview:FlexAttention", 3, 3, "prob_mod scale score_mod softmax_precision", translateFlexAttention},
      {"com.microsoft:Attention", 2, 6, "mask_filter_value num_heads qkv_hidden_sizes scale unidirectional",
       translateContribAttention},
      {"com.microsoft:GroupQueryAttention", 7, 11,
       "do_rotary kv_num_heads local_window_size num_heads rotary_interleaved scale softcap",
       translateGroupQueryAttention},
      {"com.microsoft:MultiHeadAttention", 1, 8, "mask_filter_value num_heads scale unidirectional",
       translateMultiHeadAttention},
      {"com.microsoft:QAttention", 5, 9, "mask_filter_value num_heads scale unidirectional", translateQAttention},
      {"com.microsoft:RotaryEmbedding", 4, 4, "interleaved num_heads rotary_embedding_dim", translateContribRotary},
  };
  return handlers;
}

} // namespace tiny::onnximport
