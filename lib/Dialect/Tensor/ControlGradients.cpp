// The reverse mode of bodies: a branch whose bodies give gradients, and a loop that goes back.
//
// A body is computed again where its gradients are: what it takes is watched there, and one `tiny.gradient` of its
// results, each times its own gradient, is left for `tensor-expand-gradients` to expand. A loop keeps as rows what it
// carried into each iteration, and products, which cost more to compute again than to read.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tiny::tensor;

namespace {

using Values = SmallVector<Value>;

bool isFloats(Value value) { return isa<FloatType>(TensorBuilder::getElement(value)); }

/// A copy of a body, computed again, whose gradients are asked for.
class Again {
public:
  Again(TensorBuilder &build, Block &body) : build(build), body(body) {}

  void map(Value from, Value to) { mapping.map(from, to); }

  /// Puts a value in the place of one that the body reads, with respect to which there is a gradient.
  void watch(Value from, Value to) {
    targets.push_back(WatchOp::create(build.getBuilder(), build.getLoc(), to));
    mapping.map(from, targets.back());
  }

  /// Reads a result of the body where it is kept.
  void keep(Value result, Value kept) { known[result] = kept; }

  /// The gradients of what is watched, where `seeds` (null where there is none) are those of what the body yields.
  Values differentiate(ArrayRef<Value> seeds) {
    OpBuilder &builder = build.getBuilder();
    for (Operation &op : body.without_terminator())
      // What is watched is there already.
      if (!llvm::all_of(op.getResults(), [&](Value result) { return mapping.contains(result); })) {
        builder.clone(op, mapping);
        for (Value result : op.getResults())
          if (Value kept = known.lookup(result))
            mapping.map(result, WatchOp::create(builder, build.getLoc(), mapping.lookup(result), kept).getResult());
      }
    Value loss;
    for (auto [yielded, seed] : llvm::zip_equal(body.getTerminator()->getOperands(), seeds)) {
      if (!seed)
        continue;
      Value product = build.mul(mapping.lookupOrDefault(yielded), seed);
      auto axes = llvm::to_vector(llvm::seq<int64_t>(0, TensorBuilder::getShape(product).size()));
      Value part = axes.empty() ? product : build.sum(product, axes);
      // Parts may be of different float types.
      part = build.cast(part, builder.getF64Type());
      loss = loss ? build.add(loss, part) : part;
    }
    if (targets.empty())
      return {};
    if (!loss)
      return llvm::map_to_vector(targets, [&](Value target) { return build.like(target, 0); });
    auto gradient =
        GradientOp::create(builder, build.getLoc(), TypeRange(ValueRange(targets)), loss, /*seed=*/Value(), targets);
    return Values(gradient.getResults());
  }

private:
  TensorBuilder &build;
  Block &body;
  IRMapping mapping;
  Values targets;
  llvm::DenseMap<Value, Value> known;
};

} // namespace

FailureOr<SmallVector<Value>> IfOp::differentiateValues(TensorBuilder &build, ArrayRef<Value> gradients,
                                                        ArrayRef<Value> values) {
  OpBuilder &builder = build.getBuilder();
  auto branch = IfOp::create(builder, build.getLoc(), TypeRange(ValueRange(values)), getCondition());
  for (auto [body, target] : {std::pair(&getBody(), &branch.getBody()), {&getOtherwise(), &branch.getOtherwise()}}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&target->emplaceBlock());
    Again again(build, body->front());
    for (Value value : values)
      again.watch(value, value);
    YieldOp::create(builder, build.getLoc(), again.differentiate(gradients));
  }
  return Values(branch.getResults());
}

/// Rows of a carried value, one for each iteration.
static RankedTensorType keepAll(Value carried, uint64_t most) {
  RankedTensorType type = TensorBuilder::getType(carried);
  SmallVector<int64_t> shape = {static_cast<int64_t>(most)};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

LoopOp LoopOp::addRows(OpBuilder &builder, ValueRange values) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(*this);
  SmallVector<Type> results(getResultTypes());
  Type count = results.pop_back_val();
  for (Value value : values)
    results.push_back(keepAll(value, getMost()));
  results.push_back(count);
  auto more = LoopOp::create(builder, getLoc(), results, getMostAttr(), getLimit(), getCondition(), getCarried());
  more->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  more.getBody().takeBody(getBody());
  Operation *yield = more.getBody().front().getTerminator();
  yield->insertOperands(yield->getNumOperands(), values);
  (*this)->replaceAllUsesWith([&] {
    Values old(more.getResults().take_front(getNumResults() - 1));
    old.push_back(more.getResults().back());
    return old;
  }());
  erase();
  return more;
}

std::optional<bool> LoopOp::isFromEnd(Value index) {
  Value number = getBody().getArgument(0);
  if (index == number)
    return false;
  auto difference = index.getDefiningOp<SubOp>();
  DenseElementsAttr last;
  if (difference && difference.getRhs() == number && matchPattern(difference.getLhs(), m_Constant(&last)) &&
      last.isSplat() && last.getSplatValue<APInt>().getSExtValue() == static_cast<int64_t>(getMost()) - 1)
    return true;
  return std::nullopt;
}

/// Products of a body, which a gradient may read.
static Values findProducts(LoopOp loop) {
  Values products;
  for (Operation &op : loop.getBody().front())
    if (isa<MatmulOp, LinearOp, GemmOp, ConvOp>(op) && isFloats(op.getResult(0)) &&
        hasValidSize(keepAll(op.getResult(0), loop.getMost())))
      products.push_back(op.getResult(0));
  return products;
}

namespace {

/// A row that each iteration reads of a value from outside: that of its number, or counted from the end.
struct RowRead {
  TakeOp take;
  bool isFromEnd;
};

} // namespace

/// The reads of a value in a loop, where each iteration reads a row of its own, and they read all rows. Else none.
static SmallVector<RowRead> findRowReads(LoopOp loop, Value value) {
  ArrayRef<int64_t> shape = TensorBuilder::getShape(value);
  SmallVector<RowRead> reads;
  if (shape.empty() || shape.front() != static_cast<int64_t>(loop.getMost()))
    return {};
  for (OpOperand &use : value.getUses()) {
    if (!loop.getBody().isAncestor(use.getOwner()->getParentRegion()))
      continue;
    auto take = dyn_cast<TakeOp>(use.getOwner());
    if (!take || take->getBlock() != &loop.getBody().front() || take.getAxis() != 0 || take.getIndices() == value)
      return {};
    std::optional<bool> isFromEnd = loop.isFromEnd(take.getIndices());
    if (!isFromEnd)
      return {};
    reads.push_back({take, *isFromEnd});
  }
  return reads;
}

FailureOr<SmallVector<Value>> LoopOp::differentiateValues(TensorBuilder &build, ArrayRef<Value> gradients,
                                                          ArrayRef<Value> values) {
  OpBuilder &builder = build.getBuilder();
  Location loc = build.getLoc();
  // What is carried into each iteration is kept.
  for (Value carried : getCarried())
    if (!hasValidSize(keepAll(carried, getMost())))
      return emitOpError("has no gradient without a bound of its iterations: ")
             << getMost() << " times " << carried.getType() << " would be kept";
  unsigned nCarried = getNumCarried(), nRows = getNumRows();
  Values carried(getCarried()), rowGradients(gradients.slice(nCarried, nRows));
  SmallVector<unsigned> floats;
  for (unsigned k = 0; k < nCarried; ++k)
    if (isFloats(carried[k]))
      floats.push_back(k);
  bool isWhile = bool(getCondition()), isCounted = isWhile || getLimit();
  Values products = findProducts(*this), kept(llvm::drop_begin(getBody().getArguments()));
  llvm::append_range(kept, products);
  LoopOp loop = addRows(builder, kept);
  // The gradients of what is carried, then what each value from outside has got so far.
  Values start;
  for (unsigned k : floats)
    start.push_back(gradients[k] ? gradients[k] : build.like(carried[k], 0));
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(loop.getBody(), read);
  Values outside = llvm::filter_to_vector(values, [&](Value value) { return read.contains(value); });
  // Of what is read row by row each iteration gives a row of the gradient: adding all of it would take as long as there
  // are iterations, each time.
  SmallVector<std::pair<Value, RowRead>> rowReads;
  for (Value value : outside)
    for (const RowRead &row : isCounted ? SmallVector<RowRead>() : findRowReads(loop, value))
      rowReads.emplace_back(value, row);
  llvm::erase_if(outside, [&](Value value) { return llvm::is_contained(llvm::make_first_range(rowReads), value); });
  for (Value value : outside)
    start.push_back(build.like(value, 0));
  Value count = loop.getResults().back();
  auto results = llvm::map_to_vector(start, [](Value value) { return value.getType(); });
  for (auto [value, row] : rowReads)
    results.push_back(value.getType());
  results.push_back(count.getType());
  auto back = LoopOp::create(builder, loc, results, loop.getMostAttr(), isCounted ? count : Value(), Value(), start);
  back->setAttr(LoopOp::kGoesBack, builder.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = back.getBody().emplaceBlock();
    body.addArgument(count.getType(), loc);
    for (Value value : start)
      body.addArgument(value.getType(), loc);
    builder.setInsertionPointToEnd(&body);
    Value last = isCounted ? build.sub(count, 1) : build.like(count, static_cast<double>(loop.getMost()) - 1);
    Value place = build.sub(last, body.getArgument(0));
    auto getRow = [&](Value rows) { return build.create<TakeOp>(rows, place, 0); };
    Again again(build, loop.getBody().front());
    again.map(loop.getBody().getArgument(0), place);
    for (unsigned k = 0; k < nCarried; ++k) {
      Value before = getRow(loop.getResult(nCarried + nRows + k)), argument = loop.getBody().getArgument(k + 1);
      isFloats(before) ? again.watch(argument, before) : again.map(argument, before);
    }
    for (auto [k, product] : llvm::enumerate(products))
      again.keep(product, getRow(loop.getResult(2 * nCarried + nRows + k)));
    for (Value value : outside)
      again.watch(value, value);
    for (auto [value, row] : rowReads)
      again.watch(row.take.getResult(),
                  build.create<TakeOp>(value, row.isFromEnd ? Value(body.getArgument(0)) : place, 0));
    Values seeds(isWhile ? 1 : 0);
    for (unsigned k = 0, next = 1; k < nCarried; ++k)
      seeds.push_back(isFloats(carried[k]) ? Value(body.getArgument(next++)) : Value());
    for (Value rows : rowGradients)
      seeds.push_back(rows ? getRow(rows) : Value());
    // The kept rows are no results of the function that is differentiated.
    seeds.append(kept.size(), Value());
    Values next = again.differentiate(seeds);
    for (unsigned k = floats.size(); k < start.size(); ++k)
      next[k] = build.add(body.getArgument(k + 1), next[k]);
    YieldOp::create(builder, loc, next);
  }
  Values parts;
  for (Value value : values) {
    Value sum;
    auto add = [&](Value part) { sum = sum ? build.add(sum, part) : part; };
    for (auto [place, k] : llvm::enumerate(floats))
      if (carried[k] == value)
        add(back.getResult(place));
    if (const auto *found = llvm::find(outside, value); found != outside.end())
      add(back.getResult(floats.size() + (found - outside.begin())));
    // The last iteration is the first one back.
    for (auto [k, read] : llvm::enumerate(rowReads))
      if (read.first == value) {
        Value rows = back.getResult(start.size() + k);
        add(read.second.isFromEnd ? rows : build.create<FlipOp>(rows, ArrayRef<int64_t>{0}));
      }
    parts.push_back(sum);
  }
  return parts;
}
