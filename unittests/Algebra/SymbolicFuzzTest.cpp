// Random expressions against evaluation by definition. TINY_FUZZ_SEED and TINY_FUZZ_CASES widen the search by hand.
#include "RandomExpression.h"

#include "Tiny/Algebra/Steps.h"

#include "gtest/gtest.h"
#include <cstdlib>

using namespace llvm;
using namespace tiny;
using namespace tiny::test;

static int64_t fromEnvironment(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoll(text, nullptr, 10) : otherwise;
}

/// What goes wrong with a tree, or nothing.
static std::string check(const TreePtr &tree, ArrayRef<Bounds> bounds, const TreePtr &premise) {
  ExprContext context;
  SmallVector<Expr> leaves;
  for (Bounds b : bounds)
    leaves.push_back(context.leaf(b));
  Expr built = tree->build(context, leaves);
  if (std::string wrong = compareEverywhere(context, *tree, built, bounds, leaves); !wrong.empty())
    return "constructors: " + wrong;
  Expr simplified = context.simplify(built);
  if (std::string wrong = compareEverywhere(context, *tree, simplified, bounds, leaves); !wrong.empty())
    return "simplify: " + wrong;
  if (built && simplified && simplified.cost() > built.cost())
    return "simplify made it dearer: " + tree->str();
  if (!premise)
    return {};
  Expr condition = premise->build(context, leaves);
  if (!built || !condition)
    return {};
  Expr under = context.given(built, condition);
  if (std::string wrong = compareWhere(context, *tree, under, premise.get(), bounds, leaves); !wrong.empty())
    return "given " + premise->str() + ": " + wrong;
  return {};
}

TEST(SymbolicFuzz, EqualsDefinition) {
  std::mt19937 random(unsigned(fromEnvironment("TINY_FUZZ_SEED", 1)));
  int64_t cases = fromEnvironment("TINY_FUZZ_CASES", 4000);
  for (int64_t n = 0; n < cases; ++n) {
    int variables = 1 + int(random() % 3);
    SmallVector<Bounds> bounds;
    for (int k = 0; k < variables; ++k) {
      int64_t low = random() % 3 ? 0 : int64_t(random() % 12) - 8;
      bounds.push_back({low, low + int64_t(random() % (variables == 1 ? 40 : variables == 2 ? 14 : 7))});
    }
    int depth = 2 + int(random() % 4);
    TreePtr tree = random() % 3 ? randomInteger(random, depth, variables) : randomCondition(random, depth, variables);
    TreePtr premise = randomCondition(random, 1 + int(random() % 3), variables);
    std::string wrong = check(tree, bounds, premise);
    if (wrong.empty())
      continue;
    TreePtr small = minimize(tree, [&](const TreePtr &t) { return !check(t, bounds, premise).empty(); });
    std::string text = check(small, bounds, premise);
    for (Bounds b : bounds)
      text += " [" + std::to_string(b.low) + ", " + std::to_string(b.high) + "]";
    ADD_FAILURE() << "case " << n << ": " << text;
    if (::testing::Test::HasFailure() && n > 0)
      break;
  }
}

TEST(SymbolicFuzz, EqualsDefinitionWhicheverRulesAreStopped) {
  std::mt19937 random(unsigned(fromEnvironment("TINY_FUZZ_SEED", 1)));
  int64_t cases = fromEnvironment("TINY_FUZZ_CASES", 1000), asked = 0;
  for (int64_t n = 0; n < cases && !::testing::Test::HasFailure(); ++n) {
    SmallVector<Bounds> bounds{{0, 6}, {-3, 5}};
    TreePtr tree = n % 3 ? randomInteger(random, 4, 2) : randomCondition(random, 4, 2);
    // All are stopped, or some.
    std::mt19937 coin(static_cast<unsigned>(n));
    auto stop = [&](AlgebraStep, StringRef) {
      ++asked;
      return n % 2 != 0 && coin() % 2 != 0;
    };
    StepListener listener = stop;
    ListenToSteps listening(listener);
    ExprContext context;
    SmallVector<Expr> leaves;
    for (Bounds b : bounds)
      leaves.push_back(context.leaf(b));
    Expr built = tree->build(context, leaves);
    EXPECT_EQ(compareEverywhere(context, *tree, built, bounds, leaves), "") << "case " << n;
    EXPECT_EQ(compareEverywhere(context, *tree, context.simplify(built), bounds, leaves), "") << "case " << n;
  }
  EXPECT_GT(asked, 0);
}
