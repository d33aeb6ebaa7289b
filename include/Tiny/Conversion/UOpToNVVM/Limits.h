// What every device has that CUDA runs on: limits that the architecture states, and no record may exceed.
#ifndef TINY_CONVERSION_UOPTONVVM_LIMITS_H
#define TINY_CONVERSION_UOPTONVVM_LIMITS_H

#include <array>
#include <cstdint>

namespace tiny::cuda {

/// Workgroups of a grid, and lanes of a workgroup, in x, y and z.
constexpr std::array<int64_t, 3> kMostWorkgroups = {(int64_t(1) << 31) - 1, 65535, 65535};
constexpr std::array<int64_t, 3> kMostLanes = {1024, 1024, 64};
constexpr int64_t kMostLanesTogether = 1024;
/// Bytes of a workgroup's memory that is not asked for at the launch.
constexpr int64_t kMostTileBytes = 48 << 10;

} // namespace tiny::cuda

#endif // TINY_CONVERSION_UOPTONVVM_LIMITS_H
