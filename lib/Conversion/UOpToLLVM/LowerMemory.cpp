// Loads and stores. A gate that is off must not touch memory outside the buffer, whatever its index is.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny {

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(element) : element;
}

/// What an element of this type is in memory.
static Type memoryType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger(1))
    return withElement(type, IntegerType::get(type.getContext(), 8));
  if (element.isIndex())
    return withElement(type, IntegerType::get(type.getContext(), 64));
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return withElement(type, IntegerType::get(type.getContext(), 8));
  return type;
}

/// What a masked access takes: LLVM has calls in place of masked accesses to floats of 16 bits that the processor does
/// not compute in, so it gets their bits.
static Type maskedType(Type type) {
  if (isa<BFloat16Type, Float16Type>(getElementTypeOrSelf(type)))
    return withElement(type, IntegerType::get(type.getContext(), 16));
  return memoryType(type);
}

static unsigned elementBytes(Type type) { return getElementTypeOrSelf(memoryType(type)).getIntOrFloatBitWidth() / 8; }

/// What a kernel only reads may be a constant in a mapped file, at any byte.
unsigned KernelLowering::getAlignment(const Buffer &buffer, Type type) const {
  return buffer.written ? elementBytes(type) : getReadAlignment(type);
}

static int64_t countLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

Value KernelLowering::fromMemory(Location loc, Value value, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  return value.getType() == type ? value : Value(arith::BitcastOp::create(builder, loc, type, value));
}

Value KernelLowering::toMemory(Location loc, Value value) {
  Type type = memoryType(value.getType()), element = getElementTypeOrSelf(value.getType());
  if (element.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  return value.getType() == type ? value : Value(arith::BitcastOp::create(builder, loc, type, value));
}

Value KernelLowering::address(Location loc, const Buffer &buffer, Value index, bool inbounds) {
  Value offset = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  auto flags = inbounds ? LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw : LLVM::GEPNoWrapFlags::none;
  return LLVM::GEPOp::create(builder, loc, buffer.pointer.getType(), memoryType(buffer.type.getElementType()),
                             buffer.pointer, ArrayRef<LLVM::GEPArg>{offset}, flags);
}

Value KernelLowering::loadElements(Location loc, const Buffer &buffer, Value index, Type type) {
  auto load = LLVM::LoadOp::create(builder, loc, memoryType(type), address(loc, buffer, index, /*inbounds=*/true),
                                   getAlignmentAt(index, type, getAlignment(buffer, type)));
  load.setAliasScopesAttr(buffer.scopes);
  load.setNoaliasScopesAttr(buffer.noalias);
  return fromMemory(loc, load, type);
}

Value KernelLowering::loadMasked(Location loc, const Buffer &buffer, Value index, Value mask, VectorType type) {
  // Where all lanes are off the index may be far outside, as that of one part of a concatenation is in another. To find
  // that no page there may be read takes a machine longer than hundreds of loads, so the first elements stand for them.
  Value near;
  if (buffer.type.hasStaticShape() && !matchPattern(mask, m_Constant())) {
    // No lane is in the buffer of n elements unless -lanes < index < n. A comparison of scalars costs nothing.
    int64_t before = type.getNumElements() - 1;
    Value places = arith::ConstantIndexOp::create(builder, loc, buffer.type.getNumElements() + before);
    Value place = arith::AddIOp::create(builder, loc, index, arith::ConstantIndexOp::create(builder, loc, before));
    near = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, place, places);
  } else {
    near = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, mask);
  }
  index = arith::SelectOp::create(builder, loc, near, index, arith::ConstantIndexOp::create(builder, loc, 0));
  // The index of a lane that is off may be outside, so the address is not inbounds. Zero for those lanes costs nothing
  // on a machine with masks, and a select of zero that follows disappears.
  Value base = address(loc, buffer, index, /*inbounds=*/false);
  Type loaded = maskedType(type);
  Value zero = LLVM::ZeroOp::create(builder, loc, loaded);
  Value value = LLVM::MaskedLoadOp::create(builder, loc, loaded, base, mask, zero, getAlignment(buffer, type));
  return fromMemory(loc, value, type);
}

void KernelLowering::lowerLoad(uop::LoadOp op) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers[op.getBuffer()];
  Type type = op.getType();
  Value index = op.getIndex(), gate = op.getGate(), value;
  auto zero = [&] { return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)); };
  if (!gate) {
    value = loadElements(loc, buffer, index, type);
  } else if (isa<VectorType>(gate.getType())) {
    value = loadMasked(loc, buffer, index, gate, cast<VectorType>(type));
  } else if (buffer.type.hasStaticShape() && buffer.type.getNumElements() >= countLanes(type)) {
    // The first elements can always be read, so no branch is needed.
    Value first = arith::ConstantIndexOp::create(builder, loc, 0);
    value = loadElements(loc, buffer, arith::SelectOp::create(builder, loc, gate, index, first), type);
  } else {
    Value off = zero();
    Block *inside = makeConditional(op, gate);
    builder.setInsertionPoint(inside->getTerminator());
    Value loaded = loadElements(loc, buffer, index, type);
    Block *after = op->getBlock();
    value = after->addArgument(type, loc);
    // The edges carry the value: loaded on one, anything on the other.
    cast<BranchOpInterface>(inside->getTerminator()).getSuccessorOperands(0).append(loaded);
    for (Block *before : after->getPredecessors())
      if (before != inside)
        cast<BranchOpInterface>(before->getTerminator()).getSuccessorOperands(1).append(off);
  }
  op.replaceAllUsesWith(value);
  op.erase();
}

/// The lanes of an index modulo 2^32. Of a sum, what all lanes share is added up by itself: the rest is mostly the same
/// in each iteration of a loop.
static Value narrowSum(OpBuilder &builder, Location loc, Value index) {
  SmallVector<Value> pending{index};
  Value lanes, shared;
  auto addTo = [&](Value &sum, Value term) {
    Value narrow = arith::IndexCastOp::create(builder, loc, withElement(term.getType(), builder.getI32Type()), term);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, narrow) : narrow;
  };
  constexpr size_t maxTerms = 16;
  for (size_t k = 0; k < pending.size(); ++k) {
    Operation *def = pending[k].getDefiningOp();
    if (auto sum = dyn_cast_if_present<arith::AddIOp>(def); sum && pending.size() < maxTerms) {
      llvm::append_range(pending, sum->getOperands());
      continue;
    }
    auto broadcast = dyn_cast_if_present<vector::BroadcastOp>(def);
    if (broadcast && broadcast.getSource().getType().isIndex())
      addTo(shared, broadcast.getSource());
    else
      addTo(lanes, pending[k]);
  }
  if (!shared)
    return lanes;
  Value all = vector::BroadcastOp::create(builder, loc, withElement(index.getType(), builder.getI32Type()), shared);
  return lanes ? Value(arith::AddIOp::create(builder, loc, lanes, all)) : all;
}

void KernelLowering::lowerGather(uop::GatherOp op) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers[op.getBuffer()];
  VectorType type = op.getType();
  Type loaded = maskedType(type);
  // Twice as many lanes fit into an instruction with indices of 32 bits. A lane that is off may have any index.
  bool isNarrow = buffer.type.hasStaticShape() && buffer.type.getNumElements() <= std::numeric_limits<int32_t>::max();
  Value offsets =
      isNarrow ? narrowSum(builder, loc, op.getIndices())
               : arith::IndexCastOp::create(builder, loc, withElement(type, builder.getI64Type()), op.getIndices());
  auto lanes = VectorType::get(type.getShape(), builder.getI1Type());
  Value all = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(lanes, true)), mask = op.getGate();
  if (mask && !isa<VectorType>(mask.getType()))
    mask = vector::BroadcastOp::create(builder, loc, lanes, mask);
  // Without an instruction LLVM branches around each lane. The first element can always be read instead.
  if (mask && elementBytes(type) < 4 && buffer.type.hasStaticShape() && buffer.type.getNumElements() > 0) {
    Value first = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(offsets.getType()));
    offsets = arith::SelectOp::create(builder, loc, mask, offsets, first);
    mask = all;
  }
  auto pointers = VectorType::get(type.getShape(), buffer.pointer.getType());
  Value addresses = LLVM::GEPOp::create(builder, loc, pointers, getElementTypeOrSelf(loaded), buffer.pointer,
                                        ArrayRef<LLVM::GEPArg>{offsets});
  Value zero = LLVM::ZeroOp::create(builder, loc, loaded);
  Value value = LLVM::masked_gather::create(builder, loc, loaded, addresses, mask ? mask : all, zero,
                                            builder.getI32IntegerAttr(getAlignment(buffer, type)));
  op.replaceAllUsesWith(fromMemory(loc, value, type));
  op.erase();
}

void KernelLowering::storeElements(Location loc, const Buffer &buffer, Value index, Value value) {
  Value stored = toMemory(loc, value);
  auto store = LLVM::StoreOp::create(builder, loc, stored, address(loc, buffer, index, /*inbounds=*/true),
                                     getAlignmentAt(index, value.getType(), elementBytes(value.getType())));
  store.setAliasScopesAttr(buffer.scopes);
  store.setNoaliasScopesAttr(buffer.noalias);
}

void KernelLowering::lowerStore(uop::StoreOp op) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers[op.getBuffer()];
  Value value = op.getValue(), index = op.getIndex(), gate = op.getGate();
  if (gate && isa<VectorType>(gate.getType())) {
    Value stored = toMemory(loc, value), base = address(loc, buffer, index, /*inbounds=*/false);
    if (Type type = maskedType(value.getType()); stored.getType() != type)
      stored = arith::BitcastOp::create(builder, loc, type, stored);
    LLVM::MaskedStoreOp::create(builder, loc, stored, base, gate, elementBytes(value.getType()));
  } else {
    if (gate)
      builder.setInsertionPoint(makeConditional(op, gate)->getTerminator());
    storeElements(loc, buffer, index, value);
  }
  op.erase();
}

void KernelLowering::lowerPrefetch(uop::PrefetchOp op) {
  // To read. The index may be outside.
  Value place = address(op.getLoc(), buffers[op.getBuffer()], op.getIndex(), /*inbounds=*/false);
  LLVM::Prefetch::create(builder, op.getLoc(), place, /*rw=*/0, /*hint=*/4 - op.getLevel(), /*cache=*/1);
  op.erase();
}

} // namespace tiny
