// The protocol of the benchmark: a contestant prepares its problem, says "ready SECONDS" (what preparing took), and
// then for each line "N" on standard input does N runs and answers with the fewest seconds that one took, by the wall
// clock and in processor time (which also counts where threads wait by spinning). `benchmarks/run` lets contestants
// take turns, so that whatever else the machine does hits all of them.
#ifndef TINY_BENCHMARKS_CONTESTANT_H
#define TINY_BENCHMARKS_CONTESTANT_H

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace contestant {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Processor time of all threads.
inline double processorSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/// Numbers in [-1, 1], the same in every contestant.
inline void fillRandom(float *data, size_t count) {
  unsigned state = 12345;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = static_cast<float>(static_cast<int>(state >> 8) - (1 << 23)) / (1 << 23);
  }
}

/// Cache-line aligned, touched, never freed: a contestant ends with its process.
inline float *makeRandom(size_t count) {
  auto *data = static_cast<float *>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64));
  if (!data) {
    std::fprintf(stderr, "out of memory\n");
    std::exit(1);
  }
  fillRandom(data, count);
  return data;
}

/// Answers requests until standard input ends. `prepared` is when preparing began.
template <typename Run> int serve(Clock::time_point prepared, Run &&run) {
  run();
  std::printf("ready %.9f\n", secondsSince(prepared));
  std::fflush(stdout);
  unsigned count;
  while (std::scanf("%u", &count) == 1) {
    double best = 1e30, bestProcessor = 1e30;
    for (unsigned i = 0; i < count; ++i) {
      double processor = processorSeconds();
      Clock::time_point start = Clock::now();
      run();
      double seconds = secondsSince(start);
      processor = processorSeconds() - processor;
      best = seconds < best ? seconds : best;
      bestProcessor = processor < bestProcessor ? processor : bestProcessor;
    }
    std::printf("%.9f %.9f\n", best, bestProcessor);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace contestant

#endif // TINY_BENCHMARKS_CONTESTANT_H
