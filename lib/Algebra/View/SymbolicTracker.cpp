// A stack of symbolic views: movement, binding, and the way to index expressions.
#include "Tiny/Algebra/View/SymbolicView.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

SymbolicTracker SymbolicTracker::failed(std::string why) {
  SymbolicTracker result;
  result.failure = std::move(why);
  return result;
}

SymbolicTracker SymbolicTracker::identity(ArrayRef<Bounds> symbols, ArrayRef<Dim> shape) {
  std::optional<SymbolicView> view = SymbolicView::contiguous(symbols, shape);
  if (!view)
    return failed("a size may be negative, or the number of elements may reach 2^62");
  return fromViews(symbols, {*view});
}

SymbolicTracker SymbolicTracker::fromViews(ArrayRef<Bounds> symbols, ArrayRef<SymbolicView> views) {
  if (any_of(symbols, [](Bounds bounds) { return bounds.low > bounds.high; }))
    return failed("a symbol has no value");
  for (size_t k = 1; k < views.size(); ++k) {
    if (views[k].isAllMasked() || is_contained(views[k].getShape(), Dim(0)))
      continue;
    Dim count = views[k - 1].getNumElements();
    bool isInside;
    if (std::optional<std::pair<Dim, Dim>> extremes = views[k].getExtremes(symbols)) {
      isInside = extremes->first.isNonNegative(symbols) && (count - 1 - extremes->second).isNonNegative(symbols);
    } else {
      std::optional<Bounds> range = views[k].getRange(symbols), counts = count.range(symbols);
      isInside = range && counts && range->low >= 0 && range->high < counts->low;
    }
    if (!isInside)
      return failed("view " + std::to_string(k) + " may reach outside the one below it");
  }
  SymbolicTracker tracker;
  tracker.bounds.assign(symbols.begin(), symbols.end());
  tracker.stack.assign(views.begin(), views.end());
  return tracker;
}

SymbolicTracker SymbolicTracker::fromStatic(ArrayRef<Bounds> symbols, const ShapeTracker &tracker) {
  if (!tracker.isValid())
    return {};
  SymbolicTracker result;
  result.bounds.assign(symbols.begin(), symbols.end());
  for (const View &view : tracker.views())
    result.stack.push_back(SymbolicView::fromStatic(view));
  return result;
}

SymbolicTracker SymbolicTracker::moved(function_ref<SymbolicMove(const SymbolicView &)> move) const {
  if (!isValid())
    return *this;
  SymbolicTracker result = *this;
  SymbolicMove outcome = move(stack.back());
  if (!outcome.view && outcome.failure.empty()) {
    // The last view can not say it for all values: one without a mask on top of it can.
    std::optional<SymbolicView> plain = SymbolicView::contiguous(bounds, shape());
    outcome = plain ? move(*plain) : SymbolicMove();
    result.stack.push_back(stack.back());
  }
  if (!outcome.view)
    return failed(outcome.failure.empty() ? "a number may reach 2^62 for some value of the symbols" : outcome.failure);
  result.stack.back() = std::move(*outcome.view);
  return result.stack.size() == 1 ? result : result.simplify();
}

SymbolicTracker SymbolicTracker::reshape(ArrayRef<Dim> newShape) const {
  if (!isValid())
    return *this;
  SymbolicMove outcome = stack.back().reshape(bounds, newShape);
  if (!outcome.failure.empty())
    return failed(outcome.failure);
  std::optional<SymbolicView> regrouped = SymbolicView::contiguous(bounds, newShape);
  if (!regrouped)
    return failed("a number may reach 2^62 for some value of the symbols");
  SymbolicTracker result = *this;
  result.stack.push_back(std::move(*regrouped));
  return result.simplify();
}

SymbolicTracker SymbolicTracker::expand(ArrayRef<Dim> newShape) const {
  return moved([&](const SymbolicView &view) { return view.expand(bounds, newShape); });
}
SymbolicTracker SymbolicTracker::permute(ArrayRef<int64_t> permutation) const {
  return moved([&](const SymbolicView &view) { return view.permute(bounds, permutation); });
}
SymbolicTracker SymbolicTracker::pad(ArrayRef<Dim> low, ArrayRef<Dim> high) const {
  return moved([&](const SymbolicView &view) { return view.pad(bounds, low, high); });
}
SymbolicTracker SymbolicTracker::shrink(ArrayRef<Dim> begin, ArrayRef<Dim> end) const {
  return moved([&](const SymbolicView &view) { return view.shrink(bounds, begin, end); });
}
SymbolicTracker SymbolicTracker::flip(ArrayRef<int64_t> axes) const {
  return moved([&](const SymbolicView &view) { return view.flip(bounds, axes); });
}

SymbolicTracker SymbolicTracker::compose(const SymbolicTracker &outer) const {
  if (!isValid() || !outer.isValid())
    return isValid() ? outer : *this;
  if (bounds != outer.bounds)
    return failed("the trackers are over different symbols");
  SmallVector<SymbolicView> views(stack);
  views.append(outer.stack.begin(), outer.stack.end());
  SymbolicTracker result = fromViews(bounds, views);
  return result ? result.simplify() : result;
}

SymbolicTracker SymbolicTracker::simplify() const {
  SymbolicTracker result = *this;
  SmallVectorImpl<SymbolicView> &views = result.stack;
  for (size_t k = views.size(); k-- > 1;) {
    std::optional<SymbolicView> merged = mergeViews(bounds, views[k - 1], views[k]);
    if (!merged)
      continue;
    views[k - 1] = std::move(*merged);
    views.erase(views.begin() + k);
    // The merged view may merge with the view above it, too.
    k = views.size();
  }
  return result;
}

std::optional<Bounds> SymbolicTracker::getRange() const {
  if (any_of(stack, [&](const SymbolicView &view) { return !view.getRange(bounds); }))
    return std::nullopt;
  return stack.front().getRange(bounds);
}

ShapeTracker SymbolicTracker::bind(ArrayRef<int64_t> values) const {
  assert(values.size() == bounds.size() && "a value for each symbol");
  SmallVector<View> views;
  for (const SymbolicView &view : stack) {
    std::optional<View> bound = view.bind(values);
    if (!bound)
      return {};
    views.push_back(std::move(*bound));
  }
  return ShapeTracker::fromViews(views);
}

std::optional<ShapeTracker> SymbolicTracker::toStatic() const {
  SmallVector<View> views;
  for (const SymbolicView &view : stack) {
    std::optional<View> only = view.toStatic();
    if (!only)
      return std::nullopt;
    views.push_back(std::move(*only));
  }
  return ShapeTracker::fromViews(views);
}

/// Position and validity of one view at an index tuple.
static void applyView(ExprContext &context, const SymbolicView &view, ArrayRef<Expr> symbols, ArrayRef<Expr> indices,
                      Expr &position, Expr &valid) {
  position = view.getOffset().toExpr(context, symbols);
  for (auto [axis, index] : enumerate(indices)) {
    position = context.add(position, context.mul(index, view.getStrides()[axis].toExpr(context, symbols)));
    if (!view.isAxisMasked(axis))
      continue;
    const DimInterval &interval = view.getMask()[axis];
    valid = context.logicalAnd(valid, context.ge(index, interval.begin.toExpr(context, symbols)));
    valid = context.logicalAnd(valid, context.lt(index, interval.end.toExpr(context, symbols)));
  }
}

IndexAndValidity SymbolicTracker::toIndex(ExprContext &context, ArrayRef<Expr> symbolLeaves,
                                          ArrayRef<Expr> indices) const {
  assert(isValid() && indices.size() == shape().size() && symbolLeaves.size() == bounds.size() &&
         "one index per axis and one leaf per symbol of a valid tracker");
  Expr position, valid = context.condition(true);
  applyView(context, stack.back(), symbolLeaves, indices, position, valid);
  for (size_t k = stack.size() - 1; k-- > 0;) {
    SymbolicView view = stack[k].joinAxes(bounds);
    SmallVector<Expr> digits(view.getRank());
    Dim below = 1;
    for (size_t axis = view.getRank(); axis-- > 0;) {
      Expr divisor = below.toExpr(context, symbolLeaves), size = view.getShape()[axis].toExpr(context, symbolLeaves);
      if (!position || !valid || !divisor || !size)
        return {};
      // The position lies inside the view below, so that the topmost digit needs no modulo.
      digits[axis] = context.floorDiv(position, divisor);
      if (axis > 0)
        digits[axis] = context.mod(digits[axis], size);
      below = below * view.getShape()[axis];
    }
    applyView(context, view, symbolLeaves, digits, position, valid);
  }
  if (!position || !valid)
    return {};
  valid = context.simplify(valid);
  position = context.simplify(position);
  if (position && valid)
    position = context.given(position, valid);
  return {position, valid};
}

void SymbolicTracker::print(raw_ostream &os) const {
  interleaveComma(stack, os, [&](const SymbolicView &view) { view.print(os); });
}
