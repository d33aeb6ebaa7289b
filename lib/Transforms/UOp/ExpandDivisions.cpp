// Floor and ceiling division and floor modulo, by what is known of their operands.
#include "Legalize.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::uop {

namespace {

/// Integer arithmetic at one place.
class Expander {
public:
  Expander(Operation *op) : builder(op), loc(op->getLoc()), type(op->getResult(0).getType()) {}

  Value constant(int64_t value) {
    TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  template <typename Op> Value make(Value a, Value b) { return Op::create(builder, loc, a, b); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(builder, loc, condition, a, b); }
  Value selectOne(Value condition) { return select(condition, constant(1), constant(0)); }

  /// The signs of the remainder and of the divisor differ: a division that truncates is one too high.
  Value isTooHigh(Value rest, Value divisor, bool positiveDivisor) {
    Value zero = constant(0);
    if (positiveDivisor)
      return compare(arith::CmpIPredicate::slt, rest, zero);
    Value differ = compare(arith::CmpIPredicate::slt, make<arith::XOrIOp>(rest, divisor), zero);
    return make<arith::AndIOp>(differ, compare(arith::CmpIPredicate::ne, rest, zero));
  }

  OpBuilder builder;
  Location loc;
  Type type;
};

/// What range analysis knows of an operand.
struct Facts {
  bool nonNegative = false, positive = false;
  std::optional<int64_t> constant;

  std::optional<int64_t> log2() const {
    if (constant && *constant > 0 && llvm::isPowerOf2_64(*constant))
      return llvm::Log2_64(*constant);
    return std::nullopt;
  }
};

Facts getFacts(DataFlowSolver &solver, Value value) {
  Facts facts;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    facts.constant = constant.getSExtValue();
  const auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (state && !state->getValue().isUninitialized()) {
    const ConstantIntRanges &range = state->getValue().getValue();
    facts.nonNegative = range.smin().isNonNegative();
    facts.positive = range.smin().isStrictlyPositive();
  }
  if (facts.constant) {
    facts.nonNegative |= *facts.constant >= 0;
    facts.positive |= *facts.constant > 0;
  }
  return facts;
}

/// floor(x / 2^k) -> x >> k; floor(x / y) -> x /u y [0 <= x, 0 < y]; else x / y, less one where the rest's sign is
/// wrong
Value floorDivide(Expander &e, Value x, Value y, const Facts &ofX, const Facts &ofY) {
  if (auto shift = ofY.log2())
    return *shift == 0 ? x : e.make<arith::ShRSIOp>(x, e.constant(*shift));
  if (ofX.nonNegative && ofY.positive)
    return e.make<arith::DivUIOp>(x, y);
  Value quotient = e.make<arith::DivSIOp>(x, y);
  Value rest = e.make<arith::SubIOp>(x, e.make<arith::MulIOp>(quotient, y));
  return e.make<arith::SubIOp>(quotient, e.selectOne(e.isTooHigh(rest, y, ofY.positive)));
}

/// x mod 2^k -> x & (2^k - 1); x mod y -> x remu y [0 <= x, 0 < y]; else x rem y, and y where the rest's sign is wrong
Value floorModulo(Expander &e, Value x, Value y, const Facts &ofX, const Facts &ofY) {
  if (ofY.log2())
    return e.make<arith::AndIOp>(x, e.constant(*ofY.constant - 1));
  if (ofX.nonNegative && ofY.positive)
    return e.make<arith::RemUIOp>(x, y);
  Value rest = e.make<arith::RemSIOp>(x, y);
  return e.make<arith::AddIOp>(rest, e.select(e.isTooHigh(rest, y, ofY.positive), y, e.constant(0)));
}

/// ceil(x / y) -> x / y, and one where a rest has the divisor's sign
Value ceilDivide(Expander &e, Value x, Value y) {
  Value quotient = e.make<arith::DivSIOp>(x, y);
  Value rest = e.make<arith::SubIOp>(x, e.make<arith::MulIOp>(quotient, y));
  Value zero = e.constant(0);
  Value same = e.compare(arith::CmpIPredicate::sge, e.make<arith::XOrIOp>(rest, y), zero);
  Value tooLow = e.make<arith::AndIOp>(same, e.compare(arith::CmpIPredicate::ne, rest, zero));
  return e.make<arith::AddIOp>(quotient, e.selectOne(tooLow));
}

/// ceil(x / y) -> x /u y, and one where there is a rest
Value ceilDivideUnsigned(Expander &e, Value x, Value y) {
  Value quotient = e.make<arith::DivUIOp>(x, y);
  Value rest = e.make<arith::RemUIOp>(x, y);
  return e.make<arith::AddIOp>(quotient, e.selectOne(e.compare(arith::CmpIPredicate::ne, rest, e.constant(0))));
}

} // namespace

LogicalResult expandDivisions(FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, sym::ModOp, sym::RangeOfOp>(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return success();
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<dataflow::IntegerRangeAnalysis>();
  [[maybe_unused]] LogicalResult analysed = solver.initializeAndRun(func);
  assert(succeeded(analysed) && "these analyses take any function");
  // Facts first: the analysis knows the operations as they are now.
  SmallVector<std::pair<Facts, Facts>> facts;
  for (Operation *op : ops)
    facts.push_back({getFacts(solver, op->getOperand(0)),
                     op->getNumOperands() > 1 ? getFacts(solver, op->getOperand(1)) : Facts()});
  for (auto [op, known] : llvm::zip_equal(ops, facts)) {
    Value x = op->getOperand(0), result;
    if (isa<sym::RangeOfOp>(op)) {
      result = x;
    } else {
      Expander e(op);
      Value y = op->getOperand(1);
      if (isa<arith::FloorDivSIOp>(op))
        result = floorDivide(e, x, y, known.first, known.second);
      else if (isa<sym::ModOp>(op))
        result = floorModulo(e, x, y, known.first, known.second);
      else if (isa<arith::CeilDivSIOp>(op))
        result = ceilDivide(e, x, y);
      else
        result = ceilDivideUnsigned(e, x, y);
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
  return success();
}

} // namespace tiny::uop
