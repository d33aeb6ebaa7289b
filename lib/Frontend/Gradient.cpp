// Gradients of nodes: the program that computes the loss is differentiated, and what comes of it is more of the graph.
#include "Program.h"

#include "Sharding.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Transforms/Tensor/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tiny::frontend {

/// The function of the inputs that gives the gradients of the one output with respect to values of the program.
static OwningOpRef<ModuleOp> makeGradients(const Program &program, ArrayRef<Value> targets, Site site) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(makeLocation(site)));
  IRMapping mapping;
  func::FuncOp function = program.startFunction(*module, TypeRange(ValueRange(targets)), mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  for (Operation *op : program.ops) {
    builder.clone(*op, mapping);
    for (Value result : op->getResults())
      if (llvm::is_contained(targets, result))
        mapping.map(result, tensor::WatchOp::create(builder, op->getLoc(), mapping.lookup(result)).getResult());
  }
  auto wanted = llvm::map_to_vector(targets, [&](Value target) { return mapping.lookup(target); });
  auto gradient = tensor::GradientOp::create(builder, module->getLoc(), TypeRange(ValueRange(targets)),
                                             mapping.lookup(program.outputs.front()), /*seed=*/Value(), wanted);
  func::ReturnOp::create(builder, module->getLoc(), gradient.getResults());
  declareGrids(program.ops, *module);
  return module;
}

Result<std::vector<NodePtr>> differentiate(const NodePtr &loss, const std::vector<NodePtr> &targets, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  if (targets.empty())
    return Failure{"expects a target"};
  if (!isFloat(loss->type.dtype))
    return Failure{std::string("expects a loss of floats, got ") + getDtypeName(loss->type.dtype)};
  Program program(loss);
  llvm::DenseSet<Operation *> reached(program.ops.begin(), program.ops.end());
  SmallVector<Value> values;
  for (const NodePtr &target : targets) {
    Operation *def = target->value.getDefiningOp();
    if (def ? !reached.contains(def) : !program.inputs.contains(target->value))
      return Failure{"the loss does not depend on target " + std::to_string(values.size()) +
                     (loss->data
                          ? ": it is realised, by item(), numpy() or a print, and a constant: take its gradients, "
                            "or step, before its value is read"
                          : "; what was realised in between is a constant")};
    if (!isFloat(target->type.dtype))
      return Failure{"expects targets of floats, got " + std::string(getDtypeName(target->type.dtype)) + " as target " +
                     std::to_string(values.size())};
    values.push_back(target->value);
  }
  if (std::optional<size_t> lost = findLostTarget(loss, targets))
    return Failure{
        "the loss depends on target " + std::to_string(*lost) +
        " through a value that was realised, by a print, item(), numpy() or state that was updated, and is a "
        "constant now: take the gradient before, or detach() the value"};
  // Gradients become plain operations at once: what is realised later changes nothing about them.
  FirstError errors(&graph.context);
  OwningOpRef<ModuleOp> module = makeGradients(program, values, site);
  PassManager manager(&graph.context);
  manager.addPass(tensor::createTensorExpandGradients());
  if (failed(manager.run(*module)))
    return Failure{llvm::toString(errors.take("there is no gradient"))};
  std::vector<NodePtr> arguments;
  arguments.reserve(program.leaves.size());
  for (const NodePtr *leaf : program.leaves)
    arguments.push_back(*leaf);
  return inlineFunction(cast<func::FuncOp>(module->lookupSymbol("main")).front(), arguments);
}

} // namespace tiny::frontend
