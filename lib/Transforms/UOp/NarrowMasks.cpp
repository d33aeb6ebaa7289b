// uop-narrow-masks: masks of lanes from indices of 32 bits, and conditions that all lanes share in their bounds.
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPNARROWMASKS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

constexpr unsigned kBits = 32;

/// Computes index vectors in 32 bits, each once.
class Narrower {
public:
  explicit Narrower(FuncOp func) {
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    solver.load<dataflow::IntegerRangeAnalysis>();
    [[maybe_unused]] LogicalResult analysed = solver.initializeAndRun(func);
    assert(succeeded(analysed) && "these analyses take any function");
  }

  /// Whether all that the comparison, or a selection between two, needs is known to fit.
  bool fits(arith::CmpIOp compare) {
    return fits(compare.getLhs()) && fits(compare.getRhs()) && canNarrow(compare.getLhs()) &&
           canNarrow(compare.getRhs());
  }

  Value narrow(Value value) {
    Value &narrowed = done[value];
    if (narrowed)
      return narrowed;
    Operation *op = value.getDefiningOp();
    OpBuilder builder(op);
    auto type = cast<VectorType>(value.getType()).clone(builder.getIntegerType(kBits));
    DenseElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant))) {
      auto mapped = constant.mapValues(builder.getIntegerType(kBits), [](const APInt &n) { return n.trunc(kBits); });
      return narrowed = arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(mapped));
    }
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
      Value source =
          arith::IndexCastOp::create(builder, op->getLoc(), builder.getIntegerType(kBits), broadcast.getSource());
      return narrowed = vector::BroadcastOp::create(builder, op->getLoc(), type, source);
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return narrow(operand); });
    OperationState state(op->getLoc(), op->getName(), operands, type);
    // The last bits of sums and products are the same; they may wrap where all 64 do not.
    return done[value] = builder.create(state)->getResult(0);
  }

private:
  bool fits(Value value, bool isPositive = false) {
    const auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!state || state->getValue().isUninitialized())
      return false;
    const ConstantIntRanges &range = state->getValue().getValue();
    return range.smin().isSignedIntN(kBits) && range.smax().isSignedIntN(kBits) &&
           (!isPositive || range.smin().isNonNegative());
  }

  /// Sums and products of constants and of what all lanes share; quotients of what fits.
  bool canNarrow(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isa<DenseIntElementsAttr>(constant.getValue());
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
      return broadcast.getSource().getType().isIndex();
    // A negative number is another one in 32 bits without a sign, and the least one has no quotient by -1.
    bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp>(op);
    if ((isUnsigned || isa<arith::DivSIOp, arith::RemSIOp>(op)) &&
        (!fits(value) || !llvm::all_of(op->getOperands(), [&](Value operand) { return fits(operand, isUnsigned); })))
      return false;
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp, arith::DivSIOp,
               arith::RemSIOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return canNarrow(operand); });
  }

  DataFlowSolver solver;
  llvm::DenseMap<Value, Value> done;
};

/// A value that all lanes have: the operand of a broadcast, or a constant, which is then created.
Value findShared(OpBuilder &builder, Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    return isa<VectorType>(broadcast.getSource().getType()) ? Value() : broadcast.getSource();
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return {};
  return arith::ConstantOp::create(builder, value.getLoc(), cast<TypedAttr>(splat.getSplatValue<Attribute>()));
}

/// What no element is below, for a comparison that is strict; none for others.
std::optional<APInt> findUnreached(arith::CmpIPredicate predicate, unsigned bits) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return APInt::getSignedMinValue(bits);
  case arith::CmpIPredicate::ult:
    return APInt::getMinValue(bits);
  default:
    return std::nullopt;
  }
}

/// The conditions of which all must hold.
void collect(Value value, SmallVectorImpl<Value> &leaves) {
  if (auto both = value.getDefiningOp<arith::AndIOp>()) {
    collect(both.getLhs(), leaves);
    collect(both.getRhs(), leaves);
  } else if (!llvm::is_contained(leaves, value)) {
    leaves.push_back(value);
  }
}

/// all lanes' c and x < n -> x < (c ? n : the least number)
void shareConditions(arith::AndIOp root) {
  SmallVector<Value> leaves;
  collect(root.getResult(), leaves);
  auto isShared = [](Value leaf) {
    auto broadcast = leaf.getDefiningOp<vector::BroadcastOp>();
    return broadcast && !isa<VectorType>(broadcast.getSource().getType());
  };
  auto *first = std::stable_partition(leaves.begin(), leaves.end(), isShared);
  if (first == leaves.begin())
    return;
  OpBuilder builder(root);
  Location loc = root.getLoc();
  for (Value &leaf : llvm::make_range(first, leaves.end())) {
    // What several masks share is compared once.
    auto compare = leaf.getDefiningOp<arith::CmpIOp>();
    if (!compare || !compare->hasOneUse())
      continue;
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(compare.getLhs().getType()));
    std::optional<APInt> unreached = type ? findUnreached(compare.getPredicate(), type.getWidth()) : std::nullopt;
    Value bound = unreached ? findShared(builder, compare.getRhs()) : Value();
    if (!bound)
      continue;
    Value shared = leaves.front().getDefiningOp<vector::BroadcastOp>().getSource();
    for (Value other : llvm::make_range(leaves.begin() + 1, first))
      shared = arith::AndIOp::create(builder, loc, shared, other.getDefiningOp<vector::BroadcastOp>().getSource());
    Value least = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, *unreached));
    bound = arith::SelectOp::create(builder, loc, shared, bound, least);
    bound = vector::BroadcastOp::create(builder, loc, compare.getRhs().getType(), bound);
    leaf = arith::CmpIOp::create(builder, compare.getLoc(), compare.getPredicate(), compare.getLhs(), bound);
    Value all = *first;
    for (Value other : llvm::make_range(first + 1, leaves.end()))
      all = arith::AndIOp::create(builder, loc, all, other);
    root.replaceAllUsesWith(all);
    return;
  }
}

struct UOpNarrowMasks : impl::UOpNarrowMasksBase<UOpNarrowMasks> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<arith::CmpIOp> compares;
    getOperation().walk([&](arith::CmpIOp op) {
      if (auto type = dyn_cast<VectorType>(op.getLhs().getType()); type && type.getElementType().isIndex())
        compares.push_back(op);
    });
    if (compares.empty())
      return markAllAnalysesPreserved();
    Narrower narrower(getOperation());
    llvm::erase_if(compares, [&](arith::CmpIOp op) { return !narrower.fits(op); });
    for (arith::CmpIOp op : compares)
      op->setOperands({narrower.narrow(op.getLhs()), narrower.narrow(op.getRhs())});
    SmallVector<arith::AndIOp> roots;
    getOperation().walk([&](arith::AndIOp op) {
      if (isa<VectorType>(op.getType()) && !llvm::all_of(op->getUsers(), llvm::IsaPred<arith::AndIOp>))
        roots.push_back(op);
    });
    for (arith::AndIOp root : roots)
      shareConditions(root);
  }
};

} // namespace
} // namespace tiny::uop
