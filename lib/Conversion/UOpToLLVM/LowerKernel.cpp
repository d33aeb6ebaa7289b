// The kernel's frame: its interface, its buffers and what is known of their overlap, its grid indices.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"

#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny {

KernelLowering::KernelLowering(uop::FuncOp func, const uop::GridPlan &grid, kernel::EntryAttr entry)
    : func(func), grid(grid), entry(entry), builder(func.getContext()) {}

/// One scope for each buffer, so that LLVM may move an access across a store to another buffer.
void KernelLowering::makeScopes(ArrayRef<Operation *> tiles) {
  if (entry.getInPlace())
    return;
  MLIRContext *context = func.getContext();
  auto domain = LLVM::AliasScopeDomainAttr::get(context, builder.getStringAttr(func.getSymName()));
  SmallVector<Value> values(func.getBody().getArguments());
  for (Operation *tile : tiles)
    values.push_back(tile->getResult(0));
  SmallVector<Buffer *> all;
  for (auto [number, value] : llvm::enumerate(values)) {
    Buffer &buffer = buffers[value];
    buffer.scope = LLVM::AliasScopeAttr::get(domain, builder.getStringAttr("buffer" + Twine(number)));
    all.push_back(&buffer);
  }
  for (Buffer *buffer : all) {
    SmallVector<Attribute> others;
    // Two buffers that are only read may be one.
    for (Buffer *other : all)
      if (other != buffer && (other->written || buffer->written))
        others.push_back(other->scope);
    if (others.empty())
      continue;
    buffer->scopes = builder.getArrayAttr({buffer->scope});
    buffer->noalias = builder.getArrayAttr(others);
  }
}

/// Reads each buffer's address once, at the kernel's entry. It stays the same while the kernel runs.
void KernelLowering::loadBuffers() {
  Location loc = func.getLoc();
  MLIRContext *context = func.getContext();
  auto pointerType = LLVM::LLVMPointerType::get(context);
  Value list = func.getBody().insertArgument(0u, pointerType, loc);
  func.getBody().insertArgument(1u, pointerType, loc);
  // With a live end, a buffer of the caller's may end there, too.
  bool endsEarly = func.walk([](uop::ForOp loop) {
                         return WalkResult(matchPattern(loop.getBound(), m_Constant()) ? success() : failure());
                       })
                       .wasInterrupted();
  for (BlockArgument argument : func.getBody().getArguments().drop_front(2)) {
    Buffer &buffer = buffers[argument];
    int32_t number = argument.getArgNumber() - 2;
    Value slot = number == 0
                     ? list
                     : Value(LLVM::GEPOp::create(builder, loc, pointerType, pointerType, list,
                                                 ArrayRef<LLVM::GEPArg>{number}, LLVM::GEPNoWrapFlags::inbounds));
    auto load = LLVM::LoadOp::create(builder, loc, pointerType, slot, /*alignment=*/8, /*isVolatile=*/false,
                                     /*isNonTemporal=*/false, /*isInvariant=*/true);
    int64_t bytes = uop::getElementBytes(buffer.type.getElementType());
    if (!endsEarly && buffer.type.hasStaticShape() && buffer.type.getNumElements() > 0)
      load.setDereferenceableAttr(
          LLVM::DereferenceableAttr::get(context, buffer.type.getNumElements() * bytes, /*mayBeNull=*/false));
    buffer.pointer = load;
  }
}

/// Tiles in registers' space lie on the stack, those in local space one after the other in the scratch memory whose
/// address stands behind the buffers' in the list.
void KernelLowering::placeTiles(ArrayRef<Operation *> tiles) {
  Location loc = func.getLoc();
  MLIRContext *context = func.getContext();
  auto pointerType = LLVM::LLVMPointerType::get(context);
  Type byte = builder.getI8Type();
  Value scratch;
  for (Operation *tile : tiles) {
    Buffer &buffer = buffers[tile->getResult(0)];
    int64_t bytes = uop::getTileBytes(buffer.type);
    if (isa<uop::RegisterOp>(tile)) {
      Value count = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(bytes));
      buffer.pointer = LLVM::AllocaOp::create(builder, loc, pointerType, byte, count, uop::kTileAlignment);
      continue;
    }
    if (!scratch) {
      int32_t number = func.getBody().getNumArguments() - 2;
      Value slot = LLVM::GEPOp::create(builder, loc, pointerType, pointerType, func.getBody().getArgument(0),
                                       ArrayRef<LLVM::GEPArg>{number}, LLVM::GEPNoWrapFlags::inbounds);
      scratch = LLVM::LoadOp::create(builder, loc, pointerType, slot, /*alignment=*/8, /*isVolatile=*/false,
                                     /*isNonTemporal=*/false, /*isInvariant=*/true);
    }
    Value begin = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(scratchBytes));
    buffer.pointer = LLVM::GEPOp::create(builder, loc, pointerType, byte, scratch, ArrayRef<LLVM::GEPArg>{begin},
                                         LLVM::GEPNoWrapFlags::inbounds);
    scratchBytes += bytes;
  }
}

void KernelLowering::loadGrid() {
  Location loc = func.getLoc();
  auto pointerType = LLVM::LLVMPointerType::get(func.getContext());
  Value list = func.getBody().getArgument(1);
  SmallVector<bool, 3> used(3, false);
  for (const auto &entry : grid.positions)
    used[entry.second] = true;
  for (int32_t i = 0; i < 3; ++i) {
    if (!used[i])
      continue;
    Value slot = i == 0 ? list
                        : Value(LLVM::GEPOp::create(builder, loc, pointerType, builder.getI64Type(), list,
                                                    ArrayRef<LLVM::GEPArg>{i}, LLVM::GEPNoWrapFlags::inbounds));
    Value index = LLVM::LoadOp::create(builder, loc, builder.getI64Type(), slot, /*alignment=*/8,
                                       /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/true);
    gridIndices[i] = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
  }
}

/// x mod y = r != 0 and (r < 0) != (y < 0) ? r + y : r, where r = x rem y
void KernelLowering::lowerMod(Operation *op) {
  Location loc = op->getLoc();
  Value divisor = op->getOperand(1);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(divisor.getType()));
  Value rest = arith::RemSIOp::create(builder, loc, op->getOperand(0), divisor);
  Value signs = arith::XOrIOp::create(builder, loc, rest, divisor);
  Value differ = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, signs, zero);
  Value nonzero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero);
  Value wrong = arith::AndIOp::create(builder, loc, differ, nonzero);
  Value moved = arith::AddIOp::create(builder, loc, rest, divisor);
  op->replaceAllUsesWith(arith::SelectOp::create(builder, loc, wrong, moved, rest).getOperation());
  op->erase();
}

void KernelLowering::lowerSpecial(uop::SpecialOp op) {
  op.replaceAllUsesWith(gridIndices[grid.positions.lookup(op)]);
  op.erase();
}

void KernelLowering::lowerParallel(Operation *) {
  llvm_unreachable("a device without workgroups has no lanes that act together");
}

void KernelLowering::lower(Operation *op) {
  builder.setInsertionPoint(op);
  TypeSwitch<Operation *>(op)
      .Case([&](uop::ForOp loop) { lowerFor(loop); })
      .Case([&](uop::IfOp conditional) { lowerIf(conditional); })
      .Case([&](uop::LoadOp load) { lowerLoad(load); })
      .Case([&](uop::GatherOp gather) { lowerGather(gather); })
      .Case([&](uop::StoreOp store) { lowerStore(store); })
      .Case([&](uop::DotOp dot) { lowerDot(dot); })
      .Case([&](uop::PrefetchOp prefetch) { lowerPrefetch(prefetch); })
      .Case([&](uop::SpecialOp special) { lowerSpecial(special); })
      .Case([&](sym::ModOp mod) { lowerMod(mod); })
      .Case([&](sym::RangeOfOp rangeOf) {
        rangeOf.replaceAllUsesWith(rangeOf.getValue());
        rangeOf.erase();
      })
      .Case([&](uop::ReturnOp ret) {
        LLVM::ReturnOp::create(builder, ret.getLoc(), ValueRange());
        ret.erase();
      })
      .Case<uop::BarrierOp, uop::SubgroupBarrierOp, uop::ShuffleOp, uop::SubgroupReduceOp, uop::AtomicOp,
            uop::CopyAsyncOp, uop::CopyCommitOp, uop::CopyWaitOp, uop::CopyBulkOp, uop::MbarrierInitOp,
            uop::MbarrierExpectOp, uop::MbarrierArriveOp, uop::MbarrierWaitOp, uop::MmaWaitOp, uop::FragmentFillOp,
            uop::FragmentLoadOp, uop::FragmentStoreOp, uop::FragmentPlaceOp, uop::FragmentElementsOp,
            uop::FragmentReduceOp, uop::FragmentPackOp, uop::MmaOp>(
          [&](Operation *parallel) { lowerParallel(parallel); });
}

LLVM::LLVMFuncOp KernelLowering::run() {
  MLIRContext *context = func.getContext();
  Block &entry = func.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    Buffer &buffer = buffers[argument];
    buffer.type = cast<MemRefType>(argument.getType());
    buffer.written =
        llvm::any_of(argument.getUsers(), llvm::IsaPred<uop::StoreOp, uop::AtomicOp, uop::FragmentStoreOp>);
  }
  SmallVector<Operation *> ops, tiles;
  func.getBody().walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isa<uop::LocalOp, uop::RegisterOp>(op)) {
      Buffer &buffer = buffers[op->getResult(0)];
      buffer.type = cast<MemRefType>(op->getResult(0).getType());
      buffer.written = true;
      tiles.push_back(op);
    } else if (isa<sym::SymDialect, uop::UOpDialect>(op->getDialect()))
      ops.push_back(op);
  });
  makeScopes(tiles);

  builder.setInsertionPointToStart(&entry);
  loadBuffers();
  placeTiles(tiles);
  loadGrid();
  for (Operation *op : ops)
    lower(op);
  for (Operation *tile : tiles)
    tile->erase();
  entry.eraseArguments([](BlockArgument argument) { return isa<MemRefType>(argument.getType()); });

  builder.setInsertionPoint(func);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), llvm::to_vector(entry.getArgumentTypes()));
  target = LLVM::LLVMFuncOp::create(builder, func.getLoc(), func.getSymName(), type);
  target->setAttr(kernel::kEntryAttr, this->entry);
  target.getBody().takeBody(func.getBody());
  func.erase();
  return target;
}

} // namespace tiny
