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
  machine.linesAhead = 16;
  machine.getCost(OpClass::MultiplyAdd) = {50, 400};
  machine.getCost(OpClass::Function) = {2000, 0};
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
  // What varies over the reduced axis alone runs again in each round of the four outside, and once for all copies. A
  // function loads its constants each time.
  nest.work.push_back({OpClass::Function, 0b00100, false});
  EXPECT_EQ(predictCompute(nest, machine), (80 + 4 * 10 * 2 * 20) * 1000);
  // What varies over the rows alone is hoisted out of the loops inside.
  nest.work.back().axes = 0b00001;
  EXPECT_EQ(predictCompute(nest, machine), (80 + 2 * 2 * 20) * 1000);
  // Copies of a function share its constants.
  nest.work.back().axes = 0b01000;
  EXPECT_EQ(predictCompute(nest, machine), (80 + (4 + 1) * 20) * 1000);
}

TEST(Nest, FunctionsWaitForThemselves) {
  Machine machine = makeMachine();
  machine.getCost(OpClass::Add) = {100, 300};
  Nest nest;
  nest.axes = {{1024, AxisRole::Loop, false}};
  nest.work = {{OpClass::Function, 0b1, false}};
  splitAxis(nest, 0, 16, AxisRole::Lanes);
  int64_t alone = predictCompute(nest, machine);
  // A core looks ahead by 256 operations, as many as are in 12.8 functions: of a chain of 256 cycles it waits for 20.
  machine.getCost(OpClass::Function).latency = 25600;
  EXPECT_EQ(predictCompute(nest, machine) - alone, 64 * 20 * 1000);
  // Those of one point follow each other: each of two waits as long, and half as many are under way.
  nest.work.push_back(nest.work.front());
  EXPECT_EQ(predictCompute(nest, machine) - 2 * alone, 4 * 64 * 20 * 1000);
  // Four vectors side by side wait together.
  Nest wide = nest;
  wide.axes = {{1024, AxisRole::Loop, false}};
  for (NestWork &work : wide.work)
    work.axes = 0b1;
  splitAxis(wide, 0, 64, AxisRole::Lanes);
  Machine quick = machine;
  quick.getCost(OpClass::Function).latency = 0;
  EXPECT_EQ(predictCompute(wide, machine) - predictCompute(wide, quick), 64 * 20 * 1000);
}

TEST(Nest, ChainsWaitUnlessThereAreAccumulators) {
  Machine machine = makeMachine();
  // 160 vectors in one chain after the other, each waits four cycles; with four accumulators a quarter.
  EXPECT_EQ(predictLatency(makeProduct(8, 32, 10, 1), machine), 160 * 4 * 1000);
  EXPECT_EQ(predictLatency(makeProduct(8, 32, 10, 4), machine), 40 * 4 * 1000);
}

TEST(Nest, RowsPagesApartShareTheirPlaces) {
  Machine machine = makeMachine();
  Nest nest;
  nest.axes = {{10, AxisRole::Loop, false}, {512, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  // 32 KiB that come again stay in a cache of 64 KiB, unless all of them have one place in a page.
  nest.accesses = {{4, false, {0, 1040, 1}}};
  EXPECT_EQ(countTraffic(nest, 65536, machine), 0);
  nest.accesses = {{4, false, {0, 1024, 1}}};
  EXPECT_EQ(countTraffic(nest, 65536, machine), 10 * 32768);
  EXPECT_EQ(countTraffic(nest, 512 * 4096, machine), 0);
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
  // 64 kilobytes, which no cache holds: at 128, 64 and 8 bytes a nanosecond. Memory sends 16 lines more for the run.
  EXPECT_EQ(predictTransfer(nest, 0, machine), 512 * 1000);
  EXPECT_EQ(predictTransfer(nest, 1, machine), 1024 * 1000);
  EXPECT_EQ(predictTransfer(nest, 2, machine), (8192 + 128) * 1000);
  NestTimes times = predictNest(nest, machine);
  EXPECT_EQ(times.transfers.size(), 3u);
  // A quarter of what runs beside the longest shows.
  EXPECT_EQ(times.getTotal(), (8320 + (512 + 1024) / 4) * 1000);
}

TEST(Nest, ShortRunsAreFetchedLateAndTooFar) {
  Machine machine = makeMachine();
  Nest nest;
  // A column of 1024 rows, 4 KiB apart: runs of one line take three times as long from memory, runs of four twice.
  nest.axes = {{1024, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {1024, 1}}};
  EXPECT_EQ(countRun(nest, nest.accesses[0]), 64);
  EXPECT_EQ(predictTransfer(nest, 2, machine), 3 * 8192 * 1000);
  nest.axes[1].trips = 64;
  EXPECT_EQ(countRun(nest, nest.accesses[0]), 256);
  EXPECT_EQ(predictTransfer(nest, 2, machine), 4 * 8192 * 1000 * 2);
  // No more than are fetched ahead, of which half where rows do not lie in the same places of pages.
  machine.linesAhead = 3;
  EXPECT_EQ(predictTransfer(nest, 2, machine), 4 * 8192 * 1000 * 7 / 4);
  machine.linesAhead = 6;
  nest.accesses[0].strides[0] = 1025;
  EXPECT_EQ(predictTransfer(nest, 2, machine), 4 * 8192 * 1000 * 7 / 4);
  // The other way round all is one run.
  nest.accesses = {{4, false, {64, 1}}};
  EXPECT_EQ(countRun(nest, nest.accesses[0]), 1024 * 256);
}

TEST(Nest, SplitsAsScheduleStepsDo) {
  Nest nest = makeProduct(8, 32, 10, 1);
  nest.axes[1].trips = 32;
  nest.axes[4].trips = 1;
  nest.accesses[1].strides[1] = 1;
  // Lanes come last, a loop comes right inside.
  splitAxis(nest, 1, 16, AxisRole::Lanes);
  EXPECT_EQ(nest.axes.size(), 6u);
  EXPECT_EQ(nest.axes[1].trips, 2);
  EXPECT_EQ(nest.accesses[1].strides[1], std::optional<int64_t>(16));
  EXPECT_EQ(nest.accesses[1].strides[5], std::optional<int64_t>(1));
  EXPECT_EQ(nest.accesses[0].strides[5], std::optional<int64_t>(0));
  EXPECT_EQ(nest.work[0].axes, 0b111111u);
  EXPECT_FALSE(nest.axes[1].isPadded);
  splitAxis(nest, 2, 4, AxisRole::Loop);
  EXPECT_EQ(nest.axes[2].trips, 3);
  EXPECT_EQ(nest.axes[3].trips, 4);
  EXPECT_TRUE(nest.axes[3].isPadded);
  EXPECT_EQ(nest.accesses[0].strides[2], std::optional<int64_t>(4));
  EXPECT_EQ(nest.accesses[0].strides[3], std::optional<int64_t>(1));
  EXPECT_EQ(nest.work[0].axes, 0b1111111u);
}

TEST(Nest, CopiesShareWhatTheyRead) {
  Machine machine = makeMachine();
  Nest nest;
  // Three rows of results read windows of three rows: five rows are loaded, not nine.
  nest.axes = {{3, AxisRole::Copies, false}, {3, AxisRole::Copies, true}, {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {16, 16, 1}}};
  EXPECT_EQ(countAccesses(nest, nest.accesses[0], machine), 5);
  // With every other row seven.
  nest.accesses = {{4, false, {32, 16, 1}}};
  EXPECT_EQ(countAccesses(nest, nest.accesses[0], machine), 7);
  // Rows behind the end have gates of their own.
  nest.axes[0].isPadded = true;
  EXPECT_EQ(countAccesses(nest, nest.accesses[0], machine), 9);
  nest.accesses[0].gate = 0b001;
  EXPECT_EQ(countAccesses(nest, nest.accesses[0], machine), 7);
}

TEST(Nest, LanesOfAReductionAreAddedAtItsEnd) {
  Machine machine = makeMachine();
  machine.getCost(OpClass::Add) = {50, 400};
  Nest nest;
  // Ten rows, each a vector that is added up: ten additions, and four halvings of a shuffle, as long as two, and an
  // addition.
  nest.axes = {{10, AxisRole::Loop, false}, {16, AxisRole::Lanes, true}};
  nest.work = {{OpClass::Add, 0b11, true}};
  EXPECT_EQ(predictCompute(nest, machine), 10 * (1 + 12) * 500);
  // Two vectors of a row are added first.
  nest.axes[1].trips = 32;
  EXPECT_EQ(predictCompute(nest, machine), 10 * (2 + 1 + 12) * 500);
  // Lanes along the rows need no end.
  nest.axes = {{16, AxisRole::Lanes, false}, {10, AxisRole::Loop, true}};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 500);
}

TEST(Nest, WhatFindsNoRegisterIsStoredAndLoaded) {
  Machine machine = makeMachine();
  // Of the elements of 26 rows six are loaded ahead.
  Nest nest = makeProduct(26, 16, 10, 26);
  EXPECT_EQ(countRegisters(nest, machine), 26 + 1 + 6);
  machine.vectorRegisters = 33;
  int64_t fits = predictTransfer(nest, 0, machine), computed = predictCompute(nest, machine);
  machine.vectorRegisters = 32;
  EXPECT_EQ(predictTransfer(nest, 0, machine) - fits, 10 * 2 * 64 * 1000 / 128);
  // Its chain waits for it, as for two more operations.
  EXPECT_EQ(predictCompute(nest, machine) - computed, 10 * 2 * machine.getCost(OpClass::Add).interval * 10);
}

TEST(Nest, LoopsJumpAndWait) {
  Machine machine = makeMachine();
  machine.getCost(OpClass::Add) = {50, 400};
  Nest nest;
  // Ten runs of a loop of three rounds: a cycle for each round of both, and four when a loop ends.
  nest.axes = {{10, AxisRole::Loop, false}, {3, AxisRole::Loop, true}};
  EXPECT_EQ(predictControl(nest, machine), (4 + 10 + 10 * 4 + 30) * 1000);
  nest.axes[1].role = AxisRole::Copies;
  EXPECT_EQ(predictControl(nest, machine), (4 + 10) * 1000);
}

TEST(Nest, KernelAddsLaunchAndPasses) {
  Machine machine = makeMachine();
  Nest nest = makeProduct(8, 32, 10, 4);
  int64_t pass = predictNest(nest, machine).getTotal();
  EXPECT_GT(pass, 0);
  EXPECT_EQ(predictKernel({nest, nest}, machine), 100 * 1000 + 2 * pass);
  EXPECT_EQ(predictKernel({}, machine), 100 * 1000);
}

TEST(Nest, ShortPassesOfOneLoopHideBehindEachOther) {
  Machine machine = makeMachine();
  // Eight rows: a sum of 100 vectors, and then a store of one; it has its own share of what memory gives.
  Nest sum, store;
  sum.axes = {{8, AxisRole::Loop, false, 0}, {100, AxisRole::Loop, true, 1}, {16, AxisRole::Lanes, true, 2}};
  sum.work = {{OpClass::MultiplyAdd, 0b111, true}};
  store.axes = {{8, AxisRole::Loop, false, 0}};
  store.accesses = {{4, true, {4096}}};
  auto predictApart = [&](llvm::ArrayRef<Nest> passes) {
    int64_t total = 0;
    for (const NestTimes &times : predictEach(passes, machine))
      total += times.getTotal();
    return total;
  };
  EXPECT_LT(predictPasses({sum, store}, machine), predictApart({sum, store}));
  // A pass of another loop is by itself, and so is one of more operations in a round than a core looks ahead.
  Nest other = store;
  other.axes.front().id = 7;
  EXPECT_EQ(predictPasses({sum, other}, machine), predictApart({sum, other}));
  Nest many = store;
  many.axes.push_back({kWindow + 1, AxisRole::Copies, false, 3});
  many.accesses = {{4, true, {4096, 1}}};
  EXPECT_EQ(predictPasses({sum, many}, machine), predictApart({sum, many}));
}

TEST(Nest, PointsShareTheLatencyOfTheirChains) {
  Machine machine = makeMachine();
  // A core sees four of eight sums of 64 vectors, of one operation each.
  Nest sum;
  sum.axes = {{8, AxisRole::Loop, false, 0}, {kWindow / 4, AxisRole::Loop, true, 1}, {16, AxisRole::Lanes, true, 2}};
  sum.work = {{OpClass::MultiplyAdd, 0b111, true}};
  EXPECT_EQ(predictEach(sum, machine).front().latency, predictLatency(sum, machine) / 4);
  // As many operations of another pass in the same rounds leave room for two.
  Nest other = sum;
  other.axes[1].id = 3;
  EXPECT_EQ(predictEach({sum, other}, machine).front().latency, predictLatency(sum, machine) / 2);
}

TEST(Nest, PassesFindWhatAnotherOneTouchesInARound) {
  Machine machine = makeMachine();
  // Rows of 4 kilobytes, of a megabyte in all: two passes over each.
  Nest first;
  first.axes = {{256, AxisRole::Loop, false, 0}, {64, AxisRole::Loop, false, 1}, {16, AxisRole::Lanes, false, 2}};
  first.accesses = {{4, false, {1024, 16, 1}}};
  first.accesses.front().buffer = 0;
  Nest second = first;
  second.axes[1].id = 3;
  llvm::SmallVector<NestTimes> times = predictEach({first, second}, machine);
  EXPECT_GT(times[0].transfers[2], 0);
  EXPECT_EQ(times[1].transfers[2], 0);
  // In loops of its own it comes again.
  second.axes[0].id = 4;
  EXPECT_EQ(predictEach({first, second}, machine)[1].transfers, times[0].transfers);
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
  // Two shuffles, each as long as two additions, bring each third element together; a gather takes ten cycles.
  nest.accesses = {{4, false, {48, 3}}};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 2 * 1000);
  nest.accesses = {{4, false, {80, 5}}};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 10 * 1000);
}

TEST(Nest, CopiesInterleaveWithLanes) {
  Machine machine = makeMachine();
  machine.getCost(OpClass::Add) = {50, 300};
  machine.getCost(OpClass::Gather) = {1600, 3000};
  Nest nest;
  // Ten rows of 16 lanes, between which are those of three other copies: four vectors, of two shuffles each.
  nest.axes = {{10, AxisRole::Loop, false}, {4, AxisRole::Copies, false}, {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, true, {64, 1, 4}}};
  EXPECT_TRUE(interleavesLanes(nest, nest.accesses[0], 2));
  EXPECT_EQ(countAccesses(nest, nest.accesses[0], machine), 10 * 4);
  EXPECT_EQ(predictCompute(nest, machine), 10 * 4 * 2 * 1000);
  // Three are put in their places one after the other.
  nest.axes[1].trips = 3;
  nest.accesses[0].strides = {48, 1, 3};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 3 * 2 * 1000);
  // Short vectors have their halves put in order.
  machine.vectorBits = 256;
  nest.axes[2].trips = 8;
  EXPECT_EQ(predictCompute(nest, machine), 10 * 3 * 2 * 2 * 1000);
  // Two copies leave a hole: each lane is stored by itself.
  machine.vectorBits = 512;
  nest.axes[1].trips = 2;
  nest.axes[2].trips = 16;
  EXPECT_FALSE(interleavesLanes(nest, nest.accesses[0], 2));
  EXPECT_EQ(countAccesses(nest, nest.accesses[0], machine), 10 * 2 * 16);
  // So do loads.
  nest.axes[1].trips = 3;
  nest.accesses[0].isStore = false;
  EXPECT_FALSE(interleavesLanes(nest, nest.accesses[0], 2));
}

TEST(Nest, ShortVectorsNeedTheirHalvesPutInOrder) {
  Machine machine = makeMachine();
  machine.getCost(OpClass::Add) = {50, 400};
  Nest nest;
  nest.axes = {{10, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {32, 2}}};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 1000);
  // Twice as many vectors of half the length, and two shuffles for each.
  machine.vectorBits = 256;
  EXPECT_EQ(predictCompute(nest, machine), 2 * 10 * 2 * 1000);
}

TEST(Nest, MasksMoveWithTheLoopOfTheirLanes) {
  Machine machine = makeMachine();
  machine.getCost(OpClass::Add) = {50, 400};
  Nest nest;
  // Of ten vectors of one axis the first and the last have a mask each, of three operations beside its own; the others
  // have none. Where lanes are compared by themselves, each has one.
  nest.axes = {{10, AxisRole::Loop, false, 7}, {16, AxisRole::Lanes, false, 7}};
  nest.accesses = {{4, false, {16, 1}}};
  nest.accesses[0].gate = 0b11;
  nest.accesses[0].comparisons = {0b11};
  EXPECT_EQ(predictCompute(nest, machine), 2 * 4 * 500);
  nest.accesses[0].comparisons = {0b01, 0b10};
  EXPECT_EQ(predictCompute(nest, machine), 10 * 500);
  // Five rows share the masks.
  nest.axes.push_back({5, AxisRole::Copies, false, 8});
  nest.accesses[0].strides.push_back(160);
  nest.accesses[0].comparisons = {0b11};
  EXPECT_EQ(predictCompute(nest, machine), (5 * 2 + 3 * 2) * 500);
  // A condition of two loops is no loop's first or last round. It is put together with the lanes' own.
  nest.axes = {{10, AxisRole::Loop, false, 7}, {3, AxisRole::Loop, true, 8}, {16, AxisRole::Lanes, false, 9}};
  nest.accesses = {{4, false, {16, 16, 1}}};
  nest.accesses[0].gate = 0b111;
  nest.accesses[0].comparisons = {0b011, 0b100};
  EXPECT_EQ(predictCompute(nest, machine), 30 * 4 * 500);
}

TEST(Nest, WhatCopiesShareWaitsInRegisters) {
  Machine machine = makeMachine();
  auto count = [&](const Nest &nest) { return countShared(nest, nest.accesses[0], machine); };
  Nest nest;
  // Three results of windows of three share five vectors. As they lie in memory they are loaded where they are used;
  // what is put together is kept.
  nest.axes = {{3, AxisRole::Copies, false}, {3, AxisRole::Copies, true}, {16, AxisRole::Lanes, false}};
  nest.work = {{OpClass::MultiplyAdd, 0b111, true}};
  nest.accesses = {{4, false, {16, 16, 1}}};
  EXPECT_EQ(count(nest), 0);
  nest.accesses = {{4, false, {32, 32, 2}}};
  EXPECT_EQ(count(nest), 4);
  // What is masked is loaded where it is used, too.
  nest.accesses[0].strides = {16, 16, 1};
  nest.accesses[0].gate = 0b100;
  EXPECT_EQ(count(nest), 0);
  nest.accesses = {{4, false, {32, 32, 2}}};
  // With registers for two of these four, two are stored, and each of nine copies loads what it reads.
  int64_t fits = predictTransfer(nest, 0, machine);
  machine.vectorRegisters = countRegisters(nest, machine) + 2;
  EXPECT_EQ(predictTransfer(nest, 0, machine) - fits, (2 + 9) * 64 * 1000 / 128);
  // Without anything shared it goes where it is used.
  nest.accesses = {{4, false, {96, 32, 2}}};
  EXPECT_EQ(count(nest), 0);
}

TEST(Nest, NoOrderGoesBelowTheBound) {
  Machine machine = makeMachine();
  // All vectors full: two multiply-adds a cycle.
  EXPECT_EQ(boundNest(makeProduct(8, 32, 10, 4), machine), 8 * 2 * 10 * 500);
  Nest nest;
  // 64 kilobytes come once from memory, however they are walked.
  nest.axes = {{1024, AxisRole::Loop, false}, {16, AxisRole::Lanes, false}};
  nest.accesses = {{4, false, {1024, 1}, 65536}};
  EXPECT_EQ(boundNest(nest, machine), 8192 * 1000);
  EXPECT_LE(boundNest(nest, machine), predictNest(nest, machine).getTotal());
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
