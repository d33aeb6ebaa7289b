// What lanes did to each element since lanes last waited for each other: two that touch one, of which one writes, race.
#ifndef TINY_LIB_REFERENCE_UOP_RACES_H
#define TINY_LIB_REFERENCE_UOP_RACES_H

#include "../Session.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace tiny::reference {

/// How an element is touched. Two atomic operations never race.
enum class Access : uint8_t { Read, Write, Atomic };

/// One lane's access to one element.
struct Touch {
  /// Counted through all workgroups.
  uint32_t lane = 0;
  /// 0 for none: epochs begin at 1.
  uint32_t epoch = 0;
  uint32_t instruction = 0;
  Access access = Access::Read;
};

/// The accesses to memory of a launch. An epoch ends where lanes wait for each other, and where a workgroup ends.
class Races {
public:
  /// An access that may come before or after this one; none where there is no race.
  std::optional<Touch> touch(const Memory *memory, int64_t index, uint32_t lane, uint32_t instruction, Access access);

  void passBarrier() { settled = ++epoch; }
  void beginWorkgroup() {
    firstEpoch = settled = ++epoch;
    seen.clear();
  }

  /// Up to which epoch what each lane of the workgroup did comes before something.
  using Clock = std::vector<uint32_t>;
  /// What the lane of the workgroup did, and has seen, comes before what gets the clock.
  void release(unsigned lane, unsigned nLanes, Clock &clock);
  /// The lane has seen what the clock says.
  void acquire(unsigned lane, unsigned nLanes, const Clock &clock);
  /// Tiles end with their workgroup.
  void forget(const Memory *memory) { shadows.erase(memory); }

private:
  struct Cell {
    Touch written;
    /// The last reads of two lanes of one workgroup, and the last one of a workgroup before.
    Touch read, otherRead, olderRead;
  };

  /// Lanes of other workgroups never waited for this one.
  bool isOrdered(const Touch &touch, const Touch &now) const;
  bool races(const Touch &before, const Touch &now) const;

  /// What came before `settled` all lanes of the workgroup have seen.
  uint32_t epoch = 0, firstEpoch = 0, settled = 0;
  /// Of each lane of the workgroup, where lanes wait for some others.
  std::vector<Clock> seen;
  llvm::DenseMap<const Memory *, std::vector<Cell>> shadows;
};

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_UOP_RACES_H
