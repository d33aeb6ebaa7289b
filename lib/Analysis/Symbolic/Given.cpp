// Whole expressions: substitution, simplification under a condition, and of a condition's members under each other.
#include "Tiny/Analysis/Symbolic.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

/// Every node below `root`, operands first, each once. Iterative.
static SmallVector<const ExprNode *> postorder(Expr root) {
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

static SmallVector<Expr> membersOf(Expr condition) {
  if (!condition.is(ExprKind::And))
    return {condition};
  SmallVector<Expr> members;
  for (const ExprNode *member : condition->operands)
    members.push_back(Expr(member));
  return members;
}

/// The members of a conjunction that share a leaf with `a`, or with another such member.
static SmallVector<Expr> relevantMembers(ArrayRef<Expr> members, Expr a) {
  auto leavesOf = [](Expr e) {
    SmallVector<const ExprNode *> leaves;
    for (const ExprNode *node : postorder(e))
      if (node->kind == ExprKind::Leaf)
        leaves.push_back(node);
    return leaves;
  };
  DenseMap<const ExprNode *, SmallVector<unsigned>> membersWith;
  SmallVector<SmallVector<const ExprNode *>> leaves;
  for (auto [k, member] : enumerate(members)) {
    leaves.push_back(leavesOf(member));
    for (const ExprNode *leaf : leaves.back())
      membersWith[leaf].push_back(k);
  }
  SmallVector<bool> isRelevant(members.size(), false);
  DenseMap<const ExprNode *, char> seen;
  SmallVector<const ExprNode *> worklist = leavesOf(a);
  while (!worklist.empty()) {
    const ExprNode *leaf = worklist.pop_back_val();
    if (!seen.try_emplace(leaf, 1).second)
      continue;
    for (unsigned k : membersWith.lookup(leaf))
      if (!isRelevant[k]) {
        isRelevant[k] = true;
        worklist.append(leaves[k].begin(), leaves[k].end());
      }
  }
  SmallVector<Expr> result;
  for (auto [k, member] : enumerate(members))
    if (isRelevant[k])
      result.push_back(member);
  return result;
}

namespace {
/// What a conjunction says of the bounds of the atoms in its comparisons.
struct Domains {
  MapVector<const ExprNode *, Bounds> bounds;
  bool isEmpty = false;

  Bounds of(Expr atom) const {
    auto *found = bounds.find(atom.get());
    return found == bounds.end() ? atom.bounds() : found->second;
  }
  void restrict(const LinearForm &form, bool &changed);
  std::optional<Bounds> boundsOfPart(const ExprContext &context, const LinearForm &part, Expr whole,
                                     ArrayRef<Expr> members) const;
};
} // namespace

/// Narrows the bounds of each atom by form >= 0.
void Domains::restrict(const LinearForm &form, bool &changed) {
  Wide most = form.constant;
  for (const LinearForm::Term &term : form.terms) {
    Bounds b = of(term.atom);
    most += std::max(term.coefficient * b.low, term.coefficient * b.high);
  }
  for (const LinearForm::Term &term : form.terms) {
    Bounds b = of(term.atom);
    Wide others = most - std::max(term.coefficient * b.low, term.coefficient * b.high);
    // c t >= -others
    if (term.coefficient > 0)
      b.low = int64_t(std::max<Wide>(b.low, -floorDivide(others, term.coefficient)));
    else
      b.high = int64_t(std::min<Wide>(b.high, floorDivide(others, -term.coefficient)));
    if (b.low > b.high) {
      isEmpty = true;
      return;
    }
    if (b == of(term.atom))
      continue;
    bounds[term.atom.get()] = b;
    changed = true;
  }
}

/// Bounds of a sum: from its atoms, and from every comparison of the same sum. None if they leave nothing.
std::optional<Bounds> Domains::boundsOfPart(const ExprContext &context, const LinearForm &part, Expr whole,
                                            ArrayRef<Expr> members) const {
  Wide low = 0, high = 0;
  for (const LinearForm::Term &term : part.terms) {
    Bounds b = of(term.atom);
    low += std::min(term.coefficient * b.low, term.coefficient * b.high);
    high += std::max(term.coefficient * b.low, term.coefficient * b.high);
  }
  low = std::max<Wide>(low, whole->low);
  high = std::min<Wide>(high, whole->high);
  for (Expr member : members) {
    bool isEquality = member.is(ExprKind::IsZero);
    if (!isEquality && !member.is(ExprKind::NonNegative))
      continue;
    for (int sign : {1, -1}) {
      // sign * part + c >= 0, or == 0
      LinearForm difference = context.linear(member.operand(0));
      difference.add(part, -sign);
      if (!difference.terms.empty())
        continue;
      Wide c = difference.constant;
      if (sign > 0 || isEquality)
        low = std::max(low, sign > 0 ? -c : c);
      if (sign < 0 || isEquality)
        high = std::min(high, sign < 0 ? c : -c);
    }
  }
  if (low > high)
    return std::nullopt;
  return Bounds{int64_t(low), int64_t(high)};
}

/// What the condition says of a divisor may be false elsewhere, and there a division by zero must not appear: every
/// divisor that is not a constant must be one of the original's.
static bool dividesLike(Expr result, Expr original) {
  auto divisors = [](Expr e) {
    DenseMap<const ExprNode *, char> found;
    for (const ExprNode *node : postorder(e))
      if (node->kind >= ExprKind::FloorDiv && node->kind <= ExprKind::TruncRem)
        if (node->operands[1]->kind != ExprKind::Constant)
          found[node->operands[1]] = 1;
    return found;
  };
  DenseMap<const ExprNode *, char> known = divisors(original), used = divisors(result);
  return all_of(used, [&](auto &entry) { return known.count(entry.first); });
}

Expr ExprContext::given(Expr a, Expr condition) {
  if (!a || !condition || condition.is(ExprKind::Constant) || a.is(ExprKind::Constant))
    return a;
  SmallVector<Expr> members = relevantMembers(membersOf(condition), a);
  if (members.empty())
    return a;
  Domains domains;
  for (int round = 0; round < 8; ++round) {
    bool changed = false;
    for (Expr member : members) {
      if (!member.is(ExprKind::NonNegative) && !member.is(ExprKind::IsZero))
        continue;
      LinearForm form = linear(member.operand(0));
      domains.restrict(form, changed);
      if (member.is(ExprKind::IsZero) && !domains.isEmpty) {
        LinearForm negated;
        negated.add(form, -1);
        domains.restrict(negated, changed);
      }
      // The condition never holds: any value will do.
      if (domains.isEmpty)
        return a->isCondition ? this->condition(false) : constant(0);
    }
    if (!changed)
      break;
  }
  // What is known to hold, and atoms with narrower bounds, stand for themselves while the rules run again.
  DenseMap<const ExprNode *, Expr> forward, backward;
  for (Expr member : members) {
    forward[member.get()] = this->condition(true);
    if (!member.is(ExprKind::And) && !member.is(ExprKind::Or))
      if (Expr negated = logicalNot(member))
        forward[negated.get()] = this->condition(false);
  }
  for (auto &[atom, bounds] : domains.bounds) {
    if (bounds.isConstant()) {
      forward[atom] = constant(bounds.low);
      continue;
    }
    Expr fresh = refinedLeaf(Expr(atom), bounds);
    forward[atom] = fresh;
    backward[fresh.get()] = Expr(atom);
  }
  Expr best = a;
  Expr tried = substitute(substitute(a, forward), backward);
  if (tried && tried.cost() < best.cost() && dividesLike(tried, a))
    best = tried;
  // A sum that the condition bounds may occur as a whole: let a new variable stand for it, in place of one of its atoms;
  // for each sum alone, and for all of them together.
  Expr together = a;
  DenseMap<const ExprNode *, Expr> restoreAll;
  DenseMap<const ExprNode *, char> taken;
  for (Expr member : members) {
    if (!member.is(ExprKind::NonNegative) && !member.is(ExprKind::IsZero))
      continue;
    LinearForm part = linear(member.operand(0));
    if (part.terms.size() < 2)
      continue;
    part.constant = 0;
    Expr whole = sum(part);
    if (!whole)
      continue;
    std::optional<Bounds> range = domains.boundsOfPart(*this, part, whole, members);
    if (!range)
      return a->isCondition ? this->condition(false) : constant(0);
    Expr fresh = range->isConstant() ? constant(range->low) : refinedLeaf(whole, *range);
    bool isFree = none_of(part.terms, [&](const LinearForm::Term &term) { return taken.count(term.atom.get()); });
    for (const LinearForm::Term &term : part.terms) {
      if (term.coefficient != 1 && term.coefficient != -1)
        continue;
      // t = +-(whole - others)
      LinearForm solved = part, replacement;
      solved.add(term.atom, -term.coefficient);
      replacement.add(linear(fresh), term.coefficient);
      replacement.add(solved, -term.coefficient);
      Expr value = sum(replacement);
      if (!value)
        continue;
      if (isFree) {
        together = substitute(together, {{term.atom.get(), value}});
        for (const LinearForm::Term &each : part.terms)
          taken[each.atom.get()] = 1;
        if (!fresh.is(ExprKind::Constant))
          restoreAll[fresh.get()] = whole;
        isFree = false;
      }
      // The other atoms keep their narrower bounds.
      DenseMap<const ExprNode *, Expr> replace, restore;
      for (auto &[atom, bounds] : domains.bounds)
        replace[atom] = forward.lookup(atom);
      replace[term.atom.get()] = substitute(value, forward);
      if (!fresh.is(ExprKind::Constant))
        restore[fresh.get()] = whole;
      if (!replace[term.atom.get()])
        continue;
      for (Expr start : {a, best}) {
        Expr result = substitute(substitute(substitute(start, replace), backward), restore);
        if (result && result.cost() < best.cost() && dividesLike(result, a))
          best = result;
      }
    }
  }
  if (restoreAll.size() > 1) {
    Expr result = substitute(together, restoreAll);
    if (result && result.cost() < best.cost() && dividesLike(result, a))
      best = result;
  }
  return best;
}

Expr ExprContext::simplifyConjunction(Expr a) {
  for (int round = 0; round < 4 && a.is(ExprKind::And); ++round) {
    Expr before = a;
    SmallVector<Expr> members = membersOf(a);
    // The dearest first: what is cheap is a better premise than a conclusion.
    llvm::sort(members, [](Expr x, Expr y) { return std::make_pair(-x.cost(), x->id) < std::make_pair(-y.cost(), y->id); });
    for (size_t k = 0; k < members.size(); ++k) {
      SmallVector<Expr> others(members);
      others.erase(others.begin() + k);
      Expr premise = junction(true, others);
      Expr next = premise ? given(members[k], premise) : Expr();
      if (next)
        members[k] = next;
      if (next && next.isFalse())
        return next;
    }
    Expr next = junction(true, members);
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
        // x or y -> not (not x and not y)
        Expr negated = logicalNot(next);
        Expr simpler = negated ? logicalNot(simplifyConjunction(negated)) : negated;
        if (simpler && simpler.cost() < next.cost())
          next = simpler;
      } else if (next && next.is(ExprKind::Select)) {
        // c ? x : y -> c ? x given c : y given not c
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

std::optional<int64_t> ExprContext::evaluate(Expr a, function_ref<int64_t(int64_t)> leaves) const {
  DenseMap<const ExprNode *, Wide> values;
  for (const ExprNode *node : postorder(a)) {
    SmallVector<Wide, 4> v;
    for (const ExprNode *operand : node->operands)
      v.push_back(values.lookup(operand));
    Wide result = node->constant;
    bool divides = node->kind == ExprKind::FloorDiv || node->kind == ExprKind::Mod ||
                   node->kind == ExprKind::TruncDiv || node->kind == ExprKind::TruncRem;
    if (divides && v[1] == 0)
      return std::nullopt;
    switch (node->kind) {
    case ExprKind::Constant:
      break;
    case ExprKind::Leaf:
      result = leaves(node->constant);
      break;
    case ExprKind::Sum:
      for (auto [value, coefficient] : zip_equal(v, node->coefficients))
        result += value * coefficient;
      break;
    case ExprKind::Product:
      result = 1;
      for (Wide value : v)
        result *= value;
      break;
    case ExprKind::FloorDiv:
      result = floorDivide(v[0], v[1]);
      break;
    case ExprKind::Mod:
      result = floorModulo(v[0], v[1]);
      break;
    case ExprKind::TruncDiv:
      result = v[0] / v[1];
      break;
    case ExprKind::TruncRem:
      result = v[0] % v[1];
      break;
    case ExprKind::Min:
      result = std::min(v[0], v[1]);
      break;
    case ExprKind::Max:
      result = std::max(v[0], v[1]);
      break;
    case ExprKind::BitAnd:
      result = v[0] & v[1];
      break;
    case ExprKind::BitOr:
      result = v[0] | v[1];
      break;
    case ExprKind::BitXor:
      result = v[0] ^ v[1];
      break;
    case ExprKind::Select:
      result = v[0] ? v[1] : v[2];
      break;
    case ExprKind::NonNegative:
      result = v[0] >= 0;
      break;
    case ExprKind::IsZero:
      result = v[0] == 0;
      break;
    case ExprKind::Not:
      result = !v[0];
      break;
    case ExprKind::And:
      result = all_of(v, [](Wide value) { return value != 0; });
      break;
    case ExprKind::Or:
      result = any_of(v, [](Wide value) { return value != 0; });
      break;
    case ExprKind::Xor:
      result = v[0] != v[1];
      break;
    }
    if (result > Wide(1) << 63 || result < -(Wide(1) << 63))
      return std::nullopt;
    values[node] = result;
  }
  return int64_t(values.lookup(a.get()));
}

void ExprContext::print(Expr a, raw_ostream &os) const {
  if (!a) {
    os << "null";
    return;
  }
  DenseMap<const ExprNode *, std::string> text;
  auto joined = [&](const ExprNode *node, StringRef separator) {
    std::string result = "(";
    for (auto [k, operand] : enumerate(node->operands))
      result += (k ? separator.str() : "") + text.lookup(operand);
    return result + ")";
  };
  for (const ExprNode *node : postorder(a)) {
    static constexpr const char *names[] = {"",    "",    "",    "*", "//", "mod", "cdiv", "rem", "min", "max",
                                            "&",   "|",   "^",   "?", ">=", "==",  "not",  "and", "or",  "xor"};
    std::string &t = text[node];
    if (node->kind == ExprKind::Constant) {
      t = node->isCondition ? (node->constant ? "true" : "false") : std::to_string(node->constant);
    } else if (node->kind == ExprKind::Leaf) {
      t = "v" + std::to_string(node->constant);
    } else if (node->kind == ExprKind::Sum) {
      std::string result = "(";
      for (auto [k, pair] : enumerate(zip_equal(node->operands, node->coefficients))) {
        auto [operand, coefficient] = pair;
        result += k ? " + " : "";
        result += coefficient == 1 ? "" : std::to_string(coefficient) + "*";
        result += text.lookup(operand);
      }
      if (node->constant)
        result += " + " + std::to_string(node->constant);
      text[node] = result + ")";
    } else {
      std::string name = names[unsigned(node->kind)];
      std::string body = node->operands.size() == 1 ? "(" + name + " " + text.lookup(node->operands[0]) + ")"
                                                    : joined(node, " " + name + " ");
      text[node] = body;
    }
  }
  os << text.lookup(a.get());
}
