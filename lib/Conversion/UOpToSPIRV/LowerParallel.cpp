// What lanes of a subgroup or of a workgroup do together.
#include "KernelLowering.h"

#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tiny::spirv_lowering {

using spirv::Capability;
using Kind = arith::AtomicRMWKind;

/// Devices need an extension to exchange numbers of other widths.
static bool isExchanged(Type type) { return type.isF32() || type.isInteger(32) || type.isIndex(); }

static bool hasAtomic(Kind kind, Type type) {
  static constexpr Kind kKinds[] = {Kind::addi, Kind::maxs, Kind::maxu, Kind::mins,
                                    Kind::minu, Kind::andi, Kind::ori,  Kind::xori};
  return type.isInteger(32) && llvm::is_contained(kKinds, kind);
}

static bool hasReduction(Kind kind, Type type) {
  static constexpr Kind kFloatKinds[] = {Kind::addf, Kind::mulf};
  return isExchanged(type) && (!type.isF32() || llvm::is_contained(kFloatKinds, kind));
}

LogicalResult checkParallel(uop::FuncOp func, llvm::SetVector<Capability> &capabilities) {
  bool hasWideIndices = getIndexBits(func) == 64;
  WalkResult walked = func.walk([&](Operation *op) {
    auto refuse = [&](const Twine &what) {
      op->emitOpError(what) << " has no form in SPIR-V";
      return WalkResult::interrupt();
    };
    auto name = [](Kind kind, Type type) {
      std::string text;
      llvm::raw_string_ostream(text) << "of kind " << arith::stringifyAtomicRMWKind(kind) << " on " << type;
      return text;
    };
    auto special = dyn_cast<uop::SpecialOp>(op);
    if (special && special.getAxis() == uop::HardwareAxis::Team)
      return refuse("of teams of subgroups");
    if (failed(checkFragments(op, capabilities)))
      return WalkResult::interrupt();
    if (uop::isSubgroupOp(op) ||
        (special && (special.getAxis() == uop::HardwareAxis::Lane || special.getAxis() == uop::HardwareAxis::Subgroup)))
      capabilities.insert(Capability::GroupNonUniform);
    if (auto reduce = dyn_cast<uop::SubgroupReduceOp>(op)) {
      Type type = reduce.getType();
      if (!hasReduction(reduce.getKind(), type) || (type.isIndex() && hasWideIndices))
        return refuse(name(reduce.getKind(), type));
      capabilities.insert(Capability::GroupNonUniformArithmetic);
    }
    if (auto shuffle = dyn_cast<uop::ShuffleOp>(op)) {
      if (!isExchanged(shuffle.getType()) || (shuffle.getType().isIndex() && hasWideIndices))
        return refuse("of a value of " +
                      std::to_string(shuffle.getType().isIndex() ? 64 : shuffle.getType().getIntOrFloatBitWidth()) +
                      " bits");
      bool isRelative = shuffle.getMode() == uop::ShuffleMode::Up || shuffle.getMode() == uop::ShuffleMode::Down;
      capabilities.insert(isRelative ? Capability::GroupNonUniformShuffleRelative : Capability::GroupNonUniformShuffle);
    }
    if (auto atomic = dyn_cast<uop::AtomicOp>(op); atomic && !hasAtomic(atomic.getKind(), atomic.getValue().getType()))
      return refuse(name(atomic.getKind(), atomic.getValue().getType()));
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void KernelLowering::lowerShuffle(uop::ShuffleOp op) {
  Location loc = op.getLoc();
  auto scope = spirv::Scope::Subgroup;
  bool isIndex = op.getType().isIndex();
  Type word = builder.getI32Type();
  Value value = op.getValue(), offset = arith::IndexCastUIOp::create(builder, loc, word, op.getOffset());
  if (isIndex)
    value = arith::IndexCastOp::create(builder, loc, word, value);
  Value moved;
  switch (op.getMode()) {
  case uop::ShuffleMode::Xor:
    moved = spirv::GroupNonUniformShuffleXorOp::create(builder, loc, value.getType(), scope, value, offset);
    break;
  case uop::ShuffleMode::Up:
    moved = spirv::GroupNonUniformShuffleUpOp::create(builder, loc, value.getType(), scope, value, offset);
    break;
  case uop::ShuffleMode::Down:
    moved = spirv::GroupNonUniformShuffleDownOp::create(builder, loc, value.getType(), scope, value, offset);
    break;
  case uop::ShuffleMode::From:
    moved = spirv::GroupNonUniformShuffleOp::create(builder, loc, value.getType(), scope, value, offset);
    break;
  }
  if (isIndex)
    moved = arith::IndexCastOp::create(builder, loc, op.getType(), moved);
  op.replaceAllUsesWith(moved);
  op.erase();
}

template <typename Op> static Value reduceSubgroup(OpBuilder &builder, Location loc, Value value) {
  return Op::create(builder, loc, value.getType(), spirv::Scope::Subgroup, spirv::GroupOperation::Reduce, value,
                    Value());
}

void KernelLowering::lowerSubgroupReduce(uop::SubgroupReduceOp op) {
  Location loc = op.getLoc();
  Value value = op.getValue();
  bool isIndex = op.getType().isIndex();
  if (isIndex)
    value = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), value);
  switch (op.getKind()) {
  case Kind::addf:
    value = reduceSubgroup<spirv::GroupNonUniformFAddOp>(builder, loc, value);
    break;
  case Kind::mulf:
    value = reduceSubgroup<spirv::GroupNonUniformFMulOp>(builder, loc, value);
    break;
  case Kind::addi:
    value = reduceSubgroup<spirv::GroupNonUniformIAddOp>(builder, loc, value);
    break;
  case Kind::muli:
    value = reduceSubgroup<spirv::GroupNonUniformIMulOp>(builder, loc, value);
    break;
  case Kind::maxs:
    value = reduceSubgroup<spirv::GroupNonUniformSMaxOp>(builder, loc, value);
    break;
  case Kind::maxu:
    value = reduceSubgroup<spirv::GroupNonUniformUMaxOp>(builder, loc, value);
    break;
  case Kind::mins:
    value = reduceSubgroup<spirv::GroupNonUniformSMinOp>(builder, loc, value);
    break;
  case Kind::minu:
    value = reduceSubgroup<spirv::GroupNonUniformUMinOp>(builder, loc, value);
    break;
  case Kind::andi:
    value = reduceSubgroup<spirv::GroupNonUniformBitwiseAndOp>(builder, loc, value);
    break;
  case Kind::ori:
    value = reduceSubgroup<spirv::GroupNonUniformBitwiseOrOp>(builder, loc, value);
    break;
  case Kind::xori:
    value = reduceSubgroup<spirv::GroupNonUniformBitwiseXorOp>(builder, loc, value);
    break;
  default:
    llvm_unreachable("the pass checked the kernel's operations");
  }
  if (isIndex)
    value = arith::IndexCastOp::create(builder, loc, op.getType(), value);
  op.replaceAllUsesWith(value);
  op.erase();
}

template <typename Op>
static void combineInMemory(OpBuilder &builder, Location loc, spirv::Scope scope, Value pointer, Value value) {
  Op::create(builder, loc, value.getType(), pointer, scope, spirv::MemorySemantics::None, value);
}

void KernelLowering::lowerAtomic(uop::AtomicOp op) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers.find(op.getBuffer())->second;
  if (Value gate = op.getGate()) {
    auto condition = scf::IfOp::create(builder, loc, gate, /*withElseRegion=*/false);
    builder.setInsertionPoint(condition.thenYield());
  }
  Value pointer = accessElement(loc, buffer, op.getIndex()), value = op.getValue();
  // Vulkan's memory model has the whole device as an option only.
  auto scope = hasVulkanModel ? spirv::Scope::QueueFamily : spirv::Scope::Device;
  switch (op.getKind()) {
  case Kind::addi:
    combineInMemory<spirv::AtomicIAddOp>(builder, loc, scope, pointer, value);
    break;
  case Kind::maxs:
    combineInMemory<spirv::AtomicSMaxOp>(builder, loc, scope, pointer, value);
    break;
  case Kind::maxu:
    combineInMemory<spirv::AtomicUMaxOp>(builder, loc, scope, pointer, value);
    break;
  case Kind::mins:
    combineInMemory<spirv::AtomicSMinOp>(builder, loc, scope, pointer, value);
    break;
  case Kind::minu:
    combineInMemory<spirv::AtomicUMinOp>(builder, loc, scope, pointer, value);
    break;
  case Kind::andi:
    combineInMemory<spirv::AtomicAndOp>(builder, loc, scope, pointer, value);
    break;
  case Kind::ori:
    combineInMemory<spirv::AtomicOrOp>(builder, loc, scope, pointer, value);
    break;
  case Kind::xori:
    combineInMemory<spirv::AtomicXorOp>(builder, loc, scope, pointer, value);
    break;
  default:
    llvm_unreachable("the pass checked the kernel's operations");
  }
  op.erase();
}

/// By the lane itself, at once: it may end as early as it likes.
void KernelLowering::lowerCopy(uop::CopyAsyncOp op) {
  Location loc = op.getLoc();
  const Buffer &source = buffers.find(op.getSource())->second, &tile = buffers.find(op.getTile())->second;
  for (int64_t k = 0, count = op.getCount(); k < count && source.size != 0; ++k) {
    Value step = arith::ConstantIndexOp::create(builder, loc, k);
    Value place = arith::AddIOp::create(builder, loc, op.getFrom(), step), gate = op.getGate();
    // The first element can always be read.
    if (gate)
      place = arith::SelectOp::create(builder, loc, gate, place, arith::ConstantIndexOp::create(builder, loc, 0));
    Value value = loadElement(loc, source, place);
    if (gate)
      value =
          spirv::SelectOp::create(builder, loc, gate, value, spirv::ConstantOp::getZero(value.getType(), loc, builder));
    storeElement(loc, value, tile, arith::AddIOp::create(builder, loc, op.getTo(), step));
  }
  op.erase();
}

} // namespace tiny::spirv_lowering
