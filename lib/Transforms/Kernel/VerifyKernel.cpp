// verify-kernel: what may exist on the kernel level.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_VERIFYKERNEL
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

bool isScalar(Type type) { return type.isSignlessIntOrIndex() || isa<FloatType>(type); }

// True when bounds of an expression are reached: it is linear, and its variables are ranges, which are independent.
bool hasExactBounds(ExprContext &context, sym::ArithBridge &bridge, Expr expression) {
  return llvm::all_of(context.linear(expression).terms, [&](const LinearForm::Term &term) {
    if (!term.atom.is(ExprKind::Leaf))
      return false;
    Value leaf = bridge.valueOfLeaf(term.atom);
    // One with a size may end before its extent does, which is a multiple of something.
    auto range = leaf ? leaf.getDefiningOp<RangeOp>() : RangeOp();
    return range && !range.getSize();
  });
}

struct VerifyKernel : impl::VerifyKernelBase<VerifyKernel> {
  void runOnOperation() override {
    bool failed = false;
    for (Operation &op : *getOperation().getBody()) {
      if (auto func = dyn_cast<FuncOp>(op))
        failed |= mlir::failed(verifyFunc(func));
      else if (auto program = dyn_cast<ProgramOp>(op))
        failed |= mlir::failed(verifyProgram(program));
      else if (!isa<ModuleOp>(op)) {
        // (gate_c1) programs and kernels.
        op.emitError() << "'" << op.getName() << "' cannot stand on the kernel level";
        failed = true;
      }
    }
    if (failed)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult verifyProgram(ProgramOp program) {
    bool failed = false;
    program.getBody().walk([&](Operation *op) {
      // (gate_c2) items of this dialect.
      if (!isa_and_present<KernelDialect>(op->getDialect())) {
        op->emitError() << "'" << op->getName() << "' is no item of a program";
        failed = true;
      }
    });
    program->walk([&](Operation *op) {
      for (Region &list : op->getRegions())
        for (Block &block : list)
          failed |= mlir::failed(verifyAsync(block));
    });
    return failure(failed);
  }

  // (gate_c5) an async collective is waited for in its list, and until then nothing touches its target or writes its
  // source.
  LogicalResult verifyAsync(Block &list) {
    SmallVector<CollectiveOp> pending;
    for (Operation &op : list) {
      if (auto wait = dyn_cast<WaitOp>(op)) {
        auto *begun = llvm::find_if(pending, [&](CollectiveOp other) {
          return other.getSource() == wait.getSource() && other.getTarget() == wait.getTarget();
        });
        if (begun == pending.end())
          return wait.emitOpError("waits for no async collective of its list with these buffers");
        pending.erase(begun);
        continue;
      }
      if (isa<AllocOp, ConstantOp, AliasOp, ReturnOp>(op))
        continue;
      for (const ItemAccess &access : listAccesses(&op))
        for (CollectiveOp other : pending) {
          Value root = getRoot(access.buffer);
          if (root != getRoot(other.getTarget()) && !(access.isWritten && root == getRoot(other.getSource())))
            continue;
          InFlightDiagnostic error = op.emitOpError("uses a buffer of an async collective before a 'kernel.wait'");
          error.attachNote(other.getLoc()) << "the collective is here";
          return error;
        }
      if (auto collective = dyn_cast<CollectiveOp>(op); collective && collective.getAsync())
        pending.push_back(collective);
    }
    if (!pending.empty())
      return pending.front().emitOpError("is async, and no 'kernel.wait' of its list is for it");
    return success();
  }

  LogicalResult verifyFunc(FuncOp func) {
    bool failed = false;
    ExprContext context;
    sym::ArithBridge bridge(context);
    func.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { failed |= mlir::failed(verifyOp(context, bridge, op)); });
    return failure(failed);
  }

  LogicalResult verifyOp(ExprContext &context, sym::ArithBridge &bridge, Operation *op) {
    // (gate_c2) only these dialects, and whatever else is elementwise and without effects.
    if (!isa_and_present<KernelDialect, arith::ArithDialect, math::MathDialect, sym::SymDialect>(op->getDialect()) &&
        !(OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op)))
      return op->emitError() << "'" << op->getName() << "' cannot stand in a kernel";
    // (gate_c3) scalars, and tiles.
    for (OpResult result : op->getResults())
      if (!isa<StageOp>(op) && !isScalar(result.getType()))
        return op->emitOpError() << "result #" << result.getResultNumber() << " of type " << result.getType()
                                 << " is neither a signless integer, nor a float, nor an index";
    if (auto load = dyn_cast<LoadOp>(op))
      return verifyAccess(context, bridge, op, load.getBuffer(), load.getIndex(), load.getGate());
    if (auto store = dyn_cast<StoreOp>(op))
      return verifyAccess(context, bridge, op, store.getBuffer(), store.getIndex(), store.getGate());
    return success();
  }

  LogicalResult verifyAccess(ExprContext &context, sym::ArithBridge &bridge, Operation *op, Value buffer, Value index,
                             Value gate) {
    // (gate_c4) in bounds, unless a gate says where.
    if (gate)
      return success();
    Expr expression = bridge.importValue(index);
    Bounds bounds = expression.bounds();
    int64_t count = cast<MemRefType>(buffer.getType()).getNumElements();
    bool isOutside = hasExactBounds(context, bridge, expression) ? bounds.low < 0 || bounds.high >= count
                                                                 : bounds.high < 0 || bounds.low >= count;
    if (!isOutside)
      return success();
    return op->emitOpError("without a gate goes from ")
           << bounds.low << " to " << bounds.high << " in a buffer of " << count << " elements";
  }
};

} // namespace
} // namespace tiny::kernel
