// Symbolic views against static ones, at every value of the symbols.
#include "Tiny/Algebra/View/SymbolicView.h"

#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace tiny;

namespace {
using Dims = SymbolicView::Dims;
const Dim s0 = Dim::symbol(0), s1 = Dim::symbol(1);

template <typename T> std::string text(const T &value) {
  std::string result;
  raw_string_ostream(result) << value;
  return result;
}

/// Calls `body` with every assignment within the bounds.
void forEachValue(ArrayRef<Bounds> symbols, function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> values;
  for (Bounds bounds : symbols)
    values.push_back(bounds.low);
  while (true) {
    body(values);
    size_t k = 0;
    for (; k < values.size() && ++values[k] > symbols[k].high; ++k)
      values[k] = symbols[k].low;
    if (k == values.size())
      return;
  }
}

SmallVector<int64_t> at(ArrayRef<Dim> dims, ArrayRef<int64_t> values) {
  SmallVector<int64_t> result;
  for (const Dim &dim : dims)
    result.push_back(*dim.evaluate(values));
  return result;
}

/// What a tracker says about itself, compared with its members.
void checkQueries(const SymbolicTracker &tracker, ArrayRef<int64_t> values, const ShapeTracker &expected) {
  ShapeTracker bound = tracker.bind(values);
  ASSERT_TRUE(bound.isValid()) << text(tracker);
  ASSERT_EQ(bound.shape(), expected.shape()) << text(tracker);
  std::optional<Bounds> range = tracker.getRange();
  ExprContext context;
  SmallVector<Expr> symbols, indices;
  for (Bounds bounds : tracker.symbols())
    symbols.push_back(context.leaf(bounds));
  for (const Dim &size : tracker.shape())
    indices.push_back(context.leaf({0, std::max<int64_t>(size.range(tracker.symbols())->high - 1, 0)}));
  IndexAndValidity index = tracker.toIndex(context, symbols, indices);
  ASSERT_TRUE(index.index && index.valid) << text(tracker);
  SmallVector<std::optional<Dim>> strides = tracker.getRealStrides();
  for (int64_t k = 0; k < expected.numElements(); ++k) {
    std::optional<int64_t> position = expected.evaluateLinear(k);
    ASSERT_EQ(bound.evaluateLinear(k), position)
        << text(tracker) << " as " << text(bound) << " for " << text(expected) << " at " << k;
    if (position && range) {
      ASSERT_TRUE(range->low <= *position && *position <= range->high) << text(tracker) << " reaches " << *position;
    }
    if (tracker.isContiguous()) {
      ASSERT_EQ(position, k) << text(tracker);
    }
    SmallVector<int64_t> point(values);
    point.resize(values.size() + expected.rank());
    for (int64_t axis = expected.rank(), rest = k; axis-- > 0; rest /= expected.shape()[axis])
      point[values.size() + axis] = rest % expected.shape()[axis];
    SmallVector<int64_t> place(ArrayRef<int64_t>(point).drop_front(values.size()));
    ASSERT_EQ(tracker.evaluate(values, place), position) << text(tracker) << " at " << k;
    // One further along an axis is one stride further, or as masked as before.
    for (auto [axis, stride] : enumerate(strides)) {
      if (!stride || place[axis] + 1 >= expected.shape()[axis])
        continue;
      SmallVector<int64_t> next(place);
      ++next[axis];
      std::optional<int64_t> further = expected.evaluate(next);
      ASSERT_EQ(further.has_value(), position.has_value()) << text(tracker) << " along " << axis;
      if (position) {
        ASSERT_EQ(*further - *position, stride->evaluate(values)) << text(tracker) << " along " << axis;
      }
    }
    auto leaves = [&](int64_t leaf) { return point[leaf]; };
    ASSERT_EQ(context.evaluate(index.valid, leaves), position.has_value()) << text(tracker) << " at " << k;
    if (position) {
      ASSERT_EQ(context.evaluate(index.index, leaves), position) << text(tracker) << " at " << k;
    }
  }
}

/// A random movement with arguments that may depend on the symbols, some of which do not apply.
struct Movement {
  enum Kind { Reshape, Expand, Permute, Pad, Shrink, Flip } kind;
  Dims first, second;
  SmallVector<int64_t> axes;

  static Movement random(std::mt19937 &random, ArrayRef<Dim> shape) {
    auto pick = [&](int n) { return int64_t(random() % unsigned(n)); };
    Movement move{Kind(pick(6)), Dims(shape), {}, {}};
    size_t rank = shape.size();
    const Dim amounts[] = {0, 0, 1, 2, s0, s1, s1 - 2, s0 + 1};
    switch (move.kind) {
    case Reshape:
      if (rank > 1 && pick(2)) {
        size_t axis = pick(rank - 1);
        move.first[axis] = shape[axis] * shape[axis + 1];
        move.first.erase(move.first.begin() + axis + 1);
      } else if (rank > 0) {
        size_t axis = pick(rank);
        const Dim factors[] = {s0, s1, 2, s0 + 1, 1};
        for (const Dim &factor : factors)
          if (std::optional<Dim> rest = shape[axis].exactQuotient(factor); rest && rank < 5) {
            bool isFirst = pick(2);
            move.first[axis] = isFirst ? factor : *rest;
            move.first.insert(move.first.begin() + axis + 1, isFirst ? *rest : factor);
            break;
          }
      }
      break;
    case Expand:
      for (Dim &size : move.first)
        if (size == Dim(1))
          size = amounts[2 + pick(4)];
      break;
    case Permute:
      for (size_t axis = 0; axis < rank; ++axis)
        move.axes.insert(move.axes.begin() + pick(move.axes.size() + 1), axis);
      break;
    case Pad:
      for (size_t axis = 0; axis < rank; ++axis) {
        move.first[axis] = amounts[pick(8)];
        move.second.push_back(amounts[pick(4)]);
      }
      break;
    case Shrink:
      for (size_t axis = 0; axis < rank; ++axis) {
        move.first[axis] = pick(2) ? Dim(0) : amounts[2 + pick(6)];
        move.second.push_back(pick(2) ? shape[axis] : shape[axis] - amounts[pick(3)]);
      }
      break;
    case Flip:
      for (size_t axis = 0; axis < rank; ++axis)
        if (pick(2))
          move.axes.push_back(axis);
      break;
    }
    return move;
  }

  SymbolicTracker apply(const SymbolicTracker &tracker) const {
    switch (kind) {
    case Reshape:
      return tracker.reshape(first);
    case Expand:
      return tracker.expand(first);
    case Permute:
      return tracker.permute(axes);
    case Pad:
      return tracker.pad(first, second);
    case Shrink:
      return tracker.shrink(first, second);
    case Flip:
      return tracker.flip(axes);
    }
    llvm_unreachable("covered switch");
  }

  ShapeTracker apply(const ShapeTracker &tracker, ArrayRef<int64_t> values) const {
    switch (kind) {
    case Reshape:
      return tracker.reshape(at(first, values));
    case Expand:
      return tracker.expand(at(first, values));
    case Permute:
      return tracker.permute(axes);
    case Pad:
      return tracker.pad(at(first, values), at(second, values));
    case Shrink:
      return tracker.shrink(at(first, values), at(second, values));
    case Flip:
      return tracker.flip(axes);
    }
    llvm_unreachable("covered switch");
  }
};
} // namespace

TEST(Dim, IsAPolynomialInNormalForm) {
  EXPECT_EQ(text((s0 + 1) * (s0 - 1)), "s0*s0 + -1");
  EXPECT_EQ(text(s1 * s0 * 64 + 3), "64*s0*s1 + 3");
  EXPECT_EQ((s0 + s1) * (s0 - s1), s0 * s0 - s1 * s1);
  EXPECT_EQ(s0 - s0, Dim(0));
  EXPECT_EQ((Dim(64) * s0 + 64).exactQuotient(64), s0 + 1);
  EXPECT_EQ((s0 * s0 - 1).exactQuotient(s0 + 1), s0 - 1);
  EXPECT_EQ((s0 * s0).exactQuotient(s0 + 1), std::nullopt);
  EXPECT_EQ((Dim(3) * s0).exactQuotient(2), std::nullopt);
  EXPECT_FALSE((Dim(int64_t(1) << 40) * Dim(int64_t(1) << 40) + 1).isValid());
}

TEST(Dim, RangeHoldsAndIsExactWithoutPowers) {
  Bounds symbols[] = {{-2, 3}, {1, 4}};
  const Dim dims[] = {s0, s0 * s1 - s0, Dim(3) * s1 - s0 * s1 + 2, s0 * s0, s0 * s0 * s1 - Dim(2) * s0, 7};
  for (const Dim &dim : dims) {
    std::optional<Bounds> range = dim.range(symbols);
    ASSERT_TRUE(range);
    int64_t low = kIndexLimit, high = -kIndexLimit;
    forEachValue(symbols, [&](ArrayRef<int64_t> values) {
      low = std::min(low, *dim.evaluate(values));
      high = std::max(high, *dim.evaluate(values));
    });
    EXPECT_LE(range->low, low) << text(dim);
    EXPECT_GE(range->high, high) << text(dim);
    bool hasPower = any_of(dim.getTerms(), [](const Dim::Term &term) {
      return std::adjacent_find(term.symbols.begin(), term.symbols.end()) != term.symbols.end();
    });
    if (!hasPower) {
      EXPECT_EQ(*range, (Bounds{low, high})) << text(dim);
    }
  }
  Bounds huge[] = {{0, int64_t(1) << 61}, {0, int64_t(1) << 61}};
  EXPECT_FALSE((s0 * s1).range(huge));
  EXPECT_FALSE((s0 * s1 * s0 * s1).range(huge));
}

TEST(SymbolicView, FollowsTheWorkedExample) {
  Bounds symbols[] = {{1, 32}};
  SymbolicTracker tracker = SymbolicTracker::identity(symbols, {s0, 64});
  EXPECT_EQ(text(tracker), "(s0, 64):(64, 1)");
  tracker = tracker.reshape({Dim(64) * s0}).pad({0}, {64});
  EXPECT_EQ(text(tracker), "(64*s0 + 64):(1) mask [0:64*s0]");
  EXPECT_EQ(tracker.getRange(), (Bounds{0, 2047}));
  tracker = tracker.reshape({s0 + 1, 64});
  EXPECT_EQ(text(tracker), "(s0 + 1, 64):(64, 1) mask [0:s0, 0:64]");
  EXPECT_EQ(tracker.shrink({0, 0}, {s0, 64}), SymbolicTracker::identity(symbols, {s0, 64}));
  SymbolicTracker stacked = tracker.reshape({2, Dim(32) * s0 + 32});
  EXPECT_EQ(text(stacked), "(s0 + 1, 64):(64, 1) mask [0:s0, 0:64], (2, 32*s0 "
                           "+ 32):(32*s0 + 32, 1)");
  EXPECT_EQ(stacked.reshape({s0 + 1, 64}), tracker);
}

TEST(SymbolicView, SaysWhyAnOperationFails) {
  Bounds symbols[] = {{0, 4}, {1, 4}};
  SymbolicTracker tracker = SymbolicTracker::identity(symbols, {s0, s1, 1});
  auto failure = [](const SymbolicTracker &moved) {
    EXPECT_FALSE(moved.isValid());
    return moved.flip({}).getFailure().str(); // an invalid tracker stays one, and keeps its reason
  };
  EXPECT_EQ(failure(tracker.shrink({1, 0, 0}, {s0, s1, 1})), "the interval may leave the axis: axis 0");
  EXPECT_TRUE(tracker.shrink({0, 1, 0}, {s0, s1, 1}));
  EXPECT_EQ(failure(tracker.pad({s0 - 1, 0, 0}, {0, 0, 0})), "padding may be negative or reach 2^62: axis 0");
  EXPECT_EQ(failure(tracker.reshape({s1, s1})), "the number of elements may change");
  EXPECT_EQ(failure(tracker.expand({4, s1, 1})), "only an axis of size 1, whatever the symbols are, expands: axis 0");
  EXPECT_EQ(failure(tracker.permute({0, 1, 1})), "a permutation names each axis once");
  EXPECT_EQ(failure(SymbolicTracker::identity(symbols, {s0 - 1})),
            "a size may be negative, or the number of elements may reach 2^62");
  Bounds huge[] = {{0, int64_t(1) << 31}};
  EXPECT_EQ(failure(SymbolicTracker::identity(huge, {s0, 1}).expand({s0, int64_t(1) << 31})),
            "a number may reach 2^62 for some value of the symbols");
}

TEST(SymbolicView, HasOneForm) {
  Bounds symbols[] = {{-2, 2}, {1, 3}};
  auto form = [&](ArrayRef<Dim> shape, ArrayRef<Dim> strides, const Dim &offset, ArrayRef<DimInterval> mask) {
    std::optional<SymbolicView> view = SymbolicView::get(symbols, shape, strides, offset, mask);
    return view ? text(*view) : "none";
  };
  EXPECT_EQ(form({s1, 1}, {1, 7}, 0, {{0, s1}, {0, 1}}), "(s1, 1):(1, 0)");
  EXPECT_EQ(form({s1 + 1, 4}, {s0, 2}, 0, {{s1, s1 + 1}, {0, 4}}), "(s1 + 1, 4):(0, 2) + s0*s1 mask [s1:s1 + 1, 0:4]");
  EXPECT_EQ(form({s1, 4}, {s0, 2}, s1, {{0, s1}, {s1, s1}}), "(s1, 4):(0, 0) mask [0:0, 0:0]");
  EXPECT_EQ(form({s1, 0}, {s0, 2}, s1, {}), "(s1, 0):(0, 0)");
  EXPECT_EQ(form({s1}, {1}, 0, {{0, 2}}), "none") << "the mask is longer than the axis where s1 is 1";
  EXPECT_EQ(form({s0}, {1}, 0, {}), "none");
  EXPECT_EQ(form({4}, {1}, 0, {{s1, 2}}), "none");
}

TEST(SymbolicView, KnowsWhatItReaches) {
  // A stride whose sign is the symbol's, and one that is not.
  Bounds symbols[] = {{-2, 2}, {1, 3}};
  for (const Dim &stride : {s0, s1, Dim(0) - s1, s0 * s1, s1 * s1})
    for (bool isMasked : {false, true}) {
      std::optional<SymbolicView> view =
          SymbolicView::get(symbols, {s1 + 1, 2}, {stride, 1}, s0,
                            isMasked ? SymbolicView::Mask{{1, s1 + 1}, {0, 2}} : SymbolicView::Mask());
      ASSERT_TRUE(view);
      EXPECT_EQ(view->getExtremes(symbols).has_value(), stride != s0 && stride != s0 * s1);
      Bounds reached{kIndexLimit, -kIndexLimit};
      forEachValue(symbols, [&](ArrayRef<int64_t> values) {
        std::pair<int64_t, int64_t> range = *view->bind(values)->getRange();
        reached = {std::min(reached.low, range.first), std::max(reached.high, range.second)};
      });
      std::optional<Bounds> range = view->getRange(symbols);
      ASSERT_TRUE(range);
      EXPECT_LE(range->low, reached.low) << text(*view);
      EXPECT_GE(range->high, reached.high) << text(*view);
      if (stride == s1) {
        EXPECT_EQ(*range, reached) << text(*view);
      }
    }
}

TEST(SymbolicView, StacksWhereTheValuesDecide) {
  Bounds symbols[] = {{0, 4}, {0, 4}};
  // Which end of the mask is cut depends on which symbol is greater.
  SymbolicTracker tracker = SymbolicTracker::identity(symbols, {4}).pad({s0}, {4});
  tracker = tracker.shrink({s1}, {s0 + 8});
  ASSERT_TRUE(tracker);
  EXPECT_EQ(tracker.views().size(), 2u);
  forEachValue(symbols, [&](ArrayRef<int64_t> values) {
    checkQueries(tracker, values,
                 ShapeTracker::identity({4}).pad({values[0]}, {4}).shrink({values[1]}, {values[0] + 8}));
  });
}

TEST(SymbolicView, GoesToAndFromStatic) {
  ShapeTracker tracker = ShapeTracker::identity({4}).pad({1}, {1}).reshape({3, 2});
  Bounds symbols[] = {{1, 3}};
  SymbolicTracker family = SymbolicTracker::fromStatic(symbols, tracker);
  EXPECT_EQ(family.toStatic(), tracker);
  EXPECT_EQ(family.bind({2}), tracker);
  EXPECT_FALSE(SymbolicTracker::identity(symbols, {s0}).toStatic());
  // What stays static merges as it does there, enumeration and all.
  EXPECT_EQ(family.reshape({6}).shrink({1}, {5}).toStatic(), tracker.reshape({6}).shrink({1}, {5}));
  SymbolicTracker outer = SymbolicTracker::identity(symbols, {6}).flip({0});
  forEachValue(symbols, [&](ArrayRef<int64_t> values) {
    checkQueries(family.compose(outer), values, tracker.compose(ShapeTracker::identity({6}).flip({0})));
  });
  EXPECT_FALSE(SymbolicTracker::identity(symbols, {s0}).compose(SymbolicTracker::identity(symbols, {s0 + 1})));
}

/// The inverse, if there is one, leads from every position back to its element.
bool checkInverse(const SymbolicTracker &tracker, ArrayRef<Dim> buffer) {
  SymbolicTracker inverse = tracker.invert(buffer);
  if (!inverse)
    return false;
  forEachValue(tracker.symbols(), [&](ArrayRef<int64_t> values) {
    ShapeTracker member = tracker.bind(values), back = inverse.bind(values);
    ASSERT_EQ(back.shape(), ArrayRef<int64_t>(at(buffer, values))) << text(tracker);
    for (int64_t k = 0; k < member.numElements(); ++k)
      ASSERT_EQ(back.evaluateLinear(*member.evaluateLinear(k)), k) << text(tracker) << " and " << text(inverse);
  });
  return true;
}

TEST(SymbolicView, InvertsWhatLosesAndRepeatsNothing) {
  Bounds symbols[] = {{1, 4}, {2, 3}};
  SymbolicTracker tracker = SymbolicTracker::identity(symbols, {s0, s1, 4});
  EXPECT_TRUE(checkInverse(tracker.permute({2, 0, 1}), {s0, s1, 4}));
  EXPECT_TRUE(checkInverse(tracker.flip({0, 1}).permute({1, 0, 2}), {s0 * s1, 4}));
  EXPECT_TRUE(checkInverse(tracker.permute({1, 0, 2}).reshape({s1 * s0 * 4}), {s0, s1, 4}));
  EXPECT_FALSE(checkInverse(tracker.expand({s0, s1, 4}).pad({0, 1, 0}, {0, 0, 0}), {s0, s1, 4}));
  EXPECT_FALSE(checkInverse(tracker.shrink({0, 0, 0}, {s0, s1, 3}), {s0, s1, 4}));
  EXPECT_FALSE(checkInverse(SymbolicTracker::identity(symbols, {s0, 1}).expand({s0, s1}), {s0}));
}

TEST(SymbolicView, KnowsStrides) {
  Bounds symbols[] = {{2, 4}, {2, 3}};
  SymbolicTracker tracker = SymbolicTracker::identity(symbols, {s0, s1, 4}).permute({2, 0, 1}).flip({1});
  SmallVector<std::optional<Dim>> strides = tracker.getRealStrides();
  ASSERT_EQ(strides.size(), 3u);
  EXPECT_EQ(strides[0], Dim(1));
  EXPECT_EQ(strides[1], Dim(-4) * s1);
  EXPECT_EQ(strides[2], Dim(4));
  // A mask decides validity along its axis; a stack is affine along the axes that it leaves alone.
  strides = SymbolicTracker::identity(symbols, {s0, s1}).pad({1, 0}, {0, 0}).getRealStrides();
  EXPECT_FALSE(strides[0]);
  EXPECT_EQ(strides[1], Dim(1));
}

TEST(SymbolicView, MovesEachMemberAsItIsMovedAlone) {
  std::mt19937 random(7);
  int moved = 0, failed = 0, stacked = 0, inverted = 0;
  for (int round = 0; round < 400; ++round) {
    Bounds symbols[] = {{int64_t(round % 2), 2}, {2, 4}};
    const Dims starts[] = {{s0, s1}, {s1, 4}, {1, s0 * 2, 3}, {s0 * s1}, {2, s1, 1}};
    const Dims &start = starts[random() % 5];
    SymbolicTracker tracker = SymbolicTracker::identity(symbols, start);
    std::vector<std::pair<SmallVector<int64_t>, ShapeTracker>> members;
    forEachValue(symbols, [&](ArrayRef<int64_t> values) {
      members.push_back({SmallVector<int64_t>(values), ShapeTracker::identity(at(tracker.shape(), values))});
    });
    for (int step = 0; step < 5; ++step) {
      Movement move = Movement::random(random, tracker.shape());
      SymbolicTracker next = move.apply(tracker);
      if (!next) {
        ++failed;
        continue;
      }
      // Few elements, so that all can be looked at.
      if (next.numElements().range(symbols)->high > 600)
        continue;
      ++moved;
      stacked += next.views().size() > 1;
      tracker = next;
      inverted += checkInverse(tracker, start);
      for (auto &[values, member] : members) {
        member = move.apply(member, values);
        ASSERT_TRUE(member.isValid()) << text(tracker) << " is none at " << values[0] << ", " << values[1];
        checkQueries(tracker, values, member);
        if (HasFatalFailure())
          return;
      }
    }
  }
  EXPECT_GT(moved, 1000);
  EXPECT_GT(failed, 50);
  EXPECT_GT(stacked, 100);
  EXPECT_GT(inverted, 100);
}
