#include "RuleFormula.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace tiny::test;

namespace {
/// Recursive descent: or/xor, and, not, comparison, sum, product, negation, atom.
class Parser {
public:
  explicit Parser(StringRef text) : text(text) {}

  FormulaPtr parse() {
    FormulaPtr result = disjunction();
    skip();
    if (!text.empty())
      fail();
    return result;
  }

private:
  [[noreturn]] void fail() { report_fatal_error(Twine("no formula at: ") + text); }
  void skip() { text = text.ltrim(); }
  bool eat(StringRef token) {
    skip();
    if (!text.starts_with(token))
      return false;
    // A word ends where a word ends.
    if (isalpha(token[0]) && text.size() > token.size() && isalpha(text[token.size()]))
      return false;
    text = text.drop_front(token.size());
    return true;
  }
  static FormulaPtr make(std::string op, std::vector<FormulaPtr> operands, int64_t value = 0) {
    return std::make_shared<Formula>(Formula{std::move(op), value, std::move(operands)});
  }

  FormulaPtr disjunction() {
    FormulaPtr left = conjunction();
    while (true) {
      if (eat("or"))
        left = make("or", {left, conjunction()});
      else if (eat("xor"))
        left = make("xor", {left, conjunction()});
      else
        return left;
    }
  }
  FormulaPtr conjunction() {
    FormulaPtr left = negation();
    while (eat("and"))
      left = make("and", {left, negation()});
    return left;
  }
  FormulaPtr negation() {
    if (eat("not"))
      return make("not", {negation()});
    return comparison();
  }
  FormulaPtr comparison() {
    FormulaPtr left = sum();
    for (const char *op : {"<=", ">=", "==", "!=", "<", ">"})
      if (eat(op))
        return make(op, {left, sum()});
    return left;
  }
  FormulaPtr sum() {
    FormulaPtr left = product();
    while (true) {
      if (eat("+"))
        left = make("+", {left, product()});
      else if (eat("-"))
        left = make("-", {left, product()});
      else
        return left;
    }
  }
  FormulaPtr product() {
    FormulaPtr left = unary();
    while (true) {
      if (eat("//"))
        left = make("//", {left, unary()});
      else if (eat("%"))
        left = make("%", {left, unary()});
      else if (eat("*"))
        left = make("*", {left, unary()});
      else
        return left;
    }
  }
  FormulaPtr unary() {
    if (eat("-"))
      return make("neg", {unary()});
    return atom();
  }
  FormulaPtr atom() {
    skip();
    if (eat("(")) {
      FormulaPtr inner = disjunction();
      if (!eat(")"))
        fail();
      return inner;
    }
    int64_t number;
    if (!text.empty() && isdigit(text[0]) && !text.consumeInteger(10, number))
      return make("number", {}, number);
    for (const char *name : {"ite", "min", "max", "cdiv", "rem", "and", "or", "xor"})
      if (text.starts_with((Twine(name) + "(").str())) {
        text = text.drop_front(StringRef(name).size() + 1);
        std::vector<FormulaPtr> operands{disjunction()};
        while (eat(","))
          operands.push_back(disjunction());
        if (!eat(")"))
          fail();
        bool isBitwise = StringRef(name) == "and" || StringRef(name) == "or" || StringRef(name) == "xor";
        return make(isBitwise ? std::string("bit") + name : name, operands);
      }
    if (text.empty() || !isalpha(text[0]))
      fail();
    std::string name(1, text[0]);
    text = text.drop_front();
    return make(name, {});
  }

  StringRef text;
};
} // namespace

FormulaPtr tiny::test::parseFormula(StringRef text) {
  return Parser(text.empty() ? StringRef("1 == 1") : text).parse();
}

void Formula::variables(std::set<std::string> &names) const {
  if (operands.empty() && op != "number")
    names.insert(op);
  for (const FormulaPtr &operand : operands)
    operand->variables(names);
}

std::optional<int64_t> Formula::evaluate(const std::map<std::string, int64_t> &values) const {
  if (op == "number")
    return value;
  if (operands.empty())
    return values.at(op);
  std::vector<int64_t> v;
  for (const FormulaPtr &operand : operands) {
    std::optional<int64_t> part = operand->evaluate(values);
    if (!part)
      return std::nullopt;
    v.push_back(*part);
  }
  if ((op == "//" || op == "%" || op == "cdiv" || op == "rem") && v[1] == 0)
    return std::nullopt;
  auto floorQuotient = [&] { return v[0] / v[1] - (v[0] % v[1] != 0 && (v[0] < 0) != (v[1] < 0)); };
  if (op == "//")
    return floorQuotient();
  if (op == "%")
    return v[0] - v[1] * floorQuotient();
  if (op == "cdiv")
    return v[0] / v[1];
  if (op == "rem")
    return v[0] % v[1];
  if (op == "neg")
    return -v[0];
  if (op == "not")
    return !v[0];
  if (op == "+")
    return v[0] + v[1];
  if (op == "-")
    return v[0] - v[1];
  if (op == "*")
    return v[0] * v[1];
  if (op == "min")
    return std::min(v[0], v[1]);
  if (op == "max")
    return std::max(v[0], v[1]);
  if (op == "ite")
    return v[0] ? v[1] : v[2];
  if (op == "and")
    return v[0] && v[1];
  if (op == "or")
    return v[0] || v[1];
  if (op == "xor")
    return !v[0] != !v[1];
  if (op == "<=")
    return v[0] <= v[1];
  if (op == ">=")
    return v[0] >= v[1];
  if (op == "<")
    return v[0] < v[1];
  if (op == ">")
    return v[0] > v[1];
  if (op == "==")
    return v[0] == v[1];
  if (op == "!=")
    return v[0] != v[1];
  if (op == "bitand")
    return v[0] & v[1];
  if (op == "bitor")
    return v[0] | v[1];
  if (op == "bitxor")
    return v[0] ^ v[1];
  report_fatal_error(Twine("no operator ") + op);
}

static std::string numeral(int64_t value) {
  return value < 0 ? "(- " + std::to_string(-value) + ")" : std::to_string(value);
}

std::string Formula::smt(const std::map<std::string, int64_t> &values, std::string &definitions,
                         std::map<std::string, std::string> &divisions) const {
  if (op == "number")
    return numeral(value);
  if (operands.empty()) {
    auto known = values.find(op);
    return known == values.end() ? op : numeral(known->second);
  }
  std::vector<std::string> v;
  for (const FormulaPtr &operand : operands)
    v.push_back(operand->smt(values, definitions, divisions));
  if (op == "//" || op == "%" || op == "cdiv" || op == "rem") {
    // Floor: q d + r = x with 0 <= r < d or d < r <= 0. Truncating: |r| < |d|, and r has the sign of x.
    bool isFloor = op == "//" || op == "%";
    bool isQuotient = op == "//" || op == "cdiv";
    std::string x = v[0], d = v[1], key = (isFloor ? "floor " : "trunc ") + x + " by " + d;
    // Quotient and remainder of the same two terms are the same two numbers.
    auto [known, isNew] = divisions.try_emplace(key, std::to_string(divisions.size()));
    std::string q = "q" + known->second, r = "r" + known->second;
    if (!isNew)
      return isQuotient ? q : r;
    definitions += "(declare-const " + q + " Int)(declare-const " + r + " Int)";
    definitions += "(assert (= (+ (* " + q + " " + d + ") " + r + ") " + x + "))";
    if (isFloor)
      definitions +=
          "(assert (or (and (<= 0 " + r + ") (< " + r + " " + d + ")) (and (< " + d + " " + r + ") (<= " + r + " 0))))";
    else
      definitions += "(assert (and (< (abs " + r + ") (abs " + d + ")) (=> (>= " + x + " 0) (>= " + r +
                     " 0)) (=> (<= " + x + " 0) (<= " + r + " 0))))";
    return isQuotient ? q : r;
  }
  if (op == "min")
    return "(ite (<= " + v[0] + " " + v[1] + ") " + v[0] + " " + v[1] + ")";
  if (op == "max")
    return "(ite (>= " + v[0] + " " + v[1] + ") " + v[0] + " " + v[1] + ")";
  if (op == "!=")
    return "(not (= " + v[0] + " " + v[1] + "))";
  std::string name = op == "neg" ? "-" : op == "==" ? "=" : op;
  std::string result = "(" + name;
  for (const std::string &part : v)
    result += " " + part;
  return result + ")";
}
