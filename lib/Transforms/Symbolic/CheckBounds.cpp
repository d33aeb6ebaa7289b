// sym-check-bounds: every access to a rank-1 buffer of known size is inside it, or the pass says where not.
#include "Tiny/Algebra/Symbolic/Exact.h"
#include "Tiny/Dialect/Symbolic/Access.h"
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Transforms/Symbolic/Passes.h"

using namespace mlir;

namespace tiny::sym {
#define GEN_PASS_DEF_SYMCHECKBOUNDS
#include "Tiny/Transforms/Symbolic/Passes.h.inc"
} // namespace tiny::sym

using namespace tiny;
using namespace tiny::sym;

namespace {
struct SymCheckBounds : sym::impl::SymCheckBoundsBase<SymCheckBounds> {
  using SymCheckBoundsBase::SymCheckBoundsBase;

  void runOnOperation() override {
    bool failed = false;
    getOperation()->walk([&](Operation *op) {
      std::optional<Access> access = getAccess(op);
      if (access)
        failed |= mlir::failed(check(op, *access));
    });
    if (failed)
      signalPassFailure();
  }

  /// Whether a leaf of the expression stands for what an operation computes of others, without stating its bounds.
  static bool readsComputedLeaf(Expr root, const ArithBridge &bridge) {
    llvm::SmallPtrSet<const ExprNode *, 16> seen;
    SmallVector<const ExprNode *> stack{root.get()};
    while (!stack.empty()) {
      const ExprNode *node = stack.pop_back_val();
      if (!seen.insert(node).second)
        continue;
      stack.append(node->operands.begin(), node->operands.end());
      if (node->kind != ExprKind::Leaf)
        continue;
      Value source = bridge.valueOfLeaf(Expr(node));
      Operation *producer = source ? source.getDefiningOp() : nullptr;
      if (producer && producer->getNumOperands() && isPure(producer) && !isa<RangeOfOp>(producer))
        return true;
    }
    return false;
  }

  LogicalResult check(Operation *op, const Access &access) {
    int64_t size = cast<MemRefType>(access.buffer->get().getType()).getDimSize(0);
    if (ShapedType::isDynamic(size) || access.isGatedByLane)
      return success();
    ++checked;
    ExprContext context;
    ArithBridge bridge(context);
    Expr index = bridge.importValue(access.index->get());
    Expr gate = access.gate ? bridge.importValue(access.gate) : context.condition(true);
    Expr below = context.lt(index, context.constant(0));
    Expr above = context.ge(index, context.constant(size - access.lanes + 1));
    Expr outside = context.simplify(context.logicalAnd(gate, context.logicalOr(below, above)));
    if (outside && outside.isFalse()) {
      ++byRules;
      return success();
    }
    Satisfaction answer = satisfy(context, outside);
    if (answer.verdict == Satisfaction::Verdict::Never)
      return success();
    // A point is only as good as its leaves are free: what the engine could not read may never be so.
    if (answer.verdict == Satisfaction::Verdict::Unknown || readsComputedLeaf(outside, bridge)) {
      if (!rejectUnknown)
        return success();
      return op->emitOpError("may reach outside its buffer of ") << size << " elements: not decided";
    }
    auto valueAt = [&](int64_t leaf) {
      for (auto [number, value] : answer.point)
        if (number == leaf)
          return value;
      return int64_t(0);
    };
    InFlightDiagnostic error = op->emitOpError("reaches element ");
    std::optional<int64_t> position = context.evaluate(index, valueAt);
    if (position)
      error << (*position < 0 ? *position : *position + access.lanes - 1);
    error << " of a buffer of " << size;
    for (auto [leaf, value] : answer.point)
      if (Value source = bridge.valueOfLeaf(leaf))
        error.attachNote(source.getLoc()) << "where this is " << value;
    return failure();
  }
};
} // namespace
