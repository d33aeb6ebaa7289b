// One run of a loaded program, and what it runs on.
#ifndef TINY_TOOLS_TINY_EXEC_RUN_H
#define TINY_TOOLS_TINY_EXEC_RUN_H

#include "Arguments.h"
#include "Tiny/Files/Inputs.h"
#include "Tiny/Files/Parts.h"
#include "Tiny/Runtime/Runtime.hpp"

namespace tiny::exec {

inline files::Failure runtimeFailure(const std::string &doing) { return {doing + ": " + tiny_last_error()}; }

/// A program, and what it takes and gives.
struct Loaded {
  runtime::Device device;
  runtime::Program program;
  std::vector<files::Parameter> inputs, results, wholeInputs, wholeResults;
  std::vector<files::Size> sizes;
  /// By input: whether the program may write it.
  std::vector<bool> donated;
  /// Of a program of one rank among many: their grid, and what the tensors are parts of.
  std::vector<int64_t> grid;
  std::vector<files::Parts> inputParts, resultParts;
  double seconds = 0;
};

/// Runs on these inputs, where they lie. What a program may write it may write in place: each run begins with a copy.
files::Failure run(const Loaded &loaded, const std::vector<HostTensor> &inputs, std::vector<HostTensor> &results,
                   double &seconds, tiny_communicator *communicator = nullptr);

/// What the ranks of a program gave.
struct RankedRun {
  /// Whole. Empty in other processes than the first one, and where ranks wrote a large result without it.
  std::vector<HostTensor> results;
  double seconds = 0;
  /// Whether this process prints, and whether ranks have written the output.
  bool isFirst = true, isWritten = false;
};

/// A program of many ranks: threads of this process, or processes.
files::Failure runRanks(const Request &request, const Loaded &loaded, const std::vector<HostTensor> &inputs,
                        RankedRun &run);

} // namespace tiny::exec

#endif // TINY_TOOLS_TINY_EXEC_RUN_H
