// Loops and branches: how often lists run, what the counter holds, and which temporaries share memory.
#include "QueueTest.h"

using namespace tiny::runtime;

namespace {

class Loops : public QueueTest {
protected:
  static constexpr char kYes = 1, kNo = 0;

  /// Runs three times, and gives the results as bytes, the same each time: a device may keep something of a run for the
  /// next one. Temporaries begin where a compiler's do.
  std::vector<std::vector<char>> run(ProgramBuilder &builder, const std::vector<Buffer> &arguments = {}) {
    for (tiny_slot &slot : builder.slots)
      if (slot.size == 16)
        slot.alignment = 16;
    Program program;
    EXPECT_OK(builder.create(device.get(), program.receive()));
    std::vector<tiny_buffer *> list;
    for (const Buffer &argument : arguments)
      list.push_back(argument.get());
    std::vector<std::vector<char>> first;
    for (int time = 0; time < 3; ++time) {
      std::vector<tiny_buffer *> results(builder.results.size());
      EXPECT_OK(tiny_program_run(program.get(), list.data(), list.size(), results.data(), results.size(), nullptr));
      std::vector<std::vector<char>> bytes;
      for (tiny_buffer *result : results) {
        Buffer buffer(result);
        bytes.emplace_back(tiny_buffer_size(result));
        EXPECT_OK(tiny_buffer_read(result, 0, bytes.back().data(), bytes.back().size()));
      }
      if (time == 0)
        first = bytes;
      else if (computes())
        EXPECT_EQ(bytes, first);
    }
    return first;
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

TEST_P(Loops, ConditionComesOfTheBody) {
  // The condition is the first byte of a queue, which each iteration shifts by four.
  for (float yes : {1.f, 0.f}) {
    ProgramBuilder builder;
    uint32_t x = builder.argument(4), given = builder.argument(4), queue = builder.alloc(4), sum = builder.alloc(4),
             next = builder.alloc(4), between = builder.alloc(3), add = builder.kernel("add_one", addOne, 2);
    uint32_t head = builder.alias(queue, 0, 3), tail = builder.alias(queue, 1, 3);
    builder.slots.push_back({1, 1, 0});
    auto goesOn = uint32_t(builder.slots.size() - 1);
    builder.copy(given, queue);
    tiny_item &first = builder.item(TINY_ITEM_ALIAS);
    first.slot = goesOn;
    first.source = queue;
    builder.launch(add, {x}, {sum});
    uint32_t counter = builder.slotOf(8, zeroBytes);
    size_t loop = builder.loop(9, TINY_NO_SLOT, counter, goesOn);
    builder.launch(add, {sum}, {next});
    builder.copy(tail, between);
    builder.copy(next, sum);
    builder.copy(between, head);
    builder.endList(loop);
    uint32_t y = builder.alloc(4);
    builder.launch(add, {sum}, {y});
    builder.results = {y, counter};
    // A float of 1 has no low byte: one that has.
    const uint32_t one = 1;
    float flag;
    std::memcpy(&flag, &one, sizeof(flag));
    auto results = run(builder, {upload({1, 2, 3, 4}), upload({yes ? flag : 0, flag, flag, 0})});
    if (!computes())
      continue;
    float count = yes ? 3 : 0;
    EXPECT_EQ(asFloats(results[0]), std::vector<float>({3 + count, 4 + count, 5 + count, 6 + count}));
    EXPECT_EQ(asCount(results[1]), int64_t(count));
  }
}

TEST_P(Loops, LimitIsReadWhenALoopBegins) {
  // The inner loop's limit is the outer one's counter, which it changes nothing of, and the inner one's own changes
  // while it runs: 0 + 1 + 2 + 3 iterations.
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), sum = builder.alloc(4), next = builder.alloc(4),
           add = builder.kernel("add_one", addOne, 2);
  builder.copy(x, sum);
  uint32_t outer = builder.slotOf(8, zeroBytes), limit = builder.slotOf(8, zeroBytes),
           inner = builder.slotOf(8, zeroBytes);
  size_t loop = builder.loop(4, TINY_NO_SLOT, outer);
  builder.copy(outer, limit);
  size_t nested = builder.loop(100, limit, inner);
  builder.launch(add, {sum}, {next});
  builder.copy(next, sum);
  builder.copy(inner, limit);
  builder.endList(nested);
  builder.endList(loop);
  uint32_t behind = builder.alloc(2);
  builder.copy(outer, behind);
  builder.results = {sum, behind, inner};
  auto results = run(builder, {upload({0, 1, 2, 3})});
  if (!computes())
    return;
  EXPECT_EQ(asFloats(results[0]), std::vector<float>({6, 7, 8, 9}));
  EXPECT_EQ(asCount(results[1]), 4);
  EXPECT_EQ(asCount(results[2]), 3);
}
