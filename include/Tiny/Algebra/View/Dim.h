// Sizes, strides and offsets that depend on bounded symbols.
#ifndef TINY_ALGEBRA_VIEW_DIM_H
#define TINY_ALGEBRA_VIEW_DIM_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

namespace tiny {

/// A polynomial over bounded symbols with integer coefficients, in its one normal form: a size is `s0`, a stride
/// `64*s1`, the number of elements `64*s0*s1`. A value without a context: it can live in an attribute and be compared
/// there. A coefficient that would reach 2^62, or more than 64 terms, give the invalid Dim, which every operation hands
/// on.
class Dim {
public:
  /// coefficient * the product of the symbols, which are sorted and may repeat.
  struct Term {
    llvm::SmallVector<unsigned, 2> symbols;
    int64_t coefficient;
    bool operator==(const Term &other) const { return coefficient == other.coefficient && symbols == other.symbols; }
  };

  Dim(int64_t constant = 0);
  static Dim symbol(unsigned number);
  static Dim invalid();

  bool isValid() const { return valid; }
  /// By decreasing degree, then by symbol; the constant is last. No coefficient is 0.
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  std::optional<int64_t> asConstant() const;

  friend Dim operator+(const Dim &a, const Dim &b);
  friend Dim operator-(const Dim &a, const Dim &b);
  friend Dim operator*(const Dim &a, const Dim &b);
  /// The polynomial q with q * divisor = this, or none if there is none.
  std::optional<Dim> exactQuotient(const Dim &divisor) const;

  /// Equal as polynomials. (Over small bounds different polynomials may still agree everywhere, as s*s and s on 0..1.)
  bool operator==(const Dim &other) const { return valid == other.valid && terms == other.terms; }
  bool operator!=(const Dim &other) const { return !(*this == other); }

  /// The value when symbol n is values[n], or none if it reaches 2^62.
  std::optional<int64_t> evaluate(llvm::ArrayRef<int64_t> values) const;
  /// Bounds over all values of the symbols, or none if they reach 2^62. Exact if no term has a symbol twice and there
  /// are at most 12 symbols: the extremes of a multilinear polynomial lie at corners.
  std::optional<Bounds> range(llvm::ArrayRef<Bounds> symbols) const;
  /// No value of the symbols makes it negative. False also where that is not known.
  bool isNonNegative(llvm::ArrayRef<Bounds> symbols) const;
  /// The expression with symbol n replaced.
  Expr toExpr(ExprContext &context, llvm::ArrayRef<Expr> symbols) const;
  void print(llvm::raw_ostream &os) const;

private:
  void add(const Term &term);

  llvm::SmallVector<Term, 0> terms;
  bool valid = true;
};
llvm::hash_code hash_value(const Dim &dim);
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Dim &dim) { return dim.print(os), os; }

} // namespace tiny

#endif // TINY_ALGEBRA_VIEW_DIM_H
