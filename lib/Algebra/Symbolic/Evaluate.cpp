// Reading an expression: its value at a point, and its text.
#include "Traversal.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

std::optional<int64_t> ExprContext::evaluate(Expr a, function_ref<int64_t(int64_t)> leaves) const {
  DenseMap<const ExprNode *, Wide> values;
  for (const ExprNode *node : postorder(a)) {
    SmallVector<Wide, 4> v;
    for (const ExprNode *operand : node->operands)
      v.push_back(values.lookup(operand));
    Wide result = node->constant;
    bool divides = node->kind == ExprKind::FloorDiv || node->kind == ExprKind::Mod ||
                   node->kind == ExprKind::TruncDiv || node->kind == ExprKind::TruncRem;
    if (divides && v[1] == 0)
      return std::nullopt;
    switch (node->kind) {
    case ExprKind::Constant:
      break;
    case ExprKind::Leaf:
      result = leaves(node->constant);
      break;
    case ExprKind::Sum:
      for (auto [value, coefficient] : zip_equal(v, node->coefficients))
        result += value * coefficient;
      break;
    case ExprKind::Product:
      result = 1;
      for (Wide value : v)
        result *= value;
      break;
    case ExprKind::FloorDiv:
      result = floorDivide(v[0], v[1]);
      break;
    case ExprKind::Mod:
      result = floorModulo(v[0], v[1]);
      break;
    case ExprKind::TruncDiv:
      result = v[0] / v[1];
      break;
    case ExprKind::TruncRem:
      result = v[0] % v[1];
      break;
    case ExprKind::Min:
      result = std::min(v[0], v[1]);
      break;
    case ExprKind::Max:
      result = std::max(v[0], v[1]);
      break;
    case ExprKind::BitAnd:
      result = v[0] & v[1];
      break;
    case ExprKind::BitOr:
      result = v[0] | v[1];
      break;
    case ExprKind::BitXor:
      result = v[0] ^ v[1];
      break;
    case ExprKind::Select:
      result = v[0] ? v[1] : v[2];
      break;
    case ExprKind::NonNegative:
      result = v[0] >= 0;
      break;
    case ExprKind::IsZero:
      result = v[0] == 0;
      break;
    case ExprKind::Not:
      result = !v[0];
      break;
    case ExprKind::And:
      result = all_of(v, [](Wide value) { return value != 0; });
      break;
    case ExprKind::Or:
      result = any_of(v, [](Wide value) { return value != 0; });
      break;
    case ExprKind::Xor:
      result = v[0] != v[1];
      break;
    }
    if (result > Wide(1) << 63 || result < -(Wide(1) << 63))
      return std::nullopt;
    values[node] = result;
  }
  return int64_t(values.lookup(a.get()));
}

void ExprContext::print(Expr a, raw_ostream &os) const {
  if (!a) {
    os << "null";
    return;
  }
  DenseMap<const ExprNode *, std::string> text;
  auto joined = [&](const ExprNode *node, StringRef separator) {
    std::string result = "(";
    for (auto [k, operand] : enumerate(node->operands))
      result += (k ? separator.str() : "") + text.lookup(operand);
    return result + ")";
  };
  for (const ExprNode *node : postorder(a)) {
    static constexpr const char *names[] = {"",  "",  "",  "*", "//", "mod", "cdiv", "rem", "min", "max",
                                            "&", "|", "^", "?", ">=", "==",  "not",  "and", "or",  "xor"};
    std::string &t = text[node];
    if (node->kind == ExprKind::Constant) {
      t = node->isCondition ? (node->constant ? "true" : "false") : std::to_string(node->constant);
    } else if (node->kind == ExprKind::Leaf) {
      t = "v" + std::to_string(node->constant);
    } else if (node->kind == ExprKind::Sum) {
      std::string result = "(";
      for (auto [k, pair] : enumerate(zip_equal(node->operands, node->coefficients))) {
        auto [operand, coefficient] = pair;
        result += k ? " + " : "";
        result += coefficient == 1 ? "" : std::to_string(coefficient) + "*";
        result += text.lookup(operand);
      }
      if (node->constant)
        result += " + " + std::to_string(node->constant);
      text[node] = result + ")";
    } else {
      std::string name = names[unsigned(node->kind)];
      std::string body = node->operands.size() == 1 ? "(" + name + " " + text.lookup(node->operands[0]) + ")"
                                                    : joined(node, " " + name + " ");
      text[node] = body;
    }
  }
  os << text.lookup(a.get());
}
