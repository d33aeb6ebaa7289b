// Functions whose programs are captured once and then only run.
#ifndef TINY_FRONTEND_JIT_H
#define TINY_FRONTEND_JIT_H

#include "Tiny/Frontend/Tensor.h"

#include <functional>
#include <map>

namespace tiny {

namespace frontend {
struct Recording;
} // namespace frontend

/// A function of tensors. The first call with arguments of some types runs it, the second captures what it runs, and
/// later ones run that on other arguments without calling the function. State that it updates (`Tensor::assign`, then
/// `realize`; optimisers; random numbers) is updated again, in place. What else it does happens in calls alone: a
/// number that it made is the same in every run, and a value must not be read in it. Modules that train or do not, an
/// `Autocast` and the device are parts of the capture. Where a tensor from outside was replaced, or someone holds state
/// that a run would change, the function is called, and captured anew.
class Jit {
public:
  using Function = std::function<std::vector<Tensor>(const std::vector<Tensor> &)>;
  explicit Jit(Function function) : function(std::move(function)) {}

  /// The function's results, computed. `key` tells calls apart that must not share a capture.
  std::vector<Tensor> operator()(const std::vector<Tensor> &arguments, Site site = Site::here(),
                                 const std::string &key = {});
  /// Whether a function is captured by this thread: what changes outside of it then is state, and must be assigned.
  static bool isCapturing();
  /// Names what, beside the arguments, a capture is for: the modes of modules, `Autocast`, the device.
  static std::string nameModes();
  /// How many calls ran what was captured.
  int64_t countReplays() const { return replays; }

private:
  struct Captured {
    bool wasCalled = false;
    int captures = 0;
    std::shared_ptr<frontend::Recording> recording;
  };

  Function function;
  std::map<std::string, Captured> captured;
  int64_t replays = 0;
};

} // namespace tiny

#endif // TINY_FRONTEND_JIT_H
