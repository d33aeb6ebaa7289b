// The formulas of the rule table: parsed, evaluated, and written for a solver.
#ifndef TINY_UNITTESTS_ALGEBRA_RULEFORMULA_H
#define TINY_UNITTESTS_ALGEBRA_RULEFORMULA_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tiny::test {

/// One node of a formula: a number, a variable, or an operator by name.
struct Formula {
  std::string op;
  int64_t value = 0;
  std::vector<std::shared_ptr<Formula>> operands;

  /// None where it divides by zero. Conditions are 0 and 1.
  std::optional<int64_t> evaluate(const std::map<std::string, int64_t> &values) const;
  /// An SMT-LIB term; every new division adds its quotient and remainder, with what defines them, to `definitions` and
  /// `divisions`. `values` replaces variables by numbers.
  std::string smt(const std::map<std::string, int64_t> &values, std::string &definitions,
                  std::map<std::string, std::string> &divisions) const;
  void variables(std::set<std::string> &names) const;
};
using FormulaPtr = std::shared_ptr<Formula>;

/// Aborts on text that is no formula.
FormulaPtr parseFormula(llvm::StringRef text);

} // namespace tiny::test

#endif // TINY_UNITTESTS_ALGEBRA_RULEFORMULA_H
