// What a device must do beyond what a machine of one kind of memory shows: copies and fills by classes of offset and
// length, buffers that begin anywhere, many small launches, work that is in flight while its buffers go.
#include "QueueTest.h"

#include <numeric>
#include <thread>

using namespace tiny::runtime;

namespace {

class Conformance : public QueueTest {
protected:
  static std::vector<char> bytesOf(const Buffer &buffer) {
    std::vector<char> bytes(tiny_buffer_size(buffer.get()));
    EXPECT_OK(tiny_buffer_read(buffer.get(), 0, bytes.data(), bytes.size()));
    return bytes;
  }
  Buffer uploadBytes(const std::vector<char> &bytes) {
    Buffer buffer = allocate(bytes.size());
    EXPECT_OK(tiny_buffer_write(buffer.get(), 0, bytes.data(), bytes.size()));
    return buffer;
  }
  static std::vector<char> countUp(size_t size, int from = 0) {
    std::vector<char> bytes(size);
    std::iota(bytes.begin(), bytes.end(), char(from));
    return bytes;
  }

  /// Runs add_one, or what `builder` has, on these buffers.
  tiny_status run(const Program &program, const std::vector<Buffer> &arguments, Buffer &result) {
    std::vector<tiny_buffer *> list;
    for (const Buffer &argument : arguments)
      list.push_back(argument.get());
    tiny_buffer *raw = result.get();
    bool isNew = !raw;
    tiny_status status = tiny_program_run(program.get(), list.data(), list.size(), &raw, 1, nullptr);
    if (isNew && status == TINY_OK)
      result = Buffer(raw);
    return status;
  }
};
TINY_ON_EVERY_DEVICE(Conformance);

} // namespace

//===--- Copies and fills -----------------------------------------------------------------------------------------===//

TEST_P(Conformance, CopiesByOffsetAndLength) {
  std::vector<char> from = countUp(600), to = countUp(600, 77);
  for (uint64_t source : {0, 1, 4, 64, 101})
    for (uint64_t target : {0, 2, 3, 8, 128})
      for (uint64_t size : {1, 2, 3, 4, 7, 64, 257}) {
        Buffer a = uploadBytes(from), b = uploadBytes(to);
        ASSERT_OK(tiny_buffer_copy(a.get(), source, b.get(), target, size));
        std::vector<char> expected = to;
        std::copy_n(from.begin() + source, size, expected.begin() + target);
        if (computes()) {
          EXPECT_EQ(bytesOf(b), expected) << source << " to " << target << ", " << size << " bytes";
          EXPECT_EQ(bytesOf(a), from);
        }
      }
}

TEST_P(Conformance, FillsByOffsetLengthAndPattern) {
  const char pattern[] = "stuvwxyz";
  std::vector<char> before = countUp(300);
  for (uint32_t width : {1, 2, 4, 8})
    for (uint64_t offset : {0, 1, 2, 4, 7, 64})
      for (uint64_t count : {1, 2, 3, 8, 25}) {
        Buffer buffer = uploadBytes(before);
        ASSERT_OK(tiny_buffer_fill(buffer.get(), offset, count * width, pattern, width));
        std::vector<char> expected = before;
        for (uint64_t k = 0; k < count * width; ++k)
          expected[offset + k] = pattern[k % width];
        if (computes()) {
          EXPECT_EQ(bytesOf(buffer), expected) << count << " times " << width << " bytes at " << offset;
        }
      }
}

TEST_P(Conformance, FillsMoreThanAPatternBuffer) {
  uint64_t size = (300 << 10) + 8;
  Buffer buffer = allocate(size + 1);
  ASSERT_OK(tiny_buffer_fill(buffer.get(), 1, size, "abcdefgh", 8));
  std::vector<char> bytes = bytesOf(buffer);
  for (uint64_t k = 0; computes() && k < size; ++k)
    ASSERT_EQ(bytes[1 + k], "abcdefgh"[k % 8]) << k;
}

TEST_P(Conformance, LargeBuffersKeepWhatIsWritten) {
  // More than one part on its way to a device with memory of its own.
  std::vector<char> bytes(20 << 20);
  for (size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = char(k * 2654435761u >> 24);
  Buffer a = uploadBytes(bytes), b = allocate(bytes.size());
  ASSERT_OK(tiny_buffer_copy(a.get(), 0, b.get(), 0, bytes.size()));
  ASSERT_OK(tiny_buffer_copy(b.get(), 0, b.get(), 1, bytes.size() - 1));
  if (computes()) {
    bytes.insert(bytes.begin(), bytes.front());
    bytes.pop_back();
    EXPECT_TRUE(bytesOf(b) == bytes);
  }
}

TEST_P(Conformance, BuffersDoNotMeet) {
  // Of many sizes, some freed in between.
  std::vector<Buffer> buffers;
  std::vector<int> marks;
  for (int k = 0; k < 300; ++k) {
    Buffer buffer = allocate(uint64_t(k * k) % 5000 + 1);
    char mark = char(k);
    ASSERT_OK(tiny_buffer_fill(buffer.get(), 0, tiny_buffer_size(buffer.get()), &mark, 1));
    buffers.push_back(buffer);
    marks.push_back(mark);
    if (k % 3 == 2) {
      buffers.erase(buffers.begin() + k / 3);
      marks.erase(marks.begin() + k / 3);
    }
  }
  for (size_t k = 0; computes() && k < buffers.size(); ++k)
    for (char byte : bytesOf(buffers[k]))
      ASSERT_EQ(int(byte), marks[k]) << k;
}

//===--- Launches -------------------------------------------------------------------------------------------------===//

TEST_P(Conformance, BuffersOfKernelsMayBeginAtAnyElement) {
  for (uint64_t first : {0, 1, 2, 3, 5}) {
    std::vector<float> numbers(16);
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    Buffer parent = upload(numbers), target = upload(std::vector<float>(16, 0)), argument, result;
    ASSERT_OK(tiny_buffer_view(parent.get(), first * 4, 16, argument.receive()));
    ASSERT_OK(tiny_buffer_view(target.get(), (first + 1) * 4, 16, result.receive()));
    ASSERT_OK(run(addProgram, {argument}, result));
    std::vector<float> expected(16, 0);
    for (uint64_t k = 0; k < 4; ++k)
      expected[first + 1 + k] = numbers[first + k] + 1;
    expectValues(target.get(), expected);
    expectValues(parent.get(), numbers);
  }
}

TEST_P(Conformance, PartsOfTemporariesMayBeginAtAnyElement) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), both = builder.alloc(12), add = builder.kernel("add_one", addOne, 2);
  float zero = 0;
  builder.fill(both, &zero);
  uint32_t low = builder.alias(both, 1, 4), high = builder.alias(both, 7, 4);
  builder.launch(add, {x}, {low});
  builder.launch(add, {low}, {high});
  builder.results = {both};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer result;
  ASSERT_OK(run(program, {upload({1, 2, 3, 4})}, result));
  expectValues(result.get(), {0, 2, 3, 4, 5, 0, 0, 3, 4, 5, 6, 0});
}

TEST_P(Conformance, ThousandsOfSmallLaunchesInOneRun) {
  constexpr int kLaunches = 5000;
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), a = builder.alloc(4), b = builder.alloc(4);
  uint32_t add = builder.kernel("add_one", addOne, 2);
  builder.bufferLists.reserve(kLaunches + 1);
  builder.launch(add, {x}, {a});
  for (int k = 1; k < kLaunches; ++k)
    builder.launch(add, {k % 2 ? a : b}, {k % 2 ? b : a});
  builder.results = {kLaunches % 2 ? a : b};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer result;
  ASSERT_OK(run(program, {upload({0, 1, 2, 3})}, result));
  expectValues(result.get(), {kLaunches, kLaunches + 1, kLaunches + 2, kLaunches + 3});
}

TEST_P(Conformance, ThousandsOfRuns) {
  Buffer a = upload({0, 0, 0, 0}), b = allocate(16);
  for (int k = 0; k < 1000; ++k) {
    ASSERT_OK(run(addProgram, {a}, b));
    ASSERT_OK(run(addProgram, {b}, a));
  }
  expectValues(a.get(), {2000, 2000, 2000, 2000});
}

TEST_P(Conformance, ManyProgramsAtATime) {
  std::vector<Program> programs(200);
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), y = builder.alloc(4);
  std::vector<float> values = {10, 20, 30, 40};
  auto combine = [](void *const *buffers, const int64_t *) {
    for (int k = 0; k < 4; ++k)
      static_cast<float *>(buffers[2])[k] =
          static_cast<const float *>(buffers[0])[k] + 2 * static_cast<const float *>(buffers[1])[k];
  };
  builder.launch(builder.kernel("combine", combine, 3), {x, builder.constant(values)}, {y});
  builder.results = {y};
  for (Program &program : programs)
    ASSERT_OK(builder.create(device.get(), program.receive()));
  for (Program &program : programs) {
    Buffer result;
    ASSERT_OK(run(program, {upload({1, 2, 3, 4})}, result));
    expectValues(result.get(), {21, 42, 63, 84});
    program = Program();
  }
}

//===--- In flight ------------------------------------------------------------------------------------------------===//

TEST_P(Conformance, BuffersMayGoWhileTheyAreUsed) {
  Queue work = queue();
  Signal gate = signalAt(0);
  Buffer last;
  {
    Buffer first = upload({1, 2, 3, 4});
    ASSERT_OK(submit(work, first, last = allocate(16), {gate.get(), 1}));
    for (int k = 0; k < 50; ++k) {
      Buffer next = allocate(16);
      ASSERT_OK(submit(work, last, next));
      last = next;
    }
  }
  // Memory that others want meanwhile.
  std::vector<Buffer> noise;
  for (int k = 0; k < 50; ++k)
    noise.push_back(upload({-1, -1, -1, -1}));
  ASSERT_OK(tiny_signal_raise(gate.get(), 1));
  ASSERT_OK(tiny_queue_wait(work.get()));
  expectValues(last.get(), {52, 53, 54, 55});
}

TEST_P(Conformance, QueuesWaitForEachOther) {
  // A chain that goes to and fro, submitted from its end.
  Queue even = queue(), odd = queue();
  Signal progress = signalAt(0);
  constexpr int kSteps = 40;
  std::vector<Buffer> buffers = {upload({0, 0, 0, 0})};
  for (int k = 0; k < kSteps; ++k)
    buffers.push_back(allocate(16));
  std::thread later([&] {
    for (int k = 1; k < kSteps; k += 2)
      ASSERT_OK(
          submit(odd, buffers[k], buffers[k + 1], {progress.get(), uint64_t(k)}, {progress.get(), uint64_t(k + 1)}));
  });
  for (int k = 0; k < kSteps; k += 2)
    ASSERT_OK(
        submit(even, buffers[k], buffers[k + 1], {progress.get(), uint64_t(k)}, {progress.get(), uint64_t(k + 1)}));
  later.join();
  ASSERT_OK(tiny_signal_wait(progress.get(), kSteps, TINY_FOREVER));
  expectValues(buffers.back().get(), {kSteps, kSteps, kSteps, kSteps});
}

TEST_P(Conformance, ThreadsAllocateRunAndFree) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 100; ++k) {
        Buffer argument = upload({float(t), float(k), 0, 0}), result, view;
        ASSERT_OK(run(addProgram, {argument}, result));
        argument = Buffer();
        ASSERT_OK(tiny_buffer_fill(result.get(), 8, 8, "\0\0\0\0", 4));
        expectValues(result.get(), {float(t) + 1, float(k) + 1, 0, 0});
        ASSERT_OK(tiny_buffer_view(result.get(), 4, 4, view.receive()));
        result = Buffer();
        expectValues(view.get(), {float(k) + 1});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
