// Programs of the graph: what is reached from their outputs, in order; their structure.
#include "Program.h"

#include "Sharding.h"
#include "Tiny/Support/Signature.h"

using namespace mlir;

namespace tiny::frontend {

/// How many values are looked at to find the input that an output updates.
constexpr size_t kFarthestUpdate = 64;

Program::Program(const std::vector<NodePtr> &nodes) {
  for (const NodePtr &node : nodes)
    outputs.push_back(node->value);
  collect();
}

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

void setAliases(func::FuncOp function, ArrayRef<int> aliases) {
  Builder builder(function.getContext());
  for (auto [output, input] : llvm::enumerate(aliases)) {
    if (input < 0)
      continue;
    function.setArgAttr(input, kDonatedAttr, builder.getUnitAttr());
    function.setResultAttr(output, kAliasesAttr, builder.getI64IntegerAttr(input));
  }
}

OwningOpRef<ModuleOp> Program::makeModule(ArrayRef<int> aliases) const {
  OwningOpRef<ModuleOp> module(ModuleOp::create(UnknownLoc::get(&getGraph().context)));
  IRMapping mapping;
  func::FuncOp function = startFunction(*module, TypeRange(ValueRange(outputs)), mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  auto results = llvm::map_to_vector(outputs, [&](Value output) { return mapping.lookup(output); });
  func::ReturnOp::create(builder, module->getLoc(), results);
  setAliases(function, aliases);
  declareGrids(ops, *module);
  return module;
}

std::vector<int> findUpdates(const Program &program, llvm::function_ref<bool(Value)> mayTake) {
  std::vector<int> aliases;
  llvm::DenseSet<Value> taken;
  for (Value output : program.outputs) {
    aliases.push_back(-1);
    llvm::SetVector<Value> reached;
    reached.insert(output);
    for (size_t next = 0; next < std::min(reached.size(), kFarthestUpdate); ++next) {
      Value value = reached[next];
      if (Operation *def = value.getDefiningOp()) {
        for (Value operand : def->getOperands())
          if (operand.getType() == output.getType())
            reached.insert(operand);
      } else if (value != output && mayTake(value) && taken.insert(value).second) {
        aliases.back() = int(llvm::find(program.inputs, value) - program.inputs.begin());
        break;
      }
    }
  }
  return aliases;
}

} // namespace tiny::frontend
