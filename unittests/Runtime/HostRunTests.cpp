// Runs on the caller's memory without handles, and how a run finds which of its buffers share memory.
#include "RuntimeTest.h"

#include "../../lib/Runtime/Overlaps.h"

#include <random>

using namespace tiny::runtime;

namespace {

class HostRunTest : public OnEveryDevice {
protected:
  /// out = x + 1 over 4 floats; of state, where it is.
  Program addProgram(bool isState = false) {
    ProgramBuilder builder;
    uint32_t x = builder.argument(4, isState ? TINY_SLOT_WRITABLE : 0), y = isState ? x : builder.alloc(4);
    builder.launch(builder.kernel("add_one", addOne, 2, isState ? TINY_KERNEL_IN_PLACE : 0), {x}, {y});
    builder.results = {y};
    Program program;
    EXPECT_OK(builder.create(device.get(), program.receive()));
    return program;
  }
  tiny_status run(const Program &program, const tiny_host_memory &in, const tiny_host_memory &out) {
    return tiny_program_run_on_host(program.get(), &in, 1, &out, 1, nullptr);
  }
  bool isOnHost() const { return tiny_device_computes_on_host(device.get()); }

  alignas(8) float x[5] = {1, 2, 3, 4, 0}, y[5] = {0, 0, 0, 0, 0};
};
TINY_ON_EVERY_DEVICE(HostRunTest);

} // namespace

TEST_P(HostRunTest, ComputesOnTheHostsMemoryOrSaysThatItDoesNot) {
  if (!isOnHost()) {
    EXPECT_FAILS(run(addProgram(), {x, 16}, {y, 16}), TINY_UNSUPPORTED, "does not compute in the host's memory");
    return;
  }
  uint64_t before = 0;
  tiny_memory_info info;
  ASSERT_OK(tiny_device_memory(device.get(), &info));
  before = info.bytes_in_use;
  Program program = addProgram();
  ASSERT_OK(run(program, {x, 16}, {y, 16}));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(y[i], computes() ? x[i] + 1 : 0);
  EXPECT_EQ(y[4], 0);
  program = Program();
  ASSERT_OK(tiny_device_memory(device.get(), &info));
  EXPECT_EQ(info.bytes_in_use, before);
}

TEST_P(HostRunTest, StateIsGivenTwice) {
  if (!isOnHost())
    return;
  Program program = addProgram(/*isState=*/true);
  ASSERT_OK(run(program, {x, 16}, {x, 16}));
  EXPECT_EQ(x[0], computes() ? 2 : 1);
  EXPECT_EQ(x[3], computes() ? 5 : 4);
}

TEST_P(HostRunTest, WrongMemoryIsNamed) {
  if (!isOnHost())
    return;
  Program program = addProgram();
  EXPECT_FAILS(run(program, {nullptr, 16}, {y, 16}), TINY_INVALID_ARGUMENT, "imported memory is null");
  EXPECT_FAILS(run(program, {x, 12}, {y, 16}), TINY_INVALID_ARGUMENT, "argument 0 has 12 bytes, expected 16");
  EXPECT_FAILS(run(program, {x, 16}, {y, 20}), TINY_INVALID_ARGUMENT, "result 0 has 20 bytes, expected 16");
  EXPECT_FAILS(run(program, {x, 16}, {y + 1, 16}), TINY_INVALID_ARGUMENT, "is not aligned to 8 bytes");
  EXPECT_FAILS(tiny_program_run_on_host(program.get(), nullptr, 0, nullptr, 1, nullptr), TINY_INVALID_ARGUMENT,
               "takes 1 arguments, got 0");
  EXPECT_FAILS(tiny_program_run_on_host(nullptr, nullptr, 0, nullptr, 0, nullptr), TINY_INVALID_ARGUMENT, "null");
}

TEST(Overlaps, AreThoseOfComparingEachTwo) {
  Device device;
  ASSERT_OK(tiny_device_open("null", device.receive()));
  std::mt19937 random(7);
  size_t found[3] = {};
  for (int round = 0; round < 4000; ++round) {
    Memory memories[2];
    size_t count = random() % 7;
    std::vector<Region> regions;
    std::vector<BufferUse> uses;
    Overlaps overlaps(*device.get(), count);
    for (size_t i = 0; i < count; ++i) {
      regions.push_back({&memories[random() % 2], random() % 40, random() % 9});
      uses.push_back(BufferUse(random() % 4));
      overlaps.add(regions.back(), uses.back());
    }
    overlaps.find();
    bool writtenArgument = false, argumentAndResult = false, twoResults = false;
    auto isResult = [&](size_t i) { return uses[i] == BufferUse::Result || uses[i] == BufferUse::InPlace; };
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j) {
        if (i == j || !device.get()->overlap(regions[i], regions[j]))
          continue;
        writtenArgument |= uses[i] == BufferUse::Written && !isResult(j);
        argumentAndResult |= uses[i] == BufferUse::Result && !isResult(j);
        twoResults |= isResult(i) && isResult(j);
      }
    ASSERT_EQ(overlaps.writtenArgument, writtenArgument) << round;
    ASSERT_EQ(overlaps.argumentAndResult, argumentAndResult) << round;
    ASSERT_EQ(overlaps.twoResults, twoResults) << round;
    found[0] += writtenArgument;
    found[1] += argumentAndResult;
    found[2] += twoResults;
  }
  for (size_t kind : found)
    EXPECT_GT(kind, 200u);
}
