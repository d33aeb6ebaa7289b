// The digits of loops, and trackers that lose axes.
#include "Tiny/Algebra/View/Digits.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tiny;

namespace {

struct DigitsTest : testing::Test {
  Expr number(int64_t value) { return context.constant(value); }
  Expr variable(int64_t extent) { return context.leaf({0, extent - 1}); }
  DigitEnds find(Expr root, Expr x) { return findDigits(root, x).front(); }

  ExprContext context;
};

TEST_F(DigitsTest, EndsOfQuotientsAndRemainders) {
  Expr x = variable(24), four = number(4);
  EXPECT_EQ(find(x, x), DigitEnds());
  EXPECT_EQ(find(context.floorDiv(x, four), x), DigitEnds({4}));
  EXPECT_EQ(find(context.mod(x, four), x), DigitEnds({4}));
  EXPECT_EQ(find(context.mod(context.floorDiv(x, four), number(3)), x), DigitEnds({4, 12}));
  // A quotient of a remainder, whichever of the two the engine writes outside.
  EXPECT_EQ(find(context.floorDiv(context.mod(x, number(12)), four), x), DigitEnds({4, 12}));
}

TEST_F(DigitsTest, EndsInSums) {
  // 8 x + y over 16 is x over 2, as y is below 8.
  Expr x = variable(24), y = variable(8);
  Expr sum = context.add(context.mul(number(8), x), y);
  SmallVector<DigitEnds> both = findDigits(context.floorDiv(sum, number(16)), {x, y});
  EXPECT_EQ(both[0], DigitEnds({2}));
  EXPECT_EQ(both[1], DigitEnds());
}

TEST_F(DigitsTest, WhatIsNoDigitHasNoEnd) {
  Expr x = variable(24), y = variable(24);
  EXPECT_EQ(find(context.floorDiv(x, number(5)), x), DigitEnds());
  EXPECT_EQ(find(context.floorDiv(context.add(x, number(1)), number(4)), x), DigitEnds());
  EXPECT_EQ(find(context.floorDiv(x, y), x), DigitEnds());
  // Of another variable.
  EXPECT_EQ(find(context.floorDiv(y, number(4)), x), DigitEnds());
}

TEST_F(DigitsTest, EndsFormAChain) {
  DigitEnds ends;
  EXPECT_TRUE(joinDigits(ends, {12, 1, 60, 7}, 60));
  EXPECT_EQ(ends, DigitEnds({12}));
  EXPECT_FALSE(joinDigits(ends, {12, 10}, 60)) << "known, and neither divides the other";
  EXPECT_TRUE(joinDigits(ends, {2, 4, 6}, 60));
  EXPECT_EQ(ends, DigitEnds({2, 4, 12}));
  EXPECT_EQ(getDigitExtents(ends, 60), (SmallVector<int64_t, 3>{5, 3, 2, 2}));
  EXPECT_EQ(getDigitExtents({}, 60), (SmallVector<int64_t, 3>{60}));
}

TEST(DropAxis, AxesThatNoPositionDependsOn) {
  ShapeTracker rows = *View::get({4, 8}, {1, 0});
  EXPECT_EQ(rows.dropAxis(1), ShapeTracker::identity({4}));
  EXPECT_FALSE(rows.dropAxis(0));
  EXPECT_FALSE(ShapeTracker().dropAxis(0));
  // Of size one; the rest of a stack merges.
  EXPECT_EQ(ShapeTracker(*View::get({4, 1}, {1, 1})).dropAxis(1), ShapeTracker::identity({4}));
  // The mask goes with its axis only.
  ShapeTracker masked = *View::get({4, 8}, {1, 0}, 0, {{1, 4}, {2, 8}});
  EXPECT_EQ(masked.dropAxis(1), ShapeTracker(*View::get({4}, {1}, 0, {{1, 4}})));
}

} // namespace
