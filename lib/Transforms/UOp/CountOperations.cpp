// What a kernel costs in scalar operations, and the pass that notes it for audits.
#include "CountOperations.h"

#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
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
    return llvm::SaturatingMultiply(runs, count(func.getBody()));
  }

private:
  uint64_t count(Region &region) {
    uint64_t total = 0;
    for (Operation &op : region.getOps()) {
      uint64_t own = 0;
      if (auto loop = dyn_cast<ForOp>(op))
        own = llvm::SaturatingMultiply(tripCount(loop), count(loop.getRegion()));
      else if (auto condition = dyn_cast<IfOp>(op))
        own = count(condition.getRegion());
      else
        own = weigh(&op);
      total = llvm::SaturatingAdd(total, own);
    }
    return total;
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
    if (!isa<arith::ArithDialect, math::MathDialect, vector::VectorDialect>(op->getDialect()) ||
        op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>())
      return 0;
    Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
    if (element.isIndex())
      return 0;
    // Numbers of lanes and conditions on places, and what combines them.
    if (isa<IntegerType>(element) && (element.isInteger(1) || isOnlyCompared(op)) &&
        llvm::all_of(op->getOperands(), [&](Value value) { return isAboutIndices(value); })) {
      places.insert(op->getResult(0));
      return 0;
    }
    if (isa<vector::VectorDialect>(op->getDialect()) || standsInForNothing(op))
      return 0;
    auto vector = dyn_cast<VectorType>(type);
    return (isa<math::FmaOp>(op) ? 2 : 1) * (vector ? vector.getNumElements() : 1);
  }

  bool isAboutIndices(Value value) const {
    Operation *op = value.getDefiningOp();
    return getElementTypeOrSelf(value.getType()).isIndex() || places.contains(value) ||
           (op && op->hasTrait<OpTrait::ConstantLike>());
  }

  /// Whether conditions alone come of the result, by operations on integers.
  bool isOnlyCompared(Operation *op) {
    if (auto known = compared.find(op); known != compared.end())
      return known->second;
    bool isOnly = llvm::all_of(op->getUsers(), [&](Operation *user) {
      return isa<arith::CmpIOp>(user) ||
             (isa<arith::ArithDialect, vector::VectorDialect>(user->getDialect()) && user->getNumResults() == 1 &&
              isa<IntegerType>(getElementTypeOrSelf(user->getResult(0).getType())) && isOnlyCompared(user));
    });
    return compared[op] = isOnly;
  }

  /// Whether it puts a constant in place of elements that are not loaded.
  static bool standsInForNothing(Operation *op) {
    auto select = dyn_cast<arith::SelectOp>(op);
    auto load = select ? select.getTrueValue().getDefiningOp<LoadOp>() : LoadOp();
    return load && load.getGate() == select.getCondition() && matchPattern(select.getFalseValue(), m_Constant());
  }

  function_ref<void(ForOp)> onUnknown;
  llvm::DenseSet<Value> places;
  llvm::DenseMap<Operation *, bool> compared;
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
