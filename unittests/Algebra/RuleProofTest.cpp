// Each rule of the table: exhaustively on a small domain with negatives, and for all integers by Z3.
#include "RuleFormula.h"
#include "RuleTable.h"

#include "gtest/gtest.h"
#include <z3.h>

using namespace llvm;
using namespace tiny::test;

static bool isCondition(const std::string &name) { return isupper(name[0]); }

/// The variables of a rule, in order of name.
static std::vector<std::string> variablesOf(const Rule &rule) {
  std::set<std::string> names;
  for (const char *text : {rule.condition, rule.left, rule.right})
    parseFormula(text)->variables(names);
  return {names.begin(), names.end()};
}

/// Compares the two sides at every point of a box; the box is smaller where there are more variables.
static void checkExhaustively(const Rule &rule) {
  std::vector<std::string> names = variablesOf(rule);
  size_t integers = 0;
  for (const std::string &name : names)
    integers += !isCondition(name);
  static const int64_t reach[] = {0, 64, 24, 9, 5, 3, 2};
  int64_t bound = reach[std::min<size_t>(integers, 6)];
  FormulaPtr condition = parseFormula(rule.condition), left = parseFormula(rule.left), right = parseFormula(rule.right);
  std::map<std::string, int64_t> values;
  for (const std::string &name : names)
    values[name] = isCondition(name) ? 0 : -bound;
  int64_t points = 0;
  while (true) {
    std::optional<int64_t> holds = condition->evaluate(values);
    if (holds && *holds) {
      ++points;
      ASSERT_EQ(left->evaluate(values), right->evaluate(values)) << rule.name;
    }
    size_t k = 0;
    for (; k < names.size(); ++k) {
      if (++values[names[k]] <= (isCondition(names[k]) ? 1 : bound))
        break;
      values[names[k]] = isCondition(names[k]) ? 0 : -bound;
    }
    if (k == names.size())
      break;
  }
  EXPECT_GT(points, 0) << rule.name << ": its condition never held";
}

/// Whether Z3 refutes a counterexample with some variables fixed.
static Z3_lbool refutes(const Rule &rule, const std::map<std::string, int64_t> &fixed) {
  std::string definitions, text;
  std::map<std::string, std::string> divisions;
  std::string condition = parseFormula(rule.condition)->smt(fixed, definitions, divisions);
  std::string left = parseFormula(rule.left)->smt(fixed, definitions, divisions);
  std::string right = parseFormula(rule.right)->smt(fixed, definitions, divisions);
  for (const std::string &name : variablesOf(rule))
    if (!fixed.count(name))
      text += "(declare-const " + name + (isCondition(name) ? " Bool)" : " Int)");
  text += definitions + "(assert " + condition + ")(assert (not (= " + left + " " + right + ")))";
  Z3_config config = Z3_mk_config();
  // Work, not time, bounds a proof, so that a loaded machine decides the same; the clock only stops what hangs.
  Z3_set_param_value(config, "timeout", "60000");
  Z3_set_param_value(config, "rlimit", "50000000");
  Z3_context context = Z3_mk_context(config);
  // With the divisors fixed, everything is linear.
  Z3_solver solver =
      fixed.empty() ? Z3_mk_solver(context) : Z3_mk_solver_for_logic(context, Z3_mk_string_symbol(context, "QF_LIA"));
  Z3_solver_inc_ref(context, solver);
  Z3_solver_from_string(context, solver, text.c_str());
  EXPECT_EQ(Z3_get_error_code(context), Z3_OK) << rule.name << ": " << text;
  Z3_lbool result = Z3_solver_check(context, solver);
  Z3_solver_dec_ref(context, solver);
  Z3_del_context(context);
  Z3_del_config(config);
  return result;
}

TEST(Rules, NamesAreUnique) {
  std::set<std::string> names;
  for (const Rule &rule : allRules())
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
}

TEST(Rules, HoldOnSmallDomains) {
  for (const Rule &rule : allRules())
    checkExhaustively(rule);
}

TEST(Rules, AreProved) {
  for (const Rule &rule : allRules()) {
    if (rule.proof == Proof::Words) {
      EXPECT_NE(StringRef(rule.argument), "") << rule.name;
      continue;
    }
    if (rule.proof == Proof::Solver) {
      EXPECT_EQ(refutes(rule, {}), Z3_L_FALSE) << rule.name;
      continue;
    }
    EXPECT_NE(StringRef(rule.argument), "") << rule.name;
    // The last variable named takes each value up to 64; those before it a few, since the products are divisors too.
    SmallVector<StringRef> fixed;
    StringRef(rule.fixed).split(fixed, ' ');
    bool isProved = true;
    for (int64_t last = 1; last <= 64 && isProved; ++last)
      for (int64_t other : fixed.size() > 1 ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{1}) {
        std::map<std::string, int64_t> values;
        for (StringRef name : fixed)
          values[name.str()] = name == fixed.back() ? last : other;
        isProved &= refutes(rule, values) == Z3_L_FALSE;
        EXPECT_TRUE(isProved) << rule.name << " with " << rule.fixed << " = " << other << " " << last;
        if (!isProved)
          break;
      }
  }
}
