// What decides whether a product of a softmax is one kernel or two: registers, caches, and how many rows there are.
#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Algebra/Cost/SoftmaxProduct.h"

#include "gtest/gtest.h"

using namespace tiny::cost;

namespace {

/// The generic processor with vectors of 256 bits, 16 registers of them and half as much second-level cache.
Machine makeNarrow() {
  Machine machine = getGenericMachine();
  machine.vectorBits = 256;
  machine.vectorRegisters = 16;
  machine.caches[1].bytes = 512 << 10;
  return machine;
}

double compare(const SoftmaxProduct &product, const Machine &machine) {
  return double(predictTwoKernels(product, machine)) / double(predictOneKernel(product, machine));
}

TEST(SoftmaxProduct, RowsWithoutRegistersTakeTwoKernels) {
  // 64 sums of a row are eight of 16 registers, four of 32.
  for (int64_t rows : {64, 197, 512, 1500}) {
    SoftmaxProduct product{6, rows, rows, 64, 64};
    EXPECT_LT(compare(product, makeNarrow()), 1) << rows;
    if (rows > 200)
      EXPECT_GT(compare(product, getGenericMachine()), 1) << rows;
  }
  // Sums of 128 leave room for two rows of 32 registers, too.
  EXPECT_LT(compare({4, 512, 512, 128, 128}, getGenericMachine()), 1);
}

TEST(SoftmaxProduct, RowsShareRegistersWithFewBehindTheEnd) {
  EXPECT_EQ(chooseSharedRows(60, 6), 6);
  // Two tiles of 6 have two rows behind the end of 10, two of 5 none.
  EXPECT_EQ(chooseSharedRows(10, 6), 5);
  EXPECT_EQ(chooseSharedRows(3, 6), 3);
  EXPECT_EQ(chooseSharedRows(197, 1), 1);
}

TEST(SoftmaxProduct, FewRowsTakeOneKernel) {
  for (int64_t keys : {64, 448, 1500})
    for (int64_t rows : {1, 3}) {
      SoftmaxProduct product{6, rows, keys, 64, 64};
      if (rows == 1)
        EXPECT_GT(compare(product, makeNarrow()), 1) << rows << " rows, " << keys << " keys";
      EXPECT_GT(compare(product, getGenericMachine()), 1) << rows << " rows, " << keys << " keys";
    }
}

TEST(SoftmaxProduct, StoredRowsTakeMemory) {
  SoftmaxProduct fits{1, 512, 512, 64, 64}, large{64, 512, 512, 64, 64};
  Machine machine = getGenericMachine(), slow = machine;
  slow.coreBandwidth /= 4;
  // 1 MiB stays in a cache, 64 MiB do not.
  EXPECT_EQ(predictTwoKernels(fits, machine), predictTwoKernels(fits, slow));
  EXPECT_LT(predictTwoKernels(large, machine), predictTwoKernels(large, slow));
}

TEST(SoftmaxProduct, PredictsAnyExtents) {
  Machine unknown;
  for (int64_t extent : {1, 2, 7, 1 << 14}) {
    SoftmaxProduct product{extent, extent, extent, extent, extent};
    EXPECT_GT(predictOneKernel(product, getGenericMachine()), 0) << extent;
    EXPECT_GT(predictTwoKernels(product, getGenericMachine()), 0) << extent;
    // Of a machine without facts nothing takes time, but that threads begin a second kernel.
    EXPECT_EQ(predictOneKernel(product, unknown), 0) << extent;
    EXPECT_EQ(predictTwoKernels(product, unknown), getWake(unknown) * 1000) << extent;
  }
}

} // namespace
