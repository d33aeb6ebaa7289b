// What a split of a schedule does to a nest.
#include "NestMath.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace tiny::cost {

/// The bits of a set of axes after an axis was put in at this place. Where the axis before it was in the set, so is it.
static uint64_t insertBit(uint64_t bits, size_t place, bool isIn) {
  uint64_t below = (uint64_t(1) << place) - 1;
  return (bits & below) | (bits & ~below) << 1 | uint64_t(isIn) << place;
}

void splitAxis(Nest &nest, size_t axis, int64_t factor, AxisRole role) {
  assert(nest.axes.size() < 64 && "axes are bits");
  size_t place = role == AxisRole::Loop ? axis + 1 : nest.axes.size();
  NestAxis inner = nest.axes[axis];
  bool isPadded = inner.isPadded || inner.trips % factor != 0;
  nest.axes[axis].trips = llvm::divideCeil(inner.trips, factor);
  nest.axes[axis].isPadded = inner.isPadded = isPadded;
  inner.trips = factor;
  inner.role = role;
  nest.axes.insert(nest.axes.begin() + place, inner);
  for (NestAccess &access : nest.accesses) {
    std::optional<int64_t> stride = access.strides[axis];
    bool widens = role != AxisRole::Loop && contains(access.around, axis);
    if (widens) {
      for (std::optional<int64_t> &other : access.strides)
        if (other)
          *other *= factor;
      access.bufferBytes *= factor;
      stride = 1;
    } else if (stride) {
      access.strides[axis] = *stride * factor;
    }
    access.strides.insert(access.strides.begin() + place, stride);
    access.gate = insertBit(access.gate, place, contains(access.gate, axis));
    for (uint64_t &axes : access.comparisons)
      axes = insertBit(axes, place, contains(axes, axis));
    access.divided = insertBit(access.divided, place, contains(access.divided, axis));
    access.around = insertBit(access.around, place, false);
  }
  for (NestWork &work : nest.work)
    work.axes = insertBit(work.axes, place, contains(work.axes, axis));
}

std::optional<size_t> findAxis(const Nest &nest, int64_t id) {
  const auto *found = llvm::find_if(nest.axes, [&](const NestAxis &axis) { return axis.id == id; });
  return found == nest.axes.end() ? std::nullopt : std::optional<size_t>(found - nest.axes.begin());
}

} // namespace tiny::cost
