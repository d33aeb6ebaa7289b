// Collectives on the memory of a GPU: the library of the tests checks that ranks call as NCCL wants it, on the driver
// of the tests. Ranks are threads of one device, each with streams of its own.
#include "QueueTest.h"
#include "Tiny/Runtime/Communicator.h"

#include <cstdlib>
#include <functional>
#include <thread>

using namespace tiny::runtime;

namespace {

/// A device is opened once for a process: what chooses the libraries is set before.
template <typename Body> void inProcess(Body &&body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("TINY_CUDA_LIBRARY", TINY_FAKE_CUDA, 1);
        setenv("TINY_FAKE_CUDA_FAIL", "", 1);
        setenv("TINY_NCCL_LIBRARY", TINY_FAKE_NCCL, 1);
        body();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

/// `body(rank, communicator)` on a thread for each rank.
void runRanks(uint32_t count, const std::function<void(uint32_t, tiny_communicator *)> &body) {
  std::vector<tiny_communicator *> control(count), ends(count);
  ASSERT_OK(tiny_communicator_create_local(count, control.data()));
  for (uint32_t rank = 0; rank < count; ++rank) {
    ASSERT_OK(tiny_communicator_set_timeout(control[rank], 10));
    ASSERT_OK(tiny_communicator_create_nccl(control[rank], &ends[rank]));
    EXPECT_EQ(tiny_communicator_rank(ends[rank]), rank);
    tiny_communicator_release(control[rank]);
  }
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] { body(rank, ends[rank]); });
  for (std::thread &thread : threads)
    thread.join();
  for (tiny_communicator *end : ends)
    tiny_communicator_release(end);
}

/// One rank's run of a program of one collective: its argument, and what it gets.
std::vector<float> runOne(const Device &device, const tiny_program *program, tiny_communicator *end,
                          const std::vector<float> &own, size_t size) {
  Buffer argument, result;
  EXPECT_OK(tiny_buffer_allocate(device.get(), own.size() * sizeof(float), argument.receive()));
  EXPECT_OK(tiny_buffer_write(argument.get(), 0, own.data(), own.size() * sizeof(float)));
  tiny_buffer *list = argument.get();
  tiny_run_options options = {};
  options.communicator = end;
  EXPECT_OK(tiny_program_run(const_cast<tiny_program *>(program), &list, 1, result.receive(), 1, &options));
  std::vector<float> values(size);
  if (result.get())
    EXPECT_OK(tiny_buffer_read(result.get(), 0, values.data(), size * sizeof(float)));
  return values;
}

void makeProgram(const Device &device, const tiny_collective &what, uint64_t from, uint64_t to, Program &program,
                 int64_t ranks = 2) {
  ProgramBuilder builder;
  builder.grid = {ranks};
  uint32_t source = builder.argument(from), target = builder.alloc(to);
  builder.collective(&what, source, target);
  builder.results = {target};
  ASSERT_OK(builder.create(device.get(), program.receive()));
}

const uint32_t kAxis = 0;
using Floats = std::vector<float>;

TEST(Nccl, WithoutTheLibrary) {
  setenv("TINY_NCCL_LIBRARY", "/nowhere/libnccl.so.2", 1);
  tiny_communicator *control, *end = nullptr;
  ASSERT_OK(tiny_communicator_create_local(1, &control));
  EXPECT_EQ(tiny_communicator_create_nccl(control, &end), TINY_NOT_FOUND);
  EXPECT_EQ(std::string(tiny_last_error()).find("communicator 'nccl' needs NVIDIA's NCCL: "), 0u) << tiny_last_error();
  tiny_communicator_release(control);
  unsetenv("TINY_NCCL_LIBRARY");
}

TEST(Nccl, WhatIsNoLibrary) {
  setenv("TINY_NCCL_LIBRARY", TINY_FAKE_CUDA, 1);
  tiny_communicator *control, *end = nullptr;
  ASSERT_OK(tiny_communicator_create_local(1, &control));
  EXPECT_EQ(tiny_communicator_create_nccl(control, &end), TINY_UNSUPPORTED);
  EXPECT_NE(std::string(tiny_last_error()).find("has no ncclGetErrorString, expected NCCL 2.7 or later"),
            std::string::npos)
      << tiny_last_error();
  tiny_communicator_release(control);
  unsetenv("TINY_NCCL_LIBRARY");
}

TEST(Nccl, CollectivesOnTheDevice) {
  inProcess([] {
    Device device;
    ASSERT_OK(tiny_device_open("cuda", device.receive()));
    struct Case {
      tiny_collective what;
      Floats inputs[2], outputs[2];
    } cases[] = {
        {{TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0},
         {{1, 2}, {10, 20}},
         {{11, 22}, {11, 22}}},
        {{TINY_ALL_REDUCE, TINY_REDUCE_MAX, TINY_DTYPE_I32, &kAxis, 1, {0, 0}, 0}, {{1, 2}, {2, 1}}, {{2, 2}, {2, 2}}},
        {{TINY_REDUCE_SCATTER, TINY_REDUCE_SUM, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0},
         {{1, 2}, {10, 20}},
         {{11}, {22}}},
        {{TINY_ALL_GATHER, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0}, {{1}, {10}}, {{1, 10}, {1, 10}}},
        {{TINY_ALL_TO_ALL, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0},
         {{1, 2}, {10, 20}},
         {{1, 10}, {2, 20}}},
        {{TINY_BROADCAST, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0},
         {{1, 2}, {10, 20}},
         {{1, 2}, {1, 2}}},
        // Floats whose maximum may drop a NaN go through the host.
        {{TINY_ALL_REDUCE, TINY_REDUCE_MAX, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0}, {{1, 2}, {2, 1}}, {{2, 2}, {2, 2}}},
    };
    for (const Case &one : cases) {
      Program program;
      makeProgram(device, one.what, one.inputs[0].size(), one.outputs[0].size(), program);
      runRanks(2, [&](uint32_t rank, tiny_communicator *end) {
        for (int round = 0; round < 3; ++round)
          EXPECT_EQ(runOne(device, program.get(), end, one.inputs[rank], one.outputs[rank].size()), one.outputs[rank])
              << "kind " << one.what.kind;
      });
    }
  });
}

TEST(Nccl, MessagesGoBothWays) {
  inProcess([] {
    Device device;
    ASSERT_OK(tiny_device_open("cuda", device.receive()));
    tiny_collective there = {TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {0, 1}, 0}, back = there;
    back.peers[0] = 1;
    back.peers[1] = 0;
    ProgramBuilder builder;
    builder.grid = {2};
    uint32_t source = builder.argument(1), first = builder.alloc(1), second = builder.alloc(1);
    float seven = 7;
    builder.fill(first, &seven);
    builder.fill(second, &seven);
    builder.collective(&there, source, first);
    builder.collective(&back, first, second);
    builder.results = {second};
    Program program;
    ASSERT_OK(builder.create(device.get(), program.receive()));
    runRanks(2, [&](uint32_t rank, tiny_communicator *end) {
      EXPECT_EQ(runOne(device, program.get(), end, {float(rank + 1)}, 1), Floats{rank == 0 ? 1.0f : 7.0f});
    });
  });
}

TEST(Nccl, RunsBesideOthers) {
  inProcess([] {
    Device device;
    ASSERT_OK(tiny_device_open("cuda", device.receive()));
    tiny_collective sum = {TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 1};
    ProgramBuilder builder;
    builder.grid = {2};
    uint32_t source = builder.argument(1), target = builder.alloc(1), other = builder.alloc(1),
             result = builder.alloc(1);
    builder.collective(&sum, source, target);
    builder.copy(source, other);
    builder.wait(source, target);
    builder.copy(target, result);
    builder.results = {result};
    Program program;
    ASSERT_OK(builder.create(device.get(), program.receive()));
    runRanks(2, [&](uint32_t rank, tiny_communicator *end) {
      for (int round = 0; round < 10; ++round)
        EXPECT_EQ(runOne(device, program.get(), end, {float(rank + round)}, 1), Floats{float(1 + 2 * round)});
    });
  });
}

/// Ranks of which one sends more than the other takes: the library refuses, and its words arrive.
TEST(Nccl, WhatTheLibraryRefuses) {
  inProcess([] {
    Device device;
    ASSERT_OK(tiny_device_open("cuda", device.receive()));
    tiny_collective message = {TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {0, 1}, 0};
    Program programs[2];
    makeProgram(device, message, 2, 2, programs[0]);
    makeProgram(device, message, 1, 1, programs[1]);
    runRanks(2, [&](uint32_t rank, tiny_communicator *end) {
      Buffer argument, result;
      ASSERT_OK(tiny_buffer_allocate(device.get(), rank ? 4 : 8, argument.receive()));
      tiny_buffer *list = argument.get();
      tiny_run_options options = {};
      options.communicator = end;
      tiny_status status = tiny_program_run(programs[rank].get(), &list, 1, result.receive(), 1, &options);
      if (rank)
        EXPECT_FAILS(status, TINY_DEVICE_ERROR,
                     "communicator 'nccl': ncclRecv gave invalid usage: a message of another size than its receiver "
                     "expects on rank 1");
    });
  });
}

TEST(Nccl, RankThatDoesNotComeIsNamed) {
  inProcess([] {
    Device device;
    ASSERT_OK(tiny_device_open("cuda", device.receive()));
    tiny_collective sum = {TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0};
    Program program;
    makeProgram(device, sum, 1, 1, program);
    runRanks(2, [&](uint32_t rank, tiny_communicator *end) {
      EXPECT_EQ(runOne(device, program.get(), end, {1}, 1), Floats{2});
      if (rank == 1)
        return;
      ASSERT_OK(tiny_communicator_set_timeout(end, 0.2));
      Buffer argument, result;
      ASSERT_OK(tiny_buffer_allocate(device.get(), 4, argument.receive()));
      tiny_buffer *list = argument.get();
      tiny_run_options options = {};
      options.communicator = end;
      EXPECT_FAILS(tiny_program_run(program.get(), &list, 1, result.receive(), 1, &options), TINY_DEVICE_ERROR,
                   "rank 1 did not come to the all-gather of rank 0 within 0.2000 s");
    });
  });
}

} // namespace
