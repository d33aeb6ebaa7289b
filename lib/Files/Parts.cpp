// Copies boxes between a whole tensor and the part of a rank.
#include "Tiny/Files/Parts.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

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
  /// Element of the whole tensor from which on the box lies in one piece: behind the axes of which it has one place,
  /// one may be cut, and those behind that are whole.
  std::optional<int64_t> findPiece(const std::vector<int64_t> &whole, const std::vector<int64_t> &local) const {
    int64_t begin = 0;
    bool isOpen = false;
    for (size_t axis = 0; axis < ranges.size(); ++axis) {
      const Range &range = ranges[axis];
      if (range.count != local[axis] || range.count == 0 || (isOpen && range.count != whole[axis]))
        return std::nullopt;
      isOpen |= range.count > 1;
      begin = begin * whole[axis] + range.begin;
    }
    return begin;
  }
  /// Places of the first axis that the box has, and the same box with some of them alone.
  Range getRows() const { return ranges.empty() ? Range{0, 1} : ranges.front(); }
  Box takeRows(int64_t first, int64_t count) const {
    Box some = *this;
    some.ranges.front() = {getRows().begin + first, count};
    return some;
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
  if (parts.isAt(place))
    Box(parts, place).copy(part, false, getWholeShape(parts), local, whole, width);
}

std::optional<uint64_t> findPart(const Parts &parts, const std::vector<int64_t> &place,
                                 const std::vector<int64_t> &local, int64_t width) {
  std::optional<int64_t> begin = Box(parts, place).findPiece(getWholeShape(parts), local);
  return begin ? std::optional(uint64_t(*begin * width)) : std::nullopt;
}

/// Bytes of a file that are in memory at one time, beside the part that is copied out of them.
static constexpr int64_t kWindow = 4 << 20;

/// Takes whole pages of a file out of this process's memory; who reads them again finds them in the file.
static void dropPages(const HostBytes &file, int64_t begin, int64_t end) {
  static const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t base = reinterpret_cast<uintptr_t>(file.data());
  uintptr_t first = (base + uintptr_t(begin) + page - 1) / page * page, last = (base + uintptr_t(end)) / page * page;
  if (first < last)
    madvise(const_cast<char *>(file.data()) + (first - base), last - first, MADV_DONTNEED);
}

/// Copies some rows at a time and drops their pages: the kernel maps pages around one that is read.
static void copyFromFile(const HostTensor &whole, const Parts &parts, const std::vector<int64_t> &place,
                         HostTensor &part) {
  std::vector<int64_t> shape = getWholeShape(parts);
  int64_t width = int64_t(tiny_dtype_size(whole.dtype)), row = width, localRow = width;
  for (size_t axis = 1; axis < shape.size(); ++axis) {
    row *= shape[axis];
    localRow *= part.shape[axis];
  }
  Box box(parts, place);
  int64_t rows = box.getRows().count, step = std::max<int64_t>(1, kWindow / std::max<int64_t>(row, 1));
  for (int64_t first = 0; first < rows; first += step) {
    int64_t count = std::min(step, rows - first), begin = (box.getRows().begin + first) * row;
    box.takeRows(first, count)
        .copy(whole.bytes.data(), true, shape, part.shape, part.bytes.data() + first * localRow, width);
    dropPages(whole.bytes, begin, begin + count * row);
  }
}

HostTensor cutTensor(const HostTensor &whole, const Parts &parts, const std::vector<int64_t> &place,
                     const std::vector<int64_t> &local, bool mayShare) {
  int64_t width = int64_t(tiny_dtype_size(whole.dtype));
  std::optional<uint64_t> piece = findPart(parts, place, local, width);
  if (mayShare && piece && whole.bytes.isShared()) {
    HostTensor part;
    part.dtype = whole.dtype;
    part.shape = local;
    uint64_t bytes = uint64_t(width);
    for (int64_t size : local)
      bytes *= uint64_t(size);
    part.bytes = whole.bytes.share(*piece, bytes);
    return part;
  }
  HostTensor part = HostTensor::zeros(whole.dtype, local);
  if (!whole.bytes.isOfFile() || local.empty())
    copyPart(whole.bytes.data(), parts, place, local, part.bytes.data(), width);
  else
    copyFromFile(whole, parts, place, part);
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
