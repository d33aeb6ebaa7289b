// Symbolic views: joining axes, reshape, and merging two views.
//
// Axes a, b with strides[a] = strides[b] * size[b], b unmasked, walk the buffer as one axis of size[a] * size[b]; any
// shape with the same product splits that axis again. So reshape cuts both shapes into the shortest runs with equal
// products, and regroups run by run. Products are compared as polynomials, so that a cut holds for every value.
#include "Tiny/Algebra/View/SymbolicView.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

namespace {
/// One axis under construction.
struct Axis {
  Dim size, stride;
  DimInterval valid;
  bool isMasked() const { return valid != DimInterval{0, size}; }
};

/// `inner` joined into `outer`, if they walk the buffer as one.
bool join(Axis &outer, const Axis &inner) {
  if (inner.isMasked() || outer.stride != inner.stride * inner.size)
    return false;
  outer = {outer.size * inner.size, inner.stride, {outer.valid.begin * inner.size, outer.valid.end * inner.size}};
  return true;
}

/// The axes, without those that have one index and it is valid.
SmallVector<Axis> axesOf(const SymbolicView &view) {
  SmallVector<Axis> axes;
  for (size_t axis = 0; axis < view.getRank(); ++axis) {
    const Dim &size = view.getShape()[axis];
    DimInterval valid = view.hasMask() ? view.getMask()[axis] : DimInterval{0, size};
    if (size != Dim(1) || valid != DimInterval{0, 1})
      axes.push_back({size, view.getStrides()[axis], valid});
  }
  return axes;
}

/// One axis split into sizes with the same product. False if its valid interval is then no box.
bool split(const Axis &axis, ArrayRef<Dim> sizes, SmallVectorImpl<Axis> &result) {
  size_t first = result.size();
  Dim below = 1;
  for (const Dim &size : reverse(sizes)) {
    result.insert(result.begin() + first, Axis{size, axis.stride * below, {0, size}});
    below = below * size;
  }
  if (!axis.isMasked())
    return true;
  // A box only if it is whole indices of the outermost axis.
  below = 1;
  for (const Dim &size : sizes.drop_front())
    below = below * size;
  std::optional<Dim> begin = axis.valid.begin.exactQuotient(below), end = axis.valid.end.exactQuotient(below);
  if (!begin || !end)
    return false;
  result[first].valid = {*begin, *end};
  return true;
}

std::optional<SymbolicView> build(ArrayRef<Bounds> symbols, ArrayRef<Axis> axes, const Dim &offset) {
  SymbolicView::Dims shape, strides;
  SymbolicView::Mask mask;
  for (const Axis &axis : axes) {
    shape.push_back(axis.size);
    strides.push_back(axis.stride);
    mask.push_back(axis.valid);
  }
  return SymbolicView::get(symbols, shape, strides, offset, mask);
}

/// The view of this shape that reads nothing.
std::optional<SymbolicView> nothing(ArrayRef<Bounds> symbols, ArrayRef<Dim> shape) {
  return SymbolicView::get(symbols, shape, SymbolicView::Dims(shape.size(), 0), 0,
                           SymbolicView::Mask(shape.size(), DimInterval{0, 0}));
}
} // namespace

SymbolicView SymbolicView::joinAxes(ArrayRef<Bounds> symbols) const {
  if (is_contained(shape, Dim(0)) || isAllMasked())
    return *this;
  SmallVector<Axis> joined;
  for (const Axis &axis : axesOf(*this))
    if (joined.empty() || !join(joined.back(), axis))
      joined.push_back(axis);
  std::optional<SymbolicView> result = build(symbols, joined, offset);
  return result ? *result : *this;
}

SymbolicMove SymbolicView::reshape(ArrayRef<Bounds> symbols, ArrayRef<Dim> newShape) const {
  Dim count = 1;
  for (auto [axis, size] : enumerate(newShape)) {
    if (!size.isNonNegative(symbols))
      return {std::nullopt, "a size may be negative or reach 2^62: axis " + std::to_string(axis)};
    count = count * size;
  }
  if (!count.isValid() || count != getNumElements())
    return {std::nullopt, "the number of elements may change"};
  if (count == Dim(0) || (isAllMasked() && !newShape.empty()))
    return {count == Dim(0) ? contiguous(symbols, newShape) : nothing(symbols, newShape), {}};

  SmallVector<Axis> old = axesOf(*this), result;
  SmallVector<size_t> places; // in newShape, of the sizes that are not 1
  for (auto [axis, size] : enumerate(newShape))
    if (size != Dim(1))
      places.push_back(axis);
  // Shortest runs from the left with equal products: with k old axes taken, some number of new ones, or take one more.
  size_t nextOld = 0, nextNew = 0;
  while (nextOld < old.size() || nextNew < places.size()) {
    size_t endOld = nextOld, endNew = nextNew;
    bool found = false;
    Dim oldProduct = 1;
    for (endOld = nextOld + 1; endOld <= old.size() && !found; ++endOld) {
      oldProduct = oldProduct * old[endOld - 1].size;
      Dim newProduct = 1;
      for (endNew = nextNew; endNew <= places.size(); ++endNew) {
        if (endNew > nextNew)
          newProduct = newProduct * newShape[places[endNew - 1]];
        // An axis of size 1 that is sometimes masked takes no new axis, unless one is left to carry its mask.
        if (oldProduct == newProduct && endNew > nextNew) {
          found = true;
          break;
        }
      }
      if (found)
        break;
    }
    if (!found)
      return {};
    Axis run = old[nextOld];
    for (size_t k = nextOld + 1; k < endOld; ++k)
      if (!join(run, old[k]))
        return {};
    if (endOld - nextOld == 1 && endNew - nextNew == 1) {
      result.push_back(run);
    } else {
      Dims sizes;
      for (size_t k = nextNew; k < endNew; ++k)
        sizes.push_back(newShape[places[k]]);
      if (!split(run, sizes, result))
        return {};
    }
    nextOld = endOld;
    nextNew = endNew;
  }
  SmallVector<Axis> axes;
  for (size_t axis = 0, k = 0; axis < newShape.size(); ++axis)
    axes.push_back(newShape[axis] == Dim(1) ? Axis{1, 0, {0, 1}} : result[k++]);
  return {build(symbols, axes, offset), {}};
}

std::optional<SymbolicView> tiny::mergeViews(ArrayRef<Bounds> symbols, const SymbolicView &inner,
                                             const SymbolicView &outer) {
  std::optional<View> staticInner = inner.toStatic(), staticOuter = outer.toStatic();
  if (staticInner && staticOuter) {
    std::optional<View> merged = mergeViews(*staticInner, *staticOuter);
    return merged ? std::optional<SymbolicView>(SymbolicView::fromStatic(*merged)) : std::nullopt;
  }
  // Nothing read is nothing read. (A scalar has no axis that could say so.)
  if ((inner.isAllMasked() || outer.isAllMasked()) && outer.getRank() > 0)
    return nothing(symbols, outer.getShape());
  // A pure change of shape.
  if (outer.isContiguous() && outer.getNumElements() == inner.getNumElements())
    if (SymbolicMove reshaped = inner.reshape(symbols, outer.getShape()); reshaped.view)
      return reshaped.view;
  // Positions that map to positions by one stride.
  SymbolicView line = inner.joinAxes(symbols);
  if (line.getRank() > 1 || line.hasMask())
    return std::nullopt;
  Dim stride = line.getRank() == 0 ? Dim(0) : line.getStrides()[0];
  SymbolicView::Dims strides;
  for (const Dim &outerStride : outer.getStrides())
    strides.push_back(outerStride * stride);
  return SymbolicView::get(symbols, outer.getShape(), strides, outer.getOffset() * stride + line.getOffset(),
                           outer.getMask());
}
