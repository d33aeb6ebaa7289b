// Programs whose slots lie on several devices: what is copied is what items say, and what does not depend on each other
// runs at the same time. Nothing here is timed: two steps meet, which they could not do one after the other.
#include "RuntimeTest.h"

#include "Handles.h"
#include "Multi/MultiDevice.h"
#include "Timelines.h"

#include <atomic>
#include <functional>

using namespace tiny::runtime;

namespace {

/// Where two steps meet. A step that nobody comes to gives up.
class Meeting {
public:
  tiny_status come() {
    std::unique_lock<std::mutex> lock(mutex);
    ++count;
    changed.notify_all();
    if (changed.wait_for(lock, std::chrono::seconds(60), [&] { return count >= 2; }))
      return TINY_OK;
    return fail(TINY_TIMED_OUT, "nobody else came");
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
};

/// A device whose memory is malloc's, and whose kernels are functions. It tells what it did.
struct LoggingDevice final : tiny_device {
  LoggingDevice(const char *name, bool isHost) : tiny_device(name), isHost(isHost) {}

  tiny_status allocate(Memory &memory) override {
    memory.handle = std::calloc(1, memory.size + 1);
    return memory.handle ? TINY_OK : fail(TINY_OUT_OF_MEMORY, "no memory");
  }
  tiny_status import(void *, Memory &) override { return TINY_UNSUPPORTED; }
  void free(Memory &memory) override { std::free(memory.handle); }
  bool computesInHostMemory() const override { return isHost; }
  static char *at(const Region &region) { return static_cast<char *>(region.memory->handle) + region.offset; }
  tiny_status map(const Region &, uint32_t, void **) override { return TINY_UNSUPPORTED; }
  tiny_status unmap(const Region &, void *) override { return TINY_UNSUPPORTED; }
  tiny_status read(const Region &region, void *target) override {
    if (onRead)
      if (tiny_status status = onRead())
        return status;
    note("read");
    std::memcpy(target, at(region), region.size);
    return TINY_OK;
  }
  tiny_status write(const Region &region, const void *source) override {
    note("write");
    std::memcpy(at(region), source, region.size);
    return TINY_OK;
  }
  tiny_status copy(const Region &source, const Region &target) override {
    note("copy");
    std::memmove(at(target), at(source), source.size);
    return TINY_OK;
  }
  tiny_status fill(const Region &region, const void *pattern, uint32_t size) override {
    note("fill");
    for (uint64_t k = 0; k < region.size; ++k)
      at(region)[k] = static_cast<const char *>(pattern)[k % size];
    return TINY_OK;
  }
  bool canRun(const char *, uint32_t, uint64_t, uint32_t) const override { return false; }
  tiny_status loadCode(const void *, uint64_t, std::unique_ptr<Code> &) override { return TINY_UNSUPPORTED; }
  struct Function final : Kernel {
    std::string name;
    tiny_cpu_kernel call = nullptr;
  };
  tiny_status prepare(const tiny_kernel &kernel, Code *, const char *, std::unique_ptr<Kernel> &made) override {
    auto function = std::make_unique<Function>();
    function->name = kernel.name;
    function->call = kernel.function;
    made = std::move(function);
    return TINY_OK;
  }
  tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t, uint32_t count) override {
    auto &function = static_cast<Function &>(kernel);
    if (onLaunch)
      if (tiny_status status = onLaunch(function.name))
        return status;
    note(function.name);
    std::vector<void *> addresses;
    for (uint32_t k = 0; k < count; ++k)
      addresses.push_back(at(buffers[k]));
    int64_t grid[3] = {};
    function.call(addresses.data(), grid);
    return TINY_OK;
  }

  void note(const std::string &what) {
    std::lock_guard<std::mutex> lock(mutex);
    log += (log.empty() ? "" : " ") + what;
  }
  std::string takeLog() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(log, "");
  }

  const bool isHost;
  std::function<tiny_status()> onRead;
  std::function<tiny_status(const std::string &)> onLaunch;

private:
  std::mutex mutex;
  std::string log;
};

void add(void *const *buffers, const int64_t *) {
  auto *a = static_cast<const float *>(buffers[0]), *b = static_cast<const float *>(buffers[1]);
  auto *out = static_cast<float *>(buffers[2]);
  for (int i = 0; i < 4; ++i)
    out[i] = a[i] + b[i];
}

/// 1 while the first element is below 3.
void isBelowThree(void *const *buffers, const int64_t *) {
  *static_cast<char *>(buffers[1]) = *static_cast<const float *>(buffers[0]) < 3;
}

/// Kernels of even numbers run on "gpu", the others on "host"; slots lie on "gpu" unless `onHost` names them.
class SeveralDevices : public testing::Test {
protected:
  SeveralDevices() : multi(createMultiDevice("gpu,host", {&gpu, &host})) {
    enterHandle(multi.get(), HandleKind::Device);
  }
  ~SeveralDevices() override {
    for (tiny_buffer *buffer : buffers)
      EXPECT_OK(tiny_buffer_release(buffer));
    program = Program();
    bool last;
    EXPECT_OK(releaseHandle(multi.get(), HandleKind::Device, last));
    EXPECT_TRUE(last);
    EXPECT_EQ(gpu.bytesInUse + host.bytesInUse, 0u);
  }

  uint32_t alloc(bool isOnHost, uint64_t nFloats = 4) {
    uint32_t slot = builder.alloc(nFloats);
    if (isOnHost)
      onHost.push_back(slot);
    return slot;
  }
  tiny_status create() {
    tiny_program_desc desc = builder.desc();
    slotDevices.assign(desc.n_slots, 0);
    for (uint32_t slot : onHost)
      slotDevices[slot] = 1;
    kernelDevices.clear();
    for (uint32_t kernel = 0; kernel < desc.n_kernels; ++kernel)
      kernelDevices.push_back(kernel % 2);
    desc.slot_devices = slotDevices.data();
    desc.kernel_devices = kernelDevices.data();
    return tiny_program_create(multi.get(), &desc, program.receive());
  }
  tiny_buffer *makeBuffer(const std::vector<float> &values) {
    tiny_buffer *buffer = nullptr;
    EXPECT_OK(tiny_buffer_allocate(multi.get(), values.size() * sizeof(float), &buffer));
    EXPECT_OK(tiny_buffer_write(buffer, 0, values.data(), values.size() * sizeof(float)));
    buffers.push_back(buffer);
    return buffer;
  }
  std::vector<float> read(tiny_buffer *buffer) {
    std::vector<float> values(tiny_buffer_size(buffer) / sizeof(float));
    EXPECT_OK(tiny_buffer_read(buffer, 0, values.data(), values.size() * sizeof(float)));
    return values;
  }
  /// Runs it on the argument, and forgets what was logged before.
  tiny_status run(tiny_buffer *argument, tiny_buffer *&result, const tiny_run_options *options = nullptr) {
    gpu.takeLog();
    host.takeLog();
    result = nullptr;
    tiny_status status = tiny_program_run(program.get(), &argument, 1, &result, 1, options);
    if (result)
      buffers.push_back(result);
    return status;
  }

  LoggingDevice gpu{"gpu", false}, host{"host", true};
  std::unique_ptr<tiny_device> multi;
  ProgramBuilder builder;
  std::vector<uint32_t> onHost, slotDevices, kernelDevices;
  Program program;
  std::vector<tiny_buffer *> buffers;
};

/// y = (x + 1) + (x + 1), an arm on each device.
class Diamond : public SeveralDevices {
protected:
  Diamond() {
    uint32_t x = builder.argument(4), xHost = alloc(true), left = alloc(false), right = alloc(true);
    uint32_t rightGpu = alloc(false), y = alloc(false);
    builder.kernel("left", addOne, 2);
    builder.kernel("right", addOne, 2);
    builder.kernel("join", add, 3);
    builder.copy(x, xHost);
    builder.launch(0, {x}, {left});
    builder.launch(1, {xHost}, {right});
    builder.copy(right, rightGpu);
    builder.launch(2, {left, rightGpu}, {y});
    builder.results = {y};
  }
};

} // namespace

TEST_F(Diamond, ArmsRunAtTheSameTime) {
  Meeting meeting;
  gpu.onLaunch = [&](const std::string &name) { return name == "left" ? meeting.come() : TINY_OK; };
  host.onLaunch = [&](const std::string &) { return meeting.come(); };
  ASSERT_OK(create());
  tiny_buffer *result;
  ASSERT_OK(run(makeBuffer({1, 2, 3, 4}), result));
  EXPECT_EQ(read(result), (std::vector<float>{4, 6, 8, 10}));
}

TEST_F(Diamond, NothingIsCopiedThatNoItemSays) {
  ASSERT_OK(create());
  tiny_buffer *x = makeBuffer({1, 2, 3, 4}), *result;
  for (int round = 0; round < 3; ++round) {
    ASSERT_OK(run(x, result));
    EXPECT_EQ(gpu.takeLog(), "read left write join");
    EXPECT_EQ(host.takeLog(), "write right read");
    EXPECT_EQ(read(result), (std::vector<float>{4, 6, 8, 10}));
  }
}

TEST_F(Diamond, IsProfiledItemByItem) {
  ASSERT_OK(create());
  std::string names;
  tiny_run_options options = {};
  options.profile_context = &names;
  options.profile = [](void *context, const char *name, uint64_t) {
    *static_cast<std::string *>(context) += std::string(name) + ";";
  };
  tiny_buffer *result;
  ASSERT_OK(run(makeBuffer({1, 2, 3, 4}), result, &options));
  EXPECT_EQ(names, "copy from gpu to host;left;right;copy from host to gpu;join;");
  EXPECT_EQ(read(result), (std::vector<float>{4, 6, 8, 10}));
}

TEST_F(Diamond, FailuresArriveAndTheNextRunIsWell) {
  ASSERT_OK(create());
  tiny_buffer *x = makeBuffer({1, 2, 3, 4}), *result;
  host.onLaunch = [](const std::string &) { return fail(TINY_DEVICE_ERROR, "the host is tired"); };
  EXPECT_FAILS(run(x, result), TINY_DEVICE_ERROR, "the host is tired");
  EXPECT_EQ(gpu.takeLog().find("join"), std::string::npos);
  host.onLaunch = nullptr;
  ASSERT_OK(run(x, result));
  EXPECT_EQ(read(result), (std::vector<float>{4, 6, 8, 10}));
}

TEST_F(Diamond, HasAnArenaOnEachDevice) {
  ASSERT_OK(create());
  tiny_memory_plan plan;
  ASSERT_OK(tiny_program_memory(program.get(), &plan));
  // Two temporaries on each at a time, of 64 bytes; the result is the caller's.
  EXPECT_EQ(plan.arena, 4u * 64);
  EXPECT_EQ(plan.arena_bound, plan.arena);
  tiny_buffer *result;
  ASSERT_OK(run(makeBuffer({1, 2, 3, 4}), result));
  EXPECT_EQ(host.bytesInUse, 2u * 64);
}

/// The result lies where it is made: who reads it next finds it, and a program that takes it as an argument, too.
TEST_F(SeveralDevices, ResultsAreFound) {
  uint32_t x = builder.argument(4), xHost = alloc(true), y = alloc(true);
  builder.kernel("unused", addOne, 2);
  builder.kernel("next", addOne, 2);
  builder.copy(x, xHost);
  builder.launch(1, {xHost}, {y});
  builder.results = {y};
  ASSERT_OK(create());
  tiny_buffer *first, *second;
  ASSERT_OK(run(makeBuffer({1, 2, 3, 4}), first));
  EXPECT_EQ(gpu.takeLog(), "read");
  ASSERT_OK(run(first, second));
  EXPECT_EQ(read(second), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(read(first), (std::vector<float>{2, 3, 4, 5}));
}

/// The second copy from the GPU, and a kernel of the host's that does not need it.
TEST_F(SeveralDevices, CopiesAndKernelsRunAtTheSameTime) {
  uint32_t x = builder.argument(4), early = alloc(true), late = alloc(true), other = alloc(true), y = alloc(true);
  builder.kernel("unused", addOne, 2);
  builder.kernel("host", addOne, 2);
  builder.kernel("unused too", addOne, 2);
  builder.kernel("sum", add, 3);
  builder.copy(x, early);
  builder.launch(1, {early}, {other});
  builder.copy(x, late);
  builder.launch(3, {late, other}, {y});
  builder.results = {y};
  ASSERT_OK(create());
  Meeting meeting;
  int nReads = 0;
  gpu.onRead = [&] { return ++nReads == 2 ? meeting.come() : TINY_OK; };
  host.onLaunch = [&](const std::string &name) { return name == "host" ? meeting.come() : TINY_OK; };
  tiny_buffer *result;
  ASSERT_OK(run(makeBuffer({1, 2, 3, 4}), result));
  EXPECT_EQ(read(result), (std::vector<float>{3, 5, 7, 9}));
}

/// Temporaries of a chain follow each other on both devices, and share memory; what the devices do at the same time
/// does not, although it stands one behind the other in the list.
TEST_F(SeveralDevices, MemoryIsSharedWhereDataIsOrdered) {
  uint32_t current = builder.argument(4);
  builder.kernel("gpu", addOne, 2);
  builder.kernel("host", addOne, 2);
  for (int round = 0; round < 4; ++round) {
    uint32_t a = alloc(false), b = alloc(true), c = alloc(true), d = alloc(false);
    builder.launch(0, {current}, {a});
    builder.copy(a, b);
    builder.launch(1, {b}, {c});
    builder.copy(c, d);
    current = d;
  }
  builder.results = {current};
  ASSERT_OK(create());
  tiny_memory_plan plan;
  ASSERT_OK(tiny_program_memory(program.get(), &plan));
  EXPECT_EQ(plan.arena, 4u * 64);
  tiny_buffer *result;
  ASSERT_OK(run(makeBuffer({1, 2, 3, 4}), result));
  EXPECT_EQ(read(result), (std::vector<float>{9, 10, 11, 12}));

  // Each round has a chain of its own: the rounds may overlap.
  builder = ProgramBuilder();
  onHost.clear();
  uint32_t x = builder.argument(4);
  builder.kernel("gpu", addOne, 2);
  builder.kernel("host", addOne, 2);
  for (int round = 0; round < 4; ++round) {
    uint32_t b = alloc(true), c = alloc(true);
    builder.copy(x, b);
    builder.launch(1, {b}, {c});
    builder.results.push_back(c);
  }
  program = Program();
  ASSERT_OK(create());
  ASSERT_OK(tiny_program_memory(program.get(), &plan));
  EXPECT_EQ(plan.arena, 4u * 64);
  EXPECT_EQ(plan.arena_bound, 1u * 64);
}

/// A loop with a kernel on each device in its body, and a condition that the host's kernel writes.
TEST_F(SeveralDevices, LoopsGoOverBoth) {
  uint32_t x = builder.argument(4, TINY_SLOT_WRITABLE), xHost = alloc(true), next = alloc(false);
  uint32_t go = builder.slotOf(1, "\1");
  onHost.push_back(go);
  builder.kernel("step", addOne, 2);
  builder.kernel("check", isBelowThree, 2);
  size_t loop = builder.loop(10, TINY_NO_SLOT, TINY_NO_SLOT, go);
  builder.launch(0, {x}, {next});
  builder.copy(next, x);
  builder.copy(x, xHost);
  builder.launch(1, {xHost}, {go});
  builder.endList(loop);
  builder.results = {x};
  ASSERT_OK(create());
  tiny_buffer *x0 = makeBuffer({0, 1, 2, 3}), *result;
  ASSERT_OK(run(x0, result));
  EXPECT_EQ(gpu.takeLog(), "step copy read step copy read step copy read");
  EXPECT_EQ(host.takeLog(), "fill read write check read write check read write check read");
  EXPECT_EQ(read(x0), (std::vector<float>{3, 4, 5, 6}));
}

/// What depends on constants alone is computed once, the copy to the other device with it.
TEST_F(SeveralDevices, ConstantsArePreparedOnBoth) {
  std::vector<float> values = {1, 1, 1, 1};
  uint32_t x = builder.argument(4), c = builder.constant(values), cHost = alloc(true), xHost = alloc(true);
  uint32_t y = alloc(true);
  builder.kernel("unused", addOne, 2);
  builder.kernel("sum", add, 3);
  builder.copy(c, cHost);
  builder.copy(x, xHost);
  builder.launch(1, {xHost, cHost}, {y});
  builder.results = {y};
  ASSERT_OK(create());
  tiny_buffer *x0 = makeBuffer({1, 2, 3, 4}), *result;
  ASSERT_OK(run(x0, result));
  EXPECT_EQ(gpu.takeLog(), "read read");
  ASSERT_OK(run(x0, result));
  EXPECT_EQ(gpu.takeLog(), "read");
  EXPECT_EQ(read(result), (std::vector<float>{2, 3, 4, 5}));
}

TEST_F(SeveralDevices, MalformedProgramsAreRefused) {
  auto expectRefused = [&](const char *message) { EXPECT_FAILS(create(), TINY_INVALID_ARGUMENT, message); };
  uint32_t x = builder.argument(4), y = alloc(false);
  builder.kernel("left", addOne, 2);
  builder.kernel("right", addOne, 2);
  builder.results = {y};
  builder.launch(1, {x}, {y});
  expectRefused("item 1: launch of 'right' on 'host' with slot 0, which lies on 'gpu': no item has copied it");
  builder.items.pop_back();
  builder.launch(0, {x}, {y});
  onHost = {y};
  expectRefused("item 1: launch of 'left' on 'gpu' with slot 1, which lies on 'host': no item has copied it");
  onHost = {};
  onHost.push_back(builder.alias(x, 0, 2));
  expectRefused("item 2: slot 2 on 'host' is a part of slot 0 on 'gpu'");
  builder.items.pop_back();
  builder.slots.pop_back();
  ASSERT_OK(create());

  tiny_program_desc desc = builder.desc();
  uint32_t zeros[] = {0, 0}, two[] = {0, 2};
  auto refuse = [&](const uint32_t *slots, const uint32_t *kernels, const char *message) {
    desc.slot_devices = slots;
    desc.kernel_devices = kernels;
    Program other;
    EXPECT_FAILS(tiny_program_create(multi.get(), &desc, other.receive()), TINY_INVALID_ARGUMENT, message);
  };
  refuse(two, zeros, "slot 1 lies on device 2 of 2");
  refuse(zeros, two, "kernel 'right' runs on device 2 of 2");
  refuse(nullptr, zeros, "it says where kernels run and not where slots lie");
  refuse(zeros, nullptr, "it says where kernels run and not where slots lie");
}

TEST_F(SeveralDevices, CollectivesStayOnOneDevice) {
  uint32_t x = builder.argument(4), y = alloc(true);
  builder.grid = {2};
  uint32_t axis = 0;
  tiny_collective what = {};
  what.kind = TINY_BROADCAST;
  what.dtype = TINY_DTYPE_F32;
  what.axes = &axis;
  what.n_axes = 1;
  builder.collective(&what, x, y);
  builder.results = {y};
  EXPECT_FAILS(create(), TINY_INVALID_ARGUMENT, "item 1: collective from slot 0 on 'gpu' to slot 1 on 'host'");
}

//===--- Timelines alone
//----------------------------------------------------------------------------------------------//

namespace {

class TimelinesOfTwo : public testing::Test {
protected:
  LoggingDevice first{"first", false}, second{"second", true};
  Timelines timelines{{&first, &second}};
  Memory memory;
};

} // namespace

TEST_F(TimelinesOfTwo, StepsOnOtherBytesMeet) {
  Meeting meeting;
  auto meet = [&] { return meeting.come(); };
  ASSERT_OK(timelines.push(0, {{{&memory, 0, 8}, true}}, meet));
  ASSERT_OK(timelines.push(1, {{{&memory, 8, 8}, true}}, meet));
  EXPECT_OK(timelines.drain());
}

TEST_F(TimelinesOfTwo, ReadersMeet) {
  Meeting meeting;
  auto meet = [&] { return meeting.come(); };
  ASSERT_OK(timelines.push(0, {{{&memory, 0, 8}, false}}, meet));
  ASSERT_OK(timelines.push(1, {{{&memory, 0, 8}, false}}, meet));
  EXPECT_OK(timelines.drain());
}

/// A writer comes behind readers and writers, a reader behind writers, over many steps and with parts.
TEST_F(TimelinesOfTwo, StepsOnTheSameBytesAreOrdered) {
  struct {
    bool firstWrites, secondWrites;
    uint64_t begin, size;
  } cases[] = {{true, false, 0, 8}, {true, true, 0, 8}, {false, true, 0, 8}, {true, false, 4, 2}, {false, true, 6, 8}};
  for (const auto &it : cases) {
    int value = 0;
    for (int round = 0; round < 200; ++round) {
      // Without an order these are races, which a sanitizer reports and which lose counts.
      ASSERT_OK(timelines.push(0, {{{&memory, 0, 8}, it.firstWrites}}, [&] {
        value += 1;
        return TINY_OK;
      }));
      ASSERT_OK(timelines.push(1, {{{&memory, it.begin, it.size}, it.secondWrites}}, [&] {
        value += 1;
        return TINY_OK;
      }));
    }
    EXPECT_OK(timelines.drain());
    EXPECT_EQ(value, 400);
  }
}

TEST_F(TimelinesOfTwo, TheHostWaitsForAWriterAlone) {
  Meeting meeting;
  int value = 0;
  ASSERT_OK(timelines.push(0, {{{&memory, 0, 8}, true}}, [&] { return meeting.come(); }));
  ASSERT_OK(timelines.push(1, {{{&memory, 8, 8}, true}}, [&] {
    value = 7;
    return TINY_OK;
  }));
  ASSERT_OK(timelines.waitFor({&memory, 8, 4}));
  EXPECT_EQ(value, 7);
  // The other queue still waits, for this thread.
  EXPECT_OK(meeting.come());
  EXPECT_OK(timelines.drain());
}

TEST_F(TimelinesOfTwo, AFailureEndsWhatWaitsForIt) {
  bool isRun = false;
  ASSERT_OK(timelines.push(0, {{{&memory, 0, 8}, true}}, [] { return fail(TINY_DEVICE_ERROR, "broken"); }));
  // It may be known by now.
  tiny_status status = timelines.push(1, {{{&memory, 0, 8}, false}}, [&] {
    isRun = true;
    return TINY_OK;
  });
  if (!status)
    status = timelines.drain();
  EXPECT_FAILS(status, TINY_DEVICE_ERROR, "broken");
  EXPECT_FALSE(isRun);
  EXPECT_TRUE(timelines.hasFailed());
}
