// Random expression trees, made twice: as a plain tree that evaluates itself by definition, and in the engine.
#ifndef TINY_UNITTESTS_ALGEBRA_RANDOMEXPRESSION_H
#define TINY_UNITTESTS_ALGEBRA_RANDOMEXPRESSION_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include <memory>
#include <random>
#include <string>

namespace tiny::test {

/// A tree by definition: no rule has touched it.
struct Tree {
  char op; // c: constant, v: variable, + - * / % d r m M s < = ! & | ^ (d, r: truncating; s: select)
  int64_t value = 0;
  std::shared_ptr<Tree> a, b, c;

  /// None where it divides by zero.
  std::optional<int64_t> evaluate(llvm::ArrayRef<int64_t> point) const;
  Expr build(ExprContext &context, llvm::ArrayRef<Expr> leaves) const;
  std::string str() const;
};
using TreePtr = std::shared_ptr<Tree>;

/// An integer tree over variables 0..variables-1, of at most `depth` levels.
TreePtr randomInteger(std::mt19937 &random, int depth, int variables);
/// A condition of the same kind.
TreePtr randomCondition(std::mt19937 &random, int depth, int variables);

/// Compares the engine's expression with the tree at every point of the bounds; empty if they agree, else what differs.
std::string compareEverywhere(ExprContext &context, const Tree &tree, Expr expression, llvm::ArrayRef<Bounds> bounds,
                              llvm::ArrayRef<Expr> leaves);
/// The same where `premise` holds.
std::string compareWhere(ExprContext &context, const Tree &tree, Expr expression, const Tree *premise,
                         llvm::ArrayRef<Bounds> bounds, llvm::ArrayRef<Expr> leaves);

/// The smallest tree below `tree` on which `fails` still fails: replaces nodes by their operands and by constants.
TreePtr minimize(TreePtr tree, llvm::function_ref<bool(const TreePtr &)> fails);

} // namespace tiny::test

#endif // TINY_UNITTESTS_ALGEBRA_RANDOMEXPRESSION_H
