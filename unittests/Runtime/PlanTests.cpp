// The memory plan against brute force: the bound is one, and the arena is close to the best that there is.
#include "RuntimeTest.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

using namespace tiny::runtime;

namespace {

struct Life {
  uint64_t size;
  uint32_t begin, end;
};

/// Each in this order at the lowest offset that is free for its whole life.
uint64_t placeInOrder(const std::vector<Life> &lives, const std::vector<unsigned> &order) {
  std::vector<std::pair<uint64_t, unsigned>> placed;
  uint64_t arena = 0;
  for (unsigned next : order) {
    std::sort(placed.begin(), placed.end());
    uint64_t offset = 0;
    for (auto [at, other] : placed) {
      bool meets = lives[other].begin <= lives[next].end && lives[next].begin <= lives[other].end;
      if (meets && at < offset + lives[next].size && offset < at + lives[other].size)
        offset = at + lives[other].size;
    }
    placed.push_back({offset, next});
    arena = std::max(arena, offset + lives[next].size);
  }
  return arena;
}

/// Some order gives the best arena: that of the offsets in a best one, everything pushed down as far as it goes.
uint64_t findLeastArena(const std::vector<Life> &lives) {
  std::vector<unsigned> order(lives.size());
  std::iota(order.begin(), order.end(), 0);
  uint64_t least = UINT64_MAX;
  do
    least = std::min(least, placeInOrder(lives, order));
  while (std::next_permutation(order.begin(), order.end()));
  return least;
}

uint64_t findMostLive(const std::vector<Life> &lives) {
  uint64_t most = 0;
  for (const Life &start : lives) {
    uint64_t live = 0;
    for (const Life &other : lives)
      live += other.begin <= start.begin && start.begin <= other.end ? other.size : 0;
    most = std::max(most, live);
  }
  return most;
}

/// The program has these temporaries, and no two that meet in time share a byte.
void expectPlaces(tiny_program *program, const std::vector<Life> &lives, uint64_t arena) {
  ASSERT_EQ(tiny_program_temporary_count(program), lives.size());
  std::vector<tiny_temporary> all(lives.size());
  for (uint32_t i = 0; i < all.size(); ++i) {
    ASSERT_OK(tiny_program_temporary(program, i, &all[i]));
    EXPECT_EQ(all[i].size, lives[i].size);
    EXPECT_EQ(all[i].first, lives[i].begin);
    EXPECT_EQ(all[i].last, lives[i].end);
    EXPECT_STREQ(all[i].writer, "k");
    EXPECT_LE(all[i].offset + all[i].size, arena);
    for (uint32_t j = 0; j < i; ++j)
      if (all[i].first <= all[j].last)
        EXPECT_TRUE(all[i].offset + all[i].size <= all[j].offset || all[j].offset + all[j].size <= all[i].offset);
  }
}

/// Temporary k is written by launch k and read by some of those behind it.
TEST(PlanTest, IsCloseToBruteForce) {
  Device device;
  ASSERT_OK(tiny_device_open("null", device.receive()));
  std::mt19937 random(3);
  constexpr unsigned kPrograms = 200;
  unsigned optimal = 0, atBound = 0;
  double ratios = 0;
  for (unsigned round = 0; round < kPrograms; ++round) {
    unsigned count = 3 + random() % 4;
    ProgramBuilder builder;
    std::vector<Life> lives;
    std::vector<uint32_t> slots;
    for (unsigned k = 0; k < count; ++k) {
      uint64_t lines = 1 + random() % 6;
      slots.push_back(builder.alloc(lines * 16));
      lives.push_back({lines * 64, k, k});
    }
    for (unsigned k = 0; k <= count; ++k) {
      std::vector<uint32_t> reads;
      for (unsigned earlier = 0; earlier < k && earlier < count; ++earlier)
        if (random() % 3 == 0 || (k == count && random() % 2)) {
          reads.push_back(slots[earlier]);
          lives[earlier].end = k;
        }
      std::vector<uint32_t> writes;
      if (k < count)
        writes.push_back(slots[k]);
      uint32_t nBuffers = uint32_t(reads.size() + writes.size());
      builder.launch(builder.kernel("k", nullptr, nBuffers), reads, writes);
    }
    Program program;
    ASSERT_OK(builder.create(device.get(), program.receive()));
    tiny_memory_plan plan;
    ASSERT_OK(tiny_program_memory(program.get(), &plan));
    uint64_t least = findLeastArena(lives), sum = 0;
    for (const Life &life : lives)
      sum += life.size;
    EXPECT_EQ(plan.temporaries, sum);
    EXPECT_EQ(plan.arena_bound, findMostLive(lives));
    EXPECT_LE(plan.arena_bound, least);
    ASSERT_LE(least, plan.arena);
    EXPECT_EQ(plan.arena, tiny_program_arena_size(program.get()));
    expectPlaces(program.get(), lives, plan.arena);
    optimal += plan.arena == least;
    atBound += least == plan.arena_bound;
    ratios += double(plan.arena) / double(least);
  }
  std::printf("%u of %u optimal, mean ratio %.4f; the optimum is the bound in %u\n", optimal, kPrograms,
              ratios / kPrograms, atBound);
  EXPECT_LE(ratios / kPrograms, 1.02);
}

TEST(PlanTest, CountsWhatIsThere) {
  Device device;
  ASSERT_OK(tiny_device_open("null", device.receive()));
  ProgramBuilder builder;
  std::vector<float> values(8);
  uint32_t x = builder.argument(4, TINY_SLOT_WRITABLE), c = builder.constant(values), r = builder.alloc(4);
  builder.copy(x, r);
  builder.results = {r, c, x};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  tiny_memory_plan plan;
  ASSERT_OK(tiny_program_memory(program.get(), &plan));
  EXPECT_EQ(plan.arguments, 16u);
  EXPECT_EQ(plan.constants, 32u);
  EXPECT_EQ(plan.results, 48u);
  EXPECT_EQ(plan.temporaries, 0u);
  EXPECT_EQ(plan.arena, 0u);
  EXPECT_EQ(plan.arena_bound, 0u);
  EXPECT_FAILS(tiny_program_memory(nullptr, &plan), TINY_INVALID_ARGUMENT, "null");
  EXPECT_FAILS(tiny_program_memory(program.get(), nullptr), TINY_INVALID_ARGUMENT, "memory plan is null");
  tiny_temporary temporary;
  EXPECT_EQ(tiny_program_temporary_count(program.get()), 0u);
  EXPECT_EQ(tiny_program_temporary_count(nullptr), 0u);
  EXPECT_FAILS(tiny_program_temporary(program.get(), 0, &temporary), TINY_INVALID_ARGUMENT, "has 0 temporaries, got 0");
  EXPECT_FAILS(tiny_program_temporary(program.get(), 0, nullptr), TINY_INVALID_ARGUMENT, "temporary is null");
  EXPECT_FAILS(tiny_program_temporary(nullptr, 0, &temporary), TINY_INVALID_ARGUMENT, "null");
}

} // namespace
