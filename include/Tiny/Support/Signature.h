// What a program's arguments and results are at the tensor level, at whatever level it stands now.
#ifndef TINY_SUPPORT_SIGNATURE_H
#define TINY_SUPPORT_SIGNATURE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tiny {

/// On an argument or a result: the TypeAttr of its tensor type, with the shape and the sign that lower levels lose.
constexpr llvm::StringLiteral kTensorTypeAttr = "tiny.type";

/// On a program: the sizes that are known when it is called. It has a buffer of them as its last argument, which is no
/// input.
constexpr llvm::StringLiteral kProgramSizesAttr = "sizes";

/// On an argument: its buffer is the program's to overwrite. The caller can not rely on what is in it afterwards,
/// unless a result aliases it.
constexpr llvm::StringLiteral kDonatedAttr = "tiny.donated";

/// On a result: the number of the donated argument whose buffer it is in, an i64. This is how a program updates state.
constexpr llvm::StringLiteral kAliasesAttr = "tiny.aliases";

/// On a result of a function that a loop names: the loop reads it where it lies, before the next iteration, so it needs
/// no buffer of its own.
constexpr llvm::StringLiteral kBorrowedAttr = "tiny.borrowed";

/// On a program of one rank among many (SPMD): the sizes of the grid of ranks, an array<i64>. Ranks count row-major.
constexpr llvm::StringLiteral kGridAttr = "tiny.grid";
/// On its arguments and results: for each axis an array<i16> of the grid's axes that cut it, the first one first, and
/// the type of the whole tensor. A cut axis has the same size on every rank: the last ones are padded.
constexpr llvm::StringLiteral kShardingAttr = "tiny.sharding";
constexpr llvm::StringLiteral kWholeAttr = "tiny.whole";
/// On its last argument, which is no input: the place of the rank on each axis of the grid.
constexpr llvm::StringLiteral kRankAttr = "tiny.rank";

/// On a program of one rank among many whose ranks are stages of a pipeline: the axis of the grid along which stages
/// lie, an i64. On its results: the one stage that has it, an i64; without it all of them do.
constexpr llvm::StringLiteral kStageAxisAttr = "tiny.stage_axis";
constexpr llvm::StringLiteral kStageAttr = "tiny.stage";
/// On an item of such a program: the stages whose ranks run it, an array<i64>; without it all of them do.
constexpr llvm::StringLiteral kPlacesAttr = "tiny.places";

/// The argument that result number `result` aliases, if it says so.
std::optional<unsigned> getAliasedArgument(mlir::FunctionOpInterface function, unsigned result);

/// Checks what a function says about its state, and reports what does not hold:
/// - (state_c1) `tiny.donated` is a unit attribute, `tiny.aliases` an i64 that names an argument;
/// - (state_c2) the argument is donated and has the result's type, with its sign;
/// - (state_c3) no two results alias one argument;
/// - (state_c4) `tiny.borrowed` is a unit attribute, on a private function.
llvm::LogicalResult verifyState(mlir::FunctionOpInterface function);

/// A tensor of which each rank of a grid has a part.
struct ShardedTensor {
  mlir::RankedTensorType whole;
  llvm::SmallVector<llvm::SmallVector<int16_t>> axes;
};

/// Reads the attributes above; a tensor that has none is whole on every rank. None where they contradict each other or
/// the grid.
std::optional<ShardedTensor> getShardedTensor(mlir::RankedTensorType local, mlir::Attribute axes, mlir::Attribute whole,
                                              llvm::ArrayRef<int64_t> grid);

/// The size of an axis on each rank when axes of the grid cut it, one after the other, each into equal parts.
int64_t getLocalSize(int64_t size, llvm::ArrayRef<int16_t> axes, llvm::ArrayRef<int64_t> grid);

/// The place of a rank on each axis of the grid.
llvm::SmallVector<int64_t> getGridPlace(int64_t rank, llvm::ArrayRef<int64_t> grid);

/// The tensor types of arguments and results.
struct Signature {
  llvm::SmallVector<mlir::RankedTensorType> inputs, results;
};

/// Reads `tiny.type` where it stands, else the type itself: a tensor, or a buffer seen as one. Fails without a message
/// when an argument or a result is none of these.
mlir::FailureOr<Signature> getSignature(mlir::FunctionOpInterface function);

/// The entry points of a module: every public function or program on tensors or buffers, kernels left out.
llvm::SmallVector<mlir::FunctionOpInterface> getPrograms(mlir::ModuleOp module);

} // namespace tiny

#endif // TINY_SUPPORT_SIGNATURE_H
