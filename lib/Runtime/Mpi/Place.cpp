// The memory that ranks of a machine share, and what it says of them.
#include "Place.h"

#include <cstdio>
#include <cstring>

namespace tiny::mpi {

/// All of a call but its count and its group. A message is the same for the rank that sends it and the one that takes
/// it.
static uint64_t packKind(const tiny_group_call &call) {
  return uint64_t(call.kind) << 32 | uint64_t(call.reduction) << 16 | uint64_t(call.dtype);
}

/// FNV-1a.
static uint64_t hashGroup(const tiny_group_call &call) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint32_t k = 0; k < call.n_ranks; ++k)
    hash = (hash ^ call.ranks[k]) * 0x100000001b3;
  return hash;
}

void Place::enter(const tiny_group_call &call) {
  uint64_t number = count.load() + 1;
  Visit &visit = visits[number % kVisits];
  visit.number = 0;
  visit.kind = packKind(call);
  visit.count = call.count;
  visit.group = hashGroup(call);
  visit.number = number;
  count = number;
}

bool Place::differs(const Place &other, tiny_group_call &seen) const {
  uint64_t number = other.count.load();
  const Visit &own = visits[number % kVisits], &others = other.visits[number % kVisits];
  if (own.number.load() != number)
    return false;
  uint64_t kind = own.kind.load(), size = own.count.load(), group = own.group.load();
  // It has been written again in the meantime.
  if (own.number.load() != number)
    return false;
  seen.kind = tiny_collective_kind(kind >> 32);
  seen.reduction = tiny_reduction(kind >> 16 & 0xffff);
  seen.dtype = tiny_dtype(kind & 0xffff);
  seen.count = size;
  return kind != others.kind.load() || size != others.count.load() || group != others.group.load();
}

bool tellFirst(const std::vector<Place *> &places) {
  for (Place *place : places)
    if (place)
      return place->isTold.exchange(1) == 0;
  return true;
}

bool isStopped(int process) {
  char path[64], text[512];
  std::snprintf(path, sizeof(path), "/proc/%d/stat", process);
  FILE *file = std::fopen(path, "r");
  if (!file)
    return false;
  size_t length = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  text[length] = 0;
  // "process (name) state ...", and a name may have parentheses.
  const char *end = std::strrchr(text, ')');
  return end && length > size_t(end - text) + 2 && (end[2] == 'T' || end[2] == 't');
}

std::string nameRanks(const std::vector<uint32_t> &ranks) {
  std::string names = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t k = 0; k < ranks.size(); ++k)
    names += (k ? ", " : "") + std::to_string(ranks[k]);
  return names;
}

} // namespace tiny::mpi
