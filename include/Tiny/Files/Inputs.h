// Binds tensors of files, and tensors that recipes make, to the inputs of a program.
#ifndef TINY_FILES_INPUTS_H
#define TINY_FILES_INPUTS_H

#include "Tiny/Files/Tensors.h"

namespace tiny::files {

/// An argument or a result of a program.
struct Parameter {
  std::string name;
  tiny_dtype dtype;
  std::vector<int64_t> shape;
};

/// One tensor for each input. Each text names a file of one tensor (`FILE`, in order, or `NAME=FILE`), a file of
/// several whose members name inputs, or a recipe (`NAME=zeros`; without a name for all inputs that nothing else
/// gives). Fails when an input has none, two, or one of another type.
Result<std::vector<HostTensor>> readInputs(const std::vector<std::string> &texts, const std::vector<Parameter> &inputs);

} // namespace tiny::files

#endif // TINY_FILES_INPUTS_H
