// What lanes of a warp or of a workgroup do together.
#include "NvvmLowering.h"

#include "Tiny/Dialect/Target/Target.h"
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
        special && (special.getAxis() == uop::HardwareAxis::Lane || special.getAxis() == uop::HardwareAxis::Subgroup ||
                    special.getAxis() == uop::HardwareAxis::Team);
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
        op->emitOpError("is a fragment ")
            << fragment << ", which " << (fragment.getSubgroups() > 1 ? "wgmma" : "mma.sync") << " does not have";
        return WalkResult::interrupt();
      }
    if (uop::isPhaseOp(op) && !target::findMachine(op).has(cost::Instruction::BulkCopy)) {
      op->emitOpError("needs a device whose record has bulk_copy");
      return WalkResult::interrupt();
    }
    // What a lane holds of a factor are words.
    auto place = dyn_cast<uop::FragmentPlaceOp>(op);
    auto elements = dyn_cast<uop::FragmentElementsOp>(op);
    // A left factor of this depth is held as a sum is.
    if (auto pack = dyn_cast<uop::FragmentPackOp>(op)) {
      uop::FragmentType type = pack.getType();
      bool isHeld = type.getSubgroups() > 1 || (type.getColumns() == 8 && !pack.getFrom());
      if (!isHeld || (!type.getElement().isF16() && !type.getElement().isBF16())) {
        op->emitOpError("makes ") << type << ", which no lane holds as it does a sum";
        return WalkResult::interrupt();
      }
    }
    if (auto reduce = dyn_cast<uop::FragmentReduceOp>(op);
        reduce && !hasFragment(cast<uop::FragmentType>(reduce.getFragment()))) {
      op->emitOpError("is about ") << reduce.getFragment() << ", expected a sum of mma.sync";
      return WalkResult::interrupt();
    }
    if (place || elements) {
      auto type = place ? cast<uop::FragmentType>(place.getFragment()) : elements.getValue().getType();
      if (type.getRole() != uop::FragmentRole::Sum || !hasFragment(type)) {
        op->emitOpError("is about ") << type << ", expected a sum of mma.sync";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return walked.wasInterrupted() ? failure() : checkTeams(func);
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

/// Bytes that one instruction copies by itself; 0 where it can't.
static int64_t countBytesAlone(uop::CopyAsyncOp op) {
  if (!target::findMachine(op).has(cost::Instruction::AsyncCopy))
    return 0;
  int64_t width = uop::getElementBytes(cast<MemRefType>(op.getTile().getType()).getElementType());
  int64_t bytes = width * op.getCount();
  bool fits = bytes == 4 || bytes == 8 || bytes == kVectorBytes;
  return fits && getDivisor(op.getFrom()) * width % bytes == 0 && getDivisor(op.getTo()) * width % bytes == 0 ? bytes
                                                                                                              : 0;
}

/// By the device where it can, else by the lane itself, at once: it may end as early as it likes.
void NvvmLowering::lowerCopy(uop::CopyAsyncOp op) {
  Location loc = op.getLoc();
  const Buffer &source = buffers[op.getSource()], &tile = buffers[op.getTile()];
  Type element = source.type.getElementType();
  Value gate = op.getGate();
  if (int64_t bytes = countBytesAlone(op)) {
    MLIRContext *context = op.getContext();
    Value from = LLVM::AddrSpaceCastOp::create(builder, loc, LLVM::LLVMPointerType::get(context, kGlobalSpace),
                                               address(loc, source, op.getFrom(), /*inbounds=*/!gate));
    Value to = LLVM::AddrSpaceCastOp::create(builder, loc, LLVM::LLVMPointerType::get(context, kWorkgroupSpace),
                                             address(loc, tile, op.getTo(), /*inbounds=*/true));
    // What it reads less is zero. Past the nearest cache, where lanes have no use for it, goes a vector alone.
    Value taken;
    auto number = [&](int64_t n) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(n));
    };
    if (gate)
      taken = arith::SelectOp::create(builder, loc, gate, number(bytes), number(0));
    NVVM::CpAsyncOp::create(builder, loc, to, from, bytes,
                            bytes == kVectorBytes ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA,
                            taken);
    op.erase();
    return;
  }
  for (int64_t k = 0, count = op.getCount(); k < count; ++k) {
    Value step = arith::ConstantIndexOp::create(builder, loc, k);
    Value from = arith::AddIOp::create(builder, loc, op.getFrom(), step), inside = from;
    // The first element can always be read.
    if (gate)
      inside = arith::SelectOp::create(builder, loc, gate, from, arith::ConstantIndexOp::create(builder, loc, 0));
    Value value = loadElements(loc, source, inside, element);
    if (gate) {
      Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
      value = arith::SelectOp::create(builder, loc, gate, value, zero);
    }
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
        // wgmma reads by another way what lanes wrote.
        if (readsByProxy)
          writeProxyFence(loc);
        NVVM::BarrierOp::create(builder, loc);
        barrier.erase();
      })
      .Case([&](uop::SubgroupBarrierOp barrier) {
        Value all = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(-1));
        NVVM::SyncWarpOp::create(builder, loc, all);
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
      .Case<uop::CopyCommitOp, uop::CopyWaitOp>([&](Operation *group) {
        if (target::findMachine(func).has(cost::Instruction::AsyncCopy)) {
          if (auto wait = dyn_cast<uop::CopyWaitOp>(group))
            NVVM::CpAsyncWaitGroupOp::create(builder, loc, wait.getPending());
          else
            NVVM::CpAsyncCommitGroupOp::create(builder, loc);
        }
        group->erase();
      })
      .Case<uop::MbarrierInitOp, uop::MbarrierExpectOp, uop::MbarrierArriveOp, uop::MbarrierWaitOp>(
          [&](Operation *phases) { lowerPhases(phases); })
      .Case([&](uop::CopyBulkOp copy) { lowerBulk(copy); })
      .Case([&](uop::FragmentFillOp fill) { lowerFragmentFill(fill); })
      .Case([&](uop::FragmentLoadOp load) { lowerFragmentLoad(load); })
      .Case([&](uop::FragmentStoreOp store) { lowerFragmentStore(store); })
      .Case([&](uop::FragmentPlaceOp place) { lowerFragmentPlace(place); })
      .Case([&](uop::FragmentElementsOp elements) {
        elements.replaceAllUsesWith(elements.getValue());
        elements.erase();
      })
      .Case([&](uop::FragmentReduceOp reduce) { lowerFragmentReduce(reduce); })
      .Case([&](uop::FragmentPackOp pack) { lowerFragmentPack(pack); })
      .Case([&](uop::MmaOp mma) { lowerMma(mma); })
      .Default([](Operation *) { llvm_unreachable("the pass checked the kernel's operations"); });
}

} // namespace tiny
