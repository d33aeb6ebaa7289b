// Vectors that are wider than a target's become several.
#include "Legalize.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::uop {

namespace {

/// Rewrites a function block by block: each wide value becomes its pieces, low lanes first.
class Splitter {
public:
  Splitter(FuncOp func, int64_t maxBits) : func(func), builder(func.getContext()), maxBits(maxBits) {}

  LogicalResult run() {
    func.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        measure(type);
      for (Type type : op->getOperandTypes())
        measure(type);
    });
    if (llvm::none_of(widest, [&](auto entry) { return entry.first * entry.second > maxBits; }))
      return success();
    // Found before anything is cut, so that an error leaves the function as it is.
    WalkResult walked = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isWide(op) || canSplit(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName() << "' works on vectors wider than " << maxBits
                      << " bits and cannot be cut";
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return failure();
    splitBlock(func.getBody().front());
    // Users before what they use; a loop stands before what was in it.
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    return success();
  }

private:
  using Pieces = SmallVector<Value>;

  static VectorType getVector(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.getRank() == 1 && !vector.isScalable() ? vector : VectorType();
  }

  void measure(Type type) {
    VectorType vector = getVector(type);
    if (!vector || vector.getElementType().isInteger(1))
      return;
    Type element = vector.getElementType();
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    int64_t &most = widest[vector.getNumElements()];
    most = std::max(most, bits);
  }

  /// The lengths of the pieces of a vector; empty where it stays.
  SmallVector<int64_t> getLengths(Type type) const {
    VectorType vector = getVector(type);
    SmallVector<int64_t> lengths;
    if (!vector)
      return lengths;
    auto found = widest.find(vector.getNumElements());
    if (found == widest.end() || found->first * found->second <= maxBits)
      return lengths;
    int64_t piece = std::max<int64_t>(1, llvm::bit_floor(static_cast<uint64_t>(maxBits / found->second)));
    for (int64_t rest = vector.getNumElements(); rest > 0; rest -= piece)
      lengths.push_back(std::min(piece, rest));
    return lengths;
  }

  static Type withLength(Type type, int64_t length) {
    return VectorType::get(length, cast<VectorType>(type).getElementType());
  }

  bool isWide(Operation *op) const {
    auto isCut = [&](Type type) { return !getLengths(type).empty(); };
    return llvm::any_of(op->getOperandTypes(), isCut) || llvm::any_of(op->getResultTypes(), isCut);
  }

  static bool canSplit(Operation *op) {
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
      return !isa<VectorType>(broadcast.getSource().getType());
    if (auto extract = dyn_cast<vector::ExtractOp>(op))
      return !extract.hasDynamicPosition();
    return isa<ForOp, YieldOp, LoadOp, GatherOp, StoreOp, DotOp, arith::ConstantOp, vector::ReductionOp,
               vector::ShuffleOp>(op) ||
           OpTrait::hasElementwiseMappableTraits(op);
  }

  void splitBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      builder.setInsertionPoint(&op);
      if (isWide(&op)) {
        split(&op);
        continue;
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          splitBlock(inner);
    }
  }

  void split(Operation *op) {
    if (auto loop = dyn_cast<ForOp>(op))
      return splitLoop(loop);
    if (auto yield = dyn_cast<YieldOp>(op)) {
      YieldOp::create(builder, op->getLoc(), cut(yield.getOperands()));
      op->erase();
      return;
    }
    if (auto load = dyn_cast<LoadOp>(op)) {
      splitLoad(load);
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      for (auto [piece, length] : llvm::enumerate(getLengths(gather.getType())))
        pieces[gather.getResult()].push_back(
            GatherOp::create(builder, op->getLoc(), withLength(gather.getType(), length), gather.getBuffer(),
                             pieces[gather.getIndices()][piece], gateOf(gather.getGate(), piece)));
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      splitStore(store);
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      splitConstant(constant);
    } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
      for (int64_t length : getLengths(broadcast.getType()))
        pieces[broadcast.getResult()].push_back(vector::BroadcastOp::create(
            builder, op->getLoc(), withLength(broadcast.getType(), length), broadcast.getSource()));
    } else if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
      splitShuffle(shuffle);
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      splitDot(dot);
    } else if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
      splitExtract(extract);
    } else if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
      splitReduction(reduction);
      return;
    } else {
      splitLanewise(op);
    }
    dead.push_back(op);
  }

  void splitLanewise(Operation *op) {
    SmallVector<int64_t> lengths =
        getLengths(op->getNumResults() ? op->getResult(0).getType() : op->getOperand(0).getType());
    for (auto [piece, length] : llvm::enumerate(lengths)) {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        if (!getLengths(operand.getType()).empty())
          mapping.map(operand, pieces[operand][piece]);
      Operation *copy = op->clone(mapping);
      for (auto [result, from] : llvm::zip_equal(copy->getResults(), op->getResults())) {
        result.setType(withLength(from.getType(), length));
        pieces[from].push_back(result);
      }
      builder.insert(copy);
    }
  }

  void splitConstant(arith::ConstantOp op) {
    auto elements = cast<DenseElementsAttr>(op.getValue());
    int64_t begin = 0;
    for (int64_t length : getLengths(op.getType())) {
      auto type = cast<VectorType>(withLength(op.getType(), length));
      DenseElementsAttr part;
      if (elements.isSplat()) {
        part = elements.resizeSplat(type);
      } else {
        auto values = llvm::to_vector(elements.getValues<Attribute>());
        part = DenseElementsAttr::get(type, ArrayRef(values).slice(begin, length));
      }
      pieces[op.getResult()].push_back(arith::ConstantOp::create(builder, op.getLoc(), part));
      begin += length;
    }
  }

  Value advance(Location loc, Value index, int64_t by) {
    if (by == 0)
      return index;
    return arith::AddIOp::create(builder, loc, index, arith::ConstantIndexOp::create(builder, loc, by));
  }

  Value gateOf(Value gate, size_t piece) {
    return gate && isa<VectorType>(gate.getType()) ? pieces[gate][piece] : gate;
  }

  void splitLoad(LoadOp op) {
    int64_t begin = 0;
    for (auto [piece, length] : llvm::enumerate(getLengths(op.getType()))) {
      pieces[op.getResult()].push_back(LoadOp::create(builder, op.getLoc(), withLength(op.getType(), length),
                                                      op.getBuffer(), advance(op.getLoc(), op.getIndex(), begin),
                                                      gateOf(op.getGate(), piece)));
      begin += length;
    }
  }

  void splitStore(StoreOp op) {
    int64_t begin = 0;
    for (auto [piece, length] : llvm::enumerate(getLengths(op.getValue().getType()))) {
      StoreOp::create(builder, op.getLoc(), pieces[op.getValue()][piece], op.getBuffer(),
                      advance(op.getLoc(), op.getIndex(), begin), gateOf(op.getGate(), piece));
      begin += length;
    }
  }

  /// The lanes that `mask` picks from all sources together, taken from one source after the other.
  Value shuffle(Location loc, ArrayRef<Value> sources, ArrayRef<int64_t> mask) {
    SmallVector<std::pair<unsigned, int64_t>> lanes; // by lane: its source, and where it is there
    for (int64_t lane : mask) {
      unsigned source = 0;
      auto length = [&] { return cast<VectorType>(sources[source].getType()).getNumElements(); };
      for (; lane >= length(); ++source)
        lane -= length();
      lanes.push_back({source, std::max<int64_t>(lane, 0)}); // -1 asks for nothing
    }
    Value result;
    for (auto [number, source] : llvm::enumerate(sources)) {
      if (llvm::none_of(lanes, [&, number = number](auto lane) { return lane.first == number; }))
        continue;
      SmallVector<int64_t> from;
      for (auto [at, lane] : llvm::enumerate(lanes))
        from.push_back(lane.first == number ? lane.second + (result ? mask.size() : 0) : result ? at : 0);
      result = vector::ShuffleOp::create(builder, loc, result ? result : source, source, from);
    }
    return result;
  }

  void splitShuffle(vector::ShuffleOp op) {
    SmallVector<Value> sources = cut(op.getOperands());
    SmallVector<int64_t> lengths = getLengths(op.getType());
    if (lengths.empty()) {
      op.replaceAllUsesWith(shuffle(op.getLoc(), sources, op.getMask()));
      return;
    }
    int64_t begin = 0;
    for (int64_t length : lengths) {
      pieces[op.getResult()].push_back(shuffle(op.getLoc(), sources, op.getMask().slice(begin, length)));
      begin += length;
    }
  }

  /// Bytes may be in other pieces than the sums.
  void splitDot(DotOp op) {
    SmallVector<Value> left = cut(op.getLeft()), right = cut(op.getRight()), sums = cut(op.getSum());
    SmallVector<Value> results;
    int64_t begin = 0;
    for (Value sum : sums) {
      int64_t bytes = cast<VectorType>(sum.getType()).getNumElements() * DotOp::kBytes;
      auto take = [&](ArrayRef<Value> pieces) {
        return shuffle(op.getLoc(), pieces, llvm::to_vector(llvm::seq(begin, begin + bytes)));
      };
      Value x = take(left), y = take(right);
      results.push_back(
          DotOp::create(builder, op.getLoc(), sum.getType(), x, y, sum, op.getUnsignedLeft(), op.getUnsignedRight()));
      begin += bytes;
    }
    if (getLengths(op.getType()).empty())
      op.replaceAllUsesWith(results.front());
    else
      pieces[op.getResult()] = results;
  }

  void splitExtract(vector::ExtractOp op) {
    int64_t lane = op.getStaticPosition().front(), piece = 0;
    for (int64_t length : getLengths(op.getSource().getType())) {
      if (lane < length)
        break;
      lane -= length;
      ++piece;
    }
    op.replaceAllUsesWith(Value(vector::ExtractOp::create(builder, op.getLoc(), pieces[op.getSource()][piece], lane)));
  }

  void splitReduction(vector::ReductionOp op) {
    Value result = op.getAcc();
    for (Value piece : pieces[op.getVector()])
      result = vector::ReductionOp::create(builder, op.getLoc(), op.getKind(), piece, result, op.getFastmath());
    op.replaceAllUsesWith(result);
    op.erase();
  }

  /// The values with the wide ones in pieces.
  Pieces cut(ValueRange values) {
    Pieces result;
    for (Value value : values) {
      if (getLengths(value.getType()).empty())
        result.push_back(value);
      else
        llvm::append_range(result, pieces[value]);
    }
    return result;
  }

  void splitLoop(ForOp loop) {
    dead.push_back(loop);
    auto target = ForOp::create(builder, loop.getLoc(), loop.getBound(), cut(loop.getInits()));
    target->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = target.getBody();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    loop.getInductionVar().replaceAllUsesWith(target.getInductionVar());
    auto distribute = [&](ValueRange from, ValueRange to) {
      size_t next = 0;
      for (Value value : from) {
        size_t count = getLengths(value.getType()).size();
        if (count == 0)
          value.replaceAllUsesWith(to[next++]);
        else
          pieces[value] = Pieces(to.slice(next, count));
        next += count;
      }
    };
    distribute(loop.getRegionIterArgs(), target.getRegionIterArgs());
    distribute(loop.getResults(), target.getResults());
    splitBlock(*body);
  }

  FuncOp func;
  OpBuilder builder;
  int64_t maxBits;
  /// By number of lanes: the widest element among vectors of that length.
  llvm::DenseMap<int64_t, int64_t> widest;
  DenseMap<Value, Pieces> pieces;
  SmallVector<Operation *> dead;
};

} // namespace

LogicalResult splitVectors(FuncOp func, int64_t maxBits) { return Splitter(func, maxBits).run(); }

} // namespace tiny::uop
