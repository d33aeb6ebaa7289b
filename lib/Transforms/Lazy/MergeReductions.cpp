// lazy-merge-reductions: sums of what another reduction shifts, and that reduction, become one.
#include "Tiny/Transforms/Lazy/Passes.h"

#include "ElementProduct.h"
#include "OnlineCombiner.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYMERGEREDUCTIONS
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// A sum of products, one factor of which is the shifted element.
struct Sum {
  ReduceOp reduce;
  ShapeTracker element;           ///< from the sum's indices to those of the shifted element
  std::vector<Factor> weights;    ///< the other factors that vary along the summed axes
  std::vector<Factor> invariants; ///< those that do not: they leave the sum
};

/// How far a search through a graph looks before it gives up.
constexpr unsigned kMaxVisited = 512;

/// Whether a search goes on through `user` of a value that stands in the same block.
bool isPassedThrough(Operation *user, Operation *definition) {
  return user->getBlock() == definition->getBlock() && (isElementwise(user) || isMovement(user));
}

/// Whether everything computed from `value`, by elementwise operations and views, ends in `ends`.
bool leadsOnlyTo(OpResult value, const llvm::DenseSet<Operation *> &ends) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  while (!stack.empty())
    for (Operation *user : stack.pop_back_val().getUsers()) {
      if (ends.contains(user) || !seen.insert(user).second)
        continue;
      if (!isPassedThrough(user, value.getOwner()) || seen.size() > kMaxVisited)
        return false;
      llvm::append_range(stack, user->getResults());
    }
  return true;
}

/// Where the operations of a block stand. MLIR's own numbers are made again for the whole block after an insertion.
class Positions {
public:
  explicit Positions(Block &block) {
    unsigned position = 0;
    for (Operation &op : block)
      positions[&op] = position += 2;
  }
  bool isBefore(Operation *a, Operation *b) const { return positions.lookup(a) < positions.lookup(b); }
  /// Numbers what was inserted right before `op`: all alike, between `op` and what stood there.
  void addInserted(Operation *op) {
    unsigned position = positions.lookup(op) - 1;
    while ((op = op->getPrevNode()) && positions.try_emplace(op, position).second) {
    }
  }

private:
  llvm::DenseMap<Operation *, unsigned> positions;
};

/// Whether one of `sources` takes part in `value`; true also where the search is too long.
bool dependsOn(Value value, const llvm::DenseSet<Operation *> &sources, const Positions &positions) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  Operation *first = *sources.begin();
  for (Operation *source : sources)
    first = positions.isBefore(source, first) ? source : first;
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || positions.isBefore(op, first) || !seen.insert(op).second)
      continue;
    if (sources.contains(op) || seen.size() > kMaxVisited)
      return true;
    llvm::append_range(stack, op->getOperands());
  }
  return false;
}

/// Whether `value` is computed from a reduction without a buffer between: to have it twice, one would run it twice.
bool isExpensive(Value value) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second || seen.size() > kMaxVisited)
      continue;
    if (isa<ReduceOp>(op))
      return true;
    if (isElementwise(op) || isMovement(op))
      llvm::append_range(stack, op->getOperands());
  }
  return false;
}

/// Whether all that is read of `value`, through views, is rounded to at most the precision of `type`.
bool isRoundedTo(Value value, Type type) {
  auto precisionOf = [](Type type) {
    return APFloat::semanticsPrecision(cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics());
  };
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  while (!stack.empty())
    for (Operation *user : stack.pop_back_val().getUsers()) {
      if (auto truncate = dyn_cast<arith::TruncFOp>(user);
          truncate && precisionOf(truncate.getType()) <= precisionOf(type))
        continue;
      if (!isMovement(user) || seen.size() > kMaxVisited)
        return false;
      if (seen.insert(user).second)
        llvm::append_range(stack, user->getResults());
    }
  return true;
}

/// The factors of a sum's elements. Shifted elements are between 0 and 1, and so are softmax's quotients of them: where
/// they are rounded to a narrower type and back on their way into a sum that is rounded like this itself, they go on as
/// they were.
std::vector<Factor> splitElements(ReduceOp sum) {
  std::vector<Factor> factors;
  for (Factor &factor : splitProduct(sum.getInputs().front())) {
    auto extend = factor.value.getDefiningOp<arith::ExtFOp>();
    TrackedValue rounded;
    if (extend && !factor.divides)
      rounded = skipMovements(extend.getIn(), factor.tracker);
    auto truncate = rounded.value ? rounded.value.getDefiningOp<arith::TruncFOp>() : nullptr;
    std::vector<Factor> parts;
    if (truncate && getElementTypeOrSelf(truncate.getIn()) == getElementTypeOrSelf(extend) &&
        isRoundedTo(sum.getResult(0), truncate.getType()))
      parts = splitProduct(truncate.getIn());
    if (llvm::none_of(parts, [](const Factor &part) {
          return !part.divides && matchShiftedElement(part.value.getDefiningOp());
        })) {
      factors.push_back(std::move(factor));
      continue;
    }
    for (Factor &part : parts) {
      part.tracker = part.tracker.compose(rounded.tracker);
      part.tracker = part.tracker ? part.tracker.simplify() : part.tracker;
      factors.push_back(std::move(part));
    }
  }
  return factors;
}

/// One shifted element with the sums over it: matched first, then rewritten.
class Merge {
public:
  Merge(ShiftedElement element, int64_t maxAccumulators, Positions &positions)
      : element(element), maxAccumulators(maxAccumulators), positions(positions) {}

  void add(ReduceOp reduce);
  /// Why the reductions do not merge; empty where they do.
  StringRef check();
  void rewrite();
  size_t size() const { return 1 + narrow.size() + wide.size(); }

private:
  StringRef checkWide(const Sum &sum);
  bool comesBefore(const Factor &factor) {
    Operation *op = factor.value.getDefiningOp();
    return !op || positions.isBefore(op, first);
  }
  /// Whether `user`, of a result that is replaced, is that result over the indices of the merged reduction.
  bool repeatsResult(Operation *user) {
    auto view = dyn_cast<ViewOp>(user);
    return view && view.getTracker().getTracker().simplify() == toResult;
  }
  /// The product of a sum's weights over the indices of the wide sums.
  Value buildWeight(OpBuilder &builder, const Sum &sum, const ShapeTracker &toSum);
  /// `value` through `tracker`, computed from what the merged reduction gives instead of the reductions it replaces.
  Value lift(OpBuilder &builder, TrackedValue value, unsigned depth);

  ShiftedElement element;
  int64_t maxAccumulators;
  Positions &positions;
  /// Sums over the indices of the shifted element, and over more of them.
  std::vector<Sum> narrow, wide;
  Operation *first = nullptr;           ///< of the wide sums: the merged reduction stands there
  llvm::DenseSet<Operation *> replaced; ///< the maximum and the narrow sums
  /// From the results of the merged reduction to those of the reductions it replaces.
  ShapeTracker toResult;
  llvm::DenseMap<Operation *, Value> merged;
};

void Merge::add(ReduceOp reduce) {
  Sum sum{reduce, {}, {}, {}};
  for (Factor &factor : splitElements(reduce)) {
    if (!sum.element && !factor.divides && factor.value.getDefiningOp() == element.function)
      sum.element = std::move(factor.tracker);
    // sum_j x_j * c = c * sum_j x_j   [c does not depend on j]
    else if (isInvariant(factor.tracker, reduce.getAxes()))
      sum.invariants.push_back(std::move(factor));
    else
      sum.weights.push_back(std::move(factor));
  }
  if (!sum.element)
    return;
  bool isNarrow = sum.element.isIdentity(shapeOf(element.x)) && reduce.getAxes() == element.maximum.getAxes();
  (isNarrow ? narrow : wide).push_back(std::move(sum));
}

StringRef Merge::checkWide(const Sum &sum) {
  ReduceOp reduce = sum.reduce;
  ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
  if (reduce.getInputs().front().getType() != wide.front().reduce.getInputs().front().getType() ||
      reduce.getAxes() != wide.front().reduce.getAxes() || sum.element != wide.front().element)
    return "the sums run over different indices";
  // Each sum must run over what one maximum is of, each element once: all positions read one maximum, they differ, and
  // they are as many.
  ShapeTracker maximum = repeatResult(element.maximum).compose(sum.element);
  maximum = maximum ? maximum.simplify() : maximum;
  if (!maximum || !maximum.isUnmasked() || !isInvariant(maximum, reduce.getAxes()) || !sum.element.isUnmasked())
    return "a sum takes elements of several maxima";
  SmallVector<int64_t> others, extra;
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
  for (int64_t axis : element.maximum.getAxes())
    extremes *= shapeOf(element.x)[axis];
  ShapeTracker row = dropAxes(sum.element, others);
  if (summed != extremes || !row || row.isInjective() != true)
    return "a sum leaves elements of a maximum out";
  if (repeats == 1)
    return "no sum is over more than the elements have";
  if (repeats > maxAccumulators)
    return "there would be more accumulators than max-accumulators";
  toResult = dropAxes(maximum, reduce.getAxes());
  return {};
}

StringRef Merge::check() {
  if (wide.empty())
    return "no sum is over more than the elements have";
  if (!isExpensive(element.x))
    return "the elements are cheap to read again";
  auto type = cast<FloatType>(getElementTypeOrSelf(element.x));
  if (!APFloat::semanticsHasInf(type.getFloatSemantics()))
    return "the type has no infinity for the maximum to start from";
  first = wide.front().reduce;
  for (const Sum &sum : wide)
    if (Operation *op = sum.reduce; positions.isBefore(op, first))
      first = op;
  replaced = {element.maximum};
  llvm::DenseSet<Operation *> ends{element.maximum}, outer{element.function};
  for (const Sum &sum : narrow) {
    if (!sum.invariants.empty())
      return "a narrow sum has a factor that would leave it";
    replaced.insert(sum.reduce);
    ends.insert(sum.reduce);
  }
  for (const Sum &sum : wide) {
    if (StringRef why = checkWide(sum); !why.empty())
      return why;
    ends.insert(sum.reduce);
    outer.insert(sum.reduce);
  }
  for (const Sum &sum : llvm::concat<const Sum>(narrow, wide)) {
    for (const Factor &factor : llvm::concat<const Factor>(sum.weights, sum.invariants))
      if (!comesBefore(factor))
        return "a weight comes too late";
    for (const Factor &factor : sum.weights)
      if (dependsOn(factor.value, replaced, positions))
        return "a weight depends on what is merged";
  }
  if (!leadsOnlyTo(element.function->getResult(0), ends))
    return "the elements are used elsewhere";
  for (Operation *op : replaced)
    for (Operation *user : op->getUsers()) {
      // What repeats a result over the indices of the merged reduction is replaced by it.
      if (repeatsResult(user))
        continue;
      if (outer.contains(user))
        continue;
      if (!isPassedThrough(user, op) || !leadsOnlyTo(user->getResult(0), outer))
        return "a maximum or a narrow sum is used elsewhere";
    }
  return {};
}

static Value multiply(OpBuilder &builder, Location loc, Value product, Value value, const Factor &factor) {
  if (factor.divides)
    return arith::DivFOp::create(builder, loc, product, value);
  return arith::MulFOp::create(builder, loc, product, value);
}

Value Merge::buildWeight(OpBuilder &builder, const Sum &sum, const ShapeTracker &toSum) {
  Location loc = ReduceOp(sum.reduce).getLoc();
  auto elementType = cast<RankedTensorType>(element.x.getType()).getElementType();
  auto type = RankedTensorType::get(toSum.shape(), elementType);
  Value product;
  auto one = [&]() -> Value {
    auto ones = DenseElementsAttr::get(type, Attribute(builder.getFloatAttr(elementType, 1)));
    return arith::ConstantOp::create(builder, loc, ones);
  };
  for (const Factor &factor : sum.weights) {
    Value value = createView(builder, loc, {factor.value, factor.tracker.compose(toSum).simplify()});
    product = product || factor.divides ? multiply(builder, loc, product ? product : one(), value, factor) : value;
  }
  return product ? product : one();
}

Value Merge::lift(OpBuilder &builder, TrackedValue source, unsigned depth) {
  constexpr unsigned maxDepth = 16;
  source = skipMovements(source.value, source.tracker);
  Operation *op = source.value.getDefiningOp();
  if (Value value = merged.lookup(op); value && source.tracker == toResult)
    return value;
  if (!op || depth == maxDepth || !isElementwise(op) || !source.tracker.isUnmasked() ||
      !dependsOn(source.value, replaced, positions))
    return createView(builder, first->getLoc(), source);
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

void Merge::rewrite() {
  OpBuilder builder(first);
  Location loc = first->getLoc();
  const ShapeTracker toElement = wide.front().element;
  ReduceOp wideReduce = wide.front().reduce;
  SmallVector<Value> inputs{createView(builder, loc, {element.x, toElement})};
  for (const Sum &sum : narrow)
    inputs.push_back(buildWeight(builder, sum, toElement));
  ShapeTracker same = ShapeTracker::identity(toElement.shape());
  arith::FastMathFlags fastmath = wideReduce.getFastmath();
  for (const Sum &sum : wide) {
    inputs.push_back(buildWeight(builder, sum, same));
    fastmath = fastmath & ReduceOp(sum.reduce).getFastmath();
  }
  ReduceOp online = createOnlineReduce(builder, loc, element, inputs, wideReduce.getAxes(), fastmath);
  Value maximum = online.getResult(0);
  merged[element.maximum] = maximum;
  // Where m is not finite some x - m is no number, and with it each sum: s + (m - m) is that again, and s elsewhere.
  Value zero = arith::SubFOp::create(builder, loc, maximum, maximum);
  unsigned next = 1;
  auto takeResult = [&]() -> Value { return arith::AddFOp::create(builder, loc, online.getResult(next++), zero); };
  for (const Sum &sum : narrow)
    merged[sum.reduce] = takeResult();
  // Before the sums are replaced: what is lifted is read off the graph as it was.
  SmallVector<Value> results;
  for (const Sum &sum : wide) {
    Value value = takeResult();
    for (const Factor &factor : sum.invariants) {
      Value other = lift(builder, {factor.value, dropAxes(factor.tracker, wideReduce.getAxes())}, 0);
      value = multiply(builder, loc, value, other, factor);
    }
    results.push_back(value);
  }
  positions.addInserted(first);
  for (auto [op, value] : merged)
    for (Operation *user : llvm::to_vector(op->getUsers()))
      if (user->getBlock() == first->getBlock() && positions.isBefore(first, user) && repeatsResult(user))
        user->getResult(0).replaceAllUsesWith(value);
  for (auto [sum, value] : llvm::zip_equal(wide, results))
    ReduceOp(sum.reduce).getResult(0).replaceAllUsesWith(value);
}

struct MergeReductions : impl::LazyMergeReductionsBase<MergeReductions> {
  using LazyMergeReductionsBase::LazyMergeReductionsBase;

  void runOnOperation() override {
    // What stands in groups is decided; verify-lazy allows no other block.
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
      for (const Factor &factor : splitElements(reduce))
        if (Operation *op = factor.value.getDefiningOp(); !factor.divides && matchShiftedElement(op)) {
          sums[op].push_back(reduce);
          break;
        }
    }
    Positions positions(block);
    for (auto &[op, reduces] : sums) {
      // What was merged before may have changed what this reads.
      std::optional<ShiftedElement> element = matchShiftedElement(op);
      if (!element)
        continue;
      Merge merge(*element, maxAccumulators, positions);
      for (ReduceOp reduce : reduces)
        merge.add(reduce);
      auto opts = remark::RemarkOpts::name("merge");
      opts = opts.category("lazy-merge-reductions").function(getOperation().getName());
      if (StringRef why = merge.check(); !why.empty()) {
        remark::missed(element->maximum.getLoc(), opts) << ("stay apart: " + why).str();
        continue;
      }
      remark::passed(element->maximum.getLoc(), opts)
          << (Twine(merge.size()) + " reductions become one, relative to a running maximum").str();
      merge.rewrite();
      mergedReductions += merge.size();
    }
    // What the merged reductions replace, and what only it needed.
    if (!sums.empty())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  }
};

} // namespace
} // namespace tiny::lazy
