// Collectives among ranks that are threads: what each gets, and what happens when a rank does not come.
#include "RuntimeTest.h"
#include "Tiny/Runtime/Communicator.h"

#include <chrono>
#include <cmath>
#include <thread>

using namespace tiny::runtime;

namespace {

/// The ends of `size` ranks, released at the end.
struct Ranks {
  explicit Ranks(uint32_t size, double timeout = 20) : ends(size) {
    EXPECT_EQ(tiny_communicator_create_local(size, ends.data()), TINY_OK);
    for (uint32_t rank = 0; rank < size; ++rank) {
      all.push_back(rank);
      EXPECT_EQ(tiny_communicator_set_timeout(ends[rank], timeout), TINY_OK);
    }
  }
  ~Ranks() {
    for (tiny_communicator *end : ends)
      tiny_communicator_release(end);
  }

  /// Runs `body(rank)` on a thread for each of the first `count`.
  template <typename Body> void run(Body &&body) {
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < ends.size(); ++rank)
      threads.emplace_back([&, rank] { body(rank); });
    for (std::thread &thread : threads)
      thread.join();
  }

  tiny_status call(uint32_t rank, tiny_collective_kind kind, tiny_reduction reduction, tiny_dtype dtype,
                   const void *source, void *target, uint64_t count, std::vector<uint32_t> group = {}) {
    if (group.empty())
      group = all;
    tiny_group_call call = {};
    call.kind = kind;
    call.reduction = reduction;
    call.dtype = dtype;
    call.ranks = group.data();
    call.n_ranks = uint32_t(group.size());
    while (group[call.place] != rank)
      ++call.place;
    call.source = source;
    call.target = target;
    call.count = count;
    return tiny_communicator_call(ends[rank], &call);
  }

  std::vector<tiny_communicator *> ends;
  std::vector<uint32_t> all;
};

TEST(Communicator, AllReduceOfEachKind) {
  Ranks ranks(3);
  ranks.run([&](uint32_t rank) {
    for (int round = 0; round < 50; ++round) {
      std::vector<float> own = {float(rank + 1), -float(rank), 2}, sum(3), most(3), least(3), product(3);
      ASSERT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, own.data(), sum.data(), 3), TINY_OK);
      EXPECT_EQ(sum, (std::vector<float>{6, -3, 6}));
      ASSERT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_MAX, TINY_DTYPE_F32, own.data(), most.data(), 3),
                TINY_OK);
      EXPECT_EQ(most, (std::vector<float>{3, 0, 2}));
      ASSERT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_MIN, TINY_DTYPE_F32, own.data(), least.data(), 3),
                TINY_OK);
      EXPECT_EQ(least, (std::vector<float>{1, -2, 2}));
      ASSERT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_PRODUCT, TINY_DTYPE_F32, own.data(), product.data(), 3),
                TINY_OK);
      EXPECT_EQ(product[0], 6);
    }
  });
}

TEST(Communicator, GatherScatterExchangeBroadcast) {
  Ranks ranks(3);
  ranks.run([&](uint32_t rank) {
    std::vector<int32_t> own = {int32_t(rank), 10}, gathered(6), parts, scattered(2), exchanged(6), first(2);
    ASSERT_EQ(ranks.call(rank, TINY_ALL_GATHER, TINY_REDUCE_NONE, TINY_DTYPE_I32, own.data(), gathered.data(), 2),
              TINY_OK);
    EXPECT_EQ(gathered, (std::vector<int32_t>{0, 10, 1, 10, 2, 10}));
    for (int32_t k = 0; k < 6; ++k)
      parts.push_back(100 * int32_t(rank) + k);
    ASSERT_EQ(ranks.call(rank, TINY_REDUCE_SCATTER, TINY_REDUCE_SUM, TINY_DTYPE_I32, parts.data(), scattered.data(), 2),
              TINY_OK);
    EXPECT_EQ(scattered, (std::vector<int32_t>{300 + 6 * int32_t(rank), 303 + 6 * int32_t(rank)}));
    ASSERT_EQ(ranks.call(rank, TINY_ALL_TO_ALL, TINY_REDUCE_NONE, TINY_DTYPE_I32, parts.data(), exchanged.data(), 2),
              TINY_OK);
    for (int32_t other = 0; other < 3; ++other)
      EXPECT_EQ(exchanged[size_t(2 * other)], 100 * other + 2 * int32_t(rank));
    ASSERT_EQ(ranks.call(rank, TINY_BROADCAST, TINY_REDUCE_NONE, TINY_DTYPE_I32, own.data(), first.data(), 2), TINY_OK);
    EXPECT_EQ(first[0], 0);
  });
}

TEST(Communicator, GroupsMeetByThemselves) {
  Ranks ranks(4);
  ranks.run([&](uint32_t rank) {
    // Ranks 0 and 2 meet more often than 1 and 3.
    std::vector<uint32_t> group = {rank % 2, rank % 2 + 2};
    for (uint32_t round = 0; round < (rank % 2 ? 3u : 30u); ++round) {
      int64_t own = rank, sum = 0;
      ASSERT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_I64, &own, &sum, 1, group), TINY_OK);
      EXPECT_EQ(sum, int64_t(2 * (rank % 2) + 2));
    }
  });
}

TEST(Communicator, RankThatDoesNotComeEndsAll) {
  Ranks ranks(3, 0.3);
  auto start = std::chrono::steady_clock::now();
  ranks.run([&](uint32_t rank) {
    if (rank == 1)
      return;
    float own = 1, sum = 0;
    EXPECT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &own, &sum, 1), TINY_DEVICE_ERROR);
    EXPECT_NE(std::string(tiny_last_error()).find("rank 1 did not come to the all-reduce of rank"), std::string::npos)
        << tiny_last_error();
    // And so does every later call.
    EXPECT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &own, &sum, 1), TINY_DEVICE_ERROR);
  });
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5);
}

TEST(Communicator, RankThatLeavesEndsAll) {
  Ranks ranks(2, 20);
  std::thread waits([&] {
    float own = 1, sum = 0;
    EXPECT_EQ(ranks.call(0, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &own, &sum, 1), TINY_DEVICE_ERROR);
    EXPECT_STREQ(tiny_last_error(), "rank 1 has no memory");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(tiny_communicator_abort(ranks.ends[1], "rank 1 has no memory"), TINY_OK);
  waits.join();
}

TEST(Communicator, RankWithAnotherCollectiveEndsAll) {
  Ranks ranks(2);
  ranks.run([&](uint32_t rank) {
    float own[2] = {1, 1}, sum[2];
    EXPECT_EQ(ranks.call(rank, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, own, sum, rank + 1),
              TINY_DEVICE_ERROR);
    EXPECT_NE(std::string(tiny_last_error()).find("comes with another collective than rank"), std::string::npos)
        << tiny_last_error();
  });
}

/// A sender goes on before anybody receives, and may write over what it sent.
TEST(Communicator, SendersDoNotWait) {
  Ranks ranks(2);
  float unused = 0;
  for (int round = 0; round < 100; ++round) {
    float own = float(round);
    ASSERT_EQ(ranks.call(0, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &own, &unused, 1), TINY_OK);
    own = -1;
  }
  for (int round = 0; round < 100; ++round) {
    float other = 0;
    ASSERT_EQ(ranks.call(1, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &unused, &other, 1), TINY_OK);
    EXPECT_EQ(other, float(round));
  }
}

/// Where very much is under way the sender waits, and names who does not take it.
TEST(Communicator, SenderOfVeryMuchWaits) {
  Ranks ranks(2, 0.2);
  std::vector<char> much((size_t(1) << 28) + 1);
  char unused = 0;
  ASSERT_EQ(ranks.call(0, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_U8, much.data(), &unused, much.size()), TINY_OK);
  EXPECT_EQ(ranks.call(0, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_U8, much.data(), &unused, 1), TINY_DEVICE_ERROR);
  EXPECT_STREQ(tiny_last_error(), "rank 1 did not come to the message of rank 0 within 0.2000 s");
}

TEST(Communicator, MessageThatDoesNotCome) {
  Ranks ranks(2, 0.2);
  float unused = 0, other = 0;
  EXPECT_EQ(ranks.call(1, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &unused, &other, 1), TINY_DEVICE_ERROR);
  EXPECT_STREQ(tiny_last_error(), "rank 0 did not come to the message of rank 1 within 0.2000 s");
}

TEST(Communicator, MessageOfAnotherSize) {
  Ranks ranks(2);
  float two[2] = {1, 2}, other = 0;
  ASSERT_EQ(ranks.call(0, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, two, &other, 2), TINY_OK);
  EXPECT_EQ(ranks.call(1, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, two, &other, 1), TINY_DEVICE_ERROR);
  EXPECT_STREQ(tiny_last_error(), "rank 0 sends another message than rank 1 expects");
}

TEST(Communicator, MessagesKeepTheirOrder) {
  Ranks ranks(3);
  ranks.run([&](uint32_t rank) {
    // From the last one to the first; the one between has nothing to do with it.
    for (float value = 1; value < 4 && rank != 1; ++value) {
      float own = value, other = -1;
      ASSERT_EQ(ranks.call(rank, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &own, &other, 1, {2, 0}), TINY_OK);
      EXPECT_EQ(other, rank == 0 ? value : -1);
    }
  });
  float own = 1, other = 0;
  EXPECT_EQ(ranks.call(0, TINY_SEND, TINY_REDUCE_NONE, TINY_DTYPE_F32, &own, &other, 1), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "message among 3 ranks, expected 2");
}

TEST(Communicator, RefusesWhatIsNoCall) {
  Ranks ranks(2);
  float own = 1, sum = 0;
  tiny_communicator *none = nullptr;
  EXPECT_EQ(tiny_communicator_create_local(0, &none), TINY_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tiny_last_error()).find("local ranks, expected 1 to 1024"), std::string::npos);
  EXPECT_EQ(tiny_communicator_set_timeout(ranks.ends[0], 0), TINY_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tiny_last_error()).find("seconds, expected more than 0, at most 10^6"), std::string::npos);
  EXPECT_EQ(tiny_communicator_call(ranks.ends[0], nullptr), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "a collective is not described");
  EXPECT_EQ(ranks.call(0, TINY_ALL_REDUCE, TINY_REDUCE_NONE, TINY_DTYPE_F32, &own, &sum, 1), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "collective of unknown kind 0, reduction 0 or element type 11");
  EXPECT_EQ(ranks.call(0, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, nullptr, &sum, 1), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "source or target of a collective is null");
  EXPECT_EQ(ranks.call(0, TINY_ALL_REDUCE, TINY_REDUCE_SUM, TINY_DTYPE_F32, &own, &sum, 1, {0, 5}),
            TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "rank 5 does not exist, there are 2");
  tiny_group_call call = {};
  call.kind = TINY_BROADCAST;
  uint32_t other = 1;
  call.ranks = &other;
  call.n_ranks = 1;
  EXPECT_EQ(tiny_communicator_call(ranks.ends[0], &call), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "rank 0 is not where the group of its broadcast says");
}

TEST(Communicator, FindsLibrariesByName) {
  tiny_communicator *none = nullptr;
  EXPECT_EQ(tiny_communicator_open(nullptr, &none), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "name or out parameter is null");
  EXPECT_EQ(tiny_communicator_open("../x", &none), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "'../x' is no name of a communicator");
  EXPECT_EQ(tiny_communicator_open("pigeons", &none), TINY_NOT_FOUND);
  EXPECT_NE(std::string(tiny_last_error()).find("there is no communicator 'pigeons'"), std::string::npos);
}

/// Reduces two elements that are written as bits.
template <typename Bits> Bits reduceBits(tiny_reduction reduction, tiny_dtype dtype, Bits x, Bits y) {
  EXPECT_EQ(tiny_reduce(reduction, dtype, &x, &y, 1), TINY_OK);
  return x;
}

TEST(Communicator, ReducesSmallFloats) {
  // 1 + 1 = 2, and 1 + 2^-11 rounds to even.
  EXPECT_EQ(reduceBits<uint16_t>(TINY_REDUCE_SUM, TINY_DTYPE_F16, 0x3C00, 0x3C00), 0x4000);
  EXPECT_EQ(reduceBits<uint16_t>(TINY_REDUCE_SUM, TINY_DTYPE_F16, 0x3C00, 0x1000), 0x3C00);
  EXPECT_EQ(reduceBits<uint16_t>(TINY_REDUCE_SUM, TINY_DTYPE_F16, 0x7BFF, 0x7BFF), 0x7C00); // too large
  EXPECT_EQ(reduceBits<uint16_t>(TINY_REDUCE_SUM, TINY_DTYPE_F16, 0x0001, 0x0001), 0x0002); // below the normal ones
  EXPECT_EQ(reduceBits<uint16_t>(TINY_REDUCE_SUM, TINY_DTYPE_F16, 0x03FF, 0x0001), 0x0400);
  EXPECT_EQ(reduceBits<uint16_t>(TINY_REDUCE_SUM, TINY_DTYPE_BF16, 0x3F80, 0x3F80), 0x4000);
  EXPECT_EQ(reduceBits<uint16_t>(TINY_REDUCE_MAX, TINY_DTYPE_BF16, 0xBF80, 0x7FC0) & 0x7FFF, 0x7FC0); // NaN stays
  EXPECT_EQ(reduceBits<uint8_t>(TINY_REDUCE_SUM, TINY_DTYPE_F8E4M3FN, 0x38, 0x38), 0x40);
  EXPECT_EQ(reduceBits<uint8_t>(TINY_REDUCE_SUM, TINY_DTYPE_F8E4M3FN, 0x7E, 0x7E), 0x7F); // there is no infinity
  EXPECT_EQ(reduceBits<uint8_t>(TINY_REDUCE_PRODUCT, TINY_DTYPE_F8E5M2, 0x40, 0x40), 0x44);
  EXPECT_EQ(reduceBits<uint8_t>(TINY_REDUCE_MIN, TINY_DTYPE_U8, 0xFF, 0x01), 0x01);
  EXPECT_EQ(reduceBits<int8_t>(TINY_REDUCE_MIN, TINY_DTYPE_I8, -1, 1), -1);
  EXPECT_EQ(reduceBits<int8_t>(TINY_REDUCE_SUM, TINY_DTYPE_I8, 127, 1), -128);
  EXPECT_EQ(reduceBits<uint8_t>(TINY_REDUCE_MAX, TINY_DTYPE_I1, 0, 1), 1);
  // Every f16 is what it was after a sum with zero.
  for (unsigned bits = 0; bits < 0x7C00; ++bits)
    ASSERT_EQ(reduceBits<uint16_t>(TINY_REDUCE_SUM, TINY_DTYPE_F16, uint16_t(bits), 0), bits);
  uint8_t byte = 0;
  EXPECT_EQ(tiny_reduce(TINY_REDUCE_NONE, TINY_DTYPE_U8, &byte, &byte, 1), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "unknown reduction 0");
  EXPECT_EQ(tiny_reduce(TINY_REDUCE_SUM, tiny_dtype(15), &byte, &byte, 1), TINY_INVALID_ARGUMENT);
  EXPECT_STREQ(tiny_last_error(), "unknown element type 15");
}

} // namespace
