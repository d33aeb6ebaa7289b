// All ranks of a program together, in lockstep: one runs at a time, until it comes to a collective or ends.
#ifndef TINY_LIB_REFERENCE_RANKS_H
#define TINY_LIB_REFERENCE_RANKS_H

#include "Session.h"
#include "Tensor/Array.h"
#include "Tiny/Support/Collective.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cmath>
#include <condition_variable>
#include <mutex>

namespace tiny::reference {

/// Where ranks meet. Every rank comes to the same collectives in the same order, or all fail.
class Ranks {
public:
  explicit Ranks(llvm::ArrayRef<int64_t> grid);

  int64_t size() const { return states.size(); }
  llvm::ArrayRef<int64_t> getGrid() const { return grid; }
  /// Runs `body` once for each rank, on threads of which one runs at a time, the first rank first.
  void run(llvm::function_ref<void(int64_t)> body);
  /// Leaves `own` for the others at `op`, and returns what the ranks in `group` left there.
  mlir::FailureOr<llvm::SmallVector<Buffer>> meet(Session &session, mlir::Operation *op, const Buffer &own,
                                                  llvm::ArrayRef<int64_t> group);

private:
  struct State {
    bool hasEnded = false;
    /// The last collective and the one before, and what it left there.
    mlir::Operation *at[2] = {nullptr, nullptr};
    Buffer left[2];
    unsigned meetings = 0;
  };
  void pass(int64_t rank);

  llvm::SmallVector<int64_t> grid;
  std::vector<State> states;
  std::mutex mutex;
  std::condition_variable turns;
  int64_t turn = 0;
};

/// Runs a program of one rank on all of them: cuts inputs, puts results together again, and checks that ranks that have
/// the same part agree. What pads is NaN or -1, so that a result that depends on it shows.
mlir::LogicalResult evaluateRanks(mlir::FunctionOpInterface function, llvm::ArrayRef<HostTensor> inputs,
                                  Evaluated &evaluated, const InterpreterOptions &options);

/// A collective on flat buffers, as every level below the tensor's has it.
mlir::FailureOr<Buffer> evaluateCollective(Session &session, mlir::Operation *op, llvm::StringRef kind,
                                           std::optional<llvm::StringRef> reduction, llvm::ArrayRef<int64_t> grid,
                                           llvm::ArrayRef<int64_t> axes, std::optional<llvm::ArrayRef<int64_t>> peers,
                                           const Buffer &input);

/// `tiny.collective` and those of upstream's shard dialect.
Known evaluateCollective(Session &session, mlir::Operation *op, Operands operands, Array &result);

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_RANKS_H
