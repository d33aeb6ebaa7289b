// ArithBridge, writing: expressions to operations.
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::sym;

/// The expressions whose values an operation for `expression` uses: a comparison of a sum uses the sum's terms.
static SmallVector<Expr> usedBy(Expr expression) {
  SmallVector<Expr> used;
  auto operandsOf = [&](Expr e) {
    for (const ExprNode *operand : e->operands)
      used.push_back(Expr(operand));
  };
  Expr compared = expression;
  if (expression.is(ExprKind::Not) && expression.operand(0).is(ExprKind::IsZero))
    compared = expression.operand(0);
  if ((compared.is(ExprKind::NonNegative) || compared.is(ExprKind::IsZero)) && compared.operand(0).is(ExprKind::Sum))
    operandsOf(compared.operand(0));
  else
    operandsOf(compared);
  return used;
}

Value ArithBridge::emitConstant(OpBuilder &builder, Location loc, int64_t value, bool isCondition) {
  Value &known = constants[{value, isCondition}];
  if (known)
    return known;
  TypedAttr attribute = isCondition ? TypedAttr(builder.getBoolAttr(value != 0)) : builder.getIndexAttr(value);
  return known = arith::ConstantOp::create(builder, loc, attribute);
}

/// constant + sum of coefficient * term, with as few operations as there are.
Value ArithBridge::emitTerms(OpBuilder &builder, Location loc, const LinearForm &form) {
  auto scaled = [&](Expr atom, int64_t coefficient) -> Value {
    Value value = written.lookup(atom.get());
    if (coefficient == 1)
      return value;
    return arith::MulIOp::create(builder, loc, value, emitConstant(builder, loc, coefficient, false));
  };
  Value result;
  for (const LinearForm::Term &term : form.terms)
    if (term.coefficient > 0) {
      Value value = scaled(term.atom, int64_t(term.coefficient));
      result = result ? Value(arith::AddIOp::create(builder, loc, result, value)) : value;
    }
  bool constantIsUsed = form.constant == 0;
  for (const LinearForm::Term &term : form.terms)
    if (term.coefficient < 0) {
      if (!result && constantIsUsed && term.coefficient != -1) {
        result = scaled(term.atom, int64_t(term.coefficient));
        continue;
      }
      if (!result) {
        result = emitConstant(builder, loc, int64_t(form.constant), false);
        constantIsUsed = true;
      }
      result = arith::SubIOp::create(builder, loc, result, scaled(term.atom, -int64_t(term.coefficient)));
    }
  if (!result)
    return emitConstant(builder, loc, int64_t(form.constant), false);
  if (!constantIsUsed)
    result = arith::AddIOp::create(builder, loc, result, emitConstant(builder, loc, int64_t(form.constant), false));
  return result;
}

/// operand >= 0 or operand == 0, positive terms on the left and negative ones on the right.
Value ArithBridge::emitComparison(OpBuilder &builder, Location loc, Expr operand, bool isEquality, bool isNegated) {
  LinearForm left, right;
  LinearForm form = context.linear(operand);
  for (const LinearForm::Term &term : form.terms)
    (term.coefficient > 0 ? left : right).add(term.atom, term.coefficient > 0 ? term.coefficient : -term.coefficient);
  auto predicate =
      isEquality ? (isNegated ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq) : arith::CmpIPredicate::sge;
  if (right.terms.empty())
    right.constant = -form.constant;
  else if (left.terms.empty())
    left.constant = form.constant;
  else if (!isEquality && form.constant == -1)
    predicate = arith::CmpIPredicate::sgt;
  else
    (form.constant > 0 ? left : right).constant = form.constant > 0 ? form.constant : -form.constant;
  if (left.terms.empty() && !isEquality) {
    // c >= x is written x <= c, x < c + 1 where that reads as a bound.
    predicate = arith::CmpIPredicate::slt;
    left.constant += 1;
    std::swap(left, right);
  } else if (left.terms.empty()) {
    std::swap(left, right);
  }
  Value x = emitTerms(builder, loc, left), y = emitTerms(builder, loc, right);
  return arith::CmpIOp::create(builder, loc, predicate, x, y);
}

/// The operation of one expression whose operands are written.
Value ArithBridge::emit(OpBuilder &builder, Location loc, Expr expression) {
  auto at = [&](unsigned k) { return written.lookup(expression.operand(k).get()); };
  auto chain = [&](auto create) {
    Value result = at(0);
    for (unsigned k = 1; k < expression.size(); ++k)
      result = create(result, at(k));
    return result;
  };
  switch (expression.kind()) {
  case ExprKind::Constant:
    return emitConstant(builder, loc, expression->constant, expression->isCondition);
  case ExprKind::Leaf:
    return leafValues.lookup(expression->constant);
  case ExprKind::Sum:
    return emitTerms(builder, loc, context.linear(expression));
  case ExprKind::Product:
    return chain([&](Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); });
  case ExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, at(0), at(1));
  case ExprKind::Mod:
    return ModOp::create(builder, loc, at(0), at(1));
  case ExprKind::TruncDiv:
    return arith::DivSIOp::create(builder, loc, at(0), at(1));
  case ExprKind::TruncRem:
    return arith::RemSIOp::create(builder, loc, at(0), at(1));
  case ExprKind::Min:
    return arith::MinSIOp::create(builder, loc, at(0), at(1));
  case ExprKind::Max:
    return arith::MaxSIOp::create(builder, loc, at(0), at(1));
  case ExprKind::BitAnd:
    return arith::AndIOp::create(builder, loc, at(0), at(1));
  case ExprKind::BitOr:
    return arith::OrIOp::create(builder, loc, at(0), at(1));
  case ExprKind::BitXor:
    return arith::XOrIOp::create(builder, loc, at(0), at(1));
  case ExprKind::Select:
    if (!expression->isCondition && expression.operand(1).asConstant() == 1 && expression.operand(2).asConstant() == 0)
      return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), at(0));
    return arith::SelectOp::create(builder, loc, at(0), at(1), at(2));
  case ExprKind::NonNegative:
    return emitComparison(builder, loc, expression.operand(0), false, false);
  case ExprKind::IsZero:
    return emitComparison(builder, loc, expression.operand(0), true, false);
  case ExprKind::Not:
    if (expression.operand(0).is(ExprKind::IsZero))
      return emitComparison(builder, loc, expression.operand(0).operand(0), true, true);
    return arith::XOrIOp::create(builder, loc, at(0), emitConstant(builder, loc, 1, true));
  case ExprKind::And:
    return chain([&](Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); });
  case ExprKind::Or:
    return chain([&](Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); });
  case ExprKind::Xor:
    return arith::XOrIOp::create(builder, loc, at(0), at(1));
  }
  llvm_unreachable("covered switch");
}

Value ArithBridge::materialize(OpBuilder &builder, Location loc, Expr root) {
  SmallVector<Expr> stack{root};
  llvm::DenseSet<const ExprNode *> open;
  while (!stack.empty()) {
    Expr expression = stack.back();
    if (written.count(expression.get())) {
      stack.pop_back();
      continue;
    }
    if (open.insert(expression.get()).second) {
      SmallVector<Expr> operands = usedBy(expression);
      for (Expr used : llvm::reverse(operands))
        if (!written.count(used.get()))
          stack.push_back(used);
      continue;
    }
    stack.pop_back();
    Value value = emit(builder, loc, expression);
    written[expression.get()] = value;
    expressions.try_emplace(value, expression);
  }
  return written.lookup(root.get());
}
