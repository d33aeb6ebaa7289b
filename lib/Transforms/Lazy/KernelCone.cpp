#include "KernelCone.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace tiny::lazy {

PlannedKernel ConeCollector::collect(ArrayRef<unsigned> roots) {
  PlannedKernel kernel;
  ++round;
  SmallVector<unsigned> worklist, members;
  auto visit = [&](unsigned k) {
    if (seen[k] == round)
      return;
    seen[k] = round;
    worklist.push_back(k);
    members.push_back(k);
  };
  for (unsigned k : roots)
    visit(k);
  // What the kernel stores it also has at hand.
  auto isOutside = [&](Value operand) {
    auto k = graph.producer(operand);
    return !k || (isBase(operand) && !llvm::is_contained(roots, *k));
  };
  while (!worklist.empty())
    for (Value operand : graph.nodes[worklist.pop_back_val()].op->getOperands())
      if (!isOutside(operand))
        visit(*graph.producer(operand));
  llvm::sort(members);
  // Inputs come as a person would list them: arguments, then what is computed, each in order.
  llvm::SmallSetVector<Value, 4> inputs;
  for (unsigned k : members) {
    kernel.ops.push_back(graph.nodes[k].op);
    for (Value operand : graph.nodes[k].op->getOperands())
      if (isOutside(operand))
        inputs.insert(skipContiguous(operand));
  }
  auto order = [&](Value value) -> std::pair<unsigned, unsigned> {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return {0, argument.getArgNumber()};
    return {graph.producer(value).value_or(0) + 1, cast<OpResult>(value).getResultNumber()};
  };
  kernel.inputs = inputs.takeVector();
  llvm::sort(kernel.inputs, [&](Value a, Value b) { return order(a) < order(b); });
  for (unsigned k : roots)
    for (Value result : graph.nodes[k].op->getResults())
      if (!result.use_empty())
        kernel.roots.push_back(result);
  return kernel;
}

/// Elementwise operations and reductions; the last operation is stored anyway.
static bool canCut(const PlannedKernel &kernel, Operation *op) {
  return (isa<ReduceOp>(op) || isElementwise(op)) && op != kernel.ops.back();
}

SmallVector<Operation *> findBufferCuts(const PlannedKernel &kernel, size_t maxInputs) {
  SmallVector<Operation *> cuts;
  // Each input, and each cut, is a bit; each operation has the set of those that it reads, itself or through others.
  llvm::DenseMap<Value, unsigned> bits;
  for (Value input : kernel.inputs)
    bits.try_emplace(input, bits.size());
  size_t width = bits.size() + kernel.ops.size();
  llvm::DenseMap<Operation *, llvm::BitVector> reads;
  for (Operation *op : kernel.ops) {
    auto collect = [&] {
      llvm::BitVector all(width);
      for (Value operand : op->getOperands()) {
        Value value = skipContiguous(operand);
        if (auto it = bits.find(value); it != bits.end())
          all.set(it->second);
        else if (auto inner = reads.find(value.getDefiningOp()); inner != reads.end())
          all |= inner->second;
      }
      return all;
    };
    llvm::BitVector own = collect();
    while (own.count() > maxInputs) {
      // The operand that reads most becomes a buffer, and is one.
      Value heaviest;
      unsigned most = 1;
      for (Value operand : op->getOperands()) {
        Value value = skipContiguous(operand);
        Operation *input = value.getDefiningOp();
        // Look through movements for what computes.
        while (input && isMovement(input) && !bits.contains(value)) {
          value = skipContiguous(input->getOperand(0));
          input = value.getDefiningOp();
        }
        auto inner = reads.find(input);
        if (inner != reads.end() && canCut(kernel, input) && !bits.contains(value) && inner->second.count() > most) {
          most = inner->second.count();
          heaviest = value;
        }
      }
      if (!heaviest)
        break;
      Operation *input = heaviest.getDefiningOp();
      cuts.push_back(input);
      unsigned bit = bits.size();
      bits.try_emplace(heaviest, bit);
      // What views it now reads one buffer; recompute from it to here.
      llvm::BitVector one(width);
      one.set(bit);
      reads[input] = one;
      for (Value operand : op->getOperands())
        for (Operation *link = skipContiguous(operand).getDefiningOp(); link && isMovement(link);
             link = skipContiguous(link->getOperand(0)).getDefiningOp())
          if (skipContiguous(link->getOperand(0)) == heaviest) {
            for (Operation *outer = skipContiguous(operand).getDefiningOp(); outer != input;
                 outer = skipContiguous(outer->getOperand(0)).getDefiningOp())
              reads[outer] = one;
            break;
          }
      own = collect();
    }
    reads[op] = std::move(own);
  }
  return cuts;
}

SmallVector<Operation *> findOperationCuts(const PlannedKernel &kernel, size_t maxOps) {
  // How long each value is needed; a place that only one value passes is a place to cut.
  llvm::DenseMap<Operation *, size_t> position, last;
  for (auto [k, op] : llvm::enumerate(kernel.ops))
    position[op] = k;
  for (auto [k, op] : llvm::enumerate(kernel.ops))
    for (Value operand : op->getOperands())
      if (auto it = position.find(skipContiguous(operand).getDefiningOp()); it != position.end())
        last[it->first] = k;
  SmallVector<Operation *> cuts;
  size_t live = 0, since = 0;
  std::vector<unsigned> ends(kernel.ops.size() + 1, 0);
  for (auto [k, op] : llvm::enumerate(kernel.ops)) {
    live -= ends[k];
    // Splats and index sources are copied, so they do not count.
    bool counts = op->getNumOperands() != 0;
    if (counts && last.count(op)) {
      ++live;
      ++ends[last[op]];
    }
    if (++since >= maxOps && live == 1 && counts && last.count(op) && canCut(kernel, op)) {
      cuts.push_back(op);
      since = 0;
    }
  }
  return cuts;
}

} // namespace tiny::lazy
