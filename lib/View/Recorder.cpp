// Watches passes: a snapshot of each level, a difference for each pass, remarks and rules.
#include "Candidates.h"
#include "Code.h"
#include "Facts.h"
#include "Levels.h"
#include "LineDiff.h"
#include "Page.h"

#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Pipelines/Pipelines.h"
#include "Tiny/Support/Actions.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Target/Target.h"
#include "Tiny/View/View.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>

using namespace mlir;
namespace json = llvm::json;
using Clock = std::chrono::steady_clock;

namespace tiny::view {
namespace {

/// A function that a pass changed.
struct Change {
  std::string function;
  double seconds = 0;
  std::vector<Hunk> hunks;
  /// Where there are no hunks: "new", "removed" or "lowered".
  StringRef what;
};

struct PassRun {
  std::string name;
  Level level;
  double seconds = 0;
  bool hasFailed = false, isBlamed = false;
  std::vector<Change> changes;
};

/// A level as it was last seen; the tensor level as it was first seen.
struct LevelState {
  OwningOpRef<ModuleOp> module;
  /// What it is a copy of.
  Operation *origin = nullptr;
  /// The same of other modules: where several targets share the kernels, each lowers its own.
  std::vector<OwningOpRef<ModuleOp>> others;
  /// The number of the next operation that enters.
  int64_t next = 0;
  /// At the kernel level, the accesses as they were when it was entered.
  AccessTexts accesses;

  void keep(ModuleOp seen);
  /// All modules as one. Of functions that stand in several the last one counts.
  void join();
};

void LevelState::keep(ModuleOp seen) {
  if (module && origin != seen)
    others.push_back(std::move(module));
  module = seen.clone();
  origin = seen;
}

void LevelState::join() {
  llvm::StringSet<> present;
  for (auto symbol : module->getOps<SymbolOpInterface>())
    present.insert(symbol.getName());
  for (OwningOpRef<ModuleOp> &other : llvm::reverse(others))
    for (Operation &op : llvm::make_early_inc_range(*other->getBody())) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (isa<ModuleOp>(op) || (symbol && !present.insert(symbol.getName()).second))
        continue;
      op.remove();
      module->getBody()->push_back(&op);
    }
}

json::Value describeChange(const Change &change) {
  json::Array hunks;
  for (const Hunk &hunk : change.hunks)
    hunks.push_back(json::Object{{"before", hunk.before}, {"after", hunk.after}, {"lines", json::Array(hunk.lines)}});
  json::Object object{{"function", json::fixUTF8(change.function)}, {"seconds", change.seconds}};
  if (change.what.empty())
    object["hunks"] = std::move(hunks);
  else
    object["what"] = change.what;
  return object;
}

} // namespace

struct Recorder::Shared {
  ViewOptions options;
  const Target *target = nullptr;
  std::optional<json::Value> measured;
  /// What the recorder took of the time of passes.
  double ownSeconds = 0;
  /// Whether nobody else handles the context's actions.
  bool ownsActions = false;
  /// Whether schedules are tried that the program does not have.
  bool isTrying = false;

  std::map<Level, LevelState> levels;
  /// Where the module stands.
  Level level = Level::Tensor;
  std::vector<PassRun> passes;
  /// The entries of the passes of the manager that is watched.
  DenseMap<const Pass *, size_t> runs;
  TagSets tags;
  json::Array remarks;
  /// What was wrong: of a pass that failed, or of a checker.
  json::Array errors;
  std::map<std::string, std::string> schedules;
  /// By kernel, what else its schedule could be.
  std::map<std::string, json::Object> candidates;
  /// How often each rule fired, by function and rule.
  std::map<std::pair<std::string, std::string>, int64_t> rules;
  /// The text of each function, by its name, and the operation that it was.
  llvm::StringMap<std::pair<std::string, std::vector<std::string>>> texts;

  /// The state of the module before the next pass.
  void see(ModuleOp module);
  /// What has become of one function.
  void compareFunction(Operation *function, PassRun &run, double seconds);
  /// Functions that are no more.
  void dropMissing(ModuleOp module, PassRun &run);
  json::Value describe();
};

/// Like `detectLevel`, which does not know the dialects of all targets.
static Level findLevel(ModuleOp module) {
  bool isLowered = llvm::any_of(*module.getBody(), [](Operation &op) {
    StringRef dialect = op.getName().getDialectNamespace();
    return dialect == "emitc" || dialect == "spirv";
  });
  return isLowered ? Level::Llvm : detectLevel(module);
}

void Recorder::Shared::see(ModuleOp module) {
  level = findLevel(module);
  auto [found, isNew] = levels.try_emplace(level);
  LevelState &state = found->second;
  if (isNew || state.origin != module) {
    tagOperations(module, static_cast<unsigned>(level), state.next);
    if (level == Level::Kernel)
      state.accesses.merge(describeAccesses(findShown(module)));
  }
  collectSchedules(module, schedules);
  // A tensor program is shown as it was written: its passes show what it was decomposed into.
  if (isNew || level != Level::Tensor)
    state.keep(module);
}

void Recorder::Shared::compareFunction(Operation *function, PassRun &run, double seconds) {
  auto symbol = dyn_cast<SymbolOpInterface>(function);
  if (!symbol)
    return;
  std::vector<std::string> lines = printLines(function);
  auto [found, isNew] = texts.try_emplace(symbol.getName());
  auto &[kind, before] = found->second;
  Change change{symbol.getName().str(), seconds, {}, ""};
  StringRef now = function->getName().getStringRef();
  if (isNew)
    change.what = "new";
  else if (kind != now)
    change.what = "lowered";
  else if (lines != before)
    change.hunks = diffLines(before, lines);
  kind = now.str();
  before = std::move(lines);
  if (!change.what.empty() || !change.hunks.empty())
    run.changes.push_back(std::move(change));
}

void Recorder::Shared::dropMissing(ModuleOp module, PassRun &run) {
  llvm::StringSet<> present;
  for (auto symbol : module.getOps<SymbolOpInterface>())
    present.insert(symbol.getName());
  std::vector<std::string> gone;
  for (const auto &entry : texts)
    if (!present.contains(entry.first()))
      gone.push_back(entry.first().str());
  llvm::sort(gone);
  for (const std::string &name : gone) {
    texts.erase(name);
    run.changes.push_back({name, 0, {}, "removed"});
  }
}

//===--- What the context tells -----------------------------------------------------------------------------------===//

namespace {

/// Keeps remarks as data.
struct RemarkKeeper : remark::detail::MLIRRemarkStreamerBase {
  RemarkKeeper(std::function<void(const remark::detail::Remark &)> keep) : keep(std::move(keep)) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override { keep(remark); }
  std::function<void(const remark::detail::Remark &)> keep;
};

json::Object describeRemark(const remark::detail::Remark &remark, TagSets &tags) {
  json::Object numbers;
  std::string message;
  for (const auto &argument : remark.getArgs()) {
    if (argument.key == "Remark")
      message += argument.val;
    else
      numbers[argument.key] = json::fixUTF8(argument.val);
  }
  return json::Object{{"pass", json::fixUTF8(remark.getCombinedCategoryName())},
                      {"kind", remark.getRemarkTypeString()},
                      {"name", json::fixUTF8(remark.getRemarkName())},
                      {"function", json::fixUTF8(remark.getFunction())},
                      {"message", json::fixUTF8(message)},
                      {"numbers", std::move(numbers)},
                      {"place", json::fixUTF8(findPlace(remark.getLocation()))},
                      {"tag", tags.add(Remarks::getTold().value_or(remark.getLocation()))}};
}

json::Object describeError(const Diagnostic &error) {
  json::Array notes;
  for (const Diagnostic &note : const_cast<Diagnostic &>(error).getNotes())
    notes.push_back(json::fixUTF8(note.str()));
  return json::Object{{"message", json::fixUTF8(error.str())},
                      {"place", json::fixUTF8(findPlace(error.getLocation()))},
                      {"notes", std::move(notes)}};
}

} // namespace

namespace {
/// Takes the numbers of operations out of their locations again.
struct Untag : PassWrapper<Untag, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Untag)
  StringRef getName() const override { return "view-untag"; }
  void runOnOperation() override { untagOperations(getOperation()); }
};
} // namespace

/// Sits in one pass manager.
class Recorder::Watcher : public PassInstrumentation {
public:
  Watcher(std::shared_ptr<Shared> shared, std::function<void()> whenDone)
      : shared(std::move(shared)), whenDone(std::move(whenDone)) {}
  ~Watcher() override {
    if (engine)
      engine->eraseHandler(handler);
    if (whenDone)
      whenDone();
    shared->runs.clear();
  }

  void runBeforePass(Pass *pass, Operation *op) override {
    OwnTime own(*shared);
    if (!engine)
      hearErrors(op->getContext());
    if (isAdaptor(pass) || isa<Untag>(pass))
      return;
    if (shared->levels.empty()) {
      Operation *outermost = op;
      while (Operation *parent = outermost->getParentOp())
        outermost = parent;
      if (auto module = dyn_cast<ModuleOp>(outermost))
        begin(module);
    }
    // From here on scripts are gone. Where another tool counts actions, none are added.
    if (pass->getArgument() == "kernel-apply-schedules" && shared->ownsActions)
      if (auto module = dyn_cast<ModuleOp>(op)) {
        shared->isTrying = true;
        shared->candidates.merge(describeCandidates(module, shared->options.threads));
        shared->isTrying = false;
      }
    starts.push_back(Clock::now());
  }

  void runAfterPass(Pass *pass, Operation *op) override { end(pass, op, false); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { end(pass, op, true); }

  /// Counts what the recorder itself takes.
  struct OwnTime {
    explicit OwnTime(Shared &shared) : shared(shared) {}
    ~OwnTime() { shared.ownSeconds += std::chrono::duration<double>(Clock::now() - begin).count(); }
    Shared &shared;
    Clock::time_point begin = Clock::now();
  };

private:
  /// A pass that runs other passes on functions.
  static bool isAdaptor(Pass *pass) { return pass->getName().contains("OpToOpPassAdaptor"); }

  /// From the first pass on: who runs the passes has its own handler by then, and the last one is asked first.
  void hearErrors(MLIRContext *context) {
    engine = &context->getDiagEngine();
    handler = engine->registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        shared->errors.push_back(describeError(diagnostic));
      // Others show it.
      return failure();
    });
  }

  void begin(ModuleOp module) {
    PassRun none;
    shared->see(module);
    for (Operation &function : *findShown(module).getBody())
      shared->compareFunction(&function, none, 0);
  }

  /// Of a family one instance is shown. The others go through the same passes.
  static bool isHidden(Operation *op) {
    auto instance = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
    while (instance && !isInstance(instance))
      instance = instance->getParentOfType<ModuleOp>();
    return instance && findShown(instance->getParentOfType<ModuleOp>()) != instance;
  }

  void end(Pass *pass, Operation *op, bool hasFailed) {
    OwnTime own(*shared);
    if (isa<Untag>(pass))
      return;
    if (isAdaptor(pass)) {
      if (auto module = dyn_cast<ModuleOp>(op); module && !module->getParentOp() && !hasFailed)
        shared->see(module);
      return;
    }
    double seconds = std::chrono::duration<double>(Clock::now() - starts.pop_back_val()).count();
    auto [found, isNew] = shared->runs.try_emplace(pass, shared->passes.size());
    if (isNew) {
      StringRef name = pass->getArgument().empty() ? pass->getName() : pass->getArgument();
      shared->passes.push_back({name.str(), shared->level, 0, false, false, {}});
    }
    PassRun &run = shared->passes[found->second];
    run.seconds += seconds;
    run.hasFailed |= hasFailed;
    // A pass that failed may leave anything behind.
    if (hasFailed || isHidden(op))
      return;
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      return shared->compareFunction(op, run, seconds);
    if (module->getParentOp() && !isInstance(module))
      return;
    if (!module->getParentOp())
      shared->see(module);
    module = findShown(module);
    for (Operation &function : *module.getBody())
      shared->compareFunction(&function, run, 0);
    shared->dropMissing(module, run);
  }

  std::shared_ptr<Shared> shared;
  std::function<void()> whenDone;
  DiagnosticEngine *engine = nullptr;
  DiagnosticEngine::HandlerID handler = 0;
  SmallVector<Clock::time_point> starts;
};

Recorder::Recorder(ViewOptions options) : shared(std::make_shared<Shared>()) { shared->options = std::move(options); }
Recorder::~Recorder() = default;

void Recorder::watch(PassManager &manager, std::function<void()> whenDone) {
  MLIRContext *context = manager.getContext();
  context->disableMultithreading();
  manager.addInstrumentation(std::make_unique<Watcher>(shared, std::move(whenDone)));
  std::weak_ptr<Shared> weak = shared;
  auto keep = [weak](const remark::detail::Remark &remark) {
    if (std::shared_ptr<Shared> state = weak.lock())
      state->remarks.push_back(describeRemark(remark, state->tags));
  };
  remark::RemarkCategories every;
  every.passed = every.missed = every.analysis = every.failed = ".*";
  (void)remark::enableOptimizationRemarks(*context, std::make_unique<RemarkKeeper>(keep),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(), every);
  if (!context->hasActionHandler()) {
    shared->ownsActions = true;
    context->registerActionHandler([weak](function_ref<void()> act, const tracing::Action &action) {
      auto rule = dyn_cast<SymbolicRuleAction>(&action);
      if (std::shared_ptr<Shared> state = rule ? weak.lock() : nullptr; state && !state->isTrying) {
        auto *op = llvm::dyn_cast_if_present<Operation *>(action.getContextIRUnits().front());
        auto function = dyn_cast_or_null<FunctionOpInterface>(op);
        if (op && !function)
          function = op->getParentOfType<FunctionOpInterface>();
        if (function)
          ++state->rules[{function.getName().str(), rule->getName().str()}];
      }
      act();
    });
  }
}

void Recorder::finish(PassManager &manager) { manager.addPass(std::make_unique<Untag>()); }

void Recorder::blame(const Pass *pass) {
  if (auto found = shared->runs.find(pass); found != shared->runs.end())
    shared->passes[found->second].isBlamed = true;
}
void Recorder::setTarget(const Target *target) { shared->target = target; }
double Recorder::getOwnSeconds() const { return shared->ownSeconds; }
void Recorder::setMeasured(json::Value measured) { shared->measured = std::move(measured); }

json::Value Recorder::Shared::describe() {
  json::Object kernels;
  json::Array levelValues, views, passValues, ruleValues, code, buffers;
  if (auto last = levels.find(Level::Llvm); last != levels.end()) {
    LevelState &state = last->second;
    if (!target)
      target = guessTarget(*state.module);
    for (OwningOpRef<ModuleOp> &other : state.others)
      if (const Target *its = guessTarget(*other))
        llvm::append_range(code, describeCode(*other, *its, tags));
    if (target)
      llvm::append_range(code, describeCode(*state.module, *target, tags));
  }
  auto kernel = [&](StringRef name) -> json::Object & {
    json::Value &entry = kernels[json::fixUTF8(name)];
    if (!entry.getAsObject())
      entry = json::Object();
    return *entry.getAsObject();
  };
  for (auto &[level, state] : levels) {
    state.join();
    StringRef name = level == Level::Llvm && target ? target->getLevel() : getLevelName(level);
    levelValues.push_back(describeLevel(*state.module, name, tags));
    levelValues.back().getAsObject()->try_emplace("number", static_cast<unsigned>(level));
    if (level == Level::Lazy)
      views = describeViews(*state.module);
    if (level == Level::Kernel) {
      for (auto &[name, facts] : describeNests(*state.module, options.threads))
        for (auto &[key, value] : facts)
          kernel(name)[key] = std::move(value);
      for (auto &[name, texts] : describeAccesses(*state.module)) {
        kernel(name)["accesses"] = json::Array(texts);
        // Of kernels that were merged with equal ones nothing is left.
        if (auto before = state.accesses.find(name); before != state.accesses.end())
          kernel(name)["accessesBefore"] = json::Array(before->second);
      }
    }
    if (level >= Level::Kernel)
      buffers = describeBuffers(*state.module);
    if (level == Level::UOp)
      for (auto &[name, loops] : describeLoops(*state.module))
        kernel(name)["loops"] = std::move(loops);
  }
  for (auto &[name, list] : candidates)
    if (kernels.get(json::fixUTF8(name)))
      kernel(name)["schedules"] = std::move(list);
  for (const auto &[name, script] : schedules)
    if (kernels.get(json::fixUTF8(name)))
      kernel(name)["schedule"] = json::fixUTF8(script);
  for (const PassRun &run : passes) {
    json::Array changes;
    for (const Change &change : run.changes)
      changes.push_back(describeChange(change));
    json::Object value{{"name", json::fixUTF8(run.name)},
                       {"level", getLevelName(run.level)},
                       {"seconds", run.seconds},
                       {"changes", std::move(changes)}};
    if (run.hasFailed)
      value["failed"] = true;
    if (run.isBlamed)
      value["blamed"] = true;
    passValues.push_back(std::move(value));
  }
  for (const auto &[key, count] : rules)
    ruleValues.push_back(json::Object{{"function", json::fixUTF8(key.first)}, {"rule", key.second}, {"times", count}});
  json::Object data{{"format", "tiny-view"},
                    {"version", 1},
                    {"program", json::fixUTF8(options.title)},
                    {"threads", options.threads},
                    {"levels", std::move(levelValues)},
                    {"passes", std::move(passValues)},
                    {"remarks", std::move(remarks)},
                    {"errors", std::move(errors)},
                    {"rules", std::move(ruleValues)},
                    {"kernels", std::move(kernels)},
                    {"views", std::move(views)},
                    {"code", std::move(code)},
                    {"buffers", std::move(buffers)},
                    {"tags", tags.describe()}};
  if (measured)
    data["measured"] = std::move(*measured);
  return data;
}

llvm::StringMap<cost::KernelTimes> Recorder::predictKernels() const {
  llvm::StringMap<cost::KernelTimes> times;
  if (auto found = shared->levels.find(Level::Kernel); found != shared->levels.end())
    for (auto kernel : found->second.module->getOps<kernel::FuncOp>())
      if (std::optional<SmallVector<cost::Nest>> nests = kernel::findNests(kernel))
        if (cost::Machine machine = target::findMachine(kernel); machine.kind != cost::DeviceKind::Gpu)
          times[kernel.getSymName()] = cost::predictKernelOn(*nests, machine, shared->options.threads);
  return times;
}

llvm::Error Recorder::write() { return writeView(shared->options, shared->describe()); }

llvm::Error Recorder::writeIfSeen() { return shared->passes.empty() ? llvm::Error::success() : write(); }

} // namespace tiny::view
