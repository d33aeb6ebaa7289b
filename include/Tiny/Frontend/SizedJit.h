// Functions of which one program serves all sizes within bounds.
#ifndef TINY_FRONTEND_SIZEDJIT_H
#define TINY_FRONTEND_SIZEDJIT_H

#include "Tiny/Frontend/Tensor.h"

#include <functional>

namespace tiny {

namespace frontend {
struct SizedProgram;
} // namespace frontend

/// A function of tensors whose shapes hang on sizes, and of sizes that are numbers, such as a position. The first call
/// traces it at some sizes, and compiles one program for all of them. State goes through it: what an argument that is
/// donated has becomes a result, in place.
///
/// The function must compute the same at each size but for shapes and numbers that are polynomials of the sizes. It
/// must not read values, nor change tensors from outside.
class SizedJit {
public:
  /// From `least` to `most`. A number is an argument of its own; any other size stands in a shape.
  struct Size {
    std::string name;
    int64_t least = 0, most = 0;
    bool isNumber = false;
  };
  struct Argument {
    /// As messages call it.
    std::string name;
    tiny_dtype dtype = TINY_DTYPE_F32;
    /// For each axis the extent, and the number of the size that it has instead, or -1.
    std::vector<std::pair<int64_t, int>> axes;
    /// Whether a result may take over its memory, where nobody else sees that: it has no value after such a call.
    bool isDonated = false;
  };
  /// Sees the values of all sizes, in their order.
  using Function = std::function<std::vector<Tensor>(const std::vector<Tensor> &, const std::vector<int64_t> &)>;

  SizedJit(Function function, std::vector<Size> sizes, std::vector<Argument> arguments)
      : function(std::move(function)), sizes(std::move(sizes)), arguments(std::move(arguments)) {}

  /// The results, computed. `numbers` are the sizes that are numbers, in order. Throws where a size is out of its
  /// bounds, a tensor is not what its argument says, or the function is another one at other sizes.
  std::vector<Tensor> operator()(const std::vector<Tensor> &tensors, const std::vector<int64_t> &numbers,
                                 Site site = Site::here());

private:
  void check(const std::vector<Tensor> &tensors, const std::vector<int64_t> &numbers, Site site) const;
  void compile(Site site);

  Function function;
  std::vector<Size> sizes;
  std::vector<Argument> arguments;
  std::shared_ptr<frontend::SizedProgram> program;
};

} // namespace tiny

#endif // TINY_FRONTEND_SIZEDJIT_H
