// Loads, stores, parameters, parts of registers, atomics and asynchronous copies.
#include "Floats.h"
#include "Machine.h"

#include <algorithm>

namespace fake {
namespace {

uint64_t addressOf(Machine &machine, const Instruction &i, unsigned lane) {
  return machine.get(i.a, i.aBytes, lane) + uint64_t(i.offset);
}

uint64_t readBytes(const char *from, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

uint64_t extend(uint64_t value, unsigned bytes, bool isSigned) {
  unsigned shift = 64 - 8 * bytes;
  return isSigned && shift ? uint64_t(int64_t(value << shift) >> shift) : value;
}

template <typename T> T combine(uint32_t operation, T old, T operand, T swap) {
  switch (operation) {
  case kAdd:
    return T(old + operand);
  case kMin:
    return std::min(old, operand);
  case kMax:
    return std::max(old, operand);
  case kExchange:
    return operand;
  case kCompare:
    return old == operand ? swap : old;
  default:
    return old;
  }
}

template <typename T> uint64_t combineAs(uint32_t operation, uint64_t old, uint64_t operand, uint64_t swap) {
  T values[3];
  std::memcpy(&values[0], &old, sizeof(T));
  std::memcpy(&values[1], &operand, sizeof(T));
  std::memcpy(&values[2], &swap, sizeof(T));
  T result = combine(operation, values[0], values[1], values[2]);
  uint64_t bits = 0;
  std::memcpy(&bits, &result, sizeof(T));
  return bits;
}

/// What an atomic operation leaves.
uint64_t update(uint32_t detail, unsigned bytes, uint64_t old, uint64_t operand, uint64_t swap) {
  uint32_t operation = detail & 255;
  switch (operation) {
  case kAnd:
    return old & operand;
  case kOr:
    return old | operand;
  case kXor:
    return old ^ operand;
  default:
    break;
  }
  switch (AtomicType(detail >> 8)) {
  case kSignedInteger:
    return bytes == 8 ? combineAs<int64_t>(operation, old, operand, swap)
                      : combineAs<int32_t>(operation, old, operand, swap);
  case kFloat:
    return bytes == 8 ? combineAs<double>(operation, old, operand, swap)
                      : combineAs<float>(operation, old, operand, swap);
  case kUnsigned:
    break;
  }
  return bytes == 8   ? combineAs<uint64_t>(operation, old, operand, swap)
         : bytes == 4 ? combineAs<uint32_t>(operation, old, operand, swap)
                      : combineAs<uint16_t>(operation, old, operand, swap);
}

} // namespace

void runLoad(Machine &machine, const Instruction &i, const Lanes &lanes) {
  unsigned size = unsigned(i.bytes) * i.count;
  forEach(lanes, [&](unsigned lane) {
    const char *from = machine.access(i, lane, addressOf(machine, i, lane), size, /*writes=*/false);
    for (unsigned k = 0; k < i.count; ++k)
      if (i.list[k] != kNone)
        machine.set(i.list[k], i.listBytes, lane, extend(readBytes(from + k * i.bytes, i.bytes), i.bytes, i.isSigned));
  });
}

void runStore(Machine &machine, const Instruction &i, const Lanes &lanes) {
  unsigned size = unsigned(i.bytes) * i.count;
  forEach(lanes, [&](unsigned lane) {
    char *to = machine.access(i, lane, addressOf(machine, i, lane), size, /*writes=*/true);
    for (unsigned k = 0; k < i.count; ++k) {
      uint64_t value = machine.get(i.list[k], i.listBytes, lane);
      std::memcpy(to + k * i.bytes, &value, i.bytes);
    }
  });
}

void runLoadParameter(Machine &machine, const Instruction &i, const Lanes &lanes) {
  const std::vector<char> &parameters = machine.getParameters();
  for (unsigned k = 0; k < i.count; ++k) {
    size_t begin = size_t(i.offset) + size_t(k) * i.bytes;
    if (begin + i.bytes > parameters.size())
      machine.fail(kInvalidPtx, i, "reads behind the last parameter");
    uint64_t value = extend(readBytes(parameters.data() + begin, i.bytes), i.bytes, i.isSigned);
    forEach(lanes, [&](unsigned lane) { machine.set(i.list[k], i.listBytes, lane, value); });
  }
}

void runSetConditional(Machine &machine, const Instruction &i, const Lanes &lanes) {
  if (lanes.numbers.size() != 1)
    machine.fail(kLaunchFailed, i, "several lanes set a loop's condition");
  unsigned lane = lanes.numbers.front();
  if (const char *why = machine.setConditional(machine.get(i.a, 8, lane), uint32_t(machine.get(i.b, 4, lane))))
    machine.fail(kIllegalAddress, i, std::string("a condition is set, and ") + why);
}

/// The parts of a register, the lowest first.
void runSplit(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    uint64_t value = machine.get(i.a, i.aBytes, lane);
    for (unsigned k = 0; k < i.count; ++k)
      if (i.list[k] != kNone)
        machine.set(i.list[k], i.listBytes, lane, value >> (8 * i.listBytes * k));
  });
}
void runJoin(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    uint64_t value = 0;
    for (unsigned k = 0; k < i.count; ++k)
      value |= machine.get(i.list[k], i.listBytes, lane) << (8 * i.listBytes * k);
    machine.set(i.d, i.dBytes, lane, value);
  });
}

void runAtomic(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    char *place = machine.access(i, lane, addressOf(machine, i, lane), i.bytes, /*writes=*/true, /*isAtomic=*/true);
    uint64_t old = readBytes(place, i.bytes);
    uint64_t left = update(i.detail, i.bytes, old, machine.get(i.b, i.listBytes, lane),
                           i.c == kNone ? 0 : machine.get(i.c, i.listBytes, lane));
    std::memcpy(place, &left, i.bytes);
    if (i.d != kNone)
      machine.set(i.d, i.dBytes, lane, old);
  });
}

/// A copy runs as late as allowed: when its lane waits for it.
void runAsyncCopy(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    uint64_t taken = i.b == kNone ? i.bytes : machine.get(i.b, 4, lane);
    if (taken > i.bytes)
      machine.fail(kLaunchFailed, i, "an asynchronous copy of more bytes than it has");
    machine.asyncCopies.push_back({lane, addressOf(machine, i, lane), machine.get(i.d, i.dBytes, lane) + i.detail,
                                   i.bytes, unsigned(taken), &i, machine.asyncGroups[lane]});
  });
}
void runAsyncCommit(Machine &machine, const Instruction &, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) { ++machine.asyncGroups[lane]; });
}
/// All but the last groups, whose number is in `detail`; all copies where that is kNone.
void runAsyncWait(Machine &machine, const Instruction &i, const Lanes &lanes) {
  auto &copies = machine.asyncCopies;
  for (auto copy = copies.begin(); copy != copies.end();) {
    bool waits = std::binary_search(lanes.numbers.begin(), lanes.numbers.end(), uint16_t(copy->lane));
    bool isOld = i.detail == kNone || copy->group + i.detail < machine.asyncGroups[copy->lane];
    if (!waits || !isOld) {
      ++copy;
      continue;
    }
    Instruction from = *copy->instruction, to = from;
    from.space = Space::Global;
    to.space = Space::Shared;
    char bytes[16] = {};
    if (copy->taken)
      std::memcpy(bytes, machine.access(from, copy->lane, copy->from, copy->taken, /*writes=*/false), copy->taken);
    std::memcpy(machine.access(to, copy->lane, copy->to, copy->bytes, /*writes=*/true), bytes, copy->bytes);
    copy = copies.erase(copy);
  }
}

void runNothing(Machine &, const Instruction &, const Lanes &) {}

//===--- Between lanes --------------------------------------------------------------------------------------------===//

namespace {

/// Calls `work(first lane of the subgroup, its mask of running lanes)` for each subgroup that runs.
template <typename Work> void forEachSubgroup(const Lanes &lanes, Work &&work) {
  for (size_t k = 0; k < lanes.numbers.size();) {
    unsigned first = lanes.numbers[k] / 32 * 32;
    uint32_t mask = 0;
    for (; k < lanes.numbers.size() && lanes.numbers[k] < first + 32; ++k)
      mask |= uint32_t(1) << (lanes.numbers[k] - first);
    work(first, mask);
  }
}

/// Every lane that the mask names must be here, and every lane that is here must be named.
void checkMask(Machine &machine, const Instruction &i, unsigned first, uint32_t running, uint32_t operand) {
  unsigned count = std::min(32u, machine.getLaneCount() - first);
  uint32_t exist = count == 32 ? ~uint32_t(0) : (uint32_t(1) << count) - 1;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(running >> lane & 1))
      continue;
    auto members = uint32_t(machine.get(operand, 4, first + lane));
    if (!(members >> lane & 1))
      machine.fail(kLaunchFailed, i, "lane " + std::to_string(first + lane) + " is not in its own mask of members");
    if (members & exist & ~running)
      machine.fail(kLaunchFailed, i, "the mask of members names lanes of the subgroup that do not come here together");
  }
}

} // namespace

/// d|p = shfl a, b, c with the mask in list[0]; p in list[1].
void runShuffle(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEachSubgroup(lanes, [&](unsigned first, uint32_t running) {
    checkMask(machine, i, first, running, i.list[0]);
    uint32_t values[32] = {}, results[32];
    bool inside[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      if (running >> lane & 1)
        values[lane] = uint32_t(machine.get(i.a, 4, first + lane));
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(running >> lane & 1))
        continue;
      uint32_t b = uint32_t(machine.get(i.b, 4, first + lane)) & 31, c = uint32_t(machine.get(i.c, 4, first + lane));
      uint32_t clamp = c & 31, segment = c >> 8 & 31;
      int32_t most = int32_t((lane & segment) | (clamp & ~segment)), least = int32_t(lane & segment), from = 0;
      bool isIn = false;
      switch (Shuffle(i.detail)) {
      case kShuffleUp:
        from = int32_t(lane) - int32_t(b);
        isIn = from >= most;
        break;
      case kShuffleDown:
        from = int32_t(lane + b);
        isIn = from <= most;
        break;
      case kShuffleXor:
        from = int32_t(lane ^ b);
        isIn = from <= most;
        break;
      case kShuffleIndex:
        from = least | int32_t(b & ~segment);
        isIn = from <= most;
        break;
      }
      if (!isIn)
        from = int32_t(lane);
      if (!(running >> from & 1))
        machine.fail(kLaunchFailed, i,
                     "lane " + std::to_string(first + lane) + " reads lane " + std::to_string(first + unsigned(from)) +
                         ", which does not run");
      results[lane] = values[from];
      inside[lane] = isIn;
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      if (running >> lane & 1) {
        machine.set(i.d, 4, first + lane, results[lane]);
        if (i.list[1] != kNone)
          machine.set(i.list[1], 1, first + lane, inside[lane]);
      }
  });
}

/// d = vote a (inverted by `isSigned`), with the mask in list[0].
void runVote(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEachSubgroup(lanes, [&](unsigned first, uint32_t running) {
    uint32_t votes = 0;
    if (i.detail != kActiveMask) {
      checkMask(machine, i, first, running, i.list[0]);
      for (unsigned lane = 0; lane < 32; ++lane)
        if (running >> lane & 1)
          votes |= uint32_t((machine.get(i.a, 1, first + lane) & 1) ^ (i.isSigned ? 1 : 0)) << lane;
    }
    uint32_t result = i.detail == kVoteAll       ? votes == running
                      : i.detail == kVoteAny     ? votes != 0
                      : i.detail == kVoteUniform ? votes == 0 || votes == running
                      : i.detail == kVoteBallot  ? votes
                                                 : running;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (running >> lane & 1)
        machine.set(i.d, i.dBytes, first + lane, result);
  });
}

/// d = redux a, with the mask in list[0].
void runReduceLanes(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEachSubgroup(lanes, [&](unsigned first, uint32_t running) {
    checkMask(machine, i, first, running, i.list[0]);
    uint64_t result = 0;
    bool isFirst = true;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (running >> lane & 1) {
        uint64_t value = machine.get(i.a, 4, first + lane);
        result = isFirst ? value : update(i.detail, 4, result, value, 0);
        isFirst = false;
      }
    for (unsigned lane = 0; lane < 32; ++lane)
      if (running >> lane & 1)
        machine.set(i.d, 4, first + lane, result);
  });
}

} // namespace fake
