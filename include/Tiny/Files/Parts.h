// The parts of a tensor that the ranks of a grid have.
#ifndef TINY_FILES_PARTS_H
#define TINY_FILES_PARTS_H

#include "Tiny/Files/HostTensor.h"

#include <optional>

namespace tiny::files {

/// How one axis is cut: axes of the grid, one after the other, cut it into equal parts, of which the last ones are
/// padded.
struct Cut {
  int64_t whole;
  std::vector<uint32_t> axes;
};

/// A tensor of which each rank has a part: a cut for each axis. Where `stage` is not negative only ranks at that place
/// on the grid's axis `stageAxis` have something.
struct Parts {
  std::vector<int64_t> grid;
  std::vector<Cut> cuts;
  int64_t stage = -1;
  uint32_t stageAxis = 0;

  bool isAt(const std::vector<int64_t> &place) const { return stage < 0 || place[stageAxis] == stage; }
};

/// Copies the part of the rank at this place in the grid, of shape `local`, out of the whole tensor's elements of
/// `width` bytes, or into them. What pads the part stays as it is. A rank that has nothing puts nothing back.
void copyPart(const char *whole, const Parts &parts, const std::vector<int64_t> &place,
              const std::vector<int64_t> &local, char *part, int64_t width);
void copyBack(const char *part, const Parts &parts, const std::vector<int64_t> &place,
              const std::vector<int64_t> &local, char *whole, int64_t width);
/// Where the rank's part begins in the whole tensor, in bytes, if it lies there in one piece and has no padding.
std::optional<uint64_t> findPart(const Parts &parts, const std::vector<int64_t> &place,
                                 const std::vector<int64_t> &local, int64_t width);
/// The part of the rank at this place in the grid, of shape `local`; zeros where it is padded. Of a mapped file no more
/// is in memory than the part and a few pages. `mayShare`: what lies in one piece may stay where it is, since nobody
/// else sees this process's memory.
HostTensor cutTensor(const HostTensor &whole, const Parts &parts, const std::vector<int64_t> &place,
                     const std::vector<int64_t> &local, bool mayShare = false);
/// Puts the part of a rank where it belongs in the whole tensor.
void pasteTensor(const HostTensor &part, const Parts &parts, const std::vector<int64_t> &place, HostTensor &whole);
/// The place of a rank, which count row-major.
std::vector<int64_t> getPlace(const std::vector<int64_t> &grid, uint32_t rank);

} // namespace tiny::files

#endif // TINY_FILES_PARTS_H
