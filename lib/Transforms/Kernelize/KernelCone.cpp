// Collects the operations of a kernel between its inputs and results, and finds where to cut one that is too large.
#include "KernelCone.h"

#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Dialect/Target/OpClass.h"
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
  // The kernel reads its own roots without a buffer. Of the bases, only roots are visited.
  auto isOutside = [&](int k) { return k < 0 || (isBase(k) && seen[k] != round); };
  while (!worklist.empty())
    for (int input : graph.producers(worklist.pop_back_val()))
      if (!isOutside(input))
        visit(input);
  llvm::sort(members);
  // Inputs come as a person would list them: arguments, then what is computed, each in order.
  llvm::SmallSetVector<Value, 4> inputs;
  for (unsigned k : members) {
    kernel.ops.push_back(graph.nodes[k].op);
    for (auto [operand, input] : llvm::zip_equal(graph.nodes[k].op->getOperands(), graph.producers(k)))
      if (isOutside(input))
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
  return (isa<ReduceOp>(op) || isPointwise(op)) && op != kernel.ops.back();
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
      // The value is one buffer now. Recompute the sets from there on.
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

static size_t countCode(Operation *op, const cost::CostModel &costs) {
  return isPointwise(op) ? std::max<size_t>(1, costs.getCode(target::classify(op))) : 1;
}

size_t PlannedKernel::countCode(const cost::CostModel &costs) const {
  size_t length = 0;
  for (Operation *op : ops)
    length += lazy::countCode(op, costs);
  return length;
}

/// The kernel's operations in an order that follows each value's use soon after it: depth first from the results, so
/// that few values are needed at a time however wide the kernel is.
static SmallVector<Operation *> sortDepthFirst(const PlannedKernel &kernel) {
  llvm::DenseSet<Operation *> unseen(kernel.ops.begin(), kernel.ops.end());
  SmallVector<Operation *> order;
  SmallVector<std::pair<Operation *, unsigned>> stack; // operation, next operand
  for (Value root : kernel.roots) {
    if (unseen.erase(root.getDefiningOp()))
      stack.push_back({root.getDefiningOp(), 0});
    while (!stack.empty()) {
      auto &[op, next] = stack.back();
      if (next == op->getNumOperands()) {
        order.push_back(op);
        stack.pop_back();
        continue;
      }
      Operation *operand = skipContiguous(op->getOperand(next++)).getDefiningOp();
      if (operand && unseen.erase(operand))
        stack.push_back({operand, 0});
    }
  }
  return order;
}

SmallVector<Operation *> findOperationCuts(const PlannedKernel &kernel, size_t maxOps, const cost::CostModel &costs) {
  SmallVector<Operation *> order = sortDepthFirst(kernel);
  llvm::DenseMap<Operation *, size_t> position;
  for (auto [k, op] : llvm::enumerate(order))
    position[op] = k;
  // How long what computes a value must be at hand: until the last use through movements. What is copied, splats and
  // index sources, does not count.
  std::vector<size_t> last(order.size());
  for (size_t k = order.size(); k-- > 0;) {
    last[k] = std::max(last[k], k);
    for (Value operand : order[k]->getOperands())
      if (auto it = position.find(skipContiguous(operand).getDefiningOp()); it != position.end())
        last[it->second] = std::max(last[it->second], isMovement(order[k]) ? last[k] : k);
  }
  auto counts = [&](size_t k) { return canCut(kernel, order[k]) && last[k] > k; };
  std::vector<unsigned> live(order.size(), 0);
  std::vector<int> change(order.size() + 1, 0);
  for (size_t k = 0; k < order.size(); ++k)
    if (counts(k)) {
      ++change[k];
      --change[last[k]];
    }
  int sum = 0;
  for (size_t k = 0; k < order.size(); ++k)
    live[k] = sum += change[k];

  // After each half to whole part, where the fewest values are needed; a single one ends the search.
  SmallVector<Operation *> cuts;
  for (size_t begin = 0;;) {
    size_t end = begin;
    for (size_t length = 0; end < order.size(); ++end)
      if ((length += countCode(order[end], costs)) > maxOps)
        break;
    if (end == order.size())
      return cuts;
    // One operation is a part, however long.
    end = std::max(end, begin + 1);
    size_t best = end - 1;
    for (size_t k = best; k > begin + (end - begin) / 2 && live[best] > 1; --k)
      if (live[k] < live[best])
        best = k;
    for (size_t k = 0; k <= best; ++k)
      if (last[k] > best && counts(k))
        cuts.push_back(order[k]);
    begin = best + 1;
  }
}

} // namespace tiny::lazy
