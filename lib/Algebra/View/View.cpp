// One view: canonical form, evaluation, and every movement but reshape (ViewMerge.cpp).
#include "Tiny/Algebra/View/View.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace llvm;
using namespace tiny;

namespace {
using Wide = __int128;

bool fits(Wide value) { return value > -Wide(kIndexLimit) && value < Wide(kIndexLimit); }

/// The product of the sizes if it fits.
std::optional<int64_t> product(ArrayRef<int64_t> sizes) {
  if (is_contained(sizes, 0))
    return 0;
  Wide result = 1;
  for (int64_t size : sizes) {
    result *= size;
    if (!fits(result))
      return std::nullopt;
  }
  return int64_t(result);
}
} // namespace

hash_code tiny::hash_value(const MaskInterval &interval) { return hash_combine(interval.begin, interval.end); }

std::optional<View> View::get(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t offset,
                              ArrayRef<MaskInterval> mask) {
  size_t rank = shape.size();
  if (strides.size() != rank || (!mask.empty() && mask.size() != rank) || !fits(offset))
    return std::nullopt;
  if (any_of(shape, [](int64_t size) { return size < 0 || !fits(size); }) ||
      any_of(strides, [](int64_t stride) { return !fits(stride); }))
    return std::nullopt;
  std::optional<int64_t> count = product(shape);
  if (!count)
    return std::nullopt;

  View view;
  view.shape.assign(shape.begin(), shape.end());
  view.strides.assign(rank, 0);
  if (*count == 0)
    return view;

  bool excludes = false, excludesAll = false;
  for (auto [axis, interval] : enumerate(mask)) {
    if (interval.begin < 0 || interval.end > shape[axis] || interval.begin > interval.end)
      return std::nullopt;
    excludes |= interval != MaskInterval{0, shape[axis]};
    excludesAll |= interval.begin == interval.end;
  }
  if (excludesAll) {
    view.mask.assign(rank, MaskInterval{0, 0});
    return view;
  }
  if (excludes)
    view.mask.assign(mask.begin(), mask.end());

  Wide base = offset;
  Wide least = offset, greatest = offset;
  for (size_t axis = 0; axis < rank; ++axis) {
    MaskInterval interval = excludes ? mask[axis] : MaskInterval{0, shape[axis]};
    if (interval.end - interval.begin == 1)
      base += Wide(strides[axis]) * interval.begin;
    else
      view.strides[axis] = strides[axis];
    Wide first = Wide(strides[axis]) * interval.begin, last = Wide(strides[axis]) * (interval.end - 1);
    least += std::min(first, last);
    greatest += std::max(first, last);
    if (!fits(least) || !fits(greatest) || !fits(base))
      return std::nullopt;
  }
  view.offset = int64_t(base);
  return view;
}

std::optional<View> View::contiguous(ArrayRef<int64_t> shape) {
  if (any_of(shape, [](int64_t size) { return size < 0; }) || !product(shape))
    return std::nullopt;
  Shape strides(shape.size(), 0);
  int64_t stride = 1;
  if (!is_contained(shape, 0))
    for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
      strides[axis] = stride;
  return get(shape, strides);
}

int64_t View::getNumElements() const { return *product(shape); }

bool View::isAxisMasked(unsigned axis) const { return hasMask() && mask[axis] != MaskInterval{0, shape[axis]}; }

bool View::isContiguous() const {
  if (offset != 0 || hasMask())
    return false;
  if (is_contained(shape, 0))
    return true;
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    if (shape[axis] != 1 && strides[axis] != stride)
      return false;
  return true;
}

std::optional<std::pair<int64_t, int64_t>> View::getRange() const {
  if (is_contained(shape, 0) || isAllMasked())
    return std::nullopt;
  // A masked view's offset may lie far outside, so sum in the wide type.
  Wide least = offset, greatest = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    MaskInterval interval = hasMask() ? mask[axis] : MaskInterval{0, shape[axis]};
    Wide first = Wide(strides[axis]) * interval.begin, last = Wide(strides[axis]) * (interval.end - 1);
    least += std::min(first, last);
    greatest += std::max(first, last);
  }
  return std::make_pair(int64_t(least), int64_t(greatest));
}

std::optional<int64_t> View::evaluate(ArrayRef<int64_t> indices) const {
  assert(indices.size() == shape.size() && "one index per axis");
  if (hasMask())
    for (auto [index, interval] : zip_equal(indices, mask))
      if (index < interval.begin || index >= interval.end)
        return std::nullopt;
  // The sum is below 2^62 but its parts need not be: unsigned arithmetic gets it right whatever they do.
  uint64_t position = offset;
  for (auto [index, stride] : zip_equal(indices, strides))
    position += uint64_t(index) * uint64_t(stride);
  return int64_t(position);
}

std::optional<int64_t> View::evaluateLinear(int64_t linear) const {
  Shape indices(shape.size(), 0);
  for (size_t axis = shape.size(); axis-- > 0; linear /= shape[axis])
    indices[axis] = linear % shape[axis];
  return evaluate(indices);
}

std::optional<View> View::reshape(ArrayRef<int64_t> newShape) const {
  std::optional<View> regrouped = contiguous(newShape);
  if (!regrouped || regrouped->getNumElements() != getNumElements())
    return std::nullopt;
  return mergeViews(*this, *regrouped);
}

std::optional<View> View::expand(ArrayRef<int64_t> newShape) const {
  if (newShape.size() != shape.size())
    return std::nullopt;
  Mask newMask = mask;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (newShape[axis] == shape[axis])
      continue;
    if (shape[axis] != 1 || newShape[axis] < 0)
      return std::nullopt;
    if (hasMask())
      newMask[axis] = mask[axis].end == 1 ? MaskInterval{0, newShape[axis]} : MaskInterval{0, 0};
  }
  return get(newShape, strides, offset, newMask);
}

std::optional<View> View::permute(ArrayRef<int64_t> permutation) const {
  if (permutation.size() != shape.size())
    return std::nullopt;
  SmallVector<bool> seen(shape.size(), false);
  Shape newShape, newStrides;
  Mask newMask;
  for (int64_t axis : permutation) {
    if (axis < 0 || axis >= getRank() || seen[axis])
      return std::nullopt;
    seen[axis] = true;
    newShape.push_back(shape[axis]);
    newStrides.push_back(strides[axis]);
    if (hasMask())
      newMask.push_back(mask[axis]);
  }
  return get(newShape, newStrides, offset, newMask);
}

std::optional<View> View::pad(ArrayRef<int64_t> low, ArrayRef<int64_t> high) const {
  if (low.size() != shape.size() || high.size() != shape.size())
    return std::nullopt;
  Shape newShape;
  Mask newMask;
  Wide newOffset = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (low[axis] < 0 || high[axis] < 0 || !fits(low[axis]) || !fits(high[axis]))
      return std::nullopt;
    Wide size = Wide(shape[axis]) + low[axis] + high[axis];
    newOffset -= Wide(strides[axis]) * low[axis];
    if (!fits(size) || !fits(newOffset))
      return std::nullopt;
    newShape.push_back(int64_t(size));
    MaskInterval interval = hasMask() ? mask[axis] : MaskInterval{0, shape[axis]};
    newMask.push_back({interval.begin + low[axis], interval.end + low[axis]});
  }
  return get(newShape, strides, int64_t(newOffset), newMask);
}

std::optional<View> View::shrink(ArrayRef<int64_t> begin, ArrayRef<int64_t> end) const {
  if (begin.size() != shape.size() || end.size() != shape.size())
    return std::nullopt;
  Shape newShape;
  Mask newMask;
  Wide newOffset = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (begin[axis] < 0 || begin[axis] > end[axis] || end[axis] > shape[axis])
      return std::nullopt;
    newOffset += Wide(strides[axis]) * begin[axis];
    newShape.push_back(end[axis] - begin[axis]);
    if (hasMask())
      newMask.push_back({std::clamp<int64_t>(mask[axis].begin - begin[axis], 0, newShape.back()),
                         std::clamp<int64_t>(mask[axis].end - begin[axis], 0, newShape.back())});
  }
  if (!fits(newOffset)) {
    // Outside the mask the offset means nothing and may leave the range; what stays valid is what counts.
    if (any_of(newMask, [](MaskInterval interval) { return interval.begin == interval.end; }) ||
        is_contained(newShape, 0))
      newOffset = 0;
    else
      return std::nullopt;
  }
  return get(newShape, strides, int64_t(newOffset), newMask);
}

std::optional<View> View::flip(ArrayRef<int64_t> axes) const {
  Shape newStrides = strides;
  Mask newMask = mask;
  Wide newOffset = offset;
  SmallVector<bool> seen(shape.size(), false);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= getRank() || seen[axis])
      return std::nullopt;
    seen[axis] = true;
    if (shape[axis] == 0)
      continue;
    newOffset += Wide(strides[axis]) * (shape[axis] - 1);
    newStrides[axis] = -strides[axis];
    if (hasMask())
      newMask[axis] = {shape[axis] - mask[axis].end, shape[axis] - mask[axis].begin};
    if (!fits(newOffset))
      return std::nullopt;
  }
  return get(shape, newStrides, int64_t(newOffset), newMask);
}

std::optional<View> View::invert() const {
  if (hasMask())
    return std::nullopt;
  // Order the axes by stride; the view is a bijection exactly when they then nest without gap. The inverse reads the
  // flipped axes backwards.
  SmallVector<int64_t> flipped, order = axesByStride(flipped);
  std::optional<View> sorted = flip(flipped);
  sorted = sorted ? sorted->permute(order) : std::nullopt;
  if (!sorted || !sorted->isContiguous())
    return std::nullopt;
  std::optional<View> inverse = contiguous(shape);
  inverse = inverse ? inverse->flip(flipped) : std::nullopt;
  return inverse ? inverse->permute(order) : std::nullopt;
}

SmallVector<int64_t> View::axesByStride(SmallVectorImpl<int64_t> &flipped) const {
  SmallVector<int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::make_pair(-std::abs(strides[a]), a) < std::make_pair(-std::abs(strides[b]), b);
  });
  for (int64_t axis : order)
    if (strides[axis] < 0)
      flipped.push_back(axis);
  return order;
}

bool View::operator==(const View &other) const {
  return shape == other.shape && strides == other.strides && offset == other.offset && mask == other.mask;
}

void View::print(raw_ostream &os) const {
  os << "(";
  interleaveComma(shape, os);
  os << "):(";
  interleaveComma(strides, os);
  os << ")";
  if (offset != 0)
    os << " + " << offset;
  if (hasMask()) {
    os << " mask [";
    interleaveComma(mask, os, [&](MaskInterval interval) { os << interval.begin << ":" << interval.end; });
    os << "]";
  }
}

hash_code tiny::hash_value(const View &view) {
  return hash_combine(hash_combine_range(view.getShape().begin(), view.getShape().end()),
                      hash_combine_range(view.getStrides().begin(), view.getStrides().end()), view.getOffset(),
                      hash_combine_range(view.getMask().begin(), view.getMask().end()));
}
