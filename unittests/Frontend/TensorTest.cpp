// Tensors from a user's side: laziness, values, gradients, errors.
#include "Tiny/Frontend/Tensor.h"
#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace tiny;

namespace {

std::vector<float> read(const Tensor &tensor) {
  const HostTensor &data = tensor.data();
  return {data.data<float>(), data.data<float>() + data.size()};
}

TEST(Tensor, NothingIsComputedBeforeItIsAskedFor) {
  Tensor x = {1, 2, 3};
  Tensor y = (x + 2).sum();
  EXPECT_FALSE(y.is_realized());
  EXPECT_EQ(y.item(), 12);
  EXPECT_TRUE(y.is_realized());
  EXPECT_EQ((y * 2).item(), 24);
}

TEST(Tensor, AKnownStructureCompilesNothing) {
  auto compute = [](float first) { return (Tensor{first, 2, 3} * 2 + 1).exp().sum().item(); };
  compute(1);
  size_t compiled = countCompiledGraphs();
  EXPECT_NE(compute(5), compute(1));
  EXPECT_EQ(countCompiledGraphs(), compiled);
}

TEST(Tensor, NumbersTakeTheElementType) {
  HostTensor host = HostTensor::zeros(TINY_DTYPE_I64, {2});
  Tensor x(std::move(host));
  EXPECT_EQ((x + 3).dtype(), TINY_DTYPE_I64);
  EXPECT_EQ((x + 0.5).dtype(), TINY_DTYPE_F32);
  EXPECT_EQ((3 - x).data().getInteger(1), 3);
  EXPECT_EQ((x.to(TINY_DTYPE_F64) / 2).dtype(), TINY_DTYPE_F64);
}

TEST(Tensor, MovementAndProducts) {
  Tensor x = Tensor::arange(0, 6).reshape({2, -1});
  EXPECT_EQ(x.shape(), (Shape{2, 3}));
  EXPECT_EQ(x.sum().item(), 15);
  EXPECT_EQ(x.mean({-1}, /*keepdim=*/true).shape(), (Shape{2, 1}));
  EXPECT_EQ(read(x.transpose()), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(read(x.matmul(x.transpose())), (std::vector<float>{5, 14, 14, 50}));
  EXPECT_EQ(read(Tensor::cat({x, Tensor::ones({1, 3})}).max({0})), (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(read(Tensor::eye(2)), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(read(where(x > 2, x, -1.0)), (std::vector<float>{-1, -1, -1, 3, 4, 5}));
  EXPECT_EQ(read(x.reshape({1, 1, 2, 3}).max_pool({2, 2})), (std::vector<float>{4}));
}

TEST(Tensor, SeveralAreComputedByOneProgram) {
  Tensor x = {1, 2};
  Tensor exponential = x.exp(), sum = exponential.sum(), quotient = exponential / sum;
  size_t compiled = countCompiledGraphs();
  Tensor::realize({sum, quotient, sum, x});
  EXPECT_EQ(countCompiledGraphs(), compiled + 1);
  EXPECT_TRUE(sum.is_realized() && quotient.is_realized() && !exponential.is_realized());
  EXPECT_NEAR(read(quotient)[1], 0.7310586, 1e-6);
}

TEST(Tensor, GradientsAreLazyAndHaveGradients) {
  Tensor x = {1, 2, 3};
  Tensor cube = x * x * x;
  Tensor first = cube.gradient({x}).front();
  EXPECT_FALSE(first.is_realized());
  Tensor second = first.gradient({x}).front();
  EXPECT_EQ(read(first), (std::vector<float>{3, 12, 27}));
  EXPECT_EQ(read(second), (std::vector<float>{6, 12, 18}));
}

TEST(Tensor, GradientsOfWhatIsComputed) {
  Tensor x = {1, 2};
  Tensor middle = x * 3, loss = (middle * middle).sum();
  std::vector<Tensor> gradients = loss.gradient({middle, x});
  EXPECT_EQ(read(gradients[0]), (std::vector<float>{6, 12}));
  EXPECT_EQ(read(gradients[1]), (std::vector<float>{18, 36}));
  EXPECT_EQ(read((x * x.detach()).gradient({x}).front()), (std::vector<float>{1, 2}));
}

TEST(Tensor, DescentTrains) {
  // y = 2 x - 1, from four points.
  Tensor x = {-1, 0, 1, 2}, y = {-3, -1, 1, 3};
  Tensor weight = Tensor::zeros({}).realize(), bias = Tensor::zeros({}).realize();
  size_t compiled = 0;
  for (int step = 0; step < 200; ++step) {
    Tensor loss = (x * weight + bias - y).square().mean();
    std::vector<Tensor> gradients = loss.gradient({weight, bias});
    weight = weight - gradients[0] * 0.1;
    bias = bias - gradients[1] * 0.1;
    Tensor::realize({weight, bias});
    if (step == 0)
      compiled = countCompiledGraphs();
  }
  EXPECT_NEAR(weight.item(), 2, 1e-3);
  EXPECT_NEAR(bias.item(), -1, 1e-3);
  EXPECT_EQ(countCompiledGraphs(), compiled);
}

TEST(Tensor, OtherNumbersCompileNothing) {
  Tensor x = Tensor{1, 2, 3}.realize();
  auto compute = [&](double rate) { return (x - x * rate).clamp(-rate, 2 * rate).sum().item(); };
  EXPECT_FLOAT_EQ(compute(0.25), 1.5);
  size_t compiled = countCompiledGraphs();
  EXPECT_FLOAT_EQ(compute(0.75), 0.25 + 0.5 + 0.75);
  EXPECT_EQ(Tensor::full({2}, 7, TINY_DTYPE_U8).realize().data().getInteger(1), 7);
  EXPECT_EQ(countCompiledGraphs(), compiled + 1);
  EXPECT_EQ(Tensor::full({2}, 9, TINY_DTYPE_U8).realize().data().getInteger(1), 9);
  EXPECT_EQ(countCompiledGraphs(), compiled + 1);
}

TEST(Tensor, StateIsUpdatedWhereItLies) {
  Tensor weight = Tensor::zeros({1000}).realize(), gradient = Tensor::ones({1000}).realize();
  const char *memory = weight.data().bytes.data();
  for (int step = 0; step < 3; ++step) {
    weight = weight - gradient * 0.5;
    weight.realize();
  }
  EXPECT_EQ(weight.data().bytes.data(), memory);
  EXPECT_EQ(weight.data().getNumber(999), -1.5);
  // What a handle, or a node that lives on, can still ask for stays as it is.
  Tensor old = weight;
  weight = (weight + 1).realize();
  EXPECT_EQ(read(old)[0], -1.5f);
  EXPECT_EQ(read(weight)[0], -0.5f);
  Tensor later = weight * 4;
  weight = (weight + 1).realize();
  EXPECT_EQ(read(later)[0], -2.f);
  EXPECT_EQ(read(weight)[0], 0.5f);
}

TEST(Tensor, SharedMemoryIsNotWritten) {
  std::shared_ptr<char> memory(new char[8](), std::default_delete<char[]>());
  HostTensor host;
  host.shape = {2};
  host.bytes = HostBytes(memory, 8);
  Tensor x(std::move(host));
  x = (x + 2).realize();
  x = (x + 2).realize();
  EXPECT_EQ(read(x), (std::vector<float>{4, 4}));
  EXPECT_EQ(reinterpret_cast<float *>(memory.get())[0], 0);
}

TEST(Tensor, TwoStatesOfOneTypeKeepTheirMemory) {
  Tensor a = Tensor::zeros({64}).realize(), b = Tensor::ones({64}).realize();
  const char *first = a.data().bytes.data(), *second = b.data().bytes.data();
  for (int step = 0; step < 2; ++step) {
    Tensor next = a * 0.5 + b;
    b = b - next.square() * 0.25;
    a = std::move(next);
    Tensor::realize({b, a});
  }
  EXPECT_EQ(a.data().bytes.data(), first);
  EXPECT_EQ(b.data().bytes.data(), second);
  // 0, 1 -> 1, 0.75 -> 1.25, 0.359375
  EXPECT_EQ(read(a)[63], 1.25f);
  EXPECT_EQ(read(b)[63], 0.359375f);
}

TEST(Tensor, AFailedCompilationLeavesNothing) {
  Tensor x = Tensor::zeros({1 << 20, 1}), y = x.expand({1 << 20, int64_t(1) << 36});
  size_t compiled = countCompiledGraphs();
  EXPECT_THROW((y + 1).realize(), Error);
  EXPECT_THROW((y + 1).realize(), Error);
  EXPECT_LE(countCompiledGraphs(), compiled + 1);
  EXPECT_EQ((x + 1).sum().item(), 1 << 20);
}

TEST(Tensor, ThreadsWorkOnOneGraph) {
  Tensor x = Tensor::arange(0, 1000).realize();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      Tensor state = Tensor::zeros({1000}).realize();
      for (int step = 0; step < 20; ++step)
        state = (state + x * double(k + 2)).realize();
      wrong += state.data().getNumber(999) != 999.0 * 20 * (k + 2);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Tensor, LongChainsDie) {
  Tensor x = {1};
  for (int k = 0; k < 100000; ++k)
    x = x + 1;
  EXPECT_EQ(x.numel(), 1);
}

/// The message that the call throws.
template <typename Call> std::string messageOf(Call call) {
  try {
    call();
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing is wrong";
}

TEST(Tensor, ErrorsNameThePlaceAndWhatIsWrong) {
  Tensor x = {1, 2, 3}, y = {1, 2};
  std::string message = messageOf([&] { x + y; });
  EXPECT_NE(message.find("TensorTest.cpp:" + std::to_string(__LINE__ - 1) + ": 'tiny.add' op expects"),
            std::string::npos)
      << message;
  EXPECT_NE(messageOf([&] { x.softmax(1); }).find("expects an axis in [-1, 1), got 1"), std::string::npos);
  EXPECT_NE(messageOf([&] { x.reshape({2, -1}); }).find("expects sizes that divide 3 elements, got 2"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { x.reshape({-2}); }).find("at most one of -1, got -2"), std::string::npos);
  EXPECT_NE(messageOf([&] { x.item(); }).find("expects a tensor of one element, got tensor<3xf32>"), std::string::npos);
  EXPECT_NE(messageOf([&] { Tensor({1, 2}, {3}); }).find("got 2 elements for a shape of 3"), std::string::npos);
  EXPECT_NE(messageOf([&] { Tensor::full({2}, 0.5, TINY_DTYPE_I32); }).find("expects a whole number"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { Tensor::zeros({-1}); }).find("expects sizes of at least 0"), std::string::npos);
  EXPECT_NE(messageOf([&] { Tensor::arange(0, 1, 0); }).find("a step that is not 0"), std::string::npos);
  EXPECT_NE(messageOf([&] { x.gradient({}); }).find("expects a target"), std::string::npos);
  EXPECT_NE(messageOf([&] { x.exp().gradient({y}); }).find("the loss does not depend on target 0"), std::string::npos);
  Tensor known = x.exp().realize();
  EXPECT_NE(messageOf([&] { known.sum().gradient({x}); }).find("realised in between is a constant"), std::string::npos);
  // A part of a gradient is not dropped silently.
  EXPECT_NE(messageOf([&] { (known * x).sum().gradient({x}); }).find("target 0 through a value that was realised"),
            std::string::npos);
  EXPECT_EQ((known.detach() * x).sum().gradient({x})[0].sum().item(), known.sum().item());
  EXPECT_NE(messageOf([&] { setDevice("silicon"); }).find("silicon"), std::string::npos);
  EXPECT_NE(messageOf([&] { x.lowered("silicon"); }).find("expects a level"), std::string::npos);
  EXPECT_NE(messageOf([&] { x.to(TINY_DTYPE_I32).gradient({x}); }).find("a loss of floats, got i32"),
            std::string::npos);
  Tensor whole = x.to(TINY_DTYPE_I32);
  EXPECT_NE(messageOf([&] { (whole * 0.5).sum().gradient({whole}); }).find("targets of floats, got i32 as target 0"),
            std::string::npos);
  // What failed leaves nothing behind.
  EXPECT_EQ((x + 1).sum().item(), 9);
}

TEST(Tensor, StateThatIsRealisedOnTheWayLosesNoGradient) {
  Tensor x = {1, 2, 3}, y = x;
  y.assign(y * 2);
  Tensor loss = (y * y + x).sum();
  EXPECT_EQ(loss.gradient({x})[0].sum().item(), 51);
  // Another value has the state realised with it.
  Tensor again = x;
  again.assign(again * 2);
  Tensor other = (again * again + x).sum();
  (Tensor({1}) + 1).realize();
  EXPECT_NE(messageOf([&] { other.gradient({x}); }).find("through a value that was realised"), std::string::npos);
}

TEST(Tensor, CheckpointsKeepGradients) {
  auto block = [](const std::vector<Tensor> &in) {
    return std::vector<Tensor>{(in[0].matmul(in[1]).tanh().matmul(in[1])).tanh().dropout(0.25)};
  };
  auto compute = [&](bool keeps) {
    manual_seed(5);
    Tensor weight = (Tensor::arange(0, 4096).sin().reshape({64, 64}) * 0.2).realize();
    Tensor x = Tensor::ones({8, 64}).realize(), y = x;
    for (int k = 0; k < 3; ++k)
      y = keeps ? block({y, weight})[0] : checkpoint(block, {y, weight})[0];
    return y.square().sum().gradient({weight})[0].abs().sum().item();
  };
  double kept = compute(true);
  EXPECT_GT(kept, 1);
  // The same random numbers.
  EXPECT_NEAR(compute(false), kept, 1e-4 * kept);
}

TEST(Tensor, EveryLevelCanBeRead) {
  Tensor x = {1, 2, 3};
  Tensor y = (x + 2).sum();
  EXPECT_NE(y.graph().find("tiny.add"), std::string::npos);
  EXPECT_NE(y.lowered("lazy").find("lazy.reduce"), std::string::npos);
  EXPECT_NE(y.lowered("kernel").find("kernel.func"), std::string::npos);
  EXPECT_NE(y.lowered("uop").find("uop.func"), std::string::npos);
  EXPECT_EQ(y.item(), 12);
}

} // namespace
