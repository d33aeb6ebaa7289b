// Writes the graph of a group as a kernel.
#include "LowerGroup.h"

#include "GroupGraph.h"
#include "Tiny/Support/Division.h"
#include "Tiny/Support/ReductionIdentity.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tiny;

namespace {
/// Emits the nodes of one graph, operands first.
class KernelEmitter {
public:
  KernelEmitter(sym::ArithBridge &bridge, OpBuilder &builder, GroupGraph &graph, Block &block,
                const llvm::BitVector &partial, ArrayRef<int64_t> inPlace)
      : bridge(bridge), builder(builder), graph(graph), block(block), partial(partial), inPlace(inPlace) {}
  void run();
  bool readsUnwritten = false;

private:
  void emit(unsigned id);
  void emitStore(const GroupGraph::Output &output);
  /// Loads the element that a node is of a buffer or a tile.
  Value emitLoad(const GroupGraph::Node &node, Expr index, Value buffer, Location loc);
  /// Fills a tile.
  Value emitStage(const GroupGraph::Node &node);
  Value emitIota(lazy::IotaOp iota, Value index);
  void emitElementwise(const GroupGraph::Node &node, SmallVectorImpl<Value> &results);
  void emitIndex(const GroupGraph::Node &node);
  void emitReduce(const GroupGraph::Node &node, SmallVectorImpl<Value> &results);
  Value emitScan(const GroupGraph::Node &node);
  Value getZero(Location loc, Type type) { return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)); }
  /// The scalar of a value whose node is the operand of another.
  Value getValue(unsigned id, Value value) {
    auto result = dyn_cast<OpResult>(GroupGraph::skipKept(value));
    return values[id][result ? result.getResultNumber() : 0];
  }

  sym::ArithBridge &bridge;
  OpBuilder &builder;
  GroupGraph &graph;
  Block &block;
  const llvm::BitVector &partial;
  ArrayRef<int64_t> inPlace;                 // for each result the input that it is written over, or -1
  SmallVector<SmallVector<Value, 1>> values; // by node and result
  llvm::SetVector<Operation *> unread;       // by stores that keep an element, users first
};
} // namespace

static Type getScalarType(Type type) { return getElementTypeOrSelf(type); }

Value KernelEmitter::emitLoad(const GroupGraph::Node &node, Expr index, Value buffer, Location loc) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t count = type.getNumElements();
  // Nothing may be read where the value is not used; where users disagree, inside the buffer is safe.
  Expr gate = node.gate;
  bool isPartial = node.kind == GroupGraph::NodeKind::Input && partial.test(node.argument.getArgNumber());
  readsUnwritten |= isPartial && !gate;
  if (!gate || (!gate.isTrue() && !isPartial)) {
    Expr inside = graph.inBounds(index, count);
    if (inside && (!gate || inside.isTrue()))
      gate = inside;
  }
  Value at = bridge.materialize(builder, loc, index);
  Value condition = gate.isTrue() ? Value() : bridge.materialize(builder, loc, gate);
  return kernel::LoadOp::create(builder, loc, type.getElementType(), buffer, at, condition);
}

Value KernelEmitter::emitStage(const GroupGraph::Node &node) {
  Value kept = node.op->getOperand(0);
  Location loc = node.op->getLoc();
  int64_t points = 1;
  for (Value range : node.ranges)
    points *= range.getDefiningOp<kernel::RangeOp>().getExtent();
  auto element = cast<MemRefType>(getBufferType(loc, kept.getType())).getElementType();
  return kernel::StageOp::create(builder, loc, MemRefType::get({points}, element), getValue(node.operands[0], kept),
                                 node.ranges, kernel::StageSpace::Local, IntegerAttr());
}

/// The index as an element of the result. An index cast to a narrow type and back folds to the index upstream, whatever
/// it loses; truncation says that it wraps.
Value KernelEmitter::emitIota(lazy::IotaOp iota, Value index) {
  auto type = cast<RankedTensorType>(iota.getType());
  Type element = type.getElementType();
  Location loc = iota.getLoc();
  if (element.isIndex())
    return index;
  unsigned width = element.getIntOrFloatBitWidth();
  if (width >= 64 || llvm::isIntN(width, type.getDimSize(iota.getAxis()) - 1))
    return arith::IndexCastOp::create(builder, loc, element, index);
  Value wide = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  return arith::TruncIOp::create(builder, loc, element, wide);
}

void KernelEmitter::emitElementwise(const GroupGraph::Node &node, SmallVectorImpl<Value> &results) {
  Operation *op = node.op;
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<TypedAttr>(constant.getValue());
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = cast<TypedAttr>(splat.getSplatValue<Attribute>());
    results.push_back(arith::ConstantOp::create(builder, loc, value));
    return;
  }
  if (auto iota = dyn_cast<lazy::IotaOp>(op)) {
    results.push_back(emitIota(iota, bridge.materialize(builder, loc, node.indices[0])));
    return;
  }
  SmallVector<Value> operands;
  for (auto [id, value] : llvm::zip_equal(node.operands, op->getOperands()))
    operands.push_back(getValue(id, value));
  // What may trap runs on operands that are anything where the value is not used.
  if (mayTrap(op) && !(node.gate && node.gate.isTrue()) && !node.indices.empty()) {
    Expr used = node.gate;
    if (!used)
      used = graph.inBounds(node.indices, cast<RankedTensorType>(op->getResult(0).getType()).getShape());
    if (used && !used.isTrue())
      operands[1] = makeSafeDivisor(builder, loc, bridge.materialize(builder, loc, used), operands[1]);
  }
  SmallVector<Type> types = llvm::map_to_vector(op->getResultTypes(), getScalarType);
  Operation *scalar = builder.create(loc, op->getName().getIdentifier(), operands, types, op->getAttrs());
  results.append(scalar->result_begin(), scalar->result_end());
}

void KernelEmitter::emitIndex(const GroupGraph::Node &node) {
  // Sorted before all that the leaf is an index of.
  Value data = getValue(node.operands[0], node.data);
  bridge.bindLeaf(node.leaf, arith::IndexCastOp::create(builder, data.getLoc(), builder.getIndexType(), data));
}

void KernelEmitter::emitReduce(const GroupGraph::Node &node, SmallVectorImpl<Value> &results) {
  auto reduce = cast<lazy::ReduceOp>(node.op);
  Location loc = reduce.getLoc();
  SmallVector<Type> types = llvm::map_to_vector(reduce.getResultTypes(), getScalarType);
  std::optional<arith::AtomicRMWKind> kind = reduce.getKind();
  SmallVector<Value> inits;
  if (ArrayAttr attrs = reduce.getInitsAttr())
    for (Attribute init : attrs)
      inits.push_back(arith::ConstantOp::create(builder, loc, cast<TypedAttr>(init)));
  else if (node.ranges.empty())
    for (Type type : types)
      inits.push_back(arith::ConstantOp::create(builder, loc, getReductionIdentity(*kind, type, builder, loc)));
  if (node.isEmpty) {
    results.append(inits.begin(), inits.end());
    return;
  }
  SmallVector<Value> inputs;
  for (auto [id, value] : llvm::zip_equal(node.operands, reduce.getInputs()))
    inputs.push_back(getValue(id, value));
  if (node.ranges.empty()) {
    llvm::append_range(results, kernel::buildCombine(builder, loc, kind, reduce.getFastmathAttr(), reduce.getCombiner(),
                                                     inits, inputs));
    return;
  }
  auto lowered = kernel::ReduceOp::create(builder, loc, types, inputs, inits, node.ranges, reduce.getKindAttr(),
                                          /*associative=*/false, /*commutative=*/false, reduce.getFastmath());
  if (!reduce.getCombiner().empty()) {
    IRMapping mapping;
    reduce.getCombiner().cloneInto(&lowered.getCombiner(), mapping);
    Operation *terminator = lowered.getCombiner().front().getTerminator();
    OpBuilder inner(terminator);
    kernel::YieldOp::create(inner, terminator->getLoc(), terminator->getOperands());
    terminator->erase();
  }
  results.append(lowered->result_begin(), lowered->result_end());
}

Value KernelEmitter::emitScan(const GroupGraph::Node &node) {
  auto scan = cast<lazy::ScanOp>(node.op);
  Value input = getValue(node.operands[0], scan.getInput());
  if (node.ranges.empty())
    return input;
  return kernel::ScanOp::create(builder, scan.getLoc(), input.getType(), input, node.ranges.front(),
                                scan.getKindAttr());
}

/// A load comes from what reads the argument first, not from what made the buffer.
static Location findReadLoc(BlockArgument argument) {
  Operation *first = nullptr;
  for (Operation *user : argument.getUsers())
    if (Operation *reader = argument.getOwner()->findAncestorOpInBlock(*user);
        reader && (!first || reader->isBeforeInBlock(first)))
      first = reader;
  return first ? first->getLoc() : argument.getLoc();
}

void KernelEmitter::emit(unsigned id) {
  const GroupGraph::Node &node = graph.getNodes()[id];
  SmallVectorImpl<Value> &results = values[id];
  switch (node.kind) {
  case GroupGraph::NodeKind::Input:
    results.push_back(
        emitLoad(node, node.indices[0], block.getArgument(node.argument.getArgNumber()), findReadLoc(node.argument)));
    return;
  case GroupGraph::NodeKind::Stage:
    results.push_back(emitStage(node));
    return;
  case GroupGraph::NodeKind::Tile:
    results.push_back(emitLoad(node, node.place, values[node.operands[0]].front(), node.op->getLoc()));
    return;
  case GroupGraph::NodeKind::Elementwise:
    emitElementwise(node, results);
    return;
  case GroupGraph::NodeKind::Reduce:
    emitReduce(node, results);
    return;
  case GroupGraph::NodeKind::Scan:
    results.push_back(emitScan(node));
    return;
  case GroupGraph::NodeKind::Index:
    emitIndex(node);
    return;
  case GroupGraph::NodeKind::Part:
    results.push_back(getValue(node.operands[0], node.data));
    return;
  case GroupGraph::NodeKind::Gather:
  case GroupGraph::NodeKind::Movement:
    break;
  }
  Location loc = node.op->getLoc();
  Type type = getScalarType(node.op->getResult(0).getType());
  // What is masked, or stands outside.
  Value other;
  auto gather = dyn_cast<lazy::GatherOp>(node.op);
  if (gather && gather.getOutsideAttr())
    other = arith::ConstantOp::create(builder, loc, gather.getOutsideAttr());
  else
    other = getZero(loc, type);
  bool isRead = gather ? node.operands.size() > node.numIndices : !node.operands.empty();
  Value value = isRead ? getValue(node.operands.back(), node.op->getOperand(0)) : other;
  if (node.valid && !node.valid.isTrue() && !node.valid.isFalse()) {
    Value condition = bridge.materialize(builder, loc, node.valid);
    value = arith::SelectOp::create(builder, loc, condition, value, other);
  }
  results.push_back(value);
}

void KernelEmitter::run() {
  values.resize(graph.getNodes().size());
  for (unsigned id : graph.getOrder())
    emit(id);
  for (const GroupGraph::Output &output : graph.getOutputs())
    emitStore(output);
  for (Operation *op : unread)
    if (op->use_empty())
      op->erase();
}

void KernelEmitter::emitStore(const GroupGraph::Output &output) {
  Location loc = output.value.getLoc();
  Value buffer = block.getArgument(graph.getNumInputs() + output.position);
  Value at = bridge.materialize(builder, loc, output.index), value = getValue(output.node, output.value);
  Value gate = output.valid.isTrue() ? Value() : bridge.materialize(builder, loc, output.valid);
  int64_t input = inPlace.empty() ? -1 : inPlace[output.position];
  // An element of a state that stays what it was is not written.
  auto choice = value.getDefiningOp<arith::SelectOp>();
  auto isOld = [&](Value side) {
    auto load = side.getDefiningOp<kernel::LoadOp>();
    return load && input >= 0 && load.getBuffer() == block.getArgument(input) && load.getIndex() == at;
  };
  if (choice && isOld(choice.getFalseValue())) {
    value = choice.getTrueValue();
    gate = gate ? arith::AndIOp::create(builder, loc, gate, choice.getCondition()) : choice.getCondition();
    unread.insert(choice);
    unread.insert(choice.getFalseValue().getDefiningOp());
  }
  kernel::StoreOp::create(builder, loc, value, buffer, at, gate);
}

FailureOr<LoweredGroup> tiny::lowerGroup(OpBuilder &builder, lazy::GroupOp group, StringRef name,
                                         const llvm::BitVector &partial) {
  Location loc = group.getLoc();
  SmallVector<Type> types;
  SmallVector<Location> locs;
  for (BlockArgument argument : group.getBody().getArguments()) {
    types.push_back(getBufferType(argument.getLoc(), argument.getType()));
    locs.push_back(argument.getLoc());
  }
  for (Type type : group.getResultTypes()) {
    types.push_back(getBufferType(loc, type));
    locs.push_back(loc);
  }
  if (llvm::is_contained(types, Type()))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  auto func = kernel::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}), /*schedule=*/nullptr,
                                     builder.getStringAttr("private"), /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
  Block &block = func.getBody().emplaceBlock();
  block.addArguments(types, locs);
  builder.setInsertionPointToEnd(&block);

  bool readsUnwritten = false;
  // Again where parts turn out to share a reduction, or loops to be better split.
  LoopDigits digits;
  for (bool byParts = true, isSplit = false;;) {
    ExprContext context;
    sym::ArithBridge bridge(context, &block);
    GroupGraph graph(context, bridge, builder, group, byParts, digits);
    if (failed(graph.build())) {
      func.erase();
      return failure();
    }
    if (graph.hasParts() && graph.repeatsReductions()) {
      byParts = false;
    } else if (!isSplit && !(digits = graph.findLoopDigits()).empty()) {
      isSplit = true;
    } else {
      KernelEmitter emitter(bridge, builder, graph, block, partial, group.getInPlace().value_or(ArrayRef<int64_t>()));
      emitter.run();
      readsUnwritten = emitter.readsUnwritten;
      break;
    }
    block.clear();
    builder.setInsertionPointToEnd(&block);
  }
  llvm::BitVector inputs(group.getInputs().size(), true);
  for (auto assign : group.getBody().front().getOps<lazy::AssignOp>())
    if (auto base = dyn_cast<BlockArgument>(assign.getBase());
        base && block.getArgument(base.getArgNumber()).use_empty())
      inputs.reset(base.getArgNumber());
  // What is only written over is no input of the kernel.
  for (int64_t k : group.getInPlace().value_or(ArrayRef<int64_t>()))
    if (k >= 0 && block.getArgument(k).use_empty())
      inputs.reset(k);
  for (unsigned k = inputs.size(); k-- > 0;)
    if (!inputs.test(k) && failed(func.eraseArgument(k)))
      return failure();
  return LoweredGroup{func, std::move(inputs), readsUnwritten};
}
