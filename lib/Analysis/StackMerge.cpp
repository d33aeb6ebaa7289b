// Merging three or more views at once: no two of them may be one view though all of them are, since the last restricts
// what the others see. Decided by looking at every element.
#include "Tiny/Analysis/View.h"

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
