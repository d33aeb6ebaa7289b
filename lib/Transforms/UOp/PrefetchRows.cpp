// uop-prefetch-rows: memory works while a row is computed.
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPPREFETCHROWS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// A row that a loop reads from its begin to its end.
struct Row {
  Value buffer;
  int64_t trips, lanes, elementBytes;
  /// From one row to the next, in elements.
  int64_t stride;

  int64_t bytes() const { return trips * lanes * elementBytes; }
  int64_t bufferElements() const { return cast<MemRefType>(buffer.getType()).getNumElements(); }
};

/// The loads of one row, one in each loop that reads it.
struct Reads {
  Row row;
  SmallVector<LoadOp> loads;
};

/// The rows that the loops in one loop read.
class RowFinder {
public:
  explicit RowFinder(ForOp rows) : rows(rows), bridge(context) {}

  /// In the order of their first loads.
  SmallVector<Reads> find() {
    for (auto sweep : rows.getBody()->getOps<ForOp>())
      for (auto load : sweep.getBody()->getOps<LoadOp>())
        add(sweep, load);
    SmallVector<Reads> found;
    for (auto &entry : byRow)
      found.push_back(std::move(entry.second));
    return found;
  }

private:
  void add(ForOp sweep, LoadOp load) {
    std::optional<APInt> trips = sweep.getStaticTripCount();
    auto buffer = dyn_cast<BlockArgument>(load.getBuffer());
    if (!trips || trips->isZero() || trips->sgt(kIndexLimit) || !buffer || !isStaticBuffer(buffer.getType()) ||
        load.getGate())
      return;
    auto vector = dyn_cast<VectorType>(load.getType());
    Type element = getElementTypeOrSelf(load.getType());
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    Row row{buffer, trips->getSExtValue(), vector ? vector.getNumElements() : 1, (bits + 7) / 8, 0};

    // The index of each loop that runs as often stands as the same variable, so that equal rows are equal expressions.
    Expr &place = places[row.trips];
    if (!place)
      place = context.leaf({0, row.trips - 1});
    Expr index = context.substitute(bridge.importValue(load.getIndex()),
                                    {{bridge.importValue(sweep.getInductionVar()).get(), place}});
    if (!index)
      return;
    LinearForm form = context.linear(index);
    LinearForm::Wide stride = form.coefficientOf(bridge.importValue(rows.getInductionVar()));
    LinearForm::Wide length = LinearForm::Wide(row.trips) * row.lanes;
    // A row is contiguous, and the next one has nothing of it.
    if (form.coefficientOf(place) != row.lanes || (stride < length && -stride < length))
      return;
    row.stride = static_cast<int64_t>(stride);
    Reads &reads = byRow.try_emplace({{buffer, index.get()}, row.lanes}, Reads{row, {}}).first->second;
    if (reads.loads.empty() || reads.loads.back()->getBlock() != load->getBlock())
      reads.loads.push_back(load);
  }

  ForOp rows;
  ExprContext context;
  sym::ArithBridge bridge;
  DenseMap<int64_t, Expr> places; ///< by trips
  llvm::MapVector<std::pair<std::pair<Value, const ExprNode *>, int64_t>, Reads> byRow;
};

struct UOpPrefetchRows : impl::UOpPrefetchRowsBase<UOpPrefetchRows> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ForOp> loops;
    getOperation().walk([&](ForOp loop) { loops.push_back(loop); });
    for (ForOp loop : loops)
      for (const Reads &reads : RowFinder(loop).find())
        if (reads.loads.size() > 1)
          prefetch(loop, reads);
  }

private:
  /// Operations on data.
  static int64_t weigh(Block *body) {
    return llvm::count_if(*body, [](Operation &op) {
      return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() != 0 &&
             !getElementTypeOrSelf(op.getResult(0).getType()).isIndex();
    });
  }

  /// Why a row that is `ahead` is not fetched; empty where it is.
  std::string whyNot(const Row &row, int64_t ahead) const {
    auto bytes = [](int64_t count) { return std::to_string(count) + " bytes"; };
    if (row.lanes * row.elementBytes < line)
      return "a load reads less than a cache line";
    if (row.bytes() > maxRow)
      return "a row has " + bytes(row.bytes());
    if (row.bufferElements() < minBuffer / row.elementBytes)
      return "the buffer has " + bytes(row.bufferElements() * row.elementBytes);
    if (std::abs(row.stride) > (row.bufferElements() - 1) / ahead)
      return "the buffer has no row " + std::to_string(ahead) + " ahead";
    return {};
  }

  void prefetch(ForOp loop, const Reads &reads) {
    const Row &row = reads.row;
    auto opts = remark::RemarkOpts::name("prefetch").category("uop-prefetch-rows").function(getOperation().getName());
    std::string argument = "argument " + std::to_string(cast<BlockArgument>(row.buffer).getArgNumber());
    int64_t ahead = llvm::divideCeil(distance, row.bytes());
    if (std::string why = whyNot(row, ahead); !why.empty()) {
      remark::missed(loop.getLoc(), opts) << ("rows of " + argument + " are not fetched ahead: " + why);
      return;
    }
    int64_t step = std::max<int64_t>(1, line / row.elementBytes);
    LoadOp load = *std::max_element(reads.loads.begin(), reads.loads.end(),
                                    [](LoadOp a, LoadOp b) { return weigh(a->getBlock()) < weigh(b->getBlock()); });
    OpBuilder builder(load);
    for (int64_t lane = 0; lane < row.lanes; lane += step) {
      Value offset = arith::ConstantIndexOp::create(builder, load.getLoc(), ahead * row.stride + lane);
      Value place = arith::AddIOp::create(builder, load.getLoc(), load.getIndex(), offset);
      PrefetchOp::create(builder, load.getLoc(), row.buffer, place);
    }
    remark::passed(loop.getLoc(), opts) << ("rows of " + argument + " are fetched " + std::to_string(ahead) +
                                            " ahead, of " + std::to_string(row.bytes()) + " bytes each, read " +
                                            std::to_string(reads.loads.size()) + " times");
  }
};

} // namespace
} // namespace tiny::uop
