// Tensors cut among ranks from C++. The Python package's tests look at more.
#include "Tiny/Frontend/Jit.h"
#include "Tiny/Frontend/Optim.h"
#include "gtest/gtest.h"

using namespace tiny;

namespace {

std::vector<float> getValues(const Tensor &tensor) {
  const HostTensor &data = tensor.data();
  return std::vector<float>(data.data<float>(), data.data<float>() + data.size());
}

TEST(Ranks, PartsComeTogether) {
  Tensor x = Tensor::arange(0, 30).reshape({10, 3});
  std::vector<float> expected = getValues(x * 2);
  EXPECT_EQ(getValues(x.shard({4}, {0}) * 2), expected);
  EXPECT_EQ(getValues(x.shard({2, 2}, {0, 1}) * 2), expected);
  EXPECT_EQ(getValues(x.shard({2, 2}, {0, std::nullopt}) * 2), expected);
}

TEST(Ranks, AStepIsThatOfOneRank) {
  Tensor x = Tensor::arange(0, 48).reshape({8, 6}) * 0.02, y = x.sum({1}, /*keepdim=*/true).sin();
  std::vector<double> losses[2];
  for (int64_t ranks : {1, 4}) {
    manual_seed(4);
    nn::Linear first(6, 16), last(16, 1);
    std::vector<nn::Named> named = first.state();
    for (const nn::Named &each : last.state())
      named.push_back(each);
    std::vector<Tensor *> parameters;
    for (const nn::Named &each : named)
      parameters.push_back(each.tensor);
    optim::Adam adam(parameters, 1e-2);
    Jit step([&](const std::vector<Tensor> &data) {
      Tensor rows = ranks > 1 ? data[0].shard({ranks}, {0}) : data[0];
      Tensor loss = last(first(rows).tanh()).mse_loss(data[1]);
      adam.step(loss);
      return std::vector<Tensor>{loss};
    });
    for (int count = 0; count < 6; ++count)
      losses[ranks > 1].push_back(step({x, y}).front().item());
    EXPECT_EQ(step.countReplays(), 4);
  }
  for (size_t k = 0; k < losses[0].size(); ++k)
    EXPECT_NEAR(losses[0][k], losses[1][k], 1e-5);
  EXPECT_LT(losses[1].back(), losses[1].front());
}

TEST(Ranks, StagesPassMicrobatchesOn) {
  Tensor x = Tensor::arange(0, 24).reshape({8, 3}) * 0.1;
  std::vector<float> expected = getValues((x.exp() + 1).sum({1}));
  Grid grid({2, 4}, /*hasMicrobatches=*/true);
  Tensor hidden = x.shard(grid, {std::nullopt, 0}).exp().stage(grid, 0, 0, 1);
  EXPECT_EQ(getValues((hidden + 1).sum({1})), expected);
  EXPECT_THROW(x.stage(grid, 1, 0, 1), Error);
  EXPECT_THROW(x.stage(grid, 0, 0, 2), Error);
  EXPECT_THROW(x.stage(grid, 0, 1, 1), Error);
}

TEST(Ranks, WhatIsWrongIsSaidWhereItIs) {
  Tensor x = Tensor::arange(0, 12).reshape({4, 3});
  EXPECT_THROW(x.shard({2}, {2}), Error);
  EXPECT_THROW(x.shard({2, 2}, {0}), Error);
  EXPECT_THROW(x.shard({0}, {0}), Error);
  EXPECT_THROW((x.shard({2}, {0}) + x.shard({4}, {0})).realize(), Error);
  ProcessRank place = findProcessRank();
  EXPECT_EQ(place.rank, 0u);
  EXPECT_EQ(place.count, 1u);
}

} // namespace
