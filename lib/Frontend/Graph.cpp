// The graph behind tensors: operations of the dialect `tiny` in one block, whose arguments are the values that are
// known.
//
// A node is a value of the block, and keeps what it is computed from; an operation goes when no node needs it. Nothing
// in the block is folded: gradients find their targets there.
#include "GraphState.h"
#include "Sharding.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tiny::frontend {

Graph::Graph() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllTargets();
  registerDeviceFinder();
  context.appendDialectRegistry(registry);
  context.loadDialect<func::FuncDialect, shard::ShardDialect, tensor::TinyDialect>();
}

Graph &getGraph() {
  static Graph *graph = new Graph();
  return *graph;
}

/// Nodes die in long chains: what one held is released by a loop, not by recursion.
void release(std::shared_ptr<Holder> holder) {
  static thread_local std::vector<std::shared_ptr<Holder>> *pending = nullptr;
  if (pending)
    return pending->push_back(std::move(holder));
  std::vector<std::shared_ptr<Holder>> queue;
  pending = &queue;
  queue.push_back(std::move(holder));
  while (!queue.empty()) {
    std::shared_ptr<Holder> next = std::move(queue.back());
    queue.pop_back();
    next.reset();
  }
  pending = nullptr;
}

Holder::~Holder() {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  if (op)
    op->erase();
}

Location makeLocation(Site site) {
  return FileLineColLoc::get(&getGraph().context, site.file, unsigned(std::max(site.line, 0)), 0);
}

static RankedTensorType makeType(const NodeType &type) {
  return RankedTensorType::get(type.shape, tiny::getElementType(&getGraph().context, type.dtype));
}

NodePtr makeNode(Value value, std::shared_ptr<Holder> holder, std::shared_ptr<HostTensor> data) {
  auto type = cast<RankedTensorType>(value.getType());
  auto node = std::make_shared<Node>();
  node->value = value;
  node->number = getGraph().nodes++;
  node->type = {*getDtype(type.getElementType()), type.getShape().vec()};
  node->holder = std::move(holder);
  node->data = std::move(data);
  return node;
}

static Attribute makeAttribute(const AttributeValue &value) {
  Builder builder(&getGraph().context);
  if (const auto *number = std::get_if<int64_t>(&value))
    return builder.getI64IntegerAttr(*number);
  if (const auto *number = std::get_if<double>(&value))
    return builder.getF64FloatAttr(*number);
  if (const auto *list = std::get_if<Shape>(&value))
    return builder.getDenseI64ArrayAttr(*list);
  return std::get<bool>(value) ? Attribute(builder.getUnitAttr()) : Attribute();
}

/// The types that the operation infers from what the state has.
static LogicalResult inferTypes(OperationState &state) {
  std::optional<RegisteredOperationName> name = state.name.getRegisteredInfo();
  auto *infer = name ? name->getInterface<InferTypeOpInterface>() : nullptr;
  if (!infer)
    return success();
  // The attributes as the properties that the inference reads.
  std::unique_ptr<char[]> storage(new char[name->getOpPropertyByteSize() + 1]);
  OpaqueProperties properties(storage.get());
  if (name->getOpPropertyByteSize())
    name->initOpProperties(properties, OpaqueProperties(nullptr));
  llvm::scope_exit free([&] {
    if (name->getOpPropertyByteSize())
      name->destroyOpProperties(properties);
  });
  auto emitError = [&] { return mlir::emitError(state.location); };
  DictionaryAttr attributes = state.attributes.getDictionary(&getGraph().context);
  if (name->getOpPropertyByteSize() &&
      failed(name->setOpPropertiesFromAttribute(state.name, properties, attributes, emitError)))
    return failure();
  return infer->inferReturnTypes(&getGraph().context, state.location, state.operands, attributes, properties, {},
                                 state.types);
}

/// Makes an operation at the block's end. Null with a message where it is not valid.
static Operation *makeOperation(const Call &call, Site site, std::string &message) {
  Graph &graph = getGraph();
  FirstError errors(&graph.context);
  OperationState state(makeLocation(site), "tiny." + call.name);
  for (const NodePtr &operand : call.operands)
    state.operands.push_back(operand->value);
  for (const auto &[name, value] : call.attributes)
    if (Attribute attribute = makeAttribute(value))
      state.addAttribute(name, attribute);
  if (!call.segments.empty())
    state.addAttribute("operandSegmentSizes", DenseI32ArrayAttr::get(&graph.context, call.segments));
  for (const NodeType &type : call.types)
    state.types.push_back(makeType(type));
  Operation *op = nullptr;
  if (!call.types.empty() || succeeded(inferTypes(state))) {
    op = Operation::create(state);
    graph.block.push_back(op);
    if (failed(verify(op))) {
      op->erase();
      op = nullptr;
    }
  }
  if (!op)
    message = llvm::toString(errors.take("'tiny." + call.name + "' is not valid"));
  // The place is said by whoever throws.
  StringRef place = site.file;
  if (StringRef(message).starts_with(place) && !place.empty())
    message = StringRef(message).drop_front(place.size()).ltrim(":0123456789 ").str();
  return op;
}

std::vector<NodePtr> wrap(Operation *op, std::vector<NodePtr> operands) {
  auto holder = std::make_shared<Holder>();
  holder->op = op;
  holder->operands = std::move(operands);
  std::vector<NodePtr> nodes;
  for (Value result : op->getResults())
    nodes.push_back(makeNode(result, holder));
  return nodes;
}

Node::~Node() {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  // An argument of the block that nothing reads.
  if (auto argument = dyn_cast_or_null<BlockArgument>(value))
    graph.block.eraseArgument(argument.getArgNumber());
  if (holder)
    release(std::move(holder));
}

const NodeType &getType(const Node &node) { return node.type; }
const HostTensor *getData(const Node &node) {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  return node.data.get();
}

template <typename T>
static std::optional<int64_t> findBeyond(const HostTensor &data, T low, T high, std::optional<int64_t> except) {
  const T *begin = data.data<T>(), *end = begin + data.size();
  const T *found =
      std::find_if(begin, end, [&](T number) { return (number < low || number >= high) && number != except; });
  return found == end ? std::nullopt : std::optional<int64_t>(*found);
}

std::optional<int64_t> findBeyond(const Node &node, int64_t low, int64_t high, std::optional<int64_t> except) {
  Graph &graph = getGraph();
  // While another thread runs a program, elements may be on their way.
  std::unique_lock<std::mutex> alone(graph.running, std::try_to_lock);
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  if (!alone.owns_lock() || !node.data || !node.failure.empty() || graph.device == "null")
    return std::nullopt;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  switch (node.type.dtype) {
  case TINY_DTYPE_I64:
    return findBeyond<int64_t>(*node.data, low, high, except);
  case TINY_DTYPE_I32:
    return findBeyond<int32_t>(*node.data, int32_t(std::max(low, -kMost)), int32_t(std::min(high, kMost)), except);
  default:
    for (int64_t index = 0; index < node.data->size(); ++index)
      if (int64_t number = node.data->getInteger(index); (number < low || number >= high) && number != except)
        return number;
    return std::nullopt;
  }
}

Result<std::vector<NodePtr>> apply(const Call &call, Site site) {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  std::string message;
  Operation *op = makeOperation(call, site, message);
  if (!op)
    return Failure{message};
  return wrap(op, call.operands);
}

NodePtr makeLeaf(HostTensor tensor) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  RankedTensorType type = makeType({tensor.dtype, tensor.shape});
  Value value = graph.block.addArgument(type, UnknownLoc::get(&graph.context));
  return makeNode(value, nullptr, std::make_shared<HostTensor>(std::move(tensor)));
}

/// The number as an attribute of the element type.
static Result<TypedAttr> makeElement(double number, Type element) {
  if (auto floats = dyn_cast<FloatType>(element))
    return TypedAttr(FloatAttr::get(floats, number));
  if (number != std::floor(number) || std::fabs(number) > 9e15)
    return Failure{"expects a whole number for elements that are integers"};
  APInt wide(64, uint64_t(int64_t(number)), /*isSigned=*/true);
  return TypedAttr(IntegerAttr::get(element, wide.trunc(element.getIntOrFloatBitWidth())));
}

Result<NodePtr> makeConstant(double number, const NodeType &type, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  RankedTensorType tensorType = makeType(type);
  Result<TypedAttr> value = makeElement(number, tensorType.getElementType());
  if (!value)
    return value.takeFailure();
  OpBuilder builder(&graph.context);
  builder.setInsertionPointToEnd(&graph.block);
  auto op = tensor::ConstantOp::create(builder, makeLocation(site),
                                       cast<ElementsAttr>(DenseElementsAttr::get(tensorType, Attribute(*value))));
  return wrap(op, {}).front();
}

Result<NodePtr> makeNumber(double number, tiny_dtype dtype, Site site) {
  // These decide what a program is. Any other number is data: another one needs no other program. What is traced has
  // numbers that follow its sizes.
  if (number == 0 || number == 1 || number == -1 || number != number || isTracing())
    return makeConstant(number, {dtype, {}}, site);
  std::unique_lock<std::recursive_mutex> lock(getGraph().mutex);
  Result<TypedAttr> value = makeElement(number, tiny::getElementType(&getGraph().context, dtype));
  if (!value)
    return value.takeFailure();
  APInt bits = isa<FloatAttr>(*value) ? cast<FloatAttr>(*value).getValue().bitcastToAPInt()
                                      : cast<IntegerAttr>(*value).getValue();
  HostTensor tensor = HostTensor::zeros(dtype, {});
  std::memcpy(tensor.bytes.data(), bits.getRawData(), tensor.bytes.size());
  return makeLeaf(std::move(tensor));
}

std::vector<NodePtr> inlineFunction(Block &body, const std::vector<NodePtr> &arguments) {
  Graph &graph = getGraph();
  llvm::DenseMap<Value, NodePtr> nodes;
  IRMapping mapping;
  for (auto [node, argument] : llvm::zip_equal(arguments, body.getArguments())) {
    nodes[argument] = node;
    mapping.map(argument, node->value);
  }
  OpBuilder builder(&graph.context);
  builder.setInsertionPointToEnd(&graph.block);
  for (Operation &op : body.without_terminator()) {
    if (auto sharding = dyn_cast<shard::ShardingOp>(op)) {
      mapping.map(sharding.getResult(), internSharding(sharding));
      continue;
    }
    std::vector<NodePtr> operands;
    op.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (NodePtr node = nodes.lookup(operand))
          operands.push_back(node);
    });
    Operation *made = builder.clone(op, mapping);
    for (auto [result, node] : llvm::zip_equal(op.getResults(), wrap(made, operands)))
      nodes[result] = node;
  }
  std::vector<NodePtr> results;
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(nodes.lookup(result));
  return results;
}

} // namespace tiny::frontend
