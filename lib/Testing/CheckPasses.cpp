// Evaluates a module before and after each pass, and reports the first pass that changes a result.
#include "Tiny/Testing/CheckPasses.h"

#include "Compare.h"
#include "Tiny/Testing/RandomInputs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace mlir;

namespace tiny::reference {

namespace {
/// Inputs of one program, and its results after the last pass.
struct Sample {
  SmallVector<HostTensor> inputs, results;
  StringRef kind; ///< what is special about the inputs
};
using Baseline = SmallVector<Sample, 2>;

class PassChecker : public PassInstrumentation {
public:
  PassChecker(const CheckPassesOptions &options, std::shared_ptr<CheckPassesResult> result)
      : options(options), result(result ? std::move(result) : std::make_shared<CheckPassesResult>()) {}

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
  void addSpecials(ModuleOp module, FunctionOpInterface function, const Signature &signature, RandomOptions random);
  void compare(ModuleOp module, FunctionOpInterface function, StringRef pass);
  /// False where something is wrong, and reported.
  bool compareSample(ModuleOp module, FunctionOpInterface function, StringRef pass, Sample &sample);
  void note(Location location, const Twine &message) {
    if (options.verbose)
      emitRemark(location) << "check-passes: " << message;
  }

  CheckPassesOptions options;
  std::shared_ptr<CheckPassesResult> result;
  std::mutex mutex;
  llvm::StringMap<Baseline> baselines;
  std::optional<OperationFingerPrint> fingerprint;
  bool ignoresSigns = false; ///< whether an operation might since the start, of zeros
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

/// To draw an element takes as long as so many steps of the interpreter, about.
static constexpr double kStepsPerInput = 64;

static double countInputs(const Signature &signature) {
  double count = 0;
  for (RankedTensorType type : signature.inputs)
    count += type.hasStaticShape() ? llvm::product_of(type.getShape(), 1.0) : 0;
  return count;
}

/// Random inputs of a program; integers away from zero if it would divide by one. Its results, or why there are none.
void PassChecker::start(ModuleOp module, FunctionOpInterface function, StringRef when) {
  StringRef name = function.getName();
  FailureOr<Signature> signature = getEvaluationSignature(function);
  if (failed(signature))
    return;
  if (countInputs(*signature) * kStepsPerInput > static_cast<double>(options.limits.maxSteps))
    return note(function.getLoc(), "'" + name + "' is not evaluated " + when + ": its inputs have too many elements");
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
    baselines[name] = {Sample{std::move(*inputs), std::move(evaluated.results), ""}};
    return addSpecials(module, function, *signature, random);
  }
}

/// Whether an operation has one of these flags.
static bool hasFlags(ModuleOp module, arith::FastMathFlags assumptions) {
  return module
      .walk([&](Operation *op) {
        for (NamedAttribute attr : op->getAttrs())
          if (auto flags = dyn_cast<arith::FastMathFlagsAttr>(attr.getValue()))
            if (arith::bitEnumContainsAny(flags.getValue(), assumptions))
              return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an operation may assume that no NaN or infinity occurs.
static bool assumesFinite(ModuleOp module) {
  return hasFlags(module, arith::FastMathFlags::nnan | arith::FastMathFlags::ninf);
}

/// A second sample, where there are floats to be special.
void PassChecker::addSpecials(ModuleOp module, FunctionOpInterface function, const Signature &signature,
                              RandomOptions random) {
  auto isFloat = [](RankedTensorType type) { return isa<FloatType>(type.getElementType()); };
  if (!options.specialFloats || llvm::none_of(signature.inputs, isFloat) || assumesFinite(module))
    return;
  random.specialFloats = true;
  FailureOr<SmallVector<HostTensor>> inputs = randomInputs(signature, random);
  if (failed(inputs))
    return;
  Evaluated evaluated = evaluate(module, function.getName(), *inputs, options.limits);
  if (!evaluated.error && !evaluated.dividedByZero)
    baselines[function.getName()].push_back(
        Sample{std::move(*inputs), std::move(evaluated.results), " with NaNs and infinities"});
}

void PassChecker::startOver(ModuleOp module) {
  baselines.clear();
  ignoresSigns = false;
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
  ignoresSigns |= hasFlags(module, arith::FastMathFlags::nsz);
}

void PassChecker::compare(ModuleOp module, FunctionOpInterface function, StringRef pass) {
  for (Sample &sample : baselines[function.getName()]) {
    // A pass may have brought the assumption.
    if (!sample.kind.empty() && assumesFinite(module))
      return;
    if (!compareSample(module, function, pass, sample))
      return;
  }
}

bool PassChecker::compareSample(ModuleOp module, FunctionOpInterface function, StringRef pass, Sample &sample) {
  StringRef name = function.getName();
  Evaluated evaluated = evaluate(module, name, sample.inputs, options.limits);
  if (evaluated.error && evaluated.error->kind == InterpreterError::Kind::Undefined) {
    result->changed = true;
    emitError(evaluated.error->location) << "pass '" << pass << "' broke '" << name << "': it "
                                         << evaluated.error->message;
    return false;
  }
  if (evaluated.error) {
    note(evaluated.error->location,
         "'" + name + "' is not evaluated after '" + pass + "': " + evaluated.error->message);
    return false;
  }
  if (evaluated.results.size() != sample.results.size()) {
    result->changed = true;
    emitError(function.getLoc()) << "pass '" << pass << "' changed the number of results of '" << name << "' from "
                                 << sample.results.size() << " to " << evaluated.results.size();
    return false;
  }
  ++result->comparisons;
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(sample.results, evaluated.results))) {
    auto &[before, after] = pair;
    if (before.dtype != after.dtype || before.shape != after.shape) {
      result->changed = true;
      emitError(function.getLoc()) << "pass '" << pass << "' changed the type of result " << index << " of '" << name
                                   << "'";
      return false;
    }
    std::optional<Difference> difference = findDifference(before, after, options.tolerance, !ignoresSigns);
    if (!difference)
      continue;
    result->changed = true;
    emitError(function.getLoc()) << "pass '" << pass << "' changed result " << index << " of '" << name << "': element "
                                 << difference->element << " was " << difference->before << ", now it is "
                                 << difference->after << " (inputs of seed " << options.seed << sample.kind << ")";
    return false;
  }
  if (sample.kind.empty())
    note(function.getLoc(), "'" + name + "' is the same after '" + pass + "'");
  // Against the last state, so that differences within the tolerance do not add up to an error of the last pass.
  sample.results = std::move(evaluated.results);
  return true;
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
  ignoresSigns |= hasFlags(module, arith::FastMathFlags::nsz);
  std::string name = getPassName(pass);
  for (FunctionOpInterface function : getEvaluable(module)) {
    if (!baselines.contains(function.getName())) {
      start(module, function, "from '" + name + "' on");
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
