// Loops and branches: how often lists run, what the counter holds, and which temporaries share memory.
#include "QueueTest.h"

using namespace tiny::runtime;

namespace {

class Loops : public QueueTest {
protected:
  static constexpr char kYes = 1, kNo = 0;

  /// Runs on one argument of four floats, and gives the results as bytes.
  std::vector<std::vector<char>> run(const ProgramBuilder &builder, std::vector<Buffer> arguments = {}) {
    Program program;
    EXPECT_OK(builder.create(device.get(), program.receive()));
    std::vector<tiny_buffer *> list, results(builder.results.size());
    for (const Buffer &argument : arguments)
      list.push_back(argument.get());
    EXPECT_OK(tiny_program_run(program.get(), list.data(), list.size(), results.data(), results.size(), nullptr));
    std::vector<std::vector<char>> bytes;
    for (tiny_buffer *result : results) {
      Buffer buffer(result);
      bytes.emplace_back(tiny_buffer_size(result));
      EXPECT_OK(tiny_buffer_read(result, 0, bytes.back().data(), bytes.back().size()));
    }
    return bytes;
  }
  static int64_t asCount(const std::vector<char> &bytes) { return *reinterpret_cast<const int64_t *>(bytes.data()); }
  static std::vector<float> asFloats(const std::vector<char> &bytes) {
    auto *begin = reinterpret_cast<const float *>(bytes.data());
    return {begin, begin + bytes.size() / sizeof(float)};
  }
  Buffer uploadCount(int64_t count) {
    Buffer buffer = allocate(sizeof(count));
    EXPECT_OK(tiny_buffer_write(buffer.get(), 0, &count, sizeof(count)));
    return buffer;
  }

  const int64_t zeroCount = 0;
  const char *zeroBytes = reinterpret_cast<const char *>(&zeroCount);
};
TINY_ON_EVERY_DEVICE(Loops);

} // namespace

TEST_P(Loops, CarriesStateThroughATemporary) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), state = builder.alloc(4), add = builder.kernel("add_one", addOne, 2);
  builder.copy(x, state);
  uint32_t counter = builder.slotOf(8, zeroBytes);
  size_t loop = builder.loop(5, TINY_NO_SLOT, counter);
  uint32_t next = builder.alloc(4);
  builder.launch(add, {state}, {next});
  builder.copy(next, state);
  builder.endList(loop);
  builder.results = {state, counter};
  auto results = run(builder, {upload({1, 2, 3, 4})});
  if (!computes())
    return;
  EXPECT_EQ(asFloats(results[0]), std::vector<float>({6, 7, 8, 9}));
  EXPECT_EQ(asCount(results[1]), 5);
}

TEST_P(Loops, LimitIsCutToTheMost) {
  for (auto [limit, count] : {std::pair<int64_t, int64_t>{-3, 0}, {0, 0}, {2, 2}, {7, 7}, {8, 7}, {INT64_MAX, 7}}) {
    ProgramBuilder builder;
    builder.slots.push_back({8, 8, 0});
    builder.nArguments = 1;
    uint32_t counter = builder.slotOf(8, zeroBytes);
    builder.endList(builder.loop(7, 0, counter));
    builder.results = {counter};
    auto results = run(builder, {uploadCount(limit)});
    if (computes()) {
      EXPECT_EQ(asCount(results[0]), count) << limit;
    }
  }
}

TEST_P(Loops, ConditionEndsIt) {
  ProgramBuilder builder;
  uint32_t counter = builder.slotOf(8, zeroBytes), inner = builder.slotOf(8, zeroBytes),
           goesOn = builder.slotOf(1, &kYes);
  size_t loop = builder.loop(9, TINY_NO_SLOT, counter, goesOn);
  builder.endList(builder.loop(3, TINY_NO_SLOT, inner));
  tiny_item &end = builder.item(TINY_ITEM_FILL);
  end.slot = goesOn;
  end.data = &kNo;
  end.data_size = 1;
  builder.endList(loop);
  builder.results = {counter, inner};
  auto results = run(builder);
  if (!computes())
    return;
  EXPECT_EQ(asCount(results[0]), 1);
  EXPECT_EQ(asCount(results[1]), 3);
}

TEST_P(Loops, BranchRunsOneList) {
  for (const char *condition : {&kYes, &kNo}) {
    ProgramBuilder builder;
    float one = 1, two = 2;
    uint32_t which = builder.slotOf(1, condition), y = builder.alloc(2);
    size_t branch = builder.branch(which);
    builder.fill(y, &one);
    builder.otherwise(branch);
    builder.fill(y, &two);
    builder.endList(branch);
    builder.results = {y};
    auto results = run(builder);
    if (computes()) {
      EXPECT_EQ(asFloats(results[0]), std::vector<float>(2, *condition ? 1 : 2));
    }
  }
}

TEST_P(Loops, WhatALoopUsesOfOutsideLivesThroughIt) {
  // The first iteration reads `early` before `late` is written: in the second one it is read again.
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), early = builder.alloc(4), sum = builder.alloc(4),
           add = builder.kernel("add_one", addOne, 2);
  builder.launch(add, {x}, {early});
  size_t loop = builder.loop(2);
  builder.launch(add, {early}, {sum});
  uint32_t late = builder.alloc(4), later = builder.alloc(4);
  builder.launch(add, {sum}, {late});
  builder.launch(add, {late}, {later});
  builder.endList(loop);
  uint32_t y = builder.alloc(4);
  builder.launch(add, {sum}, {y});
  builder.results = {y};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  std::vector<tiny_temporary> all(tiny_program_temporary_count(program.get()));
  for (uint32_t k = 0; k < all.size(); ++k)
    ASSERT_OK(tiny_program_temporary(program.get(), k, &all[k]));
  ASSERT_EQ(all.size(), 4u);
  // Steps: add_one, the loop, its three, add_one.
  EXPECT_EQ(std::pair(all[0].first, all[0].last), std::pair(0u, 4u)) << "early";
  EXPECT_EQ(std::pair(all[1].first, all[1].last), std::pair(1u, 5u)) << "sum";
  EXPECT_STREQ(all[1].writer, "loop");
  EXPECT_EQ(std::pair(all[2].first, all[2].last), std::pair(3u, 4u)) << "late";
  EXPECT_EQ(std::pair(all[3].first, all[3].last), std::pair(4u, 4u)) << "later";
  auto results = run(builder, {upload({1, 2, 3, 4})});
  if (computes()) {
    EXPECT_EQ(asFloats(results[0]), std::vector<float>({4, 5, 6, 7}));
  }
}
