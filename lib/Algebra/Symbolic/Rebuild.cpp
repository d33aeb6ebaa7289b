// Whole expressions: rebuilding, substitution, and simplification of every part.
#include "Traversal.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

SmallVector<const ExprNode *> tiny::postorder(Expr root) {
  SmallVector<const ExprNode *> order;
  DenseMap<const ExprNode *, bool> state; // false: operands pending
  SmallVector<const ExprNode *> stack{root.get()};
  while (!stack.empty()) {
    const ExprNode *node = stack.back();
    auto [entry, isNew] = state.try_emplace(node, false);
    if (isNew) {
      for (const ExprNode *operand : reverse(node->operands))
        if (!state.count(operand))
          stack.push_back(operand);
      continue;
    }
    stack.pop_back();
    if (entry->second)
      continue;
    entry->second = true;
    order.push_back(node);
  }
  return order;
}

/// The node made again, by the rules, from new operands.
Expr ExprContext::rebuild(const ExprNode *node, ArrayRef<Expr> operands) {
  if (any_of(operands, [](Expr operand) { return !operand; }))
    return {};
  switch (node->kind) {
  case ExprKind::Constant:
  case ExprKind::Leaf:
    return Expr(node);
  case ExprKind::Sum: {
    LinearForm form;
    form.constant = node->constant;
    for (auto [operand, coefficient] : zip_equal(operands, node->coefficients))
      form.add(linear(operand), coefficient);
    return sum(form);
  }
  case ExprKind::Product: {
    Expr result = operands[0];
    for (Expr operand : operands.drop_front())
      result = mul(result, operand);
    return result;
  }
  case ExprKind::FloorDiv:
    return floorDiv(operands[0], operands[1]);
  case ExprKind::Mod:
    return mod(operands[0], operands[1]);
  case ExprKind::TruncDiv:
    return truncDiv(operands[0], operands[1]);
  case ExprKind::TruncRem:
    return truncRem(operands[0], operands[1]);
  case ExprKind::Min:
    return min(operands[0], operands[1]);
  case ExprKind::Max:
    return max(operands[0], operands[1]);
  case ExprKind::BitAnd:
    return bitAnd(operands[0], operands[1]);
  case ExprKind::BitOr:
    return bitOr(operands[0], operands[1]);
  case ExprKind::BitXor:
    return bitXor(operands[0], operands[1]);
  case ExprKind::Select:
    return select(operands[0], operands[1], operands[2]);
  case ExprKind::NonNegative:
    return nonNegative(operands[0]);
  case ExprKind::IsZero:
    return isZero(operands[0]);
  case ExprKind::Not:
    return logicalNot(operands[0]);
  case ExprKind::And:
  case ExprKind::Or:
    return junction(node->kind == ExprKind::And, operands);
  case ExprKind::Xor:
    return logicalXor(operands[0], operands[1]);
  }
  llvm_unreachable("covered switch");
}

Expr ExprContext::substitute(Expr a, const DenseMap<const ExprNode *, Expr> &replacements) {
  if (!a)
    return {};
  DenseMap<const ExprNode *, Expr> result;
  for (const ExprNode *node : postorder(a)) {
    if (Expr replacement = replacements.lookup(node)) {
      result[node] = replacement;
      continue;
    }
    SmallVector<Expr, 4> operands;
    bool changed = false;
    for (const ExprNode *operand : node->operands) {
      operands.push_back(result.lookup(operand));
      changed |= operands.back().get() != operand;
    }
    result[node] = changed ? rebuild(node, operands) : Expr(node);
  }
  return result.lookup(a.get());
}

Expr ExprContext::simplifyConjunction(Expr a) {
  for (int round = 0; round < 4 && a.is(ExprKind::And); ++round) {
    Expr before = a;
    SmallVector<Expr> all;
    for (SmallVector<Expr> &members : connectedMembers(membersOf(a))) {
      // The dearest first: what is cheap is a better premise than a conclusion.
      llvm::sort(members,
                 [](Expr x, Expr y) { return std::make_pair(-x.cost(), x->id) < std::make_pair(-y.cost(), y->id); });
      for (size_t k = 0; k < members.size() && members.size() > 1; ++k) {
        SmallVector<Expr> others(members);
        others.erase(others.begin() + k);
        // member: x and y -> (x given y) and y
        Expr premise = junction(true, others);
        Expr next = premise ? given(members[k], premise) : Expr();
        if (next)
          members[k] = next;
        if (next && next.isFalse())
          return next;
      }
      all.append(members);
    }
    Expr next = junction(true, all);
    if (!next || next.cost() > a.cost())
      break;
    a = next;
    if (a == before)
      break;
  }
  return a;
}

Expr ExprContext::simplify(Expr a) {
  if (!a)
    return {};
  for (int round = 0; round < 4; ++round) {
    DenseMap<const ExprNode *, Expr> result;
    for (const ExprNode *node : postorder(a)) {
      SmallVector<Expr, 4> operands;
      for (const ExprNode *operand : node->operands)
        operands.push_back(result.lookup(operand));
      Expr next = rebuild(node, operands);
      if (next && next.is(ExprKind::And)) {
        next = simplifyConjunction(next);
      } else if (next && next.is(ExprKind::Or)) {
        // or-by-and: x or y -> not (not x and not y)
        Expr negated = logicalNot(next);
        Expr simpler = negated ? logicalNot(simplifyConjunction(negated)) : negated;
        if (simpler && simpler.cost() < next.cost())
          next = simpler;
      } else if (next && next.is(ExprKind::Select)) {
        // branch: c ? x : y -> c ? x given c : y given not c
        Expr c = next.operand(0);
        Expr simpler = select(c, given(next.operand(1), c), given(next.operand(2), logicalNot(c)));
        if (simpler && simpler.cost() < next.cost())
          next = simpler;
      }
      result[node] = next ? next : Expr(node);
    }
    Expr next = result.lookup(a.get());
    if (!next || next == a || next.cost() > a.cost())
      break;
    a = next;
  }
  return a;
}
