// Searches one kernel's schedule: compiles what is near the best one known, measures it in turns, and goes on from
// there. NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "KernelSearch.h"

#include "Tiny/Dialect/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <thread>

using namespace mlir;
using llvm::Expected;

namespace tiny {

/// Schedules that are compiled before the next ones are measured, for each worker.
static constexpr unsigned kBatchPerWorker = 3;

Expected<std::vector<HostTensor>> makeSearchInputs(ArrayRef<Parameter> inputs) {
  if (inputs.empty())
    return std::vector<HostTensor>();
  Expected<std::vector<HostTensor>> tensors = readInputs({"random:1"}, inputs);
  if (!tensors)
    return tensors;
  for (HostTensor &tensor : *tensors) {
    // The sign of a float is the highest bit of its last byte.
    size_t width = tiny_dtype_size(tensor.dtype);
    for (size_t at = width - 1; isFloat(tensor.dtype) && at < tensor.bytes.size(); at += width)
      tensor.bytes[at] = char(tensor.bytes[at] & 0x7f);
  }
  return tensors;
}

SmallVector<const HostTensor *> getPointers(ArrayRef<HostTensor> tensors) {
  return llvm::map_to_vector(tensors, [](const HostTensor &tensor) { return &tensor; });
}

namespace {

/// What one schedule has and another has not, in words.
std::string describeChange(StringRef before, StringRef after) {
  SmallVector<StringRef> old, parts;
  before.split(old, ", ", -1, /*KeepEmpty=*/false);
  after.split(parts, ", ", -1, /*KeepEmpty=*/false);
  std::string text;
  for (StringRef part : parts)
    if (!llvm::is_contained(old, part))
      text += (text.empty() ? "" : ", ") + part.str();
  for (StringRef part : old)
    if (!llvm::is_contained(parts, part))
      text += (text.empty() ? "without " : ", without ") + part.str();
  return text;
}

} // namespace

std::optional<double> KernelSearch::getRegret() const {
  if (samples.size() < 2)
    return std::nullopt;
  uint64_t fastest = samples.front().nanoseconds;
  const Sample *first = &samples.front();
  for (const Sample &sample : samples) {
    fastest = std::min(fastest, sample.nanoseconds);
    first = sample.predicted < first->predicted ? &sample : first;
  }
  return fastest ? double(first->nanoseconds) / fastest : 1;
}

std::string KernelSearch::getName() const { return kernel::FuncOp(kernel).getSymName().str(); }

std::string KernelSearch::countAll() const {
  return llvm::formatv("{0} measured, {1} refused, {2} wrong", measured, refused, wrong);
}

Expected<std::unique_ptr<Runner>> KernelSearch::load(StringRef container) const {
  // The first two caches are a core's own.
  const auto &caches = target::findMachine(kernel).caches;
  return Runner::load(container, setting.context, setting.request.threads, std::max(caches[0].bytes, caches[1].bytes));
}

/// The kernel with its own schedule. False where it does not compile alone.
Expected<bool> KernelSearch::loadReference() {
  std::vector<std::string> containers =
      setting.pool.compile({writeKernelProgram(kernel, launch, given)}, [] { return false; });
  if (containers.front().empty())
    return false;
  seenCode.insert(llvm::xxh3_64bits(containers.front()));
  Expected<std::unique_ptr<Runner>> loaded = load(containers.front());
  if (!loaded)
    return loaded.takeError();
  reference = std::move(*loaded);
  Expected<std::vector<HostTensor>> made = makeSearchInputs(reference->getInputs());
  if (!made)
    return made.takeError();
  inputs = std::move(*made);
  for (unsigned run = 0; run < 3; ++run)
    if (llvm::Error error = reference->run(getPointers(inputs)))
      return error;
  kernel::SchedulePlan plan = kernel::makePlan(kernel, given);
  samples.push_back({kernel::predict(plan), reference->getLeast()});
  return true;
}

/// Compiles the variants, and keeps those that are new code and have the default's results.
Expected<std::vector<KernelSearch::Candidate>> KernelSearch::prepare(ArrayRef<kernel::ScheduleVariant> variants,
                                                                     llvm::function_ref<bool()> isOver) {
  std::vector<std::string> programs;
  for (const kernel::ScheduleVariant &variant : variants)
    programs.push_back(writeKernelProgram(kernel, launch, variant.steps));
  std::vector<std::string> containers = setting.pool.compile(programs, isOver);
  std::vector<Candidate> candidates;
  for (const auto &[variant, container] : llvm::zip_equal(variants, containers)) {
    if (container.empty() || isOver() || !seenCode.insert(llvm::xxh3_64bits(container)).second)
      continue;
    Expected<std::unique_ptr<Runner>> runner = load(container);
    if (!runner)
      return runner.takeError();
    if (llvm::Error error = (*runner)->run(getPointers(inputs)))
      return error;
    if (hasSameResults(**runner, *reference, setting.request.keepsBits))
      candidates.emplace_back(std::move(*runner), &variant);
    else
      ++wrong;
  }
  measured += candidates.size();
  return candidates;
}

/// Measures what is near the best schedule; true where one of these is faster.
Expected<bool> KernelSearch::climb(llvm::function_ref<bool()> isOver) {
  kernel::ScheduleVariants near = kernel::findVariants(kernel, best);
  refused += near.refused;
  llvm::erase_if(near.variants, [&](const auto &variant) { return !seen.insert(variant.text).second; });
  size_t batch = size_t(kBatchPerWorker) * std::max(1u, std::thread::hardware_concurrency());
  for (size_t begin = 0; begin < near.variants.size() && !isOver(); begin += batch) {
    Expected<std::vector<Candidate>> candidates =
        prepare(ArrayRef(near.variants).slice(begin).take_front(batch), isOver);
    if (!candidates)
      return candidates.takeError();
    auto challengers = llvm::map_to_vector(*candidates, [](const Candidate &entry) { return entry.first.get(); });
    Expected<Runner *> winner = race(found ? *found : *reference, challengers, getPointers(inputs), isOver);
    if (!winner)
      return winner.takeError();
    for (auto &[runner, variant] : *candidates)
      samples.push_back({variant->predicted, runner->getLeast()});
    auto won = llvm::find_if(*candidates, [&](const Candidate &entry) { return entry.first.get() == *winner; });
    if (won == candidates->end())
      continue;
    best = won->second->steps;
    found = std::move(won->first);
    setting.progress.show(getName() + llvm::formatv(": {0:f1} us", found->getLeast() / 1e3));
    return true;
  }
  return false;
}

/// Measures what was found afresh: the least of many noisy times is optimistic.
Expected<bool> KernelSearch::confirm() {
  Expected<Runner *> winner = race(*reference, {found.get()}, getPointers(inputs), [] { return false; });
  if (!winner)
    return winner.takeError();
  return *winner != nullptr;
}

Expected<bool> KernelSearch::run(double end) {
  setting.progress.show(getName());
  Expected<bool> isLoaded = loadReference();
  if (!isLoaded || !*isLoaded) {
    if (isLoaded)
      setting.progress.tell(getName() + ": cannot run alone");
    return isLoaded;
  }
  auto isOver = [&] {
    const std::atomic<bool> *stop = setting.request.stop;
    return (stop && *stop) || setting.progress.getSecondsLeft() < std::max(end, 0.0);
  };
  for (bool improves = true; improves && !isOver();) {
    Expected<bool> climbed = climb(isOver);
    if (!climbed)
      return climbed;
    improves = *climbed;
  }
  if (!found) {
    setting.progress.tell(getName() + llvm::formatv(": {0:f1} us, nothing faster: ", reference->getLeast() / 1e3) +
                          countAll());
    return false;
  }
  Expected<bool> isConfirmed = confirm();
  if (!isConfirmed)
    return isConfirmed;
  if (!*isConfirmed) {
    setting.progress.tell(getName() + ": what seemed faster is not, measured again");
    return false;
  }
  setting.progress.tell(
      getName() +
      llvm::formatv(": {0:f1} -> {1:f1} us ({2:f2}x): ", getBefore() / 1e3, getAfter() / 1e3,
                    double(getBefore()) / getAfter()) +
      countAll() + ": " +
      describeChange(kernel::makePlan(kernel, given).describe(), kernel::makePlan(kernel, best).describe()));
  return true;
}

} // namespace tiny
