// Numbers of any type that are known at some sizes, as one law of the sizes.
#ifndef TINY_ALGEBRA_VIEW_NUMBERFIT_H
#define TINY_ALGEBRA_VIEW_NUMBERFIT_H

#include "Tiny/Algebra/View/DimFit.h"
#include "llvm/ADT/APFloat.h"

namespace tiny {

/// A number of the program for all sizes, made of a polynomial. Each step on the way is rounded to the number's type.
struct SizedNumber {
  enum class Kind {
    Whole,          ///< p
    Quotient,       ///< p / divisor
    Reciprocal,     ///< 1 / p
    Root,           ///< sqrt(p)
    ReciprocalRoot, ///< 1 / sqrt(p)
  };
  Dim polynomial;
  Kind kind = Kind::Whole;
  int64_t divisor = 1;

  /// The number at a point, in the format of a float type, or of integers where that is null.
  double evaluate(llvm::ArrayRef<int64_t> point, const llvm::fltSemantics *format) const;
};

/// The number that has values[i] at point i of the fit, bit for bit, or none. Only floats are more than polynomials.
std::optional<SizedNumber> fitNumber(const DimFit &fit, llvm::ArrayRef<double> values,
                                     const llvm::fltSemantics *format);

} // namespace tiny

#endif // TINY_ALGEBRA_VIEW_NUMBERFIT_H
