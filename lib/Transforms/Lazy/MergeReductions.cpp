// lazy-merge-reductions: sums of what another reduction shifts, and that reduction, become one.
#include "Tiny/Transforms/Lazy/Passes.h"

#include "GuardedSum.h"
#include "OnlineCombiner.h"
#include "SoftmaxExtents.h"
#include "Tiny/Dialect/Lazy/Shapes.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Actions.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Remarks.h"
#include "UseSearch.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYMERGEREDUCTIONS
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

/// One shifted element with the sums over it: matched first, then rewritten.
class Merge {
public:
  Merge(ShiftedElement element, int64_t maxAccumulators, Positions &positions)
      : element(std::move(element)), maxAccumulators(maxAccumulators), positions(positions) {}

  void add(GuardedSum sum) { sums.push_back(std::move(sum)); }
  /// Why the reductions do not merge; empty where they do.
  Reason check();
  /// Why the reductions, which merge, stay apart all the same. Schedules for GPUs have blocks for a running maximum
  /// between products of matrices alone, and none where sizes are open.
  Reason whyApart(const cost::Machine &machine, bool isOpen) const;
  void rewrite();
  size_t size() const { return (element.maximum ? 1 : 0) + narrow.size() + wide.size(); }

private:
  /// Tells the sums over the indices of the element from those over more.
  void classify();
  Reason checkWide(const GuardedSum &sum);
  Reason checkParts(const GuardedSum &sum);
  Reason checkUses();
  /// Whether the device multiplies matrices both in front of the elements and behind them, with the elements as they
  /// are rounded.
  bool isOfMatrices(const cost::Machine &machine) const;
  /// Whether each element that `guard` of `sum` replaces is -inf, so that it decides no maximum.
  bool isMaskedAlike(const GuardedSum &sum, const Part &guard);
  /// Whether a sum over the row divides what is inside of `sum.parts[position]`.
  bool dividesByRowSum(const GuardedSum &sum, size_t position);
  /// Whether all that is read of a wide sum is divided by the row's sum.
  bool isDividedAfterwards(const GuardedSum &sum);
  /// Whether `user`, of a result that is replaced, is that result over the indices of the merged reduction.
  bool repeatsResult(Operation *user) {
    auto view = dyn_cast<ViewOp>(user);
    return view && view.getTracker().getTracker().simplify() == toResult;
  }
  bool comesBefore(Value value) {
    Operation *op = value.getDefiningOp();
    return !op || positions.isBefore(op, first);
  }

  void fuseLocations();
  /// The product of a sum's weights over the indices of the wide sums.
  Value buildWeight(OpBuilder &builder, const GuardedSum &sum, const ShapeTracker &toSum);
  /// `value`, or zero, as the condition of a guard over the indices of the wide sums says.
  Value guard(OpBuilder &builder, const Part &part, Value condition, Value value, Value zero);
  /// Where all that is merged comes from, in the order of the program.
  Location getLoc() const { return LocationAttr(merge); }

  /// Computes the original sum from the merged reduction's sum, with the factors and guards that left it.
  Value finish(OpBuilder &builder, const GuardedSum &sum, Value raw);
  /// `value` through `tracker`, computed from what the merged reduction gives instead of the reductions it replaces.
  Value lift(OpBuilder &builder, TrackedValue value, unsigned depth = 0);
  Value constantLike(OpBuilder &builder, Type type, double value);

  ShiftedElement element;
  int64_t maxAccumulators;
  Positions &positions;
  std::vector<GuardedSum> sums;
  /// Sums over the indices of the shifted element, and over more of them.
  SmallVector<GuardedSum *> narrow, wide;
  LocationAttr merge;                   ///< of all that is merged
  ReduceOp row;                         ///< what reduces a row: the maximum, or the sum of the elements
  Operation *first = nullptr;           ///< of the wide sums: the merged reduction stands there
  llvm::DenseSet<Operation *> replaced; ///< the maximum and the narrow sums
  /// From the results of the merged reduction to those of the reductions it replaces.
  ShapeTracker toResult;
  llvm::DenseMap<Operation *, Value> merged;
  /// Correct a sum relative to the maximum to the shift of the elements: added to it, or multiplied.
  Value addend, factor;
  /// By the guards that vary: whether they replace nothing in the row, as 0 or not.
  llvm::DenseMap<const Part *, Value> keepsSome;
};

void Merge::classify() {
  row = element.maximum;
  auto isOverElements = [&](const GuardedSum &sum) {
    return sum.element.isIdentity(shapeOf(element.function->getResult(0)));
  };
  if (!row)
    for (GuardedSum &sum : sums)
      if (!row && isOverElements(sum) && sum.parts.empty())
        row = sum.reduce;
  for (GuardedSum &sum : sums) {
    bool isNarrow = isOverElements(sum) && row && sum.reduce.getAxes() == row.getAxes();
    (isNarrow ? narrow : wide).push_back(&sum);
    resolveGuards(sum, element);
    // A constant is a weight as good as any.
    for (Part &part : sum.parts)
      part.varies |= isNarrow && part.kind != Part::Kind::guard && matchPattern(part.value, m_Constant());
  }
}

Reason Merge::checkWide(const GuardedSum &sum) {
  ReduceOp reduce = sum.reduce, firstWide = wide.front()->reduce;
  ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
  if (reduce.getInputs().front().getType() != firstWide.getInputs().front().getType() ||
      reduce.getAxes() != firstWide.getAxes() || sum.element != wide.front()->element)
    return "the sums run over different indices";
  // Each sum must run over what one maximum is of, each element once: all positions read one maximum, they differ, and
  // they are as many.
  ShapeTracker maximum = repeatResult(row).compose(sum.element), toX = element.toX.compose(sum.element);
  maximum = maximum ? maximum.simplify() : maximum;
  toX = toX ? toX.simplify() : toX;
  if (!maximum || !maximum.isUnmasked() || !isInvariant(maximum, reduce.getAxes()) || !sum.element.isUnmasked())
    return "a sum takes elements of several maxima";
  if (!toX || !toX.isUnmasked())
    return "a sum takes the last element of a row, which is none of x";
  SmallVector<int64_t> others;
  int64_t summed = 1, extremes = 1, repeats = 1;
  for (auto [k, extent] : llvm::enumerate(shape)) {
    auto axis = static_cast<int64_t>(k);
    if (llvm::is_contained(reduce.getAxes(), axis)) {
      summed *= extent;
      continue;
    }
    others.push_back(axis);
    if (isInvariant(sum.element, axis))
      repeats *= extent;
  }
  for (int64_t axis : row.getAxes())
    extremes *= shapeOf(element.function->getResult(0))[axis] - (element.last.value ? 1 : 0);
  ShapeTracker summedRow = dropAxes(sum.element, others);
  if (summed != extremes || !summedRow || summedRow.isInjective() != true)
    return {"a sum leaves elements of a maximum out", {{"summed", double(summed)}, {"compared", double(extremes)}}};
  if (repeats == 1)
    return "no sum is over more than the elements have";
  if (repeats > maxAccumulators)
    return {"there would be more accumulators than max-accumulators", "accumulators", repeats, maxAccumulators};
  toResult = dropAxes(maximum, reduce.getAxes());
  return {};
}

bool Merge::isMaskedAlike(const GuardedSum &sum, const Part &guard) {
  Value x = element.x;
  if (auto extend = x.getDefiningOp<arith::ExtFOp>())
    x = extend.getIn();
  auto select = x.getDefiningOp<arith::SelectOp>();
  if (!select || !isa<RankedTensorType>(select.getCondition().getType()) ||
      !matchPattern(guard.zeroWhere ? select.getTrueValue() : select.getFalseValue(), m_NegInfFloat()))
    return false;
  ShapeTracker toX = element.toX.compose(sum.element);
  if (!toX)
    return false;
  TrackedValue masks = skipMovements(select.getCondition(), toX), guards = skipMovements(guard.value, guard.tracker);
  return masks.value == guards.value && masks.tracker.simplify() == guards.tracker.simplify();
}

bool Merge::dividesByRowSum(const GuardedSum &sum, size_t position) {
  return llvm::any_of(ArrayRef<Part>(sum.parts).drop_front(position), [&](const Part &part) {
    return part.kind == Part::Kind::divisor && llvm::any_of(narrow, [&](const GuardedSum *of) {
             return of->parts.empty() && part.value == ReduceOp(of->reduce).getResult(0) &&
                    dropAxes(part.tracker, ReduceOp(sum.reduce).getAxes()) == toResult;
           });
  });
}

bool Merge::isDividedAfterwards(const GuardedSum &sum) {
  Value result = ReduceOp(sum.reduce).getResult(0);
  SmallVector<Value> pending{result};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      if (isMovement(user)) {
        pending.push_back(user->getResult(0));
        continue;
      }
      auto quotient = dyn_cast<arith::DivFOp>(user);
      if (!quotient)
        return false;
      ShapeTracker identity = ShapeTracker::identity(shapeOf(quotient));
      TrackedValue of = skipMovements(quotient.getLhs(), identity), by = skipMovements(quotient.getRhs(), identity);
      ShapeTracker expected = toResult.compose(of.tracker);
      if (of.value != result || by.value != row.getResult(0) || !expected ||
          expected.simplify() != by.tracker.simplify())
        return false;
    }
  return true;
}

Reason Merge::checkParts(const GuardedSum &sum) {
  bool isNarrow = llvm::is_contained(narrow, &sum);
  if (isNarrow && (sum.has(Part::Kind::factor, false) || sum.has(Part::Kind::divisor, false)))
    return "a narrow sum has a factor that would leave it";
  if (isNarrow && element.last.value && !sum.parts.empty())
    return "a narrow sum has a weight that the last element of its row has not";
  bool hasGuards = sum.has(Part::Kind::guard, false) || sum.has(Part::Kind::guard, true);
  if (hasGuards && (!element.maximum || element.maximum.getKind() != arith::AtomicRMWKind::maximumf))
    return "a selection needs a maximum that is NaN where an element is";
  if (isNarrow && sum.has(Part::Kind::guard, false))
    return "a narrow sum has a selection that would leave it";
  for (auto [k, part] : llvm::enumerate(sum.parts)) {
    if (part.kind != Part::Kind::guard)
      continue;
    // If a guard that the row shares selects zero, the sum is that of 0 * w, with the weights w outside the guard.
    if (!part.varies && llvm::any_of(ArrayRef<Part>(sum.parts).drop_front(k), [](const Part &inside) {
          return inside.varies && inside.kind != Part::Kind::guard;
        }))
      return "a selection has a weight inside of it";
    // A guard that varies along the row must select numbers exactly where the row's maximum is finite.
    if (part.varies && !isMaskedAlike(sum, part) && !(element.isPlain() && !isNarrow && dividesByRowSum(sum, k)))
      return "a selection leaves out what takes part in the maximum";
  }
  for (const Part &part : sum.parts) {
    if (!comesBefore(part.value))
      return "a weight comes too late";
    if (part.varies && dependsOn(part.value, replaced, positions))
      return "a weight depends on what is merged";
  }
  // Without a maximum the elements may be infinite: only the quotients by their sum are the same for them.
  if (!element.maximum && !isNarrow && !dividesByRowSum(sum, 0) && !isDividedAfterwards(sum))
    return "no maximum is subtracted, and a sum is not divided by that of the elements";
  return {};
}

Reason Merge::checkUses() {
  llvm::DenseSet<Operation *> ends(replaced), outer{element.function};
  for (const GuardedSum *sum : wide) {
    ends.insert(sum->reduce);
    outer.insert(sum->reduce);
  }
  if (!leadsOnlyTo(element.function->getResult(0), ends))
    return "the elements are used elsewhere";
  for (Operation *op : replaced)
    for (Operation *user : op->getUsers()) {
      // A view that repeats a result is replaced by the merged reduction's result.
      if (repeatsResult(user))
        continue;
      if (outer.contains(user))
        continue;
      if (!isPassedThrough(user, op) || !leadsOnlyTo(user->getResult(0), outer))
        return "a maximum or a narrow sum is used elsewhere";
    }
  return {};
}

Reason Merge::check() {
  classify();
  if (wide.empty() || !row)
    return "no sum is over more than the elements have";
  if (!isExpensive(element.x))
    return "the elements are cheap to read again";
  auto type = cast<FloatType>(getElementTypeOrSelf(element.x));
  if (!APFloat::semanticsHasInf(type.getFloatSemantics()))
    return "the type has no infinity for the maximum to start from";
  first = wide.front()->reduce;
  for (const GuardedSum *sum : wide)
    if (Operation *op = sum->reduce; positions.isBefore(op, first))
      first = op;
  if (element.maximum)
    replaced.insert(element.maximum);
  for (const GuardedSum *sum : narrow)
    replaced.insert(sum->reduce);
  if (!element.maximum && narrow.size() != 1)
    return "no maximum is subtracted, and there are several sums of a row";
  for (const GuardedSum *sum : wide)
    if (Reason why = checkWide(*sum); !why.empty())
      return why;
  for (const GuardedSum &sum : sums)
    if (Reason why = checkParts(sum); !why.empty())
      return why;
  if (!comesBefore(element.shift.value ? element.shift.value : element.x) ||
      (element.last.value && !comesBefore(element.last.value)))
    return "a weight comes too late";
  return checkUses();
}

/// The type that a factor of a product is widened from, if it is.
static Type findNarrowType(Value factor) {
  auto widened = skipMovements(factor, ShapeTracker::identity(cast<RankedTensorType>(factor.getType()).getShape()))
                     .value.getDefiningOp<arith::ExtFOp>();
  return widened ? getElementTypeOrSelf(widened.getIn()) : Type();
}

/// Whether the value is computed, element by element, from a sum of products of narrow factors.
static bool isNarrowProduct(Value value) {
  constexpr size_t kMostVisited = 32;
  SmallVector<Value> pending{value};
  for (size_t k = 0; k < pending.size() && k < kMostVisited; ++k) {
    Operation *op = pending[k].getDefiningOp();
    if (auto reduce = dyn_cast_or_null<ReduceOp>(op)) {
      auto product = reduce.getInputs().front().getDefiningOp<arith::MulFOp>();
      return reduce.getKind() == arith::AtomicRMWKind::addf && reduce.getAxes().size() == 1 && product &&
             findNarrowType(product.getLhs()) && findNarrowType(product.getLhs()) == findNarrowType(product.getRhs());
    }
    if (op && (isElementwise(op) || isa<ViewOp>(op)))
      llvm::append_range(pending, op->getOperands());
  }
  return false;
}

bool Merge::isOfMatrices(const cost::Machine &machine) const {
  if (wide.size() != 1 || !wide.front()->rounded || !isNarrowProduct(element.x))
    return false;
  const GuardedSum &sum = *wide.front();
  if (llvm::count_if(sum.parts, [](const Part &part) { return part.varies; }) != 1)
    return false;
  const Part &weight = *llvm::find_if(sum.parts, [](const Part &part) { return part.varies; });
  // Several rows share their keys, and of these there are more than one block.
  constexpr int64_t kLeast = 16;
  ReduceOp reduce = sum.reduce;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInputs().front().getType()).getShape(),
                    axes = reduce.getAxes();
  bool hasRows = llvm::any_of(llvm::seq<int64_t>(0, shape.size()), [&](int64_t axis) {
    return !llvm::is_contained(axes, axis) && shape[axis] >= kLeast && isInvariant(weight.tracker, axis) &&
           !isInvariant(sum.element, axis);
  });
  if (!hasRows || axes.size() != 1 || shape[axes.front()] <= kLeast)
    return false;
  // What lanes hold of a sum is a factor as deep as a sum is wide.
  std::optional<cost::ElementType> type = target::getElementType(sum.rounded);
  return weight.kind == Part::Kind::factor && findNarrowType(weight.value) == sum.rounded &&
         llvm::any_of(machine.matrices, [&](const cost::MatrixShape &shape) {
           return shape.m != 0 && shape.k == shape.n && shape.input == type;
         });
}

Reason Merge::whyApart(const cost::Machine &machine, bool isOpen) const {
  if (machine.kind == cost::DeviceKind::Gpu)
    return isOpen || !isOfMatrices(machine) ? "the device multiplies no matrices of these types" : Reason();
  return wide.size() != 1 ? Reason() : lazy::whyApart(element, *wide.front(), machine);
}

static Value multiply(OpBuilder &builder, Location loc, Value product, Value value, const Part &part) {
  if (part.kind == Part::Kind::divisor)
    return arith::DivFOp::create(builder, loc, product, value);
  return arith::MulFOp::create(builder, loc, product, value);
}

Value Merge::constantLike(OpBuilder &builder, Type type, double value) {
  auto scalar = builder.getFloatAttr(cast<RankedTensorType>(type).getElementType(), value);
  return arith::ConstantOp::create(builder, getLoc(),
                                   DenseElementsAttr::get(cast<RankedTensorType>(type), Attribute(scalar)));
}

Value Merge::guard(OpBuilder &builder, const Part &part, Value condition, Value value, Value zero) {
  return arith::SelectOp::create(builder, getLoc(), condition, part.zeroWhere ? zero : value,
                                 part.zeroWhere ? value : zero);
}

Value Merge::buildWeight(OpBuilder &builder, const GuardedSum &sum, const ShapeTracker &toSum) {
  Location loc = getLoc();
  auto type = RankedTensorType::get(toSum.shape(), getElementTypeOrSelf(element.x));
  auto view = [&](const Part &part) {
    return createView(builder, loc, {part.value, part.tracker.compose(toSum).simplify()});
  };
  Value product;
  auto orOne = [&] { return product ? product : constantLike(builder, type, 1); };
  for (const Part &part : llvm::reverse(sum.parts)) {
    if (!part.varies)
      continue;
    if (part.kind == Part::Kind::guard)
      product = guard(builder, part, view(part), orOne(), constantLike(builder, type, 0));
    else if (Value value = view(part); product || part.kind == Part::Kind::divisor)
      product = multiply(builder, loc, orOne(), value, part);
    else
      product = value;
  }
  return orOne();
}

Value Merge::lift(OpBuilder &builder, TrackedValue source, unsigned depth) {
  constexpr unsigned maxDepth = 16;
  source = skipMovements(source.value, source.tracker);
  Operation *op = source.value.getDefiningOp();
  if (Value value = merged.lookup(op); value && source.tracker == toResult)
    return value;
  if (!op || depth == maxDepth || !isElementwise(op) || !source.tracker.isUnmasked() ||
      !dependsOn(source.value, replaced, positions))
    return createView(builder, getLoc(), source);
  // An elementwise operation through a view is the operation on its operands through the view.
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lift(builder, {operand, source.tracker}, depth + 1));
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(RankedTensorType::get(source.tracker.shape(), cast<RankedTensorType>(type).getElementType()));
  Operation *lifted = builder.create(op->getLoc(), op->getName().getIdentifier(), operands, types, op->getAttrs());
  return lifted->getResult(cast<OpResult>(source.value).getResultNumber());
}

Value Merge::finish(OpBuilder &builder, const GuardedSum &sum, Value raw) {
  Location loc = getLoc();
  Value value = addend ? arith::AddFOp::create(builder, loc, raw, addend).getResult() : raw, coefficient = factor;
  auto scale = [&] {
    if (coefficient)
      value = arith::MulFOp::create(builder, loc, value, coefficient);
    coefficient = nullptr;
  };
  for (const Part &part : llvm::reverse(sum.parts)) {
    if (part.varies && part.kind != Part::Kind::guard)
      continue;
    if (part.kind != Part::Kind::guard) {
      // c * sum_j x_j for sum_j x_j * c   [c does not depend on j]
      Value other = lift(builder, {part.value, dropAxes(part.tracker, ReduceOp(sum.reduce).getAxes())});
      Value &product = coefficient ? coefficient : value;
      product = multiply(builder, loc, product, other, part);
      continue;
    }
    scale();
    // The weights are numbers where their sum is: what sum_j 0 * w_j is, raw - raw is, too.
    Value zero = arith::SubFOp::create(builder, loc, raw, raw), condition;
    if (part.varies) {
      Value some = keepsSome.lookup(&part);
      condition = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, some,
                                        constantLike(builder, some.getType(), 0));
      value = arith::SelectOp::create(builder, loc, condition, value, zero);
      continue;
    }
    condition = lift(builder, {part.value, dropAxes(part.tracker, ReduceOp(sum.reduce).getAxes())});
    if (part.test == Part::Test::isNaN)
      condition = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, condition, condition);
    else if (part.test == Part::Test::isLowest)
      condition = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, condition,
                                        constantLike(builder, condition.getType(), -INFINITY));
    value = guard(builder, part, condition, value, zero);
  }
  scale();
  return value;
}

void Merge::fuseLocations() {
  SmallVector<Operation *> ops(replaced.begin(), replaced.end());
  ops.push_back(element.function);
  for (const GuardedSum *sum : wide)
    ops.push_back(sum->reduce);
  llvm::sort(ops, [&](Operation *a, Operation *b) { return positions.isBefore(a, b); });
  SmallVector<Location> locations = llvm::map_to_vector(ops, [](Operation *op) { return op->getLoc(); });
  merge = FusedLoc::get(first->getContext(), locations);
}

void Merge::rewrite() {
  OpBuilder builder(first);
  fuseLocations();
  Location loc = getLoc();
  ReduceOp wideReduce = wide.front()->reduce;
  const ShapeTracker toElement = wide.front()->element, same = ShapeTracker::identity(toElement.shape());
  Value x = createView(builder, loc, {element.x, element.toX.compose(toElement).simplify()});
  SmallVector<Value> inputs{x};
  arith::FastMathFlags fastmath = wideReduce.getFastmath();
  for (const GuardedSum *sum : narrow)
    inputs.push_back(buildWeight(builder, *sum, toElement));
  for (const GuardedSum *sum : wide) {
    inputs.push_back(buildWeight(builder, *sum, same));
    fastmath = fastmath & ReduceOp(sum->reduce).getFastmath();
  }
  // For each guard that varies a sum that is 0 where it keeps nothing of a row, and is infinite or NaN where it does.
  SmallVector<const Part *> guards;
  for (GuardedSum *sum : llvm::concat<GuardedSum *>(narrow, wide)) {
    GuardedSum outer;
    outer.reduce = sum->reduce;
    for (const Part &part : sum->parts) {
      if (!part.varies || part.kind != Part::Kind::guard)
        continue;
      outer.parts.push_back(part);
      GuardedSum kept = outer;
      Part infinity{{constantLike(builder, sum->reduce.getInputs().front().getType(), INFINITY),
                     ShapeTracker::identity(shapeOf(sum->reduce.getInputs().front()))}};
      infinity.varies = true;
      kept.parts.push_back(infinity);
      inputs.push_back(buildWeight(builder, kept, llvm::is_contained(narrow, sum) ? toElement : same));
      guards.push_back(&part);
    }
  }
  if (!guards.empty())
    fastmath = fastmath & (arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
  // What was rounded on the way into its sum may be again.
  if (llvm::all_of(wide, [](const GuardedSum *sum) { return bool(sum->rounded); }))
    fastmath = fastmath | arith::FastMathFlags::afn;
  ReduceOp online = createOnlineReduce(builder, loc, element, inputs, wideReduce.getAxes(), fastmath);
  size_t nSums = narrow.size() + wide.size();
  for (auto [guard, some] : llvm::zip_equal(guards, online.getResults().drop_front(1 + nSums)))
    keepsSome[guard] = some;

  Value maximum = online.getResult(0), shift = maximum, last;
  if (element.last.value) {
    // The maximum is that of x and of the last element.
    last = createView(builder, loc, {element.last.value, element.last.tracker.compose(toResult).simplify()});
    Operation *both =
        builder.create(loc,
                       StringAttr::get(builder.getContext(), element.maximum.getKind() == arith::AtomicRMWKind::maxnumf
                                                                 ? arith::MaxNumFOp::getOperationName()
                                                                 : arith::MaximumFOp::getOperationName()),
                       {maximum, last}, maximum.getType());
    shift = both->getResult(0);
  }
  if (element.maximum)
    merged[element.maximum] = shift;
  if (element.shift.value)
    shift = lift(builder, {element.shift.value,
                           dropAxes(element.shift.tracker.compose(toElement).simplify(), wideReduce.getAxes())});
  if (element.isPlain()) {
    // If m is not finite, some x - m is NaN, and so is each sum. s + (m - m) restores that, and is s elsewhere.
    addend = arith::SubFOp::create(builder, loc, maximum, maximum);
  } else {
    // f(x, s) = f(x, m) * g(c * (m - s)), which is no number either where x - s is none for the largest x.
    Value difference = element.maximum ? arith::SubFOp::create(builder, loc, maximum, shift).getResult() : maximum;
    factor = createFunction(builder, loc, element, difference);
  }
  unsigned next = 1;
  for (const GuardedSum *sum : narrow) {
    Value value = finish(builder, *sum, online.getResult(next++));
    if (last) {
      Value difference = arith::SubFOp::create(builder, loc, last, shift);
      value = arith::AddFOp::create(builder, loc, value, createFunction(builder, loc, element, difference));
    }
    merged[sum->reduce] = value;
  }
  // Before the sums are replaced: what is lifted is read off the graph as it was.
  SmallVector<Value> results;
  for (const GuardedSum *sum : wide)
    results.push_back(finish(builder, *sum, online.getResult(next++)));
  positions.addInserted(first);
  for (auto [op, value] : merged)
    for (Operation *user : llvm::to_vector(op->getUsers()))
      if (user->getBlock() == first->getBlock() && positions.isBefore(first, user) && repeatsResult(user))
        user->getResult(0).replaceAllUsesWith(value);
  for (auto [sum, value] : llvm::zip_equal(wide, results))
    ReduceOp(sum->reduce).getResult(0).replaceAllUsesWith(value);
}

struct MergeReductions : impl::LazyMergeReductionsBase<MergeReductions> {
  using LazyMergeReductionsBase::LazyMergeReductionsBase;

  void runOnOperation() override {
    // Groups are decided already, and verify-lazy allows no other inner blocks.
    if (getOperation().getBody().hasOneBlock())
      mergeIn(getOperation().getBody().front());
  }

  void mergeIn(Block &block) {
    // Sums by the shifted elements among their factors, in the order of the block.
    llvm::MapVector<Operation *, SmallVector<ReduceOp>> sums;
    for (auto reduce : block.getOps<ReduceOp>()) {
      bool isSum = reduce.getKind() == arith::AtomicRMWKind::addf && reduce.getNumResults() == 1 &&
                   arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::reassoc);
      if (!isSum)
        continue;
      if (std::optional<GuardedSum> sum = matchGuardedSum(reduce))
        sums[sum->function].push_back(reduce);
    }
    Positions positions(block);
    auto module = getOperation()->getParentOfType<ModuleOp>();
    bool isOpen = module && isFamily(module);
    for (auto &[op, reduces] : sums) {
      // Merging an earlier element may have changed the operands of this one.
      std::optional<ShiftedElement> element = matchShiftedElement(op);
      if (!element)
        continue;
      Location loc = element->maximum ? element->maximum.getLoc() : op->getLoc();
      Merge merge(*element, maxAccumulators, positions);
      for (ReduceOp reduce : reduces)
        if (std::optional<GuardedSum> sum = matchGuardedSum(reduce); sum && sum->function == op)
          merge.add(std::move(*sum));
      Remarks remarks("lazy-merge-reductions", op);
      Reason why = merge.check();
      if (why.empty())
        why = merge.whyApart(target::findMachine(getOperation()), isOpen);
      if (!why.empty()) {
        remarks.missed(loc, "merge", "stay apart: " + why.text, why.numbers);
        continue;
      }
      if (!mayHappen<LazyRewriteAction>(op, "merge-reductions"))
        continue;
      remarks.passed(loc, "merge", Twine(merge.size()) + " reductions become one, relative to a running maximum",
                     {{"reductions", double(merge.size())}});
      merge.rewrite();
      mergedReductions += merge.size();
    }
    // Erase the replaced operations, and those that only they needed.
    if (!sums.empty())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  }
};

} // namespace
} // namespace tiny::lazy
