// Replaces sums over index arithmetic by closed forms, and sums that select one element by views.
#include "Tiny/Transforms/Lazy/Passes.h"

#include "CollapseRemarks.h"
#include "IndexTensors.h"
#include "Intervals.h"
#include "OneHotLookup.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYCOLLAPSEREDUCE
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

/// Sums wrap, so a narrower result keeps the low bits.
Value castInteger(OpBuilder &builder, Location loc, Value value, RankedTensorType type) {
  unsigned from = cast<RankedTensorType>(value.getType()).getElementTypeBitWidth();
  unsigned to = type.getElementTypeBitWidth();
  if (from == to)
    return value;
  if (from > to)
    return arith::TruncIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

/// Whether a sum of floats may go through these integers. Those of short types must be exact, since they round and
/// overflow early; a wider sum of so many elements is rounded more often than a product.
bool fitsFloat(FloatType type, Expr integer) {
  int64_t limit = int64_t(1) << std::min(APFloat::semanticsPrecision(type.getFloatSemantics()), 62u);
  return type.getWidth() >= 32 || (-limit <= integer->low && integer->high <= limit);
}

/// Replaces a sum of floats by `count * factor`.
void replaceByProduct(ReduceOp reduce, Value count, const APFloat &factor, PatternRewriter &rewriter) {
  Location loc = reduce.getLoc();
  auto type = cast<RankedTensorType>(reduce.getResult(0).getType());
  Value converted = arith::SIToFPOp::create(rewriter, loc, type, count);
  Value scale = arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, factor));
  Value product = arith::MulFOp::create(rewriter, loc, converted, scale);
  if (factor.isNegative() && !arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::nsz)) {
    // The sum of nothing, or of negative zeros, is plus zero: -0 + 0 = 0.
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    product = arith::AddFOp::create(rewriter, loc, product, zero);
  }
  rewriter.replaceOp(reduce, product);
}

/// In the engine's units (division 8, multiplication 2, the rest 1): a few operations an element, against a loop.
constexpr int64_t kLargestCost = 64;

constexpr llvm::StringLiteral kNotReassociative = "a product would round otherwise than the sum (reassoc)";

/// Variables for the indices of what is summed, and which axis of the result those that stay belong to.
struct SumIndices {
  SumIndices(ExprContext &context, ReduceOp reduce) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInputs().front().getType()).getShape();
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      indices.push_back(context.leaf({0, extent - 1}));
      if (!llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis)))
        axisOf.try_emplace(indices.back().get(), axisOf.size());
    }
  }

  SmallVector<Expr> indices;
  llvm::DenseMap<const ExprNode *, int64_t> axisOf;
};

/// Replaces a sum by arithmetic on the result's indices, times a number; `factor` is null for one.
LogicalResult replaceByMultiple(ReduceOp reduce, Expr count, Attribute factor, const SumIndices &sum,
                                CollapseRemarks &remarks, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(reduce.getResult(0).getType());
  auto floatType = dyn_cast<FloatType>(type.getElementType());
  if (!count)
    return remarks.stays(rewriter, reduce, "its arithmetic on indices would cost too much");
  if (double cost = count.cost(); cost > kLargestCost)
    return remarks.stays(rewriter, reduce,
                         {"its arithmetic on indices would cost too much", "cost", cost, kLargestCost});
  if (floatType && !fitsFloat(floatType, count))
    return remarks.stays(rewriter, reduce, "it would be rounded before it is multiplied");
  Location loc = reduce.getLoc();
  Value counted = writeIndexTensor(rewriter, loc, count, type.getShape(), sum.axisOf);
  if (!counted)
    return rewriter.notifyMatchFailure(reduce, "its arithmetic on indices has no form on tensors");
  remarks.tellMade(reduce, "a sum of numbers that indices choose becomes arithmetic on indices");
  if (floatType) {
    replaceByProduct(reduce, counted, cast<FloatAttr>(factor).getValue(), rewriter);
    return success();
  }
  Value total = castInteger(rewriter, loc, counted, type);
  if (factor) {
    Value scale = arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, factor));
    total = arith::MulIOp::create(rewriter, loc, total, scale);
  }
  rewriter.replaceOp(reduce, total);
  return success();
}

/// A sum over a masked constant counts the unmasked elements: where the mask is an interval of each reduced axis, the
/// count is arithmetic on the result's indices. So an arange that is spelled as pad, expand and sum becomes one.
struct CollapseMaskedConstant : OpRewritePattern<ReduceOp> {
  CollapseMaskedConstant(MLIRContext *context, CollapseRemarks &remarks)
      : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    if (!isOneSum(reduce))
      return rewriter.notifyMatchFailure(reduce, "not one sum");
    auto view = reduce.getInputs().front().getDefiningOp<ViewOp>();
    DenseElementsAttr constant;
    if (!view || !matchPattern(view.getInput(), m_Constant(&constant)) || !constant.isSplat())
      return rewriter.notifyMatchFailure(reduce, "not a view of a splat");
    auto resultType = cast<RankedTensorType>(reduce.getResult(0).getType());
    auto inputType = cast<RankedTensorType>(view.getType());
    auto floatType = dyn_cast<FloatType>(resultType.getElementType());
    if (resultType.getNumElements() == 0 || inputType.getNumElements() == 0)
      return rewriter.notifyMatchFailure(reduce, "empty");
    if (floatType && (!arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::reassoc) ||
                      !constant.getSplatValue<APFloat>().isFinite()))
      return remarks.stays(rewriter, reduce, kNotReassociative);

    ExprContext context;
    SumIndices sum(context, reduce);
    Expr valid = view.getTracker().getTracker().toIndex(context, sum.indices).valid;
    if (!valid)
      return rewriter.notifyMatchFailure(reduce, "the mask overflows");
    Expr count = countPlaces(context, context.simplify(valid), sum.indices, inputType.getShape(), reduce.getAxes());
    if (!count)
      return remarks.stays(rewriter, reduce, "the mask is no interval of each summed axis");
    return replaceByMultiple(reduce, context.simplify(count), constant.getSplatValue<Attribute>(), sum, remarks,
                             rewriter);
  }

private:
  CollapseRemarks &remarks;
};

/// A sum over numbers that conditions on indices choose, `sum(j < i ? 1 : 0)`, is arithmetic on the result's indices,
/// where each condition is an interval of each reduced axis. So an arange or a triangle that is spelled by comparisons
/// becomes one. Of floats where they are such integers times a factor.
struct CollapseCondition : OpRewritePattern<ReduceOp> {
  CollapseCondition(MLIRContext *context, CollapseRemarks &remarks) : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    if (!isOneSum(reduce))
      return rewriter.notifyMatchFailure(reduce, "not one sum");
    auto resultType = cast<RankedTensorType>(reduce.getResult(0).getType());
    ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInputs().front().getType()).getShape();
    auto floatType = dyn_cast<FloatType>(resultType.getElementType());
    if (resultType.getNumElements() == 0 || llvm::is_contained(shape, 0))
      return rewriter.notifyMatchFailure(reduce, "empty");

    ExprContext context;
    SumIndices sum(context, reduce);
    std::optional<APFloat> factor;
    Expr element = floatType ? readFloat(context, reduce.getInputs().front(), sum.indices, factor)
                             : readIndexTensor(context, reduce.getInputs().front(), sum.indices);
    if (!element)
      return rewriter.notifyMatchFailure(reduce, "not a sum of numbers that indices choose");
    if (floatType && !arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::reassoc))
      return remarks.stays(rewriter, reduce, kNotReassociative);
    if (floatType && !fitsFloat(floatType, element))
      return remarks.stays(rewriter, reduce, "the elements would be rounded");
    Expr total = sumOver(context, element, sum.indices, shape, reduce.getAxes());
    if (!total)
      return remarks.stays(rewriter, reduce, "the conditions are no intervals of each summed axis");
    Attribute scale = floatType ? FloatAttr::get(floatType, *factor) : Attribute();
    return replaceByMultiple(reduce, context.simplify(total), scale, sum, remarks, rewriter);
  }

private:
  /// An integer in a float, times `factor`, which is finite; the integer is not negative or the factor is one.
  static Expr readFloat(ExprContext &context, Value value, ArrayRef<Expr> indices, std::optional<APFloat> &factor) {
    auto take = [&](Value constant) {
      DenseElementsAttr attr;
      if (!matchPattern(constant, m_Constant(&attr)) || !attr.isSplat())
        return false;
      auto number = attr.getSplatValue<APFloat>();
      factor = number;
      return number.isFinite();
    };
    Operation *op = value.getDefiningOp();
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      if (!isa<RankedTensorType>(select.getCondition().getType()))
        return {};
      Expr condition = readIndexTensor(context, select.getCondition(), indices);
      Value chosen = select.getTrueValue();
      if (condition && matchPattern(chosen, m_PosZeroFloat())) {
        condition = context.logicalNot(condition);
        chosen = select.getFalseValue();
      } else if (!matchPattern(select.getFalseValue(), m_PosZeroFloat())) {
        return {};
      }
      if (!condition || !take(chosen))
        return {};
      return context.select(condition, context.constant(1), context.constant(0));
    }
    if (!isa_and_present<arith::UIToFPOp, arith::SIToFPOp>(op))
      return {};
    factor = APFloat(cast<FloatType>(getElementTypeOrSelf(value)).getFloatSemantics(), 1);
    Expr integer = readIndexTensor(context, op->getOperand(0), indices);
    if (integer && integer->isCondition)
      integer = context.select(integer, context.constant(isa<arith::UIToFPOp>(op) ? 1 : -1), context.constant(0));
    return integer && (isa<arith::SIToFPOp>(op) || integer->low >= 0) ? integer : Expr();
  }

  /// The sum of `element` along `axes`, where that is linear in numbers that conditions choose and in what does not
  /// vary.
  static Expr sumOver(ExprContext &context, Expr element, ArrayRef<Expr> indices, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> axes) {
    if (element->isCondition)
      return {};
    int64_t places = 1;
    for (int64_t axis : axes)
      if (llvm::MulOverflow(places, shape[axis], places))
        return {};
    LinearForm form = context.linear(element), total;
    total.constant = form.constant * places;
    Expr sum = context.sum(total);
    auto add = [&](Expr term, LinearForm::Wide factor) {
      LinearForm scaled;
      if (term)
        scaled.add(context.linear(term), factor);
      term = term ? context.sum(scaled) : term;
      sum = sum && term ? context.add(sum, term) : Expr();
    };
    for (const LinearForm::Term &term : form.terms) {
      auto varies = [&](int64_t axis) { return Dependence(indices[axis])(term.atom); };
      if (!llvm::any_of(axes, varies)) {
        add(term.atom, term.coefficient * places);
        continue;
      }
      if (!term.atom.is(ExprKind::Select))
        return {};
      std::optional<int64_t> chosen = term.atom.operand(1).asConstant(), other = term.atom.operand(2).asConstant();
      if (!chosen || !other)
        return {};
      // The places where the condition holds, or where it does not, whichever is an interval.
      Expr condition = term.atom.operand(0);
      Expr count = countPlaces(context, condition, indices, shape, axes);
      if (!count) {
        condition = context.logicalNot(condition);
        count = condition ? countPlaces(context, context.simplify(condition), indices, shape, axes) : Expr();
        std::swap(chosen, other);
      }
      add(count, term.coefficient * (LinearForm::Wide(*chosen) - *other));
      add(context.constant(1), term.coefficient * LinearForm::Wide(*other) * places);
    }
    return sum;
  }

  CollapseRemarks &remarks;
};

/// A sum over select(condition, x, 0) where the condition pins a reduced axis to one index that the others determine
/// reads that element. So a look-up that is spelled as a one-hot mask and a sum becomes a view.
struct CollapseSelection : OpRewritePattern<ReduceOp> {
  CollapseSelection(MLIRContext *context, CollapseRemarks &remarks) : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    if (!isOneSum(reduce))
      return rewriter.notifyMatchFailure(reduce, "not one sum");
    auto select = reduce.getInputs().front().getDefiningOp<arith::SelectOp>();
    if (!select || !isa<RankedTensorType>(select.getCondition().getType()))
      return rewriter.notifyMatchFailure(reduce, "not a sum of a selection");
    bool isInverted = isZero(select.getTrueValue());
    if (!isInverted && !isZero(select.getFalseValue()))
      return rewriter.notifyMatchFailure(reduce, "what is not selected is not zero");
    Value chosen = isInverted ? select.getFalseValue() : select.getTrueValue();
    auto type = cast<RankedTensorType>(chosen.getType());
    if (type.getNumElements() == 0)
      return rewriter.notifyMatchFailure(reduce, "empty");

    ExprContext context;
    SmallVector<Expr> indices;
    for (int64_t extent : type.getShape())
      indices.push_back(context.leaf({0, extent - 1}));
    Expr condition = readIndexTensor(context, select.getCondition(), indices);
    if (condition && isInverted)
      condition = context.logicalNot(condition);
    if (condition)
      condition = context.simplify(condition);
    if (!condition)
      return rewriter.notifyMatchFailure(reduce, "the condition is not about indices only");
    if (condition.isFalse()) {
      remarks.tellMade(reduce, "a selection of nothing becomes zero");
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(reduce, rewriter.getZeroAttr(reduce.getResult(0).getType()));
      return success();
    }
    for (int64_t axis : reduce.getAxes()) {
      std::optional<View> view = pin(context, condition, indices, type.getShape(), axis);
      if (!view)
        continue;
      remarks.tellMade(reduce, "a selection of one element by its index becomes a view");
      replace(reduce, chosen, axis, *view, rewriter);
      return success();
    }
    return remarks.stays(rewriter, reduce, "the condition pins no summed axis to one element of a view");
  }

private:
  /// Positive zero: the sum of negative ones is another.
  static bool isZero(Value value) { return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()); }

  /// The view of a value of `shape`, without `axis`, of the only elements for which `condition` holds.
  static std::optional<View> pin(ExprContext &context, Expr condition, ArrayRef<Expr> indices, ArrayRef<int64_t> shape,
                                 unsigned axis) {
    Expr pinned = findOnlyIndex(context, condition, indices[axis], shape[axis]);
    if (!pinned)
      return std::nullopt;
    // Two conditions remain: the condition at that index, and that the index lies in the axis.
    Expr last = context.sub(context.constant(shape[axis] - 1), pinned);
    Expr first = context.nonNegative(pinned);
    Expr remaining = context.substitute(condition, {{indices[axis].get(), pinned}});
    if (!last || !first || !remaining || !(last = context.nonNegative(last)))
      return std::nullopt;
    remaining = context.logicalAnd(remaining, context.logicalAnd(first, last));
    remaining = remaining ? context.simplify(remaining) : remaining;
    std::optional<View> rows = View::contiguous(shape);
    if (!remaining || !rows)
      return std::nullopt;

    // The row-major position, affine in the other indices, and the interval of each in which it means anything.
    SmallVector<int64_t> rowMajor(shape.size(), 1), kept, strides;
    for (unsigned k = shape.size(); k-- > 1;)
      rowMajor[k - 1] = rowMajor[k] * shape[k];
    LinearForm form = context.linear(pinned);
    auto offset = form.constant * rowMajor[axis];
    SmallVector<MaskInterval> mask;
    for (unsigned k = 0; k < shape.size(); ++k) {
      if (k == axis)
        continue;
      auto stride = form.coefficientOf(indices[k]) * rowMajor[axis] + rowMajor[k];
      form.add(indices[k], -form.coefficientOf(indices[k]));
      std::optional<Interval> interval = solve(context, remaining, indices[k], shape[k]);
      if (!interval || !interval->begin.asConstant() || !interval->end.asConstant() || !isIndex(stride))
        return std::nullopt;
      int64_t begin = *interval->begin.asConstant(), end = *interval->end.asConstant();
      mask.push_back(begin < end ? MaskInterval{begin, end} : MaskInterval{0, 0});
      kept.push_back(shape[k]);
      strides.push_back(static_cast<int64_t>(stride));
      remaining = interval->outer;
    }
    if (!llvm::all_of(form.terms, [](const LinearForm::Term &term) { return term.coefficient == 0; }) ||
        !remaining.isTrue() || !isIndex(offset))
      return std::nullopt;
    return View::get(kept, strides, static_cast<int64_t>(offset), mask);
  }

  static bool isIndex(LinearForm::Wide value) { return value > -kIndexLimit && value < kIndexLimit; }

  /// The value that `condition` leaves to the variable, in the other variables; null if it leaves more than one.
  static Expr findOnlyIndex(ExprContext &context, Expr condition, Expr variable, int64_t extent) {
    for (Expr member : membersOf(condition)) {
      std::optional<Interval> interval = solve(context, member, variable, extent);
      if (!interval || !interval->outer.isTrue())
        continue;
      if (member.is(ExprKind::IsZero)) {
        LinearForm rest = context.linear(member.operand(0));
        auto factor = rest.coefficientOf(variable);
        rest.add(variable, -factor);
        Expr offset = context.sum(rest);
        return offset && factor == 1 ? context.neg(offset) : offset;
      }
    }
    // Inequalities may leave one index, too: i < 1.
    std::optional<Interval> interval = solve(context, condition, variable, extent);
    if (!interval)
      return {};
    Expr length = context.sub(interval->end, interval->begin);
    return length && length.asConstant() == 1 ? interval->begin : Expr();
  }

  static void replace(ReduceOp reduce, Value chosen, int64_t axis, const View &view, PatternRewriter &rewriter) {
    Location loc = reduce.getLoc();
    auto type = RankedTensorType::get(view.getShape(), cast<RankedTensorType>(chosen.getType()).getElementType());
    auto tracker = TrackerAttr::get(reduce.getContext(), ShapeTracker(view));
    Value result = ViewOp::create(rewriter, loc, type, chosen, tracker);
    replaceByElements(reduce, result, axis, rewriter);
  }

  CollapseRemarks &remarks;
};

struct CollapseReduce : impl::LazyCollapseReduceBase<CollapseReduce> {
  void runOnOperation() override {
    CollapseRemarks remarks;
    RewritePatternSet patterns(&getContext());
    patterns.add<CollapseMaskedConstant, CollapseCondition, CollapseSelection>(&getContext(), remarks);
    addOneHotPatterns(patterns, remarks);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), GreedyRewriteConfig().setListener(&remarks))))
      return signalPassFailure();
    remarks.tellMissed(getOperation());
  }
};

} // namespace
} // namespace tiny::lazy
