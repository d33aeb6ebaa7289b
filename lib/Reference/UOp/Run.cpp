// Runs the flat code of a uop function once for each point of its hardware axes.
#include "Code.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::reference {

using Kind = UOpInstruction::Kind;

LogicalResult UOpCode::access(Session &evaluation, const UOpInstruction &instruction, Buffer &buffer) {
  bool isLoad = instruction.kind == Kind::Load;
  Slot index = instruction.in[0];
  Slot gate = instruction.gated ? instruction.in[1] : Slot();
  for (unsigned k = 0; k < instruction.out.lanes; ++k) {
    Scalar &lane = frame[instruction.out.at + k];
    if (instruction.gated && !frame[gate.at + (gate.lanes == 1 ? 0 : k)].i) {
      if (isLoad)
        lane = getJunk(buffer.type());
      continue;
    }
    // One index is that of the first lane.
    int64_t at = index.lanes == 1 ? frame[index.at].i + k : frame[index.at + k].i;
    if (at < 0 || at >= buffer.count)
      return evaluation.fail(Session::Kind::Undefined, instruction.op->getLoc(),
                             Twine(isLoad ? "reads" : "writes") + " element " + Twine(at) + " of a buffer of " +
                                 Twine(buffer.count) + " elements");
    if (!isLoad) {
      buffer.store(at, lane);
      continue;
    }
    if (!buffer.isWritten(at))
      return evaluation.fail(Session::Kind::Undefined, instruction.op->getLoc(),
                             "reads element " + Twine(at) + " of a buffer before it is written");
    lane = buffer.load(at);
  }
  return success();
}

LogicalResult UOpCode::execute(Session &evaluation, MutableArrayRef<Buffer> memory) {
  SmallVector<Scalar> carried;
  for (size_t at = 0; at < instructions.size();) {
    const UOpInstruction &instruction = instructions[at++];
    if (failed(evaluation.step(1 + instruction.out.lanes, instruction.op->getLoc())))
      return failure();
    Scalar *out = frame.data() + instruction.out.at;
    switch (instruction.kind) {
    case Kind::Scalar: {
      const Scalar *args[4] = {};
      for (auto [slot, operand] : llvm::zip(args, instruction.in))
        slot = frame.data() + operand.at;
      instruction.code.run(args, out, instruction.out.lanes, evaluation.undefined);
      break;
    }
    case Kind::Pick:
      for (auto [lane, from] : llvm::enumerate(instruction.picks))
        out[lane] = frame[from];
      break;
    case Kind::PickDynamic:
    case Kind::PlaceDynamic: {
      bool isPick = instruction.kind == Kind::PickDynamic;
      Slot vector = instruction.in[isPick ? 0 : 1];
      int64_t lane = frame[instruction.in[isPick ? 1 : 2].at].i;
      if (lane < 0 || lane >= vector.lanes)
        return evaluation.fail(Session::Kind::Undefined, instruction.op->getLoc(),
                               "lane " + Twine(lane) + " of a vector of " + Twine(vector.lanes));
      if (isPick) {
        *out = frame[vector.at + lane];
      } else {
        copy(vector, instruction.out);
        out[lane] = frame[instruction.in[0].at];
      }
      break;
    }
    case Kind::Reduce: {
      Slot vector = instruction.in[0];
      bool hasInitial = instruction.in.size() > 1;
      Scalar sum = frame[hasInitial ? instruction.in[1].at : vector.at];
      for (unsigned lane = hasInitial ? 0 : 1; lane < vector.lanes; ++lane) {
        const Scalar *args[] = {&sum, frame.data() + vector.at + lane};
        instruction.code.run(args, &sum, 1, evaluation.undefined);
      }
      *out = sum;
      break;
    }
    case Kind::Load:
    case Kind::Store:
      if (failed(access(evaluation, instruction, memory[instruction.buffer])))
        return failure();
      break;
    case Kind::If:
      if (!frame[instruction.in[0].at].i)
        at = instruction.target;
      break;
    case Kind::LoopBegin: {
      const UOpLoop &loop = loops[instruction.buffer];
      frame[loop.index.at].i = 0;
      bool runs = frame[loop.bound.at].i > 0;
      for (auto [index, init] : llvm::enumerate(loop.inits))
        copy(init, (runs ? loop.carried : loop.results)[index]);
      if (!runs)
        at = instruction.target;
      break;
    }
    case Kind::LoopEnd: {
      const UOpLoop &loop = loops[instruction.buffer];
      // All yielded values are read before one is replaced.
      carried.clear();
      for (Slot value : instruction.in)
        carried.append(frame.begin() + value.at, frame.begin() + value.at + value.lanes);
      bool again = ++frame[loop.index.at].i < frame[loop.bound.at].i;
      const Scalar *next = carried.data();
      for (Slot slot : again ? loop.carried : loop.results) {
        std::copy_n(next, slot.lanes, frame.begin() + slot.at);
        next += slot.lanes;
      }
      if (again)
        at = instruction.target + 1;
      break;
    }
    }
  }
  return success();
}

LogicalResult UOpCode::run(Session &evaluation, MutableArrayRef<Buffer> memory, Location location) {
  llvm::sort(specials, [](const UOpSpecial &a, const UOpSpecial &b) {
    return std::make_pair(a.axis, a.dim) < std::make_pair(b.axis, b.dim);
  });
  uint64_t points = 1;
  for (const UOpSpecial &special : specials)
    points = llvm::SaturatingMultiply(points, static_cast<uint64_t>(special.extent));
  for (uint64_t point = 0; point < points; ++point) {
    auto rest = static_cast<int64_t>(point);
    // An empty body takes steps too.
    if (failed(evaluation.step(1, location)))
      return failure();
    for (const UOpSpecial &special : llvm::reverse(specials)) {
      for (unsigned slot : special.slots)
        frame[slot].i = rest % special.extent;
      rest /= special.extent;
    }
    Buffers all(memory);
    for (const UOpTile &tile : tiles) {
      FailureOr<Buffer> buffer = allocate(evaluation, tile.type, tile.count, tile.location, /*tracked=*/true);
      if (failed(buffer))
        return failure();
      all.push_back(*buffer);
    }
    if (failed(execute(evaluation, all)))
      return failure();
  }
  return success();
}

LogicalResult evaluateUOp(Session &session, Operation *op, ArrayRef<Buffer> buffers) {
  auto func = cast<uop::FuncOp>(op);
  if (func.isExternal() || func.getBody().getNumArguments() != buffers.size())
    return session.unsupported(op);
  UOpCode code;
  if (failed(code.compile(session, func)))
    return failure();
  Buffers memory(buffers);
  return code.run(session, memory, op->getLoc());
}

} // namespace tiny::reference
