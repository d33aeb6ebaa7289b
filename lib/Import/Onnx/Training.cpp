// One step of an optimiser for any number of tensors (domain ai.onnx.preview.training).
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// Rate and step, then parameters, gradients and each kind of state, as many of each.
struct Step {
  Value rate, step;
  /// By kind, then by tensor: parameters, gradients, states.
  SmallVector<Values> groups;
};

/// Reads the inputs in `kinds` groups; the gradients already contain what pulls parameters to zero. Empty after an
/// error.
std::optional<Step> readStep(Node &node, unsigned kinds) {
  Step step = {node.input(0), node.input(1), {}};
  unsigned count = (node.numInputs() - 2) / kinds;
  if (node.numInputs() != 2 + kinds * count || count == 0) {
    node.fail("got " + Twine(node.numInputs()) + " inputs, expected the rate, the step and " + Twine(kinds) +
              " for each tensor");
    return std::nullopt;
  }
  step.groups.resize(kinds);
  for (unsigned i = 0; i < kinds * count; ++i)
    step.groups[i / count].push_back(node.input(2 + i));
  if (node.failed() || !step.rate || !step.step)
    return std::nullopt;
  double decay = node.getFloat("norm_coefficient", 0);
  for (auto [parameter, gradient] : llvm::zip(step.groups[0], step.groups[1]))
    gradient = node.add(node.mul(parameter, node.like(parameter, decay)), gradient);
  return step;
}

/// All of the first group, then all of the next.
Values joinGroups(ArrayRef<Values> groups) {
  Values all;
  for (const Values &group : groups)
    all.append(group.begin(), group.end());
  return all;
}

Value square(Node &node, Value value) { return node.mul(value, value); }

/// a * x + b * y
Value mix(Node &node, double a, Value x, double b, Value y) {
  return node.add(node.mul(x, node.like(x, a)), node.mul(y, node.like(y, b)));
}

/// The rate in the parameter's type.
Value rateOf(Node &node, Value rate, Value parameter) {
  return parameter && rate ? node.cast(node.reshape(rate, {}), elementOf(parameter)) : nullptr;
}

// r = rate / (1 + step * decay); h += g * g; x -= r * g / (sqrt(h) + epsilon)
Values translateAdagrad(Node &node) {
  std::optional<Step> step = readStep(node, 3);
  if (!step)
    return {};
  Value time = node.cast(node.reshape(step->step, {}), elementOf(step->rate));
  Value slower = node.mul(time, node.like(time, node.getFloat("decay_factor", 0)));
  Value rate = node.div(node.reshape(step->rate, {}), node.add(slower, node.like(slower, 1)));
  Values parameters, states;
  for (auto [x, g, h] : llvm::zip(step->groups[0], step->groups[1], step->groups[2])) {
    Value sum = node.add(h, square(node, g));
    Value root = node.create("tiny.sqrt", sum);
    Value change =
        node.div(node.mul(rateOf(node, rate, x), g), node.add(root, node.like(root, node.getFloat("epsilon", 1e-6f))));
    parameters.push_back(node.sub(x, change));
    states.push_back(sum);
  }
  return joinGroups({parameters, states});
}

// v = alpha * v + (1 - alpha) * g; h = beta * h + (1 - beta) * g * g; x -= r * v / (sqrt(h) + epsilon), with a rate r
// that makes up for states that began at zero.
Values translateAdam(Node &node) {
  std::optional<Step> step = readStep(node, 4);
  if (!step)
    return {};
  double alpha = node.getFloat("alpha", 0.9f), beta = node.getFloat("beta", 0.999f);
  Value rate = node.reshape(step->rate, {}), number = node.reshape(step->step, {});
  Value time = node.cast(number, elementOf(rate));
  auto rest = [&](double base) {
    return node.sub(node.like(time, 1), node.create("tiny.pow", {node.like(time, base), time}));
  };
  Value adjusted = node.div(node.mul(rate, node.create("tiny.sqrt", rest(beta))), rest(alpha));
  rate = node.where(node.create("tiny.gt", {number, node.like(number, 0)}), adjusted, rate);
  Values parameters, firsts, seconds;
  for (auto [x, g, v, h] : llvm::zip(step->groups[0], step->groups[1], step->groups[2], step->groups[3])) {
    Value first = mix(node, alpha, v, 1 - alpha, g), second = mix(node, beta, h, 1 - beta, square(node, g));
    Value root = node.create("tiny.sqrt", second);
    Value change = node.div(node.mul(rateOf(node, rate, x), first),
                            node.add(root, node.like(root, node.getFloat("epsilon", 1e-6f))));
    Value moved = node.sub(x, change);
    parameters.push_back(node.mul(moved, node.like(x, 1 - node.getFloat("norm_coefficient_post", 0))));
    firsts.push_back(first);
    seconds.push_back(second);
  }
  return joinGroups({parameters, firsts, seconds});
}

// v = alpha * v + beta * g, with beta = 1 in the first step; x -= rate * v, or rate * (g + alpha * v)
Values translateMomentum(Node &node) {
  StringRef mode = node.getString("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return {node.fail("attribute 'mode' is '" + mode + "', expected standard or nesterov")};
  std::optional<Step> step = readStep(node, 3);
  if (!step)
    return {};
  double alpha = node.getFloat("alpha", 0), beta = node.getFloat("beta", 1);
  Value number = node.reshape(step->step, {});
  Value isLater = node.create("tiny.gt", {number, node.like(number, 0)});
  Values parameters, states;
  for (auto [x, g, v] : llvm::zip(step->groups[0], step->groups[1], step->groups[2])) {
    Value share = node.where(isLater, node.like(x, beta), node.like(x, 1));
    Value state = node.add(node.mul(v, node.like(v, alpha)), node.mul(share, g));
    Value direction = mode == "standard" ? state : node.add(g, node.mul(state, node.like(state, alpha)));
    parameters.push_back(node.sub(x, node.mul(rateOf(node, step->rate, x), direction)));
    states.push_back(state);
  }
  return joinGroups({parameters, states});
}

} // namespace

ArrayRef<Handler> getTrainingHandlers() {
  static const Handler handlers[] = {
      {"ai.onnx.preview.training:Adagrad", 3, kAnyInputs, "decay_factor epsilon norm_coefficient", translateAdagrad},
      {"ai.onnx.preview.training:Adam", 3, kAnyInputs, "alpha beta epsilon norm_coefficient norm_coefficient_post",
       translateAdam},
      {"ai.onnx.preview.training:Momentum", 3, kAnyInputs, "alpha beta mode norm_coefficient", translateMomentum},
  };
  return handlers;
}

} // namespace tiny::onnximport
