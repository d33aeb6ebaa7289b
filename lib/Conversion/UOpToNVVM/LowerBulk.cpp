// Barriers of phases, and copies of boxes that they count: mbarrier, and cp.async.bulk.tensor. A matrix is a parameter
// of the kernel's, a CUtensorMap, which copies read where it lies.
#include "NvvmLowering.h"

#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny {

/// Bytes of an mbarrier.
static constexpr int64_t kBarrierBytes = 8;

/// An instruction without results, behind which memory is not what it was.
static void writeInstruction(OpBuilder &builder, Location loc, const Twine &text, ArrayRef<Value> operands,
                             StringRef constraints) {
  MLIRContext *context = builder.getContext();
  LLVM::InlineAsmOp::create(builder, loc, TypeRange(), operands, builder.getStringAttr(text),
                            builder.getStringAttr(constraints + (constraints.empty() ? "~{memory}" : ",~{memory}")),
                            /*has_side_effects=*/builder.getUnitAttr(), /*is_align_stack=*/UnitAttr(),
                            LLVM::TailCallKindAttr::get(context, LLVM::TailCallKind::None), LLVM::AsmDialectAttr(),
                            ArrayAttr());
}

void NvvmLowering::writeProxyFence(Location loc) {
  MLIRContext *context = builder.getContext();
  NVVM::FenceProxyOp::create(builder, loc, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
                             NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

bool NvvmLowering::hasPhases() {
  return func.walk([](Operation *op) { return uop::isPhaseOp(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

Value NvvmLowering::findInWorkgroup(Location loc, Value tile, Value index) {
  const Buffer &buffer = buffers[tile];
  Value width = arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(uop::getElementBytes(buffer.type.getElementType())));
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
  return arith::AddIOp::create(builder, loc, tileBegins.lookup(tile),
                               arith::MulIOp::create(builder, loc, number, width));
}

void NvvmLowering::lowerPhases(Operation *op) {
  Location loc = op->getLoc();
  auto makeWord = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  };
  auto isFirst = [&](Value lane) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, makeWord(0));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](uop::MbarrierInitOp init) {
        int64_t count = cast<MemRefType>(init.getBarriers().getType()).getNumElements();
        Value begin = tileBegins.lookup(init.getBarriers());
        Value condition = isFirst(readLaneNumber(loc));
        {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(makeConditional(init, condition)->getTerminator());
          for (int64_t k = 0; k < count; ++k)
            writeInstruction(builder, loc,
                             llvm::formatv("mbarrier.init.shared::cta.b64 [$0+{0}], $1;", k * kBarrierBytes).str(),
                             {begin, makeWord(init.getArrivals())}, "r,r");
        }
        builder.setInsertionPoint(init);
        // Barriers that begin together are shown together.
        if (isa<uop::MbarrierInitOp>(init->getNextNode()))
          return;
        writeProxyFence(loc);
        NVVM::BarrierOp::create(builder, loc);
      })
      .Case([&](uop::MbarrierExpectOp expect) {
        writeInstruction(builder, loc, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
                         {findInWorkgroup(loc, expect.getBarriers(), expect.getIndex()), makeWord(expect.getBytes())},
                         "r,r");
      })
      .Case([&](uop::MbarrierArriveOp arrive) {
        Value place = findInWorkgroup(loc, arrive.getBarriers(), arrive.getIndex());
        // All lanes of the warp are done, and one of them says so.
        NVVM::SyncWarpOp::create(builder, loc, makeWord(-1));
        Value condition = isFirst(readLaneOfWarp(loc));
        builder.setInsertionPoint(makeConditional(arrive, condition)->getTerminator());
        writeInstruction(builder, loc, "mbarrier.arrive.shared::cta.b64 _, [$0];", {place}, "r");
      })
      .Case([&](uop::MbarrierWaitOp wait) {
        Value parity = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), wait.getPhase());
        writeInstruction(builder, loc,
                         "{\n\t.reg .pred done;\n$$wait_${:uid}:\n\t"
                         "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\t@!done bra $$wait_${:uid};\n\t}",
                         {findInWorkgroup(loc, wait.getBarriers(), wait.getIndex()), parity}, "r,r");
      });
  op->erase();
}

void NvvmLowering::lowerBulk(uop::CopyBulkOp op) {
  Location loc = op.getLoc();
  auto toWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
  };
  Value map = maps.lookup(uop::getTensorMap(op));
  Value tile = findInWorkgroup(loc, op.getTile(), op.getTo());
  Value barrier = findInWorkgroup(loc, op.getBarriers(), op.getIndex());
  writeInstruction(builder, loc,
                   "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], "
                   "[$1, {$2, $3}], [$4];",
                   {tile, map, toWord(op.getColumn()), toWord(op.getRow()), barrier}, "r,l,r,r,r");
  op.erase();
}

} // namespace tiny
