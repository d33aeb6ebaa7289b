// The graph behind tensors: operations of the dialect `tiny` in one block, whose arguments are the values that are
// known.
//
// A node is a value of the block, and keeps what it is computed from; an operation goes when no node needs it. To
// realise nodes, what they are computed from becomes a function, which is compiled unless one of its structure was;
// their values become arguments of the block. Nothing in the block is folded: gradients find their targets there.
#include "Graph.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Transforms/Tensor/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <mutex>

using namespace mlir;

namespace tiny::frontend {

namespace {

/// Graphs that are kept compiled; beyond that all are forgotten.
constexpr size_t kMostCompiled = 1024;

/// What a structure is made of: names, attributes and types, which are unique in the context, and numbers.
using Structure = std::vector<uintptr_t>;

/// The one graph of the process. It is never destroyed, since tensors may be global.
struct Graph {
  Graph() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllTargets();
    context.appendDialectRegistry(registry);
    context.loadDialect<func::FuncDialect, tensor::TinyDialect>();
  }

  MLIRContext context;
  Block block;
  std::map<Structure, std::shared_ptr<Executable>> compiled;
  std::recursive_mutex mutex;
};

Graph &getGraph() {
  static Graph *graph = new Graph();
  return *graph;
}

} // namespace

/// An operation, and the nodes that it reads.
struct Holder {
  Operation *op = nullptr;
  std::vector<NodePtr> operands;
  ~Holder();
};

struct Node {
  Value value;
  NodeType type;
  /// Null for arguments of the block.
  std::shared_ptr<Holder> holder;
  std::shared_ptr<HostTensor> data;
  ~Node();
};

namespace {

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

} // namespace

Holder::~Holder() {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  if (op)
    op->erase();
}

namespace {

Location makeLocation(Site site) {
  return FileLineColLoc::get(&getGraph().context, site.file, unsigned(std::max(site.line, 0)), 0);
}

RankedTensorType makeType(const NodeType &type) {
  return RankedTensorType::get(type.shape, tiny::getElementType(&getGraph().context, type.dtype));
}

NodePtr makeNode(Value value, std::shared_ptr<Holder> holder, std::shared_ptr<HostTensor> data = nullptr) {
  auto type = cast<RankedTensorType>(value.getType());
  auto node = std::make_shared<Node>();
  node->value = value;
  node->type = {*getDtype(type.getElementType()), type.getShape().vec()};
  node->holder = std::move(holder);
  node->data = std::move(data);
  return node;
}

Attribute makeAttribute(const AttributeValue &value) {
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
LogicalResult inferTypes(OperationState &state) {
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
Operation *makeOperation(const Call &call, Site site, std::string &message) {
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

Result<std::vector<NodePtr>> wrap(Operation *op, std::vector<NodePtr> operands) {
  auto holder = std::make_shared<Holder>();
  holder->op = op;
  holder->operands = std::move(operands);
  std::vector<NodePtr> nodes;
  for (Value result : op->getResults())
    nodes.push_back(makeNode(result, holder));
  return nodes;
}

} // namespace

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
const HostTensor *getData(const Node &node) { return node.data.get(); }

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

Result<NodePtr> makeConstant(double number, const NodeType &type, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  RankedTensorType tensorType = makeType(type);
  OpBuilder builder(&graph.context);
  builder.setInsertionPointToEnd(&graph.block);
  TypedAttr value;
  if (auto element = dyn_cast<FloatType>(tensorType.getElementType()))
    value = FloatAttr::get(element, number);
  else if (number != std::floor(number) || std::fabs(number) > 9e15)
    return Failure{"expects a whole number for elements that are integers"};
  else
    value = IntegerAttr::get(
        tensorType.getElementType(),
        APInt(64, uint64_t(int64_t(number)), /*isSigned=*/true).trunc(tensorType.getElementTypeBitWidth()));
  auto op = tensor::ConstantOp::create(builder, makeLocation(site),
                                       cast<ElementsAttr>(DenseElementsAttr::get(tensorType, Attribute(value))));
  return wrap(op, {}).operator*().front();
}

//===--- Programs -------------------------------------------------------------------------------------------------===//

namespace {

/// What some nodes are computed from, in an order in which it can be.
struct Program {
  explicit Program(const std::vector<NodePtr> &nodes) {
    for (const NodePtr &node : nodes)
      outputs.push_back(node->value);
    collect();
  }

  /// Arguments of the block that are read.
  llvm::SetVector<Value> inputs;
  SmallVector<Operation *> ops;
  SmallVector<Value> outputs;

  Structure getStructure() const;
  /// The function `main` of the inputs.
  OwningOpRef<ModuleOp> makeModule() const;
  /// The function of the inputs that gives the gradients of the one output with respect to values of the program.
  OwningOpRef<ModuleOp> makeGradients(ArrayRef<Value> targets, Site site) const;

private:
  void collect();
  /// An empty function of the inputs, which are mapped to its arguments.
  func::FuncOp startFunction(ModuleOp module, TypeRange results, IRMapping &mapping) const;
};

void Program::collect() {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> worklist(outputs);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def)
      continue;
    if (seen.insert(def).second) {
      ops.push_back(def);
      llvm::append_range(worklist, def->getOperands());
    }
  }
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  auto add = [&](Value value) {
    if (isa<BlockArgument>(value))
      inputs.insert(value);
  };
  for (Operation *op : ops)
    llvm::for_each(op->getOperands(), add);
  llvm::for_each(outputs, add);
}

Structure Program::getStructure() const {
  Structure structure;
  llvm::DenseMap<Value, uintptr_t> numbers;
  auto define = [&](Value value) {
    numbers[value] = numbers.size();
    structure.push_back(reinterpret_cast<uintptr_t>(value.getType().getAsOpaquePointer()));
  };
  llvm::for_each(inputs, define);
  for (Operation *op : ops) {
    structure.push_back(reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()));
    structure.push_back(reinterpret_cast<uintptr_t>(op->getAttrDictionary().getAsOpaquePointer()));
    structure.push_back(op->getNumOperands());
    for (Value operand : op->getOperands())
      structure.push_back(numbers.lookup(operand));
    llvm::for_each(op->getResults(), define);
  }
  structure.push_back(outputs.size());
  for (Value output : outputs)
    structure.push_back(numbers.lookup(output));
  return structure;
}

func::FuncOp Program::startFunction(ModuleOp module, TypeRange results, IRMapping &mapping) const {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto type = builder.getFunctionType(TypeRange(ValueRange(inputs.getArrayRef())), results);
  auto function = func::FuncOp::create(builder, module.getLoc(), "main", type);
  for (auto [input, argument] : llvm::zip_equal(inputs, function.addEntryBlock()->getArguments()))
    mapping.map(input, argument);
  return function;
}

OwningOpRef<ModuleOp> Program::makeModule() const {
  OwningOpRef<ModuleOp> module(ModuleOp::create(UnknownLoc::get(&getGraph().context)));
  IRMapping mapping;
  func::FuncOp function = startFunction(*module, TypeRange(ValueRange(outputs)), mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  auto results = llvm::map_to_vector(outputs, [&](Value output) { return mapping.lookup(output); });
  func::ReturnOp::create(builder, module->getLoc(), results);
  return module;
}

OwningOpRef<ModuleOp> Program::makeGradients(ArrayRef<Value> targets, Site site) const {
  OwningOpRef<ModuleOp> module(ModuleOp::create(makeLocation(site)));
  IRMapping mapping;
  func::FuncOp function = startFunction(*module, TypeRange(ValueRange(targets)), mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  for (Operation *op : ops) {
    builder.clone(*op, mapping);
    for (Value result : op->getResults())
      if (llvm::is_contained(targets, result))
        mapping.map(result, tensor::WatchOp::create(builder, op->getLoc(), mapping.lookup(result)).getResult());
  }
  auto wanted = llvm::map_to_vector(targets, [&](Value target) { return mapping.lookup(target); });
  auto gradient = tensor::GradientOp::create(builder, module->getLoc(), TypeRange(ValueRange(targets)),
                                             mapping.lookup(outputs.front()), /*seed=*/Value(), wanted);
  func::ReturnOp::create(builder, module->getLoc(), gradient.getResults());
  return module;
}

/// The nodes from which some are computed, by their values.
llvm::DenseMap<Value, NodePtr> findNodes(std::vector<NodePtr> worklist) {
  llvm::DenseMap<Value, NodePtr> found;
  while (!worklist.empty()) {
    NodePtr node = std::move(worklist.back());
    worklist.pop_back();
    if (found.try_emplace(node->value, node).second && node->holder)
      llvm::append_range(worklist, node->holder->operands);
  }
  return found;
}

} // namespace

Result<std::vector<NodePtr>> differentiate(const NodePtr &loss, const std::vector<NodePtr> &targets, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  if (targets.empty())
    return Failure{"expects a target"};
  if (!isFloat(loss->type.dtype))
    return Failure{std::string("expects a loss of floats, got ") + getDtypeName(loss->type.dtype)};
  Program program({loss});
  SmallVector<Value> values;
  for (const NodePtr &target : targets) {
    Operation *def = target->value.getDefiningOp();
    if (def ? !llvm::is_contained(program.ops, def) : !program.inputs.contains(target->value))
      return Failure{"the loss does not depend on target " + std::to_string(values.size()) +
                     "; what was realised in between is a constant"};
    if (!isFloat(target->type.dtype))
      return Failure{"expects targets of floats, got " + std::string(getDtypeName(target->type.dtype)) + " as target " +
                     std::to_string(values.size())};
    values.push_back(target->value);
  }
  // Gradients become plain operations at once: what is realised later changes nothing about them.
  FirstError errors(&graph.context);
  OwningOpRef<ModuleOp> module = program.makeGradients(values, site);
  PassManager manager(&graph.context);
  manager.addPass(tensor::createTensorExpandGradients());
  if (failed(manager.run(*module)))
    return Failure{llvm::toString(errors.take("there is no gradient"))};
  // The function's operations as nodes, on those that its arguments stand for.
  auto function = cast<func::FuncOp>(module->lookupSymbol("main"));
  llvm::DenseMap<Value, NodePtr> nodes;
  llvm::DenseMap<Value, NodePtr> known = findNodes({loss});
  IRMapping mapping;
  for (auto [input, argument] : llvm::zip_equal(program.inputs, function.getArguments())) {
    nodes[argument] = known.lookup(input);
    mapping.map(argument, input);
  }
  OpBuilder builder(&graph.context);
  builder.setInsertionPointToEnd(&graph.block);
  for (Operation &op : function.front().without_terminator()) {
    auto operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) { return nodes.lookup(operand); });
    Operation *made = builder.clone(op, mapping);
    std::vector<NodePtr> wrapped = *wrap(made, {operands.begin(), operands.end()});
    for (auto [result, node] : llvm::zip_equal(op.getResults(), wrapped))
      nodes[result] = node;
  }
  std::vector<NodePtr> gradients;
  for (Value gradient : function.front().getTerminator()->getOperands())
    gradients.push_back(nodes.lookup(gradient));
  return gradients;
}

Failure realize(const std::vector<NodePtr> &nodes) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  std::vector<NodePtr> open;
  for (const NodePtr &node : nodes)
    if (!node->data && !llvm::is_contained(open, node))
      open.push_back(node);
  if (open.empty())
    return {};
  Program program(open);
  std::shared_ptr<Executable> &executable = graph.compiled[program.getStructure()];
  if (!executable) {
    OwningOpRef<ModuleOp> module = program.makeModule();
    llvm::Expected<std::unique_ptr<Executable>> made = Executable::compile(*module, CompileOptions());
    if (!made)
      return {llvm::toString(made.takeError())};
    executable = std::move(*made);
  }
  llvm::DenseMap<Value, NodePtr> known = findNodes(open);
  std::vector<const HostTensor *> arguments;
  for (Value input : program.inputs)
    arguments.push_back(known.lookup(input)->data.get());
  std::shared_ptr<Executable> running = executable;
  if (graph.compiled.size() > kMostCompiled)
    graph.compiled.clear();
  llvm::Expected<RunResult> result = running->run(arguments);
  if (!result)
    return {llvm::toString(result.takeError())};
  for (auto [node, tensor] : llvm::zip_equal(open, result->tensors)) {
    node->data = std::make_shared<HostTensor>(std::move(tensor));
    Value argument = graph.block.addArgument(node->value.getType(), node->value.getLoc());
    node->value.replaceAllUsesWith(argument);
    node->value = argument;
    release(std::move(node->holder));
  }
  return {};
}

Result<std::string> print(const NodePtr &node, const std::string &level) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  OwningOpRef<ModuleOp> module = Program({node}).makeModule();
  FirstError errors(&graph.context);
  if (level != "tensor") {
    registerAllPasses();
    PassManager manager(&graph.context);
    std::string pipeline = "tiny-tensor-to-" + level + "-pipeline";
    if (!PassPipelineInfo::lookup(pipeline))
      return Failure{"expects a level, tensor, lazy, kernel or uop, got '" + level + "'"};
    if (failed(parsePassPipeline(pipeline, manager)) || failed(manager.run(*module)))
      return Failure{llvm::toString(errors.take("the program cannot be lowered"))};
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text + "\n";
}

size_t countCompiled() {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  return graph.compiled.size();
}

} // namespace tiny::frontend
