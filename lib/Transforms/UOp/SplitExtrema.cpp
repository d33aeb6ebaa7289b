// uop-split-extrema: maxima and minima of floats in three accumulators that one instruction each updates.
#include "Math/MathBuilder.h"

#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPSPLITEXTREMA
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Three values that together give the maximum, or the minimum, of some numbers.
struct Parts {
  Value extremum;     ///< of those that are no NaN, if it is no zero
  Value signedMost;   ///< the largest bits as signed integers: above infinity's for a positive NaN, negative if all are
  Value unsignedMost; ///< the largest bits as unsigned integers: above minus infinity's for a negative NaN
};

class Splitter {
public:
  explicit Splitter(FuncOp func) : builder(func.getContext()), entry(&func.getBody().front()) {}

  /// Splits what the loop carries, up to so many bytes.
  void splitLoop(ForOp loop, int64_t maxCarried) {
    SmallVector<Chain> chains;
    int64_t carried = 0;
    for (Value argument : loop.getRegionIterArgs())
      carried += countBytes(argument.getType());
    for (unsigned k = 0; k < loop.getNumResults(); ++k) {
      Chain chain = findChain(loop, k);
      int64_t more = 2 * countBytes(loop.getResult(k).getType());
      if (chain.ops.empty() || carried + more > maxCarried)
        continue;
      carried += more;
      chains.push_back(std::move(chain));
    }
    if (!chains.empty())
      rewrite(loop, chains);
  }

  void splitReduction(vector::ReductionOp reduction) {
    Value vector = reduction.getVector();
    std::optional<bool> isMaximum = getKind(reduction.getKind());
    if (!isMaximum || reduction.getAcc() || isa<vector::MaskOp>(reduction->getParentOp()) ||
        isPlain(reduction.getFastmath()) || !isSplit(vector.getType()))
      return;
    builder.setInsertionPoint(reduction);
    MathBuilder b = getMath(reduction.getLoc(), reduction.getType());
    auto known = finished.find(vector);
    Parts parts;
    if (known != finished.end() && known->second.isMaximum == *isMaximum)
      parts = known->second.parts;
    else
      parts = begin(reduction.getLoc(), vector);
    // A NaN or a zero may come out as anything here, but then the bits say it.
    auto flags = arith::FastMathFlags::nnan | arith::FastMathFlags::nsz | reduction.getFastmath();
    auto reduce = [&](vector::CombiningKind kind, Value value) -> Value {
      return vector::ReductionOp::create(builder, reduction.getLoc(), kind, value);
    };
    Parts result = {
        vector::ReductionOp::create(builder, reduction.getLoc(), reduction.getKind(), parts.extremum, flags),
        reduce(vector::CombiningKind::MAXSI, parts.signedMost),
        reduce(vector::CombiningKind::MAXUI, parts.unsignedMost)};
    reduction.replaceAllUsesWith(finish(b, result, *isMaximum));
    reduction.erase();
  }

private:
  /// Combinations that take a carried value to what is yielded for it.
  struct Chain {
    unsigned position;
    bool isMaximum;
    SmallVector<Operation *> ops;
  };

  /// The three values from which a loop's result was put together.
  struct Known {
    Parts parts;
    bool isMaximum;
  };

  static std::optional<bool> getKind(vector::CombiningKind kind) {
    if (kind == vector::CombiningKind::MAXIMUMF || kind == vector::CombiningKind::MINIMUMF)
      return kind == vector::CombiningKind::MAXIMUMF;
    return std::nullopt;
  }

  /// Whether one instruction does it.
  static bool isPlain(arith::FastMathFlags flags) {
    return bitEnumContainsAll(flags, arith::FastMathFlags::nnan | arith::FastMathFlags::nsz);
  }

  static bool isSplit(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.getRank() == 1 && !vector.isScalable() && vector.getNumElements() > 1 &&
           (vector.getElementType().isF32() || vector.getElementType().isF64());
  }

  static int64_t countBytes(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    Type element = getElementTypeOrSelf(type);
    int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    return (vector ? vector.getNumElements() : 1) * bits / 8;
  }

  static Chain findChain(ForOp loop, unsigned position) {
    Chain chain{position, false, {}};
    Value value = loop.getRegionIterArgs()[position];
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!isSplit(value.getType()))
      return chain;
    auto yield = cast<YieldOp>(loop.getBody()->getTerminator());
    while (value != yield.getOperand(position)) {
      Operation *op = value.hasOneUse() ? *value.user_begin() : nullptr;
      if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op) || op->getBlock() != loop.getBody() ||
          isPlain(cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue()) ||
          (!chain.ops.empty() && op->getName() != chain.ops.front()->getName()))
        return {position, false, {}};
      chain.isMaximum = isa<arith::MaximumFOp>(op);
      chain.ops.push_back(op);
      value = op->getResult(0);
    }
    // Putting the result together costs as much as a few steps save, unless a horizontal reduction does that anyway.
    constexpr int64_t minSteps = 4;
    bool isShort = trips && trips->slt(minSteps) && trips->getSExtValue() * int64_t(chain.ops.size()) < minSteps &&
                   !isReduced(loop.getResult(position), chain.isMaximum);
    if (!value.hasOneUse() || isShort)
      chain.ops.clear();
    return chain;
  }

  /// Whether horizontal reductions of the same kind are all that reads it.
  static bool isReduced(Value vector, bool isMaximum) {
    return !vector.use_empty() && llvm::all_of(vector.getUsers(), [&](Operation *user) {
      auto reduction = dyn_cast<vector::ReductionOp>(user);
      return reduction && getKind(reduction.getKind()) == isMaximum;
    });
  }

  MathBuilder getMath(Location loc, Type type) { return {builder, loc, type, entry, constants}; }

  Parts begin(Location loc, Value value) {
    MathBuilder b = getMath(loc, value.getType());
    Value bits = b.bits(b.wrap(value)).value;
    return {value, bits, bits};
  }

  static Value finish(MathBuilder &b, const Parts &parts, bool isMaximum) {
    Num extremum = b.wrap(parts.extremum), most = b.wrap(parts.signedMost), all = b.wrap(parts.unsignedMost);
    Num infinity = b.bits(b.infinity()), sign = b.bits(b.c(-0.0));
    Num isNan = (most > infinity) | ((all ^ sign) > infinity);
    // The maximum is -0 if no sign bit is clear, the minimum if any is set.
    Num zero = b.select((isMaximum ? most : all) < 0.0, b.c(-0.0), b.c(0.0));
    return b.select(isNan, b.nan(), b.select(extremum == 0.0, zero, extremum)).value;
  }

  /// The parts when `value` is added to the numbers.
  Parts advance(MathBuilder &b, const Parts &parts, Value value, bool isMaximum) {
    Num x = b.wrap(value), before = b.wrap(parts.extremum), bits = b.bits(x);
    // False for a NaN.
    Num isBetter = isMaximum ? x > before : x < before;
    return {b.select(isBetter, x, before).value,
            arith::MaxSIOp::create(builder, b.getLoc(), parts.signedMost, bits.value),
            arith::MaxUIOp::create(builder, b.getLoc(), parts.unsignedMost, bits.value)};
  }

  void rewrite(ForOp loop, ArrayRef<Chain> chains) {
    builder.setInsertionPoint(loop);
    SmallVector<Value> inits(loop.getInitArgs());
    for (const Chain &chain : chains) {
      Parts first = begin(loop.getLoc(), inits[chain.position]);
      inits.append({first.signedMost, first.unsignedMost});
    }
    auto split = ForOp::create(builder, loop.getLoc(), loop.getBound(), inits);
    split->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = split.getBody();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    for (auto [old, argument] : llvm::zip(loop.getBody()->getArguments(), body->getArguments()))
      old.replaceAllUsesWith(argument);
    unsigned count = loop.getNumResults();
    for (auto [k, chain] : llvm::enumerate(chains)) {
      Parts parts = {split.getRegionIterArgs()[chain.position], split.getRegionIterArgs()[count + 2 * k],
                     split.getRegionIterArgs()[count + 2 * k + 1]};
      for (Operation *op : chain.ops) {
        builder.setInsertionPoint(op);
        MathBuilder b = getMath(op->getLoc(), op->getResult(0).getType());
        Value other = op->getOperand(op->getOperand(0) == parts.extremum ? 1 : 0);
        parts = advance(b, parts, other, chain.isMaximum);
        op->getResult(0).replaceAllUsesWith(parts.extremum);
        op->erase();
      }
      Operation *yield = body->getTerminator();
      yield->insertOperands(yield->getNumOperands(), {parts.signedMost, parts.unsignedMost});
    }
    builder.setInsertionPointAfter(split);
    SmallVector<Value> results(split.getResults().take_front(count));
    for (auto [k, chain] : llvm::enumerate(chains)) {
      Parts parts = {split.getResult(chain.position), split.getResult(count + 2 * k),
                     split.getResult(count + 2 * k + 1)};
      MathBuilder b = getMath(loop.getLoc(), parts.extremum.getType());
      results[chain.position] = finish(b, parts, chain.isMaximum);
      finished[results[chain.position]] = {parts, chain.isMaximum};
    }
    loop.replaceAllUsesWith(results);
    loop.erase();
  }

  OpBuilder builder;
  Block *entry;
  MathBuilder::Constants constants;
  llvm::DenseMap<Value, Known> finished;
};

struct UOpSplitExtrema : impl::UOpSplitExtremaBase<UOpSplitExtrema> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ForOp> loops;
    SmallVector<vector::ReductionOp> reductions;
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<ForOp>(op))
        loops.push_back(loop);
      else if (auto reduction = dyn_cast<vector::ReductionOp>(op))
        reductions.push_back(reduction);
    });
    Splitter splitter(getOperation());
    for (ForOp loop : loops)
      splitter.splitLoop(loop, maxCarried);
    for (vector::ReductionOp reduction : reductions)
      splitter.splitReduction(reduction);
  }
};

} // namespace
} // namespace tiny::uop
