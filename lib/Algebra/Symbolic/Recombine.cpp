// Terms of a sum that belong together: quotients and remainders of one number, selects by one condition.
#include "Tiny/Algebra/Steps.h"
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

/// The divisor of a quotient or remainder by a constant, else 0.
static int64_t constantDivisor(Expr a, ExprKind kind) {
  if (!a.is(kind))
    return 0;
  return a.operand(1).asConstant().value_or(0);
}

/// `a` and `b` as linear forms differ by a multiple of `modulus` in every coefficient: their difference divided by it.
static std::optional<LinearForm> multipleBetween(const LinearForm &a, const LinearForm &b, int64_t modulus) {
  LinearForm difference = a;
  difference.add(b, -1);
  if (difference.constant % modulus != 0)
    return std::nullopt;
  difference.constant /= modulus;
  for (LinearForm::Term &term : difference.terms) {
    if (term.coefficient % modulus != 0)
      return std::nullopt;
    term.coefficient /= modulus;
  }
  return difference;
}

/// d - 1 - form: -floor(form / d) = floor((d - 1 - form) / d).
static LinearForm flipped(const LinearForm &form, int64_t d) {
  LinearForm result;
  result.add(form, -1);
  result.constant += d - 1;
  return result;
}

/// `form` with every coefficient and the constant reduced modulo d: equal for numerators whose quotients by d differ by
/// something linear.
static SmallVector<int64_t> residueOf(const LinearForm &form, int64_t d) {
  SmallVector<int64_t> key{d, int64_t(floorModulo(form.constant, d))};
  for (const LinearForm::Term &term : form.terms)
    if (Wide r = floorModulo(term.coefficient, d); r != 0)
      key.append({int64_t(term.atom->id), int64_t(r)});
  return key;
}

/// One pass over a sum. It applies many rewrites at once: each reads only terms that none before it has changed, so
/// that the order in which they are found does not matter, and a long sum takes few passes.
class tiny::SumPass {
public:
  using Term = LinearForm::Term;
  explicit SumPass(LinearForm &form) : form(form) {}

  bool isFresh(Expr atom) const { return !dirty.contains(atom.get()); }
  bool areFresh(const LinearForm &part) const {
    return all_of(part.terms, [&](const Term &term) { return isFresh(term.atom); });
  }
  void add(Expr atom, Wide coefficient) {
    dirty.insert(atom.get());
    changes.push_back({atom, coefficient});
  }
  void add(const LinearForm &part, Wide factor) {
    constant += part.constant * factor;
    for (const Term &term : part.terms)
      add(term.atom, term.coefficient * factor);
  }
  /// Writes the changes to the sum; true if there were any.
  bool finish() {
    if (changes.empty() && constant == 0)
      return false;
    llvm::sort(changes, [](const Term &a, const Term &b) { return a.atom < b.atom; });
    LinearForm difference;
    difference.constant = constant;
    for (const Term &change : changes)
      difference.add(change.atom, change.coefficient);
    form.add(difference);
    return true;
  }

private:
  LinearForm &form;
  DenseSet<const ExprNode *> dirty;
  SmallVector<Term> changes;
  Wide constant = 0;
};

/// Sums of remainders with the quotients, or the remainders of quotients, that belong to them.
void ExprContext::combineRemainders(SumPass &pass, ArrayRef<LinearForm::Term> mods,
                                    ArrayRef<LinearForm::Term> quotients) {
  // Candidates are found by what they must share, so that a long sum is not a square of work.
  std::set<Wide> coefficients;
  std::map<SmallVector<int64_t>, SmallVector<unsigned>> byResidue, byFlippedResidue;
  for (auto [k, term] : enumerate(quotients)) {
    int64_t d = constantDivisor(term.atom, ExprKind::FloorDiv);
    LinearForm numerator = linear(term.atom.operand(0));
    byResidue[residueOf(numerator, d)].push_back(k);
    byFlippedResidue[residueOf(flipped(numerator, d), d)].push_back(k);
    coefficients.insert(term.coefficient);
    coefficients.insert(-term.coefficient);
  }
  DenseMap<const ExprNode *, SmallVector<unsigned>> modsOver;
  for (auto [k, term] : enumerate(mods)) {
    coefficients.insert(term.coefficient);
    for (const LinearForm::Term &part : linear(term.atom.operand(0)).terms)
      modsOver[part.atom.get()].push_back(k);
  }

  for (const LinearForm::Term &mod : mods) {
    int64_t m = constantDivisor(mod.atom, ExprKind::Mod);
    Wide a = mod.coefficient;
    Expr x = mod.atom.operand(0);
    if (!pass.isFresh(mod.atom) || !coefficients.count(a * m))
      continue;
    Expr quotient = floorDiv(x, constant(m));
    if (!quotient)
      continue;
    LinearForm whole = linear(quotient);

    // recombine, shift-quotient: a (x mod m) + a m (x // m) -> a x, where floor(X' / d) -> floor(X / d) + K   [X' = X +
    // d K]
    auto combineWith = [&](const LinearForm::Term &part, const LinearForm::Term &other, bool isFlipped) {
      int64_t d = constantDivisor(other.atom, ExprKind::FloorDiv);
      LinearForm numerator = linear(other.atom.operand(0));
      std::optional<LinearForm> k =
          multipleBetween(linear(part.atom.operand(0)), isFlipped ? flipped(numerator, d) : numerator, d);
      if (!k || other.coefficient != (isFlipped ? -a * m : a * m) || !pass.isFresh(other.atom) ||
          !mayApply("recombine"))
        return false;
      // x // m = +-other + (x // m - part) + K, so a m (+-other) = a x - a (x mod m) - a m (the rest)
      LinearForm rest = whole;
      rest.add(part.atom, -1);
      rest.add(*k);
      pass.add(mod.atom, -a);
      pass.add(other.atom, -other.coefficient);
      pass.add(linear(x), a);
      pass.add(rest, -a * m);
      return true;
    };
    auto combine = [&] {
      for (const LinearForm::Term &part : whole.terms) {
        int64_t d = constantDivisor(part.atom, ExprKind::FloorDiv);
        if (d == 0 || part.coefficient != 1)
          continue;
        SmallVector<int64_t> residue = residueOf(linear(part.atom.operand(0)), d);
        for (bool isFlipped : {false, true}) {
          auto &index = isFlipped ? byFlippedResidue : byResidue;
          auto found = index.find(residue);
          if (found != index.end() &&
              any_of(found->second, [&](unsigned k) { return combineWith(part, quotients[k], isFlipped); }))
            return true;
        }
      }
      return false;
    };
    if (combine())
      continue;

    // recombine-wider: a (x mod m) + a m ((x // m + y) mod k) -> a ((x + m y) mod (m k))
    std::set<unsigned> candidates;
    for (const LinearForm::Term &part : whole.terms)
      for (unsigned k : modsOver.lookup(part.atom.get()))
        if (mods[k].coefficient == a * m && mods[k].atom != mod.atom && pass.isFresh(mods[k].atom))
          candidates.insert(k);
    for (unsigned candidate : candidates) {
      Expr other = mods[candidate].atom;
      int64_t k = constantDivisor(other, ExprKind::Mod);
      if (Wide(m) * k >= kIndexLimit)
        continue;
      Expr shifted = x;
      if (this->mod(quotient, constant(k)) != other) {
        Expr y = sub(other.operand(0), quotient);
        if (!y || y.cost() + 8 > other.operand(0).cost())
          continue;
        shifted = add(x, mul(y, constant(m)));
      }
      Expr wider = this->mod(shifted, constant(m * k));
      if (!wider || wider.cost() > mod.atom.cost() + 8 || !mayApply("recombine-wider"))
        continue;
      pass.add(mod.atom, -a);
      pass.add(other, -mods[candidate].coefficient);
      pass.add(linear(wider), a);
      break;
    }
  }
}

/// Quotients and remainders with the linear terms of the sum.
void ExprContext::combineQuotients(const LinearForm &form, SumPass &pass, ArrayRef<LinearForm::Term> mods,
                                   ArrayRef<LinearForm::Term> quotients) {
  // Whether the sum holds `factor` times all of x.
  auto holds = [&](const LinearForm &x, Wide factor) {
    return !x.terms.empty() && pass.areFresh(x) && all_of(x.terms, [&](const LinearForm::Term &t) {
      return form.coefficientOf(t.atom) == factor * t.coefficient;
    });
  };
  for (const LinearForm::Term &term : quotients) {
    if (!pass.isFresh(term.atom))
      continue;
    int64_t m = constantDivisor(term.atom, ExprKind::FloorDiv);
    LinearForm inside = linear(term.atom.operand(0));
    // flip: c ((k - x) // d) -> -c ((x + d - 1 - k) // d)   [c < 0, and x costs no more than k - x]
    if (term.coefficient < 0) {
      int64_t negative = count_if(inside.terms, [](const LinearForm::Term &t) { return t.coefficient < 0; });
      if (2 * negative > int64_t(inside.terms.size())) {
        Expr positive = sum(flipped(inside, m));
        Expr quotient = positive ? floorDiv(positive, constant(m)) : positive;
        if (quotient && quotient.cost() <= term.atom.cost() && mayApply("flip")) {
          pass.add(term.atom, -term.coefficient);
          pass.add(linear(quotient), -term.coefficient);
          continue;
        }
      }
    }
    // remainder: -a m (x // m) + a x -> a (x mod m)
    if (term.coefficient % m == 0) {
      Wide a = -term.coefficient / m;
      Expr remainder = holds(inside, a) ? mod(term.atom.operand(0), constant(m)) : Expr();
      if (remainder && mayApply("remainder")) {
        pass.add(term.atom, -term.coefficient);
        pass.add(inside, -a);
        pass.add(linear(remainder), a);
        continue;
      }
    }
    // absorb: b t + c ((r t + y) // d) -> c (((r + d b / c) t + y) // d)    [c divides b]
    for (const LinearForm::Term &part : inside.terms) {
      Wide b = form.coefficientOf(part.atom);
      if (b == 0 || b % term.coefficient != 0 || part.atom == term.atom || !pass.isFresh(part.atom))
        continue;
      LinearForm merged = inside;
      merged.add(part.atom, b / term.coefficient * m);
      Expr numerator = sum(merged);
      if (!numerator || numerator.cost() > term.atom.operand(0).cost())
        continue;
      Expr quotient = floorDiv(numerator, constant(m));
      if (!quotient)
        continue;
      LinearForm change = linear(quotient);
      for (LinearForm::Term &t : change.terms)
        t.coefficient *= term.coefficient;
      change.constant *= term.coefficient;
      change.add(part.atom, -b);
      change.add(term.atom, -term.coefficient);
      // The sum must get shorter.
      int64_t growth = 0;
      for (const LinearForm::Term &t : change.terms) {
        Wide before = form.coefficientOf(t.atom);
        growth += (before + t.coefficient != 0) - (before != 0);
      }
      if (growth >= 0 || !pass.areFresh(change) || !mayApply("absorb"))
        continue;
      pass.add(change, 1);
      break;
    }
  }

  // quotient: a x - a (x mod m) -> a m (x // m)
  for (const LinearForm::Term &term : mods) {
    int64_t m = constantDivisor(term.atom, ExprKind::Mod);
    LinearForm x = linear(term.atom.operand(0));
    Wide a = -term.coefficient;
    Expr quotient = pass.isFresh(term.atom) && holds(x, a) ? floorDiv(term.atom.operand(0), constant(m)) : Expr();
    if (!quotient || !mayApply("quotient"))
      continue;
    pass.add(term.atom, a);
    pass.add(x, -a);
    pass.add(linear(quotient), a * m);
  }

  // hermite, hermite-2, hermite-3, hermite-4: x // m + (x + 1) // m + ... + (x + m - 1) // m -> x   (Hermite)
  // Only quotients whose numerators differ by a constant, and multiples of m, can stand in one such sum.
  std::map<SmallVector<int64_t>, SmallVector<unsigned>> groups;
  for (auto [k, term] : enumerate(quotients)) {
    int64_t m = constantDivisor(term.atom, ExprKind::FloorDiv);
    LinearForm numerator = linear(term.atom.operand(0));
    numerator.constant = 0;
    SmallVector<int64_t> key = residueOf(numerator, m);
    key.push_back(int64_t(term.coefficient));
    if (m <= int64_t(quotients.size()))
      groups[key].push_back(k);
  }
  for (auto &[key, members] : groups) {
    int64_t m = key[0];
    bool isComplete = int64_t(members.size()) >= m;
    while (isComplete) {
      SmallVector<const LinearForm::Term *> found(m, nullptr);
      LinearForm x, multiples;
      for (unsigned k : members) {
        const LinearForm::Term &term = quotients[k];
        LinearForm shifted = linear(term.atom.operand(0));
        if (!pass.isFresh(term.atom))
          continue;
        if (x.terms.empty())
          x = shifted;
        Wide shift = floorModulo(shifted.constant - x.constant, m);
        shifted.constant -= shift;
        std::optional<LinearForm> difference = multipleBetween(shifted, x, m);
        if (!difference || found[size_t(shift)])
          continue;
        found[size_t(shift)] = &term;
        multiples.add(*difference);
      }
      isComplete = !is_contained(found, nullptr);
      if (!isComplete || !mayApply("hermite"))
        break;
      Wide coefficient = found[0]->coefficient;
      for (const LinearForm::Term *term : found)
        pass.add(term->atom, -coefficient);
      pass.add(x, coefficient);
      pass.add(multiples, coefficient);
    }
  }
}

/// Selections by one condition; true if two were joined.
bool ExprContext::combineSelects(LinearForm &form, ArrayRef<LinearForm::Term> selects) {
  // join-selects: a (c ? x : y) + b (c ? u : v) -> c ? a x + b u : a y + b v    [it costs less]
  for (size_t i = 0; i < selects.size() && selects.size() < 16; ++i)
    for (size_t j = i + 1; j < selects.size(); ++j) {
      Expr one = selects[i].atom, two = selects[j].atom;
      bool isNegated = logicalNot(one.operand(0)) == two.operand(0);
      if (one.operand(0) != two.operand(0) && !isNegated)
        continue;
      auto branch = [&](unsigned k) {
        LinearForm both;
        both.add(linear(one.operand(k)), selects[i].coefficient);
        both.add(linear(two.operand(isNegated ? 3 - k : k)), selects[j].coefficient);
        return sum(both);
      };
      Expr joined = select(one.operand(0), branch(1), branch(2));
      if (!joined || joined.cost() >= one.cost() + two.cost() + 1 || !mayApply("join-selects"))
        continue;
      form.add(one, -selects[i].coefficient);
      form.add(two, -selects[j].coefficient);
      form.add(linear(joined), 1);
      return true;
    }
  return false;
}

/// One pass of recombination on a sum; true if it changed. The caller repeats.
bool ExprContext::recombine(LinearForm &form) {
  SmallVector<LinearForm::Term, 8> mods, quotients, selects;
  for (const LinearForm::Term &term : form.terms) {
    if (constantDivisor(term.atom, ExprKind::Mod))
      mods.push_back(term);
    else if (constantDivisor(term.atom, ExprKind::FloorDiv))
      quotients.push_back(term);
    else if (term.atom.is(ExprKind::Select))
      selects.push_back(term);
  }
  SumPass pass(form);
  combineRemainders(pass, mods, quotients);
  combineQuotients(form, pass, mods, quotients);
  return pass.finish() || combineSelects(form, selects);
}
