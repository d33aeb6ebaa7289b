// From a tracker to index and validity expressions.
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

/// Position and validity of one view at an index tuple.
static void applyView(ExprContext &context, const View &view, ArrayRef<Expr> indices, Expr &position, Expr &valid) {
  LinearForm form;
  form.constant = view.getOffset();
  for (auto [axis, index] : enumerate(indices)) {
    if (!index) {
      position = {};
      return;
    }
    form.add(context.linear(index), view.getStrides()[axis]);
    if (!view.isAxisMasked(axis))
      continue;
    MaskInterval interval = view.getMask()[axis];
    valid = context.logicalAnd(valid, context.ge(index, context.constant(interval.begin)));
    valid = context.logicalAnd(valid, context.lt(index, context.constant(interval.end)));
  }
  position = context.sum(form);
}

IndexAndValidity ShapeTracker::toIndex(ExprContext &context, ArrayRef<Expr> indices) const {
  assert(isValid() && indices.size() == size_t(rank()) && "one index per axis of a valid tracker");
  Expr position, valid = context.condition(true);
  applyView(context, stack.back(), indices, position, valid);
  for (size_t k = stack.size() - 1; k-- > 0;) {
    // Join axes first: each that remains costs a division and a modulo.
    View view = joinAxes(stack[k]);
    if (!position)
      return {};
    // Under its validity the position lies inside the view below, so that the topmost digit needs no modulo.
    Expr inside = context.refinedLeaf(
        position, {std::max<int64_t>(position->low, 0), std::min<int64_t>(position->high, view.getNumElements() - 1)});
    bool isNarrower = inside.bounds() == position.bounds() ? false : inside->low <= inside->high;
    Expr from = isNarrower ? inside : position;
    SmallVector<Expr> digits(view.getRank());
    int64_t below = 1;
    for (int64_t axis = view.getRank(); axis-- > 0;) {
      Expr digit = context.floorDiv(from, context.constant(below));
      if (axis > 0)
        digit = context.mod(digit, context.constant(view.getShape()[axis]));
      digits[axis] = digit;
      below *= view.getShape()[axis];
    }
    Expr next, condition = context.condition(true);
    applyView(context, view, digits, next, condition);
    if (isNarrower) {
      DenseMap<const ExprNode *, Expr> back{{inside.get(), position}};
      next = context.substitute(next, back);
      condition = context.substitute(condition, back);
    }
    position = next;
    valid = context.logicalAnd(valid, condition);
  }
  valid = context.simplify(valid);
  position = context.simplify(position);
  if (position && valid)
    position = context.given(position, valid);
  return {position, valid};
}

SmallVector<std::optional<int64_t>> ShapeTracker::getRealStrides() const {
  ExprContext context;
  SmallVector<Expr> ranges;
  for (int64_t size : shape())
    ranges.push_back(context.leaf({0, std::max<int64_t>(size - 1, 0)}));
  SmallVector<std::optional<int64_t>> result(rank(), std::nullopt);
  IndexAndValidity at = toIndex(context, ranges);
  if (!at.index || !at.valid)
    return result;
  // Which leaves occur in an expression.
  auto occurs = [&](Expr expression, Expr leaf) {
    SmallVector<const ExprNode *> stack{expression.get()};
    DenseMap<const ExprNode *, char> seen;
    while (!stack.empty()) {
      const ExprNode *node = stack.pop_back_val();
      if (!seen.try_emplace(node, 1).second)
        continue;
      if (node == leaf.get())
        return true;
      stack.append(node->operands.begin(), node->operands.end());
    }
    return false;
  };
  LinearForm form = context.linear(at.index);
  for (size_t axis = 0; axis < ranges.size(); ++axis) {
    Expr range = ranges[axis];
    if (occurs(at.valid, range))
      continue;
    LinearForm rest = form;
    LinearForm::Wide stride = form.coefficientOf(range);
    rest.add(range, -stride);
    if (none_of(rest.terms, [&](const LinearForm::Term &term) { return occurs(term.atom, range); }))
      result[axis] = int64_t(stride);
  }
  return result;
}
