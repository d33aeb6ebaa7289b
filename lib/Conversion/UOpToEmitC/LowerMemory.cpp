// Loads and stores: elements of arrays, lane by lane for vectors.
#include "KernelWriter.h"

using namespace mlir;

namespace tiny::emitc {

static bool isByteBit(Type element) { return element.isInteger(1); }

Value KernelWriter::loadElement(Value buffer, Value index, Type element) {
  Type stored = getMemoryType(element);
  Value place = ec::SubscriptOp::create(builder, loc, ec::LValueType::get(stored), buffer, ValueRange{index});
  Value value = ec::LoadOp::create(builder, loc, stored, place);
  if (!isByteBit(element))
    return value;
  return ec::CmpOp::create(builder, loc, builder.getI1Type(), ec::CmpPredicate::ne, value, literal("0", stored));
}

void KernelWriter::storeElement(Value buffer, Value index, Value value, Type element) {
  Type stored = getMemoryType(element);
  Value place = ec::SubscriptOp::create(builder, loc, ec::LValueType::get(stored), buffer, ValueRange{index});
  if (isByteBit(element))
    value = ec::CastOp::create(builder, loc, stored, value);
  ec::AssignOp::create(builder, loc, place, value);
}

/// Where a gate is off, the first element stands for the one that may not be read.
void KernelWriter::writeLoad(Operation *op, Value buffer, Value index, Value gate) {
  Value result = op->getResult(0);
  Type element = getElementTypeOrSelf(result.getType());
  auto type = dyn_cast<VectorType>(result.getType());
  bool isGather = isa<VectorType>(index.getType());
  if (gate && cast<MemRefType>(buffer.getType()).getNumElements() == 0) {
    held[result].scalar = literal("0", getCType(element));
    return;
  }
  auto loadLane = [&](Value number) {
    Value at = lane(index, number);
    if (number && !isGather)
      at = add(at, number);
    if (gate)
      at = ec::ConditionalOp::create(builder, loc, at.getType(), lane(gate, number), at, this->number(0));
    return loadElement(buffers.lookup(buffer), at, element);
  };
  if (!type) {
    // A value of its own, since a store may follow before it is used.
    Value variable = ec::VariableOp::create(builder, loc, ec::LValueType::get(getCType(element)),
                                            ec::OpaqueAttr::get(builder.getContext(), ""));
    ec::AssignOp::create(builder, loc, variable, loadLane(Value()));
    held[result].scalar = ec::LoadOp::create(builder, loc, getCType(element), variable);
    return;
  }
  Value array = makeArray(type);
  forLanes(type.getNumElements(), [&](Value number) { setLane(array, number, loadLane(number)); });
  held[result].array = array;
}

void KernelWriter::writeStore(uop::StoreOp op) {
  Value value = op.getValue(), buffer = buffers.lookup(op.getBuffer()), gate = op.getGate();
  Type element = getElementTypeOrSelf(value.getType());
  auto type = dyn_cast<VectorType>(value.getType());
  auto storeLane = [&](Value number) {
    OpBuilder::InsertionGuard guard(builder);
    if (gate) {
      auto branch = ec::IfOp::create(builder, loc, lane(gate, number), /*addThenBlock=*/true, /*addElseBlock=*/false);
      builder.setInsertionPointToStart(&branch.getThenRegion().front());
      builder.setInsertionPoint(ec::YieldOp::create(builder, loc));
    }
    Value at = scalar(op.getIndex());
    storeElement(buffer, number ? add(at, number) : at, lane(value, number), element);
  };
  if (type)
    forLanes(type.getNumElements(), storeLane);
  else
    storeLane(Value());
}

} // namespace tiny::emitc
