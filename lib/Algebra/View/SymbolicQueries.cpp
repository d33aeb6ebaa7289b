// What is asked of a whole family of trackers: its value at a point, its strides, its inverse.
#include "../Symbolic/Traversal.h"
#include "Tiny/Algebra/View/SymbolicView.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

std::optional<int64_t> SymbolicTracker::evaluate(ArrayRef<int64_t> values, ArrayRef<int64_t> indices) const {
  assert(isValid() && values.size() == bounds.size() && indices.size() == shape().size() &&
         "a value per symbol and an index per axis of a valid tracker");
  SmallVector<int64_t> at(indices);
  int64_t position = 0;
  for (size_t k = stack.size(); k-- > 0;) {
    const SymbolicView &view = stack[k];
    if (k + 1 < stack.size()) {
      // The view above reads this one's row-major elements.
      at.assign(view.getRank(), 0);
      for (size_t axis = view.getRank(); axis-- > 0;) {
        std::optional<int64_t> size = view.getShape()[axis].evaluate(values);
        if (!size || *size == 0)
          return std::nullopt;
        at[axis] = position % *size;
        position /= *size;
      }
    }
    std::optional<int64_t> offset = view.getOffset().evaluate(values);
    if (!offset)
      return std::nullopt;
    LinearForm::Wide sum = *offset;
    for (auto [axis, index] : enumerate(at)) {
      std::optional<int64_t> stride = view.getStrides()[axis].evaluate(values);
      if (!stride)
        return std::nullopt;
      sum += LinearForm::Wide(*stride) * index;
      if (!view.hasMask())
        continue;
      std::optional<int64_t> begin = view.getMask()[axis].begin.evaluate(values),
                             end = view.getMask()[axis].end.evaluate(values);
      if (!begin || !end || index < *begin || index >= *end)
        return std::nullopt;
    }
    position = int64_t(sum);
  }
  return position;
}

/// Whether an expression depends on a leaf.
static bool dependsOn(Expr expression, Expr leaf) { return is_contained(postorder(expression), leaf.get()); }

/// What the leaf is multiplied by in a term, as a polynomial of the symbols; none where the term is no such product.
static std::optional<Dim> coefficientIn(Expr atom, Expr leaf, ArrayRef<Expr> symbols) {
  if (atom == leaf)
    return Dim(1);
  if (!atom.is(ExprKind::Product))
    return std::nullopt;
  Dim result = 1;
  unsigned found = 0;
  for (const ExprNode *factor : atom->operands) {
    if (factor == leaf.get()) {
      ++found;
      continue;
    }
    auto *symbol = find(symbols, Expr(factor));
    if (symbol == symbols.end())
      return std::nullopt;
    result = result * Dim::symbol(symbol - symbols.begin());
  }
  return found == 1 ? std::optional(result) : std::nullopt;
}

SmallVector<std::optional<Dim>> SymbolicTracker::getRealStrides() const {
  assert(isValid() && "of a valid tracker");
  ExprContext context;
  SmallVector<Expr> symbols, leaves;
  for (Bounds b : bounds)
    symbols.push_back(context.leaf(b));
  for (const Dim &size : shape()) {
    std::optional<Bounds> range = size.range(bounds);
    leaves.push_back(context.leaf({0, std::max<int64_t>(range ? range->high - 1 : kIndexLimit, 0)}));
  }
  SmallVector<std::optional<Dim>> strides(shape().size());
  IndexAndValidity at = toIndex(context, symbols, leaves);
  if (!at.index || !at.valid)
    return strides;
  LinearForm form = context.linear(at.index);
  for (auto [axis, leaf] : enumerate(leaves)) {
    if (dependsOn(at.valid, leaf))
      continue;
    std::optional<Dim> stride = Dim(0);
    for (const LinearForm::Term &term : form.terms) {
      if (!stride || !dependsOn(term.atom, leaf))
        continue;
      std::optional<Dim> coefficient = coefficientIn(term.atom, leaf, symbols);
      stride = coefficient ? std::optional(*stride + *coefficient * Dim(int64_t(term.coefficient))) : std::nullopt;
    }
    strides[axis] = stride;
  }
  return strides;
}

std::optional<SymbolicView> SymbolicView::invert(ArrayRef<Bounds> symbols) const {
  if (hasMask())
    return std::nullopt;
  // From the innermost axis out, each stride is the number of elements inside of it; single elements stand outside.
  SmallVector<int64_t> flipped, order, units;
  SmallVector<bool> taken(shape.size(), false);
  for (auto [axis, size] : enumerate(shape))
    if (size == Dim(1)) {
      units.push_back(axis);
      taken[axis] = true;
    }
  Dim inside = 1;
  while (order.size() + units.size() < shape.size()) {
    size_t axis = 0;
    while (axis < shape.size() && (taken[axis] || (strides[axis] != inside && strides[axis] != Dim(0) - inside)))
      ++axis;
    if (axis == shape.size())
      return std::nullopt;
    if (strides[axis] != inside)
      flipped.push_back(axis);
    taken[axis] = true;
    order.insert(order.begin(), int64_t(axis));
    inside = inside * shape[axis];
  }
  order.insert(order.begin(), units.begin(), units.end());
  auto apply = [&](std::optional<SymbolicView> view) {
    view = view ? view->flip(symbols, flipped).view : std::nullopt;
    return view ? view->permute(symbols, order).view : std::nullopt;
  };
  std::optional<SymbolicView> sorted = apply(*this);
  return sorted && sorted->isContiguous() ? apply(contiguous(symbols, shape)) : std::nullopt;
}

SymbolicTracker SymbolicTracker::invert(ArrayRef<Dim> outShape) const {
  if (!isValid())
    return *this;
  // (a o b)^-1 = b^-1 o a^-1: the last view's inverse stands next to what was the consumer.
  SmallVector<SymbolicView> inverses;
  for (size_t k = stack.size(); k-- > 0;) {
    std::optional<SymbolicView> inverse = stack[k].invert(bounds);
    if (!inverse)
      return failed("a view that loses or repeats elements, or might, has no inverse");
    inverses.push_back(std::move(*inverse));
  }
  SymbolicTracker result = fromViews(bounds, inverses);
  return result ? result.reshape(outShape) : result;
}
