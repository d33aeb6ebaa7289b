// From what lanes do together to flat code.
#include "Code.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::reference {

using Kind = UOpInstruction::Kind;

LogicalResult UOpCode::compilePhases(Operation &op, unsigned barriers) {
  hasPhases = true;
  auto add = [&](Kind kind, SmallVector<Slot, 3> in, int64_t parameter = 0) {
    UOpInstruction &instruction = append(kind, &op);
    instruction.tile = barriers;
    instruction.in = std::move(in);
    instruction.parameter = parameter;
  };
  if (auto init = dyn_cast<uop::MbarrierInitOp>(op))
    add(Kind::MbarrierInit, {}, init.getArrivals());
  else if (auto expect = dyn_cast<uop::MbarrierExpectOp>(op))
    add(Kind::MbarrierExpect, {get(expect.getIndex())}, expect.getBytes());
  else if (auto arrive = dyn_cast<uop::MbarrierArriveOp>(op))
    add(Kind::MbarrierArrive, {get(arrive.getIndex())});
  else if (auto wait = dyn_cast<uop::MbarrierWaitOp>(op))
    add(Kind::MbarrierWait, {get(wait.getIndex()), get(wait.getPhase())});
  return success();
}

LogicalResult UOpCode::compileParallelOp(Operation &op) {
  // Every buffer is an argument or a tile.
  auto findBuffer = [&](Value memory) -> std::optional<unsigned> {
    auto found = buffers.find(memory);
    return found == buffers.end() ? std::nullopt : std::optional(found->second);
  };
  auto combine = [&](UOpInstruction &instruction, arith::AtomicRMWKind kind, Type type) -> LogicalResult {
    std::optional<ScalarType> scalar = getScalarType(type);
    std::optional<ScalarCode> code = scalar ? getCombinerCode(kind, *scalar) : std::nullopt;
    if (!code)
      return session->unsupported(&op);
    instruction.code = *code;
    return success();
  };
  auto wait = dyn_cast<uop::MmaWaitOp>(op);
  if (!wait && op.getNumResults() == 1 && failed(define(op.getResult(0))))
    return session->unsupported(&op);
  Slot out = op.getNumResults() == 1 ? get(op.getResult(0)) : Slot();
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](uop::BarrierOp) {
        append(Kind::Barrier, &op);
        return success();
      })
      .Case([&](uop::SubgroupBarrierOp) {
        append(Kind::SubgroupBarrier, &op);
        return success();
      })
      .Case([&](uop::ShuffleOp shuffle) {
        UOpInstruction &instruction = append(Kind::Shuffle, &op);
        instruction.in = {get(shuffle.getValue()), get(shuffle.getOffset())};
        instruction.code.out = *getScalarType(shuffle.getType());
        instruction.parameter = static_cast<int64_t>(shuffle.getMode());
        instruction.out = out;
        return success();
      })
      .Case<uop::SubgroupReduceOp, uop::WorkgroupReduceOp>([&](auto reduce) {
        bool isWorkgroup = isa<uop::WorkgroupReduceOp>(op);
        UOpInstruction &instruction = append(isWorkgroup ? Kind::WorkgroupReduce : Kind::SubgroupReduce, &op);
        instruction.in = {get(reduce.getValue())};
        instruction.out = out;
        if (auto workgroup = dyn_cast<uop::WorkgroupReduceOp>(op))
          instruction.parameter = workgroup.getDims();
        return combine(instruction, reduce.getKind(), reduce.getType());
      })
      .Case([&](uop::AtomicOp atomic) {
        std::optional<unsigned> buffer = findBuffer(atomic.getBuffer());
        if (!buffer)
          return session->unsupported(&op);
        UOpInstruction &instruction = append(Kind::Atomic, &op);
        instruction.buffer = *buffer;
        instruction.in = {get(atomic.getIndex())};
        if ((instruction.gated = atomic.getGate() != nullptr))
          instruction.in.push_back(get(atomic.getGate()));
        instruction.out = get(atomic.getValue());
        return combine(instruction, atomic.getKind(), atomic.getValue().getType());
      })
      .Case([&](uop::CopyAsyncOp copy) {
        std::optional<unsigned> source = findBuffer(copy.getSource()), tile = findBuffer(copy.getTile());
        if (!source || !tile)
          return session->unsupported(&op);
        UOpInstruction &instruction = append(Kind::CopyAsync, &op);
        instruction.buffer = *source;
        instruction.tile = *tile;
        instruction.in = {get(copy.getFrom()), get(copy.getTo())};
        if ((instruction.gated = copy.getGate() != nullptr))
          instruction.in.push_back(get(copy.getGate()));
        instruction.parameter = copy.getCount();
        return success();
      })
      .Case([&](uop::CopyCommitOp) {
        append(Kind::CopyCommit, &op);
        return success();
      })
      .Case([&](uop::CopyWaitOp wait) {
        append(Kind::CopyWait, &op).parameter = wait.getPending();
        return success();
      })
      .Case<uop::MbarrierInitOp, uop::MbarrierExpectOp, uop::MbarrierArriveOp, uop::MbarrierWaitOp>(
          [&](auto barrier) { return compilePhases(op, *findBuffer(barrier.getBarriers())); })
      .Case([&](uop::CopyBulkOp copy) {
        std::optional<unsigned> source = findBuffer(copy.getSource()), tile = findBuffer(copy.getTile());
        std::optional<unsigned> barriers = findBuffer(copy.getBarriers());
        if (!source || !tile || !barriers)
          return session->unsupported(&op);
        UOpInstruction &instruction = append(Kind::CopyBulk, &op);
        instruction.buffer = *source;
        instruction.tile = *tile;
        instruction.in = {get(copy.getRow()), get(copy.getColumn()), get(copy.getTo()), get(copy.getIndex())};
        unsigned bytes = cast<MemRefType>(copy.getTile().getType()).getElementType().getIntOrFloatBitWidth() / 8;
        instruction.picks = {*barriers, bytes, unsigned(copy.getBoxRows()), unsigned(copy.getBoxColumns())};
        instruction.extents = {int64_t(copy.getRows()), int64_t(copy.getColumns()), int64_t(copy.getStride())};
        hasPhases = true;
        return success();
      })
      .Case([&](uop::MmaWaitOp) {
        // The values are there; the tiles are read until then.
        for (auto [sum, result] : llvm::zip(wait.getSums(), wait.getResults()))
          slots[result] = get(sum);
        append(Kind::MmaWait, &op).parameter = wait.getPending();
        hasSeries = true;
        return success();
      })
      .Case([&](uop::FragmentFillOp fill) {
        UOpInstruction &instruction = append(Kind::Pick, &op);
        instruction.out = out;
        instruction.picks.assign(out.lanes, get(fill.getValue()).at);
        return success();
      })
      .Case<uop::FragmentLoadOp, uop::FragmentStoreOp>([&](auto access) {
        std::optional<unsigned> buffer = findBuffer(access.getBuffer());
        auto load = dyn_cast<uop::FragmentLoadOp>(op);
        Value fragment = load ? load.getResult() : cast<uop::FragmentStoreOp>(op).getValue();
        auto type = cast<uop::FragmentType>(fragment.getType());
        if (!buffer || !getScalarType(type.getScalar()))
          return session->unsupported(&op);
        UOpInstruction &instruction = append(load ? Kind::FragmentLoad : Kind::FragmentStore, &op);
        instruction.buffer = *buffer;
        instruction.in = {get(access.getIndex())};
        instruction.parameter = access.getStride();
        instruction.picks = {unsigned(type.getRows()), unsigned(type.getColumns()), load && load.getTransposed()};
        // A panel's pieces have 128 bytes, and swizzled groups 16.
        if (std::optional<int64_t> panel = load ? load.getPanel() : std::nullopt) {
          unsigned bytes = type.getScalar().getIntOrFloatBitWidth() / 8;
          instruction.picks.append({unsigned(*panel), 128 / bytes, 16 / bytes});
        }
        instruction.out = get(fragment);
        return success();
      })
      .Case([&](uop::FragmentPlaceOp place) -> LogicalResult {
        FailureOr<Slot> rows = define(place.getRows()), columns = define(place.getColumns());
        if (failed(rows) || failed(columns))
          return session->unsupported(&op);
        UOpInstruction &instruction = append(Kind::FragmentPlace, &op);
        instruction.in = {*rows, *columns};
        instruction.parameter = cast<uop::FragmentType>(place.getFragment()).getColumns();
        return success();
      })
      .Case([&](uop::FragmentElementsOp elements) {
        UOpInstruction &instruction = append(Kind::FragmentPick, &op);
        instruction.in = {get(elements.getValue())};
        instruction.out = out;
        return success();
      })
      .Case([&](uop::FragmentReduceOp reduce) {
        UOpInstruction &instruction = append(Kind::FragmentReduce, &op);
        instruction.in = {get(reduce.getElements())};
        instruction.out = out;
        instruction.parameter = cast<uop::FragmentType>(reduce.getFragment()).getColumns();
        return combine(instruction, reduce.getKind(), reduce.getElements().getType().getElementType());
      })
      .Case([&](uop::FragmentPackOp pack) {
        std::optional<ScalarType> element = getScalarType(pack.getType().getScalar());
        if (!element)
          return session->unsupported(&op);
        UOpInstruction &instruction = append(Kind::FragmentPack, &op);
        instruction.in = {get(pack.getElements())};
        instruction.out = out;
        instruction.picks = {unsigned(pack.getType().getColumns()), unsigned(pack.getFrom().value_or(0))};
        instruction.code.out = *element;
        return success();
      })
      .Case([&](uop::MmaOp mma) {
        uop::FragmentType left = mma.getLeft().getType(), sum = mma.getSum().getType();
        std::optional<ScalarType> input = getScalarType(left.getScalar()), total = getScalarType(sum.getElement());
        if (!input || !total || input->isFloat() != total->isFloat())
          return session->unsupported(&op);
        UOpInstruction &instruction = append(Kind::Mma, &op);
        instruction.in = {get(mma.getLeft()), get(mma.getRight()), get(mma.getSum())};
        instruction.out = out;
        instruction.code.out = *total;
        instruction.parameter = left.getElement().isTF32();
        instruction.picks = {unsigned(sum.getRows()), unsigned(sum.getColumns()), unsigned(left.getColumns())};
        return success();
      })
      .Default([&](Operation *) { return session->unsupported(&op); });
}

} // namespace tiny::reference
