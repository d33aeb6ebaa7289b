// Translates between symbolic expressions over indices and arith on tensors over lazy.iota.
#include "IndexTensors.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
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

namespace {

/// Looks at no more than a few operations, so that neither time nor depth follows the graph.
class Reader {
public:
  explicit Reader(ExprContext &context) : context(context) {}

  Expr read(Value value, ArrayRef<Expr> indices) {
    constexpr unsigned kMostOperations = 64;
    auto type = cast<RankedTensorType>(value.getType());
    Operation *op = value.getDefiningOp();
    if (!op || !type.getElementType().isSignlessInteger() || ++operations > kMostOperations)
      return {};
    Expr result = readOperation(op, type, indices);
    if (!result || type.getElementType().isInteger(1))
      return result;
    // Arithmetic wraps in the type and not in the expression.
    unsigned width = type.getElementTypeBitWidth();
    if (width < 64 && (result.bounds().low < llvm::minIntN(width) || result.bounds().high > llvm::maxIntN(width)))
      return {};
    return result;
  }

private:
  Expr readOperation(Operation *op, RankedTensorType type, ArrayRef<Expr> indices) {
    bool isCondition = type.getElementType().isInteger(1);
    DenseIntElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant))) {
      if (!constant.isSplat() || type.getElementTypeBitWidth() > 64)
        return {};
      APInt value = constant.getSplatValue<APInt>();
      return isCondition ? context.condition(!value.isZero()) : context.constant(value.getSExtValue());
    }
    if (auto iota = dyn_cast<IotaOp>(op))
      return isCondition ? Expr() : indices[iota.getAxis()];
    if (auto view = dyn_cast<ViewOp>(op))
      return readView(view, indices, isCondition);
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CmpIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             arith::SelectOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      return {};
    SmallVector<Expr, 3> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(isa<RankedTensorType>(operand.getType()) ? read(operand, indices) : Expr());
      if (!operands.back())
        return {};
    }
    Type source = getElementTypeOrSelf(op->getOperand(0));
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return readCompare(compare.getPredicate(), operands[0], operands[1], source.isInteger(1));
    if (isa<arith::SelectOp>(op) && !isCondition)
      return context.select(operands[0], operands[1], operands[2]);
    if (isCondition) {
      if (isa<arith::AndIOp, arith::MulIOp>(op))
        return context.logicalAnd(operands[0], operands[1]);
      if (isa<arith::OrIOp>(op))
        return context.logicalOr(operands[0], operands[1]);
      if (isa<arith::XOrIOp, arith::AddIOp, arith::SubIOp>(op))
        return context.logicalXor(operands[0], operands[1]);
      return {};
    }
    if (isa<arith::AddIOp>(op))
      return context.add(operands[0], operands[1]);
    if (isa<arith::SubIOp>(op))
      return context.sub(operands[0], operands[1]);
    if (isa<arith::MulIOp>(op))
      return context.mul(operands[0], operands[1]);
    if (isa<arith::ExtSIOp, arith::ExtUIOp>(op) && source.isInteger(1))
      return context.select(operands[0], context.constant(isa<arith::ExtUIOp>(op) ? 1 : -1), context.constant(0));
    if (isa<arith::ExtUIOp>(op))
      return operands[0].bounds().low >= 0 ? operands[0] : Expr();
    return isa<arith::ExtSIOp, arith::TruncIOp>(op) ? operands[0] : Expr();
  }

  Expr readCompare(arith::CmpIPredicate predicate, Expr a, Expr b, bool ofConditions) {
    using Predicate = arith::CmpIPredicate;
    if (ofConditions) {
      if (predicate != Predicate::eq && predicate != Predicate::ne)
        return {};
      Expr differ = context.logicalXor(a, b);
      return predicate == Predicate::ne || !differ ? differ : context.logicalNot(differ);
    }
    bool isUnsigned = predicate == Predicate::ult || predicate == Predicate::ule || predicate == Predicate::ugt ||
                      predicate == Predicate::uge;
    if (isUnsigned && (a.bounds().low < 0 || b.bounds().low < 0))
      return {};
    switch (predicate) {
    case Predicate::eq:
      return context.eq(a, b);
    case Predicate::ne: {
      Expr equal = context.eq(a, b);
      return equal ? context.logicalNot(equal) : equal;
    }
    case Predicate::slt:
    case Predicate::ult:
      return context.lt(a, b);
    case Predicate::sle:
    case Predicate::ule:
      return compareDifference(b, a);
    case Predicate::sgt:
    case Predicate::ugt:
      return context.lt(b, a);
    case Predicate::sge:
    case Predicate::uge:
      return compareDifference(a, b);
    }
    llvm_unreachable("unknown predicate");
  }

  Expr compareDifference(Expr a, Expr b) {
    Expr difference = context.sub(a, b);
    return difference ? context.nonNegative(difference) : difference;
  }

  Expr readView(ViewOp view, ArrayRef<Expr> indices, bool isCondition) {
    auto [index, valid] = view.getTracker().getTracker().toIndex(context, indices);
    if (!index || !valid)
      return {};
    ArrayRef<int64_t> shape = cast<RankedTensorType>(view.getInput().getType()).getShape();
    if (llvm::is_contained(shape, 0))
      return {};
    SmallVector<Expr> inner = unravel(context, index, shape);
    if (llvm::is_contained(inner, Expr()))
      return {};
    Expr element = read(view.getInput(), inner);
    if (!element)
      return {};
    return isCondition ? context.logicalAnd(valid, element) : context.select(valid, element, context.constant(0));
  }

  ExprContext &context;
  unsigned operations = 0;
};

} // namespace

SmallVector<Expr> unravel(ExprContext &context, Expr position, ArrayRef<int64_t> shape) {
  SmallVector<Expr> indices(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    Expr extent = context.constant(shape[axis]);
    indices[axis] = axis == 0 ? position : context.mod(position, extent);
    position = context.floorDiv(position, extent);
  }
  return indices;
}

Expr readIndexTensor(ExprContext &context, Value value, ArrayRef<Expr> indices) {
  return Reader(context).read(value, indices);
}

} // namespace tiny::lazy
