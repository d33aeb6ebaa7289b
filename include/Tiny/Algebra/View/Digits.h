// The digits of a loop: how values in differently grouped axes share loops.
#ifndef TINY_ALGEBRA_VIEW_DIGITS_H
#define TINY_ALGEBRA_VIEW_DIGITS_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

namespace tiny {

/// The boundaries between the digits of an index x in [0, extent): numbers above 1, each a proper divisor of the next
/// and of the extent. The ends {d, e} write x as ((x // e) * (e / d) + (x // d) mod (e / d)) * d + x mod d. Without
/// ends x is its one digit.
using DigitEnds = llvm::SmallVector<int64_t, 2>;

/// For each variable, the ends of the digits that `roots` read by themselves, in x // d, x mod d, (x // d) mod e and
/// the like. Each variable is a leaf with lower bound 0. Ends that do not fit those found before are left out.
llvm::SmallVector<DigitEnds> findDigits(llvm::ArrayRef<Expr> roots, llvm::ArrayRef<Expr> variables);

/// Adds to `ends`, of an index below `extent`, those of `more` that fit. Returns whether there were any.
bool joinDigits(DigitEnds &ends, llvm::ArrayRef<int64_t> more, int64_t extent);

/// The extents of the digits, the highest first.
llvm::SmallVector<int64_t, 3> getDigitExtents(llvm::ArrayRef<int64_t> ends, int64_t extent);

} // namespace tiny

#endif // TINY_ALGEBRA_VIEW_DIGITS_H
