// What a kernel is told of an array that the device copies boxes of: a CUtensorMap. The real one's bits are nobody's
// business; these are our own.
#ifndef TINY_UNITTESTS_FAKECUDA_TENSORMAP_H
#define TINY_UNITTESTS_FAKECUDA_TENSORMAP_H

#include <cstdint>

namespace fake {

struct TensorMap {
  static constexpr uint64_t kMagic = 0x70614D65736E6554;
  uint64_t magic;
  uint64_t address;
  /// Bytes of an element, dimensions, and bytes of the swizzle: 0, 32, 64 or 128.
  uint16_t width, rank, swizzle, reserved;
  /// The innermost dimension first; strides in bytes are those of the others.
  uint64_t extents[5], strides[4];
  uint16_t box[5];

  /// Bytes from the address on that the array lies in.
  uint64_t getBytes() const {
    uint64_t bytes = extents[0] * width;
    for (unsigned k = 1; k < rank; ++k)
      bytes += (extents[k] - 1) * strides[k - 1];
    return bytes;
  }
  uint32_t getBoxBytes() const {
    uint32_t bytes = width;
    for (unsigned k = 0; k < rank; ++k)
      bytes *= box[k];
    return bytes;
  }
};

/// Of the driver's structure: its bytes, and what it begins at a multiple of.
constexpr uint32_t kMapBytes = 128, kMapAlignment = 64;
static_assert(sizeof(TensorMap) <= kMapBytes, "the driver's structure has room for it");

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_TENSORMAP_H
