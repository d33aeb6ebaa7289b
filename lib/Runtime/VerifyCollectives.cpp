// What can be wrong with collectives, and with waits for them.
#include "ProgramVerifier.h"

#include <algorithm>
#include <cstring>

using namespace tiny::runtime;

/// Nothing touches what an async collective writes, or writes what it reads, before a wait.
tiny_status Verifier::checkPending(uint32_t slot, bool isWritten) {
  for (const PendingCollective &other : pending)
    if (overlap(slot, other.target) || (isWritten && overlap(slot, other.source)))
      return invalid("slot %u is used while an async collective from slot %u to slot %u runs", slot, other.source,
                     other.target);
  return TINY_OK;
}

/// Source and target have the sizes that the kind gives, and do not overlap.
tiny_status Verifier::checkCollective(const tiny_item &item) {
  if (!item.collective || (item.collective->n_axes && !item.collective->axes))
    return invalid("a collective is not described");
  const tiny_collective &what = *item.collective;
  bool reduces = what.kind == TINY_ALL_REDUCE || what.kind == TINY_REDUCE_SCATTER;
  if (uint32_t(what.kind) > TINY_SEND || uint32_t(what.reduction) > TINY_REDUCE_MIN ||
      reduces != (what.reduction != TINY_REDUCE_NONE))
    return invalid("collective of unknown kind %d with reduction %d", int(what.kind), int(what.reduction));
  // As a number: a caller may give one that the type has not.
  uint32_t dtype = 0;
  static_assert(sizeof(dtype) == sizeof(what.dtype));
  std::memcpy(&dtype, &what.dtype, sizeof(dtype));
  if (dtype > TINY_DTYPE_F8E5M2)
    return invalid("collective on elements of unknown type %d", int(dtype));
  std::vector<bool> seen(program.grid.size());
  uint64_t ranks = 1, width = tiny_dtype_size(what.dtype);
  for (uint32_t k = 0; k < what.n_axes; ++k) {
    uint32_t axis = what.axes[k];
    if (axis >= seen.size() || seen[axis])
      return invalid("collective along axis %u, which the grid of %zu axes has not, or twice", axis, seen.size());
    seen[axis] = true;
    ranks *= uint64_t(program.grid[axis]);
  }
  if (what.kind == TINY_SEND && (what.peers[0] >= ranks || what.peers[1] >= ranks || what.peers[0] == what.peers[1]))
    return invalid("message from place %u to place %u of %llu", what.peers[0], what.peers[1], ull(ranks));
  if (tiny_status status = checkRead(item.source))
    return status;
  if (tiny_status status = checkWrite(item.slot))
    return status;
  uint64_t from = program.slots[item.source].size, to = program.slots[item.slot].size;
  bool fits = what.kind == TINY_ALL_GATHER       ? to % ranks == 0 && to / ranks == from
              : what.kind == TINY_REDUCE_SCATTER ? from % ranks == 0 && from / ranks == to
                                                 : from == to;
  if (!fits || from % width || to % width || (what.kind == TINY_ALL_TO_ALL && from % (ranks * width)))
    return invalid("collective of kind %d among %llu ranks from slot %u of %llu bytes to slot %u of %llu bytes",
                   int(what.kind), ull(ranks), item.source, ull(from), item.slot, ull(to));
  if (overlap(item.source, item.slot))
    return invalid("collective from slot %u to slot %u, which overlap", item.source, item.slot);
  if (program.slots[item.source].device != program.slots[item.slot].device)
    return invalid("collective from slot %u on '%s' to slot %u on '%s'", item.source, nameDevice(item.source),
                   item.slot, nameDevice(item.slot));
  Step step(TINY_ITEM_COLLECTIVE);
  step.slots = {item.source, item.slot};
  step.nInputs = 1;
  step.collective = what.kind;
  step.reduction = what.reduction;
  step.dtype = what.dtype;
  std::copy_n(what.peers, 2, step.peers);
  if (what.n_axes)
    step.axes.assign(what.axes, what.axes + what.n_axes);
  step.isAsync = what.async != 0;
  program.steps.push_back(std::move(step));
  markWritten(item.slot);
  if (what.async)
    pending.push_back({item.source, item.slot, item.places, open.empty() ? kNoStep : open.back().step,
                       open.empty() ? -1 : open.back().otherwise});
  return TINY_OK;
}

tiny_status Verifier::checkWait(const tiny_item &item) {
  uint32_t owner = open.empty() ? kNoStep : open.back().step;
  int64_t otherwise = open.empty() ? -1 : open.back().otherwise;
  for (size_t k = 0; k < pending.size(); ++k) {
    const PendingCollective &begun = pending[k];
    if (begun.source != item.source || begun.target != item.slot || begun.owner != owner ||
        begun.otherwise != otherwise)
      continue;
    if (begun.places != item.places)
      return invalid("waits for a collective of other stages");
    Step step(TINY_ITEM_WAIT);
    step.slots = {item.source, item.slot};
    step.nInputs = 1;
    program.steps.push_back(std::move(step));
    pending.erase(pending.begin() + std::ptrdiff_t(k));
    return TINY_OK;
  }
  return invalid("waits for an async collective from slot %u to slot %u, and none of its list runs", item.source,
                 item.slot);
}
