// uop-pad-tiles: rows of tiles that lanes read as matrices without meeting in a bank of memory.
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPPADTILES
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Lanes read rows of 16 bytes, eight at a time, and memory gives 128 bytes at a time: one of eight groups of banks to
/// each row.
constexpr int64_t kRowBytes = 16, kRowsAtOnce = 8;

/// The most of the eight rows that lie in one group of banks, where rows begin so many bytes apart.
int64_t countMeeting(int64_t pitch) {
  std::array<int64_t, kRowsAtOnce> rows = {};
  for (int64_t row = 0; row < kRowsAtOnce; ++row)
    ++rows[row * pitch / kRowBytes % kRowsAtOnce];
  return *llvm::max_element(rows);
}

Value getIndex(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<LoadOp, StoreOp, FragmentLoadOp, FragmentStoreOp>([](auto access) { return access.getIndex(); })
      .Case([](CopyAsyncOp copy) { return copy.getTo(); })
      .Default(Value());
}

/// Elements of one row that the operation touches, each time that it touches a row.
int64_t countInRow(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](FragmentLoadOp load) {
        return load.getTransposed() ? load.getType().getRows() : load.getType().getColumns();
      })
      .Case([](FragmentStoreOp store) { return store.getValue().getType().getColumns(); })
      .Case([](CopyAsyncOp copy) { return static_cast<int64_t>(copy.getCount()); })
      .Default([](Operation *access) {
        Type type = isa<LoadOp>(access) ? access->getResult(0).getType() : access->getOperand(0).getType();
        auto vector = dyn_cast<VectorType>(type);
        return vector ? vector.getNumElements() : 1;
      });
}

std::optional<int64_t> getStride(Operation *op) {
  if (auto load = dyn_cast<FragmentLoadOp>(op))
    return load.getStride();
  if (auto store = dyn_cast<FragmentStoreOp>(op))
    return store.getStride();
  return std::nullopt;
}

void setIndex(Operation *op, Value index, int64_t pitch) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<LoadOp, StoreOp>([&](auto access) { access.getIndexMutable().assign(index); })
      .Case<FragmentLoadOp, FragmentStoreOp>([&](auto access) {
        access.getIndexMutable().assign(index);
        access.setStride(pitch);
      })
      .Case([&](CopyAsyncOp copy) { copy.getToMutable().assign(index); });
}

struct UOpPadTiles : impl::UOpPadTilesBase<UOpPadTiles> {
  using Base::Base;

  /// Elements of a row, where all matrices in the tile have rows of one length whose reads meet.
  static std::optional<int64_t> findRow(LocalOp tile) {
    std::optional<int64_t> row;
    for (Operation *user : tile->getUsers()) {
      if (!getIndex(user))
        return std::nullopt;
      std::optional<int64_t> stride = getStride(user);
      if (!stride)
        continue;
      if (row && row != stride)
        return std::nullopt;
      row = stride;
    }
    MemRefType type = tile.getBuffer().getType();
    int64_t bytes = row ? *row * getElementBytes(type.getElementType()) : 0;
    bool fits = row && bytes % kRowBytes == 0 && type.getNumElements() % *row == 0 && countMeeting(bytes) > 1;
    return fits ? row : std::nullopt;
  }

  /// Whether each access stays inside of the rows that it begins in.
  static bool staysInRows(LocalOp tile, int64_t row) {
    return llvm::all_of(tile->getUsers(), [&](Operation *user) {
      ExprContext context;
      Expr index = sym::ArithBridge(context).importValue(getIndex(user));
      Expr column = context.simplify(context.mod(index, context.constant(row)));
      int64_t count = countInRow(user);
      // Blocks of a row, or an index whose column is known.
      return (row % count == 0 && context.isMultipleOf(index, count)) || column.bounds().high <= row - count;
    });
  }

  void runOnOperation() override {
    for (LocalOp tile : llvm::to_vector(getOperation().getOps<LocalOp>()))
      if (std::optional<int64_t> row = findRow(tile); row && staysInRows(tile, *row) && fits(tile, *row))
        pad(tile, *row);
  }

  static MemRefType getPadded(LocalOp tile, int64_t row) {
    MemRefType type = tile.getBuffer().getType();
    int64_t pitch = row + kRowBytes / getElementBytes(type.getElementType());
    return MemRefType::get({type.getNumElements() / row * pitch}, type.getElementType());
  }

  /// Whether the workgroup has memory for longer rows.
  bool fits(LocalOp tile, int64_t row) {
    int64_t most = target::findMachine(tile).shared, bytes = 0;
    for (auto other : getOperation().getOps<LocalOp>())
      bytes += getTileBytes(other == tile ? getPadded(tile, row) : other.getBuffer().getType());
    if (most == 0 || bytes <= most)
      return true;
    Remarks("uop-pad-tiles", tile)
        .missed(tile.getLoc(), "pad",
                "rows meet in a bank: tiles would take " + Twine(bytes) + " bytes, more than a workgroup's " +
                    Twine(most));
    return false;
  }

  void pad(LocalOp tile, int64_t row) {
    MemRefType type = tile.getBuffer().getType();
    int64_t width = getElementBytes(type.getElementType()), pitch = row + kRowBytes / width;
    for (Operation *user : llvm::to_vector(tile->getUsers())) {
      OpBuilder builder(user);
      ExprContext context;
      sym::ArithBridge bridge(context);
      Expr index = bridge.importValue(getIndex(user));
      Expr before = context.floorDiv(index, context.constant(row));
      Expr placed = context.simplify(context.add(index, context.mul(before, context.constant(pitch - row))));
      setIndex(user, bridge.materialize(builder, user->getLoc(), placed), pitch);
    }
    tile.getBuffer().setType(getPadded(tile, row));
    Remarks("uop-pad-tiles", tile)
        .passed(tile.getLoc(), "pad",
                "rows of " + Twine(row) + " elements begin " + Twine(pitch) + " apart: of " + Twine(kRowsAtOnce) +
                    " rows that are read at once " + Twine(countMeeting(row * width)) + " met in one bank",
                {{"row", double(row)}, {"pitch", double(pitch)}});
  }
};

} // namespace
} // namespace tiny::uop
