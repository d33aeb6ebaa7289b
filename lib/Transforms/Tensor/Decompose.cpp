// Replaces each operation that is not primitive by its decomposition, until only primitive ones are left.
#include "Tiny/Dialect/Tensor/LowerAttributes.h"
#include "Tiny/Support/Origin.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORDECOMPOSE
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

/// Collects what decompositions create.
struct CreatedOps : OpBuilder::Listener {
  SmallVector<Operation *> ops;
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override { ops.push_back(op); }
};

struct TensorDecompose : impl::TensorDecomposeBase<TensorDecompose> {
  void runOnOperation() override {
    if (failed(verifyNoLowerAttributes(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> worklist;
    getOperation()->walk([&](DecomposableOpInterface op) { worklist.push_back(op); });
    std::reverse(worklist.begin(), worklist.end());
    CreatedOps created;
    OpBuilder builder(&getContext(), &created);
    while (!worklist.empty()) {
      auto op = dyn_cast<DecomposableOpInterface>(worklist.pop_back_val());
      if (!op || op.isPrimitive())
        continue;
      created.ops.clear();
      if (failed(replace(op, builder)))
        return signalPassFailure();
      // First created is next: an operation's operands are primitive before it is.
      worklist.append(created.ops.rbegin(), created.ops.rend());
      ++numDecomposed;
    }
    eraseDead();
  }

  /// Puts the operation's decomposition in its place.
  LogicalResult replace(DecomposableOpInterface op, OpBuilder &builder) {
    op->setLoc(withOrigin(op->getLoc(), op->getName().stripDialect()));
    builder.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> values = op.decompose(builder);
    if (failed(values))
      return failure();
    if (TypeRange(ValueRange(*values)) != TypeRange(op->getResultTypes()))
      return op->emitOpError("expects a decomposition into ")
             << op->getResultTypes() << ", got " << TypeRange(ValueRange(*values));
    op->replaceAllUsesWith(*values);
    op->erase();
    return success();
  }

  /// Decompositions may leave a value that a fold made superfluous.
  void eraseDead() {
    getOperation()->walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
      if (isa_and_present<TinyDialect>(op->getDialect()) && isOpTriviallyDead(op))
        op->erase();
    });
  }
};

} // namespace
} // namespace tiny::tensor
