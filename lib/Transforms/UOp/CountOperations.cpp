// What a kernel costs in scalar operations, and the pass that notes it for audits.
#include "CountOperations.h"

#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPCOUNTOPERATIONS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Walks a kernel in order, so that operands come before what reads them.
class Counter {
public:
  explicit Counter(function_ref<void(ForOp)> onUnknown) : onUnknown(onUnknown) {}

  uint64_t count(FuncOp func) {
    llvm::SmallDenseSet<std::pair<unsigned, int64_t>> axes;
    uint64_t runs = 1;
    func.walk([&](SpecialOp op) {
      // Subgroups and their lanes are those of the local axes.
      if (op.getAxis() == HardwareAxis::Subgroup || op.getAxis() == HardwareAxis::Lane ||
          op.getAxis() == HardwareAxis::Team)
        return;
      if (axes.insert({static_cast<unsigned>(op.getAxis()), op.getDim()}).second)
        runs = llvm::SaturatingMultiply<uint64_t>(runs, op.getExtent());
    });
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      uint64_t times = parentRuns(op, runs);
      if (auto loop = dyn_cast<ForOp>(op))
        bodyRuns[op] = llvm::SaturatingMultiply(times, tripCount(loop));
      else if (isa<IfOp>(op))
        bodyRuns[op] = times;
      else
        total = llvm::SaturatingMultiplyAdd(times, weigh(op), total);
    });
    return total;
  }

private:
  uint64_t parentRuns(Operation *op, uint64_t runs) const {
    auto it = bodyRuns.find(op->getParentOp());
    return it == bodyRuns.end() ? runs : it->second;
  }

  uint64_t tripCount(ForOp loop) {
    if (std::optional<llvm::APInt> count = loop.getStaticTripCount())
      return count->getZExtValue();
    // A size counts as the greatest that it may be, where more is known of it than its type.
    ExprContext context;
    Expr bound = sym::ArithBridge(context).importValue(loop.getBound());
    if (bound && bound.bounds().high < std::numeric_limits<int32_t>::max())
      return std::max<int64_t>(0, bound.bounds().high);
    if (onUnknown)
      onUnknown(loop);
    return 1;
  }

  /// Scalar operations of one evaluation.
  uint64_t weigh(Operation *op) {
    if (auto reduction = dyn_cast<vector::ReductionOp>(op))
      return reduction.getSourceVectorType().getNumElements();
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() == 0 ||
        op->hasTrait<OpTrait::ConstantLike>())
      return 0;
    Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
    if (element.isIndex())
      return 0;
    // Validity: conditions on indices, and what combines them.
    if (element.isInteger(1) && llvm::all_of(op->getOperands(), [&](Value value) { return isAboutIndices(value); })) {
      conditions.insert(op->getResult(0));
      return 0;
    }
    auto vector = dyn_cast<VectorType>(type);
    return (isa<math::FmaOp>(op) ? 2 : 1) * (vector ? vector.getNumElements() : 1);
  }

  bool isAboutIndices(Value value) const {
    Operation *op = value.getDefiningOp();
    return getElementTypeOrSelf(value.getType()).isIndex() || conditions.contains(value) ||
           (op && op->hasTrait<OpTrait::ConstantLike>());
  }

  function_ref<void(ForOp)> onUnknown;
  llvm::DenseMap<Operation *, uint64_t> bodyRuns; ///< by loop or condition
  llvm::DenseSet<Value> conditions;
  uint64_t total = 0;
};

struct UOpCountOperations : impl::UOpCountOperationsBase<UOpCountOperations> {
  void runOnOperation() override {
    auto warn = [](ForOp loop) { loop.emitWarning("the bound is no constant: the body counts once"); };
    getOperation()->setAttr("uop.operations",
                            Builder(&getContext()).getI64IntegerAttr(countOperations(getOperation(), warn)));
  }
};

} // namespace

int64_t countOperations(FuncOp func, function_ref<void(ForOp)> onUnknown) {
  return std::min<uint64_t>(Counter(onUnknown).count(func), std::numeric_limits<int64_t>::max());
}

} // namespace tiny::uop
