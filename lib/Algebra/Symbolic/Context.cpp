// Hash-consing, bounds and cost.
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

using Wide = __int128;

static int64_t clampToLimit(Wide value) {
  return int64_t(std::clamp<Wide>(value, -Wide(kIndexLimit), Wide(kIndexLimit)));
}

static void profile(FoldingSetNodeID &id, ExprKind kind, bool isCondition, int64_t constant,
                    ArrayRef<const ExprNode *> operands, ArrayRef<int64_t> coefficients) {
  id.AddInteger(unsigned(kind) * 2 + isCondition);
  id.AddInteger((long long)constant);
  for (const ExprNode *operand : operands)
    id.AddInteger(operand->id);
  for (int64_t coefficient : coefficients)
    id.AddInteger((long long)coefficient);
}

void ExprNode::Profile(FoldingSetNodeID &id) const { profile(id, kind, isCondition, constant, operands, coefficients); }

ExprContext::ExprContext() = default;
ExprContext::~ExprContext() = default;

/// The corners of a quotient or remainder bound it when the divisor does not change sign.
static Bounds quotientBounds(Bounds a, Bounds b, bool isFloor) {
  if (b.low <= 0 && b.high >= 0) {
    // |a / b| <= |a| for every divisor but 0, which is undefined; rounding down may add one.
    int64_t most = std::max(std::abs(a.low), std::abs(a.high));
    return {clampToLimit(-Wide(most)), most};
  }
  Bounds result{kIndexLimit, -kIndexLimit};
  for (int64_t n : {a.low, a.high})
    for (int64_t d : {b.low, b.high}) {
      int64_t q = clampToLimit(isFloor ? floorDivide(n, d) : Wide(n) / d);
      result.low = std::min(result.low, q);
      result.high = std::max(result.high, q);
    }
  return result;
}

static Bounds remainderBounds(Bounds a, Bounds b, bool isFloor) {
  int64_t most = std::max(std::abs(b.low), std::abs(b.high)) - 1;
  Bounds result{-most, most};
  if (isFloor) {
    if (b.low >= 0)
      result.low = 0;
    if (b.high <= 0)
      result.high = 0;
    // a >= 0 and b > 0: a mod b <= a
    if (a.low >= 0 && b.low >= 0)
      result.high = std::min(result.high, a.high);
    if (a.high <= 0 && b.high <= 0)
      result.low = std::max(result.low, a.low);
    return result;
  }
  if (a.low >= 0)
    result.low = 0;
  if (a.high <= 0)
    result.high = 0;
  return {std::max(result.low, std::min<int64_t>(a.low, 0)), std::min(result.high, std::max<int64_t>(a.high, 0))};
}

/// Bitwise operations: exact bounds are not worth their price; these hold.
static Bounds bitwiseBounds(ExprKind kind, Bounds a, Bounds b) {
  auto ones = [](int64_t value) { return value <= 0 ? int64_t(0) : int64_t(NextPowerOf2(value) - 1); };
  if (kind == ExprKind::BitAnd) {
    if (a.low >= 0 && b.low >= 0)
      return {0, std::min(a.high, b.high)};
    if (a.low >= 0 || b.low >= 0)
      return {0, a.low >= 0 ? a.high : b.high};
  } else if (a.low >= 0 && b.low >= 0) {
    int64_t low = kind == ExprKind::BitOr ? std::max(a.low, b.low) : 0;
    return {low, std::min(ones(a.high) | ones(b.high), kIndexLimit)};
  }
  int64_t most =
      std::max({ones(std::abs(a.low)), ones(std::abs(a.high)), ones(std::abs(b.low)), ones(std::abs(b.high))});
  return {clampToLimit(-Wide(most) - 1), clampToLimit(most)};
}

Bounds ExprContext::boundsOf(ExprKind kind, ArrayRef<Expr> operands, int64_t constant, ArrayRef<int64_t> coefficients) {
  switch (kind) {
  case ExprKind::Constant:
  case ExprKind::Leaf:
    return {constant, constant};
  case ExprKind::Sum: {
    Wide low = constant, high = constant;
    for (auto [operand, coefficient] : zip_equal(operands, coefficients)) {
      Wide a = Wide(coefficient) * operand->low, b = Wide(coefficient) * operand->high;
      low += std::min(a, b);
      high += std::max(a, b);
    }
    return {clampToLimit(low), clampToLimit(high)};
  }
  case ExprKind::Product: {
    Bounds result = operands[0].bounds();
    for (size_t k = 1; k < operands.size(); ++k) {
      Bounds b = operands[k].bounds();
      // a * a >= 0
      Wide corners[] = {Wide(result.low) * b.low, Wide(result.low) * b.high, Wide(result.high) * b.low,
                        Wide(result.high) * b.high};
      bool isSquare = k == 1 && operands[0] == operands[1];
      Wide least = *std::min_element(corners, corners + 4), most = *std::max_element(corners, corners + 4);
      result = {clampToLimit(isSquare ? std::max<Wide>(least, 0) : least), clampToLimit(most)};
    }
    return result;
  }
  case ExprKind::FloorDiv:
    return quotientBounds(operands[0].bounds(), operands[1].bounds(), true);
  case ExprKind::TruncDiv:
    return quotientBounds(operands[0].bounds(), operands[1].bounds(), false);
  case ExprKind::Mod:
    return remainderBounds(operands[0].bounds(), operands[1].bounds(), true);
  case ExprKind::TruncRem:
    return remainderBounds(operands[0].bounds(), operands[1].bounds(), false);
  case ExprKind::Min:
    return {std::min(operands[0]->low, operands[1]->low), std::min(operands[0]->high, operands[1]->high)};
  case ExprKind::Max:
    return {std::max(operands[0]->low, operands[1]->low), std::max(operands[0]->high, operands[1]->high)};
  case ExprKind::BitAnd:
  case ExprKind::BitOr:
  case ExprKind::BitXor:
    return bitwiseBounds(kind, operands[0].bounds(), operands[1].bounds());
  case ExprKind::Select:
    return {std::min(operands[1]->low, operands[2]->low), std::max(operands[1]->high, operands[2]->high)};
  case ExprKind::NonNegative:
  case ExprKind::IsZero:
  case ExprKind::Not:
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Xor:
    return {0, 1};
  }
  llvm_unreachable("covered switch");
}

/// What a linear form costs when it is written with additions, subtractions and multiplications.
static int64_t sumCost(int64_t constant, ArrayRef<int64_t> coefficients) {
  int64_t cost = int64_t(coefficients.size()) - (constant == 0 ? 1 : 0);
  bool startsPlain = constant > 0;
  for (int64_t coefficient : coefficients) {
    cost += coefficient == 1 || coefficient == -1 ? 0 : 2;
    startsPlain |= coefficient != -1;
  }
  // Only negated atoms: the first needs 0 - x, unless the constant may stand first.
  return cost + (startsPlain ? 0 : 1);
}

static int64_t ownCost(ExprKind kind, size_t size, ArrayRef<Expr> operands, int64_t constant,
                       ArrayRef<int64_t> coefficients) {
  switch (kind) {
  case ExprKind::Constant:
  case ExprKind::Leaf:
    return 0;
  case ExprKind::Sum:
    return sumCost(constant, coefficients);
  case ExprKind::Product:
    return 2 * (int64_t(size) - 1);
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::TruncDiv:
  case ExprKind::TruncRem:
    return 8;
  case ExprKind::And:
  case ExprKind::Or:
    return int64_t(size) - 1;
  case ExprKind::Select:
    // c ? 1 : 0 is c, read as a number.
    return operands[1].asConstant() == 1 && operands[2].asConstant() == 0 ? 0 : 1;
  case ExprKind::NonNegative:
  case ExprKind::IsZero: {
    // linear >= 0 is written as one comparison of two sides: the constant and the negative terms change sides for free.
    if (!operands[0].is(ExprKind::Sum))
      return 1;
    const ExprNode *sum = operands[0].get();
    int64_t positive = count_if(sum->coefficients, [](int64_t c) { return c > 0; });
    int64_t negative = int64_t(sum->coefficients.size()) - positive;
    int64_t separate = 1 + std::max<int64_t>(positive - 1, 0) + std::max<int64_t>(negative - 1, 0);
    for (int64_t coefficient : sum->coefficients)
      separate += coefficient == 1 || coefficient == -1 ? 0 : 2;
    // A strict comparison absorbs a constant of one.
    if (positive > 0 && negative > 0 && sum->constant != 0 && sum->constant != -1)
      ++separate;
    return separate - sumCost(sum->constant, sum->coefficients);
  }
  default:
    return 1;
  }
}

Expr ExprContext::node(ExprKind kind, ArrayRef<Expr> operands, int64_t constant, ArrayRef<int64_t> coefficients) {
  bool isCondition = kind >= ExprKind::NonNegative || (kind == ExprKind::Select && operands[1]->isCondition);
  SmallVector<const ExprNode *, 4> raw;
  for (Expr operand : operands) {
    if (!operand)
      return {};
    raw.push_back(operand.get());
  }
  FoldingSetNodeID id;
  profile(id, kind, isCondition, constant, raw, coefficients);
  void *position;
  if (ExprNode *known = nodes.FindNodeOrInsertPos(id, position))
    return Expr(known);
  auto *result = new (allocator.Allocate<ExprNode>()) ExprNode();
  result->kind = kind;
  result->isCondition = isCondition;
  result->id = nextId++;
  result->constant = constant;
  Bounds bounds = boundsOf(kind, operands, constant, coefficients);
  result->low = bounds.low;
  result->high = bounds.high;
  Wide cost = ownCost(kind, operands.size(), operands, constant, coefficients);
  for (Expr operand : operands)
    cost += operand.cost();
  result->cost = clampToLimit(cost);
  result->operands = ArrayRef(raw).copy(allocator);
  result->coefficients = coefficients.copy(allocator);
  nodes.InsertNode(result, position);
  return Expr(result);
}

Expr ExprContext::leafNode(bool isCondition, Bounds bounds, int64_t number) {
  FoldingSetNodeID id;
  profile(id, ExprKind::Leaf, isCondition, number, {}, {});
  void *position;
  if (ExprNode *known = nodes.FindNodeOrInsertPos(id, position))
    return Expr(known);
  auto *result = new (allocator.Allocate<ExprNode>()) ExprNode();
  result->kind = ExprKind::Leaf;
  result->isCondition = isCondition;
  result->id = nextId++;
  result->constant = number;
  result->low = std::max(bounds.low, -kIndexLimit);
  result->high = std::min(bounds.high, kIndexLimit);
  result->cost = 0;
  nodes.InsertNode(result, position);
  return Expr(result);
}

Expr ExprContext::leaf(Bounds bounds) { return leafNode(false, bounds, nextLeaf++); }
Expr ExprContext::conditionLeaf() { return leafNode(true, {0, 1}, nextLeaf++); }

Expr ExprContext::refinedLeaf(Expr original, Bounds bounds) {
  Expr &known = refined[{original.get(), {bounds.low, bounds.high}}];
  if (!known)
    known = leafNode(original->isCondition, bounds, nextLeaf++);
  return known;
}

Expr ExprContext::constant(int64_t value) {
  if (value > kIndexLimit || value < -kIndexLimit)
    return {};
  return node(ExprKind::Constant, {}, value);
}

Expr ExprContext::condition(bool value) {
  FoldingSetNodeID id;
  profile(id, ExprKind::Constant, true, value, {}, {});
  void *position;
  if (ExprNode *known = nodes.FindNodeOrInsertPos(id, position))
    return Expr(known);
  auto *result = new (allocator.Allocate<ExprNode>()) ExprNode();
  result->kind = ExprKind::Constant;
  result->isCondition = true;
  result->id = nextId++;
  result->constant = result->low = result->high = value;
  result->cost = 0;
  nodes.InsertNode(result, position);
  return Expr(result);
}
