// Grids that several threads share.
#include "RuntimeTest.h"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace tiny {
namespace runtime {
namespace {

constexpr int64_t kX = 37, kY = 11, kZ = 5;

/// out[point] += 1 + point, through scratch memory that must be this thread's own while the point is computed.
void fillPoint(void *const *buffers, const int64_t *index) {
  auto *out = static_cast<float *>(buffers[1]);
  auto *scratch = static_cast<float *>(buffers[2]);
  int64_t point = (index[2] * kY + index[1]) * kX + index[0];
  for (int i = 0; i < 64; ++i)
    scratch[i] = float(point);
  for (int i = 1; i < 64; ++i)
    if (scratch[i] != scratch[0])
      return;
  out[point] = 1 + scratch[0];
}

std::atomic<int64_t> calls{0};
void countCall(void *const *, const int64_t *) { ++calls; }

struct ThreadTest : testing::Test {
  void SetUp() override { ASSERT_OK(tiny_device_open("cpu", device.receive())); }
  void TearDown() override { EXPECT_OK(tiny_device_set_threads(device.get(), 1)); }

  Program create(tiny_cpu_kernel function, std::array<int64_t, 3> grid, uint64_t scratch) {
    ProgramBuilder builder;
    uint32_t in = builder.argument(1), out = builder.alloc(kX * kY * kZ);
    uint32_t kernel = builder.kernel("k", function, 2);
    std::copy(grid.begin(), grid.end(), builder.kernels[kernel].grid);
    builder.kernels[kernel].scratch_bytes = scratch;
    builder.launch(kernel, {in}, {out});
    builder.results = {out};
    Program program;
    EXPECT_OK(builder.create(device.get(), program.receive()));
    return program;
  }
  void run(tiny_program *program, std::vector<float> *values = nullptr) {
    Buffer in, out;
    ASSERT_OK(tiny_buffer_allocate(device.get(), sizeof(float), in.receive()));
    ASSERT_OK(tiny_buffer_allocate(device.get(), kX * kY * kZ * sizeof(float), out.receive()));
    tiny_buffer *argument = in.get(), *result = out.get();
    ASSERT_OK(tiny_program_run(program, &argument, 1, &result, 1, nullptr));
    if (values) {
      values->resize(kX * kY * kZ);
      ASSERT_OK(tiny_buffer_read(result, 0, values->data(), values->size() * sizeof(float)));
    }
  }

  Device device;
};

TEST_F(ThreadTest, EveryPointIsComputedOnceOnAnyNumberOfThreads) {
  Program program = create(fillPoint, {kX, kY, kZ}, 64 * sizeof(float));
  for (uint32_t threads : {1, 2, 3, 7}) {
    ASSERT_OK(tiny_device_set_threads(device.get(), threads));
    EXPECT_EQ(tiny_device_threads(device.get()), threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<float> values;
      run(program.get(), &values);
      for (size_t point = 0; point < values.size(); ++point)
        ASSERT_EQ(values[point], 1 + float(point)) << threads << " threads";
    }
  }
}

TEST_F(ThreadTest, ManySmallGridsFromSeveralThreads) {
  Program program = create(countCall, {4, 1, 1}, 0);
  ASSERT_OK(tiny_device_set_threads(device.get(), 3));
  calls = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        run(program.get());
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(calls, 3 * 1000 * 4);
}

TEST_F(ThreadTest, SleepingThreadsWakeUp) {
  Program program = create(countCall, {64, 1, 1}, 0);
  ASSERT_OK(tiny_device_set_threads(device.get(), 2));
  calls = 0;
  for (int i = 0; i < 20; ++i) {
    run(program.get());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(calls, 20 * 64);
}

TEST_F(ThreadTest, PartsOfALaunchAreToldWithTheirThreads) {
  struct Told {
    std::vector<tiny_part> parts;
    uint64_t nanoseconds = 0;
  };
  Program program = create(fillPoint, {kX, kY, kZ}, 64 * sizeof(float));
  for (uint32_t threads : {1, 3}) {
    ASSERT_OK(tiny_device_set_threads(device.get(), threads));
    Told told;
    tiny_run_options options = {
        [](void *context, const char *, uint64_t time) { static_cast<Told *>(context)->nanoseconds = time; },
        &told,
        nullptr,
        [](void *context, const tiny_part *parts, size_t count) {
          static_cast<Told *>(context)->parts.assign(parts, parts + count);
        },
        nullptr,
        nullptr};
    Buffer in, out;
    ASSERT_OK(tiny_buffer_allocate(device.get(), sizeof(float), in.receive()));
    ASSERT_OK(tiny_buffer_allocate(device.get(), kX * kY * kZ * sizeof(float), out.receive()));
    tiny_buffer *argument = in.get(), *result = out.get();
    ASSERT_OK(tiny_program_run(program.get(), &argument, 1, &result, 1, &options));
    // Eight parts for each of three threads, and a rest.
    EXPECT_EQ(told.parts.size(), threads == 1 ? 1u : 25u);
    for (const tiny_part &part : told.parts) {
      EXPECT_LT(part.thread, threads);
      EXPECT_LE(part.begin + part.nanoseconds, told.nanoseconds);
      for (const tiny_part &other : told.parts)
        EXPECT_TRUE(&part == &other || part.thread != other.thread || part.begin + part.nanoseconds <= other.begin ||
                    other.begin + other.nanoseconds <= part.begin);
    }
  }
}

TEST_F(ThreadTest, NumbersOfThreadsThatMakeNoSense) {
  EXPECT_FAILS(tiny_device_set_threads(device.get(), 0), TINY_INVALID_ARGUMENT, "needs at least 1 thread, got 0");
  EXPECT_FAILS(tiny_device_set_threads(nullptr, 1), TINY_INVALID_ARGUMENT, "null");
  Device null;
  ASSERT_OK(tiny_device_open("null", null.receive()));
  EXPECT_FAILS(tiny_device_set_threads(null.get(), 2), TINY_UNSUPPORTED, "device 'null' has no threads to set");
  EXPECT_EQ(tiny_device_threads(null.get()), 1u);
  EXPECT_EQ(tiny_device_threads(nullptr), 0u);
}

TEST_F(ThreadTest, ScratchMemoryThatNobodyHasIsRefused) {
  ProgramBuilder builder;
  builder.kernel("greedy", countCall, 0);
  builder.kernels.back().scratch_bytes = uint64_t(1) << 63;
  Program program;
  EXPECT_FAILS(builder.create(device.get(), program.receive()), TINY_OUT_OF_RANGE,
               "kernel 'greedy' wants 9223372036854775808 bytes of scratch memory");
}

TEST_F(ThreadTest, ScratchMemoryThatCannotBeAllocatedFailsTheRun) {
  Program program = create(fillPoint, {2, 1, 1}, uint64_t(1) << 61);
  Buffer in;
  ASSERT_OK(tiny_buffer_allocate(device.get(), sizeof(float), in.receive()));
  tiny_buffer *argument = in.get(), *result = nullptr;
  EXPECT_FAILS(tiny_program_run(program.get(), &argument, 1, &result, 1, nullptr), TINY_OUT_OF_MEMORY,
               "bytes of scratch memory on 'cpu'");
}

} // namespace
} // namespace runtime
} // namespace tiny
