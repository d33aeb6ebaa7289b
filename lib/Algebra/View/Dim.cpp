// Polynomials over bounded symbols.
#include "Tiny/Algebra/View/Dim.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

namespace {
using Wide = __int128;

constexpr size_t kMaxTerms = 64;
constexpr size_t kMaxCornerVariables = 12;

bool fits(Wide value) { return value > -Wide(kIndexLimit) && value < Wide(kIndexLimit); }

/// The graded lexicographic order, which multiplication keeps: whether `a` comes before (is greater than) `b`.
bool comesBefore(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  if (a.size() != b.size())
    return a.size() > b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// value * factor, false on overflow.
bool multiply(Wide &value, Wide factor) { return !__builtin_mul_overflow(value, factor, &value); }
} // namespace

Dim::Dim(int64_t constant) {
  valid = fits(constant);
  if (valid && constant != 0)
    terms.push_back({{}, constant});
}

Dim Dim::symbol(unsigned number) {
  Dim result;
  result.terms.push_back({{number}, 1});
  return result;
}

Dim Dim::invalid() {
  Dim result;
  result.valid = false;
  return result;
}

std::optional<int64_t> Dim::asConstant() const {
  if (!valid || terms.size() > 1 || (!terms.empty() && !terms.front().symbols.empty()))
    return std::nullopt;
  return terms.empty() ? 0 : terms.front().coefficient;
}

void Dim::add(const Term &term) {
  Term *position =
      llvm::lower_bound(terms, term, [](const Term &a, const Term &b) { return comesBefore(a.symbols, b.symbols); });
  if (position == terms.end() || position->symbols != term.symbols) {
    terms.insert(position, term);
    valid &= terms.size() <= kMaxTerms;
    return;
  }
  Wide sum = Wide(position->coefficient) + term.coefficient;
  if (sum == 0)
    terms.erase(position);
  else
    position->coefficient = int64_t(sum);
  valid &= fits(sum);
}

namespace tiny {

Dim operator+(const Dim &a, const Dim &b) {
  Dim result = a;
  result.valid &= b.valid;
  for (const Dim::Term &term : b.terms)
    if (result.valid)
      result.add(term);
  return result.valid ? result : Dim::invalid();
}

Dim operator-(const Dim &a, const Dim &b) { return a + Dim(-1) * b; }

Dim operator*(const Dim &a, const Dim &b) {
  Dim result;
  result.valid = a.valid && b.valid;
  for (const Dim::Term &x : a.terms)
    for (const Dim::Term &y : b.terms) {
      Wide coefficient = Wide(x.coefficient) * y.coefficient;
      result.valid &= fits(coefficient);
      if (!result.valid)
        return Dim::invalid();
      Dim::Term term{x.symbols, int64_t(coefficient)};
      term.symbols.append(y.symbols);
      llvm::sort(term.symbols);
      result.add(term);
    }
  return result.valid ? result : Dim::invalid();
}

} // namespace tiny

std::optional<Dim> Dim::exactQuotient(const Dim &divisor) const {
  if (!valid || !divisor.valid || divisor.terms.empty())
    return std::nullopt;
  // Long division. The leading term of a product is the product of the leading terms, and each step lowers it.
  const Term &leading = divisor.terms.front();
  Dim rest = *this, quotient;
  while (!rest.terms.empty()) {
    const Term &first = rest.terms.front();
    Term step{{}, first.coefficient / leading.coefficient};
    if (first.coefficient % leading.coefficient != 0 ||
        !std::includes(first.symbols.begin(), first.symbols.end(), leading.symbols.begin(), leading.symbols.end()))
      return std::nullopt;
    std::set_difference(first.symbols.begin(), first.symbols.end(), leading.symbols.begin(), leading.symbols.end(),
                        std::back_inserter(step.symbols));
    Dim part;
    part.add(step);
    quotient = quotient + part;
    rest = rest - part * divisor;
    if (!rest.valid || !quotient.valid)
      return std::nullopt;
  }
  return quotient;
}

std::optional<int64_t> Dim::evaluate(ArrayRef<int64_t> values) const {
  if (!valid)
    return std::nullopt;
  Wide sum = 0;
  for (const Term &term : terms) {
    Wide product = term.coefficient;
    for (unsigned symbol : term.symbols)
      if (!multiply(product, values[symbol]))
        return std::nullopt;
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return fits(sum) ? std::optional<int64_t>(int64_t(sum)) : std::nullopt;
}

std::optional<Bounds> Dim::range(ArrayRef<Bounds> symbols) const {
  if (!valid)
    return std::nullopt;
  // Each power of a symbol counts as a variable of its own, so that what is left is multilinear.
  SmallVector<std::pair<unsigned, unsigned>> variables;
  for (const Term &term : terms)
    for (size_t k = 0, copy = 0; k < term.symbols.size(); ++k) {
      copy = k > 0 && term.symbols[k] == term.symbols[k - 1] ? copy + 1 : 0;
      std::pair<unsigned, unsigned> variable{term.symbols[k], unsigned(copy)};
      if (!is_contained(variables, variable))
        variables.push_back(variable);
    }
  Wide low = 0, high = 0;
  bool isFirst = true;
  if (variables.size() <= kMaxCornerVariables) {
    for (size_t corner = 0; corner < size_t(1) << variables.size(); ++corner) {
      Wide sum = 0;
      for (const Term &term : terms) {
        Wide product = term.coefficient;
        for (size_t k = 0, copy = 0; k < term.symbols.size(); ++k) {
          copy = k > 0 && term.symbols[k] == term.symbols[k - 1] ? copy + 1 : 0;
          size_t variable = find(variables, std::make_pair(term.symbols[k], unsigned(copy))) - variables.begin();
          Bounds bounds = symbols[term.symbols[k]];
          if (!multiply(product, (corner >> variable) & 1 ? bounds.high : bounds.low))
            return std::nullopt;
        }
        if (__builtin_add_overflow(sum, product, &sum))
          return std::nullopt;
      }
      low = isFirst ? sum : std::min(low, sum);
      high = isFirst ? sum : std::max(high, sum);
      isFirst = false;
    }
  } else {
    for (const Term &term : terms) {
      Wide least = term.coefficient, greatest = term.coefficient;
      for (unsigned symbol : term.symbols) {
        Wide corners[] = {least, least, greatest, greatest};
        if (!multiply(corners[0], symbols[symbol].low) || !multiply(corners[1], symbols[symbol].high) ||
            !multiply(corners[2], symbols[symbol].low) || !multiply(corners[3], symbols[symbol].high))
          return std::nullopt;
        least = *std::min_element(corners, corners + 4);
        greatest = *std::max_element(corners, corners + 4);
      }
      if (__builtin_add_overflow(low, least, &low) || __builtin_add_overflow(high, greatest, &high))
        return std::nullopt;
    }
  }
  if (!fits(low) || !fits(high))
    return std::nullopt;
  return Bounds{int64_t(low), int64_t(high)};
}

bool Dim::isNonNegative(ArrayRef<Bounds> symbols) const {
  std::optional<Bounds> bounds = range(symbols);
  return bounds && bounds->low >= 0;
}

Expr Dim::toExpr(ExprContext &context, ArrayRef<Expr> symbols) const {
  if (!valid)
    return {};
  LinearForm form;
  for (const Term &term : terms) {
    Expr product = context.constant(1);
    for (unsigned symbol : term.symbols)
      product = context.mul(product, symbols[symbol]);
    if (!product)
      return {};
    form.add(context.linear(product), term.coefficient);
  }
  return context.sum(form);
}

void Dim::print(raw_ostream &os) const {
  if (!valid) {
    os << "invalid";
    return;
  }
  if (terms.empty())
    os << "0";
  interleave(
      terms, os,
      [&](const Term &term) {
        bool isShown = term.symbols.empty() || term.coefficient != 1;
        if (isShown)
          os << term.coefficient << (term.symbols.empty() ? "" : "*");
        interleave(term.symbols, os, [&](unsigned symbol) { os << "s" << symbol; }, "*");
      },
      " + ");
}

hash_code tiny::hash_value(const Dim &dim) {
  hash_code code = hash_combine(dim.isValid());
  for (const Dim::Term &term : dim.getTerms())
    code = hash_combine(code, term.coefficient, hash_combine_range(term.symbols.begin(), term.symbols.end()));
  return code;
}
