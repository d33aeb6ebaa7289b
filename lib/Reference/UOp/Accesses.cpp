// Accesses to memory, and asynchronous copies. Each is checked: bounds, what was written before, races.
#include "Workgroup.h"

using namespace mlir;

namespace tiny::reference {

using Kind = UOpInstruction::Kind;

static StringRef nameAccess(Access access) {
  switch (access) {
  case Access::Read:
    return "reads";
  case Access::Write:
    return "writes";
  case Access::Atomic:
    return "changes";
  }
  llvm_unreachable("every access has a name");
}

FailureOr<int64_t> WorkgroupRun::locate(const UOpInstruction &instruction, unsigned number, unsigned lane, int64_t at,
                                        Access access) {
  const Buffer &buffer = memory[number];
  const UOpTile *tile = number < code.nArguments ? nullptr : &code.tiles[number - code.nArguments];
  bool isPrivate = tile && tile->isPrivate;
  int64_t count = isPrivate ? tile->count : buffer.count;
  if (at < 0 || at >= count)
    return undefined(instruction, Twine(nameAccess(access)) + " element " + Twine(at) + " of a buffer of " +
                                      Twine(count) + " elements" +
                                      (nLanes > 1 ? " in " + nameLane(workgroup * nLanes + lane) : ""));
  if (isPrivate)
    return lane * count + at;
  if (auto copy = underWay.find({number, at}); copy != underWay.end() && copy->second != &instruction) {
    session.noteOther(copy->second->op);
    return undefined(instruction, Twine(nameAccess(access)) + " element " + Twine(at) + " of " + nameBuffer(number) +
                                      " in " + nameLane(workgroup * nLanes + lane) +
                                      " before the wait for the asynchronous copy to it");
  }
  if (!isParallel)
    return at;
  uint32_t self = workgroup * nLanes + lane, index = &instruction - code.instructions.data();
  std::optional<Touch> other = races.touch(buffer.memory.get(), buffer.offset + at, self, index, access);
  if (!other)
    return at;
  Operation *otherOp = code.instructions[other->instruction].op;
  session.noteOther(otherOp);
  return undefined(instruction, "has a race: " + nameLane(self) + " " + nameAccess(access) + " element " + Twine(at) +
                                    " of " + nameBuffer(number) + " by '" + instruction.op->getName().getStringRef() +
                                    "', and " + nameLane(other->lane) + " " + nameAccess(other->access) + " it by '" +
                                    otherOp->getName().getStringRef() + "', with no barrier between");
}

LogicalResult WorkgroupRun::access(const UOpInstruction &instruction) {
  bool isLoad = instruction.kind == Kind::Load;
  Buffer &buffer = memory[instruction.buffer];
  Slot index = instruction.in[0];
  Slot gate = instruction.gated ? instruction.in[1] : Slot();
  for (unsigned lane = 0; lane < nLanes; ++lane) {
    if (!active.test(lane))
      continue;
    for (unsigned k = 0; k < instruction.out.lanes; ++k) {
      Scalar &value = at(instruction.out.at + k, lane);
      if (instruction.gated && !at(gate.at + (gate.lanes == 1 ? 0 : k), lane).i) {
        if (isLoad)
          value = getJunk(buffer.type());
        continue;
      }
      // One index is that of the first lane of a vector.
      int64_t element = index.lanes == 1 ? at(index.at, lane).i + k : at(index.at + k, lane).i;
      FailureOr<int64_t> place =
          locate(instruction, instruction.buffer, lane, element, isLoad ? Access::Read : Access::Write);
      if (failed(place))
        return failure();
      if (!isLoad) {
        buffer.store(*place, value);
        continue;
      }
      if (!buffer.isWritten(*place))
        return undefined(instruction, "reads element " + Twine(element) + " of a buffer before it is written");
      value = buffer.load(*place);
    }
  }
  return success();
}

LogicalResult WorkgroupRun::accessAtomic(const UOpInstruction &instruction) {
  Buffer &buffer = memory[instruction.buffer];
  for (unsigned lane = 0; lane < nLanes; ++lane) {
    if (!active.test(lane) || (instruction.gated && !at(instruction.in[1].at, lane).i))
      continue;
    int64_t element = at(instruction.in[0].at, lane).i;
    FailureOr<int64_t> place = locate(instruction, instruction.buffer, lane, element, Access::Atomic);
    if (failed(place))
      return failure();
    if (!buffer.isWritten(*place))
      return undefined(instruction, "reads element " + Twine(element) + " of a buffer before it is written");
    Scalar sum = buffer.load(*place);
    const Scalar *args[] = {&sum, &at(instruction.out.at, lane)};
    instruction.code.run(args, &sum, 1, session.undefined);
    buffer.store(*place, sum);
  }
  return success();
}

//===--- Asynchronous copies --------------------------------------------------------------------------------------===//

LogicalResult WorkgroupRun::beginCopy(const UOpInstruction &instruction) {
  for (unsigned lane = 0; lane < nLanes; ++lane) {
    if (!active.test(lane))
      continue;
    Copy copy{&instruction, lane, at(instruction.in[0].at, lane).i, at(instruction.in[1].at, lane).i, 0, true};
    copy.isOn = !instruction.gated || at(instruction.in[2].at, lane).i != 0;
    for (int64_t k = 0; k < instruction.parameter; ++k) {
      if ((copy.isOn && failed(locate(instruction, instruction.buffer, lane, copy.from + k, Access::Read))) ||
          failed(locate(instruction, instruction.tile, lane, copy.to + k, Access::Write)))
        return failure();
      auto [other, isNew] = underWay.try_emplace({instruction.tile, copy.to + k}, &instruction);
      if (!isNew)
        return undefined(instruction, "copies to element " + Twine(copy.to + k) + " of " +
                                          nameBuffer(instruction.tile) + " in " + nameLane(workgroup * nLanes + lane) +
                                          " before the wait for another copy to it");
    }
    copies.push_back(copy);
  }
  return success();
}

/// Elements are read and written as late as they may be.
LogicalResult WorkgroupRun::endCopy(const Copy &copy) {
  const UOpInstruction &instruction = *copy.instruction;
  for (int64_t k = 0; k < instruction.parameter; ++k) {
    FailureOr<int64_t> to = locate(instruction, instruction.tile, copy.lane, copy.to + k, Access::Write);
    if (failed(to))
      return failure();
    underWay.erase({instruction.tile, copy.to + k});
    if (!copy.isOn) {
      memory[instruction.tile].store(*to, Scalar());
      continue;
    }
    FailureOr<int64_t> from = locate(instruction, instruction.buffer, copy.lane, copy.from + k, Access::Read);
    if (failed(from))
      return failure();
    if (!memory[instruction.buffer].isWritten(*from))
      return undefined(instruction, "reads element " + Twine(copy.from + k) + " of a buffer before it is written");
    memory[instruction.tile].store(*to, memory[instruction.buffer].load(*from));
  }
  return success();
}

LogicalResult WorkgroupRun::endCopies(const UOpInstruction &instruction) {
  std::vector<Copy> rest;
  for (const Copy &copy : copies) {
    bool isDone = active.test(copy.lane) && copy.group != 0 && copy.group + instruction.parameter <= groups[copy.lane];
    if (!isDone)
      rest.push_back(copy);
    else if (failed(endCopy(copy)))
      return failure();
  }
  copies = std::move(rest);
  return success();
}

} // namespace tiny::reference
