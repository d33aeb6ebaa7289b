// A program outside of the tree: a value, a training step, and an error that names its line.
#include <Tiny/Frontend/Tiny.h>

#include <cstdio>

using tiny::Tensor;

int main() {
  Tensor x = {1, 2, 3};
  std::printf("sum %g\n", (x + 2).sum().item());
  tiny::nn::Linear linear(3, 1);
  tiny::optim::SGD optimizer(linear.parameters(), 0.01);
  double first = 0, last = 0;
  for (int step = 0; step < 20; ++step) {
    Tensor loss = (linear(x.reshape({1, 3})) - 4).square().mean();
    optimizer.step(loss);
    last = loss.item();
    first = step == 0 ? last : first;
  }
  std::printf("learned %s\n", last < first ? "yes" : "no");
  try {
    x + Tensor({1, 2});
  } catch (const tiny::Error &error) {
    std::printf("%s\n", error.what());
  }
  return 0;
}
