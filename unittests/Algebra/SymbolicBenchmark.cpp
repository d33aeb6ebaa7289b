// Throughput of the engine, and its growth with the size of an expression. Not a test.
//
// usage: tiny-benchmark-symbolic [nodes at most, 100000 if not given]
#include "RandomExpression.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>

using namespace llvm;
using namespace tiny;
using namespace tiny::test;

static double secondsOf(function_ref<void()> work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static int64_t countNodes(const Tree &tree) {
  int64_t count = 1;
  for (const TreePtr &operand : {tree.a, tree.b, tree.c})
    count += operand ? countNodes(*operand) : 0;
  return count;
}

/// Random trees of one depth, as many as half a second takes.
static void showThroughput() {
  outs() << "random expressions\n   depth   expressions   nodes each   expressions/s      nodes/s\n";
  for (int depth : {2, 4, 6, 8, 10, 12, 14}) {
    std::mt19937 random(1);
    double seconds = 0;
    int64_t nodes = 0, count = 0;
    while (seconds < 0.5 && count < 20000) {
      TreePtr tree = randomInteger(random, depth, 4);
      nodes += countNodes(*tree);
      ++count;
      seconds += secondsOf([&] {
        ExprContext context;
        SmallVector<Expr> leaves;
        for (int k = 0; k < 4; ++k)
          leaves.push_back(context.leaf({0, 63}));
        context.simplify(tree->build(context, leaves));
      });
    }
    outs() << format("%8d %13lld %12lld %15.0f %12.0f\n", depth, (long long)count, (long long)(nodes / count),
                     double(count) / seconds, double(nodes) / seconds);
  }
}

namespace {
/// Builds and simplifies one expression of about so many nodes.
struct Family {
  const char *name;
  void (*run)(int64_t nodes);
};
} // namespace

/// Every quotient of the sum finds its remainder, so that each pair becomes its number: five nodes a pair.
static void runQuotientSum(int64_t nodes) {
  ExprContext context;
  LinearForm form;
  for (int64_t k = 0; k < nodes / 5; ++k) {
    Expr x = context.leaf({0, 1000}), d = context.constant(5 + k % 7);
    form.add(context.mod(x, d), 1);
    form.add(context.floorDiv(x, d), 5 + k % 7);
  }
  context.simplify(context.sum(form));
}

/// Nothing combines; the terms are of few kinds and many variables.
static void runMixedSum(int64_t nodes) {
  ExprContext context;
  LinearForm form;
  for (int64_t k = 0; k < nodes / 5; ++k) {
    Expr x = context.leaf({0, 1000});
    form.add(context.mod(x, context.constant(5 + k % 7)), 1);
    form.add(context.floorDiv(x, context.constant(5 + k % 7)), 3);
  }
  context.simplify(context.floorDiv(context.sum(form), context.constant(64)));
}

static void runNestedDivisions(int64_t nodes) {
  ExprContext context;
  Expr x = context.leaf({-1000000, 1000000}), y = context.leaf({2, 9});
  for (int64_t k = 0; k < nodes / 2; ++k)
    x = context.add(context.floorDiv(x, y), context.constant(k % 5));
  context.simplify(x);
}

static void runNestedSelects(int64_t nodes) {
  ExprContext context;
  Expr x = context.leaf({0, kIndexLimit}), y = context.leaf({0, 1000});
  Expr result = y;
  for (int64_t k = 0; k < nodes / 3; ++k)
    result = context.select(context.lt(x, context.constant(1000 * k)), context.add(y, context.constant(k)), result);
  context.simplify(result);
}

/// Pairs of expressions joined until one is left.
static Expr joinAll(SmallVector<Expr> parts, function_ref<Expr(Expr, Expr)> join) {
  while (parts.size() > 1) {
    SmallVector<Expr> next;
    for (size_t k = 0; k + 1 < parts.size(); k += 2)
      next.push_back(join(parts[k], parts[k + 1]));
    if (parts.size() % 2)
      next.push_back(parts.back());
    parts = std::move(next);
  }
  return parts[0];
}

static void runConjunction(int64_t nodes) {
  ExprContext context;
  SmallVector<Expr> members;
  for (int64_t k = 0; k < nodes / 3; ++k)
    members.push_back(context.lt(context.add(context.leaf({0, 100}), context.leaf({0, 100})), context.constant(50)));
  context.simplify(joinAll(members, [&](Expr a, Expr b) { return context.logicalAnd(a, b); }));
}

/// Random trees under a tree of maxima.
static void runRandomTrees(int64_t nodes) {
  std::mt19937 random(1);
  ExprContext context;
  SmallVector<Expr> leaves, parts;
  for (int k = 0; k < 8; ++k)
    leaves.push_back(context.leaf({0, 63}));
  for (int64_t made = 0; made < nodes;) {
    TreePtr tree = randomInteger(random, 9, 8);
    made += countNodes(*tree) + 1;
    if (Expr part = tree->build(context, leaves))
      parts.push_back(part);
  }
  context.simplify(joinAll(parts, [&](Expr a, Expr b) { return context.max(a, b); }));
}

int main(int argc, char **argv) {
  int64_t most = argc > 1 ? std::atoll(argv[1]) : 100000;
  showThroughput();
  static const Family families[] = {{"sum of x // d and x mod d", runQuotientSum},
                                    {"sum that stays", runMixedSum},
                                    {"nested divisions", runNestedDivisions},
                                    {"nested selects", runNestedSelects},
                                    {"conjunction", runConjunction},
                                    {"random trees", runRandomTrees}};
  outs() << "\none expression of n nodes: milliseconds, and the power of n between two sizes\n";
  for (const Family &family : families) {
    outs() << format("%-26s", family.name);
    double last = 0;
    for (int64_t nodes = 100; nodes <= most && last < 20; nodes *= 10) {
      double seconds = secondsOf([&] { family.run(nodes); });
      outs() << format(" %7lld: %9.2f", (long long)nodes, seconds * 1000);
      if (last > 0)
        outs() << format(" (%.2f)", std::log10(seconds / last));
      last = seconds;
    }
    outs() << "\n";
  }
  return 0;
}
