// From the files that a person names to a program's arguments.
#ifndef TINY_TOOLS_TINY_RUN_INPUTS_H
#define TINY_TOOLS_TINY_RUN_INPUTS_H

#include "Tiny/Driver/Executable.h"

namespace tiny {

/// A tensor for each input, from files of one tensor (`FILE`, in order, or `NAME=FILE`) or of several, whose members
/// name inputs. Fails when an input has none, two, or one of another type.
llvm::Expected<std::vector<HostTensor>> readInputs(llvm::ArrayRef<std::string> files, llvm::ArrayRef<Parameter> inputs);

} // namespace tiny

#endif // TINY_TOOLS_TINY_RUN_INPUTS_H
