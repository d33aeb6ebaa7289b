// A run and its buffers: results the caller supplies, overlaps, wrong buffers, concurrent runs.
#include "RuntimeTest.h"

#include <thread>

using namespace tiny::runtime;

namespace {

/// out = x + 1 over 4 floats, with one temporary in between where asked.
class RunTest : public OnEveryDevice {
protected:
  Program addProgram(int times = 1) {
    ProgramBuilder builder;
    uint32_t last = builder.argument(4), add = builder.kernel("add_one", addOne, 2);
    for (int i = 0; i < times; ++i) {
      uint32_t next = builder.alloc(4);
      builder.launch(add, {last}, {next});
      last = next;
    }
    builder.results = {last};
    Program program;
    EXPECT_OK(builder.create(device.get(), program.receive()));
    return program;
  }
  tiny_status run(const Program &program, tiny_buffer *argument, tiny_buffer *&result) {
    return tiny_program_run(program.get(), &argument, 1, &result, 1, nullptr);
  }
};
TINY_ON_EVERY_DEVICE(RunTest);

/// y = {x3, x2, x1, x0}, which goes wrong when y is x.
void reverse(void *const *buffers, const int64_t *) {
  auto *in = static_cast<const float *>(buffers[0]);
  auto *out = static_cast<float *>(buffers[1]);
  for (int i = 0; i < 4; ++i)
    out[i] = in[3 - i];
}

} // namespace

TEST_P(RunTest, WritesASuppliedResult) {
  Buffer argument = upload({1, 2, 3, 4}), result = upload({0, 0, 0, 0});
  tiny_buffer *raw = result.get();
  ASSERT_OK(run(addProgram(), argument.get(), raw));
  EXPECT_EQ(raw, result.get());
  expectValues(result.get(), {2, 3, 4, 5});
}

TEST_P(RunTest, SuppliedResultMayBeTheArgument) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), y = builder.alloc(4);
  builder.launch(builder.kernel("reverse", reverse, 2), {x}, {y});
  builder.results = {y};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer buffer = upload({1, 2, 3, 4});
  tiny_buffer *raw = buffer.get();
  ASSERT_OK(run(program, buffer.get(), raw));
  expectValues(buffer.get(), {4, 3, 2, 1});
}

TEST_P(RunTest, ResultsMaySwapTheArguments) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(2), y = builder.argument(2);
  builder.results = {y, x};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer a = upload({1, 2}), b = upload({3, 4});
  tiny_buffer *arguments[] = {a.get(), b.get()}, *results[] = {a.get(), b.get()};
  ASSERT_OK(tiny_program_run(program.get(), arguments, 2, results, 2, nullptr));
  expectValues(a.get(), {3, 4});
  expectValues(b.get(), {1, 2});
}

TEST_P(RunTest, WritableArgumentMayBeItsOwnResult) {
  ProgramBuilder builder;
  uint32_t state = builder.argument(4, TINY_SLOT_WRITABLE);
  builder.launch(builder.kernel("add_one", addOne, 2, TINY_KERNEL_IN_PLACE), {state}, {state});
  builder.results = {state};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer buffer = upload({1, 2, 3, 4}), other = upload({0, 0, 0, 0});
  tiny_buffer *raw = buffer.get();
  ASSERT_OK(run(program, buffer.get(), raw));
  expectValues(buffer.get(), {2, 3, 4, 5});
  raw = other.get();
  ASSERT_OK(run(program, buffer.get(), raw));
  expectValues(other.get(), {3, 4, 5, 6});
}

TEST_P(RunTest, OverlappingResultsAreRefused) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(2);
  builder.results = {x, x};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer argument = upload({1, 2}), buffer = upload({0, 0, 0}), low, high;
  ASSERT_OK(tiny_buffer_view(buffer.get(), 0, 8, low.receive()));
  ASSERT_OK(tiny_buffer_view(buffer.get(), 4, 8, high.receive()));
  tiny_buffer *raw = argument.get(), *results[] = {low.get(), high.get()};
  EXPECT_FAILS(tiny_program_run(program.get(), &raw, 1, results, 2, nullptr), TINY_INVALID_ARGUMENT,
               "result 0 overlaps result 1");
}

TEST_P(RunTest, WritableArgumentMustNotOverlapAnother) {
  ProgramBuilder builder;
  builder.argument(4, TINY_SLOT_WRITABLE);
  builder.argument(4);
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer buffer = upload({1, 2, 3, 4});
  tiny_buffer *arguments[] = {buffer.get(), buffer.get()};
  EXPECT_FAILS(tiny_program_run(program.get(), arguments, 2, nullptr, 0, nullptr), TINY_INVALID_ARGUMENT,
               "argument 0 is written, and overlaps argument 1");
}

TEST_P(RunTest, WrongBuffersAreNamed) {
  Program program = addProgram();
  Buffer good = upload({1, 2, 3, 4}), small = allocate(12), wide = allocate(32), crooked;
  tiny_buffer *result = nullptr;
  EXPECT_FAILS(run(program, small.get(), result), TINY_INVALID_ARGUMENT,
               "program 'p': argument 0 has 12 bytes, expected 16");
  EXPECT_FAILS(run(program, nullptr, result), TINY_INVALID_ARGUMENT, "argument 0 is null");
  ASSERT_OK(tiny_buffer_view(wide.get(), 2, 16, crooked.receive()));
  EXPECT_FAILS(run(program, crooked.get(), result), TINY_INVALID_ARGUMENT, "argument 0 is not aligned to 4 bytes");
  EXPECT_EQ(result, nullptr);
  result = small.get();
  EXPECT_FAILS(run(program, good.get(), result), TINY_INVALID_ARGUMENT, "result 0 has 12 bytes, expected 16");
  tiny_buffer *dead = allocate(16).take();
  tiny_buffer_release(dead);
  result = dead;
  EXPECT_FAILS(run(program, good.get(), result), TINY_INVALID_ARGUMENT, "result 0 is no live buffer");
}

TEST_P(RunTest, WrongCountsAreNamed) {
  Program program = addProgram();
  Buffer good = upload({1, 2, 3, 4});
  tiny_buffer *raw = good.get(), *result = nullptr;
  EXPECT_FAILS(tiny_program_run(program.get(), nullptr, 0, &result, 1, nullptr), TINY_INVALID_ARGUMENT,
               "takes 1 arguments, got 0");
  EXPECT_FAILS(tiny_program_run(program.get(), &raw, 1, nullptr, 0, nullptr), TINY_INVALID_ARGUMENT,
               "gives 1 results, got 0");
  EXPECT_FAILS(tiny_program_run(program.get(), nullptr, 1, &result, 1, nullptr), TINY_INVALID_ARGUMENT,
               "list of arguments or results is null");
  EXPECT_FAILS(tiny_program_run(program.get(), &raw, 1, nullptr, 1, nullptr), TINY_INVALID_ARGUMENT,
               "list of arguments or results is null");
}

TEST_P(RunTest, BufferOfAnotherDeviceIsRefused) {
  Device other;
  ASSERT_OK(tiny_device_open(computes() ? "null" : "cpu", other.receive()));
  Buffer foreign;
  ASSERT_OK(tiny_buffer_allocate(other.get(), 16, foreign.receive()));
  tiny_buffer *result = nullptr;
  EXPECT_FAILS(run(addProgram(), foreign.get(), result), TINY_INVALID_ARGUMENT,
               computes() ? "argument 0 lives on 'null', expected '" : "argument 0 lives on 'cpu', expected 'null'");
}

TEST_P(RunTest, ReadOnlyBuffersAreNotWritten) {
  if (!sharesMemory())
    GTEST_SKIP() << "imports nothing";
  alignas(8) float values[4] = {1, 2, 3, 4};
  Buffer readOnly;
  ASSERT_OK(tiny_buffer_import(device.get(), values, 16, TINY_IMPORT_READ_ONLY, nullptr, nullptr, readOnly.receive()));
  tiny_buffer *result = nullptr;
  ASSERT_OK(run(addProgram(), readOnly.get(), result));
  expectValues(result, {2, 3, 4, 5});
  Buffer argument(result);
  result = readOnly.get();
  EXPECT_FAILS(run(addProgram(), argument.get(), result), TINY_READ_ONLY, "result 0 is a read-only buffer");

  ProgramBuilder builder;
  builder.argument(4, TINY_SLOT_WRITABLE);
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  tiny_buffer *raw = readOnly.get();
  EXPECT_FAILS(tiny_program_run(program.get(), &raw, 1, nullptr, 0, nullptr), TINY_READ_ONLY,
               "argument 0 is written, but its buffer is read-only");
}

TEST_P(RunTest, FailedRunLeavesNothingBehind) {
  Program program = addProgram(3);
  tiny_memory_info before, after;
  Buffer small = allocate(12);
  ASSERT_OK(tiny_device_memory(device.get(), &before));
  tiny_buffer *result = nullptr;
  EXPECT_EQ(run(program, small.get(), result), TINY_INVALID_ARGUMENT);
  ASSERT_OK(tiny_device_memory(device.get(), &after));
  EXPECT_EQ(before.bytes_in_use, after.bytes_in_use);
}

TEST_P(RunTest, ArenaIsAllocatedOnce) {
  Program program = addProgram(3);
  Buffer argument = upload({1, 2, 3, 4}), result = allocate(16);
  tiny_buffer *raw = result.get();
  ASSERT_OK(run(program, argument.get(), raw));
  tiny_memory_info before, after;
  ASSERT_OK(tiny_device_memory(device.get(), &before));
  for (int i = 0; i < 10; ++i)
    ASSERT_OK(run(program, argument.get(), raw));
  ASSERT_OK(tiny_device_memory(device.get(), &after));
  EXPECT_EQ(before.allocations, after.allocations);
  EXPECT_EQ(before.peak_bytes, after.peak_bytes);
}

TEST_P(RunTest, ConcurrentRunsDoNotMeet) {
  Program program = addProgram(5);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Buffer argument = upload({float(t), 0, 0, 0});
      for (int i = 0; i < 200; ++i) {
        tiny_buffer *result = nullptr;
        ASSERT_OK(run(program, argument.get(), result));
        expectValues(Buffer(result).get(), {float(t) + 5, 5, 5, 5});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// What depends on constants alone: the first run makes it, before and while others run, and it is not made again.
TEST_P(RunTest, PreparesWhatIsConstantOnce) {
  ProgramBuilder builder;
  const std::vector<float> values = {1, 2, 3, 4};
  uint32_t x = builder.argument(4), add = builder.kernel("add_one", addOne, 2);
  uint32_t first = builder.alloc(4);
  builder.launch(add, {x}, {first});
  uint32_t constant = builder.constant(values), passing = builder.alloc(4), kept = builder.alloc(4);
  builder.launch(add, {constant}, {passing});
  builder.launch(add, {passing}, {kept});
  // Written again from the argument: this one is no constant.
  uint32_t reused = builder.alloc(4), second = builder.alloc(4);
  builder.launch(add, {constant}, {reused});
  builder.copy(reused, second);
  builder.copy(first, reused);
  uint32_t third = builder.alloc(4);
  builder.launch(add, {kept}, {third});
  builder.copy(first, third);
  builder.results = {kept, second, third};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));

  auto runOnce = [&](float value, unsigned *launches) {
    Buffer argument = upload({value, 0, 0, 0});
    tiny_buffer *raw = argument.get(), *results[3] = {};
    tiny_run_options options = {};
    options.profile = [](void *count, const char *name, uint64_t) {
      *static_cast<unsigned *>(count) += std::strcmp(name, "add_one") == 0;
    };
    options.profile_context = launches;
    ASSERT_OK(tiny_program_run(program.get(), &raw, 1, results, 3, launches ? &options : nullptr));
    expectValues(Buffer(results[0]).get(), {3, 4, 5, 6});
    expectValues(Buffer(results[1]).get(), {2, 3, 4, 5});
    expectValues(Buffer(results[2]).get(), {value + 1, 1, 1, 1});
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i)
        runOnce(float(t), nullptr);
    });
  for (std::thread &thread : threads)
    thread.join();
  unsigned launches = 0;
  runOnce(7, &launches);
  // Without that of what passes. A result is written in each run.
  EXPECT_EQ(launches, 4u);
}
