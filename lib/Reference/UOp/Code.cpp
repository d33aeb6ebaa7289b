// From a uop function to flat code.
#include "Code.h"
#include "Tiny/Dialect/UOp/Parallel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::reference {

using Kind = UOpInstruction::Kind;

/// A frame larger than this is refused: vectors of the level fit registers.
static constexpr size_t kMaxFrame = size_t(1) << 24;

FailureOr<Slot> UOpCode::define(Value value) {
  unsigned lanes = 1;
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    if (vector.isScalable())
      return failure();
    lanes = vector.getNumElements();
  }
  if (auto fragment = dyn_cast<uop::FragmentType>(value.getType()))
    lanes = fragment.getRows() * fragment.getColumns();
  else if (!getScalarType(value.getType()))
    return failure();
  Slot slot{static_cast<unsigned>(frame.size()), lanes};
  frame.resize(frame.size() + lanes);
  slots[value] = slot;
  if (frame.size() > kMaxFrame)
    return failure();
  return slot;
}

UOpInstruction &UOpCode::append(Kind kind, Operation *op) {
  UOpInstruction instruction;
  instruction.kind = kind;
  instruction.op = op;
  instructions.push_back(std::move(instruction));
  return instructions.back();
}

LogicalResult UOpCode::pick(Operation &op, Value result, ArrayRef<unsigned> picks) {
  FailureOr<Slot> out = define(result);
  if (failed(out) || out->lanes != picks.size())
    return session->unsupported(&op);
  UOpInstruction &instruction = append(Kind::Pick, &op);
  instruction.out = *out;
  instruction.picks.assign(picks.begin(), picks.end());
  return success();
}

LogicalResult UOpCode::compileConstant(Operation &op) {
  auto constant = cast<arith::ConstantOp>(op);
  std::optional<ScalarType> type = getScalarType(constant.getType());
  FailureOr<Slot> slot = define(constant);
  if (!type || failed(slot))
    return session->unsupported(&op);
  if (auto elements = dyn_cast<ElementsAttr>(constant.getValue())) {
    FailureOr<Buffer> values = readConstant(*session, elements, op.getLoc());
    if (failed(values))
      return failure();
    for (unsigned k = 0; k < slot->lanes; ++k)
      frame[slot->at + k] = values->load(k);
    return success();
  }
  std::optional<Scalar> value = fromAttribute(*type, constant.getValue());
  if (!value)
    return session->unsupported(&op);
  frame[slot->at] = *value;
  return success();
}

LogicalResult UOpCode::compileAccess(Operation &op, Value memory, Value index, Value gate, Value moved) {
  auto buffer = buffers.find(memory);
  if (buffer == buffers.end())
    return session->unsupported(&op);
  bool isStore = isa<uop::StoreOp>(op);
  Slot out;
  if (isStore) {
    out = get(moved);
  } else {
    FailureOr<Slot> slot = define(moved);
    if (failed(slot))
      return session->unsupported(&op);
    out = *slot;
  }
  UOpInstruction &instruction = append(isStore ? Kind::Store : Kind::Load, &op);
  instruction.buffer = buffer->second;
  instruction.in.push_back(get(index));
  if ((instruction.gated = gate != nullptr))
    instruction.in.push_back(get(gate));
  instruction.out = out;
  return success();
}

LogicalResult UOpCode::compileOp(Operation &op) {
  if (isa<arith::ConstantOp>(op))
    return compileConstant(op);
  if (auto special = dyn_cast<uop::SpecialOp>(op)) {
    FailureOr<Slot> slot = define(special);
    if (failed(slot))
      return session->unsupported(&op);
    for (UOpSpecial &known : specials)
      if (known.axis == special.getAxis() && known.dim == special.getDim()) {
        if (known.extent != static_cast<int64_t>(special.getExtent()))
          return session->fail(Session::Kind::Undefined, op.getLoc(), "one hardware axis has two extents");
        known.slots.push_back(slot->at);
        return success();
      }
    specials.push_back({special.getAxis(), special.getDim(), static_cast<int64_t>(special.getExtent()), {slot->at}});
    return success();
  }
  if (isa<uop::LocalOp, uop::RegisterOp>(op)) {
    Value memory = op.getResult(0);
    auto type = cast<MemRefType>(memory.getType());
    std::optional<ScalarType> element = getScalarType(type.getElementType());
    if (!element)
      return session->unsupported(&op);
    unsigned number = buffers.size();
    buffers[memory] = number;
    tiles.push_back({*element, type.getNumElements(), isa<uop::RegisterOp>(op), op.getLoc()});
    return success();
  }
  if (auto load = dyn_cast<uop::LoadOp>(op))
    return compileAccess(op, load.getBuffer(), load.getIndex(), load.getGate(), load.getResult());
  if (auto gather = dyn_cast<uop::GatherOp>(op))
    return compileAccess(op, gather.getBuffer(), gather.getIndices(), gather.getGate(), gather.getResult());
  if (auto store = dyn_cast<uop::StoreOp>(op))
    return compileAccess(op, store.getBuffer(), store.getIndex(), store.getGate(), store.getValue());
  if (auto dot = dyn_cast<uop::DotOp>(op))
    return compileDot(dot);
  // A hint.
  if (isa<uop::PrefetchOp>(op))
    return success();
  if (isa<uop::UOpDialect>(op.getDialect())) {
    if (failed(compileParallelOp(op)))
      return failure();
    instructions.back().subgroups = uop::countTeam(&op);
    return success();
  }
  if (isa_and_nonnull<vector::VectorDialect>(op.getDialect()) && !getScalarCode(&op))
    return compileVectorOp(op);

  // Elementwise. A scalar beside vectors (a select's condition) counts for every lane.
  for (OpResult result : op.getResults()) {
    std::optional<ScalarCode> code = getScalarCode(&op, result.getResultNumber());
    FailureOr<Slot> out = define(result);
    if (!code || failed(out))
      return session->unsupported(&op);
    SmallVector<Slot, 3> in;
    for (Value operand : op.getOperands()) {
      Slot slot = get(operand);
      if (slot.lanes == 1 && out->lanes > 1) {
        Slot wide{static_cast<unsigned>(frame.size()), out->lanes};
        frame.resize(frame.size() + wide.lanes);
        UOpInstruction &spread = append(Kind::Pick, &op);
        spread.out = wide;
        spread.picks.assign(wide.lanes, slot.at);
        slot = wide;
      }
      if (slot.lanes != out->lanes)
        return session->unsupported(&op);
      in.push_back(slot);
    }
    UOpInstruction &instruction = append(Kind::Scalar, &op);
    instruction.code = *code;
    instruction.in = in;
    instruction.out = *out;
  }
  return success();
}

LogicalResult UOpCode::compile(Session &evaluation, uop::FuncOp func) {
  session = &evaluation;
  nArguments = func.getBody().getNumArguments();
  subgroupSize = uop::getSubgroupSize(func);
  for (auto [index, argument] : llvm::enumerate(func.getBody().getArguments()))
    buffers[argument] = index;

  // One entry for each open region; a region inside another is a new entry, so depth costs no stack.
  struct Open {
    Block::iterator next, end;
    size_t begin = 0, loop = 0;
  };
  Block &body = func.getBody().front();
  SmallVector<Open> stack = {{body.begin(), body.end()}};
  while (!stack.empty()) {
    Open &top = stack.back();
    if (top.next == top.end) {
      stack.pop_back();
      continue;
    }
    Operation &op = *top.next++;
    if (auto loop = dyn_cast<uop::ForOp>(op)) {
      UOpLoop info;
      info.bound = get(loop.getBound());
      for (Value init : loop.getInits())
        info.inits.push_back(get(init));
      for (Value argument : loop.getBody()->getArguments()) {
        FailureOr<Slot> slot = define(argument);
        if (failed(slot))
          return session->unsupported(&op);
        info.carried.push_back(*slot);
      }
      info.index = info.carried.front();
      info.carried.erase(info.carried.begin());
      for (Value result : loop.getResults()) {
        FailureOr<Slot> slot = define(result);
        if (failed(slot))
          return session->unsupported(&op);
        info.results.push_back(*slot);
      }
      UOpInstruction &begin = append(Kind::LoopBegin, &op);
      begin.buffer = loops.size();
      loops.push_back(std::move(info));
      stack.push_back({loop.getBody()->begin(), loop.getBody()->end(), instructions.size() - 1, loops.size() - 1});
      continue;
    }
    if (auto branch = dyn_cast<uop::IfOp>(op)) {
      append(Kind::If, &op).in.push_back(get(branch.getCondition()));
      Block &then = branch.getBody().front();
      stack.push_back({then.begin(), then.end(), instructions.size() - 1, 0});
      continue;
    }
    if (isa<uop::ReturnOp>(op))
      continue;
    if (auto yield = dyn_cast<uop::YieldOp>(op)) {
      size_t begin = top.begin, loop = top.loop;
      if (isa<uop::ForOp>(op.getParentOp())) {
        UOpInstruction &end = append(Kind::LoopEnd, &op);
        for (Value value : yield.getOperands())
          end.in.push_back(get(value));
        end.target = begin;
        end.buffer = loop;
      } else {
        append(Kind::EndIf, &op);
      }
      instructions[begin].target = instructions.size();
      continue;
    }
    if (failed(compileOp(op)))
      return failure();
  }
  return success();
}

} // namespace tiny::reference
