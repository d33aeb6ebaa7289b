// What the CPU cannot run is said here, in the kernel's own terms, before anything is rewritten.
#include "KernelLowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny {

/// Element types that LLVM computes in on a CPU.
static bool isCpuElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isIndex() || isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

/// Element types that it stores as bytes and moves, but does not compute in.
static bool isStoredElement(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// Operations that move elements, whatever they mean.
static bool isMove(Operation *op) {
  return isa<uop::LoadOp, uop::GatherOp, uop::StoreOp, uop::ForOp, uop::YieldOp, arith::ConstantOp, arith::SelectOp,
             arith::BitcastOp, vector::BroadcastOp, vector::ExtractOp, vector::InsertOp, vector::ShuffleOp,
             vector::FromElementsOp, vector::ToElementsOp>(op);
}

static bool isCpuValue(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return isCpuElement(vector.getElementType()) && !vector.isScalable();
  return isCpuElement(type);
}

/// The functions that become instructions. LLVM calls libm for all others.
static bool isInlineMath(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::TruncOp, math::RoundOp, math::RoundEvenOp,
             math::SqrtOp, math::RsqrtOp, math::FmaOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp,
             math::IsNormalOp, math::ClampFOp>(op);
}

static LogicalResult checkBuffers(uop::FuncOp func) {
  for (BlockArgument argument : func.getBody().getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto fail = [&](const Twine &what) {
      return func.emitOpError("argument ") << argument.getArgNumber() << " of type " << argument.getType() << what;
    };
    if (!type || type.getRank() != 1)
      return fail(" is no rank-1 buffer");
    if (!isCpuElement(type.getElementType()) && !isStoredElement(type.getElementType()))
      return fail(" has elements that no CPU kernel can compute in");
    if (!type.getLayout().isIdentity() || type.getMemorySpace())
      return fail(" has a layout or a memory space, which a CPU buffer does not have");
    for (Operation *user : argument.getUsers())
      if (!isa<uop::LoadOp, uop::GatherOp, uop::StoreOp, uop::PrefetchOp>(user))
        return user->emitOpError(
            "uses a buffer; only uop.load, uop.gather, uop.store and uop.prefetch can, in a CPU kernel");
  }
  return success();
}

/// Offsets of tiles are numbers of bytes.
static LogicalResult checkTiles(uop::FuncOp func) {
  __int128 bytes = 0;
  WalkResult walked = func.walk([&](Operation *op) {
    if (!isa<uop::LocalOp, uop::RegisterOp>(op))
      return WalkResult::advance();
    auto type = cast<MemRefType>(op->getResult(0).getType());
    bytes += llvm::alignTo(type.getNumElements() * bytesInMemory(type.getElementType()), kTileAlignment);
    return bytes < __int128(1) << 62 ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return func.emitOpError("has tiles of 2^62 bytes or more together");
  return success();
}

static LogicalResult checkOp(Operation *op) {
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())))
    if (!isa<MemRefType>(type) && !isCpuValue(type) && !(isMove(op) && isStoredElement(getElementTypeOrSelf(type))))
      return op->emitOpError("has a value of type ") << type << ", which no CPU kernel can compute in";
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isInlineMath(op))
    return op->emitOpError("would call a library function, and a CPU kernel calls nothing; expand it first");
  if (isa<arith::RemFOp>(op))
    return op->emitOpError("would call fmod, and a CPU kernel calls nothing; expand it first");
  return success();
}

/// Gives each axis its place; every `uop.special` of one axis must agree on the extent.
static LogicalResult planGrid(uop::FuncOp func, GridPlan &grid) {
  SmallVector<uop::SpecialOp> specials;
  func.walk([&](uop::SpecialOp op) { specials.push_back(op); });
  std::array<uop::SpecialOp, 3> owners;
  auto place = [&](uop::SpecialOp op, unsigned position) -> LogicalResult {
    if (uop::SpecialOp owner = owners[position]; owner && owner.getExtent() != op.getExtent()) {
      auto diag = op.emitOpError("has extent ") << op.getExtent() << ", expected " << owner.getExtent();
      diag.attachNote(owner.getLoc()) << "the same axis is here";
      return diag;
    }
    owners[position] = op;
    grid.extents[position] = op.getExtent();
    grid.positions[op] = position;
    return success();
  };

  for (uop::SpecialOp op : specials) {
    if (op.getAxis() == uop::HardwareAxis::Local)
      return op.emitOpError("is a local axis, which a CPU does not have");
    if (op.getAxis() != uop::HardwareAxis::Global)
      continue;
    if (failed(place(op, op.getDim())))
      return failure();
  }
  llvm::SmallDenseMap<int64_t, unsigned> threads;
  for (uop::SpecialOp op : specials) {
    if (op.getAxis() != uop::HardwareAxis::Thread)
      continue;
    auto [it, isNew] = threads.try_emplace(op.getDim(), 0);
    if (isNew) {
      auto free = llvm::find_if(owners, [](uop::SpecialOp owner) { return !owner; });
      if (free == owners.end())
        return op.emitOpError("finds no free grid axis: there are three, for global and thread axes together");
      it->second = free - owners.begin();
    }
    if (failed(place(op, it->second)))
      return failure();
  }
  return success();
}

LogicalResult checkKernel(uop::FuncOp func, GridPlan &grid) {
  if (failed(checkBuffers(func)))
    return failure();
  WalkResult walked = func.walk([&](Operation *op) {
    return op == func.getOperation() || succeeded(checkOp(op)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted() || failed(checkTiles(func)) || failed(planGrid(func, grid)));
}

} // namespace tiny
