// uop-pad-tiles: rows of tiles that lanes read without meeting in a bank of memory.
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
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

/// Bytes that all banks give at a time, and that one gives.
constexpr int64_t kBankLine = 128, kBank = 4;

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

/// Where the lanes of the first subgroup begin to read, elements from the tile's begin: at the first round of all
/// loops. None where an index can't be told.
std::optional<SmallVector<int64_t>> findPlaces(LoadOp load, int64_t lanes) {
  ExprContext context;
  sym::ArithBridge bridge(context);
  Expr index = bridge.importValue(load.getIndex());
  SmallVector<int64_t> places;
  for (int64_t lane : llvm::seq(lanes)) {
    std::optional<int64_t> place = context.evaluate(index, [&](int64_t leaf) -> int64_t {
      Value value = bridge.valueOfLeaf(leaf);
      auto special = value ? value.getDefiningOp<SpecialOp>() : SpecialOp();
      return special && special.getAxis() == HardwareAxis::Local && special.getDim() == 0 ? lane : 0;
    });
    if (!place)
      return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

/// Times that banks give something until all lanes have what they read, where rows of so many elements begin `pitch`
/// apart.
int64_t countTurns(ArrayRef<int64_t> places, int64_t bytes, int64_t width, int64_t row, int64_t pitch) {
  int64_t together = std::max<int64_t>(1, std::min<int64_t>(places.size(), kBankLine / bytes)), turns = 0;
  for (size_t first = 0; first < places.size(); first += together) {
    std::array<llvm::SmallSet<int64_t, 4>, kBankLine / kBank> words;
    for (int64_t place : places.slice(first, std::min<size_t>(together, places.size() - first)))
      for (int64_t at = 0; at < bytes; at += kBank) {
        int64_t word = ((place / row * pitch + place % row) * width + at) / kBank;
        words[word % words.size()].insert(word);
      }
    size_t most = 0;
    for (const auto &bank : words)
      most = std::max(most, bank.size());
    turns += most;
  }
  return turns;
}

struct UOpPadTiles : impl::UOpPadTilesBase<UOpPadTiles> {
  using Base::Base;

  /// Elements of a row, where lanes that read one by one meet in banks, and would not if rows lay apart.
  static std::optional<int64_t> findRowOfLanes(LocalOp tile, int64_t subgroup) {
    struct Read {
      SmallVector<int64_t> places;
      int64_t bytes;
    };
    MemRefType type = tile.getBuffer().getType();
    int64_t width = getElementBytes(type.getElementType());
    SmallVector<Read> reads;
    llvm::SmallSetVector<int64_t, 8> rows;
    for (Operation *user : tile->getUsers()) {
      if (!isa<LoadOp, StoreOp, CopyAsyncOp>(user))
        return std::nullopt;
      auto load = dyn_cast<LoadOp>(user);
      if (!load || reads.size() == kMostReads)
        continue;
      std::optional<SmallVector<int64_t>> places = findPlaces(load, subgroup);
      if (!places)
        return std::nullopt;
      for (int64_t place : *places)
        if (int64_t apart = std::abs(place - places->front());
            apart > countInRow(load) && apart * width % kRowBytes == 0 && type.getNumElements() % apart == 0)
          rows.insert(apart);
      reads.push_back({std::move(*places), countInRow(load) * width});
    }
    auto count = [&](int64_t row, int64_t pitch) {
      int64_t turns = 0;
      for (const Read &read : reads)
        turns += countTurns(read.places, read.bytes, width, row, pitch);
      return turns;
    };
    int64_t all = type.getNumElements(), least = count(all, all);
    std::optional<int64_t> best;
    for (int64_t row : rows)
      if (int64_t turns = count(row, row + kRowBytes / width); turns < least && staysInRows(tile, row)) {
        least = turns;
        best = row;
      }
    return best;
  }

  /// Elements of a row, where all matrices in the tile have rows of one length whose reads meet.
  static std::optional<int64_t> findRow(LocalOp tile) {
    std::optional<int64_t> row;
    for (Operation *user : tile->getUsers()) {
      if (!getIndex(user))
        return std::nullopt;
      // Swizzled lines do not meet.
      if (auto load = dyn_cast<FragmentLoadOp>(user); load && load.getPanel())
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

  /// Reads that are looked at: others are like them, in another place.
  static constexpr size_t kMostReads = 16;

  void runOnOperation() override {
    int64_t subgroup = target::findMachine(getOperation()).subgroup;
    for (LocalOp tile : llvm::to_vector(getOperation().getOps<LocalOp>())) {
      std::optional<int64_t> row = findRow(tile);
      if (row ? !staysInRows(tile, *row) : !(row = findRowOfLanes(tile, subgroup)))
        continue;
      if (fits(tile, *row))
        pad(tile, *row);
    }
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
                "rows of " + Twine(row) + " elements begin " + Twine(pitch) +
                    " apart: lanes that read them met in a bank",
                {{"row", double(row)}, {"pitch", double(pitch)}});
  }
};

} // namespace
} // namespace tiny::uop
