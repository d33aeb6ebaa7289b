// A machine that has no memory or no threads left.
#include "QueueTest.h"

#include <cstdlib>
#include <functional>
#include <new>
#include <pthread.h>

// Sanitizers have an allocator of their own.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TINY_SANITIZED
#endif
#endif

#ifndef TINY_SANITIZED
namespace {
/// What the next allocation does instead.
thread_local std::function<void()> refuse;
} // namespace

void *operator new(size_t size) {
  if (std::function<void()> fail = std::move(refuse)) {
    refuse = nullptr;
    fail();
  }
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

namespace tiny {
namespace runtime {
namespace {

#ifndef TINY_SANITIZED
TEST(ShortageTest, NoMemoryForAHandleIsAStatus) {
  tiny_signal *signal = nullptr;
  refuse = [] { throw std::bad_alloc(); };
  EXPECT_FAILS(tiny_signal_create(0, &signal), TINY_OUT_OF_MEMORY, "out of memory");
  EXPECT_EQ(signal, nullptr);
}

TEST(ShortageTest, NoExceptionLeavesTheRuntime) {
  tiny_signal *signal = nullptr;
  refuse = [] { throw 1; };
  EXPECT_FAILS(tiny_signal_create(0, &signal), TINY_DEVICE_ERROR, "unexpected exception");
  EXPECT_EQ(signal, nullptr);
}
#endif

TEST(ShortageTest, NoThreadForAQueueIsAStatus) {
  Device device;
  ASSERT_OK(tiny_device_open("cpu", device.receive()));
  pthread_attr_t usual, huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
  // No address space holds such a stack.
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t(1) << 60), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  tiny_queue *queue = nullptr;
  EXPECT_FAILS(tiny_queue_create(device.get(), &queue), TINY_DEVICE_ERROR, "no thread for a queue");
  EXPECT_EQ(queue, nullptr);
  EXPECT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_OK(tiny_queue_create(device.get(), &queue));
  tiny_queue_release(queue);
}

} // namespace
} // namespace runtime
} // namespace tiny
