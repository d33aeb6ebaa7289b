#include "Tiny/Support/Combiner.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tiny {

SmallVector<llvm::BitVector> getCombinedInputs(Block &combiner) {
  unsigned count = combiner.getNumArguments() / 2;
  DenseMap<Value, llvm::BitVector> reads;
  for (BlockArgument argument : combiner.getArguments()) {
    auto [it, isNew] = reads.try_emplace(argument, llvm::BitVector(count));
    it->second.set(argument.getArgNumber() % count);
  }
  for (Operation &op : combiner) {
    llvm::BitVector all(count);
    for (Value operand : op.getOperands())
      all |= reads.lookup(operand);
    for (Value result : op.getResults())
      reads[result] = all;
  }
  SmallVector<llvm::BitVector> inputs;
  for (Value yielded : combiner.getTerminator()->getOperands())
    inputs.push_back(reads.lookup(yielded));
  // A result starts from its own initial value, and an accumulator that it reads is a result of the step before.
  for (unsigned k = 0; k < count; ++k)
    inputs[k].set(k);
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BitVector &own : inputs)
      for (unsigned k : llvm::to_vector(own.set_bits()))
        if (inputs[k].test(own)) {
          own |= inputs[k];
          changed = true;
        }
  }
  return inputs;
}

} // namespace tiny
