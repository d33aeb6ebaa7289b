// Whether two trackers reach a position both.
#include "Tiny/Algebra/Symbolic/Exact.h"

using namespace llvm;
using namespace tiny;

static IndexAndValidity reach(ExprContext &context, const ShapeTracker &tracker) {
  SmallVector<Expr> indices;
  for (int64_t size : tracker.shape())
    indices.push_back(size == 1 ? context.constant(0) : context.leaf({0, size - 1}));
  return tracker.toIndex(context, indices);
}

bool tiny::areDisjoint(const ShapeTracker &a, const ShapeTracker &b) {
  if (a.numElements() == 0 || b.numElements() == 0)
    return true;
  ExprContext context;
  IndexAndValidity first = reach(context, a), second = reach(context, b);
  if (!first.index || !first.valid || !second.index || !second.valid)
    return false;
  Expr meets = context.logicalAnd(context.logicalAnd(first.valid, second.valid), context.eq(first.index, second.index));
  return meets && satisfy(context, meets).verdict == Satisfaction::Verdict::Never;
}
