// Keeps for each element its last write and its last reads.
#include "Races.h"

namespace tiny::reference {

bool Races::isOrdered(const Touch &touch, const Touch &now) const {
  if (touch.epoch < firstEpoch)
    return false;
  return touch.epoch < settled ||
         (!seen.empty() && touch.epoch < seen[now.lane % seen.size()][touch.lane % seen.size()]);
}

void Races::release(unsigned lane, unsigned nLanes, Clock &clock) {
  clock.resize(nLanes);
  if (!seen.empty())
    for (unsigned other = 0; other < nLanes; ++other)
      clock[other] = std::max(clock[other], seen[lane][other]);
  clock[lane] = ++epoch;
}

void Races::acquire(unsigned lane, unsigned nLanes, const Clock &clock) {
  seen.resize(nLanes, Clock(nLanes));
  for (unsigned other = 0; other < clock.size(); ++other)
    seen[lane][other] = std::max(seen[lane][other], clock[other]);
}

bool Races::races(const Touch &before, const Touch &now) const {
  if (before.epoch == 0 || before.lane == now.lane || isOrdered(before, now))
    return false;
  if (before.access == Access::Read && now.access == Access::Read)
    return false;
  return before.access != Access::Atomic || now.access != Access::Atomic;
}

std::optional<Touch> Races::touch(const Memory *memory, int64_t index, uint32_t lane, uint32_t instruction,
                                  Access access) {
  std::vector<Cell> &cells = shadows[memory];
  if (cells.size() <= static_cast<size_t>(index))
    cells.resize(index + 1);
  Cell &cell = cells[index];
  Touch now{lane, epoch, instruction, access};
  for (const Touch *before : {&cell.written, &cell.read, &cell.otherRead, &cell.olderRead})
    if (races(*before, now))
      return *before;
  if (access != Access::Read) {
    cell.written = now;
    return std::nullopt;
  }
  if (cell.read.epoch != 0 && cell.read.lane != lane) {
    if (cell.read.epoch < firstEpoch)
      cell.olderRead = cell.read;
    else
      cell.otherRead = cell.read;
  }
  cell.read = now;
  return std::nullopt;
}

} // namespace tiny::reference
