// Runs a program with and without the schedules that were found, in turns.
#include "ProgramCheck.h"

#include "KernelSearch.h"
#include <chrono>

using namespace mlir;
using llvm::Expected;

namespace tiny {

/// Runs of each program: the fewest, and the most.
static constexpr size_t kFewestRuns = 5, kMostRuns = 200;

template <typename T> static T findMedian(std::vector<T> samples) {
  llvm::sort(samples);
  return samples.empty() ? T() : samples[samples.size() / 2];
}

SmallVector<std::string> ProgramTimes::findSlower(const llvm::StringSet<> &among) const {
  SmallVector<std::string> slower;
  for (const auto &entry : among)
    if (kernels[1].lookup(entry.getKey()) >= kernels[0].lookup(entry.getKey()))
      slower.push_back(entry.getKey().str());
  llvm::sort(slower);
  return slower;
}

Expected<ProgramTimes> compareInTurns(Executable &without, Executable &with, double seconds) {
  Executable *programs[] = {&without, &with};
  Expected<std::vector<HostTensor>> inputs = makeSearchInputs(without.getInputs());
  if (!inputs)
    return inputs.takeError();
  std::vector<double> times[2];
  llvm::StringMap<std::vector<uint64_t>> kernels[2];
  auto start = std::chrono::steady_clock::now();
  auto isEnough = [&] {
    double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return times[1].size() >= kFewestRuns && (spent >= seconds || times[1].size() >= kMostRuns);
  };
  while (!isEnough())
    for (int which : {0, 1}) {
      llvm::StringMap<uint64_t> sums;
      auto add = [](void *sums, const char *name, uint64_t nanoseconds) {
        (*static_cast<llvm::StringMap<uint64_t> *>(sums))[name] += nanoseconds;
      };
      tiny_run_options options = {add, &sums, nullptr, nullptr, nullptr, nullptr};
      Expected<RunResult> result = programs[which]->run(getPointers(*inputs), &options);
      if (!result)
        return result.takeError();
      times[which].push_back(result->seconds);
      for (const auto &entry : sums)
        kernels[which][entry.getKey()].push_back(entry.getValue());
    }
  ProgramTimes found;
  found.runs = times[0].size();
  for (int which : {0, 1}) {
    found.seconds[which] = findMedian(times[which]);
    for (const auto &entry : kernels[which])
      found.kernels[which][entry.getKey()] = findMedian(entry.getValue());
  }
  return found;
}

} // namespace tiny
