// Where conditions on index variables hold, as intervals of one variable in terms of the others.
#ifndef TINY_LIB_TRANSFORMS_LAZY_INTERVALS_H
#define TINY_LIB_TRANSFORMS_LAZY_INTERVALS_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny::lazy {

/// The half-open interval of a variable on which all conditions hold, apart from those that do not depend on it, which
/// are `outer`.
struct Interval {
  Expr begin, end, outer;
};

/// Tells which expressions depend on a variable, and remembers the answers.
class Dependence {
public:
  explicit Dependence(Expr variable) { depends[variable.get()] = true; }
  bool operator()(Expr root);

private:
  llvm::DenseMap<const ExprNode *, bool> depends;
};

/// The members of a conjunction.
llvm::SmallVector<Expr> membersOf(Expr condition);

/// Solves `condition` for the variable, whose values are 0 to extent - 1; none where that is no interval.
std::optional<Interval> solve(ExprContext &context, Expr condition, Expr variable, int64_t extent);

/// The number of places along `axes` where a condition holds, in terms of the other indices; null if they are not an
/// interval of each axis.
Expr countPlaces(ExprContext &context, Expr condition, llvm::ArrayRef<Expr> indices, llvm::ArrayRef<int64_t> shape,
                 llvm::ArrayRef<int64_t> axes);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_INTERVALS_H
