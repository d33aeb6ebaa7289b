// uop-copy-boxes: panels of products that the device copies by itself into a ring of tiles.
//
// Lane 0 tells the device to copy, all others go on. Of each tile of the ring a barrier `full` counts the bytes that
// come, and a barrier `empty` the subgroups that are done with it. Where the loop carries sums of products, those of
// one iteration run on, and an iteration's end gives the tile of the one before back. Where an iteration needs its
// products itself, as attention does, the next one's begin gives its tile back.
#include "TileLayout.h"
#include "TileLoop.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPCOPYBOXES
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Rows of a box, bytes that rows of a matrix begin at a multiple of, and extents of a matrix and bytes between its
/// rows, at most.
constexpr int64_t kMostBoxRows = 256, kRowAlignment = 16, kMostExtent = int64_t(1) << 31,
                  kMostStride = int64_t(1) << 40;

constexpr StringLiteral kOtherZeros = "zeros are not those outside of the matrix";

/// Index expressions of what fills a tile, with one lane's number in place of all axes that differ between lanes.
class LaneIndices {
public:
  explicit LaneIndices(FuncOp func, int64_t lanes) : lanes(lanes), subgroup(getSubgroupSize(func).value_or(1)) {}

  Expr import(Value value) { return bridge.importValue(value); }

  /// The expression in one lane; null where an axis is unknown.
  Expr inLane(Expr all, int64_t lane) {
    llvm::DenseMap<const ExprNode *, Expr> replacements;
    if (!collect(all.get(), lane, replacements))
      return {};
    return context.substitute(all, replacements);
  }
  Expr replace(Expr all, Value leaf, Value by) {
    Expr from = import(leaf);
    return context.substitute(all, {{from.get(), import(by)}});
  }

  /// Whether it is computed of axes, of the loop's number and of nothing else: the same for all lanes then.
  bool isOfAxes(const ExprNode *node, Value induction) const {
    if (node->kind == ExprKind::Leaf) {
      Value value = bridge.valueOfLeaf(Expr(node));
      return value && (value == induction || value.getDefiningOp<SpecialOp>());
    }
    return llvm::all_of(node->operands, [&](const ExprNode *operand) { return isOfAxes(operand, induction); });
  }

  ExprContext context;
  sym::ArithBridge bridge{context};

private:
  bool collect(const ExprNode *node, int64_t lane, llvm::DenseMap<const ExprNode *, Expr> &replacements) {
    if (node->kind == ExprKind::Leaf) {
      Value value = bridge.valueOfLeaf(Expr(node));
      auto special = value ? value.getDefiningOp<SpecialOp>() : SpecialOp();
      if (!special || special.getAxis() == HardwareAxis::Global || special.getAxis() == HardwareAxis::Thread)
        return true;
      int64_t extent = special.getExtent(), number = lane;
      if (special.getAxis() == HardwareAxis::Lane)
        number = lane % subgroup;
      else if (special.getAxis() == HardwareAxis::Subgroup)
        number = lane / subgroup;
      else if (special.getAxis() == HardwareAxis::Team)
        number = lane / (lanes / extent);
      else if (special.getDim() != 0)
        return false;
      replacements[node] = context.constant(number);
      return true;
    }
    return llvm::all_of(node->operands, [&](const ExprNode *operand) { return collect(operand, lane, replacements); });
  }

  int64_t lanes, subgroup;
};

/// A tile that is filled with a box of a matrix.
class BoxTile {
public:
  BoxTile(LocalOp tile, int64_t lanes) : tile(tile), layout(tile), lanes(lanes) {
    MemRefType type = tile.getBuffer().getType();
    count = type.getNumElements();
    width = getElementBytes(type.getElementType());
  }

  /// Why what fills it is no box, or nothing.
  StringRef whyNot(ArrayRef<StoreOp> fills, Value induction) {
    for (Operation *user : tile->getUsers())
      if (auto load = dyn_cast<FragmentLoadOp>(user); !isa<StoreOp>(user) && (!load || countTeam(load) == 1))
        return "a tile is not for products of several subgroups";
    if (StringRef reason = layout.whyNot(); !reason.empty())
      return reason;
    line = layout.getLine();
    rows = count / line;
    return findMatrix(fills, induction) ? checkMatrix(fills) : StringRef("what fills a tile is no box of a matrix");
  }

  int64_t getBytes() const { return count * width; }

  /// Reads of the tile are of the layout that copies make, the one of this number in the ring.
  void layOut(OpBuilder &builder, Value slot) {
    layout.run();
    for (Operation *user : tile->getUsers()) {
      auto load = dyn_cast<FragmentLoadOp>(user);
      if (!load)
        continue;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(load);
      load.getIndexMutable().assign(
          arith::AddIOp::create(builder, load.getLoc(), findBegin(builder, load.getLoc(), slot), load.getIndex()));
    }
  }

  /// The box of the iteration goes to the tile of this number in the ring.
  void copy(OpBuilder &builder, Location loc, Value induction, Value round, Value slot, Value barriers) {
    LaneIndices indices(tile->getParentOfType<FuncOp>(), lanes);
    Expr base = indices.inLane(indices.import(sample.getIndex()), 0);
    base = indices.context.add(indices.replace(base, induction, round), indices.context.constant(first));
    auto write = [&](Expr expression) {
      return indices.bridge.materialize(builder, loc, indices.context.simplify(expression));
    };
    Value row = write(indices.context.floorDiv(base, indices.context.constant(stride)));
    Value column = write(indices.context.mod(base, indices.context.constant(stride)));
    Value begin = findBegin(builder, loc, slot);
    for (int64_t step = 0; step < line; step += layout.getPiece()) {
      auto move = [&](Value index, int64_t by) -> Value {
        return by == 0 ? index
                       : arith::AddIOp::create(builder, loc, index, arith::ConstantIndexOp::create(builder, loc, by));
      };
      CopyBulkOp::create(builder, loc, sample.getBuffer(), row, move(column, step), extent, stride, stride,
                         tile.getBuffer(), move(begin, step / layout.getPiece() * layout.getPanel()), rows,
                         layout.getPiece(), barriers, slot);
    }
  }

  void repeat(int64_t buffers) {
    MemRefType type = tile.getBuffer().getType();
    tile.getBuffer().setType(MemRefType::get({count * buffers}, type.getElementType()));
    tile.removeBuffersAttr();
  }

private:
  Value findBegin(OpBuilder &builder, Location loc, Value slot) {
    return arith::MulIOp::create(builder, loc, slot, arith::ConstantIndexOp::create(builder, loc, count));
  }

  /// Finds where each element of the tile comes from, and what they all have in common.
  bool findMatrix(ArrayRef<StoreOp> fills, Value induction) {
    LaneIndices indices(tile->getParentOfType<FuncOp>(), lanes);
    std::vector<std::optional<int64_t>> places(count);
    Expr base;
    for (StoreOp store : fills) {
      if (store.getBuffer() != tile.getBuffer())
        continue;
      LoadOp load = matchMove(store)->load;
      if (!base)
        sample = load;
      if (load.getBuffer() != sample.getBuffer() || !isa<BlockArgument>(load.getBuffer()))
        return false;
      auto vector = dyn_cast<VectorType>(load.getType());
      int64_t elements = vector ? vector.getNumElements() : 1;
      Expr to = indices.import(store.getIndex()), from = indices.import(load.getIndex());
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Expr target = indices.inLane(to, lane), source = indices.inLane(from, lane);
        if (!target || !source || !target.asConstant())
          return false;
        if (!base)
          base = source;
        std::optional<int64_t> apart = indices.context.sub(source, base).asConstant();
        int64_t begin = *target.asConstant();
        if (!apart || begin < 0 || begin + elements > count)
          return false;
        for (int64_t k = 0; k < elements; ++k)
          if (std::optional<int64_t> &place = places[begin + k]; !place)
            place = *apart + k;
          else if (*place != *apart + k)
            return false;
      }
    }
    if (!base || rows > kMostBoxRows || !indices.isOfAxes(base.get(), induction) || !places.front() ||
        (rows > 1 && !places[line]))
      return false;
    first = *places.front();
    stride = rows > 1 ? *places[line] - first : line;
    for (int64_t k = 0; k < count; ++k)
      if (places[k] != first + k / line * stride + k % line)
        return false;
    return stride >= line;
  }

  /// Whether the device copies boxes of such a matrix, and gives zeros where lanes would.
  StringRef checkMatrix(ArrayRef<StoreOp> fills) {
    int64_t elements = cast<MemRefType>(sample.getBuffer().getType()).getNumElements();
    if (stride * width % kRowAlignment != 0 || stride >= kMostExtent || stride * width >= kMostStride ||
        elements / stride >= kMostExtent)
      return "rows of a matrix begin at no multiple of 16 bytes, or it is too large";
    if (elements % stride != 0)
      return "a buffer has no whole rows of the matrix";
    extent = elements / stride;
    LaneIndices indices(tile->getParentOfType<FuncOp>(), lanes);
    ExprContext &context = indices.context;
    Expr base = context.add(indices.inLane(indices.import(sample.getIndex()), 0), context.constant(first));
    Expr row = context.simplify(context.floorDiv(base, context.constant(stride)));
    Expr column = context.simplify(context.mod(base, context.constant(stride)));
    for (StoreOp store : fills) {
      if (store.getBuffer() != tile.getBuffer())
        continue;
      MovedVector moved = *matchMove(store);
      SmallVector<Value> gates;
      for (Value gate : {moved.load.getGate(), moved.condition})
        if (gate)
          gates.push_back(gate);
      if (gates.empty()) {
        if (column.bounds().high + line > stride)
          return "a box may lie over the end of a row";
        continue;
      }
      auto vector = dyn_cast<VectorType>(moved.load.getType());
      int64_t together = vector ? vector.getNumElements() : 1;
      if (stride % together != 0 || !context.isMultipleOf(column, together))
        return kOtherZeros;
      Expr to = indices.import(store.getIndex());
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t place = *indices.inLane(to, lane).asConstant();
        Expr isInside = context.condition(true);
        for (Value gate : gates) {
          Expr own = indices.inLane(indices.import(gate), lane);
          if (!own)
            return kOtherZeros;
          isInside = context.logicalAnd(isInside, own);
        }
        Expr wanted = context.logicalAnd(
            context.lt(context.add(row, context.constant(place / line)), context.constant(extent)),
            context.lt(context.add(column, context.constant(place % line)), context.constant(stride)));
        if (context.simplify(isInside) != context.simplify(wanted))
          return kOtherZeros;
      }
    }
    return {};
  }

  LocalOp tile;
  TileLayout layout;
  int64_t lanes, count, width;
  /// Of the tile; of the matrix; and where the box begins, relative to what lane 0 loads by `sample`.
  int64_t line = 0, rows = 0, stride = 0, extent = 0, first = 0;
  LoadOp sample;
};

/// A loop whose products read tiles that are boxes.
class Ring : public TileLoop {
public:
  using TileLoop::TileLoop;

  /// Why the device does not fill them, or nothing.
  StringRef whyNotBoxes() {
    if (StringRef reason = whyNot(); !reason.empty())
      return reason;
    auto func = loop->getParentOfType<FuncOp>();
    if (loop->getParentOfType<ForOp>() || loop->getParentOp() != func)
      return "it is in a loop or a condition";
    if (!isAllMoves())
      return "what fills a tile is computed";
    std::array<int64_t, 3> extents = getWorkgroupExtents(func);
    std::optional<int64_t> subgroup = getSubgroupSize(func);
    if (extents[1] != 1 || extents[2] != 1 || !subgroup || extents[0] % *subgroup != 0)
      return "lanes lie along several axes";
    lanes = extents[0];
    nSubgroups = lanes / *subgroup;
    if (StringRef reason = whyNotProducts(); !reason.empty())
      return reason;
    FailureOr<int64_t> scratch = getScratchBytes(func);
    int64_t all = failed(scratch) ? 0 : *scratch + 2 * kTileAlignment;
    for (LocalOp tile : tiles) {
      BoxTile &box = boxes.emplace_back(tile, lanes);
      if (StringRef reason = box.whyNot(fills.getArrayRef(), induction); !reason.empty())
        return reason;
      bytes += box.getBytes();
    }
    if (all + bytes * (nBuffers - 1) > target::findMachine(func).shared)
      return "there is no memory left for barriers";
    return {};
  }

  void run() {
    Location loc = loop.getLoc();
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(tiles.front());
      auto type = MemRefType::get({nBuffers}, builder.getI64Type());
      full = LocalOp::create(builder, loc, type, /*buffers=*/IntegerAttr());
      empty = LocalOp::create(builder, loc, type, /*buffers=*/IntegerAttr());
    }
    MbarrierInitOp::create(builder, loc, full, 1);
    MbarrierInitOp::create(builder, loc, empty, nSubgroups);
    Value lane = SpecialOp::create(builder, loc, builder.getIndexType(), HardwareAxis::Local, /*dim=*/0, lanes);
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, makeIndex(loc, 0));
    {
      auto branch = IfOp::create(builder, loc, isFirst);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&branch.getBody().front());
      for (int64_t ahead = 0; ahead < std::min(nBuffers - 1, nRounds); ++ahead)
        fill(loc, makeIndex(loc, ahead), makeIndex(loc, ahead));
    }
    // The loop carries the number of the tile that it reads, and the parity of its phase.
    SmallVector<Value> inits(loop.getInits());
    inits.append({makeIndex(loc, 0), makeIndex(loc, 0)});
    auto fresh = ForOp::create(builder, loc, loop.getBound(), inits);
    Block *body = fresh.getBody(), *old = loop.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    Value slot = body->getArgument(old->getNumArguments()), phase = body->getArgument(old->getNumArguments() + 1);
    builder.setInsertionPointToStart(body);
    Operation *begin = MbarrierWaitOp::create(builder, loc, full, slot, phase);
    for (Operation *removed : barriers)
      removed->erase();
    Value oldInduction = induction;
    for (auto [argument, value] : llvm::zip(old->getArguments().drop_front(), body->getArguments().drop_front()))
      argument.replaceAllUsesWith(value);
    // Copies are made of what filled the tiles, which goes then.
    body->getOperations().splice(body->end(), old->getOperations());
    Operation *yield = body->getTerminator();
    int64_t pending = runsOn ? splitSeries(body) : 0;

    builder.setInsertionPoint(yield);
    SmallVector<unsigned> carried;
    SmallVector<Value> sums;
    for (auto [number, value] : llvm::enumerate(yield->getOperands()))
      if (isTeamSum(value)) {
        carried.push_back(number);
        sums.push_back(value);
      }
    if (runsOn) {
      auto wait =
          MmaWaitOp::create(builder, loc, ValueRange(sums).getTypes(), sums, builder.getI64IntegerAttr(pending));
      for (auto [number, result] : llvm::zip(carried, wait.getResults()))
        yield->setOperand(number, result);
    } else {
      builder.setInsertionPoint(begin);
    }
    auto choose = [&](Value index, int64_t is, int64_t becomes, int64_t step) -> Value {
      Value isAtEnd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index, makeIndex(loc, is));
      Value other = arith::AddIOp::create(builder, loc, index, makeIndex(loc, step));
      return arith::SelectOp::create(builder, loc, isAtEnd, makeIndex(loc, becomes), other);
    };
    Value before = choose(slot, 0, nBuffers - 1, -1);
    MbarrierArriveOp::create(builder, loc, empty, before);
    Value round = fresh.getInductionVar();
    Value next = arith::AddIOp::create(builder, loc, round, makeIndex(loc, nBuffers - 1));
    Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, next, makeIndex(loc, nRounds));
    {
      auto branch = IfOp::create(builder, loc, arith::AndIOp::create(builder, loc, isFirst, more));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&branch.getBody().front());
      MbarrierWaitOp::create(builder, loc, empty, before, phase);
      Value inside = sym::RangeOfOp::create(builder, loc, builder.getIndexType(), next, builder.getI64IntegerAttr(0),
                                            builder.getI64IntegerAttr(nRounds - 1));
      fill(loc, inside, before);
    }
    builder.setInsertionPoint(yield);
    Value after = choose(slot, nBuffers - 1, 0, 1);
    Value isAround = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, makeIndex(loc, nBuffers - 1));
    Value other = arith::SubIOp::create(builder, loc, makeIndex(loc, 1), phase);
    Value nextPhase = arith::SelectOp::create(builder, loc, isAround, other, phase);
    yield->insertOperands(yield->getNumOperands(), {after, nextPhase});

    llvm::erase_if(slice, [&](Operation *op) { return fills.contains(dyn_cast<StoreOp>(op)); });
    for (StoreOp store : fills)
      store.erase();
    oldInduction.replaceAllUsesWith(round);
    for (Operation *op : llvm::reverse(slice))
      if (isOpTriviallyDead(op))
        op->erase();
    for (BoxTile &box : boxes)
      box.layOut(builder, slot);

    builder.setInsertionPointAfter(fresh);
    SmallVector<Value> last;
    for (unsigned number : carried)
      last.push_back(fresh.getResult(number));
    SmallVector<Value> results(fresh.getResults().drop_back(2));
    if (runsOn) {
      auto end = MmaWaitOp::create(builder, loc, ValueRange(last).getTypes(), last, builder.getI64IntegerAttr(0));
      for (auto [number, result] : llvm::zip(carried, end.getResults()))
        results[number] = result;
    }
    loop.replaceAllUsesWith(results);
    loop.erase();
    for (BoxTile &box : boxes)
      box.repeat(nBuffers);
  }

private:
  static bool isTeamSum(Value value) {
    auto type = dyn_cast<FragmentType>(value.getType());
    return type && type.getSubgroups() > 1;
  }

  /// Why products can't read the tiles, or nothing. Those of an iteration can go on in the next one where each is the
  /// only one that adds to its sum.
  StringRef whyNotProducts() {
    Block *body = loop.getBody();
    auto isAlone = [&](Value sum) {
      if (!sum.hasOneUse())
        return false;
      Operation *user = *sum.getUsers().begin();
      auto mma = dyn_cast<MmaOp>(user);
      return user->getBlock() == body && (mma ? mma.getSum() == sum : isa<YieldOp>(user));
    };
    bool hasProducts = false;
    runsOn = llvm::any_of(loop.getRegionIterArgs(), isTeamSum);
    WalkResult walked = body->walk([&](MmaOp mma) {
      bool isFine = mma->getBlock() == body && isTeamSum(mma.getResult());
      // It adds to what the loop carries.
      Operation *before = mma.getSum().getDefiningOp();
      if (runsOn)
        isFine &= isAlone(mma.getResult()) &&
                  (before ? isa<MmaOp>(before) : llvm::is_contained(loop.getRegionIterArgs(), mma.getSum()));
      hasProducts = true;
      return isFine ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walked.wasInterrupted() || !hasProducts)
      return "its products are not of several subgroups, or their sums are for something else, too";
    for (Value argument : loop.getRegionIterArgs())
      if (isTeamSum(argument) && !isAlone(argument))
        return "its products are not of several subgroups, or their sums are for something else, too";
    auto isInBody = [&](Operation *read) { return read->getBlock() == body; };
    return llvm::all_of(findReads(), isInBody) ? StringRef() : StringRef("a tile is read in a loop inside");
  }

  /// Series of products that may be under way where an iteration ends. A left factor that lanes hold is not read while
  /// products that take the one before are under way, since it is in the same registers. So there are two series then,
  /// with registers of their own: each waits for the one before.
  int64_t splitSeries(Block *body) {
    SmallVector<MmaOp> products(body->getOps<MmaOp>());
    llvm::SetVector<Operation *> lefts;
    for (MmaOp mma : products)
      if (auto load = mma.getLeft().getDefiningOp<FragmentLoadOp>(); load && isHeldByTeam(load, load.getType()))
        lefts.insert(load);
    if (lefts.empty())
      return 1;
    ArrayRef<Operation *> later = lefts.getArrayRef().drop_front(lefts.size() / 2);
    Operation *split = later.front();
    bool isApart = lefts.size() > 1 &&
                   llvm::all_of(later, [&](Operation *load) { return load == split || split->isBeforeInBlock(load); });
    llvm::SetVector<Value> sums;
    for (Value argument : body->getArguments())
      if (isTeamSum(argument))
        sums.insert(argument);
    for (MmaOp mma : products) {
      bool isEarly = mma->isBeforeInBlock(split);
      isApart &= isEarly != llvm::is_contained(later, mma.getLeft().getDefiningOp());
      if (isEarly) {
        sums.remove(mma.getSum());
        sums.insert(mma.getResult());
      }
    }
    if (!isApart)
      return 0;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(split);
    auto wait = MmaWaitOp::create(builder, loop.getLoc(), ValueRange(sums.getArrayRef()).getTypes(), sums.getArrayRef(),
                                  builder.getI64IntegerAttr(1));
    for (auto [sum, result] : llvm::zip(wait.getSums(), wait.getResults()))
      Value(sum).replaceUsesWithIf(
          result, [&](OpOperand &use) { return use.getOwner() != wait && wait->isBeforeInBlock(use.getOwner()); });
    return 1;
  }

  /// Lane 0 says how many bytes come, and has them copied.
  void fill(Location loc, Value round, Value slot) {
    MbarrierExpectOp::create(builder, loc, full, slot, bytes);
    for (BoxTile &box : boxes)
      box.copy(builder, loc, induction, round, slot, full);
  }

  /// Products of an iteration are under way in the next one.
  bool runsOn = true;
  int64_t lanes = 0, nSubgroups = 0, bytes = 0;
  SmallVector<BoxTile, 2> boxes;
  Value full, empty;
};

struct UOpCopyBoxes : impl::UOpCopyBoxesBase<UOpCopyBoxes> {
  using Base::Base;

  void runOnOperation() override {
    if (!target::findMachine(getOperation()).has(cost::Instruction::BulkCopy))
      return;
    for (auto &[loop, tiles] : findTileLoops(getOperation())) {
      if (llvm::none_of(tiles, [](LocalOp tile) { return TileLayout(tile).isOfTeams(); }))
        continue;
      Ring ring(cast<ForOp>(loop), tiles);
      Location loc = loop->getLoc();
      Remarks remarks("uop-copy-boxes", loop);
      if (StringRef reason = ring.whyNotBoxes(); !reason.empty()) {
        remarks.missed(loc, "boxes", "lanes fill the tiles: " + reason);
        continue;
      }
      ring.run();
      remarks.passed(loc, "boxes", "the device fills the tiles");
    }
  }
};

} // namespace
} // namespace tiny::uop
