// ArithBridge, reading: operations to expressions.
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::sym;

static bool isIndexOrCondition(Type type) { return type.isIndex() || type.isInteger(1); }

namespace {
/// The low bits of an index, read back with or without their sign.
struct NarrowCast {
  Value wide;
  unsigned width;
  bool isSigned;
};
} // namespace

/// index -> iN -> index, in one step down or two, in one step up or two.
static std::optional<NarrowCast> narrowCastOf(Operation *op) {
  if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) || !op->getResult(0).getType().isIndex())
    return std::nullopt;
  Value narrow = op->getOperand(0);
  bool isSigned = isa<arith::IndexCastOp>(op);
  if (Operation *extension = narrow.getDefiningOp(); isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(extension)) {
    narrow = extension->getOperand(0);
    isSigned = isa<arith::ExtSIOp>(extension);
  }
  unsigned width = narrow.getType().isInteger() ? narrow.getType().getIntOrFloatBitWidth() : 0;
  Operation *down = narrow.getDefiningOp();
  if (isa_and_present<arith::TruncIOp>(down))
    down = down->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::IndexCastOp, arith::IndexCastUIOp>(down) || !down->getOperand(0).getType().isIndex() ||
      width <= 1 || width >= 62)
    return std::nullopt;
  return NarrowCast{down->getOperand(0), width, isSigned};
}

/// A comparison of floats, or of integers that are no index: what is compared has ranges, but no expressions.
static bool comparesRanges(Operation *op) {
  return isa<arith::CmpFOp>(op) || (isa<arith::CmpIOp>(op) && !isIndexOrCondition(op->getOperand(0).getType()));
}

/// What an operation reads, for the engine.
static SmallVector<Value, 3> sourcesOf(Operation *op) {
  if (std::optional<NarrowCast> cast = narrowCastOf(op))
    return {cast->wide};
  if (comparesRanges(op))
    return {};
  return SmallVector<Value, 3>(op->getOperands());
}

bool ArithBridge::isArithmetic(Operation *op) {
  if (op->getNumResults() != 1 || !isIndexOrCondition(op->getResult(0).getType()))
    return false;
  if (comparesRanges(op))
    return true;
  if (!isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
           arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MinSIOp,
           arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
           arith::ShRSIOp, arith::ShRUIOp, arith::SelectOp, arith::CmpIOp, arith::IndexCastOp, arith::IndexCastUIOp,
           sym::ModOp>(op))
    return false;
  // i1 arithmetic other than logic is modulo 2, which nothing here computes with.
  bool isCondition = op->getResult(0).getType().isInteger(1);
  if (isCondition &&
      !isa<arith::ConstantOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp, arith::CmpIOp>(op))
    return false;
  // Casts from other integers are leaves, unless they were made from an index; comparisons of them too.
  if (narrowCastOf(op))
    return true;
  return llvm::all_of(op->getOperandTypes(), isIndexOrCondition);
}

Bounds ArithBridge::boundsOfLeaf(Value value) {
  if (!value.getType().isIndex())
    return {0, 1};
  Bounds bounds;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // An induction variable between constant bounds.
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    std::optional<SmallVector<Value>> variables = loop ? loop.getLoopInductionVars() : std::nullopt;
    auto lower = loop ? loop.getLoopLowerBounds() : std::nullopt,
         upper = loop ? loop.getLoopUpperBounds() : std::nullopt;
    if (!variables || !lower || !upper)
      return bounds;
    for (auto [variable, low, high] : llvm::zip_equal(*variables, *lower, *upper)) {
      std::optional<int64_t> from = getConstantIntValue(low), to = getConstantIntValue(high);
      if (variable == value && from && to && *from < *to)
        bounds = {*from, *to - 1};
    }
    return bounds;
  }
  auto within = [&](Bounds b) { bounds = {std::max(b.low, bounds.low), std::min(b.high, bounds.high)}; };
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>(); cast && cast.getIn().getType().isInteger()) {
    unsigned width = cast.getIn().getType().getIntOrFloatBitWidth();
    if (width < 62)
      bounds = {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
    if (std::optional<Bounds> known = integerRange(cast.getIn()))
      within(*known);
  } else if (auto cast = value.getDefiningOp<arith::IndexCastUIOp>(); cast && cast.getIn().getType().isInteger()) {
    unsigned width = cast.getIn().getType().getIntOrFloatBitWidth();
    if (width < 62)
      bounds = {0, (int64_t(1) << width) - 1};
    if (std::optional<Bounds> known = integerRange(cast.getIn()); known && known->low >= 0)
      within(*known);
  } else if (auto op = value.getDefiningOp<InferIntRangeInterface>(); op && !isArithmetic(op)) {
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : op->getOperands())
      operands.push_back(ConstantIntRanges::maxRange(
          operand.getType().isIntOrIndex() ? ConstantIntRanges::getStorageBitwidth(operand.getType()) : 64));
    op.inferResultRanges(operands, [&](Value result, const ConstantIntRanges &range) {
      if (result == value && range.smin().getBitWidth() <= 64)
        bounds = {std::max(range.smin().getSExtValue(), -kIndexLimit),
                  std::min(range.smax().getSExtValue(), kIndexLimit)};
    });
  }
  return bounds;
}

Expr ArithBridge::leafFor(Value value) {
  Expr leaf = value.getType().isIndex() ? context.leaf(boundsOfLeaf(value)) : context.conditionLeaf();
  leafValues[leaf->constant] = value;
  return leaf;
}

/// A sum that only another sum uses has no expression of its own: a long chain is collected once.
static bool isPartOfSum(Operation *op, Block *block) {
  if (!isa<arith::AddIOp, arith::SubIOp>(op) || !op->getResult(0).getType().isIndex() || !op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  return isa<arith::AddIOp, arith::SubIOp>(user) && user->getBlock() == op->getBlock() &&
         (!block || op->getBlock() == block);
}

LinearForm ArithBridge::linearOf(Operation *op) {
  // A part is used once, so it is taken: a chain of n terms is not copied n times. Who asks for it again reads it anew.
  auto take = [&](Value operand) {
    auto part = sums.find(operand);
    if (part == sums.end())
      return context.linear(expressions.lookup(operand));
    LinearForm taken = std::move(part->second);
    sums.erase(part);
    return taken;
  };
  LinearForm left = take(op->getOperand(0)), right = take(op->getOperand(1));
  int factor = isa<arith::SubIOp>(op) ? -1 : 1;
  // The shorter into the longer.
  if (right.terms.size() > left.terms.size() && factor == 1)
    std::swap(left, right);
  left.add(right, factor);
  return left;
}

/// What a comparison of any two numbers of the ranges gives, if it is always the same.
static std::optional<bool> decide(arith::CmpFPredicate predicate, const FloatRange &x, const FloatRange &y) {
  using P = arith::CmpFPredicate;
  // Neither is NaN, so ordered and unordered agree.
  auto isLess = [](const llvm::APFloat &a, const llvm::APFloat &b) { return a < b; };
  bool alwaysLess = isLess(x.high, y.low), alwaysGreater = isLess(y.high, x.low);
  bool neverLess = !isLess(x.low, y.high), neverGreater = !isLess(y.low, x.high);
  auto known = [](bool isTrue, bool isFalse) { return isTrue || isFalse ? std::optional<bool>(isTrue) : std::nullopt; };
  switch (predicate) {
  case P::OLT:
  case P::ULT:
    return known(alwaysLess, neverLess);
  case P::OGE:
  case P::UGE:
    return known(neverLess, alwaysLess);
  case P::OGT:
  case P::UGT:
    return known(alwaysGreater, neverGreater);
  case P::OLE:
  case P::ULE:
    return known(neverGreater, alwaysGreater);
  case P::OEQ:
  case P::UEQ:
    return known(neverLess && neverGreater, alwaysLess || alwaysGreater);
  case P::ONE:
  case P::UNE:
    return known(alwaysLess || alwaysGreater, neverLess && neverGreater);
  case P::ORD:
  case P::AlwaysTrue:
    return true;
  case P::UNO:
  case P::AlwaysFalse:
    return false;
  }
  return std::nullopt;
}

/// The expression of an operation whose operands are read; null where the engine has none.
Expr ArithBridge::importOperation(Operation *op) {
  bool isCondition = op->getResult(0).getType().isInteger(1);
  SmallVector<Expr, 3> v;
  for (Value operand : sourcesOf(op))
    v.push_back(expressions.lookup(operand));
  if (std::optional<NarrowCast> cast = narrowCastOf(op)) {
    // The low N bits: x mod 2^N, or with a sign (x + 2^(N-1)) mod 2^N - 2^(N-1).
    int64_t period = int64_t(1) << cast->width;
    Expr half = context.constant(cast->isSigned ? period / 2 : 0);
    return context.sub(context.mod(context.add(v[0], half), context.constant(period)), half);
  }
  // Unsigned operations are the signed ones where nothing is negative.
  auto areNonNegative = [&] { return v[0]->low >= 0 && v[1]->low >= 0; };
  auto powerOfTwo = [&]() -> Expr {
    std::optional<int64_t> shift = v[1].asConstant();
    return shift && *shift >= 0 && *shift < 62 ? context.constant(int64_t(1) << *shift) : Expr();
  };
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case([&](arith::ConstantOp constant) -> Expr {
        auto value = dyn_cast<IntegerAttr>(constant.getValue());
        if (!value)
          return {};
        return isCondition ? context.condition(!value.getValue().isZero()) : context.constant(value.getInt());
      })
      .Case<arith::AddIOp, arith::SubIOp>([&](Operation *sum) { return context.sum(linearOf(sum)); })
      .Case([&](arith::MulIOp) { return context.mul(v[0], v[1]); })
      .Case([&](arith::FloorDivSIOp) { return context.floorDiv(v[0], v[1]); })
      .Case([&](arith::CeilDivSIOp) { return context.neg(context.floorDiv(context.neg(v[0]), v[1])); })
      .Case([&](arith::DivSIOp) { return context.truncDiv(v[0], v[1]); })
      .Case([&](arith::RemSIOp) { return context.truncRem(v[0], v[1]); })
      .Case([&](arith::DivUIOp) { return areNonNegative() ? context.floorDiv(v[0], v[1]) : Expr(); })
      .Case([&](arith::RemUIOp) { return areNonNegative() ? context.mod(v[0], v[1]) : Expr(); })
      .Case([&](arith::CeilDivUIOp) {
        return areNonNegative() ? context.neg(context.floorDiv(context.neg(v[0]), v[1])) : Expr();
      })
      .Case([&](sym::ModOp) { return context.mod(v[0], v[1]); })
      .Case([&](arith::MinSIOp) { return context.min(v[0], v[1]); })
      .Case([&](arith::MaxSIOp) { return context.max(v[0], v[1]); })
      .Case([&](arith::MinUIOp) { return areNonNegative() ? context.min(v[0], v[1]) : Expr(); })
      .Case([&](arith::MaxUIOp) { return areNonNegative() ? context.max(v[0], v[1]) : Expr(); })
      .Case([&](arith::AndIOp) { return isCondition ? context.logicalAnd(v[0], v[1]) : context.bitAnd(v[0], v[1]); })
      .Case([&](arith::OrIOp) { return isCondition ? context.logicalOr(v[0], v[1]) : context.bitOr(v[0], v[1]); })
      .Case([&](arith::XOrIOp) { return isCondition ? context.logicalXor(v[0], v[1]) : context.bitXor(v[0], v[1]); })
      .Case([&](arith::ShLIOp) { return context.mul(v[0], powerOfTwo()); })
      .Case([&](arith::ShRSIOp) { return context.floorDiv(v[0], powerOfTwo()); })
      .Case([&](arith::ShRUIOp) { return v[0]->low >= 0 ? context.floorDiv(v[0], powerOfTwo()) : Expr(); })
      .Case([&](arith::SelectOp) { return context.select(v[0], v[1], v[2]); })
      .Case([&](arith::IndexCastUIOp) { return context.select(v[0], context.constant(1), context.constant(0)); })
      .Case([&](arith::IndexCastOp) { return context.select(v[0], context.constant(-1), context.constant(0)); })
      .Case([&](arith::CmpFOp compare) -> Expr {
        std::optional<FloatRange> x = floatRange(compare.getLhs()), y = floatRange(compare.getRhs());
        std::optional<bool> decided = x && y ? decide(compare.getPredicate(), *x, *y) : std::nullopt;
        return decided ? context.condition(*decided) : Expr();
      })
      .Case([&](arith::CmpIOp compare) -> Expr {
        if (comparesRanges(compare)) {
          std::optional<Bounds> result = integerRange(compare.getResult());
          return result && result->isConstant() ? context.condition(result->low != 0) : Expr();
        }
        if (v[0]->isCondition) {
          if (compare.getPredicate() == arith::CmpIPredicate::eq)
            return context.eq(v[0], v[1]);
          return compare.getPredicate() == arith::CmpIPredicate::ne ? context.logicalXor(v[0], v[1]) : Expr();
        }
        switch (compare.getPredicate()) {
        case arith::CmpIPredicate::eq:
          return context.eq(v[0], v[1]);
        case arith::CmpIPredicate::ne:
          return context.ne(v[0], v[1]);
        case arith::CmpIPredicate::slt:
          return context.lt(v[0], v[1]);
        case arith::CmpIPredicate::sle:
          return context.le(v[0], v[1]);
        case arith::CmpIPredicate::sgt:
          return context.gt(v[0], v[1]);
        case arith::CmpIPredicate::sge:
          return context.ge(v[0], v[1]);
        case arith::CmpIPredicate::ult:
          // 0 <= y: x <u y is 0 <= x < y
          if (v[1]->low < 0)
            return {};
          return context.logicalAnd(context.ge(v[0], context.constant(0)), context.lt(v[0], v[1]));
        case arith::CmpIPredicate::ule:
          return areNonNegative() ? context.le(v[0], v[1]) : Expr();
        case arith::CmpIPredicate::ugt:
          return areNonNegative() ? context.gt(v[0], v[1]) : Expr();
        case arith::CmpIPredicate::uge:
          return areNonNegative() ? context.ge(v[0], v[1]) : Expr();
        }
        return {};
      })
      .Default([](Operation *) { return Expr(); });
}

Expr ArithBridge::importValue(Value root) {
  SmallVector<Value> stack{root};
  // A cycle, which only an invalid graph region has, ends at the value that is already open.
  llvm::DenseSet<Value> open;
  auto isKnown = [&](Value value) { return expressions.count(value) || (value != root && sums.count(value)); };
  while (!stack.empty()) {
    Value value = stack.back();
    if (isKnown(value)) {
      stack.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !isArithmetic(op)) {
      expressions[value] = leafFor(value);
      stack.pop_back();
      continue;
    }
    if (open.insert(value).second) {
      SmallVector<Value, 3> sources = sourcesOf(op);
      for (Value operand : llvm::reverse(sources))
        if (!isKnown(operand) && !open.contains(operand))
          stack.push_back(operand);
      continue;
    }
    for (Value operand : sourcesOf(op))
      if (!isKnown(operand))
        expressions[operand] = leafFor(operand);
    if (value != root && isPartOfSum(op, block)) {
      sums[value] = linearOf(op);
      stack.pop_back();
      continue;
    }
    Expr expression = importOperation(op);
    bool isForeign = block && op->getBlock() != block && !matchPattern(op, m_Constant());
    if (isForeign && expression && !expression.is(ExprKind::Constant) && !expression.is(ExprKind::Leaf)) {
      // Computed elsewhere: what is known of it are its bounds.
      Expr leaf = expression->isCondition ? context.conditionLeaf() : context.leaf(expression.bounds());
      leafValues[leaf->constant] = value;
      expression = leaf;
    }
    expressions[value] = expression ? expression : leafFor(value);
    stack.pop_back();
  }
  return expressions.lookup(root);
}

/// 2^k - 1 or -2^k: the mask of a remainder.
static bool isMaskByConstant(Value mask) {
  APInt value;
  return matchPattern(mask, m_ConstantInt(&value)) && ((value + 1).isPowerOf2() || (-value).isPowerOf2());
}

int64_t ArithBridge::costOf(Value root) {
  SmallVector<Value> stack{root};
  llvm::DenseSet<Value> open;
  while (!stack.empty()) {
    Value value = stack.back();
    Operation *op = value.getDefiningOp();
    bool isLeaf = !op || !isArithmetic(op) || isa<arith::ConstantOp>(op) || (block && op->getBlock() != block);
    if (costs.count(value)) {
      stack.pop_back();
      continue;
    }
    if (!isLeaf && open.insert(value).second) {
      for (Value operand : sourcesOf(op))
        if (!costs.count(operand) && !open.contains(operand))
          stack.push_back(operand);
      continue;
    }
    stack.pop_back();
    int64_t cost = 0;
    if (!isLeaf) {
      bool isDivision = isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp, arith::RemSIOp, arith::DivUIOp,
                            arith::RemUIOp, arith::CeilDivUIOp, sym::ModOp>(op);
      // Reading a condition as 0 or 1 costs nothing on its own.
      bool isWidening = isa<arith::IndexCastUIOp>(op) && op->getOperand(0).getType().isInteger(1);
      // Shifts and masks by constants are read as what they mean, and cost that.
      bool isIndex = value.getType().isIndex();
      bool isShiftOfDivision = isa<arith::ShRSIOp, arith::ShRUIOp>(op);
      bool isMask = isIndex && isa<arith::AndIOp>(op) && isMaskByConstant(op->getOperand(1));
      bool isMultiplication = isa<arith::MulIOp, arith::ShLIOp>(op);
      cost = isDivision || isShiftOfDivision || isMask ? 8 : isMultiplication ? 2 : isWidening ? 0 : 1;
      for (Value operand : sourcesOf(op))
        cost = std::min(kIndexLimit, cost + costs.lookup(operand));
    }
    costs[value] = cost;
  }
  return costs.lookup(root);
}
