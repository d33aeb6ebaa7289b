// What merging two views can not do. Three or more may be one view though no two of them are, since the last restricts
// what the others see: decided by looking at every element. And a pad may move into the view below, which frees the
// views above.
#include "Tiny/Algebra/View/View.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

/// Steps an index tuple through [low, high), last axis fastest. False after the last one.
static bool advance(MutableArrayRef<int64_t> index, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  for (size_t axis = index.size(); axis-- > 0;) {
    if (++index[axis] < high[axis])
      return true;
    index[axis] = low[axis];
  }
  return false;
}

std::optional<View> tiny::mergeStack(ArrayRef<View> views) {
  const View &last = views.back();
  int64_t count = last.getNumElements();
  if (count == 0 || count > kMergeEnumerationLimit || last.isAllMasked())
    return std::nullopt;
  size_t rank = last.getRank();
  View::Shape low(rank, 0), high(last.getShape());
  View::Shape index(low);
  // Position of each element, -1 where it is masked, and the hull of the valid ones.
  SmallVector<int64_t> positions;
  View::Shape from(last.getShape()), to(rank, 0);
  int64_t valid = 0;
  do {
    std::optional<int64_t> position = last.evaluate(index);
    for (size_t k = views.size() - 1; k-- > 0 && position;)
      position = views[k].evaluateLinear(*position);
    positions.push_back(position.value_or(-1));
    if (!position)
      continue;
    ++valid;
    for (size_t axis = 0; axis < rank; ++axis) {
      from[axis] = std::min(from[axis], index[axis]);
      to[axis] = std::max(to[axis], index[axis] + 1);
    }
  } while (advance(index, low, high));
  if (rank == 0 && valid == 0)
    return std::nullopt;
  View::Mask mask;
  int64_t volume = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    mask.push_back(valid == 0 ? MaskInterval{0, 0} : MaskInterval{from[axis], to[axis]});
    volume *= to[axis] - from[axis];
  }
  View::Shape strides(rank, 0);
  if (valid == 0)
    return View::get(last.getShape(), strides, 0, mask);
  if (volume != valid)
    return std::nullopt;
  // The slopes at the low corner are the only candidate; then every element is compared.
  auto at = [&](ArrayRef<int64_t> point) {
    int64_t linear = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      linear = linear * last.getShape()[axis] + point[axis];
    return positions[linear];
  };
  int64_t origin = at(from), offset = origin;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (to[axis] - from[axis] < 2)
      continue;
    View::Shape next(from);
    ++next[axis];
    strides[axis] = at(next) - origin;
    offset -= strides[axis] * from[axis];
  }
  index = from;
  do {
    int64_t expected = offset;
    for (size_t axis = 0; axis < rank; ++axis)
      expected += strides[axis] * index[axis];
    if (at(index) != expected)
      return std::nullopt;
  } while (advance(index, from, to));
  return View::get(last.getShape(), strides, offset, mask);
}

/// Moves the padding at the end of one axis of `outer` into `inner`: where the valid part of the axis is exactly an
/// axis d of inner and those after it, d grows, masked, until it covers the padding too. Both views together stay the
/// same.
static bool absorbPadding(View &inner, View &outer, unsigned axis) {
  using Wide = __int128;
  if (!outer.isAxisMasked(axis) || outer.isAllMasked() || inner.isAllMasked() || inner.getNumElements() == 0)
    return false;
  MaskInterval interval = outer.getMask()[axis];
  Wide stride = outer.getStrides()[axis];
  if (interval.begin != 0 || stride <= 0)
    return false;
  Wide below = 1;
  for (int64_t d = inner.getRank(); d-- > 0; below *= inner.getShape()[d]) {
    Wide group = below * inner.getShape()[d];
    if (stride * interval.end != group)
      continue;
    // Split what else outer adds into multiples of the group, which stand above d, and the rest, which must not carry.
    Wide high = outer.getOffset() >= 0 ? outer.getOffset() / group : -((-Wide(outer.getOffset()) + group - 1) / group);
    Wide rest = outer.getOffset() - high * group, least = rest, most = rest;
    for (int64_t other = 0; other < outer.getRank(); ++other) {
      Wide step = outer.getStrides()[other];
      if (other == int64_t(axis) || step % group == 0)
        continue;
      Wide first = step * outer.getMask()[other].begin, last = step * (outer.getMask()[other].end - 1);
      least += std::min(first, last);
      most += std::max(first, last);
    }
    if (least < 0 || stride * (interval.end - 1) + most >= group)
      continue;
    Wide size = (stride * (outer.getShape()[axis] - 1) + most) / below + 1, grown = size * below;
    if (grown >= kIndexLimit)
      continue;
    View::Shape shape(inner.getShape()), strides(outer.getStrides());
    View::Mask innerMask(inner.getMask()), outerMask(outer.getMask());
    if (!inner.hasMask())
      for (int64_t each : inner.getShape())
        innerMask.push_back({0, each});
    shape[d] = int64_t(size);
    outerMask[axis] = {0, outer.getShape()[axis]};
    Wide offset = high * grown + rest;
    bool fits = offset < kIndexLimit && offset > -kIndexLimit;
    for (int64_t other = 0; other < outer.getRank(); ++other)
      if (other != int64_t(axis) && strides[other] % group == 0) {
        Wide scaled = strides[other] / group * grown;
        fits &= scaled < kIndexLimit && scaled > -kIndexLimit;
        strides[other] = int64_t(scaled);
      }
    if (!fits)
      continue;
    std::optional<View> newInner = View::get(shape, inner.getStrides(), inner.getOffset(), innerMask);
    std::optional<View> newOuter = View::get(outer.getShape(), strides, int64_t(offset), outerMask);
    if (!newInner || !newOuter)
      continue;
    inner = std::move(*newInner);
    outer = std::move(*newOuter);
    return true;
  }
  return false;
}

bool tiny::mergeAroundPadding(SmallVectorImpl<View> &views) {
  for (size_t k = views.size(); k-- > 2;) {
    View inner = views[k - 2], outer = views[k - 1];
    bool absorbed = false;
    for (int64_t axis = 0; axis < outer.getRank(); ++axis)
      absorbed |= absorbPadding(inner, outer, axis);
    if (!absorbed)
      continue;
    std::optional<View> merged = mergeViews(outer, views[k]);
    if (!merged)
      continue;
    views[k - 2] = std::move(inner);
    views[k - 1] = std::move(*merged);
    views.erase(views.begin() + k);
    return true;
  }
  return false;
}
