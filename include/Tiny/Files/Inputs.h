// Binds tensors of files, and tensors that recipes make, to the inputs of a program.
#ifndef TINY_FILES_INPUTS_H
#define TINY_FILES_INPUTS_H

#include "Tiny/Files/Sizes.h"
#include "Tiny/Files/Tensors.h"

namespace tiny::files {

/// An argument or a result of a program.
struct Parameter {
  std::string name;
  tiny_dtype dtype;
  std::vector<int64_t> shape; ///< at the greatest sizes
  LiveShape live = {};
};

/// What a program's sizes are asked to be, and what comes of that.
struct SizeRequest {
  std::vector<Size> sizes;
  /// `NAME=SIZE` each.
  std::vector<std::string> options;
  /// What a person should know of the sizes that were chosen; may be empty.
  std::string note = {};
};

/// One tensor for each input. Each text names a file of one tensor (`FILE`, in order, or `NAME=FILE`), a file of
/// several whose members name inputs, or a recipe (`NAME=zeros`; without a name for all inputs that nothing else
/// gives). Fails when an input has none, two, or one of another type. Of an input whose shape depends on sizes only the
/// rank is compared, since the run checks the rest; recipes make such inputs at the sizes of the other inputs, of the
/// options, or at the greatest.
Result<std::vector<HostTensor>> readInputs(const std::vector<std::string> &texts, const std::vector<Parameter> &inputs,
                                           SizeRequest *sizes = nullptr);

} // namespace tiny::files

#endif // TINY_FILES_INPUTS_H
