// The sizes that a program knows only when it runs: their bounds, and the shapes that follow from them.
#ifndef TINY_LIB_RUNTIME_SIZES_H
#define TINY_LIB_RUNTIME_SIZES_H

#include "Program.h"

namespace tiny {
namespace runtime {

/// Whether each of the program's sizes is within its bounds; null is right only where there are none.
tiny_status checkSizes(const tiny_program &program, const int64_t *sizes);

/// Bytes of an argument, or of a result, that are live at these sizes, which are within their bounds. A program that
/// was not loaded knows no shapes: `otherwise`.
tiny_status findLiveBytes(const tiny_program &program, bool isResult, uint32_t index, const int64_t *sizes,
                          uint64_t otherwise, uint64_t &bytes);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_SIZES_H
