// tiny-exec's command line.
#ifndef TINY_TOOLS_TINY_EXEC_ARGUMENTS_H
#define TINY_TOOLS_TINY_EXEC_ARGUMENTS_H

#include "Tiny/Files/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tiny::exec {

/// What a run is asked for.
struct Request {
  std::string program;
  std::vector<std::string> inputs; ///< files, or name=file
  std::vector<std::string> sizes;  ///< name=size, of inputs that are made
  std::string output, labels, device = "cpu";
  /// What connects the ranks of a program of many; empty: MPI under mpirun, otherwise threads.
  std::string communicator;
  uint32_t threads = 0; ///< 0: as many as the device begins with
  unsigned repeat = 1;
  bool checkConstants = false;
};

extern const char *const kUsage;

/// Options are `--name value` or `--name=value`. The message of a failure names the option.
files::Failure parseArguments(int argc, char **argv, Request &request, bool &wantsHelp);

} // namespace tiny::exec

#endif // TINY_TOOLS_TINY_EXEC_ARGUMENTS_H
