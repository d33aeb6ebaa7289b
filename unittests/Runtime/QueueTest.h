// What tests of queues share: a program that adds one, and its submission.
#ifndef TINY_UNITTESTS_RUNTIME_QUEUETEST_H
#define TINY_UNITTESTS_RUNTIME_QUEUETEST_H

#include "RuntimeTest.h"

namespace tiny {
namespace runtime {

inline Signal signalAt(uint64_t value) {
  Signal signal;
  EXPECT_OK(tiny_signal_create(value, signal.receive()));
  return signal;
}

inline uint64_t valueOf(const Signal &signal) {
  uint64_t value = 0;
  EXPECT_OK(tiny_signal_value(signal.get(), &value));
  return value;
}

class QueueTest : public OnEveryDevice {
protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    if (IsSkipped())
      return;
    ProgramBuilder builder;
    uint32_t x = builder.argument(4), y = builder.alloc(4);
    builder.launch(builder.kernel("add_one", addOne, 2), {x}, {y});
    builder.results = {y};
    ASSERT_OK(builder.create(device.get(), addProgram.receive()));
  }

  Queue queue() {
    Queue queue;
    EXPECT_OK(tiny_queue_create(device.get(), queue.receive()));
    return queue;
  }

  /// to = from + 1 after `wait`, raising `signal`; either may have no signal.
  tiny_status submit(const Queue &queue, const Buffer &from, const Buffer &to, tiny_timepoint wait = {nullptr, 0},
                     tiny_timepoint signal = {nullptr, 0}) {
    tiny_buffer *argument = from.get(), *result = to.get();
    tiny_submission submission = {};
    submission.program = addProgram.get();
    submission.arguments = &argument;
    submission.n_arguments = 1;
    submission.results = &result;
    submission.n_results = 1;
    submission.waits = &wait;
    submission.n_waits = wait.signal != nullptr;
    submission.signals = &signal;
    submission.n_signals = signal.signal != nullptr;
    return tiny_queue_submit(queue.get(), &submission);
  }

  Program addProgram;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_UNITTESTS_RUNTIME_QUEUETEST_H
