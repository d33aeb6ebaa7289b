// Trains the network of ../digits from nothing: two blocks of convolution, batch norm, relu and max-pool, then a linear
// classifier; Adam with a falling rate. Prints the loss on the way and, at the end, how many images that it never saw
// it gets right.
#include "Tiny/Files/Tensors.h"
#include "Tiny/Frontend/Jit.h"
#include "Tiny/Frontend/Optim.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <unistd.h>

using tiny::HostTensor;
using tiny::Shape;
using tiny::Tensor;

namespace {

constexpr int kEpochs = 40;
constexpr int64_t kBatch = 64, kClasses = 10;
constexpr double kRate = 2e-3, kDecay = 1e-4;

HostTensor read(const std::string &path) {
  tiny::files::Result<std::vector<tiny::NamedTensor>> tensors = tiny::files::readTensors(path);
  if (!tensors || tensors->empty())
    throw std::runtime_error(tensors ? path + ": no tensor" : tensors.message());
  return std::move(tensors->front().tensor);
}

/// Rows of a tensor of bytes.
Tensor pick(const HostTensor &all, const std::vector<int64_t> &rows, int64_t begin, int64_t count) {
  Shape shape = all.shape;
  int64_t width = all.size() / shape.front();
  shape.front() = count;
  HostTensor picked = HostTensor::zeros(all.dtype, shape);
  for (int64_t k = 0; k < count; ++k)
    std::memcpy(picked.bytes.data() + k * width, all.bytes.data() + rows[begin + k] * width, width);
  return Tensor(std::move(picked));
}

class Network : public tiny::nn::Module {
public:
  Network() {
    add("conv1", conv1);
    add("norm1", norm1);
    add("conv2", conv2);
    add("norm2", norm2);
    add("linear", linear);
  }

  /// Logits of images from 0 to 1.
  Tensor forward(Tensor x) {
    x = norm1(conv1(x)).relu().max_pool({2, 2});
    x = norm2(conv2(x)).relu().max_pool({2, 2});
    return linear(x.flatten(1));
  }

private:
  tiny::nn::Conv2d conv1{1, 16, 3, /*stride=*/1, /*padding=*/1}, conv2{16, 32, 3, /*stride=*/1, /*padding=*/1};
  tiny::nn::BatchNorm norm1{16}, norm2{32};
  tiny::nn::Linear linear{128, kClasses};
};

int run(const std::string &folder, int epochs, unsigned seed) {
  HostTensor images = read(folder + "/train-digits/images.npy"), labels = read(folder + "/train-digits/labels.npy");
  Tensor unseen(read(folder + "/digits/images.npy")), truth(read(folder + "/digits/labels.npy"));
  tiny::manual_seed(seed);
  Network network;
  tiny::optim::Adam adam(network.parameters(), kRate, 0.9, 0.999, 1e-8, kDecay);
  // A step is one program, captured once: forward, gradients, and everything that it updates.
  tiny::Jit train([&](const std::vector<Tensor> &batch) {
    Tensor loss = network.forward(batch[0].to(TINY_DTYPE_F32) * (1.0 / 16)).cross_entropy(batch[1]);
    adam.step(loss);
    return std::vector<Tensor>{loss};
  });
  std::vector<int64_t> order(images.shape.front());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(seed);
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  bool isTerminal = isatty(STDOUT_FILENO);
  double loss = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    adam.setRate(tiny::optim::cosineRate(kRate, epoch, epochs));
    loss = 0;
    int64_t batches = int64_t(order.size()) / kBatch;
    for (int64_t batch = 0; batch < batches; ++batch)
      loss += train({pick(images, order, batch * kBatch, kBatch), pick(labels, order, batch * kBatch, kBatch)})
                  .front()
                  .item() /
              double(batches);
    if (isTerminal) {
      int filled = 40 * (epoch + 1) / epochs;
      std::printf("\r[%s%s] epoch %d of %d, loss %.4f, %.1f s", std::string(filled, '#').c_str(),
                  std::string(40 - filled, ' ').c_str(), epoch + 1, epochs, loss, seconds());
      std::fflush(stdout);
    }
  }
  network.train(false);
  Tensor right = network.forward(unseen).argmax({1}).to(TINY_DTYPE_I64).eq(truth);
  std::printf("%sloss: %.4f after %d epochs in %.1f s\naccuracy: %d of %d\n", isTerminal ? "\n" : "", loss, epochs,
              seconds(), int(right.to(TINY_DTYPE_I32).sum().item()), int(truth.numel()));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string folder = "examples";
  int epochs = kEpochs;
  unsigned seed = 0;
  for (int k = 1; k < argc; ++k) {
    std::string argument = argv[k];
    if (argument.rfind("--epochs=", 0) == 0)
      epochs = std::max(1, int(std::strtol(argument.c_str() + 9, nullptr, 10)));
    else if (argument.rfind("--seed=", 0) == 0)
      seed = unsigned(std::strtol(argument.c_str() + 7, nullptr, 10));
    else if (argument.rfind("--examples=", 0) == 0)
      folder = argument.substr(11);
    else {
      std::fprintf(stderr, "usage: train-digits [--epochs=N] [--seed=N] [--examples=FOLDER]\n");
      return argument == "--help" ? 0 : 1;
    }
  }
  try {
    return run(folder, epochs, seed);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "train-digits: error: %s\n", error.what());
    return 1;
  }
}
