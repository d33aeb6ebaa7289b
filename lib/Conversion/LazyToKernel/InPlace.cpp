// Checks what groups say about writing in place: who reads the old buffer later, and in the kernel itself the index of
// each load against that of the store.
#include "InPlace.h"

#include "GroupGraph.h"
#include "Tiny/Analysis/Lazy/StateUses.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Algebra/Symbolic/Exact.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tiny;

namespace {
/// The store of one output against the loads of one input.
class Overwrite {
public:
  Overwrite(ExprContext &context, GroupGraph &graph, const GroupGraph::Output &output)
      : context(context), graph(graph), output(output), feeds(graph.getNodes().size()) {
    SmallVector<unsigned> worklist = {output.node};
    feeds.set(output.node);
    while (!worklist.empty())
      for (unsigned operand : graph.getNodes()[worklist.pop_back_val()].operands)
        if (!feeds.test(operand)) {
          feeds.set(operand);
          worklist.push_back(operand);
        }
    renameLeaves();
  }

  bool isSafe(BlockArgument input) {
    for (unsigned id : graph.getOrder()) {
      const GroupGraph::Node &node = graph.getNodes()[id];
      if (node.kind != GroupGraph::NodeKind::Input || node.argument != input)
        continue;
      bool isOwn = node.indices[0] == output.index && feeds.test(id);
      if (!isOwn && !isElsewhere(node))
        return false;
    }
    return true;
  }

private:
  /// Whether the load reads nothing that any iteration of the store writes.
  bool isElsewhere(const GroupGraph::Node &load) {
    int64_t count = cast<RankedTensorType>(load.argument.getType()).getNumElements();
    Expr reads = load.gate ? load.gate : graph.inBounds(load.indices[0], count);
    Expr meets = reads && otherIndex ? context.eq(load.indices[0], otherIndex) : Expr();
    if (meets)
      meets = context.logicalAnd(meets, reads);
    if (meets && otherValid)
      meets = context.logicalAnd(meets, otherValid);
    return meets && otherValid && satisfy(context, meets).verdict == Satisfaction::Verdict::Never;
  }

  /// The store's place in another iteration: the same expressions over leaves of their own.
  void renameLeaves() {
    DenseMap<const ExprNode *, Expr> fresh;
    SmallVector<const ExprNode *> worklist = {output.index.get(), output.valid.get()};
    DenseMap<const ExprNode *, bool> seen;
    while (!worklist.empty()) {
      const ExprNode *node = worklist.pop_back_val();
      if (!seen.try_emplace(node, true).second)
        continue;
      if (node->kind == ExprKind::Leaf)
        fresh[node] = node->isCondition ? context.conditionLeaf() : context.leaf({node->low, node->high});
      llvm::append_range(worklist, node->operands);
    }
    otherIndex = context.substitute(output.index, fresh);
    otherValid = context.substitute(output.valid, fresh);
  }

  ExprContext &context;
  GroupGraph &graph;
  const GroupGraph::Output &output;
  llvm::BitVector feeds; // nodes that the stored value depends on
  Expr otherIndex, otherValid;
};
} // namespace

/// Whether the kernel of `group` reads of `inputs` only what (in_place_c3) allows. Fails, with an error, where the
/// group has no kernel.
static FailureOr<bool> canWriteOver(lazy::GroupOp group, unsigned result, ArrayRef<unsigned> inputs) {
  // The graph makes its ranges in a kernel that nobody keeps.
  OpBuilder builder(group.getContext());
  auto scratch = kernel::FuncOp::create(builder, group.getLoc(), "scratch", builder.getFunctionType({}, {}),
                                        /*schedule=*/nullptr, /*sym_visibility=*/nullptr, /*arg_attrs=*/nullptr,
                                        /*res_attrs=*/nullptr);
  Block &block = scratch.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&block);
  bool isSafe = true;
  LogicalResult built = success();
  {
    ExprContext context;
    sym::ArithBridge bridge(context, &block);
    GroupGraph graph(context, bridge, builder, group);
    built = graph.build();
    if (succeeded(built))
      // A result that is stored in parts has an output for each.
      for (const GroupGraph::Output &output : graph.getOutputs())
        if (output.position == result) {
          Overwrite overwrite(context, graph, output);
          isSafe &= llvm::all_of(inputs,
                                 [&](unsigned input) { return overwrite.isSafe(group.getBody().getArgument(input)); });
        }
  }
  scratch.erase();
  if (failed(built))
    return failure();
  return isSafe;
}

static LogicalResult verifyOver(func::FuncOp func, lazy::GroupOp group, unsigned result, unsigned input) {
  Value value = group.getInputs()[input], state = getState(value);
  // (in_place_c1)
  auto argument = dyn_cast<BlockArgument>(state);
  bool isOwn = argument ? bool(func.getArgAttr(argument.getArgNumber(), kDonatedAttr))
                        : isa_and_nonnull<lazy::GroupOp>(state.getDefiningOp());
  if (!isOwn || !isWhole(value))
    return group.emitOpError("writes result #")
           << result << " over input #" << input << ": expected all of a donated argument, or of what a group made";
  // (in_place_c2)
  SmallVector<unsigned> read;
  SmallVector<Value> worklist = {state};
  while (!worklist.empty())
    for (OpOperand &operand : worklist.pop_back_val().getUses()) {
      Operation *user = operand.getOwner();
      if (lazy::isMovement(user)) {
        worklist.push_back(user->getResult(0));
        continue;
      }
      auto reader = dyn_cast<lazy::GroupOp>(user);
      unsigned number = operand.getOperandNumber();
      bool isRead = !reader || tiny::isRead({reader, number});
      if (user == group) {
        if (isRead)
          read.push_back(number);
        continue;
      }
      bool isUsed = isRead || !reader.getBody().getArgument(number).use_empty() ||
                    llvm::is_contained(reader.getInPlace().value_or(ArrayRef<int64_t>()), int64_t(number));
      if (!isUsed || user->isBeforeInBlock(group))
        continue;
      InFlightDiagnostic error = group.emitOpError("writes result #")
                                 << result << " over input #" << input << ", which is needed later";
      error.attachNote(user->getLoc()) << "here";
      return error;
    }
  // (in_place_c3)
  FailureOr<bool> isSafe = read.empty() ? FailureOr<bool>(true) : canWriteOver(group, result, read);
  if (failed(isSafe))
    return failure();
  if (!*isSafe)
    return group.emitOpError("writes result #")
           << result << " over input #" << input << ", of which it reads elements that other iterations write";
  return success();
}

LogicalResult tiny::verifyInPlace(func::FuncOp func) {
  for (auto group : func.getOps<lazy::GroupOp>())
    for (auto [result, input] : llvm::enumerate(group.getInPlace().value_or(ArrayRef<int64_t>())))
      if (input >= 0 && failed(verifyOver(func, group, result, input)))
        return failure();
  return success();
}
