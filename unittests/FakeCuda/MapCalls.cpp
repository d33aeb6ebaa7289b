// Maps of arrays that a device copies boxes of, by the rules of cuTensorMapEncodeTiled in cuda.h.
#include "Calls.h"
#include "TensorMap.h"

#include <cstring>

using namespace fake;

namespace {

/// Bytes of an element, by CUtensorMapDataType.
constexpr uint16_t kWidths[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr uint16_t kSwizzles[] = {0, 32, 64, 128};

/// A pure function of the host's: it needs no context.
int encodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents, const uint64_t *strides,
                const unsigned *box, const unsigned *steps, int interleave, int swizzle, int promotion, int zeros) {
  return call("cuTensorMapEncodeTiled", false, [&](Driver &driver) {
    auto check = [](bool holds, const std::string &what) {
      if (!holds)
        fail(kInvalidValue, "a tensor map " + what);
    };
    if (driver.devices.front().major < 9)
      fail(kNotSupported, "the device copies no boxes");
    check(map && reinterpret_cast<uintptr_t>(map) % kMapAlignment == 0, "that begins at no multiple of 64");
    check(type >= 0 && type < int(std::size(kWidths)), "of an unknown type");
    check(rank >= 1 && rank <= 5, "of " + std::to_string(rank) + " dimensions");
    check(reinterpret_cast<uintptr_t>(address) % 16 == 0, "of an array that begins at no multiple of 16");
    check(interleave == 0, "with an interleaving that is not known here");
    check(swizzle >= 0 && swizzle < int(std::size(kSwizzles)), "with an unknown swizzle");
    check(promotion >= 0 && promotion <= 3 && zeros == 0, "with an unknown promotion, or something else than zeros");
    TensorMap made = {};
    made.magic = TensorMap::kMagic;
    made.address = reinterpret_cast<uintptr_t>(address);
    made.width = kWidths[type];
    made.rank = uint16_t(rank);
    made.swizzle = kSwizzles[swizzle];
    for (unsigned k = 0; k < rank; ++k) {
      std::string of = " of dimension " + std::to_string(k);
      check(extents[k] >= 1 && extents[k] <= uint64_t(1) << 32, "with an extent" + of + " that is 0 or too large");
      check(box[k] >= 1 && box[k] <= 256, "with a box" + of + " of " + std::to_string(box[k]) + " elements");
      check(steps[k] == 1, "with steps that are not known here");
      if (k)
        check(strides[k - 1] % 16 == 0 && strides[k - 1] < uint64_t(1) << 40,
              "with a stride" + of + " of " + std::to_string(strides[k - 1]) + " bytes, no multiple of 16");
      made.extents[k] = extents[k];
      made.box[k] = uint16_t(box[k]);
      if (k)
        made.strides[k - 1] = strides[k - 1];
    }
    uint32_t row = box[0] * made.width;
    check(row % 16 == 0, "with a box whose rows have " + std::to_string(row) + " bytes, no multiple of 16");
    check(!made.swizzle || row <= made.swizzle,
          "with a box whose rows have " + std::to_string(row) + " bytes, more than the swizzle");
    std::memset(map, 0, kMapBytes);
    std::memcpy(map, &made, sizeof(made));
  });
}

} // namespace

std::vector<Entry> fake::getMapCalls() { return {makeEntry("cuTensorMapEncodeTiled", 12000, encodeTiled)}; }
