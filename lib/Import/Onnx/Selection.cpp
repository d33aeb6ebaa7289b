// Operators that select or place elements by their position, composed from index arithmetic and masks.
#include "Node.h"
#include "TensorData.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// Each element is compared with each: a thousand million times for a row that is that long.
constexpr int64_t kLongestSorted = 1 << 15;
/// The block of a prefix sum: each element is read as often by its own block.
constexpr int64_t kBlock = 32;
constexpr int64_t kLargestVocabulary = 1 << 12;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

Value compare(Node &node, StringRef op, Value lhs, Value rhs) { return node.create(op, {lhs, rhs}); }

// Keeps one triangle of each matrix, from a diagonal on.
Values translateTrilu(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input), diagonal = 0;
  if (rank < 2)
    return {node.fail("the input has rank " + Twine(rank) + ", expected at least 2")};
  if (node.hasInput(1)) {
    std::optional<Ints> k = node.constantInts(1, "the diagonal");
    if (!k)
      return {};
    if (k->size() != 1)
      return {node.fail("the diagonal is not one number")};
    diagonal = k->front();
  }
  Ints shape(shapeOf(input).take_back(2));
  // Column less row, against the diagonal; further out than the matrix is all the same.
  diagonal = std::clamp(diagonal, -shape[0] - 1, shape[1] + 1);
  Value offset = node.sub(node.iota(shape, i64(node), 1), node.iota(shape, i64(node), 0));
  Value keep =
      compare(node, node.getInt("upper", 1) ? "tiny.ge" : "tiny.le", offset, node.like(offset, double(diagonal)));
  return {node.where(keep, input, node.like(input, 0))};
}

Values translateOneHot(Node &node) {
  Value indices = node.input(0), values = node.input(2);
  if (!indices || !values)
    return {};
  TypedAttr number = node.constantScalar(1, "the depth");
  if (!number)
    return {};
  int64_t depth = isa<FloatAttr>(number) ? int64_t(cast<FloatAttr>(number).getValueAsDouble())
                                         : cast<IntegerAttr>(number).getValue().getSExtValue();
  if (depth < 1 || depth > INT32_MAX)
    return {node.fail("the depth is " + Twine(depth) + ", expected at least 1")};
  if (shapeOf(values) != ArrayRef<int64_t>(2))
    return {node.fail("expected two values, for off and on")};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rankOf(indices) + 1);
  if (!axis)
    return {};
  indices = node.cast(indices, i64(node));
  Value wrapped = node.where(compare(node, "tiny.lt", indices, node.like(indices, 0)),
                             node.add(indices, node.like(indices, double(depth))), indices);
  Ints shape(shapeOf(indices)), whole;
  shape.insert(shape.begin() + *axis, 1);
  whole = shape;
  whole[*axis] = depth;
  Value hit = compare(node, "tiny.eq", node.reshape(wrapped, shape), node.iota(whole, i64(node), *axis));
  Value off = node.reshape(node.sliceAxis(values, 0, 0, 1), {}), on = node.reshape(node.sliceAxis(values, 0, 1, 2), {});
  return {node.where(hit, on, off)};
}

Values translateEyeLike(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  if (rankOf(input) != 2)
    return {node.fail("the input has rank " + Twine(rankOf(input)) + ", expected 2")};
  Type element = elementOf(input);
  if (node.hasAttribute("dtype"))
    element = getElementType(node.getContext(), int32_t(node.getInt("dtype", 0)));
  if (!element)
    return {node.fail("element type " + getDataTypeName(int32_t(node.getInt("dtype", 0))) + " is not supported")};
  return {node.createTyped("tiny.eye", RankedTensorType::get(shapeOf(input), element), {},
                           node.attr("diagonal", node.getInt("k", 0)))};
}

/// The products of the elements up to each one along the middle axis of [rows, size, columns], or of those before it.
/// Blocks are reduced under a triangle, and what comes before a block by the same again: the work grows with the size.
/// Of an open size there is one block, since a number of blocks is no polynomial of it.
Value multiplyUpTo(Node &node, Value input, bool exclusive, bool isOpen) {
  if (!input)
    return nullptr;
  int64_t rows = shapeOf(input)[0], size = shapeOf(input)[1], columns = shapeOf(input)[2];
  int64_t block = isOpen || size <= 2 * kBlock ? size : kBlock,
          blocks = llvm::divideCeil(size, std::max<int64_t>(block, 1));
  Value padded = input;
  if (blocks * block != size)
    padded = node.create("tiny.pad", input,
                         {node.attr("low", Ints{0, 0, 0}), node.attr("high", Ints{0, blocks * block - size, 0}),
                          node.attr("value", Node::number(1, elementOf(input)))});
  Value apart = node.reshape(padded, {rows, blocks, 1, block, columns});
  Ints place = {1, 1, block, 1, 1}, term = {1, 1, 1, block, 1};
  Value counts =
      compare(node, exclusive ? "tiny.lt" : "tiny.le", node.iota(term, i64(node), 3), node.iota(place, i64(node), 2));
  auto multiply = [&](Value value, int64_t axis) {
    return node.create("tiny.prod", value, node.attr("axes", ArrayRef<int64_t>(axis)));
  };
  Value within = multiply(node.where(counts, apart, node.like(input, 1)), 3); // [rows, blocks, block, columns]
  if (blocks > 1) {
    Value totals = multiply(node.reshape(padded, {rows, blocks, block, columns}), 2);
    Value before = multiplyUpTo(node, totals, /*exclusive=*/true, /*isOpen=*/false);
    within = before ? node.mul(within, node.reshape(before, {rows, blocks, 1, columns})) : nullptr;
  }
  return within ? node.sliceAxis(node.reshape(within, {rows, blocks * block, columns}), 1, 0, size) : nullptr;
}

/// `accumulate` goes along an axis, from the first element on, and leaves out the element itself where `exclusive`.
Values translateAccumulation(Node &node,
                             llvm::function_ref<Value(Value input, int64_t axis, bool exclusive)> accumulate) {
  Value input = node.input(0);
  std::optional<Ints> named = node.constantInts(1, "the axis");
  if (!input || !named)
    return {};
  if (named->size() != 1)
    return {node.fail("the axis is not one number")};
  std::optional<int64_t> axis = node.normalizeAxis(named->front(), rankOf(input));
  if (!axis)
    return {};
  auto turn = [&](Value value) {
    return node.getInt("reverse", 0) ? node.create("tiny.flip", value, node.attr("axes", ArrayRef<int64_t>(*axis)))
                                     : value;
  };
  Value total = turn(accumulate(turn(input), *axis, node.getInt("exclusive", 0) != 0));
  return {total ? node.cast(total, elementOf(input)) : nullptr};
}

} // namespace

Value sumUpTo(Node &node, Value input, int64_t axis) {
  return input ? node.create("tiny.cumsum", input, node.attr("axis", axis)) : nullptr;
}

namespace {

Values translateCumSum(Node &node) {
  return translateAccumulation(node, [&](Value input, int64_t axis, bool exclusive) -> Value {
    if (exclusive && shapeOf(input)[axis] > 0) {
      // Moved on by one.
      Ints low(rankOf(input), 0), high(rankOf(input), 0);
      low[axis] = 1;
      input = node.pad(node.sliceAxis(input, axis, 0, shapeOf(input)[axis] - 1), low, high);
    }
    return sumUpTo(node, input, axis);
  });
}

Values translateCumProd(Node &node) {
  return translateAccumulation(node, [&](Value input, int64_t axis, bool exclusive) -> Value {
    if (typeOf(input).getNumElements() == 0)
      return input;
    int64_t rows = 1, columns = 1, size = shapeOf(input)[axis];
    for (int64_t k = 0; k < rankOf(input); ++k)
      if (k != axis)
        (k < axis ? rows : columns) *= shapeOf(input)[k];
    Value flat = node.reshape(input, {rows, size, columns});
    Value total = multiplyUpTo(node, flat, exclusive, node.isOpen(size));
    return total ? node.reshape(total, shapeOf(input)) : nullptr;
  });
}

// Along the time axis the first `length` elements of each batch turn round.
Values translateReverseSequence(Node &node) {
  Value input = node.input(0), lengths = node.input(1);
  if (!input || !lengths)
    return {};
  int64_t rank = rankOf(input);
  std::optional<int64_t> time = node.normalizeAxis(node.getInt("time_axis", 0), rank);
  std::optional<int64_t> batch = node.normalizeAxis(node.getInt("batch_axis", 1), rank);
  if (!time || !batch)
    return {};
  if (*time == *batch || shapeOf(lengths) != ArrayRef<int64_t>(shapeOf(input)[*batch]))
    return {node.fail("expected one length for each of the batch, and two axes that differ")};
  Ints perBatch(rank, 1);
  perBatch[*batch] = shapeOf(input)[*batch];
  Value length = node.reshape(node.cast(lengths, i64(node)), perBatch);
  Value at = node.iota(shapeOf(input), i64(node), *time);
  Value turned = node.sub(node.sub(length, at), node.like(at, 1));
  Value index = node.where(compare(node, "tiny.lt", at, length), turned, at);
  return {node.create("tiny.take_along", {input, index}, node.attr("axis", *time))};
}

// Each element's rank among those of its row: how many are better, or equal and earlier. The element of rank k is the
// result's k-th.
Values translateTopK(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input), count = node.getInt("k", 0);
  if (!node.hasAttribute("k")) {
    std::optional<Ints> k = node.constantInts(1, "'k'");
    if (!k)
      return {};
    count = k->size() == 1 ? k->front() : -1;
  }
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (!axis)
    return {};
  int64_t size = shapeOf(input)[*axis];
  if (count < 0 || count > size)
    return {node.fail("cannot take " + Twine(count) + " of " + Twine(size) + " elements")};
  if (size > kLongestSorted)
    return {node.fail("got an axis of size " + Twine(size) + " to sort, expected at most " + Twine(kLongestSorted))};
  // [..., i, j]: the element i beside the element j.
  Ints here(shapeOf(input)), there(shapeOf(input)), pairs(rank + 1, 1);
  here.insert(here.begin() + *axis + 1, 1);
  there.insert(there.begin() + *axis, 1);
  pairs[*axis] = pairs[*axis + 1] = size;
  Value one = node.reshape(input, here), other = node.reshape(input, there);
  Value i = node.iota(pairs, i64(node), *axis), j = node.iota(pairs, i64(node), *axis + 1);
  bool largest = node.getInt("largest", 1);
  Value better = compare(node, largest ? "tiny.gt" : "tiny.lt", other, one),
        same = compare(node, "tiny.eq", other, one);
  if (isa<FloatType>(elementOf(input))) {
    // What is no number is the greatest: without an order of all there is no place for each.
    auto isNan = [&](Value value) { return compare(node, "tiny.ne", value, value); };
    auto isNanBeside = [&](Value value, Value number) {
      return node.create("tiny.and", {isNan(value), node.create("tiny.not", isNan(number))});
    };
    better = node.create("tiny.or", {better, largest ? isNanBeside(other, one) : isNanBeside(one, other)});
    same = node.create("tiny.or", {same, node.create("tiny.and", {isNan(one), isNan(other)})});
  }
  Value tie = node.create("tiny.and", {same, compare(node, "tiny.lt", j, i)});
  Value place = node.sum(node.cast(node.create("tiny.or", {better, tie}), i64(node)), *axis + 1);
  // [..., k, i]: whether the element i has the rank k.
  Ints chosen(rank + 1, 1), order(shapeOf(input));
  chosen[*axis] = count;
  chosen[*axis + 1] = size;
  order.insert(order.begin() + *axis, 1);
  Value hit = compare(node, "tiny.eq", node.reshape(place, order), node.iota(chosen, i64(node), *axis));
  Value indices =
      node.sum(node.where(hit, node.iota(chosen, i64(node), *axis + 1), node.scalar(0, i64(node))), *axis + 1);
  return {node.create("tiny.take_along", {input, indices}, node.attr("axis", *axis)), indices};
}

/// The n-grams of TfIdfVectorizer: their tokens, and where each is counted.
struct NGram {
  Ints tokens;
  int64_t column;
  /// Its number in the pool.
  size_t place;
};

/// Reads the pool: lists of tokens, those of length 1 first. None after an error.
std::optional<SmallVector<NGram>> readPool(Node &node, int64_t least, int64_t most) {
  std::optional<Ints> pool = node.getInts("pool_int64s"), starts = node.getInts("ngram_counts"),
                      columns = node.getInts("ngram_indexes");
  auto fail = [&] {
    node.fail("the pool, the counts and the indices of the n-grams do not go together");
    return std::nullopt;
  };
  if (!pool || !starts || !columns)
    return node.failed() ? std::nullopt : fail();
  SmallVector<NGram> grams;
  size_t number = 0;
  for (size_t k = 0; k < starts->size(); ++k) {
    int64_t begin = (*starts)[k], length = int64_t(k) + 1;
    int64_t end = k + 1 < starts->size() ? (*starts)[k + 1] : int64_t(pool->size());
    if (begin < 0 || end < begin || end > int64_t(pool->size()) || (end - begin) % length)
      return fail();
    for (int64_t at = begin; at < end; at += length, ++number) {
      if (number >= columns->size() || (*columns)[number] < 0 || (*columns)[number] > kLargestVocabulary)
        return fail();
      if (length >= least && length <= most)
        grams.push_back({Ints(pool->begin() + at, pool->begin() + at + length), (*columns)[number], number});
    }
  }
  return grams;
}

// How often each n-gram stands in a row, its tokens side by side or with up to so many others between.
Values translateTfIdf(Node &node) {
  Value input = node.input(0);
  StringRef mode = node.getString("mode", "");
  int64_t least = node.getInt("min_gram_length", 1), most = node.getInt("max_gram_length", 1);
  int64_t skips = node.getInt("max_skip_count", 0);
  if (!input)
    return {};
  if (node.hasAttribute("pool_strings") || isa<FloatType>(elementOf(input)))
    return {node.fail("only n-grams of integers are supported")};
  if (!llvm::is_contained({"TF", "IDF", "TFIDF"}, mode))
    return {node.fail("attribute 'mode' is '" + mode + "', expected TF, IDF or TFIDF")};
  if (rankOf(input) < 1 || rankOf(input) > 2 || skips < 0 || skips > kLargestVocabulary)
    return {node.fail("expected a row or rows of tokens, and a count of skips that is not negative")};
  std::optional<SmallVector<NGram>> grams = readPool(node, least, most);
  if (!grams)
    return {};
  std::optional<Ints> columns = node.getInts("ngram_indexes");
  int64_t width = *llvm::max_element(*columns) + 1, length = shapeOf(input).back();
  int64_t rows = rankOf(input) == 2 ? shapeOf(input)[0] : 1;
  SmallVector<double> weights;
  if (const onnx::AttributeProto *given = node.findAttribute("weights"))
    weights.assign(given->floats().begin(), given->floats().end());
  Type f32 = Float32Type::get(node.getContext());
  Value tokens = node.cast(node.reshape(input, {rows, length}), i64(node)), zero = node.scalar(0, f32);
  SmallVector<Value> counted(width);
  for (const NGram &gram : *grams) {
    int64_t size = int64_t(gram.tokens.size());
    Value count;
    for (int64_t step = 1; step <= (size == 1 ? 1 : skips + 1) && (size - 1) * step < length; ++step) {
      Value match;
      for (int64_t k = 0; k < size; ++k) {
        Value window = node.sliceAxis(tokens, 1, k * step, length - (size - 1 - k) * step);
        Value hit = compare(node, "tiny.eq", window, node.makeInts(gram.tokens[k], {}, i64(node)));
        match = match ? node.create("tiny.and", {match, hit}) : hit;
      }
      Value here = node.sum(node.cast(match, f32), 1);
      count = count ? node.add(count, here) : here;
    }
    if (count && mode != "TF")
      count = mode == "IDF" ? node.cast(compare(node, "tiny.gt", count, zero), f32) : count;
    // A weight belongs to the n-gram's place in the pool.
    if (count && mode != "TF" && !weights.empty()) {
      size_t place = gram.place;
      if (place >= weights.size())
        return {node.fail("got " + Twine(weights.size()) + " weights for more n-grams")};
      count = node.mul(count, node.scalar(weights[place], f32));
    }
    if (count)
      counted[gram.column] = counted[gram.column] ? node.add(counted[gram.column], count) : count;
  }
  for (Value &column : counted)
    column = node.reshape(column ? column : node.expand(zero, {rows}), {rows, 1});
  Value joined = node.create("tiny.concat", counted, node.attr("axis", int64_t(1)));
  return {rankOf(input) == 2 ? joined : node.reshape(joined, width)};
}

} // namespace

ArrayRef<Handler> getSelectionHandlers() {
  static const Handler handlers[] = {
      {"CumProd", 2, 2, "exclusive reverse", translateCumProd},
      {"CumSum", 2, 2, "exclusive reverse", translateCumSum},
      {"EyeLike", 1, 1, "dtype k", translateEyeLike},
      {"OneHot", 3, 3, "axis", translateOneHot},
      {"ReverseSequence", 2, 2, "batch_axis time_axis", translateReverseSequence},
      {"TfIdfVectorizer", 1, 1,
       "max_gram_length max_skip_count min_gram_length mode ngram_counts ngram_indexes pool_int64s pool_strings "
       "weights",
       translateTfIdf},
      {"TopK", 1, 2, "axis k largest sorted", translateTopK},
      {"Trilu", 1, 2, "upper", translateTrilu},
      {"com.microsoft:Trilu", 1, 2, "upper", translateTrilu},
  };
  return handlers;
}

} // namespace tiny::onnximport
