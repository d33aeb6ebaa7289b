// Large expressions: no recursion follows them, and time grows with their size, not worse.
#include "RandomExpression.h"

#include "gtest/gtest.h"
#include <ctime>

using namespace llvm;
using namespace tiny;
using namespace tiny::test;

/// Of the processor: what else runs does not count.
static double millisecondsOf(function_ref<void()> work) {
  std::clock_t start = std::clock();
  work();
  return 1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC;
}

static void report(const char *what, int size, double milliseconds, double limit) {
  if (std::getenv("TINY_SCALE_PRINT"))
    std::printf("%-28s %7d %10.2f ms\n", what, size, milliseconds);
  EXPECT_LT(milliseconds, limit) << what << " of " << size;
}

TEST(SymbolicScale, LongSums) {
  for (int size : {100, 1000}) {
    double time = millisecondsOf([&] {
      ExprContext context;
      Expr total = context.constant(0);
      for (int k = 0; k < size; ++k)
        total = context.add(total, context.mul(context.leaf({0, 100}), context.constant(k + 1)));
      context.simplify(context.floorDiv(total, context.constant(7)));
    });
    report("sum of terms", size, time, 1000);
  }
}

TEST(SymbolicScale, SumsOfRemainders) {
  for (int size : {30, 100, 300}) {
    double time = millisecondsOf([&] {
      ExprContext context;
      Expr total = context.constant(0);
      for (int k = 0; k < size; ++k) {
        Expr x = context.leaf({0, 1000});
        total = context.add(total, context.mod(x, context.constant(5 + k % 7)));
        total = context.add(total, context.mul(context.floorDiv(x, context.constant(5 + k % 7)), context.constant(3)));
      }
      context.simplify(total);
    });
    report("sum of quotients", size, time, 3000);
  }
}

TEST(SymbolicScale, DeepDivisions) {
  for (int size : {1000, 30000}) {
    double time = millisecondsOf([&] {
      ExprContext context;
      Expr x = context.leaf({-1000000, 1000000}), y = context.leaf({2, 9});
      for (int k = 0; k < size; ++k)
        x = context.add(context.floorDiv(x, y), context.constant(k % 5));
      context.simplify(x);
    });
    report("nested division", size, time, 3000);
  }
}

TEST(SymbolicScale, DeepSelects) {
  for (int size : {50, 200}) {
    double time = millisecondsOf([&] {
      ExprContext context;
      Expr x = context.leaf({0, 1000000}), y = context.leaf();
      Expr result = y;
      for (int k = 0; k < size; ++k)
        result = context.select(context.lt(x, context.constant(1000 * k)), context.add(y, context.constant(k)), result);
      context.simplify(result);
    });
    report("nested select", size, time, 5000);
  }
}

TEST(SymbolicScale, LongConjunctions) {
  for (int size : {30, 100}) {
    double time = millisecondsOf([&] {
      ExprContext context;
      Expr result = context.condition(true);
      for (int k = 0; k < size; ++k) {
        Expr x = context.leaf({0, 100}), y = context.leaf({0, 100});
        result = context.logicalAnd(result, context.lt(context.add(x, y), context.constant(50)));
      }
      context.simplify(result);
    });
    report("conjunction", size, time, 5000);
  }
}

TEST(SymbolicScale, RandomTrees) {
  std::mt19937 random(5);
  int64_t nodes = 0, count = 0;
  double time = millisecondsOf([&] {
    for (int k = 0; k < 200; ++k) {
      TreePtr tree = randomInteger(random, 9, 4);
      ExprContext context;
      SmallVector<Expr> leaves;
      for (int n = 0; n < 4; ++n)
        leaves.push_back(context.leaf({0, 63}));
      Expr built = tree->build(context, leaves);
      context.simplify(built);
      nodes += int64_t(tree->str().size()) / 4;
      ++count;
    }
  });
  report("random trees, nodes in all", int(nodes), time, 20000);
}
