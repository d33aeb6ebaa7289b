#include "RuntimeTest.h"

#include <thread>

using namespace tiny::runtime;

namespace {
class BufferTest : public OnEveryDevice {};
TINY_ON_EVERY_DEVICE(BufferTest);

void countRelease(void *context, void *) { ++*static_cast<int *>(context); }
} // namespace

TEST_P(BufferTest, ReadsWhatWasWritten) {
  Buffer buffer = upload({1, 2, 3, 4});
  float two = 0;
  EXPECT_OK(tiny_buffer_read(buffer.get(), 4, &two, 4));
  EXPECT_EQ(two, computes() ? 2 : 0);
}

TEST_P(BufferTest, IsAlignedWhenMapped) {
  if (!sharesMemory())
    GTEST_SKIP() << "does not share memory";
  for (uint64_t size : {0, 1, 63, 64, 1000, (2 << 20) + 1000}) {
    Buffer buffer = allocate(size);
    EXPECT_EQ(tiny_buffer_size(buffer.get()), size);
    EXPECT_EQ(tiny_buffer_device(buffer.get()), device.get());
    void *data = nullptr;
    ASSERT_OK(tiny_buffer_map(buffer.get(), TINY_MAP_READ | TINY_MAP_WRITE, 0, size, &data));
    ASSERT_NE(data, nullptr);
    if (computes()) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % TINY_BUFFER_ALIGNMENT, 0u);
    }
    std::memset(data, 1, size);
    EXPECT_OK(tiny_buffer_unmap(buffer.get(), data));
  }
}

// The null device takes memory only where somebody looks.
TEST(NullDeviceTest, MapsNoMoreThanThereIs) {
  Device device;
  Buffer buffer;
  void *data = nullptr;
  ASSERT_OK(tiny_device_open("null", device.receive()));
  ASSERT_OK(tiny_buffer_allocate(device.get(), uint64_t(1) << 62, buffer.receive()));
  EXPECT_FAILS(tiny_buffer_map(buffer.get(), TINY_MAP_READ, 0, 4, &data), TINY_OUT_OF_MEMORY,
               "cannot map 4611686018427387904 bytes on 'null'");
}

TEST_P(BufferTest, UnmapWantsAnAddressOfTheBuffer) {
  Buffer buffer = allocate(8);
  int elsewhere;
  EXPECT_FAILS(tiny_buffer_unmap(buffer.get(), nullptr), TINY_INVALID_ARGUMENT, "mapped address is null");
  EXPECT_FAILS(tiny_buffer_unmap(buffer.get(), &elsewhere), TINY_INVALID_ARGUMENT, "is no mapping of this buffer");
}

TEST_P(BufferTest, AccessOutsideIsRefused) {
  Buffer buffer = allocate(16), other = allocate(16);
  char bytes[32] = {};
  void *data;
  uint32_t zero = 0;
  EXPECT_FAILS(tiny_buffer_read(buffer.get(), 8, bytes, 9), TINY_OUT_OF_RANGE, "9 bytes at offset 8");
  EXPECT_FAILS(tiny_buffer_write(buffer.get(), 17, bytes, 0), TINY_OUT_OF_RANGE, "leave the buffer of 16 bytes");
  EXPECT_FAILS(tiny_buffer_read(buffer.get(), UINT64_MAX, bytes, 2), TINY_OUT_OF_RANGE, "leave");
  EXPECT_FAILS(tiny_buffer_map(buffer.get(), TINY_MAP_READ, 1, 16, &data), TINY_OUT_OF_RANGE, "leave");
  EXPECT_FAILS(tiny_buffer_fill(buffer.get(), 16, 4, &zero, 4), TINY_OUT_OF_RANGE, "leave");
  EXPECT_FAILS(tiny_buffer_copy(buffer.get(), 8, other.get(), 0, 16), TINY_OUT_OF_RANGE, "leave");
  EXPECT_FAILS(tiny_buffer_copy(buffer.get(), 0, other.get(), 8, 16), TINY_OUT_OF_RANGE, "leave");
  EXPECT_OK(tiny_buffer_read(buffer.get(), 16, nullptr, 0));
}

TEST_P(BufferTest, NullPointersAreRefused) {
  Buffer buffer = allocate(16);
  tiny_buffer *out = nullptr;
  void *data;
  EXPECT_FAILS(tiny_buffer_allocate(nullptr, 4, &out), TINY_INVALID_ARGUMENT, "device handle is null");
  EXPECT_FAILS(tiny_buffer_allocate(device.get(), 4, nullptr), TINY_INVALID_ARGUMENT, "out parameter");
  EXPECT_FAILS(tiny_buffer_read(nullptr, 0, &data, 1), TINY_INVALID_ARGUMENT, "buffer handle is null");
  EXPECT_FAILS(tiny_buffer_read(buffer.get(), 0, nullptr, 1), TINY_INVALID_ARGUMENT, "target of a read is null");
  EXPECT_FAILS(tiny_buffer_write(buffer.get(), 0, nullptr, 1), TINY_INVALID_ARGUMENT, "source of a write is null");
  EXPECT_FAILS(tiny_buffer_map(buffer.get(), TINY_MAP_READ, 0, 1, nullptr), TINY_INVALID_ARGUMENT, "out parameter");
  EXPECT_FAILS(tiny_buffer_map(buffer.get(), 0, 0, 1, &data), TINY_INVALID_ARGUMENT,
               "map access 0x0 is neither reading nor writing");
  EXPECT_FAILS(tiny_buffer_view(buffer.get(), 0, 1, nullptr), TINY_INVALID_ARGUMENT, "out parameter");
  EXPECT_FAILS(tiny_buffer_import(device.get(), nullptr, 4, 0, nullptr, nullptr, &out), TINY_INVALID_ARGUMENT,
               "imported memory is null");
  EXPECT_EQ(tiny_buffer_size(nullptr), 0u);
  EXPECT_EQ(tiny_buffer_device(nullptr), nullptr);
}

TEST_P(BufferTest, ReleasingTwiceIsAnError) {
  tiny_buffer *buffer = allocate(16).take();
  EXPECT_OK(tiny_buffer_retain(buffer));
  EXPECT_OK(tiny_buffer_release(buffer));
  EXPECT_OK(tiny_buffer_release(buffer));
  EXPECT_FAILS(tiny_buffer_release(buffer), TINY_INVALID_ARGUMENT, "buffer handle is not alive");
  EXPECT_FAILS(tiny_buffer_retain(buffer), TINY_INVALID_ARGUMENT, "buffer handle is not alive");
  EXPECT_EQ(tiny_buffer_size(buffer), 0u);
}

TEST_P(BufferTest, HandleOfAnotherKindIsRefused) {
  auto *buffer = reinterpret_cast<tiny_buffer *>(device.get());
  EXPECT_FAILS(tiny_buffer_release(buffer), TINY_INVALID_ARGUMENT, "buffer handle is not alive");
}

TEST_P(BufferTest, AbsurdSizesAreRefused) {
  tiny_buffer *out = nullptr;
  EXPECT_FAILS(tiny_buffer_allocate(device.get(), UINT64_MAX, &out), TINY_OUT_OF_MEMORY, "cannot allocate");
  if (computes()) {
    EXPECT_FAILS(tiny_buffer_allocate(device.get(), uint64_t(1) << 62, &out), TINY_OUT_OF_MEMORY, "cannot allocate");
  }
  alignas(8) char bytes[8];
  EXPECT_FAILS(tiny_buffer_import(device.get(), bytes, UINT64_MAX - 7, 0, nullptr, nullptr, &out), TINY_OUT_OF_RANGE,
               "imported memory of 18446744073709551608 bytes leaves the address space");
  EXPECT_EQ(out, nullptr);
}

TEST_P(BufferTest, ImportSharesTheCallersMemory) {
  if (!sharesMemory())
    GTEST_SKIP() << "does not share memory";
  alignas(8) float values[2] = {1, 2};
  Buffer buffer;
  ASSERT_OK(tiny_buffer_import(device.get(), values, sizeof(values), 0, nullptr, nullptr, buffer.receive()));
  float seven = 7;
  EXPECT_OK(tiny_buffer_write(buffer.get(), 4, &seven, 4));
  EXPECT_EQ(values[1], computes() ? 7 : 2);
}

TEST_P(BufferTest, ImportChecksAlignmentAndFlags) {
  if (!sharesMemory())
    GTEST_SKIP() << "does not share memory";
  alignas(8) char bytes[16];
  tiny_buffer *out = nullptr;
  EXPECT_FAILS(tiny_buffer_import(device.get(), bytes + 4, 8, 0, nullptr, nullptr, &out), TINY_INVALID_ARGUMENT,
               "not aligned to 8 bytes");
  EXPECT_FAILS(tiny_buffer_import(device.get(), bytes, 8, 4, nullptr, nullptr, &out), TINY_INVALID_ARGUMENT,
               "unknown import flags 0x4");
  // What is only read may lie anywhere.
  Buffer crooked;
  ASSERT_OK(tiny_buffer_import(device.get(), bytes + 3, 8, TINY_IMPORT_READ_ONLY, nullptr, nullptr, crooked.receive()));
}

TEST_P(BufferTest, ImportIsReleasedOnceAfterItsLastView) {
  if (!sharesMemory())
    GTEST_SKIP() << "does not share memory";
  alignas(8) char bytes[16];
  int released = 0;
  Buffer view;
  {
    Buffer buffer;
    ASSERT_OK(tiny_buffer_import(device.get(), bytes, 16, 0, countRelease, &released, buffer.receive()));
    ASSERT_OK(tiny_buffer_view(buffer.get(), 8, 8, view.receive()));
  }
  EXPECT_EQ(released, 0);
  view = Buffer();
  EXPECT_EQ(released, 1);
}

TEST_P(BufferTest, ReadOnlyImportRefusesWrites) {
  if (!sharesMemory())
    GTEST_SKIP() << "does not share memory";
  alignas(8) char bytes[16] = {};
  Buffer buffer, view;
  ASSERT_OK(tiny_buffer_import(device.get(), bytes, 16, TINY_IMPORT_READ_ONLY, nullptr, nullptr, buffer.receive()));
  ASSERT_OK(tiny_buffer_view(buffer.get(), 0, 8, view.receive()));
  void *data;
  EXPECT_FAILS(tiny_buffer_write(buffer.get(), 0, "x", 1), TINY_READ_ONLY, "buffer is read-only");
  EXPECT_FAILS(tiny_buffer_write(view.get(), 0, "x", 1), TINY_READ_ONLY, "buffer is read-only");
  EXPECT_FAILS(tiny_buffer_fill(buffer.get(), 0, 1, "x", 1), TINY_READ_ONLY, "buffer is read-only");
  EXPECT_FAILS(tiny_buffer_map(buffer.get(), TINY_MAP_WRITE, 0, 1, &data), TINY_READ_ONLY, "buffer is read-only");
  EXPECT_OK(tiny_buffer_map(buffer.get(), TINY_MAP_READ, 0, 1, &data));
}

TEST_P(BufferTest, ViewsSeeTheirParent) {
  Buffer buffer = upload({1, 2, 3, 4}), view, viewOfView;
  ASSERT_OK(tiny_buffer_view(buffer.get(), 4, 12, view.receive()));
  ASSERT_OK(tiny_buffer_view(view.get(), 4, 8, viewOfView.receive()));
  expectValues(viewOfView.get(), {3, 4});
  float nine = 9;
  EXPECT_OK(tiny_buffer_write(viewOfView.get(), 0, &nine, 4));
  expectValues(buffer.get(), {1, 2, 9, 4});
  EXPECT_FAILS(tiny_buffer_read(view.get(), 12, &nine, 4), TINY_OUT_OF_RANGE, "leave the buffer of 12 bytes");
  EXPECT_FAILS(tiny_buffer_view(view.get(), 8, 8, viewOfView.receive()), TINY_OUT_OF_RANGE, "leave");
}

TEST_P(BufferTest, CopiesPartsAlsoOverlapping) {
  Buffer buffer = upload({1, 2, 3, 4});
  EXPECT_OK(tiny_buffer_copy(buffer.get(), 0, buffer.get(), 4, 12));
  expectValues(buffer.get(), {1, 1, 2, 3});
  Buffer other = upload({9, 9});
  EXPECT_OK(tiny_buffer_copy(other.get(), 0, buffer.get(), 8, 8));
  expectValues(buffer.get(), {1, 1, 9, 9});
}

TEST_P(BufferTest, FillsWithEveryPatternSize) {
  for (uint32_t patternSize : {1, 2, 4, 8}) {
    Buffer buffer = allocate(56);
    const char pattern[] = "abcdefgh";
    EXPECT_OK(tiny_buffer_fill(buffer.get(), 8, 40, pattern, patternSize));
    std::vector<char> bytes(56);
    EXPECT_OK(tiny_buffer_read(buffer.get(), 0, bytes.data(), 56));
    for (uint32_t i = 0; computes() && i < 40; ++i)
      EXPECT_EQ(bytes[8 + i], pattern[i % patternSize]);
  }
  Buffer buffer = allocate(56);
  EXPECT_FAILS(tiny_buffer_fill(buffer.get(), 0, 3, "abc", 3), TINY_INVALID_ARGUMENT, "pattern of 3 bytes");
  EXPECT_FAILS(tiny_buffer_fill(buffer.get(), 0, 6, "abcd", 4), TINY_INVALID_ARGUMENT,
               "fill of 6 bytes is no multiple of its pattern of 4");
  EXPECT_FAILS(tiny_buffer_fill(buffer.get(), 0, 4, nullptr, 4), TINY_INVALID_ARGUMENT, "pattern");
  EXPECT_OK(tiny_buffer_fill(buffer.get(), 56, 0, "abcd", 4));
}

TEST_P(BufferTest, IsCopiedToAnotherDeviceAndBack) {
  // More than goes through the host's memory at a time.
  const uint64_t size = (4 << 20) + 100;
  std::vector<char> bytes(size), got(size, 'x');
  for (uint64_t k = 0; k < size; ++k)
    bytes[k] = char(k * 7 + k / 1000);
  for (const char *name : {"cpu", "cuda", "cuda:1"}) {
    Device other;
    if (name[1] == 'u' ? !openCuda(other, name) : tiny_device_open(name, other.receive()) != TINY_OK)
      continue;
    Buffer here = allocate(size), there, again = allocate(size);
    ASSERT_OK(tiny_buffer_allocate(other.get(), size, there.receive()));
    ASSERT_OK(tiny_buffer_write(here.get(), 0, bytes.data(), size));
    ASSERT_OK(tiny_buffer_fill(there.get(), 0, size, "y", 1));
    ASSERT_OK(tiny_buffer_copy(here.get(), 5, there.get(), 3, size - 9));
    ASSERT_OK(tiny_buffer_copy(there.get(), 0, again.get(), 0, size));
    ASSERT_OK(tiny_buffer_read(again.get(), 0, got.data(), size));
    if (!computes())
      continue;
    EXPECT_EQ(got[2], 'y');
    EXPECT_EQ(got[size - 6], 'y');
    EXPECT_TRUE(std::equal(got.begin() + 3, got.end() - 6, bytes.begin() + 5)) << name;
  }
}

TEST_P(BufferTest, OutlivesItsDeviceHandle) {
  Buffer buffer = allocate(8);
  device = Device();
  EXPECT_OK(tiny_buffer_fill(buffer.get(), 0, 8, "x", 1));
}

TEST_P(BufferTest, ReferencesAreCountedAcrossThreads) {
  Buffer buffer = allocate(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 500; ++j) {
        Buffer copy = [&] {
          tiny_buffer_retain(buffer.get());
          return Buffer(buffer.get());
        }();
        Buffer view;
        EXPECT_OK(tiny_buffer_view(copy.get(), 0, 4, view.receive()));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_OK(tiny_buffer_release(buffer.take()));
}
