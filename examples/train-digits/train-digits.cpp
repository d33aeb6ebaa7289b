// Trains the network of ../digits from nothing: two blocks of convolution, batch norm, relu and max-pool, then a linear
// classifier; Adam with a falling rate. Prints the loss on the way and, at the end, how many images that it never saw
// it gets right. With --state it goes on from where a file says, and leaves its own state there.
#include "Tiny/Files/Tensors.h"
#include "Tiny/Frontend/Jit.h"
#include "Tiny/Frontend/Optim.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

struct Options {
  std::string folder = "examples", state;
  /// Epochs in all, which the rate falls over, and how many of them are trained before it ends.
  int epochs = kEpochs, last = kEpochs;
  unsigned seed = 0;
};

/// What the file holds: named tensors of the network and the optimiser, and how many epochs they have seen.
class State {
public:
  State(std::string path, Network &network, tiny::optim::Optimizer &optimizer)
      : path(std::move(path)), parts{{"network.", network.state()}, {"optimizer.", optimizer.state()}} {}

  /// Gives the epoch that follows; 0 where there is no file.
  int load() {
    if (path.empty() || !std::filesystem::exists(path))
      return 0;
    double epochs = -1;
    std::vector<std::vector<std::pair<std::string, Tensor>>> values(parts.size());
    for (auto &[name, tensor] : tiny::nn::load(path)) {
      if (name == "epochs")
        epochs = tensor.item();
      for (size_t part = 0; part < parts.size(); ++part)
        if (name.rfind(parts[part].first, 0) == 0)
          values[part].emplace_back(name.substr(parts[part].first.size()), tensor);
    }
    if (epochs < 0)
      throw std::runtime_error(path + ": expects a state of train-digits, got no tensor 'epochs'");
    for (size_t part = 0; part < parts.size(); ++part)
      tiny::nn::loadState(parts[part].second, values[part]);
    return int(epochs);
  }

  void save(int epochs) {
    if (path.empty())
      return;
    std::vector<std::pair<std::string, Tensor>> all = {{"epochs", Tensor({float(epochs)})}};
    for (auto &[prefix, named] : parts)
      for (tiny::nn::Named &each : named)
        all.emplace_back(prefix + each.name, *each.tensor);
    tiny::nn::save(path, all);
  }

private:
  std::string path;
  std::vector<std::pair<std::string, std::vector<tiny::nn::Named>>> parts;
};

int run(const Options &options) {
  const std::string &folder = options.folder;
  int epochs = options.epochs;
  HostTensor images = read(folder + "/train-digits/images.npy"), labels = read(folder + "/train-digits/labels.npy");
  Tensor unseen(read(folder + "/digits/images.npy")), truth(read(folder + "/digits/labels.npy"));
  tiny::manual_seed(options.seed);
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
  std::mt19937 random(options.seed);
  State state(options.state, network, adam);
  int first = state.load(), last = std::max(first, std::min(options.last, epochs));
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  bool isTerminal = isatty(STDOUT_FILENO);
  double loss = 0;
  for (int epoch = 0; epoch < last; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    // Its order is drawn all the same: those that follow are as if it had just been trained.
    if (epoch < first)
      continue;
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
  state.save(last);
  network.train(false);
  Tensor right = network.forward(unseen).argmax({1}).to(TINY_DTYPE_I64).eq(truth);
  std::printf("%sloss: %.4f after %d epochs in %.1f s\naccuracy: %d of %d\n", isTerminal ? "\n" : "", loss, last,
              seconds(), int(right.to(TINY_DTYPE_I32).sum().item()), int(truth.numel()));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  bool isShort = false;
  for (int k = 1; k < argc; ++k) {
    std::string argument = argv[k];
    if (argument.rfind("--epochs=", 0) == 0)
      options.epochs = std::max(1, int(std::strtol(argument.c_str() + 9, nullptr, 10)));
    else if (argument.rfind("--stop-after=", 0) == 0) {
      options.last = std::max(1, int(std::strtol(argument.c_str() + 13, nullptr, 10)));
      isShort = true;
    } else if (argument.rfind("--state=", 0) == 0)
      options.state = argument.substr(8);
    else if (argument.rfind("--seed=", 0) == 0)
      options.seed = unsigned(std::strtol(argument.c_str() + 7, nullptr, 10));
    else if (argument.rfind("--examples=", 0) == 0)
      options.folder = argument.substr(11);
    else {
      std::fprintf(stderr,
                   "usage: train-digits [--epochs=N] [--stop-after=N] [--state=FILE] [--seed=N] [--examples=FOLDER]\n");
      return argument == "--help" ? 0 : 1;
    }
  }
  try {
    options.last = isShort ? options.last : options.epochs;
    return run(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "train-digits: error: %s\n", error.what());
    return 1;
  }
}
