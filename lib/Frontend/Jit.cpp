// Calls of a captured function: which of them call, capture and replay.
#include "Tiny/Frontend/Jit.h"

#include "Calls.h"

using namespace tiny;
using namespace tiny::frontend;

/// A function whose captures do not last is only called.
constexpr int kMostCaptures = 16;

std::vector<Tensor> Jit::operator()(const std::vector<Tensor> &arguments, Site site, const std::string &key) {
  if (!function)
    raise("expects a function to capture, got an empty one", site);
  auto call = [&] {
    std::vector<Tensor> results = function(arguments);
    Tensor::realize(results, site);
    return results;
  };
  // Inside of another capture it is a part of that.
  if (isCapturing() || isTracing())
    return call();
  Tensor::realize(arguments, site);
  std::string name = key + ";" + nameModes();
  for (const Tensor &argument : arguments)
    name += ";" + formatType(argument.dtype(), argument.shape().data(), argument.shape().size());
  Captured &known = captured[name];
  if (known.recording) {
    bool isValid = false;
    std::vector<NodePtr> results = takeOrRaise(replay(*known.recording, getNodes(arguments), isValid), site);
    if (isValid) {
      ++replays;
      return getTensors(std::move(results));
    }
    known.recording.reset();
  } else if (!known.wasCalled) {
    // Compiles, and makes what is made once.
    known.wasCalled = true;
    return call();
  }
  if (known.captures >= kMostCaptures || !startCapture())
    return call();
  ++known.captures;
  try {
    std::vector<NodePtr> leaves;
    leaves.reserve(arguments.size());
    for (const Tensor &argument : arguments)
      leaves.push_back(shareLeaf(argument.getNode()));
    std::vector<Tensor> results = function(getTensors(leaves));
    Tensor::realize(results, site);
    known.recording = finishCapture(leaves, getNodes(results));
    return results;
  } catch (...) {
    dropCapture();
    throw;
  }
}

std::string Jit::nameModes() {
  std::optional<tiny_dtype> cast = getAutocast();
  return frontend::nameModes() + ";" + getDevice() + ";" + (cast ? getDtypeName(*cast) : "");
}
bool Jit::isCapturing() { return frontend::isCapturing(); }
