// Prints the rule table as the page docs/SymbolicRules.md.
#include "RuleTable.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tiny::test;

int main() {
  outs() << "# Rules of the symbolic engine\n\n"
            "Generated from `unittests/Algebra/RuleTable.cpp`; `unittests/Algebra/RuleProofTest.cpp` proves each.\n\n"
            "`//` and `%` are floor division and its remainder, `cdiv` and `rem` the truncating pair. Every rule is "
            "checked at\n"
            "every point of a box around zero. *Z3*: proved over mathematical integers with all variables free, a "
            "division\n"
            "defined by `q*d + r = x` with `0 <= r < d` or `d < r <= 0`. *Z3 per divisor*: proved with each value up "
            "to 64 of\n"
            "a divisor, and in words for all.\n";
  StringRef file;
  for (const Rule &rule : allRules()) {
    if (file != rule.file) {
      file = rule.file;
      outs() << "\n## " << file << "\n\n| rule | from | to | where | proof |\n|---|---|---|---|---|\n";
    }
    auto code = [](StringRef text) {
      std::string result;
      for (char c : text)
        result += c == '|' ? std::string("\\|") : std::string(1, c);
      return result.empty() ? result : "`" + result + "`";
    };
    outs() << "| " << rule.name << " | " << code(rule.left) << " | " << code(rule.right) << " | "
           << code(rule.condition) << " | ";
    if (rule.proof == Proof::Solver)
      outs() << "Z3";
    else if (rule.proof == Proof::PerDivisor)
      outs() << "Z3 per divisor " << code(rule.fixed) << ". " << rule.argument;
    else
      outs() << rule.argument;
    outs() << " |\n";
  }
  return 0;
}
