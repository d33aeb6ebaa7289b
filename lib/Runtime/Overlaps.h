// Which of a run's buffers share memory: found for all of them at once.
#ifndef TINY_LIB_RUNTIME_OVERLAPS_H
#define TINY_LIB_RUNTIME_OVERLAPS_H

#include "Device.h"

#include <algorithm>
#include <array>

namespace tiny {
namespace runtime {

/// What a run does with a buffer.
enum class BufferUse {
  Read,
  Written, ///< an argument that is
  Result,
  InPlace ///< a result that is the part of a written argument which the program says
};

/// Collects the buffers of a run, and finds in the order of their addresses which uses meet: in n log n steps, where
/// comparing each two would take longer than small kernels.
class Overlaps {
public:
  Overlaps(const tiny_device &device, size_t count) : device(device) { ranges.reserve(count); }

  void add(const Region &region, BufferUse use) {
    Place place = device.place(region);
    if (region.size)
      ranges.push_back({place, place.begin + region.size, use});
  }

  void find() {
    std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.place < b.place; });
    // By use, how far those reach that begin here or before.
    std::array<uint64_t, 4> ends = {};
    const void *space = nullptr;
    for (const Range &range : ranges) {
      if (range.place.space != space)
        ends = {};
      space = range.place.space;
      auto meets = [&](BufferUse use) { return ends[size_t(use)] > range.place.begin; };
      bool meetsRead = meets(BufferUse::Read), meetsWritten = meets(BufferUse::Written);
      bool meetsResult = meets(BufferUse::Result), meetsInPlace = meets(BufferUse::InPlace);
      switch (range.use) {
      case BufferUse::Read:
        writtenArgument |= meetsWritten;
        argumentAndResult |= meetsResult;
        break;
      case BufferUse::Written:
        writtenArgument |= meetsRead || meetsWritten;
        argumentAndResult |= meetsResult;
        break;
      case BufferUse::Result:
        argumentAndResult |= meetsRead || meetsWritten;
        [[fallthrough]];
      case BufferUse::InPlace:
        twoResults |= meetsResult || meetsInPlace;
        break;
      }
      ends[size_t(range.use)] = std::max(ends[size_t(range.use)], range.end);
    }
  }

  /// A written argument and another one; an argument and a result that is not in place; two results.
  bool writtenArgument = false, argumentAndResult = false, twoResults = false;

private:
  struct Range {
    Place place;
    uint64_t end;
    BufferUse use;
  };
  const tiny_device &device;
  std::vector<Range> ranges;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_OVERLAPS_H
