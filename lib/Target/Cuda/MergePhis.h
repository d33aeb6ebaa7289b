// Values that loops carry several times.
#ifndef TINY_LIB_TARGET_CUDA_MERGEPHIS_H
#define TINY_LIB_TARGET_CUDA_MERGEPHIS_H

#include "llvm/IR/PassManager.h"

namespace tiny::cuda {

/// Makes one of values that a block gets from each block in front of it and that are always equal.
struct MergePhisPass : llvm::PassInfoMixin<MergePhisPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tiny::cuda

#endif // TINY_LIB_TARGET_CUDA_MERGEPHIS_H
