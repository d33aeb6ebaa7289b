// The digits of a loop: how values in differently grouped axes share loops.
#ifndef TINY_ALGEBRA_VIEW_DIGITS_H
#define TINY_ALGEBRA_VIEW_DIGITS_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

namespace tiny {

/// Where the digits of an index x in [0, extent) end: numbers above 1, each a proper divisor of the next and of the
/// extent. The ends {d, e} say that x is ((x // e) * (e / d) + (x // d) mod (e / d)) * d + x mod d. Without ends there
/// is one digit, x itself.
using DigitEnds = llvm::SmallVector<int64_t, 2>;

/// The ends of the digits that `roots` read one by one, by variable: of x // d, x mod d, (x // d) mod e and the like.
/// Each variable is a leaf from 0 on. What does not fit to ends found before is left out.
llvm::SmallVector<DigitEnds> findDigits(llvm::ArrayRef<Expr> roots, llvm::ArrayRef<Expr> variables);

/// Adds those of `more` that fit to `ends` of an index below `extent`; whether there are any.
bool joinDigits(DigitEnds &ends, llvm::ArrayRef<int64_t> more, int64_t extent);

/// The extents of the digits, the highest first.
llvm::SmallVector<int64_t, 3> getDigitExtents(llvm::ArrayRef<int64_t> ends, int64_t extent);

} // namespace tiny

#endif // TINY_ALGEBRA_VIEW_DIGITS_H
