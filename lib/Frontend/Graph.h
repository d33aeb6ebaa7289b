// The graph behind tensors, as the public functions see it: no IR in here, and failures are values. What throws is
// compiled apart from what uses LLVM.
#ifndef TINY_LIB_FRONTEND_GRAPH_H
#define TINY_LIB_FRONTEND_GRAPH_H

#include "Tiny/Files/Result.h"
#include "Tiny/Frontend/SizedJit.h"

#include <functional>
#include <optional>
#include <utility>
#include <variant>

namespace tiny::frontend {

using NodePtr = std::shared_ptr<Node>;
using files::Failure;
using files::Result;

struct NodeType {
  tiny_dtype dtype;
  Shape shape;
};

/// i64, f64, unit where it holds, or a list of i64.
using AttributeValue = std::variant<int64_t, double, bool, Shape>;

/// An operation to be made.
struct Call {
  /// Without the dialect.
  std::string name;
  std::vector<NodePtr> operands;
  std::vector<std::pair<std::string, AttributeValue>> attributes = {};
  /// The result's, for operations that do not infer it.
  std::vector<NodeType> types = {};
  /// How many operands each group has, for operations with optional ones in the middle.
  std::vector<int32_t> segments = {};
};

/// An operator of ONNX, as the importer composes it.
struct Composition {
  /// A node, integers that are known (one, or a list), or nothing.
  using Operand = std::variant<std::monostate, NodePtr, int64_t, Shape>;
  using Attribute = std::variant<int64_t, double, std::string, Shape, std::vector<std::string>>;

  std::string op;
  std::vector<Operand> operands;
  std::vector<std::pair<std::string, Attribute>> attributes = {};
  unsigned results = 1;
};
Result<std::vector<NodePtr>> compose(const Composition &call, Site site);

/// The results of the operation.
Result<std::vector<NodePtr>> apply(const Call &call, Site site);
NodePtr makeLeaf(HostTensor tensor);
/// A number in every place.
Result<NodePtr> makeConstant(double number, const NodeType &type, Site site);
/// A number of rank 0. All but 0, 1 and -1 are data: with another number a program stays the same.
Result<NodePtr> makeNumber(double number, tiny_dtype dtype, Site site);
/// The same value, cut among ranks: for each axis of the grid the tensor's axis that it cuts, or -1.
NodePtr annotate(const NodePtr &node, const Grid &grid, const Shape &axes, Site site);
/// The value in another stage: from one place on an axis of the grid to another.
NodePtr sendTo(const NodePtr &node, const Grid &grid, int64_t axis, int64_t from, int64_t to, Site site);
/// The targets' gradients.
Result<std::vector<NodePtr>> differentiate(const NodePtr &loss, const std::vector<NodePtr> &targets, Site site);

const NodeType &getType(const Node &node);
/// Null until it is realised.
const HostTensor *getData(const Node &node);
/// An integer of the node that lies outside of [low, high), but for those that are `except`. None where the elements
/// are not known yet, or are those of a device that computes nothing.
std::optional<int64_t> findBeyond(const Node &node, int64_t low, int64_t high, std::optional<int64_t> except = {});
/// The first `asked` nodes are values that someone wants, the others state that is computed on the way.
Failure realize(const std::vector<NodePtr> &nodes, size_t asked = size_t(-1));
/// The program that computes the node, at a level or in a form of the target.
Result<std::string> print(const NodePtr &node, const std::string &level, const std::string &target = "");

//===--- Capture --------------------------------------------------------------------------------------------------===//

/// The programs that a function ran.
struct Recording;
/// Records this thread's programs from here on; false where another capture goes on. Ends with one of the other two.
bool startCapture();
/// What ran since, as a function of the arguments, which are leaves.
std::shared_ptr<Recording> finishCapture(const std::vector<NodePtr> &arguments, const std::vector<NodePtr> &results);
void dropCapture();
bool isCapturing();
/// Runs the programs again on other arguments of the same types. Not valid, and nothing is run, where state that they
/// read is gone or could be seen to change: then the function must be called.
Result<std::vector<NodePtr>> replay(const Recording &recording, const std::vector<NodePtr> &arguments, bool &isValid);
/// Notes that a handle, which had `old`, is the value `now`: state, where it is from outside of what is captured.
void noteAssigned(const NodePtr &old, const NodePtr &now);
/// Where programs run; empty for the default target's device.
std::string getDevice();
/// Another leaf with a known node's elements.
NodePtr shareLeaf(const NodePtr &node);
/// Writes other elements of the same type where nobody but this handle's owner could see it; else false.
bool overwrite(const NodePtr &node, const HostTensor &data);

//===--- Sizes --------------------------------------------------------------------------------------------------===//

/// What a function over sizes takes. The sizes' values come in the order of `sizes`.
struct SizedSignature {
  std::vector<SizedJit::Size> sizes;
  std::vector<SizedJit::Argument> arguments;
};
/// Calls the function at some sizes, on leaves without values. None where it failed.
using Trace = std::function<std::optional<std::vector<NodePtr>>(const std::vector<int64_t> &sizes,
                                                                const std::vector<NodePtr> &leaves)>;
/// One program for all sizes.
struct SizedProgram;
/// Traces the function at chosen sizes, and compiles what it computes for all of them.
Result<std::shared_ptr<SizedProgram>> compileSized(const SizedSignature &signature, const Trace &trace);
using HostTensors = std::vector<std::shared_ptr<HostTensor>>;
/// What it reads from outside of the function; none where some of that is gone, and the program with it.
std::optional<HostTensors> readOutside(const SizedProgram &program);
/// Runs it on values; `numbers` are those of the sizes that are numbers.
Result<std::vector<NodePtr>> runSized(const SizedProgram &program, const std::vector<NodePtr> &arguments,
                                      const HostTensors &outside, const std::vector<int64_t> &numbers);
/// Whether this thread traces a function.
bool isTracing();
/// Sets what `isTracing` says; what it was.
bool setTracing(bool isOn);

size_t countCompiled();
/// See tiny::setDevice.
Failure setDevice(const std::string &name);
/// This process's rank among those that run together, and how many there are.
Result<std::pair<unsigned, unsigned>> findRank();
const char *guardRank(const std::string &name);
/// See tiny::setReporting and tiny::setInterruptible.
void setReporting(bool isOn);
void setInterruptible(bool isOn);

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_GRAPH_H
