// Activation functions that an attribute names, with parameters: of recurrent cells and of fused products.
#include "Activation.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// A function that takes parameters, and those it has where none are given.
struct Parameters {
  StringLiteral name;
  bool hasAlpha, hasBeta;
  double alpha, beta;
};
constexpr Parameters kParameters[] = {
    {"affine", true, true, 1, 0},         {"elu", true, false, 1, 0},       {"hardsigmoid", true, true, 0.2f, 0.5},
    {"leakyrelu", true, false, 0.01f, 0}, {"scaledtanh", true, true, 1, 1}, {"thresholdedrelu", true, false, 1, 0},
};

} // namespace

std::optional<Activation> findActivation(Node &node, StringRef name) {
  Activation activation = {name.lower()};
  const Parameters *known =
      llvm::find_if(kParameters, [&](const Parameters &each) { return each.name == activation.name; });
  if (known != std::end(kParameters))
    return Activation{activation.name, known->alpha, known->beta, known->hasAlpha, known->hasBeta};
  if (llvm::is_contained({"tanh", "sigmoid", "relu", "softsign", "softplus"}, activation.name))
    return activation;
  node.fail("activation '" + activation.name + "' is not supported");
  return std::nullopt;
}

Value activate(Node &node, const Activation &function, Value value) {
  StringRef name = function.name;
  if (llvm::is_contained({"tanh", "sigmoid", "relu", "softsign", "softplus"}, name))
    return node.create("tiny." + name.str(), value);
  auto scaled = [&](Value factor) { return node.mul(factor, node.like(value, function.alpha)); };
  if (name == "affine")
    return node.add(scaled(value), node.like(value, function.beta));
  if (name == "elu")
    return node.create("tiny.elu", value, node.attrF64("alpha", function.alpha));
  if (name == "hardsigmoid")
    return node.create("tiny.hardsigmoid", value,
                       {node.attrF64("alpha", function.alpha), node.attrF64("beta", function.beta)});
  if (name == "scaledtanh")
    return scaled(node.create("tiny.tanh", node.mul(value, node.like(value, function.beta))));
  Value zero = node.like(value, 0);
  if (name == "leakyrelu")
    return node.where(node.create("tiny.lt", {value, zero}), scaled(value), value);
  return node.where(node.create("tiny.gt", {value, node.like(value, function.alpha)}), value, zero);
}

} // namespace tiny::onnximport
