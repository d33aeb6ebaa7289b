// Conditions as unions of integer polyhedra.
#include "Tiny/Algebra/Symbolic/Exact.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;
using namespace tiny;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;

namespace {
/// constant + sum of coefficient * column.
struct Row {
  DynamicAPInt constant = DynamicAPInt(0);
  std::map<unsigned, DynamicAPInt> columns;

  void add(const Row &other, const DynamicAPInt &factor) {
    constant += other.constant * factor;
    for (auto &[column, coefficient] : other.columns)
      columns[column] += coefficient * factor;
  }
};

/// One conjunction of comparisons, as a polyhedron.
class Conjunction {
public:
  void require(Expr operand, bool isEquality) { constraints.push_back({rowOf(operand), isEquality}); }
  /// A point by leaf number, if there is one.
  std::optional<SmallVector<std::pair<int64_t, int64_t>>> sample();
  bool isEmpty();
  size_t getNumColumns() const { return numColumns; }
  bool isRelaxed() const { return relaxed; }

private:
  Row rowOf(Expr root);
  unsigned columnFor(Bounds bounds);
  IntegerPolyhedron polyhedron() const;

  std::vector<std::pair<Row, bool>> constraints;
  DenseMap<const ExprNode *, Row> rows;
  SmallVector<std::pair<int64_t, unsigned>> leafColumns;
  unsigned numColumns = 0;
  bool relaxed = false;
};
} // namespace

unsigned Conjunction::columnFor(Bounds bounds) {
  unsigned column = numColumns++;
  for (int sign : {1, -1}) {
    int64_t bound = sign > 0 ? bounds.low : bounds.high;
    if (std::abs(bound) == kIndexLimit)
      continue;
    Row row;
    row.columns[column] = DynamicAPInt(sign);
    row.constant = DynamicAPInt(-sign * bound);
    constraints.push_back({row, false});
  }
  return column;
}

Row Conjunction::rowOf(Expr root) {
  SmallVector<const ExprNode *> stack{root.get()};
  while (!stack.empty()) {
    const ExprNode *node = stack.back();
    if (rows.count(node)) {
      stack.pop_back();
      continue;
    }
    bool isDivision = node->kind == ExprKind::FloorDiv || node->kind == ExprKind::Mod;
    int64_t divisor = isDivision && node->operands[1]->kind == ExprKind::Constant ? node->operands[1]->constant : 0;
    bool isLinear = node->kind == ExprKind::Sum || divisor > 0;
    if (isLinear) {
      size_t before = stack.size();
      for (const ExprNode *operand : node->operands)
        if (!rows.count(operand))
          stack.push_back(operand);
      if (stack.size() != before)
        continue;
    }
    stack.pop_back();
    Row row;
    if (node->kind == ExprKind::Constant) {
      row.constant = DynamicAPInt(node->constant);
    } else if (node->kind == ExprKind::Sum) {
      row.constant = DynamicAPInt(node->constant);
      for (auto [operand, coefficient] : zip_equal(node->operands, node->coefficients))
        row.add(rows[operand], DynamicAPInt(coefficient));
    } else if (divisor > 0) {
      // 0 <= x - d q <= d - 1
      unsigned quotient = columnFor({});
      Row least = rows[node->operands[0]];
      least.columns[quotient] -= DynamicAPInt(divisor);
      Row most;
      most.constant = DynamicAPInt(divisor - 1);
      most.add(least, DynamicAPInt(-1));
      constraints.push_back({least, false});
      constraints.push_back({most, false});
      if (node->kind == ExprKind::Mod)
        row = least;
      else
        row.columns[quotient] = DynamicAPInt(1);
    } else {
      unsigned column = columnFor({node->low, node->high});
      row.columns[column] = DynamicAPInt(1);
      if (node->kind == ExprKind::Leaf)
        leafColumns.push_back({node->constant, column});
      else
        relaxed = true;
    }
    rows[node] = row;
  }
  return rows[root.get()];
}

IntegerPolyhedron Conjunction::polyhedron() const {
  IntegerPolyhedron result(PresburgerSpace::getSetSpace(numColumns));
  for (const auto &[row, isEquality] : constraints) {
    SmallVector<DynamicAPInt> flat(numColumns + 1, DynamicAPInt(0));
    for (auto &[column, coefficient] : row.columns)
      flat[column] = coefficient;
    flat[numColumns] = row.constant;
    isEquality ? result.addEquality(flat) : result.addInequality(flat);
  }
  return result;
}

bool Conjunction::isEmpty() { return polyhedron().isIntegerEmpty(); }

std::optional<SmallVector<std::pair<int64_t, int64_t>>> Conjunction::sample() {
  auto point = polyhedron().findIntegerSample();
  if (!point)
    return std::nullopt;
  SmallVector<std::pair<int64_t, int64_t>> result;
  for (auto [leaf, column] : leafColumns)
    result.push_back({leaf, int64_t((*point)[column])});
  return result;
}

Satisfaction tiny::satisfy(ExprContext &context, Expr condition) {
  using Verdict = Satisfaction::Verdict;
  Satisfaction answer;
  if (!condition)
    return answer;
  if (condition.isFalse()) {
    answer.verdict = Verdict::Never;
    return answer;
  }
  // Disjunctive normal form, one conjunction at a time.
  constexpr unsigned kMaxConjunctions = 64;
  constexpr size_t kMaxColumns = 40;
  struct Partial {
    SmallVector<Expr> open, literals;
  };
  std::vector<Partial> worklist{{{condition}, {}}};
  unsigned conjunctions = 0;
  bool isUnknown = false;
  while (!worklist.empty()) {
    Partial partial = std::move(worklist.back());
    worklist.pop_back();
    bool split = false;
    while (!partial.open.empty() && !split) {
      Expr member = partial.open.pop_back_val();
      bool isUnequal = member.is(ExprKind::Not) && member.operand(0).is(ExprKind::IsZero);
      SmallVector<Expr> choices;
      if (member.is(ExprKind::And)) {
        for (const ExprNode *inner : member->operands)
          partial.open.push_back(Expr(inner));
      } else if (member.is(ExprKind::Or)) {
        for (const ExprNode *inner : member->operands)
          choices.push_back(Expr(inner));
      } else if (isUnequal) {
        Expr difference = member.operand(0).operand(0);
        choices = {context.gt(difference, context.constant(0)), context.lt(difference, context.constant(0))};
      } else if (member.isFalse()) {
        split = true;
      } else {
        partial.literals.push_back(member);
      }
      for (Expr choice : choices) {
        if (!choice)
          return answer;
        worklist.push_back(partial);
        worklist.back().open.push_back(choice);
        split = true;
      }
    }
    if (split) {
      if (worklist.size() > kMaxConjunctions)
        return answer;
      continue;
    }
    if (++conjunctions > kMaxConjunctions)
      return answer;
    Conjunction conjunction;
    bool isRelaxed = false;
    for (Expr literal : partial.literals) {
      if (literal.is(ExprKind::NonNegative) || literal.is(ExprKind::IsZero))
        conjunction.require(literal.operand(0), literal.is(ExprKind::IsZero));
      else
        isRelaxed |= !literal.isTrue(); // a condition of its own: it may be either
    }
    if (conjunction.getNumColumns() > kMaxColumns) {
      isUnknown = true;
      continue;
    }
    if (conjunction.isEmpty())
      continue;
    std::optional<SmallVector<std::pair<int64_t, int64_t>>> point = conjunction.sample();
    if (!point) {
      isUnknown = true;
      continue;
    }
    answer.point = *point;
    std::optional<int64_t> value = context.evaluate(condition, [&](int64_t leaf) {
      for (auto [number, at] : *point)
        if (number == leaf)
          return at;
      return int64_t(0);
    });
    bool isConfirmed = value && *value;
    if (isConfirmed || !(isRelaxed || conjunction.isRelaxed())) {
      answer.verdict = Verdict::Somewhere;
      return answer;
    }
    isUnknown = true;
  }
  answer.verdict = isUnknown ? Verdict::Unknown : Verdict::Never;
  return answer;
}
