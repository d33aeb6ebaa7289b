// Handles after their end, objects that end while others still need them, sizes of nothing, memory that is not there.
#include "QueueTest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace tiny::runtime;

namespace {

class LifetimeTest : public QueueTest {
protected:
  tiny_submission submissionOf(tiny_buffer *const *argument, tiny_buffer *const *result) {
    tiny_submission submission = {};
    submission.program = addProgram.get();
    submission.arguments = argument;
    submission.results = result;
    submission.n_arguments = submission.n_results = 1;
    return submission;
  }
};
TINY_ON_EVERY_DEVICE(LifetimeTest);

void addOneSlowly(void *const *buffers, const int64_t *grid) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  addOne(buffers, grid);
}

} // namespace

//===--- Dead handles ---------------------------------------------------------------------------------------------===//

TEST_P(LifetimeTest, EveryCallOnADeadBufferIsRefused) {
  tiny_buffer *dead = allocate(16).take(), *out = nullptr;
  Buffer alive = allocate(16);
  EXPECT_OK(tiny_buffer_release(dead));
  char bytes[16];
  void *data = nullptr;
  const char *message = "buffer handle is not alive";
  EXPECT_FAILS(tiny_buffer_read(dead, 0, bytes, 1), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_buffer_write(dead, 0, bytes, 1), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_buffer_fill(dead, 0, 4, bytes, 4), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_buffer_copy(dead, 0, alive.get(), 0, 4), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_buffer_copy(alive.get(), 0, dead, 0, 4), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_buffer_view(dead, 0, 4, &out), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_buffer_map(dead, TINY_MAP_READ, 0, 4, &data), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_buffer_unmap(dead, bytes), TINY_INVALID_ARGUMENT, message);
  EXPECT_EQ(tiny_buffer_device(dead), nullptr);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(data, nullptr);
  tiny_buffer *argument = dead, *result = alive.get();
  EXPECT_FAILS(tiny_program_run(addProgram.get(), &argument, 1, &result, 1, nullptr), TINY_INVALID_ARGUMENT,
               "argument 0 is no live buffer");
  argument = alive.get();
  result = dead;
  EXPECT_FAILS(tiny_program_run(addProgram.get(), &argument, 1, &result, 1, nullptr), TINY_INVALID_ARGUMENT,
               "result 0 is no live buffer");
  Queue work = queue();
  tiny_submission submission = submissionOf(&argument, &result);
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, "result 0 is no live buffer");
}

TEST_P(LifetimeTest, EveryCallOnADeadProgramIsRefused) {
  tiny_program *dead = addProgram.take();
  EXPECT_OK(tiny_program_release(dead));
  Buffer a = allocate(16), b = allocate(16);
  tiny_buffer *argument = a.get(), *result = b.get();
  const char *message = "program handle is not alive";
  EXPECT_FAILS(tiny_program_run(dead, &argument, 1, &result, 1, nullptr), TINY_INVALID_ARGUMENT, message);
  tiny_memory_plan plan;
  EXPECT_FAILS(tiny_program_memory(dead, &plan), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_program_retain(dead), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_program_release(dead), TINY_INVALID_ARGUMENT, message);
  EXPECT_EQ(tiny_program_arena_size(dead), 0u);
  Queue work = queue();
  tiny_submission submission = submissionOf(&argument, &result);
  submission.program = dead;
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, message);
}

TEST_P(LifetimeTest, EveryCallOnADeadQueueIsRefused) {
  tiny_queue *dead = queue().take();
  EXPECT_OK(tiny_queue_release(dead));
  tiny_submission nothing = {};
  const char *message = "queue handle is not alive";
  EXPECT_FAILS(tiny_queue_submit(dead, &nothing), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_queue_wait(dead), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_queue_retain(dead), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(tiny_queue_release(dead), TINY_INVALID_ARGUMENT, message);
}

TEST_P(LifetimeTest, ADeadSignalIsNoTimepoint) {
  Queue work = queue();
  tiny_timepoint dead = {signalAt(0).take(), 1};
  EXPECT_OK(tiny_signal_release(dead.signal));
  tiny_submission submission = {};
  submission.signals = &dead;
  submission.n_signals = 1;
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, "signal handle is not alive");
  EXPECT_FAILS(tiny_signal_fail(dead.signal, TINY_DEVICE_ERROR, "x"), TINY_INVALID_ARGUMENT, "not alive");
  EXPECT_FAILS(tiny_signal_retain(dead.signal), TINY_INVALID_ARGUMENT, "not alive");
}

//===--- Sizes ----------------------------------------------------------------------------------------------------===//

TEST_P(LifetimeTest, NoBytesMayBeHandledAnywhere) {
  Buffer empty = allocate(0), some = allocate(8), imported, view;
  ASSERT_OK(tiny_buffer_import(device.get(), nullptr, 0, 0, nullptr, nullptr, imported.receive()));
  ASSERT_OK(tiny_buffer_view(some.get(), 8, 0, view.receive()));
  for (tiny_buffer *buffer : {empty.get(), imported.get(), view.get()}) {
    char byte = 0;
    EXPECT_EQ(tiny_buffer_size(buffer), 0u);
    EXPECT_OK(tiny_buffer_read(buffer, 0, nullptr, 0));
    EXPECT_OK(tiny_buffer_write(buffer, 0, nullptr, 0));
    EXPECT_OK(tiny_buffer_fill(buffer, 0, 0, &byte, 1));
    EXPECT_OK(tiny_buffer_copy(buffer, 0, some.get(), 8, 0));
    EXPECT_OK(tiny_buffer_copy(some.get(), 0, buffer, 0, 0));
    EXPECT_FAILS(tiny_buffer_read(buffer, 0, &byte, 1), TINY_OUT_OF_RANGE, "leave the buffer of 0 bytes");
    EXPECT_FAILS(tiny_buffer_write(buffer, 1, &byte, 0), TINY_OUT_OF_RANGE, "leave the buffer of 0 bytes");
  }
}

TEST_P(LifetimeTest, PartsCopyOverEachOtherInBothDirections) {
  std::vector<float> numbers(1000);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = float(i);
  for (auto [from, to] : {std::pair<uint64_t, uint64_t>(0, 1), {1, 0}, {3, 500}, {500, 3}, {7, 7}}) {
    Buffer buffer = upload(numbers);
    EXPECT_OK(tiny_buffer_copy(buffer.get(), from * 4, buffer.get(), to * 4, 400 * 4));
    std::vector<float> expected = numbers;
    std::copy_n(numbers.begin() + from, 400, expected.begin() + to);
    expectValues(buffer.get(), expected);
  }
}

TEST_P(LifetimeTest, AResultThatDoesNotFitIntoMemoryFailsTheRunAlone) {
  if (!computes())
    return; // no memory is no trouble there
  ProgramBuilder builder;
  uint32_t huge = builder.alloc(uint64_t(1) << 57);
  float zero = 0;
  builder.fill(huge, &zero);
  builder.results = {huge};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  tiny_memory_info before, after;
  ASSERT_OK(tiny_device_memory(device.get(), &before));
  tiny_buffer *result = nullptr;
  EXPECT_FAILS(tiny_program_run(program.get(), nullptr, 0, &result, 1, nullptr), TINY_OUT_OF_MEMORY, "cannot allocate");
  EXPECT_EQ(result, nullptr);
  ASSERT_OK(tiny_device_memory(device.get(), &after));
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
}

//===--- Queues that end with work in flight
//-----------------------------------------------------------------------===//

TEST_P(LifetimeTest, ReleasingAQueueWaitsForItsWaits) {
  Signal gate = signalAt(0);
  Buffer a = upload({1, 2, 3, 4}), b = upload({0, 0, 0, 0});
  std::atomic<bool> released{false};
  tiny_queue *work = queue().take();
  tiny_buffer *argument = a.get(), *result = b.get();
  tiny_timepoint wait = {gate.get(), 1};
  tiny_submission submission = submissionOf(&argument, &result);
  submission.waits = &wait;
  submission.n_waits = 1;
  for (int i = 0; i < 10; ++i)
    ASSERT_OK(tiny_queue_submit(work, &submission));
  std::thread owner([&] {
    EXPECT_OK(tiny_queue_release(work));
    released = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(released);
  EXPECT_OK(tiny_signal_raise(gate.get(), 1));
  owner.join();
  expectValues(b.get(), {2, 3, 4, 5});
}

TEST_P(LifetimeTest, AFailedGateLetsAQueueEnd) {
  Signal gate = signalAt(0), done = signalAt(0);
  Buffer a = upload({1, 2, 3, 4}), b = upload({7, 7, 7, 7});
  Queue work = queue();
  ASSERT_OK(submit(work, a, b, {gate.get(), 1}, {done.get(), 1}));
  EXPECT_OK(tiny_signal_fail(gate.get(), TINY_DEVICE_ERROR, "the other side is gone"));
  work = Queue();
  EXPECT_FAILS(tiny_signal_wait(done.get(), 1, TINY_FOREVER), TINY_DEVICE_ERROR, "the other side is gone");
  expectValues(b.get(), {7, 7, 7, 7});
}

TEST_P(LifetimeTest, ADeviceMayBeGivenUpWhileItWorks) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), y = builder.alloc(4);
  builder.launch(builder.kernel("add_one", addOneSlowly, 2), {x}, {y});
  builder.results = {y};
  ASSERT_OK(builder.create(device.get(), addProgram.receive()));
  Buffer a = upload({1, 2, 3, 4}), b = upload({0, 0, 0, 0}), keep = b;
  Queue work = queue();
  for (int i = 0; i < 5; ++i)
    ASSERT_OK(submit(work, a, b));
  device = Device();
  addProgram = Program();
  a = b = Buffer();
  work = Queue();
  expectValues(keep.get(), {2, 3, 4, 5});
}

//===--- Failures
//---------------------------------------------------------------------------------------------------===//

TEST_P(LifetimeTest, AFailureDoesNotStopTheQueue) {
  Queue work = queue();
  Buffer small = allocate(4), a = upload({1, 2, 3, 4}), b = upload({0, 0, 0, 0});
  ASSERT_OK(submit(work, small, b));
  ASSERT_OK(submit(work, a, b));
  EXPECT_FAILS(tiny_queue_wait(work.get()), TINY_INVALID_ARGUMENT, "argument 0 has 4 bytes, expected 16");
  expectValues(b.get(), {2, 3, 4, 5});
}

TEST_P(LifetimeTest, WrongCountsAndNullResultsFailASubmission) {
  Queue work = queue();
  Buffer a = allocate(16), b = allocate(16);
  tiny_buffer *argument = a.get(), *result = b.get();
  tiny_submission submission = submissionOf(&argument, &result);
  submission.n_arguments = 0;
  ASSERT_OK(tiny_queue_submit(work.get(), &submission));
  EXPECT_FAILS(tiny_queue_wait(work.get()), TINY_INVALID_ARGUMENT, "takes 1 arguments, got 0");
  submission = submissionOf(&argument, &result);
  submission.n_results = 0;
  ASSERT_OK(tiny_queue_submit(work.get(), &submission));
  EXPECT_FAILS(tiny_queue_wait(work.get()), TINY_INVALID_ARGUMENT, "gives 1 results, got 0");
  result = nullptr;
  submission = submissionOf(&argument, &result);
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, "result 0 is null");
}

TEST_P(LifetimeTest, SignalsOfASubmissionRiseInOrder) {
  Queue work = queue();
  Signal signal = signalAt(0);
  tiny_timepoint points[] = {{signal.get(), 3}, {signal.get(), 2}};
  tiny_submission submission = {};
  submission.signals = points;
  submission.n_signals = 2;
  ASSERT_OK(tiny_queue_submit(work.get(), &submission));
  EXPECT_FAILS(tiny_queue_wait(work.get()), TINY_INVALID_ARGUMENT, "signal can't go from 3 to 2");
  // What it reached before it failed stays reached.
  EXPECT_OK(tiny_signal_wait(signal.get(), 3, 0));
  EXPECT_FAILS(tiny_signal_wait(signal.get(), 4, TINY_FOREVER), TINY_INVALID_ARGUMENT, "from 3 to 2");
}

TEST(SignalTimes, AWaitTakesAsLongAsItSaysAndEndsEarlyWhenRaised) {
  using Clock = std::chrono::steady_clock;
  Signal signal = signalAt(0);
  auto start = Clock::now();
  EXPECT_FAILS(tiny_signal_wait(signal.get(), 1, 20000000), TINY_TIMED_OUT, "signal is at 0, not yet at 1");
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(20));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_OK(tiny_signal_raise(signal.get(), UINT64_MAX));
  });
  // Longer than a clock counts, and yet not for ever.
  EXPECT_OK(tiny_signal_wait(signal.get(), UINT64_MAX, TINY_FOREVER - 1));
  later.join();
  EXPECT_FAILS(tiny_signal_raise(signal.get(), UINT64_MAX), TINY_INVALID_ARGUMENT, "signal can't go from");
}

TEST(SignalTimes, OneOfManyRaisesWins) {
  for (int round = 0; round < 100; ++round) {
    Signal signal = signalAt(0);
    std::atomic<int> raised{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { raised += tiny_signal_raise(signal.get(), 1) == TINY_OK; });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(raised, 1);
  }
}

//===--- Many
//--------------------------------------------------------------------------------------------------------===//

TEST_P(LifetimeTest, ThousandsOfLaunchesInOneProgramReuseTwoTemporaries) {
  ProgramBuilder builder;
  uint32_t last = builder.argument(4), kernel = builder.kernel("add_one", addOne, 2);
  for (int i = 0; i < 5000; ++i) {
    uint32_t next = builder.alloc(4);
    builder.launch(kernel, {last}, {next});
    last = next;
  }
  builder.results = {last};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  EXPECT_EQ(tiny_program_arena_size(program.get()), 2u * TINY_BUFFER_ALIGNMENT);
  Buffer a = upload({1, 2, 3, 4});
  for (int i = 0; i < 3; ++i) {
    tiny_buffer *argument = a.get(), *result = nullptr;
    ASSERT_OK(tiny_program_run(program.get(), &argument, 1, &result, 1, nullptr));
    Buffer owned(result);
    expectValues(result, {5001, 5002, 5003, 5004});
  }
}

/// Work that fans out over queues and comes together again, many times.
TEST_P(LifetimeTest, ManyQueuesFanOutAndIn) {
  constexpr int kQueues = 8, kRounds = 50;
  std::vector<Queue> queues;
  std::vector<Signal> done;
  std::vector<Buffer> from, to;
  Signal start = signalAt(0);
  for (int i = 0; i < kQueues; ++i) {
    queues.push_back(queue());
    done.push_back(signalAt(0));
    from.push_back(upload({0, 0, 0, 0}));
    to.push_back(upload({0, 0, 0, 0}));
  }
  Queue join = queue();
  for (uint64_t round = 1; round <= kRounds; ++round) {
    std::vector<tiny_timepoint> ends;
    for (int i = 0; i < kQueues; ++i) {
      ASSERT_OK(submit(queues[i], from[i], to[i], {start.get(), round - 1}));
      ASSERT_OK(submit(queues[i], to[i], from[i], {nullptr, 0}, {done[i].get(), round}));
      ends.push_back({done[i].get(), round});
    }
    tiny_timepoint next = {start.get(), round};
    tiny_submission barrier = {};
    barrier.waits = ends.data();
    barrier.n_waits = ends.size();
    barrier.signals = &next;
    barrier.n_signals = 1;
    ASSERT_OK(tiny_queue_submit(join.get(), &barrier));
  }
  ASSERT_OK(tiny_signal_wait(start.get(), kRounds, TINY_FOREVER));
  for (const Buffer &buffer : from)
    expectValues(buffer.get(), std::vector<float>(4, 2 * kRounds));
}
