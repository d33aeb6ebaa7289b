// Steps of a run that a device does together.
#ifndef TINY_LIB_RUNTIME_TOGETHER_H
#define TINY_LIB_RUNTIME_TOGETHER_H

#include "Program.h"

namespace tiny {
namespace runtime {

/// The end of the steps from `begin` on, up to `end`, that the device may do together: with the loops among them, or up
/// to the first of those.
uint32_t findTogether(const tiny_program &program, uint32_t begin, uint32_t end, bool withLoops);

/// Does them, on regions by slot, with what the device kept of them when they ran before. TINY_UNSUPPORTED: none of
/// them is done.
tiny_status runTogether(tiny_program &program, const std::vector<Region> &regions, uint32_t begin, uint32_t end);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_TOGETHER_H
