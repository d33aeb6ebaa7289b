// Trains the network of ../digits from nothing: two blocks of convolution, batch norm, relu and max-pool, then a linear
// classifier; Adam with a falling rate. Prints the loss on the way and, at the end, how many images that it never saw
// it gets right.
#include "Tiny/Files/Tensors.h"
#include "Tiny/Frontend/Tensor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
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
constexpr double kRate = 2e-3, kDecay = 1e-4, kBeta1 = 0.9, kBeta2 = 0.999, kPi = 3.141592653589793;

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

class Network {
public:
  explicit Network(unsigned seed) : random(seed) {
    // As PyTorch begins: uniform within 1 / sqrt(inputs).
    addBlock(1, 16);
    addBlock(16, 32);
    linear = add({kClasses, 128}, 128);
    bias = add({kClasses}, 128);
  }

  /// Logits of images; with `trains` by the batch's statistics, of which the running ones take a part.
  Tensor forward(Tensor x, bool trains) {
    for (Block &block : blocks) {
      x = x.conv(parameters[block.weight], &parameters[block.bias], {{}, {}, {1, 1}, {1, 1}});
      Shape perChannel = {1, x.shape()[1], 1, 1};
      Tensor mean = block.mean, variance = block.variance;
      if (trains) {
        mean = x.mean({0, 2, 3});
        variance = x.var({0, 2, 3}, /*correction=*/0);
        block.mean = block.mean * 0.9 + mean.detach() * 0.1;
        block.variance = block.variance * 0.9 + variance.detach() * 0.1;
      }
      x = (x - mean.reshape(perChannel)) * (variance + 1e-5).rsqrt().reshape(perChannel);
      x = x * parameters[block.scale].reshape(perChannel) + parameters[block.shift].reshape(perChannel);
      x = x.relu().max_pool({2, 2});
    }
    return x.flatten(1).linear(parameters[linear], &parameters[bias]);
  }

  /// One step of Adam on a batch; the loss before it. All of it is one program.
  double train(const Tensor &images, const Tensor &labels, double rate) {
    Tensor logits = forward(images, /*trains=*/true);
    Tensor wanted = labels.reshape({-1, 1}).eq(Tensor::arange(0, kClasses, 1, TINY_DTYPE_U8)).to(TINY_DTYPE_F32);
    Tensor loss = (logits.log_softmax() * wanted).sum() * (-1.0 / double(images.shape()[0]));
    std::vector<Tensor> gradients = loss.gradient(parameters);
    ++steps;
    // What changes from step to step is data: the program stays the same.
    Tensor size = {float(rate / (1 - std::pow(kBeta1, steps)))},
           correction = {float(1 / (1 - std::pow(kBeta2, steps)))};
    std::vector<Tensor> state = {loss};
    for (size_t k = 0; k < parameters.size(); ++k) {
      Tensor gradient = gradients[k] + parameters[k] * kDecay;
      first[k] = first[k] * kBeta1 + gradient * (1 - kBeta1);
      second[k] = second[k] * kBeta2 + gradient.square() * (1 - kBeta2);
      parameters[k] = parameters[k] - first[k] * size / ((second[k] * correction).sqrt() + 1e-8);
      state.insert(state.end(), {parameters[k], first[k], second[k]});
    }
    for (Block &block : blocks)
      state.insert(state.end(), {block.mean, block.variance});
    Tensor::realize(state);
    return loss.item();
  }

private:
  struct Block {
    size_t weight, bias, scale, shift;
    Tensor mean, variance;
  };

  size_t add(Shape shape, int64_t inputs) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> elements(std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<int64_t>()));
    for (float &element : elements)
      element = uniform(random) / std::sqrt(float(inputs));
    return add(Tensor(elements, shape));
  }
  size_t add(const Tensor &parameter) {
    parameters.push_back(parameter);
    first.push_back(Tensor::zeros(parameter.shape()).realize());
    second.push_back(Tensor::zeros(parameter.shape()).realize());
    return parameters.size() - 1;
  }
  void addBlock(int64_t in, int64_t out) {
    size_t weight = add({out, in, 3, 3}, in * 9), offset = add({out}, in * 9);
    size_t scale = add(Tensor::ones({out}).realize()), shift = add(Tensor::zeros({out}).realize());
    blocks.push_back({weight, offset, scale, shift, Tensor::zeros({out}).realize(), Tensor::ones({out}).realize()});
  }

  std::mt19937 random;
  std::vector<Tensor> parameters, first, second;
  std::vector<Block> blocks;
  size_t linear = 0, bias = 0;
  int steps = 0;
};

Tensor scale(const Tensor &images) { return images.to(TINY_DTYPE_F32) * (1.0 / 16); }

int run(const std::string &folder, int epochs, unsigned seed) {
  HostTensor images = read(folder + "/train-digits/images.npy"), labels = read(folder + "/train-digits/labels.npy");
  Tensor unseen(read(folder + "/digits/images.npy")), truth(read(folder + "/digits/labels.npy"));
  Network network(seed);
  std::vector<int64_t> order(images.shape.front());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(seed);
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  bool isTerminal = isatty(STDOUT_FILENO);
  double loss = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    double rate = kRate * (1 + std::cos(kPi * epoch / epochs)) / 2;
    loss = 0;
    int64_t batches = int64_t(order.size()) / kBatch;
    for (int64_t batch = 0; batch < batches; ++batch)
      loss += network.train(scale(pick(images, order, batch * kBatch, kBatch)),
                            pick(labels, order, batch * kBatch, kBatch), rate) /
              double(batches);
    if (isTerminal) {
      int filled = 40 * (epoch + 1) / epochs;
      std::printf("\r[%s%s] epoch %d of %d, loss %.4f, %.1f s", std::string(filled, '#').c_str(),
                  std::string(40 - filled, ' ').c_str(), epoch + 1, epochs, loss, seconds());
      std::fflush(stdout);
    }
  }
  Tensor right = network.forward(unseen, /*trains=*/false).argmax({1}).to(TINY_DTYPE_I64).eq(truth);
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
