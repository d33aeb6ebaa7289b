// Sizes that a program knows only when it runs, for the inputs that no file gives.
#ifndef TINY_FILES_SIZES_H
#define TINY_FILES_SIZES_H

#include "Tiny/Files/Result.h"
#include "Tiny/Runtime/Format.h"

#include <string>
#include <vector>

namespace tiny::files {

/// See tiny_format_size.
struct Size {
  std::string name;
  int64_t least = 0, most = 0;
  /// Told by no input: the program computes it.
  bool isComputed = false;
};

/// By dimension, what gives its live extent (see tiny_format_evaluate); nothing for a dimension that is static. Empty
/// where all are.
using LiveShape = std::vector<std::vector<tiny_format_term>>;

/// The shape at these sizes, where the static extents are those of `bound`. Fails where there is none.
Result<std::vector<int64_t>> evaluateShape(const std::vector<int64_t> &bound, const LiveShape &live,
                                           const std::vector<int64_t> &sizes);

/// The sizes of one run: those of the inputs in files, of options, or the greatest.
class SizeChoice {
public:
  explicit SizeChoice(std::vector<Size> sizes) : sizes(std::move(sizes)), chosen(this->sizes.size()) {}

  /// Takes `NAME=SIZE` of an option `--size`.
  Failure addOption(const std::string &text);
  /// Takes the sizes that dimensions of an input are, which must be within their bounds. Whether inputs agree is
  /// checked by the run.
  Failure addInput(const std::string &name, const LiveShape &live, const std::vector<int64_t> &shape);
  /// All of them. `note` says which were not given, if any.
  std::vector<int64_t> finish(std::string &note) const;

private:
  struct Choice {
    int64_t value = 0;
    /// The option or the input that it is from; empty where it is not given.
    std::string from;
  };
  std::vector<Size> sizes;
  std::vector<Choice> chosen;
};

} // namespace tiny::files

#endif // TINY_FILES_SIZES_H
