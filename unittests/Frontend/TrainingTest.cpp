// Layers, optimisers and captured functions from C++. The Python package's tests look at each of them.
#include "Tiny/Frontend/Index.h"
#include "Tiny/Frontend/Jit.h"
#include "Tiny/Frontend/Optim.h"
#include "Tiny/Frontend/SizedJit.h"
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

TEST(Training, StateThatIsReturnedIsUpdatedAgain) {
  Tensor state = Tensor::zeros({2}).realize();
  Jit count([&](const std::vector<Tensor> &given) {
    state.assign(state + given[0]);
    return std::vector<Tensor>{state, given[0]};
  });
  std::vector<Tensor> kept;
  for (int step = 1; step <= 5; ++step) {
    kept.push_back(count({Tensor({1, 2})}).front());
    EXPECT_EQ(state.sum().item(), 3 * step);
  }
  for (int step = 1; step <= 5; ++step)
    EXPECT_EQ(kept[size_t(step) - 1].sum().item(), 3 * step);
}

TEST(Training, ModesArePartOfACapture) {
  nn::Dropout dropout(0.5);
  Jit drop([&](const std::vector<Tensor> &given) { return std::vector<Tensor>{dropout(given[0])}; });
  Tensor x = Tensor::ones({64});
  for (int call = 0; call < 3; ++call)
    EXPECT_NE((drop({x}).front() - x).abs().sum().item(), 0);
  dropout.train(false);
  EXPECT_EQ((drop({x}).front() - x).abs().sum().item(), 0);
  dropout.train();
  EXPECT_NE((drop({x}).front() - x).abs().sum().item(), 0);
  EXPECT_EQ(drop.countReplays(), 2);
}

TEST(Training, RecurrentLayersGoBothWays) {
  Tensor x = Tensor::arange(0, 24).reshape({4, 2, 3}) * 0.1;
  nn::GRU both(3, 5, /*layers=*/1, /*hasBias=*/true, /*isBatchFirst=*/false, /*dropout=*/0, /*isBidirectional=*/true);
  std::vector<std::string> names;
  for (const nn::Named &named : both.state())
    names.push_back(named.name);
  EXPECT_EQ(names, (std::vector<std::string>{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0",
                                             "weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse",
                                             "bias_hh_l0_reverse"}));
  auto [output, hidden] = both(x);
  EXPECT_EQ(output.shape(), (Shape{4, 2, 10}));
  // The way back ends at the first step.
  Tensor first = output.index({0, Index::ellipsis(), Index::slice(5)});
  EXPECT_EQ((first - hidden.index({1})).abs().max().item(), 0);
  nn::LSTM lstm(3, 5, 2);
  EXPECT_EQ(lstm(x).cell.shape(), (Shape{2, 2, 5}));
  nn::RNN rnn(3, 5, 1, /*isRelu=*/true);
  EXPECT_GE(rnn(x).output.min().item(), 0);
  EXPECT_THROW(rnn(x, &x), Error);
}

TEST(Training, WhatLiesOutsideIsRefused) {
  nn::Embedding embedding(4, 2, /*padding=*/0);
  EXPECT_EQ(embedding.weight.index({0}).abs().max().item(), 0);
  EXPECT_THROW(embedding(Tensor({1, 4}).to(TINY_DTYPE_I64).realize()), Error);
  EXPECT_THROW(Tensor::ones({2, 3}).cross_entropy(Tensor({0, 3}).to(TINY_DTYPE_I32).realize()), Error);
  EXPECT_THROW(nn::Embedding(4, 2, 4), Error);
}

/// What is thrown, behind this file's name.
template <typename Call> std::string catchMessage(Call call) {
  try {
    call();
  } catch (const Error &error) {
    std::string message = error.what();
    size_t place = message.find("TrainingTest.cpp:");
    return place == std::string::npos ? "elsewhere: " + message : message.substr(message.find(": ", place) + 2);
  }
  return "no error";
}

TEST(Training, MistakesAreSaidWhereTheyAre) {
  struct Empty : nn::Module {
    nn::Linear forgotten{2, 2};
  } empty;
  nn::Linear linear(2, 2);
  optim::SGD sgd(linear.parameters());
  Tensor x = Tensor::ones({2, 2});
  using Tensors = std::vector<Tensor>;
  auto same = [](const Tensors &given, const std::vector<int64_t> &) { return given; };
  EXPECT_EQ(catchMessage([] { nn::Linear(0, 3); }), "expects sizes of at least 1, got 3, 0");
  EXPECT_EQ(catchMessage([] { nn::GroupNorm(3, 4); }), "expects channels that 3 groups divide, got 4");
  EXPECT_EQ(catchMessage([] { nn::GRU(2, 2, 0); }),
            "expects sizes and a number of layers of at least 1, got 2, 2 and 0");
  EXPECT_EQ(catchMessage([&] { optim::Adam(empty.parameters()); }),
            "expects at least one parameter: are the layers added to the module, as in add(\"linear\", linear)?");
  EXPECT_EQ(catchMessage([] { optim::Adam({nullptr}); }), "expects tensors, got a null pointer");
  EXPECT_EQ(catchMessage([&] { sgd.setRate(-1); }), "expects a rate of at least 0, got -1.000000");
  EXPECT_EQ(catchMessage([&] { sgd.setClip(-1); }), "expects a norm of at least 0, which is no limit, got -1.000000");
  EXPECT_EQ(catchMessage([&] { x.scatter(0, x, x); }), "expects indices of integers, got f32");
  EXPECT_EQ(catchMessage([&] { Tensor::attention(x, x, x); }),
            "expects query, key and value [batch, heads, rows, width], got tensor<2x2xf32>");
  EXPECT_EQ(catchMessage([&] { x.topk(9); }), "cannot take 9 of 2 elements");
  EXPECT_EQ(catchMessage([&] { nn::save("net.pt", {{"x", x}}); }),
            "expects a name that ends in .safetensors or .npz, got 'net.pt'");
  EXPECT_EQ(catchMessage([&] { Jit(nullptr)({x}); }), "expects a function to capture, got an empty one");
  EXPECT_EQ(catchMessage([&] { SizedJit(same, {{"n", 3, 1}}, {{"x", TINY_DTYPE_F32, {{2, 0}}}})({x}, {}); }),
            "the size 'n' has the bounds 3 to 1, expected the least first");
  EXPECT_EQ(catchMessage([&] { SizedJit(same, {{"n", 1, 3}}, {{"x", TINY_DTYPE_F32, {{2, 5}}}})({x}, {}); }),
            "argument 'x' has the size number 5, there are 1");
}

TEST(Training, IndicesChoose) {
  Tensor x = Tensor::arange(0, 12).reshape({3, 4});
  EXPECT_EQ(x.index({1, Index::slice(std::nullopt, std::nullopt, -2)}).data().getNumber(1), 5);
  EXPECT_EQ(x.index({Index::ellipsis(), Index::newAxis(), -1}).shape(), (Shape{3, 1}));
  EXPECT_EQ(x.with({Index(x > 5)}, 0).sum().item(), 15);
  EXPECT_EQ(x.with({Index::slice(1, 2)}, 1).sum().item(), 66 - 22 + 4);
}

} // namespace
