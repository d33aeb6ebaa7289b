// Views and trackers against evaluation by definition.
#include "Tiny/Algebra/Symbolic/Symbolic.h"
#include "Tiny/Algebra/View/View.h"

#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace tiny;

namespace {
using Values = std::vector<int64_t>; // per element of the row-major order, -1 where masked

Values valuesOf(const ShapeTracker &tracker) {
  Values result;
  for (int64_t k = 0; k < tracker.numElements(); ++k)
    result.push_back(tracker.evaluateLinear(k).value_or(-1));
  return result;
}

/// A tensor that movement really moves.
struct Reference {
  SmallVector<int64_t> shape;
  Values values;

  SmallVector<int64_t> unravel(int64_t linear) const {
    SmallVector<int64_t> index(shape.size());
    for (size_t axis = shape.size(); axis-- > 0; linear /= shape[axis])
      index[axis] = linear % shape[axis];
    return index;
  }
  int64_t at(ArrayRef<int64_t> index) const {
    int64_t linear = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (index[axis] < 0 || index[axis] >= shape[axis])
        return -1;
      linear = linear * shape[axis] + index[axis];
    }
    return values[linear];
  }
  template <typename Source> Reference gather(ArrayRef<int64_t> newShape, Source source) const {
    Reference result{SmallVector<int64_t>(newShape), {}};
    int64_t count = 1;
    for (int64_t size : newShape)
      count *= size;
    for (int64_t k = 0; k < count; ++k)
      result.values.push_back(at(source(result.unravel(k))));
    return result;
  }
};

/// One random movement, done to a tracker and to a reference.
std::string moveRandomly(std::mt19937 &random, ShapeTracker &tracker, Reference &reference) {
  auto pick = [&](int n) { return int64_t(random() % unsigned(n)); };
  SmallVector<int64_t> shape(reference.shape);
  size_t rank = shape.size();
  switch (pick(6)) {
  case 0: { // reshape: merge or split
    SmallVector<int64_t> next(shape);
    if (rank > 1 && pick(2)) {
      size_t axis = pick(rank - 1);
      next[axis] *= next[axis + 1];
      next.erase(next.begin() + axis + 1);
    } else if (rank > 0 && rank < 5) {
      size_t axis = pick(rank);
      for (int64_t factor : {2, 3})
        if (next[axis] % factor == 0 && next[axis] > 0) {
          next[axis] /= factor;
          next.insert(next.begin() + axis + pick(2), factor);
          break;
        }
      if (next == shape)
        next.insert(next.begin() + axis, 1);
    } else {
      next.push_back(1);
    }
    tracker = tracker.reshape(next);
    reference.shape = next;
    return "reshape";
  }
  case 1: {
    SmallVector<int64_t> next(shape);
    for (size_t axis = 0; axis < rank; ++axis)
      if (next[axis] == 1)
        next[axis] = 1 + pick(3);
    tracker = tracker.expand(next);
    reference = reference.gather(next, [&](SmallVector<int64_t> index) {
      for (size_t axis = 0; axis < rank; ++axis)
        if (shape[axis] == 1)
          index[axis] = 0;
      return index;
    });
    return "expand";
  }
  case 2: {
    SmallVector<int64_t> order, next;
    for (size_t axis = 0; axis < rank; ++axis)
      order.insert(order.begin() + pick(order.size() + 1), axis);
    for (int64_t axis : order)
      next.push_back(shape[axis]);
    tracker = tracker.permute(order);
    reference = reference.gather(next, [&](SmallVector<int64_t> index) {
      SmallVector<int64_t> source(rank);
      for (size_t k = 0; k < rank; ++k)
        source[order[k]] = index[k];
      return source;
    });
    return "permute";
  }
  case 3: {
    SmallVector<int64_t> low, high, next;
    for (size_t axis = 0; axis < rank; ++axis) {
      low.push_back(pick(3) ? 0 : pick(3));
      high.push_back(pick(3) ? 0 : pick(3));
      next.push_back(shape[axis] + low.back() + high.back());
    }
    tracker = tracker.pad(low, high);
    reference = reference.gather(next, [&](SmallVector<int64_t> index) {
      for (size_t axis = 0; axis < rank; ++axis)
        index[axis] -= low[axis];
      return index;
    });
    return "pad";
  }
  case 4: {
    SmallVector<int64_t> begin, end, next;
    for (size_t axis = 0; axis < rank; ++axis) {
      begin.push_back(pick(3) || shape[axis] < 2 ? 0 : pick(shape[axis] - 1));
      end.push_back(pick(3) ? shape[axis]
                            : begin.back() + std::min<int64_t>(1, shape[axis]) +
                                  pick(std::max<int64_t>(shape[axis] - begin.back(), 1)));
      end.back() = std::min(end.back(), shape[axis]);
      next.push_back(end.back() - begin.back());
    }
    tracker = tracker.shrink(begin, end);
    reference = reference.gather(next, [&](SmallVector<int64_t> index) {
      for (size_t axis = 0; axis < rank; ++axis)
        index[axis] += begin[axis];
      return index;
    });
    return "shrink";
  }
  default: {
    SmallVector<int64_t> axes;
    for (size_t axis = 0; axis < rank; ++axis)
      if (pick(3) == 0)
        axes.push_back(axis);
    tracker = tracker.flip(axes);
    reference = reference.gather(shape, [&](SmallVector<int64_t> index) {
      for (int64_t axis : axes)
        index[axis] = shape[axis] - 1 - index[axis];
      return index;
    });
    return "flip";
  }
  }
}

/// Whether one view could express these values: the valid elements are a box on which positions are affine.
bool isSingleView(ArrayRef<int64_t> shape, const Values &values) {
  Reference reference{SmallVector<int64_t>(shape), values};
  SmallVector<int64_t> low(shape.size(), INT64_MAX), high(shape.size(), INT64_MIN);
  int64_t valid = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k] < 0)
      continue;
    ++valid;
    for (auto [axis, index] : enumerate(reference.unravel(k))) {
      low[axis] = std::min(low[axis], index);
      high[axis] = std::max(high[axis], index);
    }
  }
  if (valid == 0)
    return !shape.empty();
  int64_t volume = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    volume *= high[axis] - low[axis] + 1;
  if (volume != valid)
    return false;
  SmallVector<int64_t> strides(shape.size(), 0);
  int64_t origin = reference.at(low);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (high[axis] > low[axis]) {
      SmallVector<int64_t> next(low);
      ++next[axis];
      strides[axis] = reference.at(next) - origin;
    }
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k] < 0)
      continue;
    int64_t expected = origin;
    for (auto [axis, index] : enumerate(reference.unravel(k)))
      expected += (index - low[axis]) * strides[axis];
    if (values[k] != expected)
      return false;
  }
  return true;
}

std::string str(const ShapeTracker &tracker) {
  std::string text;
  raw_string_ostream os(text);
  os << tracker;
  return text;
}
} // namespace

TEST(View, PrintsReadably) {
  ShapeTracker t = ShapeTracker::identity({4, 4}).pad({1, 1}, {1, 1}).reshape({36});
  EXPECT_EQ(str(t), "(6, 6):(4, 1) + -5 mask [1:5, 1:5], (36):(1)");
}

TEST(View, RandomChainsMatchMovedData) {
  std::mt19937 random(7);
  int singleViews = 0;
  for (int n = 0; n < 3000; ++n) {
    Reference reference;
    int64_t count = 1;
    for (int axis = 0, rank = 1 + random() % 3; axis < rank; ++axis) {
      reference.shape.push_back(1 + random() % 5);
      count *= reference.shape.back();
    }
    for (int64_t k = 0; k < count; ++k)
      reference.values.push_back(k);
    ShapeTracker tracker = ShapeTracker::identity(reference.shape);
    std::string text = str(tracker);
    for (int step = 0; step < 6 && reference.values.size() < 800; ++step) {
      text += " " + moveRandomly(random, tracker, reference);
      ASSERT_TRUE(tracker.isValid()) << text;
      text += " " + str(tracker);
      ASSERT_EQ(SmallVector<int64_t>(tracker.shape()), reference.shape) << text;
      ASSERT_EQ(valuesOf(tracker), reference.values) << text;
      // Complete: one view wherever one view does.
      bool single = isSingleView(reference.shape, reference.values);
      ASSERT_EQ(tracker.views().size() == 1, single) << text;
      singleViews += single;
    }
    // Index expressions say the same.
    ExprContext context;
    SmallVector<Expr> leaves;
    for (int64_t size : reference.shape)
      leaves.push_back(context.leaf({0, std::max<int64_t>(size - 1, 0)}));
    IndexAndValidity at = tracker.toIndex(context, leaves);
    ASSERT_TRUE(at.index && at.valid) << text;
    for (size_t k = 0; k < reference.values.size(); ++k) {
      SmallVector<int64_t> point = reference.unravel(k);
      auto leafValue = [&](int64_t number) { return point[number - leaves[0]->constant]; };
      int64_t got = *context.evaluate(at.valid, leafValue) ? context.evaluate(at.index, leafValue).value_or(-2) : -1;
      ASSERT_EQ(got, reference.values[k]) << text;
    }
  }
  EXPECT_GT(singleViews, 5000);
}

TEST(View, RandomStacksKeepTheirFunction) {
  std::mt19937 random(11);
  auto pick = [&](int64_t low, int64_t high) { return low + int64_t(random() % unsigned(high - low + 1)); };
  int merged = 0, missed = 0;
  for (int n = 0; n < 20000; ++n) {
    SmallVector<View> views;
    int64_t inside = pick(4, 60); // elements that the next view may read
    for (int k = 0, count = pick(2, 4); k < count; ++k) {
      SmallVector<int64_t> shape, strides;
      SmallVector<MaskInterval> mask;
      bool isMasked = pick(0, 1);
      int64_t elements = 1, least = 0, most = 0;
      for (int axis = 0, rank = pick(1, 4); axis < rank; ++axis) {
        shape.push_back(pick(1, 4));
        elements *= shape.back();
        strides.push_back(pick(-6, 12));
        mask.push_back({0, shape.back()});
        if (isMasked && pick(0, 1)) {
          mask.back().begin = pick(0, shape.back() - 1);
          mask.back().end = pick(mask.back().begin + 1, shape.back());
        }
        int64_t first = strides.back() * mask.back().begin, last = strides.back() * (mask.back().end - 1);
        least += std::min(first, last);
        most += std::max(first, last);
      }
      // Move and, if it must be, flatten what the view reads into the view below.
      if (most - least >= inside) {
        strides.assign(shape.size(), 0);
        least = most = 0;
      }
      std::optional<View> view = View::get(shape, strides, pick(-least, inside - 1 - most), mask);
      ASSERT_TRUE(view);
      views.push_back(*view);
      inside = elements;
    }
    ShapeTracker given = ShapeTracker::fromViews(views);
    ASSERT_TRUE(given.isValid()) << str(given);
    ShapeTracker simple = given.simplify();
    Values values = valuesOf(given);
    ASSERT_EQ(valuesOf(simple), values) << str(given) << " became " << str(simple);
    bool single = isSingleView(given.shape(), values);
    merged += simple.views().size() == 1;
    missed += single && simple.views().size() > 1;
  }
  EXPECT_GT(merged, 5000);
  // Two views always merge where one view can say it. Three may need all of them at once.
  EXPECT_EQ(missed, 0);
}

TEST(View, PaddingMovesIntoTheViewBelow) {
  // Pad, flatten, pad the end, regroup: three movements that no single view says, and two always do.
  int64_t checked = 0;
  for (int64_t batch : {1, 2, 3})
    for (int64_t rows = 2; rows <= 4; ++rows)
      for (int64_t columns = 2; columns <= 4; ++columns)
        for (int64_t right = 1; right <= 2; ++right)
          for (int64_t tail = 1; tail <= 9; ++tail)
            for (int64_t width = 2; width <= 9; ++width) {
              int64_t flat = rows * (columns + right), size = flat + tail;
              if (size % width != 0)
                continue;
              View inner = *View::contiguous({batch, rows, columns})->pad({0, 0, 0}, {0, 0, right});
              View middle = *View::contiguous({batch, flat})->pad({0, 0}, {0, tail});
              View last = *View::contiguous({batch, size / width, width});
              ShapeTracker given = ShapeTracker::fromViews({inner, middle, last});
              ASSERT_TRUE(given.isValid());
              ShapeTracker simple = given.simplify();
              ASSERT_EQ(valuesOf(simple), valuesOf(given)) << str(given) << " became " << str(simple);
              EXPECT_LE(simple.views().size(), 2u) << str(given) << " became " << str(simple);
              ++checked;
            }
  EXPECT_GT(checked, 200);
}

TEST(View, EqualFunctionsAreEqualViews) {
  // Every view of shape (3, 2) with small numbers: the same values exactly when the same view.
  std::map<Values, View> known;
  SmallVector<int64_t> shape{3, 2};
  for (int64_t s0 = -2; s0 <= 2; ++s0)
    for (int64_t s1 = -2; s1 <= 2; ++s1)
      for (int64_t b0 = 0; b0 <= 3; ++b0)
        for (int64_t e0 = b0; e0 <= 3; ++e0)
          for (int64_t b1 = 0; b1 <= 2; ++b1)
            for (int64_t e1 = b1; e1 <= 2; ++e1) {
              std::optional<View> view = View::get(shape, {s0, s1}, 20, {{b0, e0}, {b1, e1}});
              ASSERT_TRUE(view);
              auto [entry, isNew] = known.try_emplace(valuesOf(ShapeTracker(*view)), *view);
              EXPECT_EQ(entry->second, *view) << str(*view);
            }
}

TEST(View, InverseReadsBack) {
  ShapeTracker t = ShapeTracker::identity({4, 5, 6}).permute({2, 0, 1}).flip({1});
  ShapeTracker inverse = t.invert({4, 5, 6});
  ASSERT_TRUE(inverse.isValid());
  EXPECT_TRUE(t.compose(inverse).isIdentity({4, 5, 6})) << str(t.compose(inverse));
  EXPECT_FALSE(ShapeTracker::identity({4, 1}).expand({4, 2}).invert({4}).isValid());
}

TEST(View, OverflowIsDetected) {
  int64_t big = int64_t(1) << 40;
  EXPECT_FALSE(View::contiguous({big, big}));
  ShapeTracker t = ShapeTracker::identity({1, 1}).expand({big, big});
  EXPECT_FALSE(t.isValid());
  EXPECT_FALSE(t.flip({0}).reshape({1}).isValid());
  EXPECT_FALSE(View::get({4}, {int64_t(1) << 61}));
  EXPECT_FALSE(ShapeTracker::identity({4}).pad({kIndexLimit - 1}, {0}).isValid());
}

TEST(View, RealStrides) {
  ShapeTracker t = ShapeTracker::identity({4, 6}).permute({1, 0});
  auto strides = t.getRealStrides();
  EXPECT_EQ(strides[0], 1);
  EXPECT_EQ(strides[1], 6);
  strides = ShapeTracker::identity({4}).pad({1}, {1}).getRealStrides();
  EXPECT_FALSE(strides[0].has_value());
}
