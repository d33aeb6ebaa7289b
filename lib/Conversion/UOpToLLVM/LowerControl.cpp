// Loops and conditions to blocks. Inner ones are blocks already when an outer one is lowered.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny {

/// Moves a body's blocks before `after`, and gives the terminator that ends it: inner lowerings split blocks at their
/// end, so it is the last block's.
static Operation *moveBody(Region &body, Block *after) {
  Operation *yield = body.back().getTerminator();
  after->getParent()->getBlocks().splice(Region::iterator(after), body.getBlocks());
  return yield;
}

/// The condition under which a loop runs once, of one that otherwise does not run: functions compute so what few of
/// their arguments need.
static Value findRareCondition(uop::ForOp op) {
  auto select = op.getBound().getDefiningOp<arith::SelectOp>();
  return select && matchPattern(select.getTrueValue(), m_One()) && matchPattern(select.getFalseValue(), m_Zero())
             ? select.getCondition()
             : Value();
}

/// The loop as a branch that is seldom taken.
static void lowerRare(uop::ForOp op, Value condition, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *body = &op.getRegion().front();
  SmallVector<Value> initial = llvm::to_vector(op.getInitArgs());
  SmallVector<Value> arguments = {zero};
  llvm::append_range(arguments, initial);
  for (auto [argument, value] : llvm::zip_equal(body->getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  body->eraseArguments(0, body->getNumArguments());
  SmallVector<Value> results;
  for (Value result : op->getResults())
    results.push_back(after->addArgument(result.getType(), loc));
  op->replaceAllUsesWith(results);
  builder.setInsertionPointToEnd(before);
  constexpr int32_t kSeldom[] = {1, 1 << 20};
  cf::CondBranchOp::create(builder, loc, condition, body, /*trueOperands=*/{}, after, initial,
                           builder.getDenseI32ArrayAttr(kSeldom));
  Operation *yield = moveBody(op.getRegion(), after);
  builder.setInsertionPoint(yield);
  cf::BranchOp::create(builder, loc, after, yield->getOperands());
  yield->erase();
  op.erase();
}

void KernelLowering::lowerFor(uop::ForOp op) {
  if (Value condition = findRareCondition(op))
    return lowerRare(op, condition, builder);
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
