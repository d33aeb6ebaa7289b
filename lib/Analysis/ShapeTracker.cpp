// A stack of views: movement, composition, simplification.
#include "Tiny/Analysis/View.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

ShapeTracker ShapeTracker::identity(ArrayRef<int64_t> shape) {
  std::optional<View> view = View::contiguous(shape);
  return view ? ShapeTracker(*view) : ShapeTracker();
}

ShapeTracker ShapeTracker::fromViews(ArrayRef<View> views) {
  for (size_t k = 1; k < views.size(); ++k)
    if (std::optional<std::pair<int64_t, int64_t>> range = views[k].getRange())
      if (range->first < 0 || range->second >= views[k - 1].getNumElements())
        return {};
  ShapeTracker tracker;
  tracker.stack.assign(views.begin(), views.end());
  return tracker;
}

ShapeTracker ShapeTracker::withLast(std::optional<View> last) const {
  if (!last)
    return {};
  ShapeTracker result = *this;
  result.stack.back() = std::move(*last);
  return result.stack.size() == 1 ? result : result.simplify();
}

ShapeTracker ShapeTracker::reshape(ArrayRef<int64_t> newShape) const {
  if (!isValid())
    return {};
  std::optional<View> regrouped = View::contiguous(newShape);
  if (!regrouped || regrouped->getNumElements() != numElements())
    return {};
  ShapeTracker result = *this;
  result.stack.push_back(std::move(*regrouped));
  return result.simplify();
}

ShapeTracker ShapeTracker::expand(ArrayRef<int64_t> newShape) const {
  return isValid() ? withLast(stack.back().expand(newShape)) : *this;
}
ShapeTracker ShapeTracker::permute(ArrayRef<int64_t> permutation) const {
  return isValid() ? withLast(stack.back().permute(permutation)) : *this;
}
ShapeTracker ShapeTracker::pad(ArrayRef<int64_t> low, ArrayRef<int64_t> high) const {
  return isValid() ? withLast(stack.back().pad(low, high)) : *this;
}
ShapeTracker ShapeTracker::shrink(ArrayRef<int64_t> begin, ArrayRef<int64_t> end) const {
  return isValid() ? withLast(stack.back().shrink(begin, end)) : *this;
}
ShapeTracker ShapeTracker::flip(ArrayRef<int64_t> axes) const {
  return isValid() ? withLast(stack.back().flip(axes)) : *this;
}

ShapeTracker ShapeTracker::compose(const ShapeTracker &outer) const {
  if (!isValid() || !outer.isValid())
    return {};
  SmallVector<View> views(stack);
  views.append(outer.stack.begin(), outer.stack.end());
  ShapeTracker result = fromViews(views);
  return result ? result.simplify() : result;
}

ShapeTracker ShapeTracker::invert(ArrayRef<int64_t> outShape) const {
  if (!isValid())
    return {};
  // (a o b)^-1 = b^-1 o a^-1: the last view's inverse stands next to what was the consumer.
  ShapeTracker result;
  for (size_t k = stack.size(); k-- > 0;) {
    std::optional<View> inverse = stack[k].invert();
    if (!inverse)
      return {};
    if (k > 0 && inverse->getNumElements() != stack[k - 1].getNumElements())
      return {};
    result.stack.push_back(std::move(*inverse));
  }
  return result.reshape(outShape);
}

ShapeTracker ShapeTracker::simplify() const {
  ShapeTracker result = *this;
  SmallVectorImpl<View> &views = result.stack;
  for (bool changed = true; changed;) {
    changed = false;
    // From the consumer's end: what the last view does not reach lets the ones below merge.
    for (size_t k = views.size(); k-- > 1;) {
      std::optional<View> merged = mergeViews(views[k - 1], views[k]);
      if (!merged)
        continue;
      views[k - 1] = std::move(*merged);
      views.erase(views.begin() + k);
      changed = true;
      break;
    }
    // No two merge: perhaps three or more do, the longest run first.
    for (size_t length = views.size(); length > 2 && !changed; --length)
      for (size_t first = views.size() - length + 1; first-- > 0 && !changed;) {
        std::optional<View> merged = mergeStack(ArrayRef(views).slice(first, length));
        if (!merged)
          continue;
        views[first] = std::move(*merged);
        views.erase(views.begin() + first + 1, views.begin() + first + length);
        changed = true;
      }
    changed = changed || mergeAroundPadding(views);
  }
  return result;
}

bool ShapeTracker::isUnmasked() const {
  return none_of(stack, [](const View &view) { return view.hasMask(); });
}

std::optional<std::pair<int64_t, int64_t>> ShapeTracker::getRange() const {
  if (any_of(stack, [](const View &view) { return !view.getRange(); }))
    return std::nullopt;
  return stack.front().getRange();
}

std::optional<int64_t> ShapeTracker::evaluate(ArrayRef<int64_t> indices) const {
  std::optional<int64_t> position = stack.back().evaluate(indices);
  for (size_t k = stack.size() - 1; k-- > 0 && position;)
    position = stack[k].evaluateLinear(*position);
  return position;
}

std::optional<int64_t> ShapeTracker::evaluateLinear(int64_t linear) const {
  std::optional<int64_t> position = linear;
  for (size_t k = stack.size(); k-- > 0 && position;)
    position = stack[k].evaluateLinear(*position);
  return position;
}

void ShapeTracker::print(raw_ostream &os) const {
  interleaveComma(stack, os, [&](const View &view) { view.print(os); });
}

hash_code tiny::hash_value(const ShapeTracker &tracker) {
  return hash_combine_range(tracker.views().begin(), tracker.views().end());
}
