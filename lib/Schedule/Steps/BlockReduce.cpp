// (m, s) of a block in two steps: m = max x_j, then s = sum_j w_j g(m, x_j), instead of a correction for each element.
// That is what the combiner gives for (m, 0), (x_1, w_1), (x_2, w_2), ...: the first of them adds nothing, and after it
// the maximum never grows, so f is 1. M. Rabe and C. Staats, arXiv:2112.05682; T. Dao and others, arXiv:2205.14135.
#include "Tiny/Schedule/Steps/BlockReduce.h"

#include "RunningMaximum.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir;

namespace tiny::kernel {

/// The factor that a product has besides `value`; null where it is no such product.
static Value getOtherFactor(Value product, Value value) {
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return nullptr;
  return multiply.getLhs() == value ? multiply.getRhs() : multiply.getRhs() == value ? multiply.getLhs() : nullptr;
}

/// Whether `value` is 1 where such a comparison of the maxima holds, and depends on nothing else.
static bool isCorrection(Value value, function_ref<bool(arith::CmpFPredicate)> isPredicate, Value first, Value second) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || !isPredicate(compare.getPredicate()) || compare.getLhs() != first || compare.getRhs() != second ||
      !matchPattern(select.getTrueValue(), m_OneFloat()))
    return false;
  SmallVector<Value> pending{select.getFalseValue()};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (next == first || next == second || !seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op)
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

/// How the combiner corrects the sums of the element: g. Null where it is not of this form.
static Value findCorrection(ReduceOp reduce) {
  size_t count = reduce.getNumResults();
  if (reduce.getCombiner().empty() || count < 2)
    return nullptr;
  Block &combiner = reduce.getCombiner().front();
  OperandRange yielded = combiner.getTerminator()->getOperands();
  Value first = combiner.getArgument(0), second = combiner.getArgument(count);
  Operation *maximum = yielded.front().getDefiningOp();
  if (!isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(maximum) || maximum->getOperand(0) != first ||
      maximum->getOperand(1) != second)
    return nullptr;
  // With a maximum that propagates NaN, the comparisons may be unordered ones.
  using Predicate = arith::CmpFPredicate;
  bool passesNaN = isa<arith::MaximumFOp>(maximum);
  auto isFirst = [&](Predicate of) { return of == Predicate::OGE || (passesNaN && of == Predicate::UGE); };
  auto isSecond = [&](Predicate of) { return of == Predicate::OLE || (passesNaN && of == Predicate::ULE); };
  Value correction;
  for (size_t k = 1; k < count; ++k) {
    auto sum = yielded[k].getDefiningOp<arith::AddFOp>();
    Value f = sum ? getOtherFactor(sum.getLhs(), combiner.getArgument(k)) : nullptr;
    Value g = sum ? getOtherFactor(sum.getRhs(), combiner.getArgument(count + k)) : nullptr;
    if (!f || !g || (correction && correction != g) || !isCorrection(f, isFirst, first, second) ||
        !isCorrection(g, isSecond, first, second))
      return nullptr;
    correction = g;
  }
  return correction;
}

/// What the correction is for a maximum of 0 and an element of -inf, as far as folders know the operations.
static Attribute foldCorrectionOfNothing(ReduceOp reduce, Value correction) {
  Block &combiner = reduce.getCombiner().front();
  auto type = dyn_cast<FloatType>(reduce.getInputs().front().getType());
  if (!type)
    return nullptr;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  llvm::DenseMap<Value, Attribute> known;
  known[combiner.getArgument(0)] = FloatAttr::get(type, APFloat::getZero(semantics));
  known[combiner.getArgument(reduce.getNumResults())] =
      FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  for (Operation &op : combiner) {
    SmallVector<OpFoldResult> results;
    SmallVector<Attribute> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value value) { return known.lookup(value); });
    if (failed(op.fold(operands, results)))
      continue;
    for (auto [result, folded] : llvm::zip(op.getResults(), results))
      known[result] = isa<Attribute>(folded) ? cast<Attribute>(folded) : known.lookup(cast<Value>(folded));
  }
  return known.lookup(correction);
}

bool hasNeutralElement(ReduceOp reduce) {
  Value correction = findCorrection(reduce);
  auto folded = correction ? dyn_cast_or_null<FloatAttr>(foldCorrectionOfNothing(reduce, correction)) : FloatAttr();
  return folded && folded.getValue().isPosZero();
}

ReduceOp findMaximumReduce(RangeOp axis) {
  ReduceOp found;
  for (Operation *user : axis->getUsers())
    if (auto reduce = dyn_cast<ReduceOp>(user); reduce && llvm::is_contained(reduce.getRanges(), axis.getResult())) {
      if (found || !findCorrection(reduce))
        return nullptr;
      found = reduce;
    }
  return found;
}

static bool isCopies(RangeOp range) {
  return range.getKind() == AxisKind::Upcast || range.getKind() == AxisKind::Unroll;
}

static bool isOpen(const RangeSets &sets, Value value, RangeOp range) {
  return llvm::is_contained(sets.getOpen(value), sets.getPosition(range));
}

/// The axes of copies that an element's maximum varies over, `axis` last: the layout of tiles.
static SmallVector<RangeOp> findTile(const RangeSets &sets, Value element, RangeOp axis) {
  SmallVector<RangeOp> tile;
  for (unsigned position : sets.getOpen(element))
    if (RangeOp range = sets.getRanges()[position]; range != axis && isCopies(range))
      tile.push_back(range);
  llvm::sort(tile, [](RangeOp a, RangeOp b) { return a.getId() < b.getId(); });
  tile.push_back(axis);
  return tile;
}

std::string whyNotBlock(RangeOp axis) {
  ReduceOp reduce = findMaximumReduce(axis);
  if (!reduce)
    return llvm::formatv("axis {0} is not that of one reduction of a maximum and of sums relative to it", axis.getId());
  if (!reduce.mayReorder())
    return "the reduction's flags keep the order of its elements";
  if (!isCopies(axis))
    return llvm::formatv("axis {0} is of kind '{1}'; expected upcast or unroll", axis.getId(),
                         stringifyAxisKind(axis.getKind()));
  if (reduce.getRanges().size() < 2)
    return llvm::formatv("axis {0} is all that the reduction is over: there is one block", axis.getId());
  RangeSets sets(sortByDependence(*axis->getBlock()));
  Value element = reduce.getInputs().front();
  if (!isOpen(sets, element, axis))
    return llvm::formatv("the elements do not vary along axis {0}", axis.getId());
  __int128 points = 1;
  for (RangeOp range : findTile(sets, element, axis))
    if (points *= range.getExtent(); points >= (__int128(1) << 31))
      return "the tile would have 2^31 elements or more";
  return "";
}

/// Clones the factor by which the combiner multiplies an element's sums, for these maxima of accumulator and element.
static Value cloneCorrection(RewriterBase &rewriter, ReduceOp reduce, Value maximum, Value element) {
  Value correction = findCorrection(reduce);
  Block &combiner = reduce.getCombiner().front();
  IRMapping mapping;
  mapping.map(combiner.getArgument(0), maximum);
  mapping.map(combiner.getArgument(reduce.getNumResults()), element);
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  (void)getBackwardSlice(correction, &slice, options);
  for (Operation &op : combiner)
    if (slice.contains(&op))
      rewriter.clone(op, mapping);
  return mapping.lookup(correction);
}

/// A new axis as long as `axis`.
static RangeOp copyAxis(RewriterBase &rewriter, RangeOp axis, AxisKind kind) {
  int64_t id = getNextId(axis->getParentOfType<FuncOp>());
  return RangeOp::create(rewriter, axis.getLoc(), kind, id, axis.getExtent(),
                         rewriter.getI64IntegerAttr(axis.getLoopOrder()), axis.getSize());
}

/// Keeps the value in a tile; returns what is loaded from it.
static Value stage(RewriterBase &rewriter, Value value, ArrayRef<RangeOp> tile) {
  StageOp stage = stageValue(rewriter, value, tile, StageSpace::Register);
  return cast<LoadOp>(*stage.getTile().getUsers().begin()).getResult();
}

WeightFactors splitFactors(Value product, function_ref<bool(Value)> isNarrow) {
  SmallVector<Value> narrow, wide, pending{product};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    constexpr size_t maxFactors = 16;
    if (isNarrow(next))
      narrow.push_back(next);
    else if (auto multiply = next.getDefiningOp<arith::MulFOp>();
             multiply && narrow.size() + wide.size() + pending.size() < maxFactors)
      llvm::append_range(pending, multiply.getOperands());
    else
      wide.push_back(next);
  }
  return {std::move(narrow), std::move(wide)};
}

/// select(c, x * y, z) = select(c, x, z) * select(c, y, 0) for a zero z of any sign: what a padded axis has behind its
/// end stands beside each factor, so that these can be told apart.
static Value distributeSelect(RewriterBase &rewriter, Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto multiply = select ? select.getTrueValue().getDefiningOp<arith::MulFOp>() : nullptr;
  if (!multiply || !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return value;
  Location loc = select.getLoc();
  auto pick = [&](Value factor, Value zero) {
    return distributeSelect(rewriter,
                            arith::SelectOp::create(rewriter, loc, select.getCondition(), factor, zero).getResult());
  };
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(value.getType()));
  Value left = pick(multiply.getLhs(), select.getFalseValue()), right = pick(multiply.getRhs(), zero);
  return arith::MulFOp::create(rewriter, multiply.getLoc(), left, right, multiply.getFastmath());
}

bool mayBlockRunning(ReduceOp reduce) {
  Value correction = findCorrection(reduce);
  return correction && findRunningExponential(reduce, correction);
}

/// The axis that blocks follow each other along; null where there are several.
static RangeOp findBlocks(ReduceOp reduce, RangeOp axis) {
  OperandRange ranges = reduce.getRanges();
  if (ranges.size() != 2)
    return nullptr;
  auto blocks = ranges[ranges[0] == axis.getResult()].getDefiningOp<RangeOp>();
  return blocks.getKind() == AxisKind::Reduce ? blocks : nullptr;
}

/// Whether the weight is 1 wherever the element is not -inf by the same choice. An exponential relative to what may be
/// larger is 0 there whatever its weight.
static bool isUnitBeside(Value weight, Value element) {
  auto ofWeight = weight.getDefiningOp<arith::SelectOp>(), ofElement = element.getDefiningOp<arith::SelectOp>();
  APFloat least(0.0);
  return ofWeight && ofElement && ofWeight.getCondition() == ofElement.getCondition() &&
         matchPattern(ofElement.getFalseValue(), m_ConstantFloat(&least)) && least.isInfinity() && least.isNegative() &&
         matchPattern(ofWeight.getTrueValue(), m_OneFloat()) &&
         matchPattern(ofWeight.getFalseValue(), m_AnyZeroFloat());
}

ReduceOp blockReduce(RewriterBase &rewriter, RangeOp axis, bool isRunning) {
  ReduceOp reduce = findMaximumReduce(axis);
  Location loc = reduce.getLoc();
  RangeOp blocks = isRunning ? findBlocks(reduce, axis) : nullptr;
  std::optional<RunningExponential> running =
      blocks ? findRunningExponential(reduce, findCorrection(reduce)) : std::nullopt;
  rewriter.setInsertionPoint(reduce);
  for (size_t k = 1; k < reduce.getNumResults(); ++k) {
    Value weight = reduce.getInputs()[k];
    Value apart = running && isUnitBeside(weight, reduce.getInputs().front())
                      ? weight.getDefiningOp<arith::SelectOp>().getTrueValue()
                      : distributeSelect(rewriter, weight);
    if (apart == weight)
      continue;
    rewriter.modifyOpInPlace(reduce, [&] { reduce.getInputsMutable().slice(k, 1).assign(apart); });
    eraseDead(rewriter, weight.getDefiningOp());
  }
  arith::FastMathFlags fastmath = reduce.getFastmath();
  SmallVector<RangeOp> tile;
  SmallVector<bool> isWide(reduce.getNumResults());
  /// The factors of a wide weight that vary over no such copies: those of the element, in its tile.
  SmallVector<WeightFactors> factors(reduce.getNumResults());
  {
    // Weights that vary over copies which the maxima do not: sums over a loop, with lanes along what they vary over.
    RangeSets sets(sortByDependence(*axis->getBlock()));
    tile = findTile(sets, reduce.getInputs().front(), axis);
    auto isNarrow = [&](Value value) {
      return llvm::none_of(sets.getOpen(value), [&](unsigned position) {
        RangeOp range = sets.getRanges()[position];
        return isCopies(range) && !llvm::is_contained(tile, range);
      });
    };
    for (auto [k, weight] : llvm::enumerate(reduce.getInputs())) {
      isWide[k] = !isNarrow(weight);
      if (isWide[k])
        factors[k] = splitFactors(weight, isNarrow);
    }
  }
  Value original = reduce.getInputs().front();
  Value element = stage(rewriter, original, tile);
  eraseDead(rewriter, original.getDefiningOp());

  rewriter.setInsertionPoint(reduce);
  auto sumOver = [&](arith::AtomicRMWKind kind, Value value, RangeOp range) -> Value {
    return ReduceOp::create(rewriter, loc, TypeRange{value.getType()}, ValueRange{value}, ValueRange{},
                            ValueRange{range.getResult()}, arith::AtomicRMWKindAttr::get(rewriter.getContext(), kind),
                            /*associative=*/nullptr, /*commutative=*/nullptr,
                            arith::FastMathFlagsAttr::get(rewriter.getContext(), fastmath))
        .getResult(0);
  };
  bool skipsNaN = isa<arith::MaxNumFOp>(reduce.getCombiner().front().getTerminator()->getOperand(0).getDefiningOp());
  RangeOp ofMaximum = copyAxis(rewriter, axis, axis.getKind());
  Value maximum = sumOver(skipsNaN ? arith::AtomicRMWKind::maxnumf : arith::AtomicRMWKind::maximumf,
                          cloneAlong(rewriter, element, axis, ofMaximum), ofMaximum);
  if (running)
    maximum = ScanOp::create(rewriter, loc, maximum, blocks, arith::AtomicRMWKind::maximumf);
  Value factor = running ? createRunningExponential(rewriter, loc, *running, element, maximum)
                         : cloneCorrection(rewriter, reduce, maximum, element);
  RangeOp ofWide;
  if (llvm::is_contained(isWide, true)) {
    factor = stage(rewriter, factor, tile);
    rewriter.setInsertionPoint(reduce);
    ofWide = copyAxis(rewriter, axis, AxisKind::Reduce);
  }
  SmallVector<Value> parts{maximum};
  for (size_t k = 1; k < reduce.getNumResults(); ++k) {
    Value left = factor, right = reduce.getInputs()[k];
    RangeOp along = isWide[k] ? ofWide : axis;
    auto multiply = [&](Value a, Value b) -> Value { return arith::MulFOp::create(rewriter, loc, a, b, fastmath); };
    if (auto &[narrow, wide] = factors[k]; !narrow.empty()) {
      // f * (n * w) = (f * n) * w   [the sum allows `reassoc`]: once for a tile instead of once for each accumulator.
      left = stage(rewriter, std::accumulate(narrow.begin(), narrow.end(), left, multiply), tile);
      rewriter.setInsertionPoint(reduce);
      right = std::accumulate(wide.begin() + 1, wide.end(), wide.front(), multiply);
    }
    if (isWide[k]) {
      left = cloneAlong(rewriter, left, axis, along);
      right = cloneAlong(rewriter, right, axis, along);
    }
    Value product = matchPattern(right, m_OneFloat()) ? left : multiply(left, right);
    parts.push_back(sumOver(arith::AtomicRMWKind::addf, product, along));
  }
  rewriter.modifyOpInPlace(reduce, [&] {
    reduce.getInputsMutable().assign(parts);
    SmallVector<Value> ranges(reduce.getRanges());
    llvm::erase(ranges, axis.getResult());
    reduce.getRangesMutable().assign(ranges);
  });
  if (running)
    combineRunning(rewriter, reduce, *running);
  return reduce;
}

} // namespace tiny::kernel
