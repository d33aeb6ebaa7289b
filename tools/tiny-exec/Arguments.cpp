// Parses tiny-exec's command line.
#include "Arguments.h"

#include <cstdlib>
#include <string_view>

namespace tiny::exec {

const char *const kUsage = R"(usage: tiny-exec PROGRAM.tiny [options]

Runs a program that tiny-compile wrote. To load it is to run its code.

  --input [name=]FILE   an .npy for one input, in order or by name, or an .npz or .safetensors for several;
                        or random:SEED, zeros or arange, for the named input, or for all that nothing else gives
  --size NAME=N         a size of inputs that are made, where the program has sizes; by default the greatest
  --output FILE         write the results (.npy for one, .npz or .safetensors for several)
  --labels FILE         right classes (.npy), for accuracy
  --device NAME         cpu, vulkan, cuda, one GPU of several (cuda:1), several of these as one (vulkan,cpu),
                        or null, which computes nothing
  --communicator NAME   what connects the ranks of a program of many: local, which are threads of this process, or mpi;
                        by default mpi under mpirun. The first rank prints and writes; a .safetensors file
                        is written by all
  --threads N           threads that kernels run on; by default as many as there are processors
  --repeat N            runs; the fastest one's time is printed
  --check-constants     compare the bytes of constants with their checksums before the run
  --help                print this
)";

namespace {

using files::Failure;

/// A whole number from 1 to 2^20.
Failure parseCount(const std::string &option, const std::string &value, unsigned &count) {
  char *end = nullptr;
  unsigned long number = std::strtoul(value.c_str(), &end, 10);
  bool isNumber = !value.empty() && value[0] >= '0' && value[0] <= '9' && !*end;
  if (!isNumber || number < 1 || number > 1u << 20)
    return {option + ": got '" + value + "', expected a number from 1 to 1048576"};
  count = unsigned(number);
  return {};
}

class Parser {
public:
  Parser(int argc, char **argv) : words(argv + 1, argv + argc) {}

  Failure parse(Request &request, bool &wantsHelp) {
    for (; next < words.size(); ++next) {
      std::string word = words[next];
      if (word == "--help" || word == "-h") {
        wantsHelp = true;
        return {};
      }
      Failure failure = word.size() > 1 && word[0] == '-' ? parseOption(word, request) : setProgram(word, request);
      if (failure)
        return failure;
    }
    return request.program.empty() ? Failure{"no program is given; see --help"} : Failure();
  }

private:
  static Failure setProgram(const std::string &word, Request &request) {
    if (!request.program.empty())
      return {"got a second program, '" + word + "'"};
    request.program = word;
    return {};
  }

  Failure parseOption(std::string word, Request &request) {
    if (word.substr(0, 2) != "--")
      word = "-" + word;
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    if (name == "--check-constants") {
      if (equals != std::string::npos)
        return {name + " takes no value"};
      request.checkConstants = true;
      return {};
    }
    std::string *text = name == "--output"         ? &request.output
                        : name == "--labels"       ? &request.labels
                        : name == "--device"       ? &request.device
                        : name == "--communicator" ? &request.communicator
                                                   : nullptr;
    if (!text && name != "--input" && name != "--size" && name != "--threads" && name != "--repeat")
      return {"unknown option '" + name + "'; see --help"};
    if (equals == std::string::npos && next + 1 == words.size())
      return {name + " needs a value"};
    std::string value = equals == std::string::npos ? words[++next] : word.substr(equals + 1);
    if (text)
      *text = value;
    else if (name == "--input")
      request.inputs.push_back(value);
    else if (name == "--size")
      request.sizes.push_back(value);
    else
      return parseCount(name, value, name == "--threads" ? request.threads : request.repeat);
    return {};
  }

  std::vector<std::string> words;
  size_t next = 0;
};

} // namespace

Failure parseArguments(int argc, char **argv, Request &request, bool &wantsHelp) {
  return Parser(argc, argv).parse(request, wantsHelp);
}

} // namespace tiny::exec
