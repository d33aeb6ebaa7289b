// Queues and signals: order, waits across queues, failures that travel, many threads, thousands of small runs.
#include "QueueTest.h"

#include <atomic>
#include <thread>

using namespace tiny::runtime;

namespace {

TINY_ON_EVERY_DEVICE(QueueTest);

} // namespace

TEST(SignalTest, GrowsOnly) {
  Signal signal = signalAt(3);
  EXPECT_EQ(valueOf(signal), 3u);
  EXPECT_OK(tiny_signal_raise(signal.get(), 5));
  EXPECT_FAILS(tiny_signal_raise(signal.get(), 5), TINY_INVALID_ARGUMENT, "signal can't go from 5 to 5");
  EXPECT_FAILS(tiny_signal_raise(signal.get(), 4), TINY_INVALID_ARGUMENT, "signal can't go from 5 to 4");
  EXPECT_EQ(valueOf(signal), 5u);
}

TEST(SignalTest, WaitsWithALimit) {
  Signal signal = signalAt(1);
  EXPECT_OK(tiny_signal_wait(signal.get(), 1, 0));
  EXPECT_OK(tiny_signal_wait(signal.get(), 0, TINY_FOREVER));
  EXPECT_FAILS(tiny_signal_wait(signal.get(), 2, 0), TINY_TIMED_OUT, "signal is at 1, not yet at 2");
  EXPECT_FAILS(tiny_signal_wait(signal.get(), 2, 1000), TINY_TIMED_OUT, "not yet at 2");
}

TEST(SignalTest, WakesEveryWaiter) {
  Signal signal = signalAt(0);
  std::atomic<int> woken{0};
  std::vector<std::thread> waiters;
  for (uint64_t value : {1, 2, 3})
    waiters.emplace_back([&, value] {
      EXPECT_OK(tiny_signal_wait(signal.get(), value, TINY_FOREVER));
      ++woken;
    });
  EXPECT_OK(tiny_signal_raise(signal.get(), 3));
  for (std::thread &waiter : waiters)
    waiter.join();
  EXPECT_EQ(woken, 3);
}

TEST(SignalTest, FailsOnceAndForGood) {
  Signal signal = signalAt(1);
  EXPECT_FAILS(tiny_signal_fail(signal.get(), TINY_OK, "x"), TINY_INVALID_ARGUMENT,
               "a failure needs a status and a message");
  EXPECT_FAILS(tiny_signal_fail(signal.get(), TINY_DEVICE_ERROR, nullptr), TINY_INVALID_ARGUMENT,
               "a failure needs a status and a message");
  EXPECT_OK(tiny_signal_fail(signal.get(), TINY_DEVICE_ERROR, "lost"));
  EXPECT_OK(tiny_signal_fail(signal.get(), TINY_OUT_OF_MEMORY, "later"));
  uint64_t value;
  EXPECT_FAILS(tiny_signal_value(signal.get(), &value), TINY_DEVICE_ERROR, "lost");
  EXPECT_FAILS(tiny_signal_raise(signal.get(), 9), TINY_DEVICE_ERROR, "lost");
  EXPECT_FAILS(tiny_signal_wait(signal.get(), 2, TINY_FOREVER), TINY_DEVICE_ERROR, "lost");
  // What was reached before stays reached.
  EXPECT_OK(tiny_signal_wait(signal.get(), 1, TINY_FOREVER));
}

TEST(SignalTest, RefusesDeadHandles) {
  EXPECT_FAILS(tiny_signal_create(0, nullptr), TINY_INVALID_ARGUMENT, "out parameter is null");
  EXPECT_FAILS(tiny_signal_release(nullptr), TINY_INVALID_ARGUMENT, "signal handle is null");
  tiny_signal *signal = signalAt(0).take();
  EXPECT_FAILS(tiny_signal_value(signal, nullptr), TINY_INVALID_ARGUMENT, "out parameter is null");
  EXPECT_OK(tiny_signal_release(signal));
  EXPECT_FAILS(tiny_signal_raise(signal, 1), TINY_INVALID_ARGUMENT, "signal handle is not alive");
  EXPECT_FAILS(tiny_signal_wait(signal, 1, 0), TINY_INVALID_ARGUMENT, "signal handle is not alive");
}

TEST_P(QueueTest, RunsInOrder) {
  Queue work = queue();
  Buffer a = upload({1, 2, 3, 4}), b = upload({0, 0, 0, 0});
  for (int i = 0; i < 50; ++i) {
    ASSERT_OK(submit(work, a, b));
    ASSERT_OK(submit(work, b, a));
  }
  ASSERT_OK(tiny_queue_wait(work.get()));
  expectValues(a.get(), {101, 102, 103, 104});
}

TEST_P(QueueTest, ReleaseWaitsForWhatWasSubmitted) {
  Buffer a = upload({1, 2, 3, 4}), b = upload({0, 0, 0, 0});
  {
    Queue work = queue();
    ASSERT_OK(submit(work, a, b));
  }
  expectValues(b.get(), {2, 3, 4, 5});
}

TEST_P(QueueTest, KeepsAliveWhatItRuns) {
  Queue work = queue();
  Signal gate = signalAt(0), done = signalAt(0);
  Buffer b = upload({0, 0, 0, 0});
  ASSERT_OK(submit(work, upload({1, 2, 3, 4}), b, {gate.get(), 1}, {done.get(), 1}));
  addProgram = Program();
  EXPECT_FAILS(tiny_signal_wait(done.get(), 1, 0), TINY_TIMED_OUT, "not yet");
  ASSERT_OK(tiny_signal_raise(gate.get(), 1));
  ASSERT_OK(tiny_signal_wait(done.get(), 1, TINY_FOREVER));
  expectValues(b.get(), {2, 3, 4, 5});
}

/// Two queues take turns, each waiting for the other's value: a lost wake-up would hang, a race would miscount.
TEST_P(QueueTest, TwoQueuesTakeTurns) {
  Queue first = queue(), second = queue();
  Signal turn = signalAt(0);
  Buffer a = upload({0, 0, 0, 0}), b = upload({0, 0, 0, 0});
  constexpr uint64_t kTurns = 2000;
  for (uint64_t i = 0; i < kTurns; i += 2) {
    ASSERT_OK(submit(first, a, b, {turn.get(), i}, {turn.get(), i + 1}));
    ASSERT_OK(submit(second, b, a, {turn.get(), i + 1}, {turn.get(), i + 2}));
  }
  ASSERT_OK(tiny_signal_wait(turn.get(), kTurns, TINY_FOREVER));
  expectValues(a.get(), std::vector<float>(4, float(kTurns)));
}

TEST_P(QueueTest, ManyThreadsSubmitThousands) {
  Queue work = queue();
  std::vector<std::thread> threads;
  std::vector<Buffer> ends(4);
  for (Buffer &end : ends)
    threads.emplace_back([&] {
      Buffer a = upload({0, 0, 0, 0}), b = upload({0, 0, 0, 0});
      for (int i = 0; i < 1000; ++i) {
        EXPECT_OK(submit(work, a, b));
        EXPECT_OK(submit(work, b, a));
      }
      end = a;
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_OK(tiny_queue_wait(work.get()));
  for (Buffer &end : ends)
    expectValues(end.get(), std::vector<float>(4, 2000));
}

TEST_P(QueueTest, FailuresTravel) {
  Queue first = queue(), second = queue();
  Signal between = signalAt(0), end = signalAt(0);
  Buffer small = allocate(4), b = upload({0, 0, 0, 0}), c = upload({7, 7, 7, 7});
  ASSERT_OK(submit(first, small, b, {nullptr, 0}, {between.get(), 1}));
  ASSERT_OK(submit(second, b, c, {between.get(), 1}, {end.get(), 1}));
  EXPECT_FAILS(tiny_signal_wait(end.get(), 1, TINY_FOREVER), TINY_INVALID_ARGUMENT,
               "argument 0 has 4 bytes, expected 16");
  EXPECT_FAILS(tiny_queue_wait(first.get()), TINY_INVALID_ARGUMENT, "argument 0 has 4 bytes");
  EXPECT_OK(tiny_queue_wait(first.get()));
  EXPECT_FAILS(tiny_queue_wait(second.get()), TINY_INVALID_ARGUMENT, "argument 0 has 4 bytes");
  expectValues(c.get(), {7, 7, 7, 7});
}

TEST_P(QueueTest, ASignalRaisedBackwardsFails) {
  Queue work = queue();
  Signal signal = signalAt(5);
  Buffer a = upload({1, 2, 3, 4}), b = allocate(16);
  ASSERT_OK(submit(work, a, b, {nullptr, 0}, {signal.get(), 5}));
  EXPECT_FAILS(tiny_queue_wait(work.get()), TINY_INVALID_ARGUMENT, "signal can't go from 5 to 5");
  EXPECT_FAILS(tiny_signal_wait(signal.get(), 6, TINY_FOREVER), TINY_INVALID_ARGUMENT, "from 5 to 5");
}

TEST_P(QueueTest, ABarrierRunsNothing) {
  Queue work = queue();
  Signal signal = signalAt(0);
  tiny_timepoint point = {signal.get(), 4};
  tiny_submission barrier = {};
  barrier.signals = &point;
  barrier.n_signals = 1;
  ASSERT_OK(tiny_queue_submit(work.get(), &barrier));
  EXPECT_OK(tiny_signal_wait(signal.get(), 4, TINY_FOREVER));
}

TEST_P(QueueTest, RefusesWhatIsNotAlive) {
  EXPECT_FAILS(tiny_queue_create(nullptr, nullptr), TINY_INVALID_ARGUMENT, "device handle is null");
  EXPECT_FAILS(tiny_queue_create(device.get(), nullptr), TINY_INVALID_ARGUMENT, "out parameter is null");
  EXPECT_FAILS(tiny_queue_release(nullptr), TINY_INVALID_ARGUMENT, "queue handle is null");
  Queue work = queue();
  EXPECT_FAILS(tiny_queue_submit(work.get(), nullptr), TINY_INVALID_ARGUMENT, "submission is null");
  tiny_submission submission = {};
  submission.n_arguments = 1;
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, "list of arguments is null");
  tiny_buffer *none = nullptr;
  submission.arguments = &none;
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, "argument 0 is null");
  submission = {};
  submission.n_waits = 1;
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, "list of timepoints is null");
  tiny_timepoint point = {nullptr, 0};
  submission.waits = &point;
  EXPECT_FAILS(tiny_queue_submit(work.get(), &submission), TINY_INVALID_ARGUMENT, "signal handle is null");
  EXPECT_OK(tiny_queue_wait(work.get()));
}

TEST_P(QueueTest, IsNotReleasedByItsOwnThread) {
  struct Answers {
    tiny_queue *queue;
    tiny_status released, waited;
    std::string notReleased, notWaited;
  };
  Queue work = queue();
  Answers answers = {work.get(), TINY_OK, TINY_OK, "", ""};
  Buffer a = upload({1, 2, 3, 4}), b = allocate(16);
  tiny_buffer *argument = a.get(), *result = b.get();
  tiny_submission submission = {};
  submission.program = addProgram.get();
  submission.arguments = &argument;
  submission.results = &result;
  submission.n_arguments = submission.n_results = 1;
  submission.options.profile_context = &answers;
  submission.options.profile = [](void *context, const char *, uint64_t) {
    auto *answers = static_cast<Answers *>(context);
    answers->released = tiny_queue_release(answers->queue);
    answers->notReleased = tiny_last_error();
    answers->waited = tiny_queue_wait(answers->queue);
    answers->notWaited = tiny_last_error();
  };
  ASSERT_OK(tiny_queue_submit(work.get(), &submission));
  ASSERT_OK(tiny_queue_wait(work.get()));
  EXPECT_EQ(answers.released, TINY_INVALID_ARGUMENT);
  EXPECT_EQ(answers.waited, TINY_INVALID_ARGUMENT);
  EXPECT_EQ(answers.notReleased, "a queue can't be released on its own thread");
  EXPECT_EQ(answers.notWaited, "a queue can't wait for itself");
}
