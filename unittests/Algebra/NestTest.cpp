// Each term of the prediction of a nest by itself, on nests whose time a person can compute.
#include "Tiny/Algebra/Cost/Nest.h"

#include "gtest/gtest.h"

using namespace tiny::cost;

namespace {

/// 16 lanes, one cycle a nanosecond, 1 KiB and 16 KiB of cache.
Machine makeMachine() {
  Machine machine;
  machine.vectorBits = 512;
  machine.vectorRegisters = 32;
  machine.clock = 1000;
  machine.cacheLine = 64;
  machine.getCost(OpClass::MultiplyAdd) = {50, 400};
  machine.getCost(OpClass::Function) = {2000, 4000};
  machine.caches[0] = {1024, 128000};
  machine.caches[1] = {16384, 64000};
  machine.coreBandwidth = 8000;
  machine.launch = 100;
  return machine;
}

/// rows x columns x reduced of a[i, k] * b[k, j], lanes along the columns, `side` rows as copies.
Nest makeProduct(int64_t rows, int64_t columns, int64_t reduced, int64_t side) {
  Nest nest;
  nest.axes = {{rows / side, AxisRole::Loop, false},
               {columns / 16, AxisRole::Loop, false},
               {reduced, AxisRole::Loop, true},
               {side, AxisRole::Copies, false},
               {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {side * reduced, 0, 1, reduced, 0}}, {4, false, {0, 16, columns, 0, 1}}};
  nest.work = {{OpClass::MultiplyAdd, 0b11111, true}};
  return nest;
}

TEST(Nest, CountsVectorsAndHoists) {
  Machine machine = makeMachine();
  Nest nest = makeProduct(8, 32, 10, 4);
  EXPECT_EQ(countVectors(nest, 0b11111, machine), 2 * 2 * 10 * 4);
  // What varies over the reduced axis alone runs once for each of its points.
  EXPECT_EQ(countVectors(nest, 0b00100, machine), 10);
  // Seventeen lanes are two vectors.
  nest.axes[4].trips = 17;
  EXPECT_EQ(countVectors(nest, 0b10000, machine), 2);
}

TEST(Nest, ComputesAtTheRateOfTheClass) {
  Machine machine = makeMachine();
  Nest nest = makeProduct(8, 32, 10, 4);
  // 160 multiply-adds, two a cycle of a nanosecond.
  EXPECT_EQ(predictCompute(nest, machine), 80 * 1000);
  // What varies over the reduced axis alone runs again in each round of the four outside, and once for all copies.
  nest.work.push_back({OpClass::Function, 0b00100, false});
  EXPECT_EQ(predictCompute(nest, machine), (80 + 4 * 10 * 20) * 1000);
  // What varies over the rows alone is hoisted out of the loops inside.
  nest.work.back().axes = 0b00001;
  EXPECT_EQ(predictCompute(nest, machine), (80 + 2 * 20) * 1000);
}

TEST(Nest, ChainsWaitUnlessThereAreAccumulators) {
  Machine machine = makeMachine();
  // 160 vectors in one chain after the other, each waits four cycles; with four accumulators a quarter.
  EXPECT_EQ(predictLatency(makeProduct(8, 32, 10, 1), machine), 160 * 4 * 1000);
  EXPECT_EQ(predictLatency(makeProduct(8, 32, 10, 4), machine), 40 * 4 * 1000);
}

TEST(Nest, FootprintIsWholeLines) {
  Machine machine = makeMachine();
  Nest nest;
  nest.axes = {{10, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  // Ten rows of 64 bytes that are apart; that lie side by side; of which each reads the same.
  EXPECT_EQ(countFootprint(nest, {4, false, {100, 1}}, 0, machine), 640);
  EXPECT_EQ(countFootprint(nest, {4, false, {16, 1}}, 0, machine), 640);
  EXPECT_EQ(countFootprint(nest, {4, false, {0, 1}}, 0, machine), 64);
  // A place of its own for each point is a line each.
  EXPECT_EQ(countFootprint(nest, {4, false, {std::nullopt, 0}}, 0, machine), 640);
  // A window of 16 and 10 points slides over 25.
  EXPECT_EQ(countFootprint(nest, {4, false, {1, 1}}, 0, machine), 128);
}

TEST(Nest, TrafficComesAgainWhereNothingFits) {
  Machine machine = makeMachine();
  Nest nest;
  // 100 times over 256 floats: a kilobyte.
  nest.axes = {{100, AxisRole::Loop, false}, {16, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {0, 16, 1}}};
  EXPECT_EQ(countTraffic(nest, 1024, machine), 0);
  EXPECT_EQ(countTraffic(nest, 1023, machine), 100 * 1024);
  // The loop around the row finds what does not vary along it only if the row fits; loops further out do not.
  nest.axes.insert(nest.axes.begin(), NestAxis{3, AxisRole::Loop, false});
  nest.accesses[0].strides.insert(nest.accesses[0].strides.begin(), 256);
  EXPECT_EQ(countTraffic(nest, 1024, machine), 3 * 1024);
  EXPECT_EQ(countTraffic(nest, 512, machine), 300 * 1024);
  // A store moves its lines in and out.
  nest.accesses[0].isStore = true;
  EXPECT_EQ(countTraffic(nest, 1024, machine), 2 * 3 * 1024);
}

TEST(Nest, TransfersAtTheRateOfTheLevel) {
  Machine machine = makeMachine();
  Nest nest;
  nest.axes = {{1024, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {16, 1}}};
  // 64 kilobytes, which no cache holds: at 128, 64 and 8 bytes a nanosecond.
  EXPECT_EQ(predictTransfer(nest, 0, machine), 512 * 1000);
  EXPECT_EQ(predictTransfer(nest, 1, machine), 1024 * 1000);
  EXPECT_EQ(predictTransfer(nest, 2, machine), 8192 * 1000);
  NestTimes times = predictNest(nest, machine);
  EXPECT_EQ(times.transfers.size(), 3u);
  EXPECT_EQ(times.getTotal(), 8192 * 1000);
}

TEST(Nest, KernelAddsLaunchAndPasses) {
  Machine machine = makeMachine();
  Nest nest = makeProduct(8, 32, 10, 4);
  int64_t pass = predictNest(nest, machine).getTotal();
  EXPECT_GT(pass, 0);
  EXPECT_EQ(predictKernel({nest, nest}, machine), 100 * 1000 + 2 * pass);
  EXPECT_EQ(predictKernel({}, machine), 100 * 1000);
}

TEST(Nest, ThreadsShareParts) {
  Machine machine = makeMachine();
  Nest nest = makeProduct(8, 32, 10, 4);
  NestTimes alone = predictNest(nest, machine);
  // What has no parts runs on one thread.
  EXPECT_EQ(predictNestOn(nest, machine, 2).compute, alone.compute);
  // Of three parts one thread takes two.
  nest.parts = 3;
  EXPECT_NEAR(double(predictNestOn(nest, machine, 2).compute), double(alone.compute) * 2 / 3, 1);
  nest.parts = 4;
  EXPECT_NEAR(double(predictNestOn(nest, machine, 2).compute), double(alone.compute) / 2, 1);
  // The machine's memory is no faster than that of a core: more threads do not help.
  machine.memoryBandwidth = machine.coreBandwidth;
  EXPECT_EQ(predictNestOn(nest, machine, 2).transfers.back(), alone.transfers.back());
  KernelTimes times = predictKernelOn({nest, nest}, machine, 2);
  EXPECT_EQ(times.total, times.launch + 2 * predictNestOn(nest, machine, 2).getTotal());
  int64_t sum = times.launch;
  for (int64_t part : times.longest)
    sum += part;
  EXPECT_EQ(sum, times.total);
  EXPECT_EQ(predictKernelOn({nest, nest}, machine, 1).total, predictKernel({nest, nest}, machine));
}

TEST(Nest, FootprintIsAtMostTheBuffer) {
  Machine machine = makeMachine();
  Nest nest;
  nest.axes = {{1000, AxisRole::Loop, false}};
  EXPECT_EQ(countFootprint(nest, {4, false, {std::nullopt}, 400}, 0, machine), 448);
}

TEST(Nest, LanesThatLieApartTakeMore) {
  Machine machine = makeMachine();
  machine.getCost(OpClass::Add) = {50, 400};
  machine.getCost(OpClass::Gather) = {1000, 2500};
  Nest nest;
  nest.axes = {{10, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  auto count = [&](const NestAccess &access) { return countAccesses(nest, access, machine); };
  EXPECT_EQ(count({4, false, {16, 1}}), 10);
  // What lanes share is a scalar.
  EXPECT_EQ(count({4, false, {1, 0}}), 10);
  // Every third element: three vectors. Further apart, or as data gives: one by one.
  EXPECT_EQ(count({4, false, {48, 3}}), 30);
  EXPECT_EQ(count({4, false, {80, 5}}), 160);
  EXPECT_EQ(count({4, false, {16, std::nullopt}}), 160);
  // A vector as long as a line that begins anywhere lies in two.
  EXPECT_EQ(count({4, false, {17, 1}}), 20);
  // Stores of lanes apart are no vectors at all.
  EXPECT_EQ(count({4, true, {48, 3}}), 160);
  // Two additions bring each third element together; a gather takes ten cycles.
  nest.accesses = {{4, false, {48, 3}}};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 1000);
  nest.accesses = {{4, false, {80, 5}}};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 10 * 1000);
}

/// Predicted times have no cliffs: a longer axis never takes less, and padding to whole vectors costs no more than its
/// points, on many shapes.
TEST(Nest, GrowsWithTheShape) {
  Machine machine = makeMachine();
  for (int64_t rows = 4; rows <= 64; rows += 4)
    for (int64_t columns = 16; columns <= 160; columns += 16)
      for (int64_t reduced : {1, 7, 16, 17, 197}) {
        int64_t own = predictKernel({makeProduct(rows, columns, reduced, 4)}, machine);
        EXPECT_LE(own, predictKernel({makeProduct(rows + 4, columns, reduced, 4)}, machine));
        EXPECT_LE(own, predictKernel({makeProduct(rows, columns + 16, reduced, 4)}, machine));
        EXPECT_LE(own, predictKernel({makeProduct(rows, columns, reduced + 1, 4)}, machine));
      }
}

} // namespace
