// What a loop only adds up, computed behind it.
//
//   s = s0; for t: s += A[t] B[t]   ->   s = s0 + [A[0] A[1] ...] [B[0]; B[1]; ...]
//   s = s0; for t: s += sum(X[t])   ->   s = s0 + sum(X)   [X are rows anyway]
//
// A gradient's loop adds up so what each iteration gives to weights. Factors that are rows of a value from outside, or
// that the loop gives already, are rows without being written once more.
#include "SumBehindLoops.h"

#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::tensor {

namespace {

/// What one iteration adds to a carried value: movements of a product or of a sum.
struct Term {
  unsigned carried;
  /// From the sum on to what is added.
  SmallVector<Operation *> movements;
  Operation *source;
};

class Behind {
public:
  explicit Behind(LoopOp loop) : loop(loop), body(loop.getBody().front()) {}
  void run();

private:
  bool isInside(Value value) { return loop.getBody().isAncestor(value.getParentRegion()); }
  Value findBase(Value factor);
  Value findOutside(Value base);
  bool isRows(Value base);
  bool isWorthwhile(MatmulOp product);
  std::optional<Term> match(unsigned carried, Value added, bool isOfProduct);
  Value getRows(Value factor, TensorBuilder &build);
  Value sumTerm(const Term &term, TensorBuilder &build);

  LoopOp loop;
  Block &body;
  llvm::SetVector<Value> wanted;
};

/// What a factor turns.
Value Behind::findBase(Value factor) {
  while (isInside(factor) && isa_and_present<PermuteOp, TransposeOp>(factor.getDefiningOp()))
    factor = factor.getDefiningOp()->getOperand(0);
  return factor;
}

/// The take of a row from outside where iterations read all of its rows, each one; else null.
Value Behind::findOutside(Value base) {
  auto take = base.getDefiningOp<TakeOp>();
  if (!take || take->getBlock() != &body || take.getAxis() != 0 || isInside(take.getInput()) || loop.getLimit() ||
      loop.getCondition() || !loop.isFromEnd(take.getIndices()))
    return {};
  return TensorBuilder::getShape(take.getInput()).front() == static_cast<int64_t>(loop.getMost()) ? base : Value();
}

bool Behind::isRows(Value base) {
  return findOutside(base) || wanted.contains(base) || llvm::is_contained(loop.getYieldedRows(), base);
}

/// Writing rows and reading them again must not move more than reading and writing the sum does.
bool Behind::isWorthwhile(MatmulOp product) {
  auto count = [](Value value) { return TensorBuilder::getType(value).getNumElements(); };
  int64_t moved = count(product.getLhs()) + count(product.getRhs());
  for (Value factor : product->getOperands()) {
    Value base = findBase(factor);
    if (TensorBuilder::getShape(factor).size() != 2 || !isInside(base))
      return false;
    RankedTensorType type = TensorBuilder::getType(base);
    SmallVector<int64_t> shape = {static_cast<int64_t>(loop.getMost())};
    llvm::append_range(shape, type.getShape());
    if (isRows(base))
      continue;
    if (!hasValidSize(type.clone(shape)))
      return false;
    moved += count(base);
  }
  if (moved > 2 * count(product.getResult()))
    return false;
  for (Value factor : product->getOperands())
    if (!isRows(findBase(factor)))
      wanted.insert(findBase(factor));
  return true;
}

std::optional<Term> Behind::match(unsigned carried, Value added, bool isOfProduct) {
  Term term{carried, {}, nullptr};
  for (Value value = added; value.hasOneUse() && isInside(value);) {
    Operation *op = value.getDefiningOp();
    if (auto product = dyn_cast_if_present<MatmulOp>(op)) {
      if (!isOfProduct || !isWorthwhile(product))
        return std::nullopt;
      term.source = op;
      return term;
    }
    if (auto sum = dyn_cast_if_present<SumOp>(op)) {
      if (isOfProduct || !isRows(sum.getInput()) ||
          TensorBuilder::getElement(sum.getInput()) != TensorBuilder::getElement(sum))
        return std::nullopt;
      term.source = op;
      return term;
    }
    if (!isa_and_present<PermuteOp, TransposeOp, ReshapeOp>(op))
      return std::nullopt;
    term.movements.push_back(op);
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// All that a factor is, [iterations, ...]. What it turns is a row by now.
Value Behind::getRows(Value factor, TensorBuilder &build) {
  SmallVector<Operation *> turns;
  Value base = factor;
  for (; base != findBase(base); base = base.getDefiningOp()->getOperand(0))
    turns.push_back(base.getDefiningOp());
  Value rows;
  if (Value outside = findOutside(base)) {
    auto take = outside.getDefiningOp<TakeOp>();
    rows = take.getInput();
    if (*loop.isFromEnd(take.getIndices()))
      rows = build.create<FlipOp>(rows, ArrayRef<int64_t>{0});
  } else {
    OperandRange yielded = loop.getYieldedRows();
    rows = loop->getResult(loop.getNumCarried() + (llvm::find(yielded, base) - yielded.begin()));
  }
  for (Operation *turn : llvm::reverse(turns)) {
    int64_t rank = TensorBuilder::getShape(rows).size() - 1;
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (auto permute = dyn_cast<PermuteOp>(turn))
      order = llvm::to_vector(permute.getPermutation());
    else
      std::swap(order[(cast<TransposeOp>(turn).getFirst() + rank) % rank],
                order[(cast<TransposeOp>(turn).getSecond() + rank) % rank]);
    SmallVector<int64_t> all = {0};
    for (int64_t axis : order)
      all.push_back((axis + rank) % rank + 1);
    rows = build.permute(rows, all);
  }
  return rows;
}

/// What all iterations add.
Value Behind::sumTerm(const Term &term, TensorBuilder &build) {
  Value total;
  if (auto product = dyn_cast<MatmulOp>(term.source)) {
    Value left = build.permute(getRows(product.getLhs(), build), {1, 0, 2}), right = getRows(product.getRhs(), build);
    ArrayRef<int64_t> shape = TensorBuilder::getShape(left), other = TensorBuilder::getShape(right);
    total = build.create<MatmulOp>(build.reshape(left, {shape[0], shape[1] * shape[2]}),
                                   build.reshape(right, {other[0] * other[1], other[2]}));
  } else {
    auto sum = cast<SumOp>(term.source);
    Value rows = getRows(sum.getInput(), build);
    int64_t rank = TensorBuilder::getShape(rows).size() - 1;
    SmallVector<int64_t> axes = {0};
    for (int64_t axis : sum.getAxes())
      axes.push_back((axis + rank) % rank + 1);
    if (sum.getAxes().empty())
      llvm::append_range(axes, llvm::seq<int64_t>(1, rank + 1));
    total = build.reshape(build.sum(rows, axes), TensorBuilder::getShape(sum.getResult()));
  }
  for (Operation *movement : llvm::reverse(term.movements)) {
    IRMapping mapping;
    mapping.map(movement->getOperand(0), total);
    total = build.getBuilder().clone(*movement, mapping)->getResult(0);
  }
  return total;
}

void Behind::run() {
  unsigned first = loop.getCondition() ? 1 : 0, nCarried = loop.getNumCarried();
  Operation *yield = body.getTerminator();
  // Sums of rows come after products, whose factors are rows then.
  SmallVector<Term> terms;
  llvm::SmallDenseSet<unsigned> done;
  for (bool isOfProduct : {true, false})
    for (unsigned k = 0; k < nCarried; ++k) {
      Value old = body.getArgument(k + 1);
      auto sum = yield->getOperand(first + k).getDefiningOp<AddOp>();
      if (done.contains(k) || !old.hasOneUse() || !sum || !sum->hasOneUse() || sum.getLhs() != old ||
          sum.getRhs().getType() != old.getType())
        continue;
      std::optional<Term> term = match(k, sum.getRhs(), isOfProduct);
      if (!term)
        continue;
      terms.push_back(*term);
      done.insert(k);
    }
  if (terms.empty())
    return;
  OpBuilder builder(loop);
  loop = loop.addRows(builder, wanted.getArrayRef());
  builder.setInsertionPointAfter(loop);
  TensorBuilder build(builder, loop.getLoc());
  for (const Term &term : terms) {
    Value before = loop.getCarried()[term.carried];
    Value total = build.add(before, sumTerm(term, build));
    loop.getResult(term.carried).replaceAllUsesWith(total);
    yield->setOperand(first + term.carried, body.getArgument(term.carried + 1));
  }
}

} // namespace

void sumBehind(LoopOp loop) { Behind(loop).run(); }

} // namespace tiny::tensor
