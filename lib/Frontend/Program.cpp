// Programs of the graph: what is reached from their outputs, in order; their structure.
#include "Program.h"

#include "Sharding.h"
#include "Tiny/Support/Signature.h"

using namespace mlir;

namespace tiny::frontend {

/// How many values are looked at to find the input that an output updates.
constexpr size_t kFarthestUpdate = 64;

Program::Program(ArrayRef<NodePtr> wanted) : wanted(wanted) {
  uint64_t walk = ++getGraph().walks;
  auto reach = [&](const NodePtr &node) {
    if (std::exchange(node->walk, walk) != walk)
      nodes.push_back(&node);
  };
  for (const NodePtr &node : wanted) {
    outputs.push_back(node->value);
    reach(node);
  }
  for (size_t next = 0; next < nodes.size(); ++next)
    if (const Holder *holder = (*nodes[next])->holder.get())
      llvm::for_each(holder->operands, reach);
  llvm::sort(nodes, [](const NodePtr *a, const NodePtr *b) { return (*a)->number < (*b)->number; });
  collect();
}

/// How the operation cuts its operand among ranks, where it does: an operation without a node.
static Operation *getSharding(Operation *op) {
  auto shard = dyn_cast<shard::ShardOp>(op);
  return shard ? shard.getSharding().getDefiningOp() : nullptr;
}

void Program::collect() {
  auto addInput = [&](const NodePtr &node) {
    if (node->holder || !inputs.insert(node->value))
      return;
    node->place = places++;
    leaves.push_back(&node);
  };
  llvm::SetVector<Operation *> shardings;
  forEachHolder([&](const Holder &holder, auto) {
    llvm::for_each(holder.operands, addInput);
    if (Operation *sharding = getSharding(holder.op))
      shardings.insert(sharding);
    ops.push_back(holder.op);
  });
  llvm::for_each(wanted, addInput);
  forEachHolder([&](const Holder &holder, ArrayRef<const NodePtr *> results) {
    for (const NodePtr *result : results)
      (*result)->place = places + cast<OpResult>((*result)->value).getResultNumber();
    places += holder.op->getNumResults();
  });
  ops.insert(ops.begin(), shardings.begin(), shardings.end());
}

void Program::forEachHolder(llvm::function_ref<void(const Holder &, ArrayRef<const NodePtr *>)> visit) const {
  for (ArrayRef<const NodePtr *> rest = nodes; !rest.empty();) {
    const Holder *holder = (*rest.front())->holder.get();
    auto results = rest.take_while([&](const NodePtr *node) { return (*node)->holder.get() == holder; });
    if (holder)
      visit(*holder, results);
    rest = rest.drop_front(results.size());
  }
}

/// Adds what an operation's bodies compute, but for what they read from outside, which the holder's operands say.
static void addBodies(Operation *op, Structure &structure) {
  llvm::DenseMap<Value, uintptr_t> numbers;
  auto add = [&](auto unique) { structure.push_back(reinterpret_cast<uintptr_t>(unique.getAsOpaquePointer())); };
  auto define = [&](ValueRange values) {
    structure.push_back(values.size());
    for (Value value : values) {
      numbers.try_emplace(value, numbers.size() + 1);
      add(value.getType());
    }
  };
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner != op) {
      add(inner->getName());
      add(inner->getAttrDictionary());
      structure.push_back(inner->getNumOperands());
      for (Value operand : inner->getOperands())
        structure.push_back(numbers.lookup(operand)); // 0 is from outside
      define(inner->getResults());
    }
    for (Region &region : inner->getRegions()) {
      structure.push_back(region.getBlocks().size());
      for (Block &block : region) {
        define(block.getArguments());
        structure.push_back(block.getOperations().size());
      }
    }
  });
}

Structure Program::getStructure() const {
  Structure structure;
  structure.reserve(8 * nodes.size());
  auto add = [&](auto unique) { structure.push_back(reinterpret_cast<uintptr_t>(unique.getAsOpaquePointer())); };
  for (Value input : inputs)
    add(input.getType());
  forEachHolder([&](const Holder &holder, auto) {
    add(holder.op->getName());
    add(holder.op->getAttrDictionary());
    structure.push_back(holder.operands.size());
    for (const NodePtr &operand : holder.operands)
      structure.push_back(operand->place);
    if (Operation *sharding = getSharding(holder.op))
      structure.push_back(reinterpret_cast<uintptr_t>(sharding));
    for (Type type : holder.op->getResultTypes())
      add(type);
    if (holder.op->getNumRegions())
      addBodies(holder.op, structure);
  });
  structure.push_back(wanted.size());
  for (const NodePtr &node : wanted)
    structure.push_back(node->place);
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

std::vector<int> findUpdates(const Program &program, llvm::function_ref<bool(const NodePtr &)> mayTake) {
  std::vector<int> aliases;
  llvm::SmallVector<bool> taken(program.leaves.size());
  for (const NodePtr &output : program.wanted) {
    aliases.push_back(-1);
    llvm::SmallSetVector<const Node *, 8> reached;
    reached.insert(output.get());
    for (size_t next = 0; next < std::min(reached.size(), kFarthestUpdate); ++next) {
      const Node *node = reached[next];
      if (node->holder) {
        for (const NodePtr &operand : node->holder->operands)
          if (operand->value.getType() == output->value.getType())
            reached.insert(operand.get());
      } else if (node != output.get() && !taken[node->place] && mayTake(*program.leaves[node->place])) {
        taken[node->place] = true;
        aliases.back() = int(node->place);
        break;
      }
    }
  }
  return aliases;
}

} // namespace tiny::frontend
