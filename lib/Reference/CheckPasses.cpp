#include "Tiny/Reference/CheckPasses.h"

#include "Compare.h"
#include "Tiny/Reference/RandomInputs.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace mlir;

namespace tiny::reference {

namespace {
/// What is known of one program: its inputs, and its results after the last pass.
struct Baseline {
  SmallVector<HostTensor> inputs, results;
};

class PassChecker : public PassInstrumentation {
public:
  PassChecker(const CheckPassesOptions &options, std::shared_ptr<CheckPassesResult> result)
      : options(options), result(result ? result : std::make_shared<CheckPassesResult>()) {}

  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override;
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    // A failed pass may leave anything behind, and nothing runs after it.
    if (getModule(op))
      fingerprint.reset();
  }

private:
  ModuleOp getModule(Operation *op);
  void startOver(ModuleOp module);
  void start(ModuleOp module, FunctionOpInterface function, StringRef when);
  void compare(ModuleOp module, FunctionOpInterface function, StringRef pass);
  void note(Location location, const Twine &message) {
    if (options.verbose)
      emitRemark(location) << "check-passes: " << message;
  }

  CheckPassesOptions options;
  std::shared_ptr<CheckPassesResult> result;
  std::mutex mutex;
  llvm::StringMap<Baseline> baselines;
  std::optional<OperationFingerPrint> fingerprint;
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

/// Pass names as on the command line; a nest of passes as in a pipeline.
static std::string getPassName(Pass *pass) {
  if (!pass->getArgument().empty())
    return pass->getArgument().str();
  std::string text;
  llvm::raw_string_ostream os(text);
  pass->printAsTextualPipeline(os);
  return text.empty() ? pass->getName().str() : text;
}

/// Random inputs of a program; integers away from zero if it would divide by one. Its results, or why there are none.
void PassChecker::start(ModuleOp module, FunctionOpInterface function, StringRef when) {
  StringRef name = function.getName();
  FailureOr<Signature> signature = getEvaluationSignature(function);
  if (failed(signature))
    return;
  RandomOptions random;
  random.seed = options.seed;
  random.wideFloats = options.wideFloats;
  for (bool nonzero : {false, true}) {
    random.nonzeroIntegers = nonzero;
    FailureOr<SmallVector<HostTensor>> inputs = randomInputs(*signature, random);
    if (failed(inputs))
      return note(function.getLoc(), "'" + name + "' takes no inputs that could be drawn");
    Evaluated evaluated = evaluate(module, name, *inputs, options.limits);
    if (evaluated.error)
      return note(evaluated.error->location,
                  "'" + name + "' is not evaluated " + when + ": " + evaluated.error->message);
    if (evaluated.dividedByZero && !nonzero)
      continue;
    if (evaluated.dividedByZero)
      return note(function.getLoc(), "'" + name + "' is not evaluated " + when + ": it divides an integer by zero");
    note(function.getLoc(), "'" + name + "' is evaluated " + when);
    baselines[name] = Baseline{std::move(*inputs), std::move(evaluated.results)};
    return;
  }
}

void PassChecker::startOver(ModuleOp module) {
  baselines.clear();
  for (FunctionOpInterface function : getEvaluable(module))
    start(module, function, "at the start");
  fingerprint.emplace(module);
}

void PassChecker::runBeforePass(Pass *pass, Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  ModuleOp module = getModule(op);
  if (!module || result->changed)
    return;
  // Also where something else than a pass changed the module in between.
  if (!fingerprint || *fingerprint != OperationFingerPrint(module))
    startOver(module);
}

void PassChecker::compare(ModuleOp module, FunctionOpInterface function, StringRef pass) {
  StringRef name = function.getName();
  Baseline &baseline = baselines[name];
  Evaluated evaluated = evaluate(module, name, baseline.inputs, options.limits);
  if (evaluated.error && evaluated.error->kind == InterpreterError::Kind::Undefined) {
    result->changed = true;
    emitError(evaluated.error->location) << "pass '" << pass << "' broke '" << name
                                         << "': it " << evaluated.error->message;
    return;
  }
  if (evaluated.error) {
    note(evaluated.error->location,
         "'" + name + "' is not evaluated after '" + pass + "': " + evaluated.error->message);
    return;
  }
  if (evaluated.results.size() != baseline.results.size()) {
    result->changed = true;
    emitError(function.getLoc()) << "pass '" << pass << "' changed the number of results of '" << name << "' from "
                         << baseline.results.size() << " to " << evaluated.results.size();
    return;
  }
  ++result->comparisons;
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(baseline.results, evaluated.results))) {
    auto &[before, after] = pair;
    if (before.dtype != after.dtype || before.shape != after.shape) {
      result->changed = true;
      emitError(function.getLoc()) << "pass '" << pass << "' changed the type of result " << index << " of '"
                                   << name << "'";
      return;
    }
    std::optional<Difference> difference = findDifference(before, after, options.tolerance);
    if (!difference)
      continue;
    result->changed = true;
    emitError(function.getLoc()) << "pass '" << pass << "' changed result " << index << " of '" << name << "': element "
                         << difference->element << " was " << difference->before << ", now it is "
                         << difference->after << " (inputs of seed " << options.seed << ")";
    return;
  }
  note(function.getLoc(), "'" + name + "' is the same after '" + pass + "'");
  // Against the last state, so that differences within the tolerance do not add up to an error of the last pass.
  baseline.results = std::move(evaluated.results);
}

void PassChecker::runAfterPass(Pass *pass, Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  ModuleOp module = getModule(op);
  if (!module || result->changed)
    return;
  OperationFingerPrint now(module);
  if (fingerprint && *fingerprint == now)
    return;
  fingerprint = now;
  std::string name = getPassName(pass);
  for (FunctionOpInterface function : getEvaluable(module)) {
    if (!baselines.contains(function.getName())) {
      start(module, function, ("from '" + name + "' on").c_str());
      continue;
    }
    compare(module, function, name);
    if (result->changed)
      return;
  }
}

std::unique_ptr<PassInstrumentation> createPassChecker(const CheckPassesOptions &options,
                                                       std::shared_ptr<CheckPassesResult> result) {
  return std::make_unique<PassChecker>(options, std::move(result));
}

namespace {
/// Fails where the checker before it found something; says so where it had nothing to compare.
class CheckPassesGate : public PassWrapper<CheckPassesGate, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckPassesGate)

  explicit CheckPassesGate(std::shared_ptr<CheckPassesResult> result) : result(std::move(result)) {}
  StringRef getName() const override { return "CheckPassesGate"; }
  bool canScheduleOn(RegisteredOperationName) const override { return true; }
  void runOnOperation() override {
    if (result->changed)
      return signalPassFailure();
    if (result->comparisons == 0)
      emitWarning(getOperation()->getLoc()) << "check-passes had nothing to compare";
    markAllAnalysesPreserved();
  }

private:
  std::shared_ptr<CheckPassesResult> result;
};
} // namespace

void checkPasses(PassManager &manager, const CheckPassesOptions &options) {
  auto result = std::make_shared<CheckPassesResult>();
  manager.getContext()->disableMultithreading();
  manager.addInstrumentation(createPassChecker(options, result));
  manager.addPass(std::make_unique<CheckPassesGate>(result));
}

} // namespace tiny::reference
