// Copies boxes between a whole tensor and the part of a rank.
#include "Tiny/Files/Parts.h"

#include <algorithm>
#include <cstring>

namespace tiny::files {

namespace {

/// Where the elements of a part begin in the whole axis, and how many there are.
struct Range {
  int64_t begin, count;
};

Range getRange(const Cut &cut, const std::vector<int64_t> &grid, const std::vector<int64_t> &place) {
  Range range = {0, cut.whole};
  int64_t size = cut.whole;
  for (uint32_t axis : cut.axes) {
    int64_t part = size / grid[axis] + (size % grid[axis] != 0), offset = part * place[axis];
    range.begin += offset;
    range.count = std::clamp<int64_t>(range.count - offset, 0, part);
    size = part;
  }
  return range;
}

/// A tensor with one part of it that is a box.
class Box {
public:
  Box(const Parts &parts, const std::vector<int64_t> &place) {
    for (const Cut &cut : parts.cuts)
      ranges.push_back(getRange(cut, parts.grid, place));
  }
  /// Copies the box from one tensor to the other; in that of shape `whole` it begins where its ranges do, in the other
  /// at 0.
  void copy(const char *source, bool fromWhole, const std::vector<int64_t> &whole, const std::vector<int64_t> &local,
            char *target, int64_t width) const {
    for (const Range &range : ranges)
      if (range.count == 0)
        return;
    copyAxis(0, 0, 0, source, fromWhole, whole, local, target, width);
  }

private:
  void copyAxis(size_t axis, int64_t wholeAt, int64_t localAt, const char *source, bool fromWhole,
                const std::vector<int64_t> &whole, const std::vector<int64_t> &local, char *target,
                int64_t width) const {
    bool isLast = axis + 1 >= ranges.size();
    if (isLast) {
      Range range = ranges.empty() ? Range{0, 1} : ranges.back();
      int64_t from = wholeAt * (ranges.empty() ? 1 : whole[axis]) + range.begin,
              to = localAt * (ranges.empty() ? 1 : local[axis]);
      if (!fromWhole)
        std::swap(from, to);
      std::memcpy(target + to * width, source + from * width, size_t(range.count * width));
      return;
    }
    for (int64_t k = 0; k < ranges[axis].count; ++k)
      copyAxis(axis + 1, wholeAt * whole[axis] + ranges[axis].begin + k, localAt * local[axis] + k, source, fromWhole,
               whole, local, target, width);
  }

  std::vector<Range> ranges;
};

} // namespace

static std::vector<int64_t> getWholeShape(const Parts &parts) {
  std::vector<int64_t> shape;
  shape.reserve(parts.cuts.size());
  for (const Cut &cut : parts.cuts)
    shape.push_back(cut.whole);
  return shape;
}

void copyPart(const char *whole, const Parts &parts, const std::vector<int64_t> &place,
              const std::vector<int64_t> &local, char *part, int64_t width) {
  Box(parts, place).copy(whole, true, getWholeShape(parts), local, part, width);
}

void copyBack(const char *part, const Parts &parts, const std::vector<int64_t> &place,
              const std::vector<int64_t> &local, char *whole, int64_t width) {
  Box(parts, place).copy(part, false, getWholeShape(parts), local, whole, width);
}

HostTensor cutTensor(const HostTensor &whole, const Parts &parts, const std::vector<int64_t> &place,
                     const std::vector<int64_t> &local) {
  HostTensor part = HostTensor::zeros(whole.dtype, local);
  copyPart(whole.bytes.data(), parts, place, local, part.bytes.data(), int64_t(tiny_dtype_size(whole.dtype)));
  return part;
}

void pasteTensor(const HostTensor &part, const Parts &parts, const std::vector<int64_t> &place, HostTensor &whole) {
  copyBack(part.bytes.data(), parts, place, part.shape, whole.bytes.data(), int64_t(tiny_dtype_size(whole.dtype)));
}

std::vector<int64_t> getPlace(const std::vector<int64_t> &grid, uint32_t rank) {
  std::vector<int64_t> place(grid.size());
  int64_t rest = rank;
  for (size_t axis = grid.size(); axis-- > 0; rest /= grid[axis])
    place[axis] = rest % grid[axis];
  return place;
}

} // namespace tiny::files
