// One symbolic view: canonical form, what it reaches, and every movement but reshape (SymbolicReshape.cpp).
#include "Tiny/Algebra/View/SymbolicView.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

namespace {
constexpr const char *kOverflows = "a number may reach 2^62 for some value of the symbols";

SymbolicMove done(std::optional<SymbolicView> view) {
  if (!view)
    return {std::nullopt, kOverflows};
  return {std::move(view), {}};
}
SymbolicMove fails(std::string why) { return {std::nullopt, std::move(why)}; }
SymbolicMove needsAnother() { return {}; }

/// max(a, b) or min(a, b) where it is one of the two for every value.
std::optional<Dim> greater(ArrayRef<Bounds> symbols, const Dim &a, const Dim &b) {
  if ((a - b).isNonNegative(symbols))
    return a;
  return (b - a).isNonNegative(symbols) ? std::optional<Dim>(b) : std::nullopt;
}
std::optional<Dim> lesser(ArrayRef<Bounds> symbols, const Dim &a, const Dim &b) {
  if ((b - a).isNonNegative(symbols))
    return a;
  return (a - b).isNonNegative(symbols) ? std::optional<Dim>(b) : std::nullopt;
}
} // namespace

std::optional<SymbolicView> SymbolicView::get(ArrayRef<Bounds> symbols, ArrayRef<Dim> shape, ArrayRef<Dim> strides,
                                              const Dim &offset, ArrayRef<DimInterval> mask) {
  size_t rank = shape.size();
  if (strides.size() != rank || (!mask.empty() && mask.size() != rank) || !offset.range(symbols))
    return std::nullopt;
  SymbolicView view;
  view.shape.assign(shape.begin(), shape.end());
  view.strides.assign(rank, 0);
  for (size_t axis = 0; axis < rank; ++axis)
    if (!shape[axis].isNonNegative(symbols) || !strides[axis].range(symbols))
      return std::nullopt;
  if (!view.getNumElements().range(symbols))
    return std::nullopt;
  if (is_contained(shape, Dim(0)))
    return view;

  bool excludes = false, excludesAll = false;
  for (auto [axis, interval] : enumerate(mask)) {
    if (!interval.begin.isNonNegative(symbols) || !(interval.end - interval.begin).isNonNegative(symbols) ||
        !(shape[axis] - interval.end).isNonNegative(symbols))
      return std::nullopt;
    excludes |= interval != DimInterval{0, shape[axis]};
    excludesAll |= interval.begin == interval.end;
  }
  if (excludesAll) {
    view.mask.assign(rank, DimInterval{0, 0});
    return view;
  }
  if (excludes)
    view.mask.assign(mask.begin(), mask.end());
  view.offset = offset;
  for (size_t axis = 0; axis < rank; ++axis) {
    DimInterval interval = view.intervalOf(axis);
    if (interval.end - interval.begin == Dim(1))
      view.offset = view.offset + strides[axis] * interval.begin;
    else
      view.strides[axis] = strides[axis];
  }
  return view.offset.range(symbols) && view.getRange(symbols) ? std::optional<SymbolicView>(view) : std::nullopt;
}

std::optional<SymbolicView> SymbolicView::contiguous(ArrayRef<Bounds> symbols, ArrayRef<Dim> shape) {
  Dims strides(shape.size(), 0);
  Dim stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride = stride * shape[axis])
    strides[axis] = stride;
  return get(symbols, shape, strides);
}

SymbolicView SymbolicView::fromStatic(const View &view) {
  SymbolicView result;
  result.shape.assign(view.getShape().begin(), view.getShape().end());
  result.strides.assign(view.getStrides().begin(), view.getStrides().end());
  result.offset = view.getOffset();
  for (MaskInterval interval : view.getMask())
    result.mask.push_back({interval.begin, interval.end});
  return result;
}

Dim SymbolicView::getNumElements() const {
  Dim count = 1;
  for (const Dim &size : shape)
    count = count * size;
  return count;
}

bool SymbolicView::isAxisMasked(unsigned axis) const { return hasMask() && mask[axis] != DimInterval{0, shape[axis]}; }

bool SymbolicView::isContiguous() const {
  if (is_contained(shape, Dim(0)))
    return true;
  if (offset != Dim(0) || hasMask())
    return false;
  Dim stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride = stride * shape[axis])
    if (shape[axis] != Dim(1) && strides[axis] != stride)
      return false;
  return true;
}

std::optional<std::pair<Dim, Dim>> SymbolicView::getExtremes(ArrayRef<Bounds> symbols) const {
  if (is_contained(shape, Dim(0)) || isAllMasked())
    return std::nullopt;
  Dim least = offset, greatest = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::optional<Bounds> sign = strides[axis].range(symbols);
    if (!sign || (sign->low < 0 && sign->high > 0))
      return std::nullopt;
    DimInterval interval = intervalOf(axis);
    Dim first = strides[axis] * interval.begin, last = strides[axis] * (interval.end - 1);
    least = least + (sign->low >= 0 ? first : last);
    greatest = greatest + (sign->low >= 0 ? last : first);
  }
  return std::make_pair(least, greatest);
}

std::optional<Bounds> SymbolicView::getRange(ArrayRef<Bounds> symbols) const {
  if (is_contained(shape, Dim(0)) || isAllMasked())
    return std::nullopt;
  __int128 low, high;
  if (std::optional<std::pair<Dim, Dim>> extremes = getExtremes(symbols)) {
    std::optional<Bounds> least = extremes->first.range(symbols), greatest = extremes->second.range(symbols);
    if (!least || !greatest)
      return std::nullopt;
    low = least->low;
    high = greatest->high;
  } else {
    std::optional<Bounds> base = offset.range(symbols);
    if (!base)
      return std::nullopt;
    low = base->low;
    high = base->high;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      DimInterval interval = intervalOf(axis);
      std::optional<Bounds> first = (strides[axis] * interval.begin).range(symbols);
      std::optional<Bounds> last = (strides[axis] * (interval.end - 1)).range(symbols);
      if (!first || !last)
        return std::nullopt;
      low += std::min(first->low, last->low);
      high += std::max(first->high, last->high);
    }
  }
  if (low <= -__int128(kIndexLimit) || high >= __int128(kIndexLimit))
    return std::nullopt;
  return Bounds{int64_t(low), int64_t(high)};
}

std::optional<View> SymbolicView::bind(ArrayRef<int64_t> values) const {
  View::Shape boundShape, boundStrides;
  View::Mask boundMask;
  std::optional<int64_t> boundOffset = offset.evaluate(values);
  for (auto [size, stride] : zip_equal(shape, strides)) {
    std::optional<int64_t> boundSize = size.evaluate(values), boundStride = stride.evaluate(values);
    if (!boundSize || !boundStride)
      return std::nullopt;
    boundShape.push_back(*boundSize);
    boundStrides.push_back(*boundStride);
  }
  for (const DimInterval &interval : mask) {
    std::optional<int64_t> begin = interval.begin.evaluate(values), end = interval.end.evaluate(values);
    if (!begin || !end)
      return std::nullopt;
    boundMask.push_back({*begin, *end});
  }
  return boundOffset ? View::get(boundShape, boundStrides, *boundOffset, boundMask) : std::nullopt;
}

std::optional<View> SymbolicView::toStatic() const {
  auto varies = [](const Dim &dim) { return !dim.asConstant(); };
  if (any_of(shape, varies) || any_of(strides, varies) || varies(offset) ||
      any_of(mask, [&](const DimInterval &interval) { return varies(interval.begin) || varies(interval.end); }))
    return std::nullopt;
  return bind({});
}

SymbolicMove SymbolicView::expand(ArrayRef<Bounds> symbols, ArrayRef<Dim> newShape) const {
  if (newShape.size() != shape.size())
    return fails("expand keeps the number of axes");
  Mask newMask = mask;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == newShape[axis])
      continue;
    if (shape[axis] != Dim(1))
      return fails("only an axis of size 1, whatever the symbols are, expands: axis " + std::to_string(axis));
    if (!newShape[axis].isNonNegative(symbols))
      return fails("a size may be negative or reach 2^62: axis " + std::to_string(axis));
    if (!hasMask())
      continue;
    // The one index is valid, or not, or that depends on the symbols.
    if (mask[axis] == DimInterval{0, 1})
      newMask[axis] = {0, newShape[axis]};
    else if (mask[axis].begin == mask[axis].end)
      newMask[axis] = {0, 0};
    else
      return needsAnother();
  }
  return done(get(symbols, newShape, strides, offset, newMask));
}

SymbolicMove SymbolicView::permute(ArrayRef<Bounds> symbols, ArrayRef<int64_t> permutation) const {
  if (permutation.size() != shape.size())
    return fails("a permutation names each axis once");
  SmallVector<bool> seen(shape.size(), false);
  Dims newShape, newStrides;
  Mask newMask;
  for (int64_t axis : permutation) {
    if (axis < 0 || size_t(axis) >= shape.size() || seen[axis])
      return fails("a permutation names each axis once");
    seen[axis] = true;
    newShape.push_back(shape[axis]);
    newStrides.push_back(strides[axis]);
    if (hasMask())
      newMask.push_back(mask[axis]);
  }
  return done(get(symbols, newShape, newStrides, offset, newMask));
}

SymbolicMove SymbolicView::pad(ArrayRef<Bounds> symbols, ArrayRef<Dim> low, ArrayRef<Dim> high) const {
  if (low.size() != shape.size() || high.size() != shape.size())
    return fails("pad names each axis");
  Dims newShape;
  Mask newMask;
  Dim newOffset = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!low[axis].isNonNegative(symbols) || !high[axis].isNonNegative(symbols))
      return fails("padding may be negative or reach 2^62: axis " + std::to_string(axis));
    newOffset = newOffset - strides[axis] * low[axis];
    newShape.push_back(shape[axis] + low[axis] + high[axis]);
    DimInterval interval = intervalOf(axis);
    newMask.push_back({interval.begin + low[axis], interval.end + low[axis]});
  }
  return done(get(symbols, newShape, strides, newOffset, newMask));
}

SymbolicMove SymbolicView::shrink(ArrayRef<Bounds> symbols, ArrayRef<Dim> begin, ArrayRef<Dim> end) const {
  if (begin.size() != shape.size() || end.size() != shape.size())
    return fails("shrink names each axis");
  Dims newShape;
  Dim newOffset = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!begin[axis].isNonNegative(symbols) || !(end[axis] - begin[axis]).isNonNegative(symbols) ||
        !(shape[axis] - end[axis]).isNonNegative(symbols))
      return fails("the interval may leave the axis: axis " + std::to_string(axis));
    newOffset = newOffset + strides[axis] * begin[axis];
    newShape.push_back(end[axis] - begin[axis]);
  }
  Mask newMask;
  for (size_t axis = 0; axis < mask.size(); ++axis) {
    // What is left of the interval, if for every value the same ends count.
    std::optional<Dim> first = greater(symbols, mask[axis].begin, begin[axis]);
    std::optional<Dim> last = greater(symbols, mask[axis].end, begin[axis]);
    first = first ? lesser(symbols, *first, end[axis]) : std::nullopt;
    last = last ? lesser(symbols, *last, end[axis]) : std::nullopt;
    if (!first || !last)
      return needsAnother();
    newMask.push_back({*first - begin[axis], *last - begin[axis]});
  }
  return done(get(symbols, newShape, strides, newOffset, newMask));
}

SymbolicMove SymbolicView::flip(ArrayRef<Bounds> symbols, ArrayRef<int64_t> axes) const {
  Dims newStrides = strides;
  Mask newMask = mask;
  Dim newOffset = offset;
  SmallVector<bool> seen(shape.size(), false);
  for (int64_t axis : axes) {
    if (axis < 0 || size_t(axis) >= shape.size() || seen[axis])
      return fails("flip names an axis at most once");
    seen[axis] = true;
    newOffset = newOffset + strides[axis] * (shape[axis] - 1);
    newStrides[axis] = Dim(-1) * strides[axis];
    if (hasMask())
      newMask[axis] = {shape[axis] - mask[axis].end, shape[axis] - mask[axis].begin};
  }
  return done(get(symbols, shape, newStrides, newOffset, newMask));
}

void SymbolicView::print(raw_ostream &os) const {
  os << "(";
  interleaveComma(shape, os);
  os << "):(";
  interleaveComma(strides, os);
  os << ")";
  if (offset != Dim(0))
    os << " + " << offset;
  if (hasMask()) {
    os << " mask [";
    interleaveComma(mask, os, [&](const DimInterval &interval) { os << interval.begin << ":" << interval.end; });
    os << "]";
  }
}
