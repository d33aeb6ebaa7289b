// The pass checker: keeps the states of a module between passes, compares its programs, and names the first pass that
// changed one.
#include "Tiny/Testing/CheckPasses.h"

#include "PassReproducer.h"
#include "Samples.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <mutex>

using namespace mlir;

namespace tiny::reference {

namespace {
/// The module after a pass; before all of them where there is none.
struct State {
  OwningOpRef<ModuleOp> module;
  std::string pass, pipeline;
  const Pass *which = nullptr;
};

class PassChecker : public PassInstrumentation {
public:
  PassChecker(const CheckPassesOptions &options, std::shared_ptr<CheckPassesResult> result)
      : options(options), result(std::move(result)), isOn(options.fromPass.empty()) {}
  ~PassChecker() override;

  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override;
  void runAfterPassFailed(Pass *pass, Operation *op) override;

private:
  ModuleOp getModule(Operation *op);
  bool isWanted(FunctionOpInterface function) const;
  void startOver(ModuleOp module);
  void start(ModuleOp module, FunctionOpInterface function, StringRef when);
  void compare(ModuleOp module, FunctionOpInterface function, Baseline &baseline);
  std::optional<Statement> findDifference(const State &state, StringRef name, const Baseline &baseline);
  void findLater(StringRef name, const Baseline &baseline);
  void report(const Statement &statement, size_t state);
  bool isLarge(const Baseline &baseline) const { return baseline.steps > options.maxStepsPerPass; }
  void note(Location location, const Twine &message) {
    if (options.verbose)
      emitRemark(location) << "check-passes: " << message;
  }

  CheckPassesOptions options;
  std::shared_ptr<CheckPassesResult> result;
  std::mutex mutex;
  llvm::StringMap<Baseline> baselines;
  /// All since the start where a large program is compared at the end; else the last one.
  std::vector<State> states;
  std::optional<OperationFingerPrint> fingerprint;
  bool ignoresSigns = false; ///< whether an operation might since the start, of zeros
  bool isOn;                 ///< between the passes of the options
  bool hasBegun = false;     ///< some pass was checked
  bool hasEnded = false;     ///< the last one of the options was
  llvm::StringSet<> seen;    ///< names of programs
};
} // namespace

/// The module that may be read now: the outermost one, unless other threads may be changing it.
ModuleOp PassChecker::getModule(Operation *op) {
  Operation *top = op;
  while (Operation *parent = top->getParentOp())
    top = parent;
  if (top != op && op->getContext()->isMultithreadingEnabled())
    return nullptr;
  return dyn_cast<ModuleOp>(top);
}

/// A pass as in a pipeline: its argument with its options, or a nest of passes.
static std::string getPassText(Pass *pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass->printAsTextualPipeline(os);
  return text.empty() ? pass->getName().str() : text;
}

static std::string getPassName(Pass *pass) {
  return pass->getArgument().empty() ? getPassText(pass) : pass->getArgument().str();
}

std::string getPipeline(Pass *pass, Operation *op) {
  std::string text = getPassText(pass);
  for (; op; op = op->getParentOp())
    text = (op->getName().getStringRef() + "(" + text + ")").str();
  return text;
}

bool PassChecker::isWanted(FunctionOpInterface function) const {
  return options.functions.empty() || llvm::is_contained(options.functions, function.getName());
}

void PassChecker::start(ModuleOp module, FunctionOpInterface function, StringRef when) {
  StringRef name = function.getName();
  std::optional<Statement> whyNot;
  FailureOr<Baseline> baseline = drawBaseline(module, function, options, whyNot);
  if (whyNot)
    note(whyNot->location, "'" + name + "' is not evaluated " + when + ": " + whyNot->message);
  if (failed(baseline))
    return;
  note(function.getLoc(), "'" + name + "' is evaluated " + when);
  if (isLarge(*baseline))
    note(function.getLoc(), "'" + name + "' takes " + Twine(baseline->steps) + " steps: it is compared at the end");
  baselines[name] = std::move(*baseline);
}

void PassChecker::startOver(ModuleOp module) {
  baselines.clear();
  states.clear();
  ignoresSigns = false;
  for (FunctionOpInterface function : getEvaluable(module)) {
    seen.insert(function.getName());
    if (isWanted(function))
      start(module, function, "at the start");
  }
  states.push_back({module.clone(), "", ""});
  fingerprint.emplace(module);
}

void PassChecker::runBeforePass(Pass *pass, Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  ModuleOp module = getModule(op);
  if (!module || result->changed)
    return;
  if (!hasBegun && getPassName(pass) == options.fromPass)
    isOn = true;
  if (!isOn)
    return;
  hasBegun = true;
  // Also where something else than a pass changed the module in between.
  if (!fingerprint || *fingerprint != OperationFingerPrint(module))
    startOver(module);
  ignoresSigns |= hasFlags(module, arith::FastMathFlags::nsz);
}

/// The error, with a reproducer.
void PassChecker::report(const Statement &statement, size_t state) {
  if (!result->changed) {
    result->pass = states[state].pass;
    result->which = states[state].which;
  }
  result->changed = true;
  InFlightDiagnostic error = emitError(statement.location)
                             << "pass '" << states[state].pass << "' " << statement.message;
  if (statement.other)
    error.attachNote(statement.other) << "the other operation is here";
  if (state == 0)
    return;
  llvm::Expected<std::string> file = writePassReproducer(*states[state - 1].module, states[state].pipeline, options);
  error.attachNote() << (file ? "to see it again: tiny-opt " + *file + " --run-reproducer"
                              : llvm::toString(file.takeError()));
}

void PassChecker::compare(ModuleOp module, FunctionOpInterface function, Baseline &baseline) {
  const std::string &pass = states.back().pass;
  for (Sample &sample : baseline.samples) {
    Comparison comparison = compareSample(module, function, sample, ignoresSigns, options);
    if (comparison.kind == Comparison::Kind::Different)
      return report(*comparison.statement, states.size() - 1);
    if (comparison.kind == Comparison::Kind::NotEvaluated)
      return note(comparison.statement->location, "'" + function.getName() + "' is not evaluated after '" + pass +
                                                      "': " + comparison.statement->message);
    ++result->comparisons;
    if (sample.kind.empty())
      note(function.getLoc(), "'" + function.getName() + "' is the same after '" + pass + "'");
    // Against the last state, so that differences within the tolerance do not add up to an error of the last pass.
    sample.results = std::move(comparison.results);
  }
}

void PassChecker::runAfterPass(Pass *pass, Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  ModuleOp module = getModule(op);
  if (!module || result->changed || !isOn)
    return;
  std::string name = getPassName(pass);
  isOn = name != options.toPass;
  hasEnded |= !isOn;
  OperationFingerPrint now(module);
  if (fingerprint && *fingerprint == now)
    return;
  fingerprint = now;
  ignoresSigns |= hasFlags(module, arith::FastMathFlags::nsz);
  states.push_back({module.clone(), name, getPipeline(pass, op), pass});
  // A pass may have brought an assumption, on which later ones build.
  for (auto &entry : baselines)
    llvm::erase_if(entry.second.samples, [&](const Sample &sample) { return !fits(sample, module); });
  for (FunctionOpInterface function : getEvaluable(module)) {
    auto found = baselines.find(function.getName());
    if (found == baselines.end() && isWanted(function))
      start(module, function, "from '" + name + "' on");
    else if (found != baselines.end() && !isLarge(found->second))
      compare(module, function, found->second);
    if (result->changed)
      return;
  }
  if (llvm::none_of(baselines, [&](const auto &entry) { return isLarge(entry.second); }))
    states.erase(states.begin(), states.end() - 1);
}

void PassChecker::runAfterPassFailed(Pass *pass, Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  ModuleOp module = getModule(op);
  if (!module || result->changed || !isOn || states.empty())
    return;
  // A failed pass may leave anything behind, and nothing runs after it.
  fingerprint.reset();
  bool isBroken = false;
  {
    ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
    isBroken = failed(verify(op));
  }
  if (!isBroken)
    return;
  states.push_back({nullptr, getPassName(pass), getPipeline(pass, op), pass});
  report({op->getLoc(), "left IR that does not verify"}, states.size() - 1);
}

/// What a large program does otherwise in a state than at the start.
std::optional<Statement> PassChecker::findDifference(const State &state, StringRef name, const Baseline &baseline) {
  if (options.progress)
    llvm::errs() << "check-passes: '" << name << "' after '" << state.pass << "'\n";
  for (FunctionOpInterface function : getEvaluable(*state.module)) {
    if (function.getName() != name)
      continue;
    for (const Sample &sample : baseline.samples) {
      if (!fits(sample, *state.module))
        continue;
      Comparison comparison = compareSample(*state.module, function, sample, ignoresSigns, options);
      if (comparison.kind == Comparison::Kind::Different)
        return comparison.statement;
      if (comparison.kind == Comparison::Kind::NotEvaluated) {
        note(comparison.statement->location,
             "'" + name + "' is not evaluated after '" + state.pass + "': " + comparison.statement->message);
        break;
      }
      ++result->comparisons;
    }
  }
  return std::nullopt;
}

/// Compares the last state that can be evaluated with the first, and finds by halves where they part.
void PassChecker::findLater(StringRef name, const Baseline &baseline) {
  size_t last = states.size() - 1;
  uint64_t comparisons = result->comparisons;
  std::optional<Statement> difference;
  for (; last > 0 && !difference && result->comparisons == comparisons; --last)
    if (states[last].module)
      difference = findDifference(states[last], name, baseline);
  if (!difference)
    return;
  size_t good = 0, bad = last + 1;
  while (bad - good > 1) {
    size_t middle = good + (bad - good) / 2;
    std::optional<Statement> here = findDifference(states[middle], name, baseline);
    (here ? bad : good) = middle;
    if (here)
      difference = std::move(here);
  }
  report(*difference, bad);
}

PassChecker::~PassChecker() {
  for (const auto &[name, baseline] : baselines)
    if (isLarge(baseline) && !result->changed)
      findLater(name, baseline);
  if (!hasBegun && !options.fromPass.empty())
    llvm::errs() << "check-passes: no pass '" << options.fromPass << "' ran\n";
  else if (hasBegun && !hasEnded && !options.toPass.empty() && !result->changed)
    llvm::errs() << "check-passes: no pass '" << options.toPass << "' ran\n";
  else if (const auto *unknown =
               llvm::find_if_not(options.functions, [&](StringRef name) { return seen.contains(name); });
           hasBegun && unknown != options.functions.end())
    llvm::errs() << "check-passes: no program '" << *unknown << "'\n";
  else if (result->comparisons == 0 && !result->changed)
    llvm::errs() << "check-passes: there was nothing to compare\n";
}

std::unique_ptr<PassInstrumentation> createPassChecker(const CheckPassesOptions &options,
                                                       std::shared_ptr<CheckPassesResult> result) {
  return std::make_unique<PassChecker>(options, std::move(result));
}

std::shared_ptr<CheckPassesResult> checkPasses(PassManager &manager, const CheckPassesOptions &options) {
  auto result = std::make_shared<CheckPassesResult>();
  manager.getContext()->disableMultithreading();
  manager.addInstrumentation(createPassChecker(options, result));
  return result;
}

} // namespace tiny::reference
