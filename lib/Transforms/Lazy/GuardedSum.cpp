// Matches sums over a shifted exponential, with the factors, guards and roundings on the way into the sum.
#include "GuardedSum.h"

#include "UseSearch.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::lazy {

static ShapeTracker composeSimply(const ShapeTracker &inner, const ShapeTracker &outer) {
  ShapeTracker result = inner.compose(outer);
  return result ? result.simplify() : result;
}

namespace {

/// Follows the factors of a sum's elements, and what selections and roundings hide, to a shifted element.
class Splitter {
public:
  explicit Splitter(ReduceOp sum) : sum(sum) {}

  /// Appends what is done to the shifted element in `value` to `parts`; false where there is none.
  bool split(const TrackedValue &value, unsigned depth, GuardedSum &result) {
    if (budget == 0)
      return false;
    --budget;
    std::vector<Factor> factors = splitProduct(value.value);
    for (Factor &factor : factors)
      factor.tracker = composeSimply(factor.tracker, value.tracker);
    auto isUsable = [](const Factor &factor) { return factor.tracker && !factor.divides; };
    // The first element with a maximum, else what a selection or a rounding hides, else the first element.
    const Factor *bare = nullptr;
    for (const Factor &factor : factors) {
      std::optional<ShiftedElement> element;
      if (isUsable(factor))
        element = matchShiftedElement(factor.value.getDefiningOp());
      if (element && element->maximum)
        return finish(factors, factor, result);
      bare = element && !bare ? &factor : bare;
    }
    constexpr unsigned maxDepth = 4;
    for (const Factor &factor : factors) {
      std::vector<Part> guards;
      TrackedValue inner = factor;
      Type rounded;
      if (depth == maxDepth || !isUsable(factor) || !peel(inner, guards, rounded))
        continue;
      GuardedSum inside;
      // Only relative to a maximum is an element at most 1.
      if (!split(inner, depth + 1, inside) || (rounded && !matchShiftedElement(inside.function)->maximum))
        continue;
      addFactors(factors, factor, result);
      llvm::append_range(result.parts, guards);
      llvm::append_range(result.parts, inside.parts);
      result.function = inside.function;
      result.element = std::move(inside.element);
      result.rounded = rounded ? rounded : inside.rounded;
      return true;
    }
    return bare && finish(factors, *bare, result);
  }

private:
  static void addFactors(ArrayRef<Factor> factors, const Factor &except, GuardedSum &result) {
    for (const Factor &factor : factors)
      if (&factor != &except)
        result.parts.push_back({factor, factor.divides ? Part::Kind::divisor : Part::Kind::factor});
  }

  static bool finish(ArrayRef<Factor> factors, const Factor &element, GuardedSum &result) {
    addFactors(factors, element, result);
    result.function = element.value.getDefiningOp();
    result.element = element.tracker;
    return true;
  }

  /// Goes from `value` to what it is but for selections of zero and for a rounding that does not count.
  bool peel(TrackedValue &value, std::vector<Part> &guards, Type &rounded) {
    Type wide;
    bool isPeeled = false;
    for (unsigned steps = 0; steps < 8; ++steps) {
      value = skipMovements(value.value, value.tracker);
      Operation *op = value.value.getDefiningOp();
      if (auto select = dyn_cast_or_null<arith::SelectOp>(op);
          select && isa<RankedTensorType>(select.getCondition().getType())) {
        bool zeroWhere = matchPattern(select.getTrueValue(), m_AnyZeroFloat());
        if (!zeroWhere && !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
          break;
        guards.push_back({skipMovements(select.getCondition(), value.tracker), Part::Kind::guard, zeroWhere});
        value.value = zeroWhere ? select.getFalseValue() : select.getTrueValue();
        isPeeled = true;
        continue;
      }
      auto extend = dyn_cast_or_null<arith::ExtFOp>(op);
      auto truncate = dyn_cast_or_null<arith::TruncFOp>(op);
      if (extend && !wide) {
        wide = getElementTypeOrSelf(extend);
        value.value = extend.getIn();
      } else if (truncate && wide == getElementTypeOrSelf(truncate.getIn()) &&
                 isRoundedTo(sum.getResult(0), truncate.getType())) {
        wide = {};
        value.value = truncate.getIn();
        rounded = getElementTypeOrSelf(truncate.getType());
        isPeeled = true;
      } else {
        break;
      }
    }
    return isPeeled && !wide;
  }

  ReduceOp sum;
  unsigned budget = 64; ///< products that are looked into
};

} // namespace

/// Whether `source` is the same along `axes`, by what it is computed from.
static bool isConstantAlong(const TrackedValue &source, ArrayRef<int64_t> axes) {
  constexpr size_t maxVisited = 32;
  std::vector<TrackedValue> pending{source};
  for (size_t k = 0; k < pending.size(); ++k) {
    TrackedValue next = skipMovements(pending[k].value, pending[k].tracker);
    Operation *op = next.value.getDefiningOp();
    DenseElementsAttr constant;
    if (!isa<RankedTensorType>(next.value.getType()) || isInvariant(next.tracker, axes) ||
        (next.tracker.isUnmasked() && matchPattern(next.value, m_Constant(&constant)) && constant.isSplat()))
      continue;
    if (!op || !isElementwise(op) || !next.tracker.isUnmasked() || pending.size() > maxVisited)
      return false;
    for (Value operand : op->getOperands())
      pending.push_back({operand, next.tracker});
  }
  return true;
}

std::optional<GuardedSum> matchGuardedSum(ReduceOp reduce) {
  GuardedSum result;
  result.reduce = reduce;
  Value input = reduce.getInputs().front();
  ShapeTracker identity = ShapeTracker::identity(cast<RankedTensorType>(input.getType()).getShape());
  if (!isa<FloatType>(getElementTypeOrSelf(input)) || !Splitter(reduce).split({input, identity}, 0, result))
    return std::nullopt;
  for (Part &part : result.parts)
    part.varies = !isConstantAlong(part, reduce.getAxes());
  return result;
}

/// The sum of a row that `value` is the quotient f / l by.
static ReduceOp findRowSum(TrackedValue value, const ShiftedElement &element, ShapeTracker &tracker) {
  if (auto truncate = value.value.getDefiningOp<arith::TruncFOp>())
    value = skipMovements(truncate.getIn(), value.tracker);
  auto quotient = value.value.getDefiningOp<arith::DivFOp>();
  if (!quotient || quotient.getLhs() != element.function->getResult(0))
    return nullptr;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(quotient.getType()).getShape();
  TrackedValue divisor = skipMovements(quotient.getRhs(), ShapeTracker::identity(shape));
  auto sum = divisor.value.getDefiningOp<ReduceOp>();
  if (!sum || sum.getKind() != arith::AtomicRMWKind::addf || sum.getNumResults() != 1 ||
      sum.getInputs().front() != quotient.getLhs() || sum.getAxes() != ReduceOp(element.maximum).getAxes() ||
      divisor.tracker.simplify() != repeatResult(sum))
    return nullptr;
  tracker = composeSimply(divisor.tracker, value.tracker);
  return tracker ? sum : nullptr;
}

/// Whether `value` is that each x of a row is -inf, or that some x is not.
static std::optional<bool> matchAllLowest(Value value, const ShiftedElement &element) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getNumResults() != 1 || reduce.getAxes() != ReduceOp(element.maximum).getAxes())
    return std::nullopt;
  bool isAll = reduce.getKind() == arith::AtomicRMWKind::andi, isSome = reduce.getKind() == arith::AtomicRMWKind::ori;
  auto compare = reduce.getInputs().front().getDefiningOp<arith::CmpFOp>();
  if (!compare || !(isAll || isSome) ||
      compare.getPredicate() != (isAll ? arith::CmpFPredicate::OEQ : arith::CmpFPredicate::UNE) ||
      !matchPattern(compare.getRhs(), m_NegInfFloat()))
    return std::nullopt;
  auto extend = element.x.getDefiningOp<arith::ExtFOp>();
  if (compare.getLhs() != element.x && !(extend && compare.getLhs() == extend.getIn()))
    return std::nullopt;
  return isAll;
}

void resolveGuards(GuardedSum &sum, const ShiftedElement &element) {
  // A maximum that skips NaN, or in which something else takes part, does not decide these conditions.
  if (!element.isPlain() || ReduceOp(element.maximum).getKind() != arith::AtomicRMWKind::maximumf)
    return;
  for (Part &part : sum.parts) {
    if (part.kind != Part::Kind::guard || part.test != Part::Test::none)
      continue;
    TrackedValue condition = skipMovements(part.value, part.tracker);
    // All x are -inf exactly where the maximum is: a NaN is no -inf, and makes it NaN.
    if (std::optional<bool> holds = matchAllLowest(condition.value, element)) {
      ShapeTracker result = condition.tracker;
      part.zeroWhere = *holds ? part.zeroWhere : !part.zeroWhere;
      part.value = ReduceOp(element.maximum).getResult(0);
      part.tracker = std::move(result);
      part.test = Part::Test::isLowest;
      part.varies = !isInvariant(part.tracker, sum.reduce.getAxes());
      continue;
    }
    auto compare = condition.value.getDefiningOp<arith::CmpFOp>();
    if (!compare || compare.getLhs() != compare.getRhs())
      continue;
    arith::CmpFPredicate predicate = compare.getPredicate();
    bool isNaN = predicate == arith::CmpFPredicate::UNE || predicate == arith::CmpFPredicate::UNO;
    if (!isNaN && predicate != arith::CmpFPredicate::OEQ && predicate != arith::CmpFPredicate::ORD)
      continue;
    // If the maximum is finite, each f is between 0 and 1 and their sum l is at least 1, so f / l is a number. If not,
    // f is NaN for at least one x of the row, and so are l and each f / l.
    ShapeTracker tracker;
    if (ReduceOp rowSum = findRowSum(skipMovements(compare.getLhs(), condition.tracker), element, tracker)) {
      part.value = rowSum.getResult(0);
      part.tracker = std::move(tracker);
      part.zeroWhere = isNaN ? part.zeroWhere : !part.zeroWhere;
      part.test = Part::Test::isNaN;
      part.varies = !isInvariant(part.tracker, sum.reduce.getAxes());
    }
  }
}

} // namespace tiny::lazy
