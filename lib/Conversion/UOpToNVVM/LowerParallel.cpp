// What lanes of a warp or of a workgroup do together.
#include "NvvmLowering.h"

#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny {

/// The instruction on memory that combines numbers of the type; none where PTX has none.
static std::optional<LLVM::AtomicBinOp> getAtomic(arith::AtomicRMWKind kind, Type type) {
  using Kind = arith::AtomicRMWKind;
  if (type.isF32() || type.isF64())
    return kind == Kind::addf ? std::optional(LLVM::AtomicBinOp::fadd) : std::nullopt;
  if (!type.isInteger(32) && !type.isInteger(64) && !type.isIndex())
    return std::nullopt;
  switch (kind) {
  case Kind::addi:
    return LLVM::AtomicBinOp::add;
  case Kind::maxs:
    return LLVM::AtomicBinOp::max;
  case Kind::maxu:
    return LLVM::AtomicBinOp::umax;
  case Kind::mins:
    return LLVM::AtomicBinOp::min;
  case Kind::minu:
    return LLVM::AtomicBinOp::umin;
  case Kind::andi:
    return LLVM::AtomicBinOp::_and;
  case Kind::ori:
    return LLVM::AtomicBinOp::_or;
  case Kind::xori:
    return LLVM::AtomicBinOp::_xor;
  default:
    return std::nullopt;
  }
}

LogicalResult checkParallel(uop::FuncOp func) {
  WalkResult walked = func.walk([&](Operation *op) {
    auto special = dyn_cast<uop::SpecialOp>(op);
    bool isAxis =
        special && (special.getAxis() == uop::HardwareAxis::Lane || special.getAxis() == uop::HardwareAxis::Subgroup);
    if ((isAxis || uop::isSubgroupOp(op)) && uop::getSubgroupSize(func) != kWarp) {
      op->emitOpError("is of subgroups of ")
          << uop::getSubgroupSize(func).value_or(0) << " lanes, but CUDA's have " << kWarp;
      return WalkResult::interrupt();
    }
    if (auto atomic = dyn_cast<uop::AtomicOp>(op);
        atomic && !getAtomic(atomic.getKind(), atomic.getValue().getType())) {
      op->emitOpError("of kind ") << arith::stringifyAtomicRMWKind(atomic.getKind()) << " on "
                                  << atomic.getValue().getType() << " has no form in PTX";
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes())
      if (auto fragment = dyn_cast<uop::FragmentType>(type); fragment && !hasFragment(fragment)) {
        op->emitOpError("is a fragment ") << fragment << ", which mma.sync does not have";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Moves 32 bits at a time.
Value NvvmLowering::shuffle(Location loc, uop::ShuffleMode mode, Value value, Value offset) {
  Type type = value.getType(), word = builder.getI32Type();
  auto number = [&](Type of, int64_t n) -> Value {
    return arith::ConstantOp::create(builder, loc, IntegerAttr::get(of, n));
  };
  auto move = [&](Value bits) -> Value {
    NVVM::ShflKind kind = mode == uop::ShuffleMode::Xor    ? NVVM::ShflKind::bfly
                          : mode == uop::ShuffleMode::Up   ? NVVM::ShflKind::up
                          : mode == uop::ShuffleMode::Down ? NVVM::ShflKind::down
                                                           : NVVM::ShflKind::idx;
    // The last lane that one may read from: upwards, the first.
    Value clamp = number(word, mode == uop::ShuffleMode::Up ? 0 : kWarp - 1);
    return NVVM::ShflOp::create(builder, loc, word, number(word, -1), bits, offset, clamp, kind, UnitAttr());
  };
  if (type.isIndex()) {
    Value wide = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(builder, loc, type, shuffle(loc, mode, wide, offset));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(width);
  Value bits = type == integer ? value : arith::BitcastOp::create(builder, loc, integer, value).getResult();
  if (width < 32) {
    bits = arith::TruncIOp::create(builder, loc, integer, move(arith::ExtUIOp::create(builder, loc, word, bits)));
  } else if (width == 32) {
    bits = move(bits);
  } else {
    Value half = number(integer, 32);
    Value low = move(arith::TruncIOp::create(builder, loc, word, bits));
    Value high = move(arith::TruncIOp::create(builder, loc, word, arith::ShRUIOp::create(builder, loc, bits, half)));
    high = arith::ShLIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, integer, high), half);
    bits = arith::OrIOp::create(builder, loc, high, arith::ExtUIOp::create(builder, loc, integer, low));
  }
  return type == integer ? bits : arith::BitcastOp::create(builder, loc, type, bits).getResult();
}

void NvvmLowering::lowerAtomic(uop::AtomicOp op) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers[op.getBuffer()];
  if (Value gate = op.getGate())
    builder.setInsertionPoint(makeConditional(op, gate)->getTerminator());
  Value place = address(loc, buffer, op.getIndex(), /*inbounds=*/true);
  LLVM::AtomicRMWOp::create(builder, loc, *getAtomic(op.getKind(), op.getValue().getType()), place,
                            toMemory(loc, op.getValue()), LLVM::AtomicOrdering::monotonic, "device");
  op.erase();
}

/// By the lane itself, at once: it may end as early as it likes.
void NvvmLowering::lowerCopy(uop::CopyAsyncOp op) {
  Location loc = op.getLoc();
  const Buffer &source = buffers[op.getSource()], &tile = buffers[op.getTile()];
  Type element = source.type.getElementType();
  for (int64_t k = 0, count = op.getCount(); k < count; ++k) {
    Value step = arith::ConstantIndexOp::create(builder, loc, k);
    Value value = loadElements(loc, source, arith::AddIOp::create(builder, loc, op.getFrom(), step), element);
    storeElements(loc, tile, arith::AddIOp::create(builder, loc, op.getTo(), step), value);
  }
  op.erase();
}

void NvvmLowering::lowerParallel(Operation *op) {
  Location loc = op->getLoc();
  auto toWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](uop::BarrierOp barrier) {
        NVVM::BarrierOp::create(builder, loc);
        barrier.erase();
      })
      .Case([&](uop::ShuffleOp move) {
        move.replaceAllUsesWith(shuffle(loc, move.getMode(), move.getValue(), toWord(move.getOffset())));
        move.erase();
      })
      .Case([&](uop::SubgroupReduceOp reduce) {
        Value value = reduce.getValue();
        for (int64_t distance = kWarp / 2; distance > 0; distance /= 2) {
          Value offset = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(distance));
          Value other = shuffle(loc, uop::ShuffleMode::Xor, value, offset);
          value = arith::getReductionOp(reduce.getKind(), builder, loc, value, other);
        }
        reduce.replaceAllUsesWith(value);
        reduce.erase();
      })
      .Case([&](uop::AtomicOp atomic) { lowerAtomic(atomic); })
      .Case([&](uop::CopyAsyncOp copy) { lowerCopy(copy); })
      .Case<uop::CopyCommitOp, uop::CopyWaitOp>([](Operation *group) { group->erase(); })
      .Case([&](uop::FragmentFillOp fill) { lowerFragmentFill(fill); })
      .Case([&](uop::FragmentLoadOp load) { lowerFragmentLoad(load); })
      .Case([&](uop::FragmentStoreOp store) { lowerFragmentStore(store); })
      .Case([&](uop::MmaOp mma) { lowerMma(mma); })
      .Default([](Operation *) { llvm_unreachable("the pass checked the kernel's operations"); });
}

} // namespace tiny
