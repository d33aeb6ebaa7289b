// Replaces a sum over a one-hot mask by a gather.
#include "OneHotLookup.h"

#include "IndexTensors.h"
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

RankedTensorType withoutAxis(RankedTensorType type, int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return type.clone(shape);
}

/// Elements of `value`, seen through `tracker`, then converted from integer to integer, the last conversion first.
struct Data {
  Value value;
  ShapeTracker tracker;
  SmallVector<Operation *, 2> casts = {};

  /// Goes on from a value to what movements and conversions make it of; fails where positions overflow.
  LogicalResult lookThrough(bool throughCasts) {
    while (Operation *op = value.getDefiningOp()) {
      if (isMovement(op)) {
        ShapeTracker inner = applyMovement(op, ShapeTracker::identity(tensorOf(op->getOperand(0)).getShape()));
        if (!inner || !(tracker = inner.compose(tracker)))
          return failure();
        tracker = tracker.simplify();
      } else if (throughCasts && isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
        casts.push_back(op);
      } else {
        break;
      }
      value = op->getOperand(0);
    }
    return success();
  }
  bool isMasked() const {
    return llvm::any_of(tracker.views(), [](const View &view) { return view.hasMask(); });
  }
};

Data makeData(Value value) { return {value, ShapeTracker::identity(tensorOf(value).getShape())}; }

/// Data is compared with the index along `axis`, plus `offset`.
struct Match {
  Data data;
  int64_t axis, offset;
};

/// What is chosen where a condition holds, with zero elsewhere.
struct Selection {
  Data condition;
  Value chosen;
};

/// sum(select(r == data, x, 0)) over r -> x at r = data, where data does not depend on r; the same for a product with
/// the condition as a number. What the data does not find counts zero, as what lies outside of the base.
struct CollapseLookup : OpRewritePattern<ReduceOp> {
  CollapseLookup(MLIRContext *context, CollapseRemarks &remarks) : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    if (!isOneSum(reduce))
      return rewriter.notifyMatchFailure(reduce, "not one sum");
    std::optional<Selection> selection = findSelection(reduce);
    if (!selection || tensorOf(selection->chosen).getNumElements() == 0)
      return rewriter.notifyMatchFailure(reduce, "not a sum of a selection");
    if (!isReadFromBuffer(selection->chosen))
      return remarks.stays(rewriter, reduce, "what is selected would be computed as a whole");
    std::optional<Match> match = findMatch(selection->condition, reduce.getAxes());
    ShapeTracker dropped = match ? dropAxis(match->data.tracker, match->axis) : ShapeTracker();
    if (!dropped)
      return remarks.stays(rewriter, reduce, "the condition compares no data with the index along a summed axis");
    remarks.tellMade(reduce, "a selection of one element by data becomes a gather");
    replace(reduce, selection->chosen, writeData(rewriter, match->data, dropped), *match, rewriter);
    return success();
  }

private:
  static bool isZero(Value value) { return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()); }

  static std::optional<Selection> findSelection(ReduceOp reduce) {
    Operation *op = reduce.getInputs().front().getDefiningOp();
    if (auto select = dyn_cast_if_present<arith::SelectOp>(op)) {
      if (isa<RankedTensorType>(select.getCondition().getType()) && isZero(select.getFalseValue()))
        return Selection{makeData(select.getCondition()), select.getTrueValue()};
      return std::nullopt;
    }
    // Beside zero an infinity or a NaN in what is not selected would count.
    using Flags = arith::FastMathFlags;
    bool isFinite = arith::bitEnumContainsAll(reduce.getFastmath(), Flags::nnan | Flags::ninf);
    if (!isa_and_present<arith::MulIOp>(op) && !(isa_and_present<arith::MulFOp>(op) && isFinite))
      return std::nullopt;
    for (unsigned k : {0u, 1u}) {
      Data number = makeData(op->getOperand(k));
      if (failed(number.lookThrough(/*throughCasts=*/false)))
        continue;
      Operation *cast = number.value.getDefiningOp();
      if (isa_and_present<arith::UIToFPOp, arith::ExtUIOp>(cast) &&
          tensorOf(cast->getOperand(0)).getElementType().isInteger(1)) {
        number.value = cast->getOperand(0);
        return Selection{number, op->getOperand(1 - k)};
      }
    }
    return std::nullopt;
  }

  /// A gather reads its base from a buffer: what is one, or a view of one, is. What is computed and seen through an
  /// expansion is small beside the sum.
  static bool isReadFromBuffer(Value value) {
    int64_t elements = tensorOf(value).getNumElements();
    while (Operation *op = value.getDefiningOp()) {
      if (!isMovement(op))
        break;
      value = op->getOperand(0);
    }
    Operation *origin = value.getDefiningOp();
    return !origin || isa<GroupOp, ContiguousOp, AssignOp, arith::ConstantOp>(origin) ||
           tensorOf(value).getNumElements() < elements;
  }

  static std::optional<Match> findMatch(Data condition, ArrayRef<int64_t> axes) {
    if (failed(condition.lookThrough(/*throughCasts=*/false)) || condition.isMasked())
      return std::nullopt;
    auto compare = condition.value.getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
        !isa<RankedTensorType>(compare.getLhs().getType()))
      return std::nullopt;
    for (auto [index, data] :
         {std::pair(compare.getLhs(), compare.getRhs()), std::pair(compare.getRhs(), compare.getLhs())}) {
      ExprContext context;
      SmallVector<Expr> indices;
      for (int64_t extent : condition.tracker.shape())
        indices.push_back(context.leaf({0, extent - 1}));
      SmallVector<Expr> inner =
          unravel(context, condition.tracker.toIndex(context, indices).index, tensorOf(index).getShape());
      Expr place = llvm::is_contained(inner, Expr()) ? Expr() : readIndexTensor(context, index, inner);
      Data read{data, condition.tracker};
      if (!place || failed(read.lookThrough(/*throughCasts=*/true)))
        continue;
      LinearForm form = context.linear(place);
      for (int64_t axis : axes)
        if (form.terms.size() == 1 && form.terms[0].atom == indices[axis] && form.terms[0].coefficient == 1)
          return Match{read, axis, int64_t(form.constant)};
    }
    return std::nullopt;
  }

  /// The tracker without an axis that neither its positions nor their validity depend on; invalid where they may.
  static ShapeTracker dropAxis(const ShapeTracker &tracker, int64_t axis) {
    return tracker.views().back().isAxisMasked(axis) ? ShapeTracker() : tracker.dropAxis(axis);
  }

  static Value writeData(PatternRewriter &rewriter, const Data &data, const ShapeTracker &tracker) {
    Location loc = data.value.getLoc();
    RankedTensorType type = tensorOf(data.value).clone(ArrayRef<int64_t>(tracker.shape()));
    Value result =
        rewriter.createOrFold<ViewOp>(loc, type, data.value, TrackerAttr::get(rewriter.getContext(), tracker));
    for (Operation *cast : llvm::reverse(data.casts)) {
      type = type.clone(tensorOf(cast->getResult(0)).getElementType());
      result = rewriter.create(cast->getLoc(), cast->getName().getIdentifier(), result, type, cast->getAttrs())
                   ->getResult(0);
    }
    return result;
  }

  static void replace(ReduceOp reduce, Value chosen, Value data, const Match &match, PatternRewriter &rewriter) {
    Location loc = reduce.getLoc();
    RankedTensorType type = withoutAxis(tensorOf(chosen), match.axis), indexType = tensorOf(data);
    if (match.offset != 0) {
      // The index plus the offset never wrapped, so that the place is the data less the offset, whatever wraps there.
      auto offset = rewriter.getIntegerAttr(indexType.getElementType(), match.offset);
      Value amount = arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(indexType, Attribute(offset)));
      data = arith::SubIOp::create(rewriter, loc, data, amount);
    }
    SmallVector<Value> indices;
    for (int64_t axis = 0, kept = 0; axis < tensorOf(chosen).getRank(); ++axis)
      indices.push_back(axis == match.axis
                            ? data
                            : IotaOp::create(rewriter, loc, type.clone(rewriter.getI64Type()), kept++).getResult());
    Value result = GatherOp::create(rewriter, loc, type, chosen, indices, /*outside=*/nullptr);
    replaceByElements(reduce, result, match.axis, rewriter);
  }

  CollapseRemarks &remarks;
};

} // namespace

bool isOneSum(ReduceOp reduce) {
  using Kind = arith::AtomicRMWKind;
  return (reduce.getKind() == Kind::addi || reduce.getKind() == Kind::addf) && reduce.getInputs().size() == 1;
}

void replaceByElements(ReduceOp reduce, Value elements, int64_t axis, PatternRewriter &rewriter) {
  Location loc = reduce.getLoc();
  bool keepsZeros = arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::nsz);
  if (isa<FloatType>(getElementTypeOrSelf(elements)) && !keepsZeros) {
    // The sum of a negative zero and others is positive.
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(elements.getType()));
    elements = arith::AddFOp::create(rewriter, loc, elements, zero);
  }
  SmallVector<int64_t> axes;
  for (int64_t other : reduce.getAxes())
    if (other != axis)
      axes.push_back(other - (other > axis));
  if (!axes.empty()) {
    auto rest = cast<ReduceOp>(rewriter.clone(*reduce));
    rest.getInputsMutable().assign(elements);
    rest.setAxes(axes);
    elements = rest.getResult(0);
  }
  rewriter.replaceOp(reduce, elements);
}

void addOneHotPatterns(RewritePatternSet &patterns, CollapseRemarks &remarks) {
  patterns.add<CollapseLookup>(patterns.getContext(), remarks);
}

} // namespace tiny::lazy
