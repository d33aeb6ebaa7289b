// Keeps for each element its last write and its last reads.
#include "Races.h"

namespace tiny::reference {

bool Races::races(const Touch &before, const Touch &now) const {
  if (before.epoch == 0 || before.lane == now.lane || isOrdered(before))
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
