// Functions that the ONNX importer composes, as nodes: the importer's function is inlined on the operands.
#include "GraphState.h"

#include "Tiny/Driver/Source.h"
#include "Tiny/Import/Operator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tiny::frontend {

Result<std::vector<NodePtr>> compose(const Composition &call, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  FirstError errors(&graph.context);
  OnnxNode node;
  node.op = call.op;
  node.results = call.results;
  std::vector<NodePtr> arguments;
  for (const Composition::Operand &operand : call.operands) {
    if (const auto *argument = std::get_if<NodePtr>(&operand)) {
      node.operands.emplace_back(cast<RankedTensorType>((*argument)->value.getType()));
      arguments.push_back(*argument);
    } else if (const auto *number = std::get_if<int64_t>(&operand)) {
      node.operands.emplace_back(*number);
    } else if (const auto *numbers = std::get_if<Shape>(&operand)) {
      node.operands.emplace_back(*numbers);
    } else {
      node.operands.emplace_back();
    }
  }
  for (const auto &[name, value] : call.attributes)
    std::visit([&, &name = name](const auto &given) { node.attributes.emplace_back(name, given); }, value);
  OwningOpRef<ModuleOp> module = importOnnxNode(node, &graph.context);
  if (!module) {
    std::string message = llvm::toString(errors.take(call.op + " is not valid"));
    // There is no model in which the operator is a node.
    StringRef what = message;
    if (size_t place = what.find("): "); what.starts_with("node ") && place != StringRef::npos)
      what = what.drop_front(place + 3);
    return Failure{what.str()};
  }
  Location here = makeLocation(site);
  module->walk([&](Operation *op) { op->setLoc(here); });
  return inlineFunction(cast<func::FuncOp>(module->lookupSymbol("main")).front(), arguments);
}

} // namespace tiny::frontend
