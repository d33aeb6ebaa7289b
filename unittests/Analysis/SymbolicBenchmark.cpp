// Throughput of the engine: building and simplifying random expressions of growing size. Not a test.
#include "RandomExpression.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace llvm;
using namespace tiny;
using namespace tiny::test;

static int64_t countNodes(const Tree &tree) {
  int64_t count = 1;
  for (const TreePtr &operand : {tree.a, tree.b, tree.c})
    count += operand ? countNodes(*operand) : 0;
  return count;
}

int main() {
  outs() << "   depth   expressions   nodes each   expressions/s      nodes/s\n";
  for (int depth : {2, 4, 6, 8, 10, 12, 14}) {
    std::mt19937 random(1);
    double seconds = 0;
    int64_t nodes = 0, count = 0;
    // Half a second of work at each size.
    while (seconds < 0.5 && count < 20000) {
      TreePtr tree = randomInteger(random, depth, 4);
      nodes += countNodes(*tree);
      ++count;
      auto start = std::chrono::steady_clock::now();
      ExprContext context;
      SmallVector<Expr> leaves;
      for (int k = 0; k < 4; ++k)
        leaves.push_back(context.leaf({0, 63}));
      context.simplify(tree->build(context, leaves));
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    outs() << format("%8d %13lld %12lld %15.0f %12.0f\n", depth, (long long)count, (long long)(nodes / count),
                     double(count) / seconds, double(nodes) / seconds);
  }
  return 0;
}
