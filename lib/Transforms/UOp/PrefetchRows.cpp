// uop-prefetch-rows: memory works while a row is computed.
#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Algebra/Cost/Nest.h"
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPPREFETCHROWS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Most bytes of a row, and of what lies between two: larger numbers would overflow, and no memory has them.
static constexpr int64_t kMostBytes = int64_t(1) << 44;

/// The buffer as an argument of the function; none where it is another.
static BlockArgument findArgument(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  return argument && isa<FuncOp>(argument.getOwner()->getParentOp()) ? argument : nullptr;
}

/// A row that a loop reads or writes from its begin to its end.
struct Row {
  Value buffer;
  int64_t trips, lanes, elementBytes;
  /// From one row to the next, in elements.
  int64_t stride;

  int64_t bytes() const { return trips * lanes * elementBytes; }
  int64_t bufferElements() const { return cast<MemRefType>(buffer.getType()).getNumElements(); }
};

/// The loads of one row, one in each loop that reads it, or the store that writes it.
struct Accesses {
  Row row;
  SmallVector<Operation *> ops;
};

/// How often the loop runs at most: where it ends early, too.
static std::optional<int64_t> findMostTrips(ForOp loop) {
  Value bound = loop.getBound();
  std::optional<int64_t> most;
  if (auto raised = bound.getDefiningOp<arith::MaxSIOp>())
    bound = getConstantIntValue(raised.getRhs()).value_or(1) <= 0 ? raised.getLhs() : bound;
  if (auto lowered = bound.getDefiningOp<arith::MinSIOp>())
    for (Value side : lowered->getOperands())
      most = getConstantIntValue(side) ? getConstantIntValue(side) : most;
  return most ? most : getConstantIntValue(loop.getBound());
}

/// The rows that the loops in one loop read and write, be it that loops in between read them again.
class RowFinder {
public:
  explicit RowFinder(ForOp rows) : rows(rows), bridge(context) {}

  /// In the order of their first accesses.
  SmallVector<Accesses> find() {
    rows.getBody()->walk([&](ForOp sweep) {
      for (Operation &op : *sweep.getBody()) {
        if (auto load = dyn_cast<LoadOp>(op))
          add(sweep, load, load.getType());
        else if (auto store = dyn_cast<StoreOp>(op); store && sweep->getParentOp() == rows)
          add(sweep, store, store.getValue().getType());
      }
    });
    SmallVector<Accesses> found;
    for (auto &entry : byRow)
      found.push_back(std::move(entry.second));
    return found;
  }

private:
  template <typename Access> void add(ForOp sweep, Access access, Type type) {
    std::optional<int64_t> trips = findMostTrips(sweep);
    BlockArgument buffer = findArgument(access.getBuffer());
    if (!trips || *trips <= 0 || *trips > kIndexLimit || !buffer || !isStaticBuffer(buffer.getType()) ||
        access.getGate())
      return;
    auto vector = dyn_cast<VectorType>(type);
    int64_t bytes = getElementBytes(getElementTypeOrSelf(type));
    Row row{buffer, *trips, vector ? vector.getNumElements() : 1, bytes, 0};

    // The index of each loop that runs as often stands as the same variable, so that equal rows are equal expressions.
    Expr &place = places[row.trips];
    if (!place)
      place = context.leaf({0, row.trips - 1});
    Expr index = context.substitute(bridge.importValue(access.getIndex()),
                                    {{bridge.importValue(sweep.getInductionVar()).get(), place}});
    if (!index)
      return;
    LinearForm form = context.linear(index);
    LinearForm::Wide stride = form.coefficientOf(bridge.importValue(rows.getInductionVar()));
    LinearForm::Wide length = LinearForm::Wide(row.trips) * row.lanes;
    // A row is contiguous, and the next one has nothing of it.
    if (form.coefficientOf(place) != row.lanes || (stride < length && -stride < length) ||
        length > kMostBytes / bytes || stride > kMostBytes / bytes || -stride > kMostBytes / bytes)
      return;
    for (Operation *around = sweep->getParentOp(); around != rows; around = around->getParentOp())
      if (auto again = dyn_cast<ForOp>(around);
          again && form.coefficientOf(bridge.importValue(again.getInductionVar())) != 0)
        return;
    row.stride = static_cast<int64_t>(stride);
    Accesses &known = byRow.try_emplace({{buffer, index.get()}, row.lanes}, Accesses{row, {}}).first->second;
    if (known.ops.empty() || known.ops.back()->getBlock() != access->getBlock())
      known.ops.push_back(access);
  }

  ForOp rows;
  ExprContext context;
  sym::ArithBridge bridge;
  DenseMap<int64_t, Expr> places; ///< by trips
  llvm::MapVector<std::pair<std::pair<Value, const ExprNode *>, int64_t>, Accesses> byRow;
};

struct UOpPrefetchRows : impl::UOpPrefetchRowsBase<UOpPrefetchRows> {
  using Base::Base;

  void runOnOperation() override {
    const cost::Machine &machine = target::findMachine(getOperation());
    // On a GPU other lanes run meanwhile.
    line = machine.kind == cost::DeviceKind::Cpu ? machine.cacheLine : 0;
    if (line == 0)
      return;
    vectorBits = std::max<int64_t>(1, machine.vectorBits);
    ways = cost::getLinesOfPlace(machine);
    lastCache = machine.getCacheBytes(machine.caches.size());
    SmallVector<ForOp> loops;
    getOperation().walk([&](ForOp loop) { loops.push_back(loop); });
    for (ForOp loop : loops) {
      fetchFar(loop);
      SmallVector<Accesses> found = RowFinder(loop).find();
      for (const Accesses &accesses : found) {
        bool reads = llvm::all_of(accesses.ops, llvm::IsaPred<LoadOp>), isOnce = accesses.ops.size() == 1;
        Block *body = accesses.ops.front()->getBlock();
        if (reads && body->getParentOp()->getParentOp() == loop && (!isOnce || accumulates(body)))
          fetchNext(loop, accesses, 1);
        else if (int64_t rows = reads ? countTileRows(found, accesses) : 0; rows > 1)
          fetchNext(loop, accesses, rows);
        else if (isOnce && isa<StoreOp>(accesses.ops.front()))
          fetchWritten(loop, accesses);
      }
    }
  }

private:
  /// Whether it is an operation on data.
  static bool isComputation(Operation &op) {
    return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() != 0 &&
           !getElementTypeOrSelf(op.getResult(0).getType()).isIndex();
  }

  static int64_t weigh(Block *body) { return llvm::count_if(*body, isComputation); }

  /// Whether a body adds to a tile what it computes of several rows of a buffer, and computes so much of each that the
  /// processor, which waits for tile and rows alike, sees too few loads ahead.
  static bool accumulates(Block *body) {
    llvm::SmallDenseSet<std::pair<Value, Value>> read;
    int64_t loads = 0;
    for (auto load : body->getOps<LoadOp>()) {
      read.insert({load.getBuffer(), load.getIndex()});
      loads += isa<BlockArgument>(load.getBuffer());
    }
    bool adds = llvm::any_of(body->getOps<StoreOp>(), [&](StoreOp store) {
      return store.getBuffer().getDefiningOp<LocalOp>() && read.contains({store.getBuffer(), store.getIndex()});
    });
    return adds && loads > 1 && weigh(body) >= 2 * loads;
  }

  /// Whether no cache holds the buffer.
  bool comesFromMemory(const Row &row) const { return row.bufferElements() > lastCache / row.elementBytes; }

  /// Vector registers that the values of a type take.
  int64_t countVectors(Type type) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? llvm::divideCeil(vector.getNumElements() * getElementBytes(vector.getElementType()) * 8, vectorBits)
                  : 1;
  }

  /// How many rows of its buffer a body reads side by side, where they come from memory and the processor, which
  /// computes much of each, does not see as far ahead as memory takes to answer: prefetchers begin anew with each row.
  /// Else 0.
  int64_t countTileRows(ArrayRef<Accesses> found, const Accesses &accesses) const {
    Block *body = accesses.ops.front()->getBlock();
    int64_t rows = 0, bytes = 0, operations = 0;
    for (const auto &[row, ops] : found)
      if (ops.front()->getBlock() == body && comesFromMemory(row)) {
        rows += row.buffer == accesses.row.buffer && row.stride == accesses.row.stride;
        bytes += row.lanes * row.elementBytes;
      }
    for (Operation &op : *body)
      if (isComputation(op) || isa<LoadOp>(op))
        operations += countVectors(op.getResult(0).getType());
    return bytes * cost::kWindow < operations * (cost::kFetchedAhead / 2) ? rows : 0;
  }

  /// Why nothing of such rows is fetched; empty where it is.
  Reason whyNot(const Row &row) const {
    if (int64_t bytes = row.lanes * row.elementBytes; bytes < line)
      return {"an access has less than a cache line", "bytes", bytes, line};
    if (row.bytes() > maxRow)
      return {"a row is too long (max-row)", "bytes", row.bytes(), maxRow};
    if (row.bufferElements() < minBuffer / row.elementBytes)
      return {"the buffer is too small (min-buffer)", "bytes", row.bufferElements() * row.elementBytes, minBuffer};
    return {};
  }

  void report(ForOp loop, const Row &row, int64_t ahead, const Twine &done, const Reason &why) {
    Remarks remarks("uop-prefetch-rows", loop);
    std::string rows = "rows of argument " + std::to_string(cast<BlockArgument>(row.buffer).getArgNumber());
    if (!why.empty())
      return remarks.missed(loop.getLoc(), "prefetch", rows + " are not fetched ahead: " + why.text, why.numbers);
    remarks.passed(loop.getLoc(), "prefetch",
                   rows + " are fetched " + Twine(ahead) + " ahead, of " + Twine(row.bytes()) + " bytes each, " + done,
                   {{"ahead", static_cast<double>(ahead)}, {"bytes", static_cast<double>(row.bytes())}});
  }

  /// Fetches `count` elements from `index` on.
  void fetch(OpBuilder &builder, Location loc, const Row &row, Value index, int64_t offset, int64_t count,
             int64_t level = 1) {
    for (int64_t element = 0; element < count; element += std::max<int64_t>(1, line / row.elementBytes)) {
      Value place = arith::ConstantIndexOp::create(builder, loc, offset + element);
      PrefetchOp::create(builder, loc, row.buffer, arith::AddIOp::create(builder, loc, index, place), level);
    }
  }

  /// The cache for as many pieces of rows: the second one where they lie so that the first has few places for them.
  int64_t findLevel(const Row &piece, int64_t ahead) const {
    int64_t places = cost::kPageBytes / std::gcd(piece.stride * piece.elementBytes, cost::kPageBytes);
    return ahead > places * ways ? 2 : 1;
  }

  /// A load of a piece of a row, and how far it moves with the next loop around that moves it.
  struct Piece {
    LoadOp load;
    Row row;
    int64_t around;
  };

  /// The index, moved by `jump` from iteration `last` of the loop on: what it reads in the next run of the loop.
  static Value continueAround(OpBuilder &builder, ForOp loop, Value index, int64_t last, int64_t jump) {
    Location loc = index.getLoc();
    auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value).getResult(); };
    Value isLast =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, loop.getInductionVar(), constant(last));
    Value moved = arith::SelectOp::create(builder, loc, isLast, constant(jump), constant(0));
    return arith::AddIOp::create(builder, loc, index, moved);
  }

  /// Fetches later pieces of rows where each iteration of a loop reads some lines of the next one, far from those
  /// before: no prefetcher follows, and where as much is computed of each, the processor sees too few of them ahead.
  void fetchFar(ForOp loop) {
    if (!loop.getBody()->getOps<ForOp>().empty())
      return;
    ExprContext context;
    sym::ArithBridge bridge(context);
    std::optional<int64_t> trips = findMostTrips(loop);
    SmallVector<Piece> pieces;
    for (auto load : loop.getBody()->getOps<LoadOp>()) {
      BlockArgument buffer = findArgument(load.getBuffer());
      auto vector = dyn_cast<VectorType>(load.getType());
      if (!trips || !buffer || !isStaticBuffer(buffer.getType()) || !vector || load.getGate() ||
          !vector.getElementType().isIntOrFloat())
        continue;
      int64_t elementBytes = llvm::divideCeil(vector.getElementTypeBitWidth(), 8);
      Expr index = bridge.importValue(load.getIndex());
      Row piece{buffer, 1, vector.getNumElements(), elementBytes, 0};
      if (!index)
        continue;
      LinearForm form = context.linear(index);
      LinearForm::Wide stride = form.coefficientOf(bridge.importValue(loop.getInductionVar()));
      if (stride < 2 * piece.lanes || stride * std::max<LinearForm::Wide>(*trips, 1) > kMostBytes / elementBytes)
        continue;
      piece.stride = static_cast<int64_t>(stride);
      LinearForm::Wide around = 0;
      for (auto outer = loop->getParentOfType<ForOp>(); outer && around == 0; outer = outer->getParentOfType<ForOp>())
        around = form.coefficientOf(bridge.importValue(outer.getInductionVar()));
      pieces.push_back({load, piece, around <= kMostBytes && -around <= kMostBytes ? int64_t(around) : 0});
    }
    if (pieces.empty() || weigh(loop.getBody()) < 2 * int64_t(pieces.size()))
      return;
    int64_t bytes = 0;
    for (const Piece &piece : pieces)
      bytes += piece.row.bytes();
    int64_t ahead = llvm::divideCeil(cost::kFetchedAhead, bytes);
    for (auto &[load, piece, around] : pieces) {
      Reason why = whyNot(piece);
      if (why.empty() && ahead >= *trips)
        why = {"the loop has no row so far ahead", {{"ahead", static_cast<double>(ahead)}}};
      if (why.empty()) {
        OpBuilder builder(load);
        // Where rows do not begin with lines the last piece ends in one more.
        bool endsInLine = piece.stride * piece.elementBytes % line == 0 || load != pieces.back().load;
        Value index = load.getIndex();
        if (around != 0 && comesFromMemory(piece) && getConstantIntValue(loop.getBound()) == trips)
          index = continueAround(builder, loop, index, *trips - ahead, around - *trips * piece.stride);
        fetch(builder, load.getLoc(), piece, index, ahead * piece.stride,
              piece.lanes + (endsInLine ? 0 : line / piece.elementBytes), findLevel(piece, ahead));
      }
      report(loop, piece, ahead, "a piece in each iteration", why);
    }
  }

  /// Fetches a later row where a row is read, one of several side by side.
  void fetchNext(ForOp loop, const Accesses &reads, int64_t sideBySide) {
    const Row &row = reads.row;
    int64_t ahead = llvm::divideCeil(distance, row.bytes() * sideBySide);
    Reason why = whyNot(row);
    if (why.empty() && std::abs(row.stride) > (row.bufferElements() - 1) / ahead)
      why = {"the buffer has no row so far ahead", {{"ahead", static_cast<double>(ahead)}}};
    if (why.empty()) {
      auto load = cast<LoadOp>(*std::max_element(reads.ops.begin(), reads.ops.end(), [](Operation *a, Operation *b) {
        return weigh(a->getBlock()) < weigh(b->getBlock());
      }));
      OpBuilder builder(load);
      fetch(builder, load.getLoc(), row, load.getIndex(), ahead * row.stride, row.lanes);
    }
    std::string read = sideBySide > 1 ? std::to_string(sideBySide) + " side by side"
                                      : "read " + std::to_string(reads.ops.size()) + " times";
    report(loop, row, ahead, read, why);
  }

  /// Fetches a row that a loop writes in the loop before it that computes most: a write waits for its line likewise.
  void fetchWritten(ForOp loop, const Accesses &writes) {
    const Row &row = writes.row;
    auto store = cast<StoreOp>(writes.ops.front());
    auto writing = cast<ForOp>(store->getParentOp());
    ForOp before;
    for (auto sweep : loop.getBody()->getOps<ForOp>()) {
      if (sweep == writing)
        break;
      std::optional<APInt> trips = sweep.getStaticTripCount();
      if (trips && trips->isStrictlyPositive() && (row.trips * row.lanes) % trips->getSExtValue() == 0 &&
          (!before || weigh(sweep.getBody()) > weigh(before.getBody())))
        before = sweep;
    }
    if (!before)
      return;
    // Copy into that loop whatever the index needs that is computed after it.
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) {
      return op->getBlock() == writing.getBody() || (op->getBlock() == loop.getBody() && before->isBeforeInBlock(op));
    };
    SetVector<Operation *> slice;
    if (failed(getBackwardSlice(store.getIndex(), &slice, options)))
      return;
    auto isAtHand = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return value == writing.getInductionVar() || slice.contains(op) ||
             (op != before && value.getParentBlock() != writing.getBody());
    };
    if (!isAtHand(store.getIndex()) || !llvm::all_of(slice, [&](Operation *op) {
          return isPure(op) && op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), isAtHand);
        }))
      return;
    Reason why = whyNot(row);
    int64_t count = row.trips * row.lanes / before.getStaticTripCount()->getSExtValue();
    // A short row would still be on its way.
    int64_t ahead = row.bytes() < distance ? llvm::divideCeil(distance, row.bytes()) : 0;
    if (why.empty()) {
      OpBuilder builder = OpBuilder::atBlockBegin(before.getBody());
      Location loc = store.getLoc();
      IRMapping first;
      first.map(writing.getInductionVar(), arith::ConstantIndexOp::create(builder, loc, 0).getResult());
      for (Operation *op : slice)
        builder.clone(*op, first);
      Value each = arith::ConstantIndexOp::create(builder, loc, count);
      Value done = arith::MulIOp::create(builder, loc, before.getInductionVar(), each);
      Value index = arith::AddIOp::create(builder, loc, first.lookupOrDefault(store.getIndex()), done);
      fetch(builder, loc, row, index, ahead * row.stride, count);
    }
    report(loop, row, ahead, "before they are written", why);
  }

  /// Bytes of a cache line and of the last cache of the device, lines of its first one that have the same place in a
  /// page, and bits of its vector registers.
  int64_t line = 0, lastCache = 0, ways = 0, vectorBits = 1;
};

} // namespace
} // namespace tiny::uop
