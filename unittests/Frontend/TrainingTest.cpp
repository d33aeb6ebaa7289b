// Layers, optimisers and captured functions from C++. The Python package's tests look at each of them.
#include "Tiny/Frontend/Index.h"
#include "Tiny/Frontend/Jit.h"
#include "Tiny/Frontend/Optim.h"
#include "gtest/gtest.h"

using namespace tiny;

namespace {

/// Two layers, by names.
class Network : public nn::Module {
public:
  Network() {
    add("first", first);
    add("norm", norm);
    add("last", last);
  }
  Tensor forward(const Tensor &input) { return last(norm(first(input)).tanh()); }

  nn::Linear first{2, 8};
  nn::BatchNorm norm{8};
  nn::Linear last{8, 1, /*hasBias=*/false};
};

TEST(Training, ModulesNameTheirTensors) {
  Network network;
  std::vector<std::string> names;
  for (const nn::Named &named : network.state())
    names.push_back(named.name);
  EXPECT_EQ(names, (std::vector<std::string>{"first.weight", "first.bias", "norm.weight", "norm.bias",
                                             "norm.running_mean", "norm.running_var", "last.weight"}));
  EXPECT_EQ(network.parameters().size(), 5u);
  network.train(false);
  EXPECT_FALSE(network.norm.isTraining());
}

TEST(Training, ACapturedStepIsTheStep) {
  Tensor x = Tensor::arange(0, 20).reshape({10, 2}) * 0.1, y = x.sum({1}, /*keepdim=*/true).sin();
  std::vector<double> losses[2];
  for (bool captured : {false, true}) {
    manual_seed(4);
    Network network;
    optim::Adam adam(network.parameters(), 1e-2);
    auto compute = [&](const std::vector<Tensor> &data) {
      Tensor loss = network.forward(data[0]).mse_loss(data[1]);
      adam.step(loss);
      return std::vector<Tensor>{loss};
    };
    Jit jit(compute);
    for (int step = 0; step < 10; ++step) {
      adam.setRate(optim::cosineRate(1e-2, step, 10));
      losses[captured].push_back((captured ? jit({x, y}) : compute({x, y})).front().item());
    }
    EXPECT_EQ(jit.countReplays(), captured ? 8 : 0);
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_LT(losses[0].back(), losses[0].front());
}

TEST(Training, IndicesChoose) {
  Tensor x = Tensor::arange(0, 12).reshape({3, 4});
  EXPECT_EQ(x.index({1, Index::slice(std::nullopt, std::nullopt, -2)}).data().getNumber(1), 5);
  EXPECT_EQ(x.index({Index::ellipsis(), Index::newAxis(), -1}).shape(), (Shape{3, 1}));
  EXPECT_EQ(x.with({Index(x > 5)}, 0).sum().item(), 15);
  EXPECT_EQ(x.with({Index::slice(1, 2)}, 1).sum().item(), 66 - 22 + 4);
}

} // namespace
