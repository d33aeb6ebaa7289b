// Programs of one rank among many, run on whole tensors.
#ifndef TINY_LIB_DRIVER_PROGRAMRANKS_H
#define TINY_LIB_DRIVER_PROGRAMRANKS_H

#include "Tiny/Files/Parts.h"
#include "Tiny/Runtime/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// What a rank has of a tensor.
struct RankTensor {
  files::Parts parts;
  std::vector<int64_t> shape;
  tiny_dtype dtype = TINY_DTYPE_F32;

  bool isWhole() const;
  uint64_t countBytes() const;
};

/// What a program's ranks have; no grid for a program that runs alone.
struct RankSignature {
  std::vector<int64_t> grid;
  std::vector<RankTensor> inputs, results;
};

RankTensor readRankTensor(const tiny_parameter &parameter, llvm::ArrayRef<int64_t> grid);

using ConstSpan = llvm::ArrayRef<char>;
using Span = llvm::MutableArrayRef<char>;
/// Runs the program of one rank on its parts.
using RankRun = llvm::function_ref<llvm::Error(llvm::ArrayRef<ConstSpan> arguments, llvm::ArrayRef<Span> results,
                                               const tiny_run_options &options)>;

/// Runs the ranks that this process has on parts of whole tensors; afterwards it has all of the results. Where a rank
/// fails all do: other processes end. In the first run processes compare samples of their arguments.
llvm::Error runRanks(const RankSignature &signature, llvm::ArrayRef<ConstSpan> arguments, llvm::ArrayRef<Span> results,
                     const tiny_run_options &options, RankRun run, bool isFirst);

} // namespace tiny

#endif // TINY_LIB_DRIVER_PROGRAMRANKS_H
