// Barriers of phases, mbarrier, and copies of boxes that they count, cp.async.bulk.tensor. Written from "mbarrier" and
// "Tensors" of NVIDIA's "PTX ISA". Copies run as late as allowed: when all lanes wait. Warps, and the device's copies
// as one more of them, have vector clocks: who reads what a copy wrote must have waited for its phase, and a copy must
// not overwrite what a warp may still read.
#include "Machine.h"
#include "Parser.h"
#include "TensorMap.h"

#include <algorithm>

namespace fake {
namespace {

constexpr uint32_t kMostPending = (1 << 20) - 1;
constexpr uint64_t kGranule = 16, kPiece = 128;

uint64_t addressOf(Machine &machine, const Instruction &i, unsigned lane) {
  uint64_t address = machine.get(i.a, i.aBytes, lane) + uint64_t(i.offset);
  return address >= kSharedWindow && address < kLocalWindow ? address - kSharedWindow : address;
}

void runInit(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    machine.phases.begin(i, lane, addressOf(machine, i, lane), uint32_t(machine.get(i.b, 4, lane)));
  });
}
void runArrive(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    machine.phases.arrive(i, lane, addressOf(machine, i, lane), i.b == kNone ? 0 : uint32_t(machine.get(i.b, 4, lane)));
  });
}

/// [tile], [map, {coordinates}], [barrier]: the map is in `list[0]`, the barrier in `c`, coordinates in `more`.
void runBulk(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    Phases::Copy copy;
    copy.instruction = &i;
    copy.lane = lane;
    copy.to = addressOf(machine, i, lane);
    copy.barrier = machine.get(i.c, 4, lane);
    uint64_t offset = machine.get(i.list[0], 8, lane) - kParamWindow;
    const std::vector<char> &parameters = machine.getParameters();
    TensorMap map = {};
    if (offset % kMapAlignment || offset + kMapBytes > parameters.size())
      machine.fail(kLaunchFailed, i, "a tensor map that is no parameter");
    std::memcpy(&map, parameters.data() + offset, sizeof(map));
    if (map.magic != TensorMap::kMagic)
      machine.fail(kLaunchFailed, i, "a tensor map that cuTensorMapEncodeTiled did not make");
    if (map.rank != i.more.size())
      machine.fail(kLaunchFailed, i, "a tensor map of " + std::to_string(map.rank) + " dimensions");
    if (map.swizzle != 0 && map.swizzle != kPiece)
      machine.fail(kLaunchFailed, i, "a swizzle that is not known here");
    for (uint32_t slot : i.more)
      copy.at.push_back(int32_t(machine.get(slot, 4, lane)));
    copy.map = map;
    machine.phases.copy(copy);
  });
}

} // namespace

//===--- Clocks ---------------------------------------------------------------------------------------------------===//

void Phases::reset(unsigned nLanes, size_t sharedBytes) {
  device = (nLanes + 31) / 32;
  seen.assign(device + 1, Clock(device + 1));
  for (unsigned actor = 0; actor <= device; ++actor)
    seen[actor][actor] = 1;
  barriers.clear();
  copies.clear();
  granules.assign((sharedBytes + kGranule - 1) / kGranule, Granule());
  for (Granule &granule : granules)
    granule.reads.assign(device, 0);
}

void Phases::join(Clock &clock, const Clock &other) {
  clock.resize(device + 1);
  for (unsigned actor = 0; actor < other.size(); ++actor)
    clock[actor] = std::max(clock[actor], other[actor]);
}

void Phases::passBarrier() {
  Clock all;
  for (unsigned warp = 0; warp < device; ++warp)
    join(all, seen[warp]);
  for (unsigned warp = 0; warp < device; ++warp) {
    seen[warp] = all;
    ++seen[warp][warp];
  }
}

//===--- Barriers -------------------------------------------------------------------------------------------------===//

void Phases::begin(const Instruction &i, unsigned lane, uint64_t address, uint32_t count) {
  if (address % 8)
    machine.fail(kMisalignedAddress, i, "an mbarrier at no multiple of 8");
  if (!count || count > kMostPending)
    machine.fail(kLaunchFailed, i, "an mbarrier of " + std::to_string(count) + " arrivals");
  machine.access(i, lane, address, 8, /*writes=*/true, /*isAtomic=*/true);
  if (barriers.count(address))
    machine.fail(kLaunchFailed, i, "an mbarrier that has begun");
  Barrier &barrier = barriers[address];
  barrier.count = barrier.pending = count;
  barrier.begun = machine.getStep();
  barrier.lane = lane;
  barrier.clock = seen[lane / 32][lane / 32];
}

Phases::Barrier &Phases::find(const Instruction &i, unsigned lane, uint64_t address) {
  auto found = barriers.find(address);
  if (found == barriers.end())
    machine.fail(kLaunchFailed, i, "no mbarrier has begun at byte " + std::to_string(address) + " of shared memory");
  unsigned by = found->second.lane / 32;
  if (found->second.clock > seen[lane / 32][by])
    machine.fail(kLaunchFailed, i,
                 "an mbarrier that lane " + std::to_string(found->second.lane) + " began, with no barrier between");
  return found->second;
}

void Phases::endIfDone(Barrier &barrier) {
  if (barrier.pending || barrier.bytes)
    return;
  barrier.last = barrier.next;
  barrier.next.clear();
  barrier.pending = barrier.count;
  ++barrier.phase;
}

void Phases::arrive(const Instruction &i, unsigned lane, uint64_t address, uint32_t bytes) {
  Barrier &barrier = find(i, lane, address);
  if (!barrier.pending)
    machine.fail(kLaunchFailed, i, "more arrivals at an mbarrier than its phase has");
  barrier.bytes += bytes;
  --barrier.pending;
  join(barrier.next, seen[lane / 32]);
  ++seen[lane / 32][lane / 32];
  endIfDone(barrier);
}

bool Phases::isOver(const Instruction &i, unsigned lane) {
  uint64_t parity = machine.get(i.b, 4, lane);
  if (parity > 1)
    machine.fail(kLaunchFailed, i, "a parity of " + std::to_string(parity));
  return find(i, lane, addressOf(machine, i, lane)).phase % 2 != parity;
}

void Phases::acquire(const Instruction &i, unsigned lane) {
  join(seen[lane / 32], find(i, lane, addressOf(machine, i, lane)).last);
}

void Phases::failStuck(const Instruction &i, unsigned lane) {
  Barrier &barrier = find(i, lane, addressOf(machine, i, lane));
  machine.fail(kLaunchFailed, i,
               "lane " + std::to_string(lane) + " waits for phase " + std::to_string(barrier.phase) +
                   " of an mbarrier, which does not end: " + std::to_string(barrier.pending) + " arrivals and " +
                   std::to_string(barrier.bytes) + " bytes are missing");
}

//===--- Copies ---------------------------------------------------------------------------------------------------===//

void Phases::copy(const Copy &copy) {
  const Instruction &i = *copy.instruction;
  uint32_t bytes = copy.map.getBoxBytes();
  if (copy.to % kPiece)
    machine.fail(kMisalignedAddress, i, "a copy to byte " + std::to_string(copy.to) + ", no multiple of 128");
  Barrier &barrier = find(i, copy.lane, copy.barrier);
  if (machine.proxyFences[barrier.lane] <= barrier.begun)
    machine.fail(kLaunchFailed, i, "an mbarrier that began without a fence.proxy.async behind it");
  if (copy.to + bytes > machine.getSharedBytes())
    machine.fail(kIllegalAddress, i, "a copy over the end of shared memory");
  for (uint64_t granule = copy.to / kGranule; granule < (copy.to + bytes) / kGranule; ++granule) {
    Granule &to = granules[granule];
    if (to.isUnderWay)
      machine.fail(kLaunchFailed, i, "a copy to what another copy may still write");
    for (unsigned warp = 0; warp < device; ++warp)
      if (to.reads[warp] > seen[copy.lane / 32][warp])
        machine.fail(kLaunchFailed, i,
                     "a copy over byte " + std::to_string(granule * kGranule) + " of shared memory, which warp " +
                         std::to_string(warp) + " may still read");
    to.isUnderWay = true;
    machine.noteSharedWrite(granule, copy.lane);
  }
  copies.push_back(copy);
}

bool Phases::runOldest() {
  if (copies.empty())
    return false;
  Copy copy = copies.front();
  copies.pop_front();
  const TensorMap &map = copy.map;
  Instruction from = *copy.instruction;
  from.space = Space::Global;
  uint32_t bytes = map.getBoxBytes(), rowBytes = uint32_t(map.box[0]) * map.width;
  std::vector<char> box(bytes);
  for (uint32_t row = 0; row < bytes / rowBytes; ++row) {
    uint64_t base = map.address;
    bool isInside = true;
    for (unsigned k = 1, rest = row; k < map.rank; rest /= map.box[k], ++k) {
      int64_t at = int64_t(copy.at[k]) + rest % map.box[k];
      isInside &= at >= 0 && at < int64_t(map.extents[k]);
      base += uint64_t(at) * map.strides[k - 1];
    }
    for (uint32_t column = 0; column < map.box[0]; ++column) {
      int64_t at = int64_t(copy.at[0]) + column;
      // What is outside is zero.
      if (isInside && at >= 0 && at < int64_t(map.extents[0]))
        std::memcpy(&box[size_t(row) * rowBytes + size_t(column) * map.width],
                    machine.access(from, copy.lane, base + uint64_t(at) * map.width, map.width, /*writes=*/false),
                    map.width);
    }
  }
  ++seen[device][device];
  for (uint32_t offset = 0; offset < bytes; offset += kGranule) {
    uint64_t to = copy.to + offset;
    Granule &granule = granules[to / kGranule];
    granule.isUnderWay = false;
    granule.written = seen[device][device];
    // Bits 4 to 6 change with bits 7 to 9.
    machine.putShared(map.swizzle ? to ^ ((to / kPiece % 8) * kGranule) : to, &box[offset], kGranule);
  }
  Barrier &barrier = find(*copy.instruction, copy.lane, copy.barrier);
  barrier.bytes -= int64_t(bytes);
  Clock clock(device + 1);
  clock[device] = seen[device][device];
  join(barrier.next, clock);
  endIfDone(barrier);
  return true;
}

void Phases::checkRead(const Instruction &i, unsigned lane, uint64_t address, unsigned bytes) {
  for (uint64_t granule = address / kGranule; granule <= (address + bytes - 1) / kGranule; ++granule) {
    Granule &from = granules[granule];
    if (from.isUnderWay)
      machine.fail(kLaunchFailed, i,
                   "reads byte " + std::to_string(address) + " of shared memory, which a copy may still write");
    if (from.written > seen[lane / 32][device])
      machine.fail(kLaunchFailed, i,
                   "reads byte " + std::to_string(address) + " of shared memory, which a copy wrote that lane " +
                       std::to_string(lane) + " has not waited for");
  }
}

void Phases::noteRead(unsigned warp, uint64_t address, unsigned bytes) {
  for (uint64_t granule = address / kGranule; granule <= (address + bytes - 1) / kGranule; ++granule)
    granules[granule].reads[warp] = seen[warp][warp];
}

void Phases::checkEnd(const Instruction &i) {
  if (!copies.empty())
    machine.fail(kLaunchFailed, i, "a workgroup ends before its copies do");
}

//===--- Text -----------------------------------------------------------------------------------------------------===//

void runTryWait(Machine &, const Instruction &, const Lanes &) {}

/// mbarrier.init, arrive, arrive.expect_tx and try_wait.parity, all in the workgroup's memory.
void KernelParser::parseMbarrier(const std::vector<std::string> &parts, Instruction &instruction,
                                 std::vector<Operand> &operands) {
  kernel.usesPhases = true;
  std::string name;
  for (size_t k = 1; k < parts.size(); ++k)
    name += (k > 1 ? "." : "") + parts[k];
  instruction.space = Space::Shared;
  bool isInit = name == "init.shared::cta.b64", isWait = name == "try_wait.parity.shared::cta.b64";
  bool expects = name == "arrive.expect_tx.shared::cta.b64";
  if (!isInit && !isWait && !expects && name != "arrive.shared::cta.b64")
    words.fail("unknown form of mbarrier");
  size_t count = isInit ? 2 : isWait || expects ? 3 : 2;
  expectCount(operands, count, count);
  resolveAddress(operands[isInit ? 0 : 1], instruction);
  if (isWait) {
    instruction.d = resolveTarget(operands[0], 1);
    instruction.dBytes = 1;
  } else if (!isInit && operands[0].kind != Operand::Sink) {
    words.fail("a state of an mbarrier, which is not known here");
  }
  if (isInit || isWait || expects)
    instruction.b = resolve(operands.back(), 4);
  instruction.run = isInit ? runInit : isWait ? runTryWait : runArrive;
}

/// cp.async.bulk.tensor.Nd.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [map, {at, ...}], [barrier].
void KernelParser::parseBulk(const std::vector<std::string> &parts, Instruction &instruction,
                             std::vector<Operand> &operands) {
  kernel.usesPhases = true;
  if (parts.size() != 8 || parts[3] != "tensor" || parts[4].size() != 2 || parts[4][1] != 'd' ||
      parts[5] != "shared::cluster" || parts[6] != "global" || parts[7] != "mbarrier::complete_tx::bytes")
    words.fail("unknown form of cp.async.bulk");
  expectCount(operands, 3, 3);
  resolveAddress(operands[0], instruction);
  if (!operands[1].isAddress || operands[1].parts.size() != size_t(parts[4][0] - '0'))
    words.fail("expected a tensor map with as many coordinates as dimensions");
  for (const Operand &part : operands[1].parts)
    instruction.more.push_back(resolve(part, 4));
  Operand map = operands[1], barrier = operands[2];
  if (!barrier.isAddress || barrier.offset || map.offset)
    words.fail("expected addresses without offsets");
  map.isAddress = barrier.isAddress = false;
  map.parts.clear();
  instruction.list[0] = resolve(map, 8);
  instruction.c = resolve(barrier, 4);
  instruction.space = Space::Shared;
  instruction.run = runBulk;
}

} // namespace fake
