// The reasons that the remarks of lazy-kernelize give.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_KERNELREASONS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_KERNELREASONS_H

#include "llvm/ADT/StringRef.h"

/// Why a value is stored, or computed where it is used. A cap of the cost model is named by its member.
namespace tiny::lazy::reason {
inline constexpr llvm::StringLiteral boundary = "its buffer is asked for";
inline constexpr llvm::StringLiteral gathered = "data says where it is read";
inline constexpr llvm::StringLiteral stopped = "whoever watches actions stops it";
inline constexpr llvm::StringLiteral policy = "the policy asks for it";
inline constexpr llvm::StringLiteral unselected = "no part of what is stored selects it";
inline constexpr llvm::StringLiteral elementwise = "it is computed once, where it is used";
inline constexpr llvm::StringLiteral indexArithmetic = "it is arithmetic on indices, as cheap as loading it";
inline constexpr llvm::StringLiteral recomputed = "recomputing it costs less than a buffer";
inline constexpr llvm::StringLiteral hidden = "recomputing it hides behind the memory that the kernel moves";
inline constexpr llvm::StringLiteral besideTile = "recomputing it is little beside the accumulators that share it";
inline constexpr llvm::StringLiteral rowKept = "each pass over its row wants it, and the row stays in fast memory";
inline constexpr llvm::StringLiteral packed =
    "recomputing it as a product's operand is packed costs less than a buffer";
inline constexpr llvm::StringLiteral copies = "it is wanted at more places than it may be computed at (maxEvaluations)";
inline constexpr llvm::StringLiteral expensive = "recomputing it costs more than a buffer";
inline constexpr llvm::StringLiteral epilogue = "it ends a reduction that can't run where it is used";
inline constexpr llvm::StringLiteral epilogueAgain =
    "it ends a reduction, which would run again for each of its uses there";
inline constexpr llvm::StringLiteral epilogueNested =
    "it ends a reduction, which would run inside the reduction that reads it";
/// Why what ends a reduction is stored.
inline llvm::StringRef whyEnd(bool repeats, bool isNested) {
  return repeats ? epilogueAgain : isNested ? epilogueNested : epilogue;
}
inline constexpr llvm::StringLiteral reduceAgain = "the reduction would run again for each of its uses";
inline constexpr llvm::StringLiteral reduceInside = "the reductions inside of it would run at several places";
inline constexpr llvm::StringLiteral reduceNested = "the reduction would run inside another reduction (launch)";
inline constexpr llvm::StringLiteral reduceOther = "the kernel reduces over another space already (launch)";
inline constexpr llvm::StringLiteral besidePart = "it is reduced in one loop with another part, which reads the same";
inline constexpr llvm::StringLiteral reduceProduct =
    "the kernel reduces in other loops than those of a product (launch)";
inline constexpr llvm::StringLiteral reduceProducts =
    "the kernel has as many large products as may share the registers (maxProducts)";
inline constexpr llvm::StringLiteral reduceWindows =
    "as a whole it runs faster than in windows, of which only a small product's are tiled together (largestWindowed)";
inline constexpr llvm::StringLiteral reduceMany = "the kernel has as many reductions as it may have (maxLoops)";
inline constexpr llvm::StringLiteral reduceFused = "the reduction runs once where it is used";
inline constexpr llvm::StringLiteral reduceRows = "too few rows would be left to run side by side (maxThreads)";
inline constexpr llvm::StringLiteral buffers = "the kernel would read more buffers than it may (max-buffers)";
inline constexpr llvm::StringLiteral operations = "the kernel would have more operations than it may (max-ops)";
inline constexpr llvm::StringLiteral recomputation = "too much would be computed again (maxEvaluations)";

// Why kernels that store results of one shape become one kernel, or not.
inline constexpr llvm::StringLiteral inPlace = "it goes on where a kernel stores what it reads";
inline constexpr llvm::StringLiteral keptRows =
    "it passes over rows of a product, of which a block stays in fast memory";
inline constexpr llvm::StringLiteral keptBlock = "a block of its rows stays in fast memory for the passes over them";
inline constexpr llvm::StringLiteral blockLarge =
    "a block of the product's rows is too large for fast memory (largestBlock)";
inline constexpr llvm::StringLiteral blockShort =
    "the product's rows are too few for a tile of registers (minBlockRows)";
inline constexpr llvm::StringLiteral blockNarrow =
    "the product's rows are too short: a kernel of their own runs them side by side (minBlockLanes)";
inline constexpr llvm::StringLiteral blockPacked =
    "packing the product's other factor for each block of rows costs more than a buffer (packedElement)";
inline constexpr llvm::StringLiteral beside = "a kernel with the same loops reads the same buffer";
inline constexpr llvm::StringLiteral disjoint = "it writes other elements of the state that a kernel assigns to";
inline constexpr llvm::StringLiteral mergedStages = "microbatches of a pipeline go from stage to stage one by one";
inline constexpr llvm::StringLiteral mergedResults = "their kernel would have too many results (maxResults)";
inline constexpr llvm::StringLiteral mergedBuffers = "their kernel would have too many buffers (max-buffers)";
inline constexpr llvm::StringLiteral mergedOperations = "their kernel would have too many operations (max-ops)";
inline constexpr llvm::StringLiteral mergedReductions = "their kernel would have too many reductions (maxLoops)";
inline constexpr llvm::StringLiteral mergedLoops =
    "the kernel that it goes on from stores more than it reads, in other loops";
inline constexpr llvm::StringLiteral mergedProduct = "a product has its loops for itself (launch)";
inline constexpr llvm::StringLiteral mergedScans = "scans along different axes have no common loops";
inline constexpr llvm::StringLiteral mergedSize = "a size is known before anything that has it is computed";
inline constexpr llvm::StringLiteral placed = "kernels of their own compute its parts where they belong";
inline constexpr llvm::StringLiteral moved = "one of its parts repeats, or takes elements of, what a kernel stores";
inline constexpr llvm::StringLiteral copied = "to copy its parts costs less than more launches";
} // namespace tiny::lazy::reason

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_KERNELREASONS_H
