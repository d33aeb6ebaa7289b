// Loops and conditions to blocks. Inner ones are blocks already when an outer one is lowered.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace tiny {

/// Moves a body's blocks before `after`, and gives the terminator that ends it: inner lowerings split blocks at their
/// end, so it is the last block's.
static Operation *moveBody(Region &body, Block *after) {
  Operation *yield = body.back().getTerminator();
  after->getParent()->getBlocks().splice(Region::iterator(after), body.getBlocks());
  return yield;
}

void KernelLowering::lowerFor(uop::ForOp op) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *body = &op.getRegion().front();

  SmallVector<Type> types = llvm::to_vector(body->getArgumentTypes());
  Block *head = builder.createBlock(after, types, SmallVector<Location>(types.size(), loc));
  Value index = head->getArgument(0);
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, op.getBound());
  cf::CondBranchOp::create(builder, loc, inside, body, after);

  SmallVector<Value> initial = {zero};
  llvm::append_range(initial, op.getInitArgs());
  builder.setInsertionPointToEnd(before);
  cf::BranchOp::create(builder, loc, head, initial);

  for (auto [argument, value] : llvm::zip_equal(body->getArguments(), head->getArguments()))
    argument.replaceAllUsesWith(value);
  body->eraseArguments(0, body->getNumArguments());
  op->replaceAllUsesWith(head->getArguments().drop_front());

  Operation *yield = moveBody(op.getRegion(), after);
  builder.setInsertionPoint(yield);
  auto noWrap = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  SmallVector<Value> next = {arith::AddIOp::create(builder, loc, index, one, noWrap)};
  llvm::append_range(next, yield->getOperands());
  cf::BranchOp::create(builder, loc, head, next);
  yield->erase();
  op.erase();
}

void KernelLowering::lowerIf(uop::IfOp op) {
  Location loc = op.getLoc();
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *body = &op.getBody().front();
  builder.setInsertionPointToEnd(before);
  cf::CondBranchOp::create(builder, loc, op.getCondition(), body, after);
  Operation *yield = moveBody(op.getBody(), after);
  builder.setInsertionPoint(yield);
  cf::BranchOp::create(builder, loc, after);
  yield->erase();
  op.erase();
}

Block *KernelLowering::makeConditional(Operation *op, Value condition) {
  Location loc = op->getLoc();
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *body = builder.createBlock(after);
  cf::BranchOp::create(builder, loc, after);
  builder.setInsertionPointToEnd(before);
  cf::CondBranchOp::create(builder, loc, condition, body, after);
  return body;
}

} // namespace tiny
