// Runs workgroups one after the other, and in each the groups of lanes that branched apart.
#include "Machine.h"

#include <algorithm>

namespace fake {

/// Instructions of one workgroup, after which it is taken for one that never ends.
static constexpr uint64_t kMostSteps = uint64_t(1) << 32;

void runBranch(Machine &, const Instruction &, const Lanes &) {}
void runReturn(Machine &, const Instruction &, const Lanes &) {}
void runBarrier(Machine &, const Instruction &, const Lanes &) {}

void Machine::fail(int result, const Instruction &instruction, const std::string &what) const {
  throw PtxError(result, "kernel '" + kernel->name + "', line " + std::to_string(instruction.line) + ", workgroup (" +
                             std::to_string(place[0]) + ", " + std::to_string(place[1]) + ", " +
                             std::to_string(place[2]) + "): " + what);
}

void Machine::setSpecial(unsigned number, const uint32_t *values, uint32_t value) {
  uint32_t slot = kernel->specials[number];
  if (slot == kNone)
    return;
  auto *array = at<uint32_t>(slot);
  for (unsigned lane = 0; lane < nLanes; ++lane)
    array[lane] = values ? values[lane] : value;
}

void Machine::prepare() {
  nLanes = grid->lanes[0] * grid->lanes[1] * grid->lanes[2];
  // Each array begins at a cache line where the lanes are many.
  pitch = (nLanes + 63) / 64 * 64;
  storage.assign(size_t(kernel->registerBytes) * pitch + 64, char(0xA5));
  file = storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64;
  for (const Constant &constant : kernel->constants)
    for (unsigned lane = 0; lane < nLanes; ++lane)
      set(constant.slot, constant.bytes, lane, constant.value);
  std::vector<uint32_t> position(nLanes);
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (unsigned lane = 0; lane < nLanes; ++lane)
      position[lane] = axis == 0   ? lane % grid->lanes[0]
                       : axis == 1 ? lane / grid->lanes[0] % grid->lanes[1]
                                   : lane / grid->lanes[0] / grid->lanes[1];
    setSpecial(axis, position.data(), 0);
    setSpecial(6 + axis, nullptr, grid->lanes[axis]);
    setSpecial(9 + axis, nullptr, grid->groups[axis]);
  }
  for (unsigned lane = 0; lane < nLanes; ++lane)
    position[lane] = lane % 32;
  setSpecial(12, position.data(), 0);
  for (unsigned lane = 0; lane < nLanes; ++lane)
    position[lane] = lane / 32;
  setSpecial(13, position.data(), 0);
}

void Machine::run(const PtxKernel &launched, const Grid &on, const std::vector<char> &with) {
  kernel = &launched;
  grid = &on;
  parameters = &with;
  lastBlock = nullptr;
  prepare();
  for (uint32_t z = 0; z < on.groups[2]; ++z)
    for (uint32_t y = 0; y < on.groups[1]; ++y)
      for (uint32_t x = 0; x < on.groups[0]; ++x) {
        const uint32_t position[3] = {x, y, z};
        runWorkgroup(position);
      }
}

void Machine::runWorkgroup(const uint32_t position[3]) {
  std::copy_n(position, 3, place);
  for (unsigned axis = 0; axis < 3; ++axis)
    setSpecial(3 + axis, nullptr, position[axis]);
  size_t sharedBytes = kernel->sharedBytes + grid->launchBytes;
  shared.assign(sharedBytes, char(0xA5));
  touches.assign(sharedBytes, Touch());
  local.assign(size_t(kernel->localBytes) * nLanes, char(0xA5));
  asyncGroups.assign(nLanes, 0);
  asyncCopies.clear();
  hasTouched = false;
  if (kernel->usesPhases)
    phases.reset(nLanes, sharedBytes);
  proxyFences.assign(kernel->usesWarpgroups || kernel->usesPhases ? nLanes : 0, 0);
  if (kernel->usesWarpgroups) {
    warpgroups.assign((nLanes + kWarpgroupLanes - 1) / kWarpgroupLanes, Warpgroup());
    sharedWrites.assign((sharedBytes + 15) / 16, Write());
    registerWrites.assign(size_t(kernel->registerBytes) * warpgroups.size(), 0);
  }
  groups.clear();
  waiting.clear();
  parked.clear();
  Lanes all;
  all.isFull = true;
  for (unsigned lane = 0; lane < nLanes; ++lane)
    all.numbers.push_back(uint16_t(lane));
  nLeft = nLanes;
  steps = 0;
  groups.push_back({kernel->begin, std::move(all)});
  while (!groups.empty() || !waiting.empty() || !parked.empty()) {
    if (groups.empty()) {
      parked.empty() ? releaseBarrier() : releasePhases();
      continue;
    }
    mergeLowest();
    runGroup();
  }
  if (kernel->usesPhases)
    phases.checkEnd(kernel->code.back());
}

/// Lanes wait for a phase that is not over. Those of their warpgroup wait with them, wherever they are: they meet again
/// behind it, as on a device, and what a warpgroup does together it does then.
void Machine::park(const Instruction &instruction) {
  std::vector<bool> waits(nLanes / kWarpgroupLanes + 1);
  for (uint16_t lane : current.numbers)
    if (!phases.isOver(instruction, lane))
      waits[lane / kWarpgroupLanes] = true;
  auto take = [&](uint32_t at, Lanes &lanes) {
    Lanes stay;
    std::vector<uint16_t> rest;
    for (uint16_t lane : lanes.numbers)
      (waits[lane / kWarpgroupLanes] ? stay.numbers : rest).push_back(lane);
    if (!stay.numbers.empty())
      parked.push_back({at, std::move(stay)});
    lanes.numbers = std::move(rest);
    lanes.isFull = lanes.numbers.size() == nLanes;
  };
  for (Group &group : groups)
    take(group.pc, group.lanes);
  groups.erase(std::remove_if(groups.begin(), groups.end(), [](Group &group) { return group.lanes.numbers.empty(); }),
               groups.end());
  take(pc, current);
  limit = findLimit();
}

/// Lanes go on whose phase is over. Copies run as long as there is none.
void Machine::releasePhases() {
  auto isFree = [&] {
    for (const Group &group : parked)
      if (const Instruction &wait = kernel->code[group.pc]; wait.run == runTryWait)
        for (uint16_t lane : group.lanes.numbers)
          if (phases.isOver(wait, lane))
            return true;
    return false;
  };
  while (!isFree())
    if (!phases.runOldest())
      for (const Group &group : parked)
        if (const Instruction &wait = kernel->code[group.pc]; wait.run == runTryWait)
          phases.failStuck(wait, group.lanes.numbers.front());
  std::swap(groups, parked);
  parked.clear();
}

void Machine::noteSharedWrite(uint64_t granule, unsigned lane) {
  // The fence of what lanes write is none of the device's.
  if (kernel->usesWarpgroups)
    sharedWrites[granule] = {steps, lane, /*isDevice=*/true};
}

void Machine::putShared(uint64_t address, const void *bytes, unsigned count) {
  std::memcpy(shared.data() + address, bytes, count);
  for (uint64_t k = address; k < address + count; ++k)
    touches[k].isWritten = true;
}

void Machine::put(uint32_t at, Lanes lanes) {
  if (!lanes.numbers.empty())
    groups.push_back({at, std::move(lanes)});
}

/// Takes the groups with the lowest place out, as one.
void Machine::mergeLowest() {
  pc = UINT32_MAX;
  for (const Group &group : groups)
    pc = std::min(pc, group.pc);
  current.numbers.clear();
  size_t taken = 0;
  for (size_t k = groups.size(); k-- > 0;) {
    if (groups[k].pc != pc)
      continue;
    if (taken++ == 0)
      std::swap(current.numbers, groups[k].lanes.numbers);
    else
      current.numbers.insert(current.numbers.end(), groups[k].lanes.numbers.begin(), groups[k].lanes.numbers.end());
    groups.erase(groups.begin() + ptrdiff_t(k));
  }
  if (taken > 1)
    std::sort(current.numbers.begin(), current.numbers.end());
  current.isFull = current.numbers.size() == nLanes;
  limit = findLimit();
}

uint32_t Machine::findLimit() const {
  uint32_t lowest = UINT32_MAX;
  for (const Group &group : groups)
    lowest = std::min(lowest, group.pc);
  return lowest;
}

/// The lanes whose guard holds.
const Lanes &Machine::select(const Instruction &instruction, const Lanes &lanes) {
  const auto *guards = at<uint8_t>(instruction.guard);
  selected.numbers.clear();
  rest.numbers.clear();
  for (uint16_t lane : lanes.numbers)
    (bool(guards[lane]) != instruction.guardInverted ? selected : rest).numbers.push_back(lane);
  selected.isFull = selected.numbers.size() == nLanes;
  rest.isFull = false;
  return selected;
}

void Machine::runGroup() {
  isRunning = true;
  while (isRunning && pc < limit) {
    const Instruction &instruction = kernel->code[pc];
    if (++steps > kMostSteps)
      fail(kLaunchFailed, instruction, "does not end");
    if (instruction.run == runBranch) {
      branch(instruction, current);
      continue;
    }
    const Lanes *active = &current;
    if (instruction.guard != kNone)
      active = &select(instruction, current);
    if (instruction.run == runReturn) {
      leave(*active);
      continue;
    }
    if (instruction.run == runTryWait) {
      if (active != &current && !rest.numbers.empty())
        fail(kLaunchFailed, instruction, "a wait that some lanes skip");
      park(instruction);
      if (current.numbers.empty())
        return;
      for (uint16_t lane : current.numbers) {
        phases.acquire(instruction, lane);
        set(instruction.d, 1, lane, 1);
      }
      ++pc;
      continue;
    }
    if (instruction.run == runBarrier) {
      if (active != &current && !rest.numbers.empty() && !active->numbers.empty())
        fail(kLaunchFailed, instruction, "a barrier that some lanes skip");
      ++pc;
      if (active->numbers.empty())
        continue;
      waiting.push_back({pc, current});
      return;
    }
    if (!active->numbers.empty()) {
      instruction.run(*this, instruction, *active);
      if (kernel->usesWarpgroups)
        noteWrites(instruction, *active);
    }
    ++pc;
  }
  if (isRunning)
    put(pc, current);
}

void Machine::noteWrites(const Instruction &instruction, const Lanes &lanes) {
  auto note = [&](uint32_t slot) {
    if (slot == kNone)
      return;
    for (size_t k = 0; k < lanes.numbers.size(); k += lanes.isFull ? kWarpgroupLanes : 1)
      registerWrites[size_t(slot) * warpgroups.size() + lanes.numbers[k] / kWarpgroupLanes] = steps;
  };
  note(instruction.d);
  if (instruction.run == runLoad || instruction.run == runLoadParameter || instruction.run == runSplit)
    for (unsigned k = 0; k < instruction.count; ++k)
      note(instruction.list[k]);
}

void Machine::checkFence(const Instruction &instruction, unsigned first, const uint32_t *slots, size_t count) const {
  size_t group = first / kWarpgroupLanes;
  if (!warpgroups[group].fenced)
    fail(kLaunchFailed, instruction, "a wgmma without a wgmma.fence in front of it");
  for (size_t k = 0; k < count; ++k)
    if (registerWrites[size_t(slots[k]) * warpgroups.size() + group] > warpgroups[group].fenced)
      fail(kLaunchFailed, instruction, "a wgmma with registers that were written behind the last wgmma.fence");
}

void Machine::checkKept(const Instruction &instruction, unsigned first, uint64_t since) const {
  for (uint32_t slot : instruction.list)
    if (slot != kNone && registerWrites[size_t(slot) * warpgroups.size() + first / kWarpgroupLanes] > since)
      fail(kLaunchFailed, instruction, "registers were written that the wgmma may still read");
}

void Machine::checkProxy(const Instruction &instruction, uint64_t address) const {
  const Write &write = sharedWrites[address / 16];
  if (!write.isDevice && write.step > proxyFences[write.lane])
    fail(kLaunchFailed, instruction,
         "reads byte " + std::to_string(address) + " of shared memory, which lane " + std::to_string(write.lane) +
             " wrote without a fence.proxy.async behind it");
}

void Machine::readSince(const Instruction &instruction, uint64_t address, unsigned bytes, uint64_t since,
                        void *to) const {
  const Write &write = sharedWrites[address / 16];
  if (write.step > since)
    fail(kLaunchFailed, instruction,
         "lane " + std::to_string(write.lane) + " wrote byte " + std::to_string(address) +
             " of shared memory, which the wgmma may still read");
  std::memcpy(to, shared.data() + address, bytes);
}

void Machine::branch(const Instruction &instruction, const Lanes &lanes) {
  if (instruction.guard == kNone) {
    pc = instruction.target;
    return;
  }
  select(instruction, lanes);
  if (rest.numbers.empty()) {
    pc = instruction.target;
  } else if (selected.numbers.empty()) {
    ++pc;
  } else {
    put(instruction.target, selected);
    put(pc + 1, rest);
    isRunning = false;
  }
}

void Machine::leave(const Lanes &active) {
  nLeft -= unsigned(active.numbers.size());
  if (&active != &current && !rest.numbers.empty()) {
    current.numbers = rest.numbers;
    current.isFull = current.numbers.size() == nLanes;
    ++pc;
    return;
  }
  isRunning = false;
}

void Machine::releaseBarrier() {
  const Instruction &barrier = kernel->code[waiting.front().pc - 1];
  size_t arrived = 0;
  for (const Group &group : waiting) {
    arrived += group.lanes.numbers.size();
    if (group.pc != waiting.front().pc)
      fail(kLaunchFailed, barrier,
           "lanes wait at barriers of several lines, another of " + std::to_string(kernel->code[group.pc - 1].line));
  }
  if (arrived != nLanes)
    fail(kLaunchFailed, barrier,
         "a barrier that " + std::to_string(arrived) + " of " + std::to_string(nLanes) + " lanes reach");
  std::swap(groups, waiting);
  waiting.clear();
  if (hasTouched)
    for (Touch &touch : touches)
      touch.writer = touch.reader = 0, touch.isAtomic = false;
  hasTouched = false;
  if (kernel->usesPhases)
    phases.passBarrier();
}

void Machine::checkShared(const Instruction &instruction, unsigned lane, uint64_t offset, unsigned bytes, bool writes,
                          bool isAtomic) {
  hasTouched = true;
  if (!writes && kernel->usesPhases) {
    phases.checkRead(instruction, lane, offset, bytes);
    phases.noteRead(lane / 32, offset, bytes);
  }
  if (writes && kernel->usesWarpgroups)
    for (uint64_t granule = offset / 16; granule <= (offset + bytes - 1) / 16; ++granule)
      sharedWrites[granule] = {steps, lane};
  auto self = uint16_t(lane + 1);
  for (uint64_t k = offset; k < offset + bytes; ++k) {
    Touch &touch = touches[k];
    bool isFine = isAtomic && touch.isAtomic;
    auto other = [&](uint16_t who) { return who && who != self; };
    if (!isFine && (other(touch.writer) || (writes && other(touch.reader)))) {
      uint16_t who = other(touch.writer) ? touch.writer : touch.reader;
      fail(kLaunchFailed, instruction,
           "a race in shared memory: lane " + std::to_string(lane) + (writes ? " writes byte " : " reads byte ") +
               std::to_string(k) + ", which " +
               (who == UINT16_MAX ? std::string("several lanes") : "lane " + std::to_string(who - 1)) +
               (other(touch.writer) ? " wrote" : " read") + " since the last barrier");
    }
    if (!writes && !touch.isWritten)
      fail(kLaunchFailed, instruction, "reads byte " + std::to_string(k) + " of shared memory, which nothing wrote");
    if (writes) {
      touch.writer = touch.writer && touch.writer != self ? UINT16_MAX : self;
      touch.isWritten = true;
    } else {
      touch.reader = touch.reader && touch.reader != self ? UINT16_MAX : self;
    }
    touch.isAtomic = isAtomic;
  }
}

char *Machine::access(const Instruction &instruction, unsigned lane, uint64_t address, unsigned bytes, bool writes,
                      bool isAtomic) {
  auto hex = [](uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
    return std::string(text);
  };
  auto leaves = [&](const char *what, uint64_t size) {
    fail(kIllegalAddress, instruction,
         "lane " + std::to_string(lane) + (writes ? " writes " : " reads ") + std::to_string(bytes) + " bytes at " +
             std::to_string(int64_t(address)) + " of " + std::to_string(size) + " bytes of " + what);
  };
  if (address % bytes)
    fail(kMisalignedAddress, instruction,
         "lane " + std::to_string(lane) + ": address " + hex(address) + " is no multiple of " + std::to_string(bytes));
  Space space = instruction.space;
  if (space == Space::Generic) {
    if (address >= kLocalWindow) {
      space = Space::Local;
      address -= kLocalWindow;
    } else if (address >= kSharedWindow) {
      space = Space::Shared;
      address -= kSharedWindow;
    }
  }
  if (space == Space::Shared) {
    if (address + bytes > shared.size() || address + bytes < bytes)
      leaves("shared memory", shared.size());
    checkShared(instruction, lane, address, bytes, writes, isAtomic);
    return shared.data() + address;
  }
  if (space == Space::Local) {
    if (address + bytes > kernel->localBytes || address + bytes < bytes)
      leaves("local memory", kernel->localBytes);
    return local.data() + size_t(lane) * kernel->localBytes + address;
  }
  if (!lastBlock || address - lastBlock->begin >= lastBlock->size) {
    lastBlock = memory.find(address);
    if (!lastBlock)
      fail(kIllegalAddress, instruction,
           "lane " + std::to_string(lane) + (writes ? " writes" : " reads") + " address " + hex(address) +
               ", which is in no allocation");
  }
  uint64_t offset = address - lastBlock->begin;
  if (offset + bytes > lastBlock->size) {
    address = offset;
    leaves("an allocation", lastBlock->size);
  }
  (writes                   ? lastBlock->written
   : instruction.isReadOnly ? lastBlock->readOnly
                            : lastBlock->read)
      .add(offset, offset + bytes);
  if (kernel->readsConstants && (writes || instruction.isReadOnly))
    lastBlock->mark(writes ? lastBlock->writtenBytes : lastBlock->readOnlyBytes, offset, bytes);
  return lastBlock->bytes + offset;
}

} // namespace fake
