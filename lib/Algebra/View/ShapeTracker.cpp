// A stack of views: movement, composition, simplification.
#include "Tiny/Algebra/Steps.h"
#include "Tiny/Algebra/View/View.h"

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

/// Looked for are runs of at most so many views that are one view: what the search costs grows with their number.
static constexpr size_t kLongestRun = 8;
/// A view that is pushed onto a simple stack changes no more than so many views below, so that a chain of movements
/// that do not merge costs no more for each than the copy of its stack.
static constexpr size_t kReach = 16;

/// Merges views from number `first` on, until none merge.
static void simplifyFrom(SmallVectorImpl<View> &views, size_t first) {
  for (bool changed = true; changed;) {
    changed = false;
    // From the consumer's end: what the last view does not reach lets the ones below merge.
    for (size_t k = views.size(); k-- > first + 1;) {
      std::optional<View> merged = mergeViews(views[k - 1], views[k]);
      if (!merged || !mayMergeViews("pair"))
        continue;
      views[k - 1] = std::move(*merged);
      views.erase(views.begin() + k);
      changed = true;
      break;
    }
    // No two merge: perhaps three or more do, the longest run first.
    for (size_t length = std::min(views.size() - first, kLongestRun); length > 2 && !changed; --length)
      for (size_t begin = views.size() - length + 1; begin-- > first && !changed;) {
        std::optional<View> merged = mergeStack(ArrayRef(views).slice(begin, length));
        if (!merged || !mayMergeViews("stack"))
          continue;
        views[begin] = std::move(*merged);
        views.erase(views.begin() + begin + 1, views.begin() + begin + length);
        changed = true;
      }
    if (changed)
      continue;
    SmallVector<View> tail(views.begin() + first, views.end());
    changed = mergeAroundPadding(tail) && mayMergeViews("padding");
    if (changed) {
      views.truncate(first);
      llvm::append_range(views, tail);
    }
  }
}

/// After a change of the last view.
static void simplifyEnd(SmallVectorImpl<View> &views) {
  simplifyFrom(views, views.size() - std::min(views.size(), kReach));
}

ShapeTracker ShapeTracker::withLast(std::optional<View> last) const {
  if (!last)
    return {};
  ShapeTracker result = *this;
  result.stack.back() = std::move(*last);
  simplifyEnd(result.stack);
  return result;
}

ShapeTracker ShapeTracker::reshape(ArrayRef<int64_t> newShape) const {
  if (!isValid())
    return {};
  std::optional<View> regrouped = View::contiguous(newShape);
  if (!regrouped || regrouped->getNumElements() != numElements())
    return {};
  ShapeTracker result = *this;
  result.stack.push_back(std::move(*regrouped));
  simplifyEnd(result.stack);
  return result;
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
  simplifyFrom(result.stack, 0);
  return result;
}

ShapeTracker ShapeTracker::dropAxis(unsigned axis) const {
  if (!isValid())
    return {};
  const View &last = stack.back();
  if (last.getShape()[axis] != 1 && last.getStrides()[axis] != 0)
    return {};
  SmallVector<int64_t> shape(last.getShape()), strides(last.getStrides());
  SmallVector<MaskInterval> mask(last.getMask());
  shape.erase(shape.begin() + axis);
  strides.erase(strides.begin() + axis);
  if (!mask.empty())
    mask.erase(mask.begin() + axis);
  return withLast(View::get(shape, strides, last.getOffset(), mask));
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
