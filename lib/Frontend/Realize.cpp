// Values of nodes: their program is compiled, unless one of its structure was, and run.
//
// State is updated where it lies. An input that nothing can ask for once the outputs are known, no handle and no node
// that lives on, gives its memory to the output that is computed from it element by element. Which inputs these are is
// part of the structure.
#include "Compiling.h"
#include "Program.h"

#include "Tiny/Driver/Ranks.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>

using namespace mlir;

namespace tiny::frontend {

namespace {

/// Graphs that are kept compiled; beyond that all are forgotten.
constexpr size_t kMostCompiled = 1024;

/// The inputs that die with what the outputs were computed from.
class Deaths {
public:
  explicit Deaths(const Program &program) : references(program.places) {
    llvm::BitVector outputs(program.places);
    for (const NodePtr &node : program.wanted)
      outputs.set(node->place);
    // A holder dies with all nodes that have it, its results.
    std::vector<long> dropped(program.places);
    for (const NodePtr *node : llvm::reverse(program.nodes)) {
      const std::shared_ptr<Holder> &holder = (*node)->holder;
      if (!holder || !(outputs.test((*node)->place) || dies(*node)))
        continue;
      size_t first = (*node)->place - cast<OpResult>((*node)->value).getResultNumber();
      if (++dropped[first] == holder.use_count())
        for (const NodePtr &operand : holder->operands)
          ++references[operand->place];
    }
  }

  /// Whether only holders that die refer to it.
  bool dies(const NodePtr &node) const { return node.use_count() == references[node->place]; }

private:
  std::vector<long> references;
};

/// What a program will take, before it runs.
void report(const Executable &executable, double seconds) {
  constexpr double kMebi = 1 << 20;
  std::optional<tiny_memory_plan> plan = executable.getMemoryPlan();
  tiny_memory_plan memory = plan.value_or(tiny_memory_plan());
  llvm::errs() << llvm::formatv(
      "compiled in {0:f2} s: {1} inputs, {2} results; memory {3:f2} MiB at most: inputs {4:f2}, constants {5:f2}, "
      "results {6:f2}, between {7:f2}\n",
      seconds, executable.getInputs().size(), executable.getResults().size(),
      double(memory.arguments + memory.constants + memory.results + memory.arena) / kMebi,
      double(memory.arguments) / kMebi, double(memory.constants) / kMebi, double(memory.results) / kMebi,
      double(memory.arena) / kMebi);
}

Result<std::shared_ptr<Executable>> findExecutable(const Program &program, ArrayRef<int> aliases) {
  Graph &graph = getGraph();
  Structure structure = program.getStructure();
  for (int alias : aliases)
    structure.push_back(uintptr_t(alias));
  auto known = graph.compiled.find(structure);
  if (known != graph.compiled.end())
    return known->second;
  OwningOpRef<ModuleOp> module = program.makeModule(aliases);
  auto start = std::chrono::steady_clock::now();
  Result<std::shared_ptr<Executable>> made = compileWatched(*module, graph.device);
  if (!made)
    return made;
  if (graph.compiled.size() >= kMostCompiled)
    graph.compiled.clear();
  std::shared_ptr<Executable> executable = *made;
  if (graph.isReporting)
    report(*executable, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  graph.compiled.emplace(std::move(structure), executable);
  return executable;
}

} // namespace

Failure runInto(const Executable &executable, const std::vector<std::shared_ptr<HostTensor>> &inputs,
                const std::vector<std::shared_ptr<HostTensor>> &outputs, std::optional<ArrayRef<int64_t>> sizes) {
  // The runtime takes tensors by value: each lends its memory. An input that is an output as well is read there.
  std::vector<HostTensor> tensors;
  tensors.reserve(outputs.size());
  llvm::SmallDenseMap<const HostTensor *, const HostTensor *, 8> lent;
  for (const std::shared_ptr<HostTensor> &output : outputs) {
    tensors.push_back(std::move(*output));
    lent[output.get()] = &tensors.back();
  }
  auto arguments = llvm::map_to_vector(inputs, [&](const std::shared_ptr<HostTensor> &input) {
    const HostTensor *tensor = lent.lookup(input.get());
    return tensor ? tensor : input.get();
  });
  llvm::Error error = executable.run(arguments, tensors, /*options=*/nullptr, sizes);
  for (auto [output, tensor] : llvm::zip_equal(outputs, tensors))
    *output = std::move(tensor);
  return {error ? llvm::toString(std::move(error)) : std::string()};
}

Result<std::shared_ptr<HostTensor>> makeResult(const Executable &executable, size_t index) {
  llvm::Expected<HostTensor> tensor = executable.makeResult(index);
  if (!tensor)
    return Failure{llvm::toString(tensor.takeError())};
  return std::make_shared<HostTensor>(std::move(*tensor));
}

/// Makes a node a known value.
static void settle(const NodePtr &node, std::shared_ptr<HostTensor> data) {
  node->data = std::move(data);
  Value argument = getGraph().block.addArgument(node->value.getType(), node->value.getLoc());
  node->value.replaceAllUsesWith(argument);
  node->value = argument;
  release(std::move(node->holder));
}

/// What a captured function reads from outside that is not realised: were it a part of the captured program, another
/// value that takes its place later would not be seen.
static std::vector<NodePtr> findOutside(const std::vector<NodePtr> &nodes) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  std::optional<uint64_t> first = getFirstCaptured();
  std::vector<NodePtr> outside;
  if (!first)
    return outside;
  llvm::DenseSet<const Node *> seen;
  std::vector<NodePtr> open = nodes;
  while (!open.empty()) {
    NodePtr node = std::move(open.back());
    open.pop_back();
    if (node->data || !node->holder || !seen.insert(node.get()).second)
      continue;
    if (node->number < *first)
      outside.push_back(std::move(node));
    else
      open.insert(open.end(), node->holder->operands.begin(), node->holder->operands.end());
  }
  return outside;
}

static Failure realizeAll(const std::vector<NodePtr> &nodes, size_t asked, bool isObserved);

Failure realize(const std::vector<NodePtr> &nodes, size_t asked) {
  if (std::vector<NodePtr> outside = findOutside(nodes); !outside.empty())
    if (Failure failure = realizeAll(outside, /*asked=*/0, /*isObserved=*/false))
      return failure;
  return realizeAll(nodes, asked, /*isObserved=*/true);
}

static Failure realizeAll(const std::vector<NodePtr> &nodes, size_t asked, bool isObserved) {
  Graph &graph = getGraph();
  std::lock_guard<std::mutex> alone(graph.running);
  std::unique_lock<std::recursive_mutex> lock(graph.mutex);
  std::vector<NodePtr> open;
  std::vector<bool> isSource;
  llvm::DenseSet<const Node *> seen;
  for (auto [place, node] : llvm::enumerate(nodes)) {
    if (!node->failure.empty())
      return {node->failure};
    if (node->data || !seen.insert(node.get()).second)
      continue;
    open.push_back(node);
    // State is meant to be a constant for what is computed from now on, but not for what was before.
    isSource.push_back(place < asked || !node->value.use_empty());
  }
  if (open.empty())
    return {};
  Program program(open);
  for (const NodePtr *node : program.leaves)
    if (!(*node)->failure.empty())
      return {(*node)->failure};
  for (auto [node, sources, isWanted] : llvm::zip_equal(open, findSources(program), isSource))
    if (isWanted)
      node->sources = std::move(sources);
  Deaths deaths(program);
  std::vector<int> aliases =
      findUpdates(program, [&](const NodePtr &node) { return deaths.dies(node) && node->data.use_count() == 1; });
  Result<std::shared_ptr<Executable>> executable = findExecutable(program, aliases);
  if (!executable)
    return executable.takeFailure();
  std::vector<NodePtr> inputs;
  std::vector<std::shared_ptr<HostTensor>> arguments, results;
  for (const NodePtr *node : program.leaves) {
    inputs.push_back(*node);
    arguments.push_back(inputs.back()->data);
  }
  for (auto [index, alias] : llvm::enumerate(aliases)) {
    // Memory that is a file's or a caller's is not ours to write: the runtime copies from it.
    if (alias >= 0 && !arguments[alias]->bytes.isShared()) {
      results.push_back(arguments[alias]);
      continue;
    }
    Result<std::shared_ptr<HostTensor>> made = makeResult(**executable, index);
    if (!made)
      return made.takeFailure();
    results.push_back(*made);
  }
  // From here on the outputs are known values for everyone else, who waits for them at `running`.
  for (auto [node, data] : llvm::zip_equal(open, results))
    settle(node, data);
  if (graph.observer && isObserved)
    (*graph.observer)(*executable, inputs, aliases, open);
  inputs.clear();
  lock.unlock();
  Failure failure = runInto(**executable, arguments, results);
  if (failure) {
    lock.lock();
    for (const NodePtr &node : open)
      node->failure = failure.message;
  }
  return failure;
}

Failure setDevice(const std::string &name) {
  if (llvm::Error error = Executable::checkDevice(name, /*threads=*/0))
    return {llvm::toString(std::move(error))};
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  if (graph.device != name)
    graph.compiled.clear();
  graph.device = name;
  return {};
}

void setReporting(bool isOn) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  graph.isReporting = isOn;
}

size_t countCompiled() {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  return graph.compiled.size();
}

const char *guardRank(const std::string &name) { return tiny::guardRank(name); }

Result<std::pair<unsigned, unsigned>> findRank() {
  llvm::Expected<RankPlace> place = tiny::findRank();
  if (!place)
    return Failure{llvm::toString(place.takeError())};
  return std::pair(place->rank, place->size);
}

} // namespace tiny::frontend
