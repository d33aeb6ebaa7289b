// What the front end costs beside its kernels: a captured function of a hundred kernels, replayed, or a graph of a
// hundred operations that is built and found again by its structure. On the null device, kernels compute nothing. A
// run is a thousand calls, so its time is in thousandths of itself the time of one.
// usage: bench-replay DEVICE [again]
#include "Contestant.h"
#include "Tiny/Frontend/Tiny.h"

using tiny::Tensor;

constexpr int kTimes = 1000, kKernels = 100;

/// Each sum is of all elements of the value before it, so that no two share a kernel.
static Tensor compute(Tensor x) {
  for (int k = 0; k < kKernels / 2; ++k)
    x = x * x.sum({0}, /*keepdim=*/true) + 1;
  return x;
}

int main(int argc, char **argv) {
  contestant::Watch watch;
  tiny::setDevice(argc > 1 ? argv[1] : "cpu");
  Tensor x = Tensor::ones({64}).realize();
  if (argc > 2) {
    compute(x).realize();
    return contestant::serve(watch.read(), [&] {
      for (int k = 0; k < kTimes; ++k)
        compute(x).realize();
    });
  }
  tiny::Jit jit([](const std::vector<Tensor> &given) { return std::vector<Tensor>{compute(given[0])}; });
  for (int k = 0; k < 3; ++k)
    jit({x});
  if (jit.countReplays() != 1) {
    std::fprintf(stderr, "the function was not captured\n");
    return 1;
  }
  return contestant::serve(watch.read(), [&] {
    for (int k = 0; k < kTimes; ++k)
      jit({x});
  });
}
