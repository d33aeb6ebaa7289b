// Axes, control flow and compute of a workgroup's lanes.
#include "Workgroup.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::reference {

using Kind = UOpInstruction::Kind;
using uop::HardwareAxis;

/// Lanes of a workgroup, and numbers of all lanes' values, at most.
static constexpr int64_t kMaxLanes = int64_t(1) << 16;
static constexpr size_t kMaxValues = size_t(1) << 26;

//===--- Axes -----------------------------------------------------------------------------------------------------===//

/// Finds the extents of the grid and of a workgroup, and gives each lane its values of local axes.
LogicalResult WorkgroupRun::placeAxes() {
  int64_t lanes = 1;
  for (const UOpSpecial &special : code.specials) {
    if (special.axis == HardwareAxis::Local) {
      extents[special.dim] = special.extent;
      lanes = llvm::SaturatingMultiply<uint64_t>(lanes, special.extent);
    } else if (special.axis == HardwareAxis::Global || special.axis == HardwareAxis::Thread) {
      groupAxes.push_back(&special);
      nWorkgroups = llvm::SaturatingMultiply(nWorkgroups, static_cast<uint64_t>(special.extent));
    }
  }
  if (lanes > kMaxLanes || lanes * code.frame.size() > kMaxValues)
    return session.fail(Session::Kind::Limit, location,
                        "a workgroup has more lanes than the interpreter runs: " + Twine(lanes));
  nLanes = lanes;
  llvm::sort(groupAxes, [](const UOpSpecial *a, const UOpSpecial *b) {
    return std::make_pair(a->axis, a->dim) < std::make_pair(b->axis, b->dim);
  });
  frame.resize(code.frame.size() * nLanes);
  for (auto [slot, value] : llvm::enumerate(code.frame))
    std::fill_n(frame.begin() + slot * nLanes, nLanes, value);

  for (const UOpSpecial &special : code.specials) {
    bool isLane = special.axis == HardwareAxis::Lane, isTeam = special.axis == HardwareAxis::Team;
    bool isSubgroup = special.axis == HardwareAxis::Subgroup || isTeam;
    if (!isLane && !isSubgroup && special.axis != HardwareAxis::Local)
      continue;
    int64_t size = isLane || isSubgroup ? code.subgroupSize.value_or(0) : 1;
    if (isTeam && size != 0 && nLanes / size % special.extent == 0)
      size = nLanes / special.extent;
    if (size == 0 || nLanes % size != 0 || (isSubgroup && special.extent != nLanes / size))
      return session.fail(Session::Kind::Undefined, location,
                          "has a workgroup of " + Twine(nLanes) + " lanes, which are not whole subgroups");
    // The first local axis is fastest.
    int64_t inner = 1;
    for (uint64_t dim = 0; special.axis == HardwareAxis::Local && dim < special.dim; ++dim)
      inner *= extents[dim];
    for (unsigned lane = 0; lane < nLanes; ++lane)
      for (unsigned slot : special.slots)
        at(slot, lane).i = isLane ? lane % size : isSubgroup ? lane / size : lane / inner % special.extent;
  }
  return success();
}

LogicalResult WorkgroupRun::beginWorkgroup(uint64_t number) {
  // An empty body takes steps too.
  if (failed(session.step(nLanes, location)))
    return failure();
  workgroup = number;
  auto rest = static_cast<int64_t>(number);
  for (const UOpSpecial *special : llvm::reverse(groupAxes)) {
    for (unsigned slot : special->slots)
      std::fill_n(frame.begin() + static_cast<size_t>(slot) * nLanes, nLanes, makeInt(rest % special->extent));
    rest /= special->extent;
  }
  for (const Buffer &tile : ArrayRef(memory).drop_front(code.nArguments))
    races.forget(tile.memory.get());
  memory.truncate(code.nArguments);
  for (const UOpTile &tile : code.tiles) {
    int64_t count = tile.count * (tile.isPrivate ? nLanes : 1);
    FailureOr<Buffer> buffer = allocate(session, tile.type, count, tile.location, /*tracked=*/true);
    if (failed(buffer))
      return failure();
    memory.push_back(*buffer);
  }
  active.clear();
  active.resize(nLanes, true);
  nActive = nLanes;
  masks.clear();
  copies.clear();
  underWay.clear();
  groups.assign(nLanes, 0);
  phases.clear();
  series.clear();
  races.beginWorkgroup();
  return success();
}

std::string WorkgroupRun::nameLane(uint32_t lane) const {
  std::string name = nLanes == 1 ? "workgroup " + std::to_string(lane) : "lane " + std::to_string(lane % nLanes);
  if (nLanes > 1 && nWorkgroups > 1)
    name += " of workgroup " + std::to_string(lane / nLanes);
  return name;
}

std::string WorkgroupRun::nameBuffer(unsigned buffer) const {
  if (buffer < code.nArguments)
    return "argument " + std::to_string(buffer);
  return "tile " + std::to_string(buffer - code.nArguments);
}

LogicalResult WorkgroupRun::run() {
  if (failed(placeAxes()))
    return failure();
  isParallel = nLanes > 1 || nWorkgroups > 1;
  for (uint64_t number = 0; number < nWorkgroups; ++number)
    if (failed(beginWorkgroup(number)) || failed(execute()))
      return failure();
  return success();
}

//===--- Compute --------------------------------------------------------------------------------------------------===//

void WorkgroupRun::compute(const UOpInstruction &instruction) {
  const Scalar *args[4] = {};
  if (isFull()) {
    // Slots of one value, and all lanes of each, lie one after the other.
    for (auto [slot, operand] : llvm::zip(args, instruction.in))
      slot = &at(operand.at, 0);
    instruction.code.run(args, &at(instruction.out.at, 0), static_cast<size_t>(instruction.out.lanes) * nLanes,
                         session.undefined);
    return;
  }
  forEachActive([&](unsigned lane) {
    for (unsigned k = 0; k < instruction.out.lanes; ++k) {
      for (auto [slot, operand] : llvm::zip(args, instruction.in))
        slot = &at(operand.at + k, lane);
      instruction.code.run(args, &at(instruction.out.at + k, lane), 1, session.undefined);
    }
  });
}

LogicalResult WorkgroupRun::pickDynamic(const UOpInstruction &instruction) {
  bool isPick = instruction.kind == Kind::PickDynamic;
  Slot vector = instruction.in[isPick ? 0 : 1], position = instruction.in[isPick ? 1 : 2];
  LogicalResult result = success();
  forEachActive([&](unsigned lane) {
    int64_t which = at(position.at, lane).i;
    if (which < 0 || which >= vector.lanes) {
      result = undefined(instruction, "lane " + Twine(which) + " of a vector of " + Twine(vector.lanes));
    } else if (isPick) {
      at(instruction.out.at, lane) = at(vector.at + which, lane);
    } else {
      copy(vector, instruction.out, lane);
      at(instruction.out.at + which, lane) = at(instruction.in[0].at, lane);
    }
  });
  return result;
}

void WorkgroupRun::reduceVector(const UOpInstruction &instruction) {
  Slot vector = instruction.in[0];
  bool hasInitial = instruction.in.size() > 1;
  forEachActive([&](unsigned lane) {
    Scalar sum = at(hasInitial ? instruction.in[1].at : vector.at, lane);
    for (unsigned k = hasInitial ? 0 : 1; k < vector.lanes; ++k) {
      const Scalar *args[] = {&sum, &at(vector.at + k, lane)};
      instruction.code.run(args, &sum, 1, session.undefined);
    }
    at(instruction.out.at, lane) = sum;
  });
}

void WorkgroupRun::multiplyBytes(const UOpInstruction &instruction) {
  Slot left = instruction.in[0], right = instruction.in[1], sum = instruction.in[2];
  auto take = [&](Slot bytes, unsigned operand, unsigned k, unsigned lane) -> int64_t {
    int64_t byte = at(bytes.at + k, lane).i;
    return instruction.picks[operand] ? static_cast<uint8_t>(byte) : static_cast<int8_t>(byte);
  };
  forEachActive([&](unsigned lane) {
    for (unsigned k = 0; k < instruction.out.lanes; ++k) {
      Scalar total = at(sum.at + k, lane);
      for (unsigned byte = 4 * k; byte < 4 * k + 4; ++byte)
        total.i += take(left, 0, byte, lane) * take(right, 1, byte, lane);
      normalize(instruction.code.out, &total, 1);
      at(instruction.out.at + k, lane) = total;
    }
  });
}

//===--- Control flow ---------------------------------------------------------------------------------------------===//

/// Keeps the active lanes that stay; false where none does, and then the mask is as before.
bool WorkgroupRun::narrow(llvm::function_ref<bool(unsigned lane)> stays) {
  llvm::BitVector next = active;
  forEachActive([&](unsigned lane) {
    if (!stays(lane))
      next.reset(lane);
  });
  if (next.none())
    return false;
  active = std::move(next);
  nActive = active.count();
  return true;
}

bool WorkgroupRun::beginLoop(const UOpInstruction &instruction) {
  const UOpLoop &loop = code.loops[instruction.buffer];
  forEachActive([&](unsigned lane) {
    at(loop.index.at, lane).i = 0;
    bool runs = at(loop.bound.at, lane).i > 0;
    for (auto [index, init] : llvm::enumerate(loop.inits))
      copy(init, (runs ? loop.carried : loop.results)[index], lane);
  });
  masks.push_back(active);
  if (narrow([&](unsigned lane) { return at(loop.bound.at, lane).i > 0; }))
    return true;
  leave();
  return false;
}

/// Whether some lane goes on.
bool WorkgroupRun::endLoop(const UOpInstruction &instruction) {
  const UOpLoop &loop = code.loops[instruction.buffer];
  SmallVector<Scalar> carried;
  forEachActive([&](unsigned lane) {
    // All yielded values are read before one is replaced.
    carried.clear();
    for (Slot value : instruction.in)
      for (unsigned k = 0; k < value.lanes; ++k)
        carried.push_back(at(value.at + k, lane));
    bool again = ++at(loop.index.at, lane).i < at(loop.bound.at, lane).i;
    const Scalar *next = carried.data();
    for (Slot slot : again ? loop.carried : loop.results)
      for (unsigned k = 0; k < slot.lanes; ++k)
        at(slot.at + k, lane) = *next++;
  });
  if (narrow([&](unsigned lane) { return at(loop.index.at, lane).i < at(loop.bound.at, lane).i; }))
    return true;
  leave();
  return false;
}

void WorkgroupRun::recut(const UOpInstruction &instruction) {
  unsigned from = instruction.code.in.width, to = instruction.code.out.width, source = instruction.in.front().at;
  forEachActive([&](unsigned lane) {
    for (unsigned k = 0; k < instruction.out.lanes; ++k) {
      uint64_t bits = 0;
      auto take = [&](unsigned number) { return zeroExtend(at(source + number, lane).i, from); };
      if (to <= from)
        bits = take(k * to / from) >> (k * to % from);
      for (unsigned part = 0; part * from < to && to > from; ++part)
        bits |= take(k * (to / from) + part) << (part * from);
      at(instruction.out.at + k, lane).i = wrapInt(static_cast<int64_t>(bits), to);
    }
  });
}

LogicalResult WorkgroupRun::execute() {
  for (size_t at = 0; at < code.instructions.size();) {
    const UOpInstruction &instruction = code.instructions[at++];
    if (failed(session.step(1 + static_cast<uint64_t>(instruction.out.lanes) * nActive, instruction.op->getLoc())))
      return failure();
    LogicalResult result = success();
    switch (instruction.kind) {
    case Kind::Scalar:
      compute(instruction);
      break;
    case Kind::Pick:
      for (unsigned k = 0; k < instruction.picks.size(); ++k) {
        unsigned from = instruction.picks[k], to = instruction.out.at + k;
        if (isFull())
          std::copy_n(&this->at(from, 0), nLanes, &this->at(to, 0));
        else
          forEachActive([&](unsigned lane) { this->at(to, lane) = this->at(from, lane); });
      }
      break;
    case Kind::Recut:
      recut(instruction);
      break;
    case Kind::PickDynamic:
    case Kind::PlaceDynamic:
      result = pickDynamic(instruction);
      break;
    case Kind::Reduce:
      reduceVector(instruction);
      break;
    case Kind::Dot:
      multiplyBytes(instruction);
      break;
    case Kind::Load:
    case Kind::Store:
      result = access(instruction);
      break;
    case Kind::If:
      masks.push_back(active);
      if (!narrow([&](unsigned lane) { return this->at(instruction.in[0].at, lane).i != 0; })) {
        leave();
        at = instruction.target;
      }
      break;
    case Kind::EndIf:
      leave();
      break;
    case Kind::LoopBegin:
      if (!beginLoop(instruction))
        at = instruction.target;
      break;
    case Kind::LoopEnd:
      if (endLoop(instruction))
        at = instruction.target + 1;
      break;
    case Kind::Barrier:
      result = checkWorkgroup(instruction);
      races.passBarrier();
      break;
    case Kind::SubgroupBarrier:
      result = passSubgroupBarrier(instruction);
      break;
    case Kind::Shuffle:
      result = shuffle(instruction);
      break;
    case Kind::SubgroupReduce:
      result = reduceSubgroups(instruction);
      break;
    case Kind::WorkgroupReduce:
      result = reduceWorkgroup(instruction);
      break;
    case Kind::Atomic:
      result = accessAtomic(instruction);
      break;
    case Kind::CopyAsync:
      result = beginCopy(instruction);
      break;
    case Kind::CopyCommit:
      forEachActive([&](unsigned lane) {
        ++groups[lane];
        for (Copy &copy : copies)
          if (copy.lane == lane && copy.group == 0)
            copy.group = groups[lane];
      });
      break;
    case Kind::CopyWait:
      result = endCopies(instruction);
      break;
    case Kind::FragmentLoad:
    case Kind::FragmentStore:
      result = accessFragment(instruction);
      break;
    case Kind::FragmentPlace:
    case Kind::FragmentPick:
      result = pickElements(instruction);
      break;
    case Kind::FragmentReduce:
      result = reduceRows(instruction);
      break;
    case Kind::FragmentPack:
      result = packElements(instruction);
      break;
    case Kind::Mma:
      result = multiply(instruction);
      break;
    case Kind::MbarrierInit:
      result = beginPhases(instruction);
      break;
    case Kind::MbarrierExpect:
      result = expectBytes(instruction);
      break;
    case Kind::MbarrierArrive:
      result = arriveSubgroups(instruction);
      break;
    case Kind::MbarrierWait:
      result = waitForPhase(instruction);
      break;
    case Kind::CopyBulk:
      result = beginBox(instruction);
      break;
    case Kind::MmaWait:
      result = endSeries(instruction);
      break;
    }
    if (failed(result))
      return failure();
  }
  return code.hasPhases ? checkEnd() : success();
}

LogicalResult evaluateUOp(Session &session, Operation *op, ArrayRef<Buffer> buffers) {
  auto func = cast<uop::FuncOp>(op);
  if (func.isExternal() || func.getBody().getNumArguments() != buffers.size())
    return session.unsupported(op);
  UOpCode code;
  if (failed(code.compile(session, func)))
    return failure();
  return WorkgroupRun(code, session, buffers, op->getLoc()).run();
}

} // namespace tiny::reference
