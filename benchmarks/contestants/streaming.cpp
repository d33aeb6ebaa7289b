// The best streaming loops that clang makes: plain C++ with -O3, the host's vectors and reassociation allowed.
// usage: bench-streaming chain|sum|softmax|layer_norm ROWS COLUMNS THREADS
#include "Contestant.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

using Rows = std::function<void(size_t begin, size_t end)>;

static void chain(const float *__restrict a, const float *__restrict b, float *__restrict out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float x = a[i] * b[i] + a[i];
    out[i] = (x > 0 ? x : 0) * 0.5f - b[i];
  }
}

static float sum(const float *__restrict a, size_t count) {
  float total = 0;
  for (size_t i = 0; i < count; ++i)
    total += a[i];
  return total;
}

/// exp to about 1e-7 relative, in a form that vectorises.
static inline float fastExp(float x) {
  x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
  float n = std::floor(x * 1.44269504f + 0.5f), r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  int bits = (static_cast<int>(n) + 127) << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  return p * scale;
}

static void softmaxRow(const float *__restrict in, float *__restrict out, size_t count) {
  float most = in[0];
  for (size_t i = 0; i < count; ++i)
    most = in[i] > most ? in[i] : most;
  float total = 0;
  for (size_t i = 0; i < count; ++i) {
    float e = fastExp(in[i] - most);
    out[i] = e;
    total += e;
  }
  float scale = 1 / total;
  for (size_t i = 0; i < count; ++i)
    out[i] *= scale;
}

static void layerNormRow(const float *__restrict in, const float *__restrict gain, const float *__restrict bias,
                         float *__restrict out, size_t count) {
  float total = 0;
  for (size_t i = 0; i < count; ++i)
    total += in[i];
  float mean = total / count, variance = 0;
  for (size_t i = 0; i < count; ++i)
    variance += (in[i] - mean) * (in[i] - mean);
  float scale = 1 / std::sqrt(variance / count + 1e-5f);
  for (size_t i = 0; i < count; ++i)
    out[i] = (in[i] - mean) * scale * gain[i] + bias[i];
}

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench-streaming chain|sum|softmax|layer_norm ROWS COLUMNS THREADS\n");
    return 1;
  }
  std::string kind = argv[1];
  size_t rows = std::strtoull(argv[2], nullptr, 10), columns = std::strtoull(argv[3], nullptr, 10);
  size_t nThreads = std::strtoull(argv[4], nullptr, 10);
  contestant::Watch watch;
  float *a = contestant::makeRandom(rows * columns);
  float *out = contestant::makeRandom(kind == "sum" ? rows : rows * columns);
  float *b = kind == "chain" ? contestant::makeRandom(rows * columns) : contestant::makeRandom(columns);
  float *gain = contestant::makeRandom(columns);
  Rows work;
  if (kind == "chain")
    work = [=](size_t begin, size_t end) {
      chain(a + begin * columns, b + begin * columns, out + begin * columns, (end - begin) * columns);
    };
  else if (kind == "sum")
    work = [=](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row)
        out[row] = sum(a + row * columns, columns);
    };
  else if (kind == "softmax")
    work = [=](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row)
        softmaxRow(a + row * columns, out + row * columns, columns);
    };
  else if (kind == "layer_norm")
    work = [=](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row)
        layerNormRow(a + row * columns, gain, b, out + row * columns, columns);
    };
  else {
    std::fprintf(stderr, "no loop '%s'\n", argv[1]);
    return 1;
  }
  return contestant::serve(watch.read(), [&] {
    std::vector<std::thread> others;
    for (size_t i = 1; i < nThreads; ++i)
      others.emplace_back(work, rows * i / nThreads, rows * (i + 1) / nThreads);
    work(0, rows / nThreads);
    for (std::thread &other : others)
      other.join();
  });
}
