// What the files behind Graph.h share: nodes, what holds them, and the one graph of the process. With LLVM.
#ifndef TINY_LIB_FRONTEND_GRAPHSTATE_H
#define TINY_LIB_FRONTEND_GRAPHSTATE_H

#include "Graph.h"
#include "Tiny/Driver/Executable.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/Hashing.h"

#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>

namespace tiny::frontend {

/// What a structure is made of: names, attributes and types, which are unique in the context, and numbers.
using Structure = std::vector<uintptr_t>;
struct StructureHash {
  size_t operator()(const Structure &structure) const {
    return llvm::hash_combine_range(structure.begin(), structure.end());
  }
};

/// Called for each program that runs: the executable, its inputs, for each output the input in whose memory it is or
/// -1, and the outputs, which have their memory already.
using Observer = std::function<void(const std::shared_ptr<Executable> &, const std::vector<NodePtr> &,
                                    const std::vector<int> &, const std::vector<NodePtr> &)>;

/// The one graph of the process. It is never destroyed, since tensors may be global.
struct Graph {
  Graph();

  mlir::MLIRContext context;
  mlir::Block block;
  std::unordered_map<Structure, std::shared_ptr<Executable>, StructureHash> compiled;
  /// Where they run; empty for the default target's device.
  std::string device;
  /// Grids of ranks by their symbols' names, and the block's shardings by what they say.
  std::map<std::string, Grid> grids;
  llvm::DenseMap<mlir::Attribute, mlir::Value> shardings;
  /// Whether programs that are compiled say so.
  bool isReporting = false;
  /// How many nodes were made: each has its number.
  uint64_t nodes = 0;
  /// How often the graph was walked.
  uint64_t walks = 0;
  /// What watches the thread's programs while a function is captured.
  Observer *observer = nullptr;

  /// Guards everything above. Held while a graph is built or compiled, never while a program runs.
  std::recursive_mutex mutex;
  /// Held while a program runs, and taken before `mutex`: values change under it alone.
  std::mutex running;
};

Graph &getGraph();

/// An operation, and the nodes that it reads: its operands, then for each read in its bodies the node, in their order.
struct Holder {
  mlir::Operation *op = nullptr;
  std::vector<NodePtr> operands;
  ~Holder();
};

struct Node {
  mlir::Value value;
  NodeType type;
  uint64_t number = 0;
  /// Null for arguments of the block.
  std::shared_ptr<Holder> holder;
  /// The elements; while `running` is held by another they may not be there yet.
  std::shared_ptr<HostTensor> data;
  /// Why there are none, although there should be.
  std::string failure;
  /// Of a value that was realised while a gradient might be asked for: what it was computed from.
  std::vector<std::weak_ptr<Node>> sources;
  /// The last walk that reached it, and its number among the values of that program: of use to `Program` alone.
  uint64_t walk = 0;
  size_t place = 0;
  ~Node();
};

/// Drops a holder and, one after the other, what only it held.
void release(std::shared_ptr<Holder> holder);

/// The place of a target on which the loss depends through a value that was realised; `targets` themselves are no such
/// values.
std::optional<size_t> findLostTarget(const NodePtr &loss, const std::vector<NodePtr> &targets);

mlir::Location makeLocation(Site site);
NodePtr makeNode(mlir::Value value, std::shared_ptr<Holder> holder, std::shared_ptr<HostTensor> data = nullptr);
/// The results of an operation of the block.
std::vector<NodePtr> wrap(mlir::Operation *op, std::vector<NodePtr> operands);
/// Runs a program on tensors. An output may be one of the inputs' own tensors, which it updates then.
Failure runInto(const Executable &executable, const std::vector<std::shared_ptr<HostTensor>> &inputs,
                const std::vector<std::shared_ptr<HostTensor>> &outputs,
                std::optional<llvm::ArrayRef<int64_t>> sizes = std::nullopt);
/// Memory for a program's result.
Result<std::shared_ptr<HostTensor>> makeResult(const Executable &executable, size_t index);

/// The first node of the function that this thread captures; none where it captures nothing.
std::optional<uint64_t> getFirstCaptured();
/// Copies a function's operations into the block, where nodes stand for its arguments. The function's results.
std::vector<NodePtr> inlineFunction(mlir::Block &body, const std::vector<NodePtr> &arguments);

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_GRAPHSTATE_H
