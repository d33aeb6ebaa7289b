// The protocol of the benchmark: a contestant prepares its problem, runs it once, says "ready WALL PROCESSOR" (the
// seconds that both took, by the wall clock and in processor time, which also counts where threads wait by spinning),
// and then for each line "N" on standard input does N runs and answers with the fewest seconds that one took, "WALL
// PROCESSOR". `benchmarks/run` lets contestants take turns, so that whatever else the machine does hits all of them.
#ifndef TINY_BENCHMARKS_CONTESTANTS_CONTESTANT_H
#define TINY_BENCHMARKS_CONTESTANTS_CONTESTANT_H

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

/// A stretch of time, by the wall clock and in processor time.
struct Stretch {
  double wall = 0, processor = 0;
};

/// Measures the stretch since it was made.
class Watch {
public:
  Stretch read() const { return {secondsSince(start), processorSeconds() - processor}; }

private:
  double processor = processorSeconds();
  Clock::time_point start = Clock::now();
};

/// Answers requests until standard input ends. `preparing` is what preparing took.
template <typename Run> int serve(Stretch preparing, Run &&run) {
  Watch first;
  run();
  Stretch took = first.read();
  std::printf("ready %.9f %.9f\n", preparing.wall + took.wall, preparing.processor + took.processor);
  std::fflush(stdout);
  unsigned count;
  while (std::scanf("%u", &count) == 1) {
    Stretch best = {1e30, 1e30};
    for (unsigned i = 0; i < count; ++i) {
      Watch watch;
      run();
      Stretch took = watch.read();
      best.wall = took.wall < best.wall ? took.wall : best.wall;
      best.processor = took.processor < best.processor ? took.processor : best.processor;
    }
    std::printf("%.9f %.9f\n", best.wall, best.processor);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace contestant

#endif // TINY_BENCHMARKS_CONTESTANTS_CONTESTANT_H
