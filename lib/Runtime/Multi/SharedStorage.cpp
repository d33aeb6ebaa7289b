// Copies between the devices of one storage, and the map of who has what.
#include "SharedStorage.h"

using namespace tiny::runtime;

SharedStorage::SharedStorage(const std::vector<tiny_device *> &members, uint64_t size, uint64_t address)
    : size(size), address(address), members(members), copies(members.size()), exists(members.size()) {
  parts[0] = 0;
}

SharedStorage::~SharedStorage() {
  for (size_t member = 0; member < members.size(); ++member)
    if (exists[member])
      members[member]->freeCounted(copies[member]);
}

tiny_status SharedStorage::allocate(uint32_t member) {
  if (exists[member])
    return TINY_OK;
  copies[member].size = size;
  if (tiny_status status = members[member]->allocateCounted(copies[member]))
    return status;
  exists[member] = true;
  return TINY_OK;
}

std::map<uint64_t, uint32_t>::iterator SharedStorage::split(uint64_t offset) {
  auto behind = parts.upper_bound(offset);
  auto part = std::prev(behind);
  return part->first == offset ? part : parts.emplace_hint(behind, offset, part->second);
}

void SharedStorage::mark(uint64_t offset, uint64_t bytes, uint32_t mask) {
  auto first = split(offset), end = offset + bytes < size ? split(offset + bytes) : parts.end();
  parts.erase(std::next(first), end);
  first->second = mask;
}

tiny_status SharedStorage::transfer(uint32_t from, uint32_t to, uint64_t offset, uint64_t bytes) {
  return copyBetween(*members[from], {&copies[from], offset, bytes}, *members[to], {&copies[to], offset, bytes});
}

tiny_status SharedStorage::update(uint32_t member, uint64_t offset, uint64_t bytes) {
  if (!bytes)
    return TINY_OK;
  uint32_t bit = uint32_t(1) << member;
  auto part = split(offset), end = offset + bytes < size ? split(offset + bytes) : parts.end();
  for (; part != end; ++part) {
    if ((part->second & bit) || !part->second)
      continue;
    auto next = std::next(part);
    uint64_t behind = next == parts.end() ? size : next->first;
    auto from = uint32_t(__builtin_ctz(part->second));
    if (tiny_status status = transfer(from, member, part->first, behind - part->first))
      return status;
    part->second |= bit;
  }
  return TINY_OK;
}

tiny_status SharedStorage::getForReading(uint32_t member, uint64_t offset, uint64_t bytes, Region &region) {
  std::lock_guard<std::mutex> lock(mutex);
  if (tiny_status status = allocate(member))
    return status;
  region = {&copies[member], offset, bytes};
  return update(member, offset, bytes);
}

tiny_status SharedStorage::getForWriting(uint32_t member, uint64_t offset, uint64_t bytes, bool keeps, Region &region) {
  std::lock_guard<std::mutex> lock(mutex);
  if (tiny_status status = allocate(member))
    return status;
  if (keeps)
    if (tiny_status status = update(member, offset, bytes))
      return status;
  region = {&copies[member], offset, bytes};
  if (bytes)
    mark(offset, bytes, uint32_t(1) << member);
  return TINY_OK;
}

uint32_t SharedStorage::findOwner(uint64_t offset, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!bytes)
    return 0;
  uint32_t mask = ~uint32_t(0);
  auto end = parts.lower_bound(offset + bytes);
  for (auto part = std::prev(parts.upper_bound(offset)); part != end; ++part)
    mask &= part->second ? part->second : ~uint32_t(0);
  mask &= members.size() < kMostMembers ? (uint32_t(1) << members.size()) - 1 : ~uint32_t(0);
  return mask ? uint32_t(__builtin_ctz(mask)) : 0;
}
