#include "RandomExpression.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tiny;
using namespace tiny::test;

std::optional<int64_t> Tree::evaluate(ArrayRef<int64_t> point) const {
  if (op == 'c')
    return value;
  if (op == 'v')
    return point[value];
  std::optional<int64_t> x = a ? a->evaluate(point) : 0, y = b ? b->evaluate(point) : 0, z = c ? c->evaluate(point) : 0;
  if (!x || !y || !z)
    return std::nullopt;
  switch (op) {
  case '+':
    return *x + *y;
  case '-':
    return *x - *y;
  case '*':
    return *x * *y;
  case '/':
  case '%':
  case 'd':
  case 'r': {
    if (*y == 0)
      return std::nullopt;
    int64_t quotient = *x / *y, rest = *x % *y;
    if (op == 'd' || op == 'r')
      return op == 'd' ? quotient : rest;
    // q y + r = x with 0 <= r < y or y < r <= 0
    if (rest != 0 && (rest < 0) != (*y < 0)) {
      --quotient;
      rest += *y;
    }
    return op == '/' ? quotient : rest;
  }
  case 'm':
    return std::min(*x, *y);
  case 'M':
    return std::max(*x, *y);
  case 's':
    return *x ? *y : *z;
  case '<':
    return *x < *y;
  case '=':
    return *x == *y;
  case '!':
    return !*x;
  case '&':
    return *x && *y;
  case '|':
    return *x || *y;
  case '^':
    return (*x != 0) != (*y != 0);
  }
  return std::nullopt;
}

Expr Tree::build(ExprContext &context, ArrayRef<Expr> leaves) const {
  if (op == 'c')
    return context.constant(value);
  if (op == 'v')
    return leaves[value];
  Expr x = a->build(context, leaves), y = b ? b->build(context, leaves) : Expr(),
       z = c ? c->build(context, leaves) : Expr();
  switch (op) {
  case '+':
    return context.add(x, y);
  case '-':
    return context.sub(x, y);
  case '*':
    return context.mul(x, y);
  case '/':
    return context.floorDiv(x, y);
  case '%':
    return context.mod(x, y);
  case 'd':
    return context.truncDiv(x, y);
  case 'r':
    return context.truncRem(x, y);
  case 'm':
    return context.min(x, y);
  case 'M':
    return context.max(x, y);
  case 's':
    return context.select(x, y, z);
  case '<':
    return context.lt(x, y);
  case '=':
    return context.eq(x, y);
  case '!':
    return context.logicalNot(x);
  case '&':
    return context.logicalAnd(x, y);
  case '|':
    return context.logicalOr(x, y);
  case '^':
    return context.logicalXor(x, y);
  }
  return {};
}

std::string Tree::str() const {
  if (op == 'c')
    return std::to_string(value);
  if (op == 'v')
    return std::string(1, char('a' + value));
  std::string result = "(";
  result += a->str();
  result += std::string(" ") + op + " ";
  if (b)
    result += b->str();
  if (c)
    result += " : " + c->str();
  return result + ")";
}

static TreePtr leafTree(char op, int64_t value) { return std::make_shared<Tree>(Tree{op, value, {}, {}, {}}); }

TreePtr tiny::test::randomInteger(std::mt19937 &random, int depth, int variables) {
  auto pick = [&](int n) { return int(random() % unsigned(n)); };
  if (depth == 0 || pick(6) == 0)
    return pick(4) ? leafTree('v', pick(variables)) : leafTree('c', pick(25) - 8);
  auto constantTree = [&] {
    static const int64_t favourites[] = {2, 3, 4, 4, 6, 8, 12, 16, 5, -1, -2, -3, -4, 1};
    return leafTree('c', favourites[pick(14)]);
  };
  TreePtr x = randomInteger(random, depth - 1, variables);
  switch (pick(14)) {
  case 0:
  case 1:
  case 2:
    return std::make_shared<Tree>(Tree{'+', 0, x, randomInteger(random, depth - 1, variables), {}});
  case 3:
    return std::make_shared<Tree>(Tree{'-', 0, x, randomInteger(random, depth - 1, variables), {}});
  case 4:
  case 5:
    return std::make_shared<Tree>(Tree{'*', 0, x, constantTree(), {}});
  case 6:
  case 7:
    return std::make_shared<Tree>(Tree{'/', 0, x, constantTree(), {}});
  case 8:
  case 9:
    return std::make_shared<Tree>(Tree{'%', 0, x, constantTree(), {}});
  case 10:
    return std::make_shared<Tree>(Tree{pick(2) ? 'd' : 'r', 0, x, constantTree(), {}});
  case 11:
    return std::make_shared<Tree>(Tree{pick(2) ? 'm' : 'M', 0, x, randomInteger(random, depth - 1, variables), {}});
  case 12:
    return std::make_shared<Tree>(
        Tree{'s', 0, randomCondition(random, depth - 1, variables), x, randomInteger(random, depth - 1, variables)});
  default: {
    static const char ops[] = {'*', '/', '%', 'd', 'r'};
    return std::make_shared<Tree>(Tree{ops[pick(5)], 0, x, randomInteger(random, depth - 1, variables), {}});
  }
  }
}

TreePtr tiny::test::randomCondition(std::mt19937 &random, int depth, int variables) {
  auto pick = [&](int n) { return int(random() % unsigned(n)); };
  if (depth <= 1 || pick(3) == 0)
    return std::make_shared<Tree>(
        Tree{pick(4) ? '<' : '=',
             0,
             randomInteger(random, std::max(depth - 1, 0), variables),
             pick(2) ? leafTree('c', pick(20) - 5) : randomInteger(random, std::max(depth - 1, 0), variables),
             {}});
  TreePtr x = randomCondition(random, depth - 1, variables);
  switch (pick(5)) {
  case 0:
    return std::make_shared<Tree>(Tree{'!', 0, x, {}, {}});
  case 1:
  case 2:
    return std::make_shared<Tree>(Tree{'&', 0, x, randomCondition(random, depth - 1, variables), {}});
  case 3:
    return std::make_shared<Tree>(Tree{'|', 0, x, randomCondition(random, depth - 1, variables), {}});
  default:
    return std::make_shared<Tree>(Tree{pick(2) ? '^' : 's', 0, x, randomCondition(random, depth - 1, variables),
                                       randomCondition(random, depth - 1, variables)});
  }
}

std::string tiny::test::compareWhere(ExprContext &context, const Tree &tree, Expr expression, const Tree *premise,
                                     ArrayRef<Bounds> bounds, ArrayRef<Expr> leaves) {
  if (!expression)
    return {};
  SmallVector<int64_t> point;
  for (Bounds b : bounds)
    point.push_back(b.low);
  while (true) {
    std::optional<int64_t> expected = tree.evaluate(point), holds = premise ? premise->evaluate(point) : 1;
    if (expected && holds && *holds) {
      std::optional<int64_t> got = context.evaluate(expression, [&](int64_t number) {
        for (auto [k, leaf] : enumerate(leaves))
          if (leaf->constant == number)
            return point[k];
        return int64_t(0x7777777);
      });
      bool isInBounds = *expected >= expression->low && *expected <= expression->high;
      if (got != expected || !isInBounds) {
        std::string text;
        raw_string_ostream os(text);
        os << tree.str() << " became ";
        context.print(expression, os);
        os << " at";
        for (int64_t value : point)
          os << " " << value;
        os << ": expected " << *expected << ", got " << (got ? std::to_string(*got) : "none");
        if (!isInBounds)
          os << ", bounds " << expression->low << ".." << expression->high;
        return text;
      }
    }
    size_t k = 0;
    for (; k < point.size(); ++k) {
      if (++point[k] <= bounds[k].high)
        break;
      point[k] = bounds[k].low;
    }
    if (k == point.size())
      return {};
  }
}

std::string tiny::test::compareEverywhere(ExprContext &context, const Tree &tree, Expr expression,
                                          ArrayRef<Bounds> bounds, ArrayRef<Expr> leaves) {
  return compareWhere(context, tree, expression, nullptr, bounds, leaves);
}

TreePtr tiny::test::minimize(TreePtr tree, function_ref<bool(const TreePtr &)> fails) {
  auto isCondition = [](const TreePtr &t) { return StringRef("<=!&|^").contains(t->op); };
  for (bool changed = true; changed;) {
    changed = false;
    // Every way to put something smaller in place of one node.
    std::function<std::vector<TreePtr>(const TreePtr &)> smaller = [&](const TreePtr &t) {
      std::vector<TreePtr> result;
      for (const TreePtr &operand : {t->a, t->b, t->c})
        if (operand && isCondition(operand) == isCondition(t))
          result.push_back(operand);
      if (!isCondition(t) && t->op != 'c')
        for (int64_t value : {0, 1, 2})
          result.push_back(leafTree('c', value));
      for (TreePtr Tree::*member : {&Tree::a, &Tree::b, &Tree::c}) {
        if (!((*t).*member))
          continue;
        for (const TreePtr &s : smaller((*t).*member)) {
          auto copy = std::make_shared<Tree>(*t);
          (*copy).*member = s;
          result.push_back(copy);
        }
      }
      return result;
    };
    for (const TreePtr &candidate : smaller(tree))
      if (candidate->str().size() < tree->str().size() && fails(candidate)) {
        tree = candidate;
        changed = true;
        break;
      }
  }
  return tree;
}
