// Solves conditions on indices for one variable, and counts the places where they hold.
#include "Intervals.h"

#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace tiny::lazy {

bool Dependence::operator()(Expr root) {
  SmallVector<Expr> stack = {root};
  while (!stack.empty()) {
    Expr part = stack.back();
    bool ready = true, found = false;
    for (unsigned k = 0; k < part.size(); ++k) {
      auto operand = depends.find(part.operand(k).get());
      if (operand == depends.end()) {
        stack.push_back(part.operand(k));
        ready = false;
      } else {
        found |= operand->second;
      }
    }
    if (!ready)
      continue;
    depends.try_emplace(part.get(), found);
    stack.pop_back();
  }
  return depends.lookup(root.get());
}

SmallVector<Expr> membersOf(Expr condition) {
  SmallVector<Expr> members, stack = {condition};
  while (!stack.empty()) {
    Expr member = stack.pop_back_val();
    if (!member.is(ExprKind::And)) {
      members.push_back(member);
      continue;
    }
    for (unsigned k = 0; k < member.size(); ++k)
      stack.push_back(member.operand(k));
  }
  return members;
}

std::optional<Interval> solve(ExprContext &context, Expr condition, Expr variable, int64_t extent) {
  Dependence dependsOnVariable(variable);
  Interval result = {context.constant(0), context.constant(extent), context.condition(true)};
  for (Expr member : membersOf(condition)) {
    if (!dependsOnVariable(member)) {
      result.outer = context.logicalAnd(result.outer, member);
      continue;
    }
    bool isEquality = member.is(ExprKind::IsZero);
    if (!isEquality && !member.is(ExprKind::NonNegative))
      return std::nullopt;
    LinearForm rest = context.linear(member.operand(0));
    auto factor = static_cast<int64_t>(rest.coefficientOf(variable));
    rest.add(variable, -rest.coefficientOf(variable));
    Expr offset = context.sum(rest);
    if (factor == 0 || !offset || dependsOnVariable(offset) || (isEquality && factor != 1 && factor != -1))
      return std::nullopt;
    if (isEquality) {
      // r + c = 0 -> r = -c;   -r + c = 0 -> r = c
      Expr value = factor == 1 ? context.neg(offset) : offset;
      result.begin = context.max(result.begin, value);
      result.end = context.min(result.end, context.add(value, context.constant(1)));
    } else if (factor > 0) {
      // a * r + c >= 0 -> r >= ceil(-c / a) = -floor(c / a)   [a > 0]
      result.begin = context.max(result.begin, context.neg(context.floorDiv(offset, context.constant(factor))));
    } else {
      // -a * r + c >= 0 -> r <= floor(c / a)   [a > 0]
      Expr last = context.floorDiv(offset, context.constant(-factor));
      result.end = context.min(result.end, context.add(last, context.constant(1)));
    }
    if (!result.begin || !result.end || !result.outer)
      return std::nullopt;
  }
  return result;
}

Expr countPlaces(ExprContext &context, Expr condition, ArrayRef<Expr> indices, ArrayRef<int64_t> shape,
                 ArrayRef<int64_t> axes) {
  // The innermost axis first: an axis that a later one depends on must be solved after it.
  Expr count = context.constant(1);
  for (int64_t axis : llvm::reverse(axes)) {
    std::optional<Interval> interval = solve(context, condition, indices[axis], shape[axis]);
    if (!interval)
      return {};
    Expr length = context.max(context.sub(interval->end, interval->begin), context.constant(0));
    // What is left of the condition concerns the other axes; the length may not depend on one that is still to be
    // counted.
    for (int64_t other : axes)
      if (!length || Dependence(indices[other])(length))
        return {};
    count = context.mul(count, length);
    condition = interval->outer;
  }
  return count ? context.select(condition, count, context.constant(0)) : count;
}

} // namespace tiny::lazy
