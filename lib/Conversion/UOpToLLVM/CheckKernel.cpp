// What a device cannot run is said here, in the kernel's own terms, before anything is rewritten.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Dot.h"
#include "Tiny/Dialect/UOp/Exp2.h"
#include "Tiny/Dialect/UOp/Parallel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny {

/// Element types that LLVM computes in.
static bool isComputedElement(Type type) {
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

static bool isComputedValue(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return isComputedElement(vector.getElementType()) && !vector.isScalable();
  return isComputedElement(type);
}

/// The functions that become instructions. LLVM calls libm for all others.
static bool isInlineMath(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::TruncOp, math::RoundOp, math::RoundEvenOp,
             math::SqrtOp, math::RsqrtOp, math::FmaOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp,
             math::IsNormalOp, math::ClampFOp>(op);
}

static LogicalResult checkBuffers(uop::FuncOp func, const KernelDevice &device) {
  for (BlockArgument argument : func.getBody().getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto fail = [&](const Twine &what) {
      return func.emitOpError("argument ") << argument.getArgNumber() << " of type " << argument.getType() << what;
    };
    if (!type || type.getRank() != 1)
      return fail(" is no rank-1 buffer");
    if (!isComputedElement(type.getElementType()) && !isStoredElement(type.getElementType()))
      return fail(" has elements that no " + device.name + " kernel can compute in");
    if (!type.getLayout().isIdentity() || type.getMemorySpace())
      return fail(" has a layout or a memory space, which a " + device.name + " buffer does not have");
    for (Operation *user : argument.getUsers())
      if (!isa<uop::LoadOp, uop::GatherOp, uop::StoreOp, uop::PrefetchOp, uop::AtomicOp, uop::CopyAsyncOp,
               uop::CopyBulkOp, uop::FragmentLoadOp, uop::FragmentStoreOp>(user))
        return user->emitOpError("uses a buffer; only uop.load, uop.gather, uop.store and uop.prefetch can, in a ")
               << device.name << " kernel";
  }
  return success();
}

/// Tiles of both spaces lie at offsets in bytes.
static LogicalResult checkTiles(uop::FuncOp func) {
  __int128 bytes = 0;
  func.walk([&](Operation *op) {
    if (isa<uop::LocalOp, uop::RegisterOp>(op))
      bytes += uop::getTileBytes(cast<MemRefType>(op->getResult(0).getType()));
  });
  if (bytes >= __int128(1) << 62)
    return func.emitOpError("has tiles of 2^62 bytes or more together");
  return success();
}

static LogicalResult checkOp(Operation *op, const KernelDevice &device) {
  if (auto special = dyn_cast<uop::SpecialOp>(op); special && !device.hasWorkgroups)
    if (uop::HardwareAxis axis = special.getAxis();
        axis != uop::HardwareAxis::Global && axis != uop::HardwareAxis::Thread)
      return op->emitOpError("is a ") << uop::stringifyHardwareAxis(axis) << " axis, which a " << device.name
                                      << " does not have";
  if (!device.hasWorkgroups && (uop::isWorkgroupOp(op) || uop::isSubgroupOp(op) ||
                                isa<uop::AtomicOp, uop::CopyAsyncOp, uop::CopyCommitOp, uop::CopyWaitOp>(op)))
    return op->emitOpError("needs the lanes of a workgroup, which a ") << device.name << " does not have";
  if (!device.hasPhases && uop::isPhaseOp(op))
    return op->emitOpError("needs barriers that count bytes, which a ") << device.name << " does not have";
  if (auto dot = dyn_cast<uop::DotOp>(op);
      dot && !(device.hasDots && uop::hasInstruction(dot, target::findMachine(dot))))
    return op->emitOpError("has no instruction on this device; uop-legalize expands it");
  if (isa<uop::WorkgroupReduceOp>(op))
    return op->emitOpError("is left; uop-expand-group-reduce replaces it");
  if (isa<uop::LocalOp, uop::RegisterOp>(op)) {
    Type element = cast<MemRefType>(op->getResult(0).getType()).getElementType();
    if (!isComputedElement(element) && !isStoredElement(element))
      return op->emitOpError("has elements of type ")
             << element << ", which no " << device.name << " kernel can compute in";
  }
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())))
    if (!isa<MemRefType>(type) && !isComputedValue(type) && !(device.hasFragments && isa<uop::FragmentType>(type)) &&
        !(isMove(op) && isStoredElement(getElementTypeOrSelf(type))))
      return op->emitOpError("has a value of type ")
             << type << ", which no " << device.name << " kernel can compute in";
  auto exponential = dyn_cast<math::Exp2Op>(op);
  bool isInstruction =
      exponential && device.hasExp2 && uop::isInstruction(exponential, target::findMachine(exponential));
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isInlineMath(op) && !isInstruction)
    return op->emitOpError("would call a library function, and a ")
           << device.name << " kernel calls nothing; expand it first";
  if (isa<arith::RemFOp>(op))
    return op->emitOpError("would call fmod, and a ") << device.name << " kernel calls nothing; expand it first";
  return success();
}

FailureOr<uop::GridPlan> checkKernel(uop::FuncOp func, const KernelDevice &device) {
  if (failed(checkBuffers(func, device)))
    return failure();
  WalkResult walked = func.walk([&](Operation *op) {
    return op == func.getOperation() || succeeded(checkOp(op, device)) ? WalkResult::advance()
                                                                       : WalkResult::interrupt();
  });
  if (walked.wasInterrupted() || failed(checkTiles(func)) || failed(uop::verifyParallel(func)))
    return failure();
  return uop::planGrid(func);
}

} // namespace tiny
