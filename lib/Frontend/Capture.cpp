// Programs that a function ran, recorded once and run again: what jit() is made of.
//
// Where a program's input came from decides what it is when the program runs again: an argument of the function, what
// an earlier program gave, something made inside of the function (which stays as it was), or a value from outside. An
// input from outside whose memory an output took over is state: the output's node is what the next run reads and
// updates. Nodes from outside are not kept alive. Where one is gone, or someone could see that it changes, nothing is
// run, and the function must be called instead.
#include "GraphState.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <thread>

using namespace mlir;

namespace tiny::frontend {

namespace {

struct Input {
  enum class Kind { Argument, Earlier, Inside, Outside, State } kind = Kind::Outside;
  /// Of an argument; of the earlier program and of its output; of the output that is state.
  size_t index = 0, output = 0;
  uint64_t number = 0;
  std::weak_ptr<Node> node;
  /// What was made inside.
  std::shared_ptr<HostTensor> data;
};

struct Output {
  uint64_t number = 0;
  std::weak_ptr<Node> node;
  /// Whether it changes what its node is.
  bool isState = false;
};

struct Step {
  std::shared_ptr<Executable> executable;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<int> aliases;
};

} // namespace

struct Recording {
  std::vector<Step> steps;
  /// For each result of the function: an argument, an output of a program (by both's places), or a node from outside.
  struct Given {
    int argument = -1;
    std::optional<std::pair<size_t, size_t>> source;
    std::weak_ptr<Node> node;
  };
  std::vector<Given> results;
};

namespace {

/// The capture that goes on, of one thread at a time.
struct Capture {
  std::thread::id thread;
  uint64_t firstNode = 0;
  Recording recording;
  Observer observer;
  /// By number: values from outside that a handle had before it was assigned another one, and what was assigned.
  llvm::DenseSet<uint64_t> replaced, assigned;
};
std::unique_ptr<Capture> &getCapture() {
  static std::unique_ptr<Capture> capture;
  return capture;
}

void record(Capture &capture, const std::shared_ptr<Executable> &executable, const std::vector<NodePtr> &inputs,
            const std::vector<int> &aliases, const std::vector<NodePtr> &outputs) {
  if (capture.thread != std::this_thread::get_id())
    return;
  Step step = {executable, {}, {}, aliases};
  for (const NodePtr &node : inputs) {
    Input input;
    input.number = node->number;
    input.node = node;
    // A program may update it: what was made inside is kept as it is now.
    if (node->number >= capture.firstNode)
      input.data = std::make_shared<HostTensor>(*node->data);
    step.inputs.push_back(std::move(input));
  }
  for (const NodePtr &node : outputs)
    step.outputs.push_back({node->number, node});
  capture.recording.steps.push_back(std::move(step));
}

/// Whether a node's value may change in place: one handle has it beside this one, and nothing is to be computed from
/// it.
bool isExclusive(const NodePtr &node) {
  return node && node.use_count() == 2 && node->data && node->data.use_count() == 1 && node->value.use_empty() &&
         !node->data->bytes.isShared();
}

/// Whether a tensor has the node. One that only waiting operations read was replaced: what it became is to be computed
/// from it.
bool isHeld(const NodePtr &node) {
  return node.use_count() - 1 > std::distance(node->value.use_begin(), node->value.use_end());
}

} // namespace

bool isCapturing() {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  return getCapture() && getCapture()->thread == std::this_thread::get_id();
}

std::optional<uint64_t> getFirstCaptured() {
  if (!isCapturing())
    return std::nullopt;
  return getCapture()->firstNode;
}

void noteAssigned(const NodePtr &old, const NodePtr &now) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  Capture *capture = getCapture().get();
  if (!capture || capture->thread != std::this_thread::get_id())
    return;
  if (old->number < capture->firstNode)
    capture->replaced.insert(old->number);
  capture->assigned.insert(now->number);
}

std::string getDevice() {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  return graph.device;
}

bool startCapture() {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  if (getCapture())
    return false;
  auto capture = std::make_unique<Capture>();
  capture->thread = std::this_thread::get_id();
  capture->firstNode = graph.nodes;
  capture->observer = [capture = capture.get()](const auto &executable, const auto &inputs, const auto &aliases,
                                                const auto &outputs) {
    record(*capture, executable, inputs, aliases, outputs);
  };
  graph.observer = &capture->observer;
  getCapture() = std::move(capture);
  return true;
}

void dropCapture() {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  graph.observer = nullptr;
  getCapture().reset();
}

NodePtr shareLeaf(const NodePtr &node) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  return makeNode(graph.block.addArgument(node->value.getType(), node->value.getLoc()), nullptr, node->data);
}

std::shared_ptr<Recording> finishCapture(const std::vector<NodePtr> &arguments, const std::vector<NodePtr> &results) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  auto recording = std::make_shared<Recording>(std::move(getCapture()->recording));
  uint64_t firstNode = getCapture()->firstNode;
  llvm::DenseSet<uint64_t> replaced = std::move(getCapture()->replaced), assigned = std::move(getCapture()->assigned);
  dropCapture();
  llvm::DenseMap<uint64_t, size_t> places;
  for (auto [index, argument] : llvm::enumerate(arguments))
    places[argument->number] = index;
  llvm::DenseMap<uint64_t, std::pair<size_t, size_t>> made;
  for (auto [index, step] : llvm::enumerate(recording->steps)) {
    for (auto [position, input] : llvm::enumerate(step.inputs)) {
      auto alias = llvm::find(step.aliases, int(position));
      if (auto place = places.find(input.number); place != places.end()) {
        input.kind = Input::Kind::Argument;
        input.index = place->second;
        input.data.reset();
      } else if (auto earlier = made.find(input.number); earlier != made.end()) {
        input.kind = Input::Kind::Earlier;
        std::tie(input.index, input.output) = earlier->second;
        input.data.reset();
      } else if (input.number >= firstNode) {
        input.kind = Input::Kind::Inside;
      } else if (alias != step.aliases.end()) {
        input.kind = Input::Kind::State;
        input.output = size_t(alias - step.aliases.begin());
      } else if (replaced.contains(input.number)) {
        // Someone still has what state was before.
        return nullptr;
      }
    }
    for (auto [position, output] : llvm::enumerate(step.outputs))
      made[output.number] = {index, position};
  }
  llvm::DenseMap<uint64_t, long> returned;
  for (const NodePtr &node : results) {
    Recording::Given given;
    if (auto place = places.find(node->number); place != places.end())
      given.argument = int(place->second);
    else if (auto source = made.find(node->number); source != made.end())
      given.source = source->second;
    given.node = node;
    ++returned[node->number];
    recording->results.push_back(given);
  }
  // What lives on without being a result is state that a handle has. Results are held by the caller's two lists, and
  // state that is a result by its handle, too.
  auto isState = [&](const Output &output) {
    auto found = returned.find(output.number);
    NodePtr node = output.node.lock();
    if (!node || found == returned.end())
      return bool(node);
    long others = node.use_count() - 1 - 2 * found->second;
    return assigned.contains(output.number) && others > std::distance(node->value.use_begin(), node->value.use_end());
  };
  for (Step &step : recording->steps)
    for (Output &output : step.outputs)
      output.isState = isState(output);
  return recording;
}

Result<std::vector<NodePtr>> replay(const Recording &recording, const std::vector<NodePtr> &arguments, bool &isValid) {
  Graph &graph = getGraph();
  std::lock_guard<std::mutex> alone(graph.running);
  std::unique_lock<std::recursive_mutex> lock(graph.mutex);
  isValid = false;
  using Tensors = std::vector<std::shared_ptr<HostTensor>>;
  // Everything that the programs read and write is found before any of them runs.
  for (const Step &step : recording.steps)
    for (const Output &output : step.outputs)
      if (output.isState && !isExclusive(output.node.lock()))
        return std::vector<NodePtr>();
  std::vector<std::pair<Tensors, Tensors>> runs;
  for (const Step &step : recording.steps) {
    Tensors inputs, outputs(step.outputs.size());
    for (const Input &input : step.inputs) {
      NodePtr node;
      switch (input.kind) {
      case Input::Kind::Argument:
        inputs.push_back(arguments[input.index]->data);
        break;
      case Input::Kind::Earlier:
        inputs.push_back(runs[input.index].second[input.output]);
        break;
      case Input::Kind::Inside:
        inputs.push_back(input.data);
        break;
      case Input::Kind::Outside:
        if (!(node = input.node.lock()) || !node->data || !node->failure.empty() || !isHeld(node))
          return std::vector<NodePtr>();
        inputs.push_back(node->data);
        break;
      case Input::Kind::State:
        if (!(node = step.outputs[input.output].node.lock()) || !step.outputs[input.output].isState)
          return std::vector<NodePtr>();
        inputs.push_back(node->data);
        break;
      }
      if (!inputs.back())
        return std::vector<NodePtr>();
    }
    for (auto [index, output] : llvm::enumerate(step.outputs)) {
      int alias = step.aliases[index];
      const Input *source = alias < 0 ? nullptr : &step.inputs[alias];
      bool inPlace = source && (source->kind == Input::Kind::State || source->kind == Input::Kind::Earlier);
      if (inPlace) {
        outputs[index] = inputs[alias];
      } else {
        Result<std::shared_ptr<HostTensor>> made = makeResult(*step.executable, index);
        if (!made)
          return made.takeFailure();
        outputs[index] = *made;
      }
    }
    runs.emplace_back(std::move(inputs), std::move(outputs));
  }
  isValid = true;
  lock.unlock();
  for (auto [step, run] : llvm::zip_equal(recording.steps, runs))
    if (Failure failure = runInto(*step.executable, run.first, run.second))
      return failure;
  lock.lock();
  std::vector<NodePtr> results(recording.results.size());
  for (auto [step, run] : llvm::zip_equal(recording.steps, runs))
    for (auto [output, data] : llvm::zip_equal(step.outputs, run.second))
      if (NodePtr node = output.isState ? output.node.lock() : nullptr)
        node->data = data;
  std::map<std::pair<size_t, size_t>, NodePtr> made;
  for (auto [result, given] : llvm::zip_equal(results, recording.results)) {
    if (given.argument >= 0) {
      result = arguments[given.argument];
    } else if (given.source) {
      // A result that stands twice is one.
      NodePtr &node = made[*given.source];
      if (!node) {
        const std::shared_ptr<HostTensor> &data = runs[given.source->first].second[given.source->second];
        auto type = RankedTensorType::get(data->shape, tiny::getElementType(&graph.context, data->dtype));
        node = makeNode(graph.block.addArgument(type, UnknownLoc::get(&graph.context)), nullptr, data);
      }
      result = node;
    } else {
      result = given.node.lock();
    }
    if (!result)
      return Failure{"a result of the captured function is gone"};
  }
  return results;
}

bool overwrite(const NodePtr &node, const HostTensor &data) {
  Graph &graph = getGraph();
  std::lock_guard<std::mutex> alone(graph.running);
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  if (node.use_count() != 1 || !node->data || node->data.use_count() != 1 || !node->value.use_empty() ||
      node->data->bytes.isShared())
    return false;
  node->data->bytes = data.bytes;
  return true;
}

} // namespace tiny::frontend
