// Rules of what lanes do together, numbered as in docs/Dialects/UOp.md.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Dialect/UOp/UOp.h"

using namespace mlir;
using namespace tiny::uop;

/// (subgroup_reduce_c1) (workgroup_reduce_c1) (atomic_c1) the kind combines numbers of the type
static LogicalResult verifyKind(Operation *op, arith::AtomicRMWKind kind, Type type) {
  if (tiny::kernel::fitsType(kind, type))
    return success();
  return op->emitOpError() << "kind " << arith::stringifyAtomicRMWKind(kind) << " does not combine values of " << type;
}

/// (copy_async_c1) (atomic_c2) (fragment_load_c1) (fragment_store_c1) the buffer has the elements and no layout
static LogicalResult verifyBuffer(Operation *op, Value buffer, Type element) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity())
    return op->emitOpError() << "buffer must have no layout, got " << type;
  if (type.getElementType() != element)
    return op->emitOpError() << "buffer must have elements of " << element << ", got " << type;
  return success();
}

LogicalResult SubgroupReduceOp::verify() { return verifyKind(*this, getKind(), getValue().getType()); }

LogicalResult WorkgroupReduceOp::verify() {
  // (workgroup_reduce_c2) it is over one to three local axes
  if (getDims() < 1 || getDims() > 3)
    return emitOpError() << "dims must be 1, 2 or 3, got " << getDims();
  return verifyKind(*this, getKind(), getValue().getType());
}

LogicalResult AtomicOp::verify() {
  if (failed(verifyKind(*this, getKind(), getValue().getType())))
    return failure();
  return verifyBuffer(*this, getBuffer(), getValue().getType());
}

LogicalResult CopyAsyncOp::verify() {
  if (failed(verifyBuffer(*this, getSource(), cast<MemRefType>(getTile().getType()).getElementType())) ||
      failed(verifyBuffer(*this, getTile(), cast<MemRefType>(getTile().getType()).getElementType())))
    return failure();
  // (copy_async_c2) it goes from a buffer to a tile of the workgroup
  if (!getTile().getDefiningOp<LocalOp>())
    return emitOpError("must copy into a uop.local");
  if (getSource().getDefiningOp<LocalOp>() || getSource().getDefiningOp<RegisterOp>())
    return emitOpError("must copy from a buffer of the kernel, not from a tile");
  // (copy_async_c3) it copies something, and not more than a few registers hold
  constexpr int64_t kMostCount = 64;
  if (getCount() < 1 || getCount() > kMostCount)
    return emitOpError() << "count must be 1 to " << kMostCount << ", got " << getCount();
  return success();
}

LogicalResult CopyWaitOp::verify() {
  // (copy_wait_c1) a number of groups
  if (static_cast<int64_t>(getPending()) < 0)
    return emitOpError() << "pending must not be negative, got " << static_cast<int64_t>(getPending());
  return success();
}

/// (mbarrier_c1) barriers are a tile of the workgroup
static LogicalResult verifyBarriers(Operation *op, Value barriers) {
  if (barriers.getDefiningOp<LocalOp>())
    return success();
  return op->emitOpError("has barriers that are no uop.local");
}

LogicalResult MbarrierInitOp::verify() {
  // (mbarrier_init_c1) a phase has as many arrivals as there may be
  constexpr int64_t kMost = (1 << 20) - 1;
  if (getArrivals() < 1 || static_cast<int64_t>(getArrivals()) > kMost)
    return emitOpError() << "arrivals must be 1 to " << kMost << ", got " << static_cast<int64_t>(getArrivals());
  return verifyBarriers(*this, getBarriers());
}

LogicalResult MbarrierExpectOp::verify() {
  // (mbarrier_expect_c1) it expects something, and as many bytes as a barrier counts
  constexpr int64_t kMost = (1 << 20) - 1;
  if (getBytes() < 1 || static_cast<int64_t>(getBytes()) > kMost)
    return emitOpError() << "bytes must be 1 to " << kMost << ", got " << static_cast<int64_t>(getBytes());
  return verifyBarriers(*this, getBarriers());
}

LogicalResult MbarrierArriveOp::verify() { return verifyBarriers(*this, getBarriers()); }

LogicalResult MbarrierWaitOp::verify() { return verifyBarriers(*this, getBarriers()); }

LogicalResult CopyBulkOp::verify() {
  Type element = cast<MemRefType>(getTile().getType()).getElementType();
  if (failed(verifyBuffer(*this, getSource(), element)) || failed(verifyBuffer(*this, getTile(), element)) ||
      failed(verifyBarriers(*this, getBarriers())))
    return failure();
  // (copy_bulk_c1) it goes from a buffer to a tile of the workgroup
  if (!getTile().getDefiningOp<LocalOp>())
    return emitOpError("must copy into a uop.local");
  if (!isa<BlockArgument>(getSource()))
    return emitOpError("must copy from a buffer of the kernel, not from a tile");
  // (copy_bulk_c2) the matrix is in the buffer, and its rows do not overlap
  int64_t rows = getRows(), columns = getColumns(), stride = getStride();
  int64_t elements = cast<MemRefType>(getSource().getType()).getNumElements();
  if (rows < 1 || columns < 1 || stride < columns || rows > elements || (rows - 1) * stride + columns > elements)
    return emitOpError() << "is of " << rows << " rows of " << columns << " elements that begin " << stride
                         << " apart, which a buffer of " << elements << " does not hold";
  // (copy_bulk_c3) a row of the box has 128 bytes, and there are as many as a device copies at once
  constexpr int64_t kMostRows = 256;
  int64_t width = element.isIntOrFloat() ? std::max(1u, element.getIntOrFloatBitWidth() / 8) : 1;
  if (static_cast<int64_t>(getBoxColumns()) * width != FragmentLoadOp::kPieceBytes || getBoxRows() < 1 ||
      static_cast<int64_t>(getBoxRows()) > kMostRows)
    return emitOpError() << "must have a box of 1 to " << kMostRows << " rows of " << FragmentLoadOp::kPieceBytes
                         << " bytes, got " << getBoxRows() << " of " << getBoxColumns() << " elements";
  return success();
}

LogicalResult MmaWaitOp::verify() {
  // (mma_wait_c1) a number of series
  if (static_cast<int64_t>(getPending()) < 0)
    return emitOpError() << "pending must not be negative, got " << static_cast<int64_t>(getPending());
  // (mma_wait_c2) of sums that as many subgroups hold
  int64_t subgroups = getSums().empty() ? 0 : cast<FragmentType>(getSums().front().getType()).getSubgroups();
  for (Type type : getSums().getTypes())
    if (auto sum = cast<FragmentType>(type); sum.getRole() != FragmentRole::Sum || sum.getSubgroups() != subgroups)
      return emitOpError() << "must wait for sums of equally many subgroups, got " << sum;
  if (subgroups <= 1)
    return emitOpError("must wait for sums of several subgroups");
  // (mma_wait_c3) what is under way goes on in other products
  if (getPending() == 0)
    return success();
  for (Value result : getResults())
    for (Operation *user : result.getUsers())
      if (!isa<MmaOp, MmaWaitOp, YieldOp>(user))
        return emitOpError("gives a sum that may be under way to '") << user->getName() << "'";
  return success();
}

/// (fragment_load_c2) (fragment_store_c2) rows do not overlap
static LogicalResult verifyStride(Operation *op, int64_t stride, int64_t width) {
  if (stride < width || stride >= int64_t(1) << 31)
    return op->emitOpError() << "stride must be " << width << " or more and below 2^31, got " << stride;
  return success();
}

LogicalResult FragmentLoadOp::verify() {
  FragmentType type = getType();
  if (failed(verifyBuffer(*this, getBuffer(), type.getScalar())))
    return failure();
  // (fragment_load_c4) a panel is of a tile of the workgroup: its lines are pieces of 128 bytes, eight or more
  if (std::optional<int64_t> panel = getPanel()) {
    int64_t piece = kPieceBytes / std::max<int64_t>(1, getElementBytes(type.getScalar()));
    if (!getBuffer().getDefiningOp<LocalOp>())
      return emitOpError("reads a panel, which must be in a uop.local");
    if (static_cast<int64_t>(getStride()) != piece || *panel < 8 * piece || *panel % (8 * piece) != 0)
      return emitOpError() << "must have a stride of " << piece << " and a panel of a multiple of " << 8 * piece
                           << " elements, got " << getStride() << " and " << *panel;
    return success();
  }
  return verifyStride(*this, getStride(), getTransposed() ? type.getRows() : type.getColumns());
}

LogicalResult FragmentStoreOp::verify() {
  FragmentType type = getValue().getType();
  if (failed(verifyBuffer(*this, getBuffer(), type.getScalar())))
    return failure();
  return verifyStride(*this, getStride(), type.getColumns());
}

LogicalResult FragmentElementsOp::verify() {
  // (fragment_elements_c1) a lane gets elements of the fragment
  Type expected = getValue().getType().getScalar(), got = getElements().getType().getElementType();
  if (got != expected)
    return emitOpError() << "must give elements of " << expected << ", got " << got;
  return success();
}

LogicalResult FragmentReduceOp::verify() {
  // (fragment_reduce_c1) the elements are those of a sum
  auto type = cast<FragmentType>(getFragment());
  Type got = getElements().getType().getElementType();
  if (type.getRole() != FragmentRole::Sum || type.getScalar() != got)
    return emitOpError() << "must combine elements of a sum, got " << got << " of " << type;
  return verifyKind(*this, getKind(), got);
}

LogicalResult FragmentPackOp::verify() {
  // (fragment_pack_c1) the result is a left factor of their type, or of a narrower one
  FragmentType type = getType();
  Type got = getElements().getType().getElementType();
  bool isNarrower = got.isF32() && isa<FloatType>(type.getElement());
  if (type.getRole() != FragmentRole::Left || (got != type.getElement() && !isNarrower))
    return emitOpError() << "must make a left factor of f32 or of its own type, got " << type << " of " << got;
  return success();
}

LogicalResult MmaOp::verify() {
  FragmentType left = getLeft().getType(), right = getRight().getType(), sum = getSum().getType();
  // (mma_c1) each fragment is what it stands for
  if (left.getRole() != FragmentRole::Left || right.getRole() != FragmentRole::Right ||
      sum.getRole() != FragmentRole::Sum)
    return emitOpError() << "must multiply a left and a right fragment and add a sum, got "
                         << stringifyFragmentRole(left.getRole()) << ", " << stringifyFragmentRole(right.getRole())
                         << " and " << stringifyFragmentRole(sum.getRole());
  // (mma_c2) extents fit: m x k, k x n and m x n
  if (left.getColumns() != right.getRows() || left.getRows() != sum.getRows() || right.getColumns() != sum.getColumns())
    return emitOpError() << "has extents that do not fit: " << left << ", " << right << ", " << sum;
  // (mma_c5) the same subgroups hold them
  if (left.getSubgroups() != sum.getSubgroups() || right.getSubgroups() != sum.getSubgroups())
    return emitOpError() << "has fragments that different numbers of subgroups hold: " << left << ", " << right << ", "
                         << sum;
  // (mma_c3) factors have one type
  if (left.getElement() != right.getElement())
    return emitOpError() << "must multiply elements of one type, got " << left.getElement() << " and "
                         << right.getElement();
  return success();
}
