// The tensors of files as the inputs of a program.
#ifndef TINY_TOOLS_TINY_EXEC_INPUTS_H
#define TINY_TOOLS_TINY_EXEC_INPUTS_H

#include "Tiny/Files/Tensors.h"

namespace tiny::exec {

/// An argument or a result of a program.
struct Parameter {
  std::string name;
  tiny_dtype dtype;
  std::vector<int64_t> shape;
};

/// One tensor for each input: by the name in front of the file, by the tensor's own name, or in order.
files::Result<std::vector<HostTensor>> readInputs(const std::vector<std::string> &files,
                                                  const std::vector<Parameter> &inputs);

} // namespace tiny::exec

#endif // TINY_TOOLS_TINY_EXEC_INPUTS_H
