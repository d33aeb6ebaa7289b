// Simplification under a condition.
#include "Tiny/Algebra/Steps.h"
#include "Traversal.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

SmallVector<Expr> tiny::membersOf(Expr condition) {
  if (!condition.is(ExprKind::And))
    return {condition};
  SmallVector<Expr> members;
  for (const ExprNode *member : condition->operands)
    members.push_back(Expr(member));
  return members;
}

static SmallVector<const ExprNode *> leavesOf(Expr e) {
  SmallVector<const ExprNode *> leaves;
  for (const ExprNode *node : postorder(e))
    if (node->kind == ExprKind::Leaf)
      leaves.push_back(node);
  return leaves;
}

SmallVector<SmallVector<Expr>> tiny::connectedMembers(ArrayRef<Expr> members) {
  IntEqClasses classes(members.size());
  DenseMap<const ExprNode *, unsigned> firstWith;
  for (auto [k, member] : enumerate(members))
    for (const ExprNode *leaf : leavesOf(member))
      classes.join(k, firstWith.try_emplace(leaf, k).first->second);
  classes.compress();
  SmallVector<SmallVector<Expr>> result(classes.getNumClasses());
  for (auto [k, member] : enumerate(members))
    result[classes[k]].push_back(member);
  return result;
}

/// The members of a conjunction that share a leaf with `a`, or with another such member.
static SmallVector<Expr> relevantMembers(ArrayRef<Expr> members, Expr a) {
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
/// The bounds that the comparisons of a conjunction give to their atoms.
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
    // bound-below, bound-above: c t + y >= 0 -> t >= -(m // c),  y - c t >= 0 -> t <= m // c   [c > 0, y <= m]
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

/// The nodes of an expression.
static DenseSet<const ExprNode *> nodesOf(Expr e) {
  SmallVector<const ExprNode *> order = postorder(e);
  return {order.begin(), order.end()};
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

/// `a` under the conjunction of `members`: tries what the rules make of it with each member's knowledge.
static Expr searchUnder(ExprContext &context, Expr a, ArrayRef<Expr> members) {
  Domains domains;
  for (int round = 0; round < 8; ++round) {
    bool changed = false;
    for (Expr member : members) {
      if (!member.is(ExprKind::NonNegative) && !member.is(ExprKind::IsZero))
        continue;
      LinearForm form = context.linear(member.operand(0));
      domains.restrict(form, changed);
      if (member.is(ExprKind::IsZero) && !domains.isEmpty) {
        LinearForm negated;
        negated.add(form, -1);
        domains.restrict(negated, changed);
      }
      // The condition never holds: any value will do.
      if (domains.isEmpty)
        return a->isCondition ? context.condition(false) : context.constant(0);
    }
    if (!changed)
      break;
  }
  // Replace members that hold by true, and atoms by leaves with narrower bounds, and run the rules again.
  DenseMap<const ExprNode *, Expr> forward, backward;
  for (Expr member : members) {
    forward[member.get()] = context.condition(true);
    if (!member.is(ExprKind::And) && !member.is(ExprKind::Or))
      if (Expr negated = context.logicalNot(member))
        forward[negated.get()] = context.condition(false);
  }
  for (auto &[atom, bounds] : domains.bounds) {
    if (bounds.isConstant()) {
      forward[atom] = context.constant(bounds.low);
      continue;
    }
    Expr fresh = context.refinedLeaf(Expr(atom), bounds);
    forward[atom] = fresh;
    backward[fresh.get()] = Expr(atom);
  }
  Expr best = a;
  Expr tried = context.substitute(context.substitute(a, forward), backward);
  if (tried && tried.cost() < best.cost() && dividesLike(tried, a))
    best = tried;
  // A sum that the condition bounds may occur as a whole: let a new variable stand for it, in place of one of its
  // atoms; for each sum alone, and for all of them together.
  Expr together = a;
  DenseMap<const ExprNode *, Expr> restoreAll;
  DenseMap<const ExprNode *, char> taken;
  DenseMap<const ExprNode *, DenseSet<const ExprNode *>> nodes; // of where a search starts
  DenseSet<const ExprNode *> triedPlain;
  for (Expr member : members) {
    if (!member.is(ExprKind::NonNegative) && !member.is(ExprKind::IsZero))
      continue;
    LinearForm part = context.linear(member.operand(0));
    if (part.terms.size() < 2)
      continue;
    part.constant = 0;
    Expr whole = context.sum(part);
    if (!whole)
      continue;
    std::optional<Bounds> range = domains.boundsOfPart(context, part, whole, members);
    if (!range)
      return a->isCondition ? context.condition(false) : context.constant(0);
    Expr fresh = range->isConstant() ? context.constant(range->low) : context.refinedLeaf(whole, *range);
    bool isFree = none_of(part.terms, [&](const LinearForm::Term &term) { return taken.count(term.atom.get()); });
    for (const LinearForm::Term &term : part.terms) {
      if (term.coefficient != 1 && term.coefficient != -1)
        continue;
      // eliminate: t -> +-(whole - others)
      LinearForm solved = part, replacement;
      solved.add(term.atom, -term.coefficient);
      replacement.add(context.linear(fresh), term.coefficient);
      replacement.add(solved, -term.coefficient);
      Expr value = context.sum(replacement);
      if (!value)
        continue;
      if (isFree) {
        together = context.substitute(together, {{term.atom.get(), value}});
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
      replace[term.atom.get()] = context.substitute(value, forward);
      if (!fresh.is(ExprKind::Constant))
        restore[fresh.get()] = whole;
      if (!replace[term.atom.get()])
        continue;
      for (Expr start : {a, best}) {
        auto [entry, isNew] = nodes.try_emplace(start.get());
        if (isNew)
          entry->second = nodesOf(start);
        // Where the atom does not occur, only the bounds of the others count: the same for all such atoms.
        if (!entry->second.contains(term.atom.get()) && !triedPlain.insert(start.get()).second)
          continue;
        Expr result = context.substitute(context.substitute(context.substitute(start, replace), backward), restore);
        if (result && result.cost() < best.cost() && dividesLike(result, a))
          best = result;
      }
    }
  }
  if (restoreAll.size() > 1) {
    Expr result = context.substitute(together, restoreAll);
    if (result && result.cost() < best.cost() && dividesLike(result, a))
      best = result;
  }
  return best;
}

/// What costs more is neither simplified under conditions nor a condition itself. The search rebuilds the expression
/// for each atom of each member, and a stack of views that do not merge, each of which doubles the cost of the tree,
/// gives ever more and larger members and nothing to find.
static constexpr int64_t kMaxSearchedCost = 4096;

Expr ExprContext::given(Expr a, Expr condition) {
  if (!a || !condition || condition.is(ExprKind::Constant) || a.is(ExprKind::Constant) || a.cost() > kMaxSearchedCost)
    return a;
  SmallVector<Expr> members = membersOf(condition);
  size_t numMembers = members.size();
  erase_if(members, [](Expr member) { return member.cost() > kMaxSearchedCost; });
  Expr premise = members.size() == numMembers ? condition : junction(true, members);
  members = relevantMembers(members, a);
  if (!premise || members.empty())
    return a;
  // No node's kind: such a key is the search's own.
  constexpr unsigned search = unsigned(ExprKind::Xor) + 1;
  auto key = std::make_pair(std::make_pair(a.get(), premise.get()), search);
  if (Expr known = cache.lookup(key))
    return known;
  Expr result = searchUnder(*this, a, members);
  return cache[key] = result == a || mayApply("given") ? result : a;
}
