// What ranks do together, as every level names it.
#ifndef TINY_SUPPORT_COLLECTIVE_H
#define TINY_SUPPORT_COLLECTIVE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tiny {

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, Send };

/// The kind that `all_reduce` and its like name.
std::optional<CollectiveKind> parseCollectiveKind(llvm::StringRef name);

/// Whether this names a reduction: `sum`, `product`, `max` or `min`; below the tensor level `unsigned_max` and
/// `unsigned_min`, too.
bool isCollectiveReduction(llvm::StringRef name);

/// Ranks in a group.
int64_t countGroup(llvm::ArrayRef<int64_t> grid, llvm::ArrayRef<int64_t> axes);

/// The ranks of the group that `rank` is in, in the group's order.
llvm::SmallVector<int64_t> getGroup(int64_t rank, llvm::ArrayRef<int64_t> grid, llvm::ArrayRef<int64_t> axes);

/// Checks a collective on tensors:
/// - (collective_c1) the kind is known, and there is a known reduction where it reduces, else none;
/// - (collective_c2) the grid has positive sizes, below 2^31 ranks, and axes of it are named, each once;
/// - (collective_c3) the result has the input's element type, and the shape that the kind gives;
/// - (collective_c7) a send names two different places of the group, from one to the other, and no other kind does.
llvm::LogicalResult verifyCollective(llvm::function_ref<mlir::InFlightDiagnostic()> emitError, llvm::StringRef kind,
                                     std::optional<llvm::StringRef> reduction, llvm::ArrayRef<int64_t> grid,
                                     llvm::ArrayRef<int64_t> axes, std::optional<llvm::ArrayRef<int64_t>> peers,
                                     mlir::ShapedType input, mlir::ShapedType result);

} // namespace tiny

#endif // TINY_SUPPORT_COLLECTIVE_H
