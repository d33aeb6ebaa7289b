// Polynomials of sizes through numbers that are known at some sizes.
#ifndef TINY_ALGEBRA_VIEW_DIMFIT_H
#define TINY_ALGEBRA_VIEW_DIMFIT_H

#include "Tiny/Algebra/View/Dim.h"
#include "llvm/ADT/DynamicAPInt.h"

namespace tiny {

/// The values of all symbols at one point.
using SizePoint = llvm::SmallVector<int64_t, 2>;

/// Finds the polynomial of degree 3 or less, in no symbol above 2, with integer coefficients that has given values at
/// given points, by solving for its coefficients at as many points as it has of them (Newton's interpolation in several
/// variables, as a linear system). The other points check it.
class DimFit {
public:
  /// Points of the same number of symbols.
  explicit DimFit(llvm::ArrayRef<SizePoint> points);

  /// Whether any values at the points have one polynomial at most, and one point more checks it.
  bool isDetermined() const { return determined; }
  llvm::ArrayRef<SizePoint> getPoints() const { return points; }

  /// The polynomial with values[i] at point i, or none.
  std::optional<Dim> fit(llvm::ArrayRef<int64_t> values) const;

private:
  /// Symbols of each monomial.
  std::vector<llvm::SmallVector<unsigned, 2>> monomials;
  std::vector<SizePoint> points;
  /// The points that the coefficients are solved at; the rows of the inverse, over one denominator.
  std::vector<unsigned> solved;
  std::vector<std::vector<llvm::DynamicAPInt>> inverse;
  llvm::DynamicAPInt denominator = llvm::DynamicAPInt(1);
  bool determined = false;
};

/// Points to learn a program's numbers at, for sizes within the bounds: the greatest sizes first, then others near
/// them, so that whoever decides by cost decides alike; prime where there are such, and different for each symbol, so
/// that no other number of the program is met by chance. Some may lie above the bounds where those are narrow, unless
/// all must be within. There are a few more than `DimFit` needs, or too few where the bounds do not have them.
std::vector<SizePoint> chooseSizePoints(llvm::ArrayRef<Bounds> bounds, bool isWithin = false);

} // namespace tiny

#endif // TINY_ALGEBRA_VIEW_DIMFIT_H
