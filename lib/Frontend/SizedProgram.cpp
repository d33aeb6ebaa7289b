// Functions over sizes: traced at chosen ones, each trace an instance of a program, and joined to one program for all.
//
// The program's arguments are the function's own, then what its traces read from outside, then the sizes that are
// numbers, as scalars: the program gives each of these back as a size that is data. What a function makes inside is a
// constant of the instance.
#include "Compiling.h"
#include "Program.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Driver/Family.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"

using namespace mlir;

namespace tiny::frontend {

struct SizedProgram {
  SizedSignature signature;
  std::shared_ptr<Executable> executable;
  /// For each result the argument in whose memory it is, or -1.
  std::vector<int> aliases;
  std::vector<std::weak_ptr<Node>> outside;
};

static thread_local bool tracing = false;
bool isTracing() { return tracing; }
bool setTracing(bool isOn) { return std::exchange(tracing, isOn); }

namespace {

class SizedBuilder {
public:
  SizedBuilder(const SizedSignature &signature, const Trace &trace) : signature(signature), trace(trace) {}

  Result<std::shared_ptr<SizedProgram>> run();

private:
  llvm::Expected<OwningOpRef<ModuleOp>> build(const llvm::StringMap<int64_t> &sizes);
  /// Realises what the results are computed from outside of the function: it is the same in every call.
  Failure settleOutside(const std::vector<NodePtr> &results, uint64_t firstNode);
  /// What differs from the first trace.
  llvm::Error compare(const Program &program, ArrayRef<int> aliases, ArrayRef<NodePtr> outside);
  OwningOpRef<ModuleOp> write(const Program &program, ArrayRef<NodePtr> leaves, ArrayRef<NodePtr> outside,
                              ArrayRef<int> aliases);

  const SizedSignature &signature;
  const Trace &trace;
  MLIRContext *context = &getGraph().context;
  /// Of the first trace.
  std::optional<std::vector<OperationName>> ops;
  std::vector<NodePtr> read;
  std::vector<int> updates;
};

/// A leaf without elements.
NodePtr makeOpenLeaf(const SizedJit::Argument &argument, ArrayRef<int64_t> sizes) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  auto shape = llvm::map_to_vector(
      argument.axes, [&](std::pair<int64_t, int> axis) { return axis.second < 0 ? axis.first : sizes[axis.second]; });
  auto type = RankedTensorType::get(shape, tiny::getElementType(&graph.context, argument.dtype));
  NodePtr leaf = makeNode(graph.block.addArgument(type, UnknownLoc::get(&graph.context)), nullptr);
  leaf->failure = "this is of a function over sizes, which was traced: only its results have values";
  return leaf;
}

Failure SizedBuilder::settleOutside(const std::vector<NodePtr> &results, uint64_t firstNode) {
  std::vector<NodePtr> open;
  {
    std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
    llvm::DenseSet<const Node *> seen;
    std::vector<NodePtr> worklist = results;
    while (!worklist.empty()) {
      NodePtr node = std::move(worklist.back());
      worklist.pop_back();
      if (!seen.insert(node.get()).second || !node->holder)
        continue;
      if (node->number < firstNode)
        open.push_back(node);
      else
        llvm::append_range(worklist, node->holder->operands);
    }
  }
  return realize(open);
}

llvm::Error SizedBuilder::compare(const Program &program, ArrayRef<int> aliases, ArrayRef<NodePtr> outside) {
  auto names = llvm::map_to_vector(program.ops, [](Operation *op) { return op->getName(); });
  if (!ops) {
    ops.emplace(names.begin(), names.end());
    updates.assign(aliases.begin(), aliases.end());
    read.assign(outside.begin(), outside.end());
    return llvm::Error::success();
  }
  for (auto [op, first] : llvm::zip(program.ops, *ops))
    if (op->getName() != first)
      return llvm::createStringError("the function computes '" + op->getName().getStringRef() +
                                     "' where it computes '" + first.getStringRef() + "' at the greatest sizes");
  if (names.size() != ops->size())
    return llvm::createStringError("the function computes " + Twine(names.size()) + " operations, and " +
                                   Twine(ops->size()) + " at the greatest sizes");
  if (aliases != ArrayRef(updates) || outside != ArrayRef(read))
    return llvm::createStringError("the function reads or updates other tensors than at the greatest sizes");
  return llvm::Error::success();
}

OwningOpRef<ModuleOp> SizedBuilder::write(const Program &program, ArrayRef<NodePtr> leaves, ArrayRef<NodePtr> outside,
                                          ArrayRef<int> aliases) {
  Location loc = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto numberType = RankedTensorType::get({}, builder.getI64Type());
  SmallVector<Type> inputs, results;
  for (ArrayRef<NodePtr> nodes : {leaves, outside})
    for (const NodePtr &node : nodes)
      inputs.push_back(node->value.getType());
  llvm::append_range(results, TypeRange(ValueRange(program.outputs)));
  SmallVector<const SizedJit::Size *> numbers;
  for (const SizedJit::Size &size : signature.sizes)
    if (size.isNumber)
      numbers.push_back(&size);
  inputs.append(numbers.size(), numberType);
  // One that is fixed is no size of the program's.
  llvm::erase_if(numbers, [](const SizedJit::Size *size) { return size->least == size->most; });
  results.append(numbers.size(), numberType);
  auto function = func::FuncOp::create(builder, loc, "main", builder.getFunctionType(inputs, results));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  unsigned next = 0;
  for (ArrayRef<NodePtr> nodes : {leaves, outside})
    for (const NodePtr &node : nodes)
      mapping.map(node->value, body->getArgument(next++));
  for (const NodePtr *leaf : program.leaves)
    if (Value input = (*leaf)->value; !mapping.contains(input))
      mapping.map(input,
                  tensor::ConstantOp::create(builder, loc, input.getType(), makeConstant(context, *(*leaf)->data)));
  for (Operation *op : program.ops)
    builder.clone(*op, mapping);
  SmallVector<Value> returned =
      llvm::map_to_vector(program.outputs, [&](Value output) { return mapping.lookup(output); });
  for (const SizedJit::Size &size : signature.sizes) {
    if (!size.isNumber)
      continue;
    function.setArgAttr(next, kNameAttr, builder.getStringAttr(size.name));
    if (size.least != size.most) {
      function.setResultAttr(returned.size(), kSizeAttr, builder.getStringAttr(size.name));
      function.setResultAttr(returned.size(), kBoundAttr, builder.getI64IntegerAttr(size.most));
      returned.push_back(body->getArgument(next));
    }
    ++next;
  }
  func::ReturnOp::create(builder, loc, returned);
  for (auto [index, argument] : llvm::enumerate(signature.arguments))
    function.setArgAttr(index, kNameAttr, builder.getStringAttr(argument.name));
  setAliases(function, aliases);
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>> SizedBuilder::build(const llvm::StringMap<int64_t> &sizes) {
  std::vector<int64_t> point;
  point.reserve(signature.sizes.size());
  for (const SizedJit::Size &size : signature.sizes)
    point.push_back(sizes.lookup(size.name));
  Graph &graph = getGraph();
  std::vector<NodePtr> leaves;
  uint64_t firstNode;
  {
    std::lock_guard<std::recursive_mutex> lock(graph.mutex);
    firstNode = graph.nodes;
    for (const SizedJit::Argument &argument : signature.arguments)
      leaves.push_back(makeOpenLeaf(argument, point));
  }
  // The function may wait for others, who wait for the graph.
  std::optional<std::vector<NodePtr>> results = trace(point, leaves);
  if (!results)
    return llvm::createStringError("the function failed");
  for (const NodePtr &result : *results)
    if (result->data)
      return llvm::createStringError("a result of the function is no value that it computes from its arguments");
  if (Failure failure = settleOutside(*results, firstNode))
    return llvm::createStringError(failure.message);
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  Program program(*results);
  std::vector<NodePtr> outside;
  for (const NodePtr *node : program.leaves)
    if ((*node)->number < firstNode) {
      if (!(*node)->data)
        return llvm::createStringError((*node)->failure);
      outside.push_back(*node);
    }
  llvm::DenseMap<const Node *, size_t> places;
  for (auto [index, leaf] : llvm::enumerate(leaves))
    places[leaf.get()] = index;
  std::vector<int> aliases = findUpdates(program, [&](const NodePtr &node) {
    auto place = places.find(node.get());
    return place != places.end() && signature.arguments[place->second].isDonated;
  });
  for (int &alias : aliases)
    if (alias >= 0)
      alias = int(places.lookup(program.leaves[alias]->get()));
  if (llvm::Error error = compare(program, aliases, outside))
    return error;
  return write(program, leaves, outside, aliases);
}

Result<std::shared_ptr<SizedProgram>> SizedBuilder::run() {
  DimSizes dims;
  for (const SizedJit::Size &size : signature.sizes)
    dims[size.name] = {size.least, size.most};
  FirstError errors(context);
  llvm::Expected<OwningOpRef<ModuleOp>> module = buildProgram(
      dims, context, [&](const llvm::StringMap<int64_t> &sizes) { return build(sizes); }, [](DimSizes &) {},
      [](ArrayRef<StringRef>, ArrayRef<Bounds>, ArrayRef<SizePoint>) { return llvm::Error::success(); },
      /*isWithin=*/true);
  if (!module)
    return Failure{llvm::toString(module.takeError())};
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  Result<std::shared_ptr<Executable>> made = compileWatched(**module);
  if (!made)
    return made.takeFailure();
  auto program = std::make_shared<SizedProgram>();
  program->signature = signature;
  program->executable = *made;
  program->aliases = std::move(updates);
  program->outside.assign(read.begin(), read.end());
  return program;
}

} // namespace

Result<std::shared_ptr<SizedProgram>> compileSized(const SizedSignature &signature, const Trace &trace) {
  return SizedBuilder(signature, trace).run();
}

std::optional<HostTensors> readOutside(const SizedProgram &program) {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  HostTensors tensors;
  tensors.reserve(program.outside.size());
  for (const std::weak_ptr<Node> &weak : program.outside) {
    NodePtr node = weak.lock();
    if (!node || !node->data)
      return std::nullopt;
    tensors.push_back(node->data);
  }
  return tensors;
}

Result<std::vector<NodePtr>> runSized(const SizedProgram &program, const std::vector<NodePtr> &arguments,
                                      const HostTensors &outside, const std::vector<int64_t> &numbers) {
  Graph &graph = getGraph();
  std::lock_guard<std::mutex> alone(graph.running);
  std::unique_lock<std::recursive_mutex> lock(graph.mutex);
  HostTensors inputs;
  inputs.reserve(arguments.size() + outside.size() + numbers.size());
  std::vector<bool> isOurs;
  for (auto [node, argument] : llvm::zip_equal(arguments, program.signature.arguments)) {
    if (!node->failure.empty())
      return Failure{node->failure};
    if (argument.isDonated && llvm::count(arguments, node) > 1)
      return Failure{"argument '" + argument.name + "' is donated and given twice"};
    // Memory that is a file's or another tensor's, or that an array shows, is not ours to write. The caller has a
    // handle, one goes with the call, and one is here.
    isOurs.push_back(argument.isDonated && node.use_count() <= 3 && node->data.use_count() == 1 &&
                     !node->data->bytes.isShared());
    inputs.push_back(node->data);
  }
  inputs.insert(inputs.end(), outside.begin(), outside.end());
  for (int64_t number : numbers) {
    inputs.push_back(std::make_shared<HostTensor>(HostTensor::zeros(TINY_DTYPE_I64, {})));
    std::memcpy(inputs.back()->bytes.data(), &number, sizeof(number));
  }
  auto pointers = llvm::map_to_vector(
      inputs, [](const std::shared_ptr<HostTensor> &input) -> const HostTensor * { return input.get(); });
  llvm::Expected<std::vector<int64_t>> sizes = program.executable->findSizes(pointers);
  if (!sizes)
    return Failure{llvm::toString(sizes.takeError())};
  HostTensors results;
  for (auto [index, alias] : llvm::enumerate(program.aliases)) {
    if (alias >= 0 && isOurs[alias]) {
      results.push_back(inputs[alias]);
      continue;
    }
    llvm::Expected<HostTensor> made = program.executable->makeResult(index, 0, *sizes);
    if (!made)
      return Failure{llvm::toString(made.takeError())};
    results.push_back(std::make_shared<HostTensor>(std::move(*made)));
  }
  for (auto [index, argument] : llvm::enumerate(program.signature.arguments)) {
    if (!isOurs[index])
      continue;
    arguments[index]->failure = "this tensor was donated to a function, as its argument '" + argument.name + "'";
    arguments[index]->data = nullptr;
  }
  lock.unlock();
  if (Failure failure = runInto(*program.executable, inputs, results, ArrayRef(*sizes)))
    return failure;
  lock.lock();
  std::vector<NodePtr> nodes;
  for (std::shared_ptr<HostTensor> &data : results) {
    auto type = RankedTensorType::get(data->shape, tiny::getElementType(&graph.context, data->dtype));
    nodes.push_back(makeNode(graph.block.addArgument(type, UnknownLoc::get(&graph.context)), nullptr, data));
  }
  return nodes;
}

} // namespace tiny::frontend
