// What the engine makes of one expression each: the same node as the expected one.
#include "RuleFormula.h"
#include "Tiny/Algebra/Symbolic/Exact.h"
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tiny;
using namespace tiny::test;

namespace {
struct Case {
  const char *name;
  const char *bounds; // "x 0 7 y -3 3"; a condition is P, Q or R
  const char *from;
  const char *to;
};

Expr build(ExprContext &context, const Formula &formula, const std::map<std::string, Expr> &leaves) {
  if (formula.op == "number")
    return context.constant(formula.value);
  if (formula.operands.empty())
    return leaves.at(formula.op);
  SmallVector<Expr, 3> v;
  for (const FormulaPtr &operand : formula.operands)
    v.push_back(build(context, *operand, leaves));
  const std::string &op = formula.op;
  if (op == "+")
    return context.add(v[0], v[1]);
  if (op == "-")
    return context.sub(v[0], v[1]);
  if (op == "*")
    return context.mul(v[0], v[1]);
  if (op == "neg")
    return context.neg(v[0]);
  if (op == "//")
    return context.floorDiv(v[0], v[1]);
  if (op == "%")
    return context.mod(v[0], v[1]);
  if (op == "cdiv")
    return context.truncDiv(v[0], v[1]);
  if (op == "rem")
    return context.truncRem(v[0], v[1]);
  if (op == "min")
    return context.min(v[0], v[1]);
  if (op == "max")
    return context.max(v[0], v[1]);
  if (op == "ite")
    return context.select(v[0], v[1], v[2]);
  if (op == "and")
    return context.logicalAnd(v[0], v[1]);
  if (op == "or")
    return context.logicalOr(v[0], v[1]);
  if (op == "xor")
    return context.logicalXor(v[0], v[1]);
  if (op == "not")
    return context.logicalNot(v[0]);
  if (op == "<")
    return context.lt(v[0], v[1]);
  if (op == "<=")
    return context.le(v[0], v[1]);
  if (op == ">")
    return context.gt(v[0], v[1]);
  if (op == ">=")
    return context.ge(v[0], v[1]);
  if (op == "==")
    return context.eq(v[0], v[1]);
  return context.ne(v[0], v[1]);
}

std::map<std::string, Expr> makeLeaves(ExprContext &context, StringRef bounds) {
  std::map<std::string, Expr> leaves;
  SmallVector<StringRef> words;
  bounds.split(words, ' ', -1, false);
  for (size_t k = 0; k < words.size();) {
    if (isupper(words[k][0])) {
      leaves[words[k++].str()] = context.conditionLeaf();
      continue;
    }
    int64_t low = 0, high = 0;
    words[k + 1].getAsInteger(10, low);
    words[k + 2].getAsInteger(10, high);
    leaves[words[k].str()] = context.leaf({low, high});
    k += 3;
  }
  return leaves;
}

class Simplifies : public ::testing::TestWithParam<Case> {};
} // namespace

TEST_P(Simplifies, To) {
  const Case &c = GetParam();
  ExprContext context;
  std::map<std::string, Expr> leaves = makeLeaves(context, c.bounds);
  Expr from = context.simplify(build(context, *parseFormula(c.from), leaves));
  Expr to = context.simplify(build(context, *parseFormula(c.to), leaves));
  std::string text;
  raw_string_ostream os(text);
  context.print(from, os);
  EXPECT_EQ(from, to) << c.from << " became " << text;
}

static const Case cases[] = {
    {"CollectsTerms", "x -9 9 y -9 9", "x*3 + y - x - y + x", "x*3"},
    {"DistributesConstants", "x -9 9 y -9 9", "(x + y*2 - 1)*3", "x*3 + y*6 - 3"},
    {"CancelsDifferences", "x -9 9 y -9 9", "(x + y) - (y + x)", "0"},
    {"DividesExactTerms", "x -9 9 y -9 9", "(x*6 + y) // 3", "x*2 + y // 3"},
    {"DropsSmallRemainder", "x 0 9 y 0 2", "(x*3 + y) // 3", "x"},
    {"KeepsSmallRemainder", "x 0 9 y 0 2", "(x*3 + y) % 3", "y"},
    {"SplitsByAFactor", "x 0 99 y 0 3", "(x*4 + y) // 20", "x // 5"},
    {"SplitsRemainderByAFactor", "x 0 99 y 0 3", "(x*4 + y) % 20", "(x % 5)*4 + y"},
    {"NestedDivisions", "x -99 99", "((x // 3) // 5) // 2", "x // 30"},
    {"NestedDivisionWithOffset", "x -99 99", "(x // 3 + 2) // 5", "(x + 6) // 15"},
    {"QuotientOfRemainder", "x -99 99", "(x % 24) // 4", "(x // 4) % 6"},
    {"RemainderOfRemainder", "x -99 99", "(x % 24) % 4", "x % 4"},
    {"ThreeDigits", "x -999 999", "(x // 35)*35 + ((x // 7) % 5)*7 + x % 7", "x"},
    {"WiderRemainder", "x -999 999", "((x // 7) % 5)*7 + x % 7", "x % 35"},
    {"ShiftedDigits", "x 0 200", "((x + 3) // 8)*8 + (x + 3) % 8", "x + 3"},
    {"ScaledDigits", "x -99 99", "(x // 8)*24 + (x % 8)*3", "x*3"},
    {"RemainderByQuotient", "x -99 99", "x - (x // 6)*6", "x % 6"},
    {"NegativeDivisor", "x -99 99", "x // -4", "(-x) // 4"},
    {"CeilingIsFloor", "x 0 99", "-((-x) // 4)", "(x + 3) // 4"},
    {"TwoValuesAreLinear", "x 4 5", "(x*7) % 10", "x*-3 + 20"},
    {"SymbolicCancel", "x 0 9 y 1 9 z 1 9", "(x*y) // (z*y)", "x // z"},
    {"SymbolicWhole", "x 0 9 y 1 9 z 0 9", "(x*y + z) // y", "x + z // y"},
    {"SymbolicRemainder", "x 0 9 y 1 9 z 0 9", "(x*y + z) % y", "z % y"},
    {"BelowSymbol", "x 0 9 y 10 19", "x % y", "x"},
    {"TruncationOfPositive", "x 0 99", "cdiv(x, 4)", "x // 4"},
    {"TruncationOfNegative", "x -99 0", "cdiv(x, 4)", "-((-x) // 4)"},
    {"TruncationNests", "x -99 99", "cdiv(cdiv(x, 3), 4)", "cdiv(x, 12)"},
    {"RemainderWithSign", "x -3 3", "rem(x, 5)", "x"},
    {"CompareDropsSmallPart", "x 0 99 y 0 3", "x*4 + y < 40", "x < 10"},
    {"CompareDropsDivision", "x -99 99 y -9 9", "x // 4 < y", "x < y*4"},
    {"CompareByBounds", "x 0 9 y 10 19", "x < y", "1 == 1"},
    {"CompareSaturates", "x 0 9 y 0 9", "x*5 + y*7 > 0", "x + y > 0"},
    {"CompareWindow", "x 0 12", "(x + 11) % 14 < 11", "x >= 3"},
    {"EqualityOfDigit", "x 0 31", "x // 8 == 0", "x < 8"},
    {"EqualityIsImpossible", "x -9 9", "x*4 == 6", "1 == 0"},
    {"IntervalIsEmpty", "x -99 99", "x > 4 and x < 5", "1 == 0"},
    {"IntervalIsAPoint", "x -99 99", "x > 4 and x < 6", "x == 5"},
    {"IntervalsCover", "x -99 99", "x > 4 or x < 9", "1 == 1"},
    {"StrongestWins", "x -99 99", "x > 4 and x > 7", "x > 7"},
    {"DeMorgan", "P Q", "not (P and not Q)", "(not P) or Q"},
    {"Absorbs", "P Q", "P or (P and Q)", "P"},
    {"MembersUnderEachOther", "x 0 40", "x < 8 and (x // 8)*3 + x < 20", "x < 8"},
    {"SelectOfSame", "P x 0 9", "ite(P, x, x)", "x"},
    {"SelectIsMinimum", "x -9 9 y -9 9", "ite(x < y, x, y)", "min(x, y)"},
    {"SelectsJoin", "P x 0 9 y 0 9", "ite(P, x, 0) + ite(P, 0, y)", "ite(P, x, y)"},
    {"BranchUnderCondition", "x 0 31", "ite(x < 8, x % 8, x // 64)", "ite(x < 8, x, 0)"},
    {"MinimumByBounds", "x 0 9 y 9 19", "min(x, y)", "x"},
    {"MinimumOfShifted", "x -99 99", "min(x + 3, x + 5)", "x + 3"},
    {"Hermite", "x -99 99", "x // 3 + (x + 1) // 3 + (x + 2) // 3", "x"},
    {"PadThenSlice", "x 0 7 y 0 3", "((x*4 + y + 4) // 4) - 1", "x"},
};
INSTANTIATE_TEST_SUITE_P(Symbolic, Simplifies, ::testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Symbolic, OverflowIsNullNotWrapped) {
  ExprContext context;
  Expr x = context.leaf();
  Expr big = context.constant(kIndexLimit / 2);
  EXPECT_FALSE(context.mul(context.mul(x, big), context.constant(4)));
  EXPECT_FALSE(context.add(context.constant(kIndexLimit), context.constant(1)));
  EXPECT_FALSE(context.add(context.mul(context.mul(x, big), context.constant(4)), x));
  EXPECT_FALSE(context.floorDiv(x, context.constant(0)));
}

TEST(Symbolic, IndexUnderItsGate) {
  ExprContext context;
  std::map<std::string, Expr> v = makeLeaves(context, "x 0 4 y 0 3");
  Expr gate = build(context, *parseFormula("x*4 + y >= 19"), v);
  EXPECT_EQ(context.given(build(context, *parseFormula("x*4 + y - 19"), v), gate), context.constant(0));
  // A premise that never holds lets anything stand.
  Expr never = build(context, *parseFormula("x + y > 90"), v);
  EXPECT_TRUE(never.isFalse());
}

TEST(Bitwise, BoundsHoldAtTheLimit) {
  ExprContext context;
  Expr any = context.leaf(), other = context.leaf(), natural = context.leaf({0, kIndexLimit});
  Expr mixed = context.bitXor(any, other), ones = context.bitOr(natural, context.constant(1));
  EXPECT_EQ(mixed->low, -kIndexLimit);
  EXPECT_EQ(mixed->high, kIndexLimit);
  EXPECT_EQ(ones->high, kIndexLimit);
}

TEST(Exact, DecidesWhatBoundsDoNot) {
  ExprContext context;
  std::map<std::string, Expr> v = makeLeaves(context, "x 0 100 y 0 100");
  // x + x // 2 takes every value but those that are 2 modulo 3.
  Satisfaction never = satisfy(context, build(context, *parseFormula("x + x // 2 == 50"), v));
  EXPECT_EQ(never.verdict, Satisfaction::Verdict::Never);
  Satisfaction somewhere =
      satisfy(context, build(context, *parseFormula("x*3 + y*5 == 7 or x // 7 == y and x % 7 == 6 and y > 9"), v));
  ASSERT_EQ(somewhere.verdict, Satisfaction::Verdict::Somewhere);
  // No multiple of 6 is one more than a multiple of 4.
  EXPECT_EQ(satisfy(context, build(context, *parseFormula("x*6 == y*4 + 1"), v)).verdict, Satisfaction::Verdict::Never);
  // A product is no linear arithmetic.
  EXPECT_NE(satisfy(context, build(context, *parseFormula("x*y == 9991"), v)).verdict,
            Satisfaction::Verdict::Somewhere);
}
