// Every rule of the symbolic engine, as an identity that is checked by evaluation and proved by a solver.
#ifndef TINY_UNITTESTS_ALGEBRA_RULETABLE_H
#define TINY_UNITTESTS_ALGEBRA_RULETABLE_H

#include "llvm/ADT/ArrayRef.h"

namespace tiny::test {

/// How the identity is shown for all integers.
enum class Proof {
  Solver,     // Z3, over mathematical integers, all variables free
  PerDivisor, // Z3 for each value up to 64 of the named variable, and the argument in words
  Words,      // the argument in words: nothing in it for a solver over integers
};

/// where condition: left = right. Integers are x y z t s r u v c k a b d m g e f j p q; conditions are P Q R.
/// `//` and `%` are floor division and its remainder, cdiv and rem the truncating pair.
struct Rule {
  const char *name;
  const char *file;
  const char *condition;
  const char *left;
  const char *right;
  Proof proof = Proof::Solver;
  const char *fixed = "";    // PerDivisor: the variable that takes each value
  const char *argument = ""; // PerDivisor, Words
};

llvm::ArrayRef<Rule> allRules();

} // namespace tiny::test

#endif // TINY_UNITTESTS_ALGEBRA_RULETABLE_H
