#include "IndexTensors.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

class Writer {
public:
  Writer(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
         const llvm::DenseMap<const ExprNode *, int64_t> &axisOf)
      : builder(builder), loc(loc), shape(shape), axisOf(axisOf) {}

  /// The parts of the expression, each after its operands; empty when one has no form on tensors.
  SmallVector<Expr> findParts(Expr root) {
    SmallVector<Expr> parts, stack = {root};
    llvm::DenseSet<const ExprNode *> open, done;
    while (!stack.empty()) {
      Expr part = stack.back();
      if (done.contains(part.get()) || !open.insert(part.get()).second) {
        stack.pop_back();
        if (done.insert(part.get()).second)
          parts.push_back(part);
        continue;
      }
      if (part.is(ExprKind::Leaf) ? !axisOf.contains(part.get()) : !hasForm(part))
        return {};
      for (unsigned k = 0; k < part.size(); ++k)
        stack.push_back(part.operand(k));
    }
    return parts;
  }

  Value write(ArrayRef<Expr> parts) {
    bool fits32 = llvm::all_of(parts, [](Expr part) {
      Bounds bounds = part.bounds();
      return bounds.low > std::numeric_limits<int32_t>::min() && bounds.high < std::numeric_limits<int32_t>::max();
    });
    type = RankedTensorType::get(shape, builder.getIntegerType(fits32 ? 32 : 64));
    for (Expr part : parts)
      values[part.get()] = emit(part);
    return values.lookup(parts.back().get());
  }

private:
  static bool hasForm(Expr part) {
    return !part.is(ExprKind::TruncDiv) && !part.is(ExprKind::TruncRem) && !part.is(ExprKind::BitAnd) &&
           !part.is(ExprKind::BitOr) && !part.is(ExprKind::BitXor);
  }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
  }

  Value condition(bool value) {
    auto truth = RankedTensorType::get(shape, builder.getI1Type());
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(truth, value));
  }

  /// constant + sum of coefficient * term.
  Value emitSum(Expr part) {
    Value sum;
    for (unsigned k = 0; k < part.size(); ++k) {
      Value term = at(part, k);
      if (part->coefficients[k] != 1)
        term = arith::MulIOp::create(builder, loc, term, constant(part->coefficients[k]));
      sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, term)) : term;
    }
    if (part->constant != 0 || !sum) {
      Value added = constant(part->constant);
      sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, added)) : added;
    }
    return sum;
  }

  template <typename Op> Value fold(Expr part) {
    Value result = at(part, 0);
    for (unsigned k = 1; k < part.size(); ++k)
      result = Op::create(builder, loc, result, at(part, k));
    return result;
  }

  Value compare(arith::CmpIPredicate predicate, Expr part) {
    return arith::CmpIOp::create(builder, loc, predicate, at(part, 0), constant(0));
  }

  Value at(Expr part, unsigned k) { return values.lookup(part.operand(k).get()); }

  Value emit(Expr part) {
    switch (part.kind()) {
    case ExprKind::Constant:
      return part->isCondition ? condition(part->constant != 0) : constant(part->constant);
    case ExprKind::Leaf:
      return IotaOp::create(builder, loc, type, axisOf.lookup(part.get()));
    case ExprKind::Sum:
      return emitSum(part);
    case ExprKind::Product:
      return fold<arith::MulIOp>(part);
    case ExprKind::FloorDiv:
      return arith::FloorDivSIOp::create(builder, loc, at(part, 0), at(part, 1));
    case ExprKind::Mod:
      return sym::ModOp::create(builder, loc, at(part, 0), at(part, 1));
    case ExprKind::Min:
      return fold<arith::MinSIOp>(part);
    case ExprKind::Max:
      return fold<arith::MaxSIOp>(part);
    case ExprKind::Select:
      return arith::SelectOp::create(builder, loc, at(part, 0), at(part, 1), at(part, 2));
    case ExprKind::NonNegative:
      return compare(arith::CmpIPredicate::sge, part);
    case ExprKind::IsZero:
      return compare(arith::CmpIPredicate::eq, part);
    case ExprKind::Not:
      return arith::XOrIOp::create(builder, loc, at(part, 0), condition(true));
    case ExprKind::And:
      return fold<arith::AndIOp>(part);
    case ExprKind::Or:
      return fold<arith::OrIOp>(part);
    case ExprKind::Xor:
      return fold<arith::XOrIOp>(part);
    case ExprKind::TruncDiv:
    case ExprKind::TruncRem:
    case ExprKind::BitAnd:
    case ExprKind::BitOr:
    case ExprKind::BitXor:
      break;
    }
    llvm_unreachable("hasForm let through an operation without a form");
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<int64_t> shape;
  const llvm::DenseMap<const ExprNode *, int64_t> &axisOf;
  RankedTensorType type;
  llvm::DenseMap<const ExprNode *, Value> values;
};

} // namespace

Value writeIndexTensor(OpBuilder &builder, Location loc, Expr root, ArrayRef<int64_t> shape,
                       const llvm::DenseMap<const ExprNode *, int64_t> &axisOf) {
  Writer writer(builder, loc, shape, axisOf);
  SmallVector<Expr> parts = writer.findParts(root);
  return parts.empty() ? Value() : writer.write(parts);
}

} // namespace tiny::lazy
