// lazy-split-reduce: a long reduction with few results becomes two.
#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Analysis/Lazy/ElementProduct.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Actions.h"
#include "Tiny/Support/HostTensor.h"
#include "Tiny/Support/ReductionIdentity.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/Lazy/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYSPLITREDUCE
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

/// Which regrouping a combiner allows.
enum class Regroup {
  never,
  inOrder,  ///< runs of neighbours may be combined first: the combiner is associative
  anyOrder, ///< it commutes besides
};

/// Whether combining in a tree gives the same, or `fastmath` allows what it gives. `init`, if there is one, then goes
/// in once for each part.
static Regroup classifyKind(arith::AtomicRMWKind kind, arith::FastMathFlags fastmath, Attribute init) {
  using Kind = arith::AtomicRMWKind;
  auto isIdentity = [&] {
    if (!init)
      return true;
    OpBuilder builder(init.getContext());
    Type type = cast<TypedAttr>(init).getType();
    return getReductionIdentity(kind, type, builder, builder.getUnknownLoc()) == init;
  };
  switch (kind) {
  case Kind::maximumf:
  case Kind::minimumf:
  case Kind::maxnumf:
  case Kind::minnumf:
  case Kind::maxs:
  case Kind::mins:
  case Kind::maxu:
  case Kind::minu:
  case Kind::andi:
  case Kind::ori:
    // A value that goes in twice changes nothing.
    return Regroup::anyOrder;
  case Kind::addi:
  case Kind::muli:
  case Kind::xori:
    return isIdentity() ? Regroup::anyOrder : Regroup::never;
  case Kind::addf:
  case Kind::mulf:
    return arith::bitEnumContainsAll(fastmath, arith::FastMathFlags::reassoc) && isIdentity() ? Regroup::anyOrder
                                                                                              : Regroup::never;
  default:
    return Regroup::never;
  }
}

/// The kind of a scalar operation.
static std::optional<arith::AtomicRMWKind> getKind(Operation *op) {
  using Kind = arith::AtomicRMWKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case([](arith::AddFOp) { return Kind::addf; })
      .Case([](arith::AddIOp) { return Kind::addi; })
      .Case([](arith::MulFOp) { return Kind::mulf; })
      .Case([](arith::MulIOp) { return Kind::muli; })
      .Case([](arith::MaximumFOp) { return Kind::maximumf; })
      .Case([](arith::MinimumFOp) { return Kind::minimumf; })
      .Case([](arith::MaxNumFOp) { return Kind::maxnumf; })
      .Case([](arith::MinNumFOp) { return Kind::minnumf; })
      .Case([](arith::MaxSIOp) { return Kind::maxs; })
      .Case([](arith::MinSIOp) { return Kind::mins; })
      .Case([](arith::MaxUIOp) { return Kind::maxu; })
      .Case([](arith::MinUIOp) { return Kind::minu; })
      .Case([](arith::AndIOp) { return Kind::andi; })
      .Case([](arith::OrIOp) { return Kind::ori; })
      .Default([](Operation *) { return std::nullopt; });
}

/// A region that combines each accumulator with its own element by a known operation, or that takes all accumulators or
/// all elements, whichever is strictly ahead in one comparison without NaN: the first of the best, as argmax does it.
static Regroup classifyRegion(ReduceOp reduce) {
  Block &body = reduce.getCombiner().front();
  Operation *yield = body.getTerminator();
  unsigned count = reduce.getNumResults();
  auto isPair = [&](ValueRange operands, unsigned k) {
    return operands[0] == body.getArgument(k) && operands[1] == body.getArgument(count + k);
  };
  auto isPairEitherWay = [&](ValueRange operands, unsigned k) {
    SmallVector<Value> swapped = {operands[1], operands[0]};
    return isPair(operands, k) || isPair(swapped, k);
  };
  bool isSeparate = true;
  for (unsigned k = 0; k < count && isSeparate; ++k) {
    Operation *op = yield->getOperand(k).getDefiningOp();
    auto kind = op ? getKind(op) : std::nullopt;
    isSeparate = kind && isPairEitherWay(op->getOperands(), k) &&
                 classifyKind(*kind, reduce.getFastmath(), reduce.getInitsAttr()[k]) == Regroup::anyOrder;
  }
  if (isSeparate)
    return Regroup::anyOrder;

  Value condition;
  for (unsigned k = 0; k < count; ++k) {
    auto select = yield->getOperand(k).getDefiningOp<arith::SelectOp>();
    if (!select || (condition && select.getCondition() != condition) ||
        select.getTrueValue() != body.getArgument(count + k) || select.getFalseValue() != body.getArgument(k))
      return Regroup::never;
    condition = select.getCondition();
  }
  Operation *compare = condition.getDefiningOp();
  if (!compare)
    return Regroup::never;
  auto comparesPair = [&] {
    return llvm::any_of(llvm::seq(0u, count), [&](unsigned k) { return isPairEitherWay(compare->getOperands(), k); });
  };
  if (auto integers = dyn_cast<arith::CmpIOp>(compare)) {
    using Predicate = arith::CmpIPredicate;
    bool isStrict =
        llvm::is_contained({Predicate::slt, Predicate::sgt, Predicate::ult, Predicate::ugt}, integers.getPredicate());
    return isStrict && comparesPair() ? Regroup::inOrder : Regroup::never;
  }
  if (auto floats = dyn_cast<arith::CmpFOp>(compare)) {
    using Predicate = arith::CmpFPredicate;
    bool isStrict = llvm::is_contained({Predicate::OLT, Predicate::OGT}, floats.getPredicate());
    bool noNan = arith::bitEnumContainsAll(floats.getFastmath(), arith::FastMathFlags::nnan);
    return isStrict && noNan && comparesPair() ? Regroup::inOrder : Regroup::never;
  }
  return Regroup::never;
}

static Regroup classify(ReduceOp reduce) {
  if (reduce.getKind())
    return classifyKind(*reduce.getKind(), reduce.getFastmath(), {});
  return classifyRegion(reduce);
}

/// Whether the reduction is a sum of products whose factors each repeat along an axis of the results: a workgroup reads
/// them once for many results, and does not share the reduction of one.
static bool isMatrixProduct(ReduceOp reduce) {
  Operation *product = reduce.getInputs().front().getDefiningOp();
  while (product && isMovement(product))
    product = product->getOperand(0).getDefiningOp();
  std::optional<SumOfProduct> of = product ? getSumOfProduct(product) : std::nullopt;
  return of && of->sum == reduce && llvm::all_of(product->getOperands(), [&](Value factor) {
           ShapeTracker view = viewThroughMovements(factor, of->view);
           return llvm::any_of(llvm::seq<int64_t>(0, view.shape().size()), [&](int64_t axis) {
             return view.shape()[axis] > 1 && !llvm::is_contained(reduce.getAxes(), axis) && isInvariant(view, axis);
           });
         });
}

struct SplitReduce : impl::LazySplitReduceBase<SplitReduce> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (minParts <= maxParts)
      return success();
    return emitError(UnknownLoc::get(context), "option 'min-parts': expected at most max-parts, ")
           << int64_t(maxParts) << ", got " << int64_t(minParts);
  }

  void runOnOperation() override {
    const cost::Machine &machine = target::findMachine(getOperation());
    wantedResults = parallelism > 0 ? int64_t(parallelism) : cost::getParallelism(machine);
    wantedOfProduct = machine.kind == cost::DeviceKind::Gpu ? machine.cores * machine.cycleLanes * kSumsOfLane : 0;
    SmallVector<ReduceOp> reduces;
    getOperation().walk([&](ReduceOp reduce) {
      if (!reduce->getParentOfType<GroupOp>())
        reduces.push_back(reduce);
    });
    for (ReduceOp reduce : reduces) {
      Remarks remarks("lazy-split-reduce", reduce);
      Split choice = findSplit(reduce);
      if (!choice.whyNot.empty()) {
        remarks.missed(reduce.getLoc(), "split", "stays whole: " + choice.whyNot.text, choice.whyNot.numbers);
        continue;
      }
      if (!mayHappen<LazyRewriteAction>(reduce, "split-reduce"))
        continue;
      remarks.passed(reduce.getLoc(), "split",
                     "axis " + Twine(choice.axis) + " goes into " + Twine(choice.parts) + " parts",
                     {{"axis", double(choice.axis)}, {"parts", double(choice.parts)}});
      split(reduce, choice.axis, choice.parts);
      ++splitReductions;
    }
  }

  /// The axis to split and into how many parts, or why that gains nothing or may not be.
  struct Split {
    Reason whyNot;
    int64_t axis = 0, parts = 1;
  };

  Split findSplit(ReduceOp reduce) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInputs().front().getType()).getShape();
    int64_t results = cast<RankedTensorType>(reduce.getResultTypes().front()).getNumElements();
    // The lowering refuses a space whose elements can't be counted.
    std::optional<int64_t> elements = countElements(shape);
    if (!elements)
      return {Reason("its elements can't be counted")};
    if (*elements == 0 || results == 0)
      return {Reason("it has no elements")};
    bool isProduct = wantedOfProduct > 0 && isMatrixProduct(reduce);
    int64_t wantedResults = isProduct ? wantedOfProduct : this->wantedResults;
    int64_t least = isProduct ? 2 * kLeastOfPart : int64_t(minElements);
    if (results >= wantedResults)
      return {Reason("its results fill the device (parallelism)", "results", results, wantedResults)};
    if (*elements / results < least)
      return {
          Reason("it combines few elements for each result (min-elements)", "elements", *elements / results, least)};
    Regroup regroup = classify(reduce);
    if (regroup == Regroup::never)
      return {Reason("its combiner may not be regrouped")};
    for (int64_t axis : reduce.getAxes()) {
      if (shape[axis] == 1)
        continue;
      // Enough parts to fill what is there, and not more.
      int64_t wanted = std::min<int64_t>(maxParts, llvm::divideCeil(wantedResults, results));
      if (isProduct)
        wanted = std::min(wanted, *elements / results / kLeastOfPart);
      int64_t fewest = isProduct ? 2 : std::min<int64_t>(minParts, wanted);
      if (int64_t parts = isProduct ? 0 : findEvenParts(shape[axis], wanted); parts > 1 && *elements / results > parts)
        return {Reason(), axis, parts};
      for (int64_t parts = std::min(wanted, shape[axis]); parts > 1 && parts >= fewest; --parts)
        if (shape[axis] % parts == 0 && *elements / results > parts)
          return {Reason(), axis, parts};
      // Only the parts of the outermost axis are runs of neighbours.
      if (regroup == Regroup::inOrder)
        break;
    }
    return {Reason("no fitting number of parts divides an axis (min-parts)",
                   {{"minParts", double(minParts)}, {"maxParts", double(maxParts)}})};
  }

  /// The fewest parts that divide the axis of those that so many threads share most evenly: as many as these or more,
  /// up to twice as many, or as min-parts. 0 where there are none.
  int64_t findEvenParts(int64_t extent, int64_t threads) const {
    int64_t best = 0, most = std::min<int64_t>({extent, maxParts, 2 * std::max<int64_t>(threads, minParts)});
    double least = 0;
    for (int64_t parts = threads; parts <= most; ++parts) {
      double uneven = double(llvm::alignTo(parts, threads)) / double(parts);
      if (extent % parts == 0 && (best == 0 || uneven < least)) {
        best = parts;
        least = uneven;
      }
    }
    return best;
  }

  void split(ReduceOp reduce, int64_t axis, int64_t parts) {
    OpBuilder builder(reduce);
    Location loc = reduce.getLoc();
    SmallVector<Value> inputs;
    SmallVector<int64_t> axes, partShape;
    SmallVector<int64_t> shape(cast<RankedTensorType>(reduce.getInputs().front().getType()).getShape());
    shape[axis] /= parts;
    shape.insert(shape.begin() + axis, parts);
    for (Value input : reduce.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType()).clone(shape);
      inputs.push_back(ReshapeOp::create(builder, loc, type, input));
    }
    for (int64_t old : reduce.getAxes())
      axes.push_back(old < axis ? old : old + 1);
    for (auto [k, size] : llvm::enumerate(shape))
      if (!llvm::is_contained(axes, int64_t(k)))
        partShape.push_back(size);
    // The axis of parts among the axes that are left.
    int64_t partAxis = axis - llvm::count_if(axes, [&](int64_t old) { return old < axis; });
    SmallVector<Type> types;
    for (Type type : reduce.getResultTypes())
      types.push_back(cast<RankedTensorType>(type).clone(partShape));

    auto create = [&](ArrayRef<Type> types, ArrayRef<Value> inputs, ArrayRef<int64_t> axes) {
      auto stage = cast<ReduceOp>(builder.clone(*reduce));
      stage->setOperands(inputs);
      stage.setAxes(axes);
      for (auto [result, type] : llvm::zip_equal(stage.getResults(), types))
        result.setType(cast<RankedTensorType>(type));
      return stage;
    };
    ReduceOp first = create(types, inputs, axes);
    // Lanes store results next to each other, so parts lie apart.
    SmallVector<int64_t> order{partAxis};
    for (int64_t k : llvm::seq<int64_t>(0, partShape.size()))
      if (k != partAxis)
        order.push_back(k);
    bool movesParts = wantedOfProduct > 0 && partAxis != 0;
    SmallVector<Value> stored;
    for (Value result : first.getResults()) {
      if (movesParts) {
        auto type = cast<RankedTensorType>(result.getType());
        SmallVector<int64_t> moved = llvm::map_to_vector(order, [&](int64_t k) { return type.getDimSize(k); });
        result = PermuteOp::create(builder, loc, type.clone(moved), result, order);
      }
      stored.push_back(ContiguousOp::create(builder, loc, result));
    }
    ReduceOp second = create(SmallVector<Type>(reduce.getResultTypes()), stored, {movesParts ? 0 : partAxis});
    reduce.replaceAllUsesWith(second.getResults());
    reduce.erase();
  }

private:
  /// Sums of a product that a lane computes side by side, and elements that each part combines at least.
  static constexpr int64_t kSumsOfLane = 8, kLeastOfPart = 512;

  /// So many results side by side need no split, and so many sums of a product of matrices on a GPU.
  int64_t wantedResults = 1, wantedOfProduct = 0;
};

} // namespace
} // namespace tiny::lazy
