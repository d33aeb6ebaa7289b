// uop-limit-rounds: fewer and longer rounds of loops, where a device gives up after so many.
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPLIMITROUNDS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Most rounds that become one at a time, so that what is left over is little.
constexpr uint64_t kMostTogether = 8;

class RoundLimiter {
public:
  RoundLimiter(FuncOp func, int64_t maxOperations) : func(func), maxOperations(maxOperations) {}

  /// Rounds that a lane runs, of all loops together. The end of a loop is one more.
  uint64_t count() {
    longest = {};
    mostRounds = 0;
    return count(func.getBody(), 1);
  }

  /// Makes longer rounds of the loop that has most of them. Whether there is one.
  bool lengthen() {
    if (!longest)
      return false;
    uint64_t trips = getTrips(longest);
    if (trips <= kMostTogether)
      unrollAll(trips);
    else
      unroll(trips % 3 == 0 && trips % 2 != 0 ? 3 : 2, trips);
    return true;
  }

private:
  uint64_t count(Region &region, uint64_t runs) {
    uint64_t total = 0;
    for (Operation &op : region.getOps()) {
      if (auto condition = dyn_cast<IfOp>(op))
        total = llvm::SaturatingAdd(total, count(condition.getRegion(), runs));
      auto loop = dyn_cast<ForOp>(op);
      if (!loop)
        continue;
      uint64_t trips = getTrips(loop), rounds = llvm::SaturatingMultiply(runs, trips + 1);
      total = llvm::SaturatingAdd(total, rounds);
      if (trips > 1 && rounds > mostRounds && canGrow(loop)) {
        mostRounds = rounds;
        longest = loop;
      }
      total = llvm::SaturatingAdd(total, count(loop.getRegion(), llvm::SaturatingMultiply(runs, trips)));
    }
    return total;
  }

  /// A bound that is not constant counts as one round.
  static uint64_t getTrips(ForOp loop) {
    std::optional<APInt> count = loop.getStaticTripCount();
    return count ? count->getZExtValue() : 1;
  }

  bool canGrow(ForOp loop) const {
    int64_t operations = 0;
    loop.getBody()->walk([&](Operation *) { ++operations; });
    return operations * (getTrips(loop) <= kMostTogether ? int64_t(getTrips(loop)) : 3) <= maxOperations;
  }

  /// Puts a round behind what stands at `builder`, and sets `carried` to what it carries on.
  static void cloneRound(OpBuilder &builder, ForOp loop, Block &body, Value index, SmallVector<Value> &carried) {
    IRMapping round;
    round.map(body.getArgument(0), index);
    round.map(body.getArguments().drop_front(), carried);
    for (Operation &op : body.without_terminator())
      builder.clone(op, round);
    carried = llvm::map_to_vector(body.getTerminator()->getOperands(),
                                  [&](Value value) { return round.lookupOrDefault(value); });
  }

  /// Rounds from `begin` on, one behind the other.
  static void cloneRounds(OpBuilder &builder, ForOp loop, uint64_t begin, uint64_t end, SmallVector<Value> &carried) {
    for (uint64_t round = begin; round < end; ++round)
      cloneRound(builder, loop, *loop.getBody(), arith::ConstantIndexOp::create(builder, loop.getLoc(), round),
                 carried);
  }

  void unrollAll(uint64_t trips) {
    OpBuilder builder(longest);
    SmallVector<Value> carried(longest.getInitArgs());
    cloneRounds(builder, longest, 0, trips, carried);
    longest.replaceAllUsesWith(carried);
    longest.erase();
  }

  /// `factor` rounds become one. The others come behind.
  void unroll(int64_t factor, uint64_t trips) {
    OpBuilder builder(longest);
    Location loc = longest.getLoc();
    Value together = arith::ConstantIndexOp::create(builder, loc, factor);
    auto main = ForOp::create(builder, loc, arith::ConstantIndexOp::create(builder, loc, trips / factor),
                              longest.getInitArgs());
    SmallVector<Value> carried(main.getResults());
    cloneRounds(builder, longest, trips / factor * factor, trips, carried);
    fill(main, [&](OpBuilder &inside, SmallVector<Value> &values) {
      Value begin = arith::MulIOp::create(inside, loc, main.getInductionVar(), together);
      for (int64_t round = 0; round < factor; ++round) {
        Value index = begin;
        if (round > 0)
          index = arith::AddIOp::create(inside, loc, begin, arith::ConstantIndexOp::create(inside, loc, round));
        cloneRound(inside, longest, *longest.getBody(), index, values);
      }
    });
    longest.replaceAllUsesWith(carried);
    longest.erase();
  }

  /// Writes the body of a new loop.
  static void fill(ForOp loop, function_ref<void(OpBuilder &, SmallVector<Value> &)> write) {
    Block *body = loop.getBody();
    if (body->mightHaveTerminator())
      body->getTerminator()->erase();
    OpBuilder builder = OpBuilder::atBlockEnd(body);
    SmallVector<Value> values(loop.getRegionIterArgs());
    write(builder, values);
    YieldOp::create(builder, loop.getLoc(), values);
  }

  FuncOp func;
  int64_t maxOperations;
  /// Of the loops that can have longer rounds the one with most of them.
  ForOp longest;
  uint64_t mostRounds = 0;
};

struct UOpLimitRounds : impl::UOpLimitRoundsBase<UOpLimitRounds> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    uint64_t most = target::findMachine(func).loopRounds;
    if (most == 0)
      return;
    RoundLimiter limiter(func, maxOperations);
    uint64_t before = limiter.count(), now = before;
    while (now > most && limiter.lengthen())
      now = limiter.count();
    if (now > most) {
      func.emitOpError("has ") << now << " rounds of loops in a lane, expected at most " << most;
      return signalPassFailure();
    }
    if (now != before)
      Remarks("uop-limit-rounds", func)
          .passed(func.getLoc(), "lengthen",
                  "a lane ran " + Twine(before) + " rounds of loops, more than " + Twine(most) + ": now it runs " +
                      Twine(now),
                  {{"before", double(before)}, {"rounds", double(now)}, {"limit", double(most)}});
  }
};

} // namespace
} // namespace tiny::uop
