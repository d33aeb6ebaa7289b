// Vector operations: almost all of them only move lanes, in row-major order.
#include "Code.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::reference {

using Kind = UOpInstruction::Kind;

static SmallVector<unsigned> lanesOf(Slot slot) {
  return llvm::to_vector(llvm::seq<unsigned>(slot.at, slot.at + slot.lanes));
}

/// Row-major strides of a vector's shape; empty for a scalar.
static SmallVector<int64_t> stridesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  SmallVector<int64_t> strides(vector ? vector.getRank() : 0, 1);
  for (size_t axis = strides.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * vector.getDimSize(axis);
  return strides;
}

static ArrayRef<int64_t> shapeOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getShape() : ArrayRef<int64_t>();
}

/// Calls `visit` with (row-major number, indices) of every lane of a shape.
static void forEachLane(ArrayRef<int64_t> shape, function_ref<void(unsigned, ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> indices(shape.size(), 0);
  for (unsigned lane = 0;; ++lane) {
    visit(lane, indices);
    size_t axis = shape.size();
    while (axis > 0 && ++indices[axis - 1] == shape[axis - 1])
      indices[--axis] = 0;
    if (axis == 0)
      return;
  }
}

/// The lane that a static position names, or none where part of it is dynamic.
static std::optional<unsigned> getLane(Type type, ArrayRef<int64_t> position) {
  SmallVector<int64_t> strides = stridesOf(type);
  int64_t lane = 0;
  for (auto [index, stride] : llvm::zip(position, strides)) {
    if (index < 0)
      return std::nullopt;
    lane += index * stride;
  }
  return lane;
}

static StringRef getCombinerName(vector::CombiningKind kind, bool isFloat) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return isFloat ? "arith.addf" : "arith.addi";
  case vector::CombiningKind::MUL:
    return isFloat ? "arith.mulf" : "arith.muli";
  case vector::CombiningKind::MINUI:
    return "arith.minui";
  case vector::CombiningKind::MINSI:
    return "arith.minsi";
  case vector::CombiningKind::MINNUMF:
    return "arith.minnumf";
  case vector::CombiningKind::MINIMUMF:
    return "arith.minimumf";
  case vector::CombiningKind::MAXUI:
    return "arith.maxui";
  case vector::CombiningKind::MAXSI:
    return "arith.maxsi";
  case vector::CombiningKind::MAXNUMF:
    return "arith.maxnumf";
  case vector::CombiningKind::MAXIMUMF:
    return "arith.maximumf";
  case vector::CombiningKind::AND:
    return "arith.andi";
  case vector::CombiningKind::OR:
    return "arith.ori";
  case vector::CombiningKind::XOR:
    return "arith.xori";
  }
  return "";
}

LogicalResult UOpCode::compileVectorOp(Operation &op) {
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    Slot source = get(broadcast.getSource());
    ArrayRef<int64_t> from = shapeOf(broadcast.getSourceType());
    SmallVector<int64_t> strides = stridesOf(broadcast.getSourceType());
    SmallVector<unsigned> picks;
    forEachLane(shapeOf(broadcast.getType()), [&](unsigned, ArrayRef<int64_t> indices) {
      int64_t lane = 0;
      ArrayRef<int64_t> inner = indices.take_back(from.size());
      for (size_t axis = 0; axis < from.size(); ++axis)
        lane += (from[axis] == 1 ? 0 : inner[axis]) * strides[axis];
      picks.push_back(source.at + lane);
    });
    return pick(op, broadcast, picks);
  }
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
    return pick(op, cast, lanesOf(get(cast.getSource())));
  if (auto cast = dyn_cast<vector::BitCastOp>(op)) {
    std::optional<ScalarType> from = getScalarType(cast.getSourceVectorType()), to = getScalarType(cast.getType());
    FailureOr<Slot> out = define(cast);
    if (!from || !to || from->isFloat() || to->isFloat() || failed(out))
      return session->unsupported(&op);
    UOpInstruction &instruction = append(Kind::Recut, &op);
    instruction.code.in = *from;
    instruction.code.out = *to;
    instruction.in = {get(cast.getSource())};
    instruction.out = *out;
    return success();
  }
  if (auto elements = dyn_cast<vector::FromElementsOp>(op)) {
    SmallVector<unsigned> picks;
    for (Value element : elements.getElements())
      picks.push_back(get(element).at);
    return pick(op, elements, picks);
  }
  if (auto elements = dyn_cast<vector::ToElementsOp>(op)) {
    Slot source = get(elements.getSource());
    for (OpResult result : elements->getResults())
      if (failed(pick(op, result, {source.at + result.getResultNumber()})))
        return failure();
    return success();
  }
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    SmallVector<unsigned> lanes = lanesOf(get(shuffle.getV1())), picks;
    llvm::append_range(lanes, lanesOf(get(shuffle.getV2())));
    if (shuffle.getV1VectorType().getRank() > 1)
      return session->unsupported(&op);
    // A poison lane may be anything.
    for (int64_t lane : shuffle.getMask())
      picks.push_back(lanes[lane < 0 ? 0 : lane]);
    return pick(op, shuffle, picks);
  }
  if (auto step = dyn_cast<vector::StepOp>(op)) {
    FailureOr<Slot> slot = define(step);
    if (failed(slot))
      return session->unsupported(&op);
    for (unsigned lane = 0; lane < slot->lanes; ++lane)
      frame[slot->at + lane].i = lane;
    return success();
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    Slot source = get(extract.getSource());
    if (std::optional<unsigned> lane = getLane(extract.getSource().getType(), extract.getStaticPosition())) {
      auto result = dyn_cast<VectorType>(extract.getType());
      return pick(op, extract, lanesOf({source.at + *lane, result ? unsigned(result.getNumElements()) : 1}));
    }
    FailureOr<Slot> out = define(extract);
    if (failed(out) || extract.getDynamicPosition().size() != 1 || out->lanes != 1 ||
        shapeOf(extract.getSource().getType()).size() != 1)
      return session->unsupported(&op);
    UOpInstruction &instruction = append(Kind::PickDynamic, &op);
    instruction.in = {source, get(extract.getDynamicPosition().front())};
    instruction.out = *out;
    return success();
  }
  if (auto insert = dyn_cast<vector::InsertOp>(op)) {
    Slot value = get(insert.getValueToStore()), target = get(insert.getDest());
    if (std::optional<unsigned> lane = getLane(insert.getDest().getType(), insert.getStaticPosition())) {
      SmallVector<unsigned> picks = lanesOf(target);
      for (unsigned k = 0; k < value.lanes; ++k)
        picks[*lane + k] = value.at + k;
      return pick(op, insert, picks);
    }
    FailureOr<Slot> out = define(insert);
    if (failed(out) || insert.getDynamicPosition().size() != 1 || value.lanes != 1 ||
        shapeOf(insert.getDest().getType()).size() != 1)
      return session->unsupported(&op);
    UOpInstruction &instruction = append(Kind::PlaceDynamic, &op);
    instruction.in = {value, target, get(insert.getDynamicPosition().front())};
    instruction.out = *out;
    return success();
  }
  if (auto extract = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    Slot source = get(extract.getSource());
    SmallVector<int64_t> strides = stridesOf(extract.getSource().getType()), offsets, steps;
    extract.getOffsets(offsets);
    for (Attribute attr : extract.getStrides())
      steps.push_back(cast<IntegerAttr>(attr).getInt());
    SmallVector<unsigned> picks;
    forEachLane(shapeOf(extract.getType()), [&](unsigned, ArrayRef<int64_t> indices) {
      int64_t lane = 0;
      for (size_t axis = 0; axis < strides.size(); ++axis)
        lane += strides[axis] * (axis < offsets.size() ? offsets[axis] + indices[axis] * steps[axis] : indices[axis]);
      picks.push_back(source.at + lane);
    });
    return pick(op, extract, picks);
  }
  if (auto insert = dyn_cast<vector::InsertStridedSliceOp>(op)) {
    Slot value = get(insert.getValueToStore());
    SmallVector<unsigned> picks = lanesOf(get(insert.getDest()));
    SmallVector<int64_t> strides = stridesOf(insert.getDest().getType()), offsets, steps;
    for (Attribute attr : insert.getOffsets())
      offsets.push_back(cast<IntegerAttr>(attr).getInt());
    for (Attribute attr : insert.getStrides())
      steps.push_back(cast<IntegerAttr>(attr).getInt());
    ArrayRef<int64_t> shape = shapeOf(insert.getValueToStore().getType());
    size_t outer = strides.size() - shape.size();
    forEachLane(shape, [&](unsigned k, ArrayRef<int64_t> indices) {
      int64_t lane = 0;
      for (size_t axis = 0; axis < strides.size(); ++axis)
        lane += strides[axis] * (offsets[axis] + (axis < outer ? 0 : indices[axis - outer] * steps[axis - outer]));
      picks[lane] = value.at + k;
    });
    return pick(op, insert, picks);
  }
  if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
    std::optional<ScalarType> type = getScalarType(reduction.getType());
    std::optional<ScalarCode> code =
        type ? getScalarCode(getCombinerName(reduction.getKind(), type->isFloat()), *type) : std::nullopt;
    FailureOr<Slot> out = define(reduction.getDest());
    if (!code || failed(out))
      return session->unsupported(&op);
    UOpInstruction &instruction = append(Kind::Reduce, &op);
    instruction.code = *code;
    instruction.in.push_back(get(reduction.getVector()));
    if (reduction.getAcc())
      instruction.in.push_back(get(reduction.getAcc()));
    instruction.out = *out;
    return success();
  }
  return session->unsupported(&op);
}

LogicalResult UOpCode::compileDot(uop::DotOp dot) {
  FailureOr<Slot> out = define(dot);
  if (failed(out))
    return failure();
  UOpInstruction &instruction = append(Kind::Dot, dot);
  instruction.code.out = *getScalarType(dot.getType());
  instruction.in = {get(dot.getLeft()), get(dot.getRight()), get(dot.getSum())};
  instruction.picks = {dot.getUnsignedLeft(), dot.getUnsignedRight()};
  instruction.out = *out;
  return success();
}

} // namespace tiny::reference
