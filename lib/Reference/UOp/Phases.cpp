// Barriers of phases, copies of boxes that they count, and products that run on. Copies write as late as they may, when
// somebody waits for them; products read their tiles when they begin, and once more when a wait ends them.
#include "Workgroup.h"

using namespace mlir;

namespace tiny::reference {

LogicalResult WorkgroupRun::beginPhases(const UOpInstruction &instruction) {
  if (failed(checkWorkgroup(instruction)))
    return failure();
  for (int64_t index = 0; index < memory[instruction.tile].count; ++index) {
    auto [found, isNew] = phases.try_emplace({instruction.tile, index});
    if (!isNew)
      return undefined(instruction, "begins barriers that have begun");
    found->second.arrivals = found->second.left = instruction.parameter;
  }
  races.passBarrier();
  return success();
}

FailureOr<WorkgroupRun::Phases *> WorkgroupRun::findPhases(const UOpInstruction &instruction, unsigned tile,
                                                           int64_t index) {
  auto found = phases.find({tile, index});
  if (found == phases.end())
    return undefined(instruction,
                     "is about barrier " + Twine(index) + " of " + nameBuffer(tile) + ", which has not begun");
  return &found->second;
}

/// Ends the phase if all have come, and the bytes are as many as it expects.
LogicalResult WorkgroupRun::endPhase(const UOpInstruction &instruction, Phases &of) {
  if (of.left != 0)
    return success();
  int64_t bytes = 0;
  for (const BoxCopy &copy : of.copies)
    bytes += int64_t(copy.instruction->picks[1]) * copy.instruction->picks[2] * copy.instruction->picks[3];
  if (bytes != of.expected)
    return undefined(instruction, "is about a barrier that expects " + Twine(of.expected) + " bytes, and " +
                                      Twine(bytes) + " are copied");
  for (const BoxCopy &copy : of.copies) {
    if (failed(endBox(copy)))
      return failure();
    races.release(copy.lane, nLanes, of.clock);
  }
  of.last = std::move(of.clock);
  of.clock.clear();
  of.copies.clear();
  of.expected = 0;
  of.left = of.arrivals;
  ++of.number;
  return success();
}

LogicalResult WorkgroupRun::arrive(const UOpInstruction &instruction, unsigned lane, Phases &of) {
  // Nobody waits for a phase without bytes to end.
  if (of.left == 0 && failed(endPhase(instruction, of)))
    return failure();
  --of.left;
  races.release(lane, nLanes, of.clock);
  return success();
}

LogicalResult WorkgroupRun::expectBytes(const UOpInstruction &instruction) {
  for (unsigned lane = 0; lane < nLanes; ++lane) {
    if (!active.test(lane))
      continue;
    FailureOr<Phases *> of = findPhases(instruction, instruction.tile, at(instruction.in[0].at, lane).i);
    if (failed(of) || failed(arrive(instruction, lane, **of)))
      return failure();
    (*of)->expected += instruction.parameter;
  }
  return success();
}

LogicalResult WorkgroupRun::arriveSubgroups(const UOpInstruction &instruction) {
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) -> LogicalResult {
    FailureOr<Phases *> of = findPhases(instruction, instruction.tile, at(instruction.in[0].at, first).i);
    if (failed(of) || failed(arrive(instruction, first, **of)))
      return failure();
    for (unsigned lane = first; lane < first + size; ++lane) {
      if (at(instruction.in[0].at, lane).i != at(instruction.in[0].at, first).i)
        return undefined(instruction, "has an index that differs between the lanes of a subgroup");
      races.release(lane, nLanes, (*of)->clock);
    }
    return success();
  });
}

LogicalResult WorkgroupRun::waitForPhase(const UOpInstruction &instruction) {
  for (unsigned lane = 0; lane < nLanes; ++lane) {
    if (!active.test(lane))
      continue;
    FailureOr<Phases *> of = findPhases(instruction, instruction.tile, at(instruction.in[0].at, lane).i);
    if (failed(of))
      return failure();
    int64_t parity = at(instruction.in[1].at, lane).i;
    if (parity != 0 && parity != 1)
      return undefined(instruction, "has parity " + Twine(parity) + ", expected 0 or 1");
    if ((*of)->number % 2 == parity && failed(endPhase(instruction, **of)))
      return failure();
    // Lanes go in lockstep: whoever has not come by now comes behind the wait.
    if ((*of)->number % 2 == parity)
      return undefined(instruction, "waits for phase " + Twine((*of)->number) + " of barrier " +
                                        Twine(at(instruction.in[0].at, lane).i) + " of " +
                                        nameBuffer(instruction.tile) + ", which does not end: " + Twine((*of)->left) +
                                        " of " + Twine((*of)->arrivals) + " arrivals are missing");
    races.acquire(lane, nLanes, (*of)->last);
  }
  return success();
}

//===--- Boxes ----------------------------------------------------------------------------------------------------===//

LogicalResult WorkgroupRun::forEachOfBox(const BoxCopy &copy,
                                         llvm::function_ref<LogicalResult(int64_t to, int64_t from)> run) {
  const UOpInstruction &instruction = *copy.instruction;
  constexpr int64_t kGroupBytes = 16, kPieces = 8;
  int64_t rows = instruction.picks[2], columns = instruction.picks[3], group = kGroupBytes / instruction.picks[1];
  auto [extent, width, stride] = instruction.extents;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      int64_t at = copy.to + r * columns + c, row = copy.row + r, column = copy.column + c;
      int64_t to = at - at % columns + ((at % columns / group) ^ (at / columns % kPieces)) * group + at % group;
      bool isInside = row >= 0 && row < extent && column >= 0 && column < width;
      if (failed(run(to, isInside ? row * stride + column : -1)))
        return failure();
    }
  return success();
}

LogicalResult WorkgroupRun::beginBox(const UOpInstruction &instruction) {
  for (unsigned lane = 0; lane < nLanes; ++lane) {
    if (!active.test(lane))
      continue;
    BoxCopy copy{&instruction, lane, at(instruction.in[0].at, lane).i, at(instruction.in[1].at, lane).i,
                 at(instruction.in[2].at, lane).i};
    FailureOr<Phases *> of = findPhases(instruction, instruction.picks[0], at(instruction.in[3].at, lane).i);
    if (failed(of))
      return failure();
    if (copy.to % instruction.picks[3] != 0)
      return undefined(instruction, "copies to element " + Twine(copy.to) + " of " + nameBuffer(instruction.tile) +
                                        ", which is no multiple of 128 bytes");
    LogicalResult begun = forEachOfBox(copy, [&](int64_t to, int64_t from) -> LogicalResult {
      if ((from >= 0 && failed(locate(instruction, instruction.buffer, lane, from, Access::Read))) ||
          failed(locate(instruction, instruction.tile, lane, to, Access::Write)))
        return failure();
      if (!underWay.try_emplace({instruction.tile, to}, &instruction).second)
        return undefined(instruction, "copies to element " + Twine(to) + " of " + nameBuffer(instruction.tile) +
                                          " in " + nameLane(workgroup * nLanes + lane) +
                                          " before the wait for another copy to it");
      return success();
    });
    if (failed(begun))
      return failure();
    (*of)->copies.push_back(copy);
  }
  return success();
}

LogicalResult WorkgroupRun::endBox(const BoxCopy &copy) {
  const UOpInstruction &instruction = *copy.instruction;
  return forEachOfBox(copy, [&](int64_t to, int64_t from) -> LogicalResult {
    FailureOr<int64_t> target = locate(instruction, instruction.tile, copy.lane, to, Access::Write);
    if (failed(target))
      return failure();
    underWay.erase({instruction.tile, to});
    Scalar value = {};
    if (from >= 0) {
      FailureOr<int64_t> source = locate(instruction, instruction.buffer, copy.lane, from, Access::Read);
      if (failed(source))
        return failure();
      if (!memory[instruction.buffer].isWritten(*source))
        return undefined(instruction, "reads element " + Twine(from) + " of a buffer before it is written");
      value = memory[instruction.buffer].load(*source);
    }
    memory[instruction.tile].store(*target, value);
    return success();
  });
}

/// A copy that nobody waits for would write into what is another workgroup's by then.
LogicalResult WorkgroupRun::checkEnd() {
  for (const auto &[where, of] : phases)
    if (!of.copies.empty())
      return undefined(*of.copies.front().instruction, "is not waited for before the workgroup ends");
  return success();
}

//===--- Products that run on -------------------------------------------------------------------------------------===//

LogicalResult WorkgroupRun::endSeries(const UOpInstruction &instruction) {
  return forEachSubgroup(instruction, [&](unsigned first, unsigned) -> LogicalResult {
    std::vector<std::vector<TileRead>> &own = series[first];
    if (own.empty())
      own.emplace_back();
    own.emplace_back();
    // The last one has just begun.
    while (static_cast<int64_t>(own.size()) - 1 > instruction.parameter) {
      for (const TileRead &read : own.front())
        for (unsigned element = 0; element < read.instruction->out.lanes; ++element)
          if (failed(locate(*read.instruction, read.instruction->buffer, read.first + element % read.size,
                            placeOfElement(*read.instruction, read.base, element), Access::Read)))
            return failure();
      own.erase(own.begin());
    }
    return success();
  });
}

} // namespace tiny::reference
