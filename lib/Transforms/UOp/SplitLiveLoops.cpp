// uop-split-live-loops: the first steps of a loop, which are inside of every end, stand in a loop without gates.
#include "Tiny/Algebra/View/View.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPSPLITLIVELOOPS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// `step` times the index of a loop, plus `rest` (values of the loop's outside, each times a number), plus a number of
/// at most `most`: in all lanes, and in all steps of the loops inside.
struct Linear {
  int64_t step = 0, most = 0;
  SmallVector<std::pair<Value, int64_t>> rest;

  bool scale(int64_t factor) {
    bool overflow = llvm::MulOverflow(step, factor, step) | llvm::MulOverflow(most, factor, most);
    for (auto &[value, times] : rest)
      overflow |= llvm::MulOverflow(times, factor, times) != 0;
    return !overflow;
  }
  /// Whether `other` is nowhere greater.
  bool implies(const Linear &other) const { return step == other.step && rest == other.rest && other.most <= most; }
  bool add(const Linear &other) {
    llvm::append_range(rest, other.rest);
    return !(llvm::AddOverflow(step, other.step, step) | llvm::AddOverflow(most, other.most, most));
  }
};

/// Reads indices of a loop's body as linear in the loop's index. `sign` says which end of a number counts: -1 gives the
/// form of the negated value.
class LinearReader {
public:
  explicit LinearReader(ForOp loop) : loop(loop) {}

  std::optional<Linear> read(Value value, int64_t sign) {
    if (auto constant = getNumber(value, sign))
      return Linear{0, *constant, {}};
    if (value == loop.getInductionVar())
      return Linear{sign, 0, {}};
    if (isOutside(value))
      return value.getType().isIndex() ? std::optional(Linear{0, 0, {{value, sign}}}) : fromOutside(value, sign);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return readInner(argument, sign);
    Operation *op = value.getDefiningOp();
    if (isa<vector::BroadcastOp, sym::RangeOfOp>(op))
      return read(op->getOperand(0), sign);
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      std::optional<Linear> left = read(op->getOperand(0), sign),
                            right = read(op->getOperand(1), isa<arith::SubIOp>(op) ? -sign : sign);
      return left && right && left->add(*right) ? left : std::nullopt;
    }
    if (isa<arith::MulIOp>(op))
      for (unsigned side : {0, 1}) {
        std::optional<int64_t> factor = getNumber(op->getOperand(side), 1), least = getNumber(op->getOperand(side), -1);
        if (!factor || *factor != -*least || *factor == std::numeric_limits<int64_t>::min())
          continue;
        std::optional<Linear> scaled = read(op->getOperand(1 - side), *factor < 0 ? -sign : sign);
        return scaled && scaled->scale(std::abs(*factor)) ? scaled : std::nullopt;
      }
    return std::nullopt;
  }

private:
  bool isOutside(Value value) { return value.getParentRegion()->isProperAncestor(&loop.getRegion()); }

  /// A vector that the loop finds as it is: all of its lanes are one value, or numbers beside it.
  std::optional<Linear> fromOutside(Value value, int64_t sign) {
    Operation *op = value.getDefiningOp();
    if (isa_and_present<vector::BroadcastOp>(op))
      return read(op->getOperand(0), sign);
    if (!isa_and_present<arith::AddIOp>(op))
      return std::nullopt;
    std::optional<Linear> left = read(op->getOperand(0), sign), right = read(op->getOperand(1), sign);
    return left && right && left->add(*right) ? left : std::nullopt;
  }

  /// The index of a loop inside: the first or the last one. Where that loop has no steps its gates count for nothing.
  std::optional<Linear> readInner(BlockArgument argument, int64_t sign) {
    auto inner = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
    if (!inner || argument != inner.getInductionVar())
      return std::nullopt;
    if (sign < 0)
      return Linear();
    std::optional<Linear> end;
    if (isOutside(inner.getBound()) || getNumber(inner.getBound(), 1))
      end = read(inner.getBound(), 1);
    return end && end->add(Linear{0, -1, {}}) ? end : std::nullopt;
  }

  /// The greatest of the lanes of a constant times the sign.
  static std::optional<int64_t> getNumber(Value value, int64_t sign) {
    constexpr int64_t limit = tiny::kIndexLimit;
    Attribute attr;
    if (!matchPattern(value, m_Constant(&attr)))
      return std::nullopt;
    std::optional<int64_t> greatest;
    auto see = [&](const APInt &number) {
      int64_t signedNumber = number.getSExtValue() * sign;
      greatest = std::max(greatest.value_or(signedNumber), signedNumber);
    };
    if (auto number = dyn_cast<IntegerAttr>(attr))
      see(number.getValue());
    else if (auto numbers = dyn_cast<DenseIntElementsAttr>(attr))
      for (const APInt &number : numbers.getValues<APInt>())
        see(number);
    return greatest && std::abs(*greatest) < limit ? greatest : std::nullopt;
  }

  ForOp loop;
};

/// A comparison that holds as long as the form is below 0.
struct Gate {
  arith::CmpIOp compare;
  Linear form;
};

struct UOpSplitLiveLoops : impl::UOpSplitLiveLoopsBase<UOpSplitLiveLoops> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ForOp> pending;
    getOperation().walk<WalkOrder::PreOrder>([&](ForOp loop) { pending.push_back(loop); });
    // The outermost first: what is inside of its end in all loops is not looked at again.
    std::reverse(pending.begin(), pending.end());
    while (!pending.empty()) {
      ForOp loop = pending.pop_back_val();
      if (ForOp rest = split(loop)) {
        SmallVector<ForOp> inside;
        rest.getBody()->walk<WalkOrder::PreOrder>([&](ForOp inner) { inside.push_back(inner); });
        pending.append(inside.rbegin(), inside.rend());
      }
    }
  }

private:
  /// Whether the value comes from memory.
  static bool isRead(Value value) {
    SmallVector<Value> pending{value};
    llvm::DenseSet<Operation *> seen;
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      if (isa<LoadOp>(op))
        return true;
      llvm::append_range(pending, op->getOperands());
    }
    return false;
  }

  /// Whether lanes are masked by the comparison, or vectors are accessed where it holds.
  static bool isOfLanes(arith::CmpIOp compare) {
    return isa<VectorType>(compare.getType()) || llvm::any_of(compare->getUsers(), [](Operation *user) {
             auto store = dyn_cast<StoreOp>(user);
             return llvm::any_of(store ? TypeRange(store.getValue().getType()) : TypeRange(user->getResultTypes()),
                                 llvm::IsaPred<VectorType>);
           });
  }

  /// A live end moves all gates behind it. Of the other ends those of lanes, whose masks every step would compute: but
  /// the last steps of a loop that alone decides are peeled, with masks that are constants.
  static bool isWorthSplitting(ForOp loop, Gate &gate) {
    if (llvm::any_of(gate.form.rest, [](auto part) { return isRead(part.first); }))
      return true;
    // Lanes of a workgroup would leave the loop apart.
    bool isDecidedHere = gate.form.rest.empty() && gate.compare->getBlock() == loop.getBody();
    return isOfLanes(gate.compare) && !isDecidedHere && !countLocalAxes(loop->getParentOfType<FuncOp>());
  }

  static std::optional<Gate> readGate(LinearReader &reader, arith::CmpIOp compare) {
    using Predicate = arith::CmpIPredicate;
    Value lesser = compare.getLhs(), greater = compare.getRhs();
    Predicate predicate = compare.getPredicate();
    if (predicate == Predicate::sgt || predicate == Predicate::sge)
      std::swap(lesser, greater);
    else if (predicate != Predicate::slt && predicate != Predicate::sle)
      return std::nullopt;
    bool isStrict = predicate == Predicate::slt || predicate == Predicate::sgt;
    std::optional<Linear> form = reader.read(lesser, 1), other = reader.read(greater, -1);
    if (!form || !other || !form->add(*other) || !form->add(Linear{0, isStrict ? 0 : -1, {}}) || form->step <= 0)
      return std::nullopt;
    return Gate{compare, std::move(*form)};
  }

  /// Splits the loop where its gates, or its end, are not known here. Returns the loop of the last steps.
  ForOp split(ForOp loop) {
    int64_t operations = 0;
    loop.getBody()->walk([&](Operation *) { ++operations; });
    if (operations > maxOperations)
      return nullptr;
    LinearReader reader(loop);
    SmallVector<Gate> gates, others;
    loop.getBody()->walk([&](arith::CmpIOp compare) {
      if (!getElementTypeOrSelf(compare.getLhs().getType()).isIndex())
        return;
      if (std::optional<Gate> gate = readGate(reader, compare))
        (isWorthSplitting(loop, *gate) ? gates : others).push_back(std::move(*gate));
    });
    if (gates.empty())
      return nullptr;
    // What holds wherever one of them does needs no test either.
    for (Gate &other : others)
      if (llvm::any_of(gates, [&](const Gate &gate) { return gate.form.implies(other.form); }))
        gates.push_back(std::move(other));

    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
    // Inside of all ends: step * i + most + rest < 0, so i < ceildiv(-most - rest, step).
    Value steps = loop.getBound();
    for (const Gate &gate : gates) {
      Value room = constant(-gate.form.most);
      for (auto [value, times] : gate.form.rest) {
        Value part =
            times == 1 || times == -1 ? value : arith::MulIOp::create(builder, loc, value, constant(std::abs(times)));
        room = times < 0 ? arith::AddIOp::create(builder, loc, room, part).getResult()
                         : arith::SubIOp::create(builder, loc, room, part).getResult();
      }
      // ceildiv(x, n) = floordiv(x + n - 1, n), which has an expansion for any sign.
      Value inside = room;
      if (gate.form.step != 1) {
        inside = arith::AddIOp::create(builder, loc, room, constant(gate.form.step - 1));
        inside = arith::FloorDivSIOp::create(builder, loc, inside, constant(gate.form.step));
      }
      steps = arith::MinSIOp::create(builder, loc, steps, inside);
    }
    steps = arith::MaxSIOp::create(builder, loc, steps, constant(0));
    Value left = arith::SubIOp::create(builder, loc, loop.getBound(), steps);

    builder.setInsertionPointAfter(loop);
    auto rest = cast<ForOp>(builder.clone(*loop));
    rest.getBoundMutable().set(left);
    for (auto [k, result] : llvm::enumerate(loop.getResults())) {
      result.replaceAllUsesWith(rest.getResult(k));
      rest.getInitArgsMutable()[k].set(result);
    }
    builder.setInsertionPointToStart(rest.getBody());
    Value index = rest.getInductionVar();
    auto place = arith::AddIOp::create(builder, loc, index, steps);
    index.replaceAllUsesExcept(place, place);
    loop.getBoundMutable().set(steps);
    for (Gate &gate : gates) {
      builder.setInsertionPoint(gate.compare);
      Type type = gate.compare.getType();
      TypedAttr holds = builder.getBoolAttr(true);
      if (auto vector = dyn_cast<VectorType>(type))
        holds = DenseElementsAttr::get(vector, true);
      gate.compare.replaceAllUsesWith(
          arith::ConstantOp::create(builder, gate.compare.getLoc(), type, holds).getResult());
      gate.compare.erase();
    }
    return rest;
  }
};

} // namespace
} // namespace tiny::uop
