// Loops and branches of one rank's program.
//
// Ranks meet in bodies, so each must come there as often as the others. Limits and conditions are whole: every rank
// has the same one, runs as many iterations and takes the same branch.
#include "RankProgram.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::tensor {

/// In front of the loops that the value stands outside of: ranks meet once, not in each iteration.
LocalValue RankProgram::reshard(const LocalValue &value, ArrayRef<int64_t> whole, const Sharding &sharding,
                                Location loc) {
  OpBuilder::InsertionGuard guard(builder);
  Region *own = Value(value.value).getParentRegion();
  while (auto loop = dyn_cast<LoopOp>(builder.getInsertionBlock()->getParentOp())) {
    if (loop.getBody().isAncestor(own))
      break;
    builder.setInsertionPoint(loop);
  }
  return resharder.reshard(value, whole, sharding, loc);
}

/// Fills a body, whose block has its arguments. `yielded`: how what it gives is cut.
LogicalResult RankProgram::partitionBody(Region &old, Region &body, ArrayRef<Sharding> yielded) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body.front());
  resharder.enterBody();
  // What somebody wrote at an argument.
  for (BlockArgument argument : old.getArguments())
    if (const KnownSharding *wanted = known.lookup(argument); wanted && wanted->isFixed)
      define(argument, locals.at(argument), argument.getLoc());
  for (Operation &op : old.front().without_terminator())
    if (failed(partition(op)))
      return failure();
  Operation *end = old.front().getTerminator();
  SmallVector<Value> values;
  for (auto [value, sharding] : llvm::zip_equal(end->getOperands(), yielded)) {
    const LocalValue &local = locals.at(value);
    bool isSummand = sums.contains(value) && !local.partial.empty();
    values.push_back(isSummand ? local.value : get(value, sharding, end->getLoc()).value);
  }
  YieldOp::create(builder, end->getLoc(), values);
  resharder.leaveBody();
  return success();
}

/// How a rank has each result of a loop or a branch, and the types.
std::pair<SmallVector<Sharding>, SmallVector<Type>> RankProgram::cutResults(ShardingOpInterface op) const {
  ShardingRule rule = op.getShardingRule();
  FactorShardings shared = known.share(op);
  std::pair<SmallVector<Sharding>, SmallVector<Type>> cut;
  for (auto [result, factors] : llvm::zip_equal(op->getResults(), rule.results)) {
    cut.first.push_back(getTensorSharding(factors, shared));
    RankedTensorType type = getTensorType(result);
    cut.second.push_back(type.clone(getLocalShape(type.getShape(), cut.first.back(), grid)));
  }
  return cut;
}

static bool isZero(Value value) {
  while (auto annotation = value.getDefiningOp<shard::ShardOp>())
    value = annotation.getSrc();
  Attribute number;
  DenseElementsAttr known;
  if (auto full = value.getDefiningOp<FullOp>())
    number = full.getValue();
  else if (matchPattern(value, m_Constant(&known)) && known.isSplat())
    number = known.getSplatValue<Attribute>();
  if (auto real = dyn_cast_if_present<FloatAttr>(number))
    return real.getValue().isZero();
  auto integer = dyn_cast_if_present<IntegerAttr>(number);
  return integer && integer.getValue().isZero();
}

/// Where a loop adds something to the carried value in each iteration, from zero on, and nobody reads it before the
/// end: the sum. Null otherwise.
static AddOp findSum(LoopOp op, unsigned carried) {
  Value old = op.getBody().getArgument(carried + 1), next = op.getNext()[carried];
  auto add = next.getDefiningOp<AddOp>();
  bool isSum = add && add->getBlock() == &op.getBody().front() && next.hasOneUse() && old.hasOneUse() &&
               llvm::is_contained(add->getOperands(), old) &&
               llvm::all_of(add->getOperandTypes(), [&](Type type) { return type == next.getType(); }) &&
               isZero(op.getCarried()[carried]);
  return isSum ? add : AddOp();
}

LogicalResult RankProgram::partitionLoop(LoopOp op) {
  Location loc = op.getLoc();
  Sharding scalar;
  auto getScalar = [&](Value value) { return value ? get(value, scalar, loc).value : Value(); };
  Value limit = getScalar(op.getLimit()), condition = getScalar(op.getCondition());
  auto [results, types] = cutResults(op);
  unsigned nCarried = op.getNumCarried();
  SmallVector<Value> carried;
  for (auto [value, sharding] : llvm::zip(op.getCarried(), results))
    carried.push_back(get(value, sharding, loc).value);
  auto local = LoopOp::create(builder, loc, types, op.getMostAttr(), limit, condition, carried);
  local->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &body = local.getBody().emplaceBlock();
  BlockArgument number = op.getBody().getArgument(0);
  locals[number] = {body.addArgument(number.getType(), number.getLoc()), scalar, {}};
  for (unsigned k = 0; k < nCarried; ++k) {
    BlockArgument old = op.getBody().getArgument(k + 1);
    locals[old] = {body.addArgument(types[k], old.getLoc()), results[k], {}};
    const KnownSharding *wanted = known.lookup(old);
    if (AddOp add = findSum(op, k); add && !(wanted && wanted->isFixed))
      sums.insert_range(ArrayRef<Value>{old, add.getResult()});
  }
  SmallVector<Sharding> yielded;
  if (condition)
    yielded.push_back(scalar);
  llvm::append_range(yielded, ArrayRef(results).take_front(nCarried));
  for (const Sharding &sharding : ArrayRef(results).slice(nCarried, op.getNumRows()))
    yielded.emplace_back(llvm::drop_begin(sharding));
  if (failed(partitionBody(op.getBody(), local.getBody(), yielded)))
    return failure();
  for (auto [k, whole, own, sharding] : llvm::enumerate(op.getResults(), local.getResults(), results)) {
    LocalValue entry = {own, sharding, {}};
    if (k < nCarried && sums.contains(op.getNext()[k]))
      entry.partial = locals.at(op.getNext()[k]).partial;
    define(whole, entry, loc);
  }
  return success();
}

LogicalResult RankProgram::partitionBranch(IfOp op) {
  Location loc = op.getLoc();
  auto [results, types] = cutResults(op);
  auto local = IfOp::create(builder, loc, types, get(op.getCondition(), Sharding(), loc).value);
  local->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [old, body] : llvm::zip_equal(op->getRegions(), local->getRegions())) {
    body.emplaceBlock();
    if (failed(partitionBody(old, body, results)))
      return failure();
  }
  for (auto [whole, own, sharding] : llvm::zip_equal(op.getResults(), local.getResults(), results))
    define(whole, {own, sharding, {}}, loc);
  return success();
}

} // namespace tiny::tensor
