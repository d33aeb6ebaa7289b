// Programs of one rank among many: what is refused, and what ranks get from each other.
#include "QueueTest.h"
#include "Tiny/Runtime/Communicator.h"

#include <functional>
#include <thread>

using namespace tiny::runtime;

namespace {

const uint32_t kAxis = 0, kTwice[] = {0, 0}, kOther = 1;
const tiny_collective kSum = {TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &kAxis, 1, {0, 0}, 0};

class RankTest : public OnEveryDevice {
protected:
  RankTest() { builder.grid = {2}; }

  void expectRefused(const char *message, tiny_status status = TINY_INVALID_ARGUMENT) {
    tiny_program *program = nullptr;
    EXPECT_FAILS(builder.create(device.get(), &program), status, message);
    builder.items.clear();
    builder.slots.clear();
    builder.nArguments = 0;
  }

  /// A collective from an argument to a new buffer.
  void add(const tiny_collective *what, uint64_t from = 4, uint64_t to = 4) {
    uint32_t source = builder.argument(from), target = builder.alloc(to);
    builder.collective(what, source, target);
    builder.results = {target};
  }

  tiny_status run(const Program &program, tiny_buffer *argument, Buffer &result, tiny_communicator *communicator) {
    tiny_run_options options = {};
    options.communicator = communicator;
    return tiny_program_run(program.get(), &argument, 1, result.receive(), 1, &options);
  }

  /// Ranks as threads.
  void runAll(uint32_t count, const std::function<void(uint32_t, tiny_communicator *)> &body) {
    std::vector<tiny_communicator *> ends(count);
    ASSERT_OK(tiny_communicator_create_local(count, ends.data()));
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] { body(rank, ends[rank]); });
    for (std::thread &thread : threads)
      thread.join();
    for (tiny_communicator *end : ends)
      tiny_communicator_release(end);
  }

  ProgramBuilder builder;
};
TINY_ON_EVERY_DEVICE(RankTest);

} // namespace

TEST_P(RankTest, Grid) {
  builder.grid = {2, 0};
  expectRefused("axis 1 of the grid has 0 ranks");
  builder.grid = {2};
  builder.sizesSlot({{"n", 1, 4, 0}});
  expectRefused("it has a grid of ranks and sizes");
  builder.sizes.clear();
  builder.readsPlace = true;
  expectRefused("slot 0 behind the arguments has not the 8 bytes of a rank's place");
  builder.slot(2);
  float zero = 0;
  builder.fill(0, &zero);
  builder.items.back().data_size = 4;
  expectRefused("slot 0 is written, but holds the rank's place", TINY_READ_ONLY);
}

TEST_P(RankTest, AsyncCollectives) {
  tiny_collective what = kSum;
  what.async = 1;
  const char *unwaited = "an async collective from slot 0 to slot 1 is not waited for";
  add(&what);
  expectRefused(unwaited);
  // Nothing touches its target, or writes its source.
  float zero = 0;
  add(&what);
  builder.fill(1, &zero);
  expectRefused("slot 1 is used while an async collective from slot 0 to slot 1 runs");
  add(&what);
  builder.copy(1, builder.alloc(4));
  expectRefused("slot 1 is used while an async collective from slot 0 to slot 1 runs");
  uint32_t source = builder.argument(4), between = builder.alloc(4), target = builder.alloc(4);
  builder.copy(source, between);
  builder.collective(&what, between, target);
  builder.fill(between, &zero);
  expectRefused("slot 1 is used while an async collective from slot 1 to slot 2 runs");
  // A wait is for one of its own list.
  add(&what);
  builder.wait(1, 0);
  expectRefused("waits for an async collective from slot 1 to slot 0, and none of its list runs");
  add(&what);
  size_t loop = builder.loop(2);
  builder.wait(0, 1);
  builder.endList(loop);
  expectRefused("waits for an async collective from slot 0 to slot 1, and none of its list runs");
  source = builder.argument(4), target = builder.alloc(4);
  loop = builder.loop(2);
  builder.collective(&what, source, target);
  builder.endList(loop);
  expectRefused(unwaited);
}

/// Sums and copies in turns, many times.
TEST_P(RankTest, AsyncCollectivesRunBesideOthers) {
  tiny_collective beside = kSum;
  beside.async = 1;
  uint32_t source = builder.argument(4), sum = builder.alloc(4), copy = builder.alloc(4), twice = builder.alloc(4);
  builder.collective(&beside, source, sum);
  builder.copy(source, copy);
  // One that is not async comes behind those before it.
  builder.collective(&kSum, copy, twice);
  builder.wait(source, sum);
  uint32_t result = builder.alloc(4);
  builder.copy(sum, result);
  builder.results = {result, twice};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  runAll(2, [&](uint32_t rank, tiny_communicator *end) {
    for (int round = 0; round < 50; ++round) {
      std::vector<float> own = {float(rank), float(round), 1, 2}, expected = {1, 2.0f * float(round), 2, 4};
      Buffer argument;
      ASSERT_OK(tiny_buffer_allocate(device.get(), 16, argument.receive()));
      ASSERT_OK(tiny_buffer_write(argument.get(), 0, own.data(), 16));
      tiny_run_options options = {};
      options.communicator = end;
      tiny_buffer *list = argument.get(), *results[2] = {nullptr, nullptr};
      ASSERT_OK(tiny_program_run(program.get(), &list, 1, results, 2, &options));
      Buffer first(results[0]), second(results[1]);
      std::vector<float> found(4);
      if (!computes())
        continue;
      ASSERT_OK(tiny_buffer_read(first.get(), 0, found.data(), 16));
      EXPECT_EQ(found, expected);
      ASSERT_OK(tiny_buffer_read(second.get(), 0, found.data(), 16));
      EXPECT_EQ(found, expected);
    }
  });
}

/// The rank that waits says which one did not come, also where the collective runs beside others.
TEST_P(RankTest, AsyncCollectiveThatNobodyComesTo) {
  tiny_collective beside = kSum;
  beside.async = 1;
  uint32_t source = builder.argument(4), sum = builder.alloc(4), copy = builder.alloc(4);
  builder.collective(&beside, source, sum);
  builder.copy(source, copy);
  builder.wait(source, sum);
  builder.results = {sum, copy};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  runAll(2, [&](uint32_t rank, tiny_communicator *end) {
    for (int round = 0; round < (rank ? 1 : 2); ++round) {
      Buffer argument;
      ASSERT_OK(tiny_buffer_allocate(device.get(), 16, argument.receive()));
      tiny_run_options options = {};
      options.communicator = end;
      if (round)
        ASSERT_OK(tiny_communicator_set_timeout(end, 0.2));
      tiny_buffer *list = argument.get(), *results[2] = {nullptr, nullptr};
      tiny_status status = tiny_program_run(program.get(), &list, 1, results, 2, &options);
      Buffer first(results[0]), second(results[1]);
      if (round)
        EXPECT_FAILS(status, TINY_DEVICE_ERROR, "rank 1 did not come to the all-reduce of rank 0 within 0.2000 s");
      else
        ASSERT_OK(status);
    }
  });
}

TEST_P(RankTest, Collectives) {
  add(nullptr);
  expectRefused("a collective is not described");
  tiny_collective what = kSum;
  what.reduction = TINY_REDUCE_NONE;
  add(&what);
  expectRefused("collective of unknown kind 0 with reduction 0");
  what = kSum;
  what.dtype = tiny_dtype(99);
  add(&what);
  expectRefused("collective on elements of unknown type 99");
  what = kSum;
  what.axes = &kOther;
  add(&what);
  expectRefused("collective along axis 1, which the grid of 1 axes has not, or twice");
  what.axes = kTwice;
  what.n_axes = 2;
  add(&what);
  expectRefused("collective along axis 0, which the grid of 1 axes has not, or twice");
  add(&kSum, 4, 8);
  expectRefused("collective of kind 0 among 2 ranks from slot 0 of 16 bytes to slot 1 of 32 bytes");
  uint32_t state = builder.argument(4, TINY_SLOT_WRITABLE);
  builder.collective(&kSum, state, state);
  expectRefused("collective from slot 0 to slot 0, which overlap");
}

TEST_P(RankTest, RunsWithOthers) {
  // Copies before and behind it, which a device may take together.
  uint32_t input = builder.argument(4);
  std::vector<uint32_t> buffers;
  for (int k = 0; k < 6; ++k)
    buffers.push_back(builder.alloc(4));
  builder.copy(input, buffers[0]);
  builder.copy(buffers[0], buffers[1]);
  builder.collective(&kSum, buffers[1], buffers[2]);
  for (int k = 2; k < 5; ++k)
    builder.copy(buffers[k], buffers[k + 1]);
  builder.results = {buffers[5]};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  const int64_t *grid = nullptr;
  ASSERT_EQ(tiny_program_grid(program.get(), &grid), 1U);
  EXPECT_EQ(grid[0], 2);
  Buffer alone = upload({1, 2, 3, 4}), result;
  EXPECT_FAILS(run(program, alone.get(), result, nullptr), TINY_INVALID_ARGUMENT,
               "program 'p' is one of 2 ranks, and has no communicator");
  runAll(3, [&](uint32_t, tiny_communicator *communicator) {
    Buffer own;
    EXPECT_FAILS(run(program, alone.get(), own, communicator), TINY_INVALID_ARGUMENT,
                 "program 'p' is for 2 ranks, and there are 3");
  });
  std::vector<Buffer> inputs(2), results(2);
  inputs[0] = upload({1, 2, 3, 4});
  inputs[1] = upload({10, 20, 30, 40});
  runAll(2, [&](uint32_t rank, tiny_communicator *communicator) {
    EXPECT_OK(run(program, inputs[rank].get(), results[rank], communicator));
  });
  expectValues(results[0].get(), {11, 22, 33, 44});
  expectValues(results[1].get(), {11, 22, 33, 44});
}

TEST_P(RankTest, RanksWithOtherProgramsAreNamed) {
  add(&kSum);
  Program first, second;
  ASSERT_OK(builder.create(device.get(), first.receive()));
  builder.collective(&kSum, 0, 1);
  ASSERT_OK(builder.create(device.get(), second.receive()));
  Buffer input = upload({1, 2, 3, 4});
  runAll(2, [&](uint32_t rank, tiny_communicator *communicator) {
    Buffer result;
    EXPECT_FAILS(run(rank == 0 ? first : second, input.get(), result, communicator), TINY_INVALID_ARGUMENT,
                 "rank 1 runs another program 'p' than rank 0");
  });
}

TEST_P(RankTest, Stages) {
  tiny_collective message = {TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {0, 2}, 0};
  add(&message);
  expectRefused("message from place 0 to place 2 of 2");
  message.peers[1] = 0;
  add(&message);
  expectRefused("message from place 0 to place 0 of 2");
  message.peers[1] = 1;
  add(&message);
  builder.items.back().places = 1;
  expectRefused("places 0x1 of 0 stages are to run it");
  builder.stageAxis = 1;
  add(&message);
  expectRefused("axis 1 of the grid is to have stages: it is not there, or has more than 64");
  builder.stageAxis = 0;
  add(&message);
  builder.items.back().places = 4;
  expectRefused("places 0x4 of 2 stages are to run it");
  add(&message);
  builder.items.front().places = 1;
  expectRefused("places 0x1 of 2 stages are to run it");
}

TEST_P(RankTest, StagesRunTheirItems) {
  // The first stage sends what it has; the second one adds nothing of its own, and answers.
  tiny_collective there = {TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {0, 1}, 0};
  tiny_collective back = {TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &kAxis, 1, {1, 0}, 0};
  builder.stageAxis = 0;
  uint32_t input = builder.argument(4), result = builder.alloc(4);
  uint32_t sent = builder.alloc(4), changed = builder.alloc(4);
  builder.collective(&there, input, sent);
  builder.copy(input, result);
  builder.items.back().places = 1;
  builder.copy(sent, changed);
  builder.items.back().places = 2;
  float nine = 9;
  builder.fill(changed, &nine);
  builder.items.back().places = 1;
  builder.collective(&back, changed, result);
  builder.copy(changed, result);
  builder.items.back().places = 2;
  builder.results = {result};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  std::vector<Buffer> inputs(2), results(2);
  inputs[0] = upload({1, 2, 3, 4});
  inputs[1] = upload({10, 20, 30, 40});
  for (int times = 0; times < 2; ++times)
    runAll(2, [&](uint32_t rank, tiny_communicator *communicator) {
      EXPECT_OK(run(program, inputs[rank].get(), results[rank], communicator));
    });
  expectValues(results[0].get(), {1, 2, 3, 4});
  expectValues(results[1].get(), {1, 2, 3, 4});
}
