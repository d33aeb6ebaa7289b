// tiny-bisect: finds the pass of a pipeline that fails, crashes or changes a result, then the action inside of that
// pass, and shows what it did. It takes the command line of tiny-opt, checks included.
#include "../Command.h"
#include "Actions.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace tiny;

/// A program and the one pass that is wrong on it.
struct Culprit {
  OwningOpRef<ModuleOp> module;
  PassReproducerOptions pass;
  std::string file;
  Outcome outcome;
};

/// Reads the reproducer of the pass.
static LogicalResult read(Culprit &culprit, MLIRContext *context) {
  ParserConfig parser(context);
  culprit.pass.attachResourceParser(parser);
  culprit.module = parseSourceFile<ModuleOp>(culprit.file, parser);
  return success(bool(culprit.module));
}

/// Runs the whole pipeline, and leaves the pass that is wrong with its input in a file.
static LogicalResult findPass(const Command &command, const reference::CheckPassesOptions &check, Culprit &culprit) {
  auto addPasses = [&](PassManager &manager) { return command.addPasses(manager); };
  RunOptions options;
  options.check = check;
  options.check->reproducer = culprit.file;
  culprit.outcome = runApart(*command.module, addPasses, options);
  if (culprit.outcome.kind == Outcome::Kind::Fine)
    return Command::report("nothing to find: the passes neither fail nor change a result");
  if (culprit.outcome.kind != Outcome::Kind::WrongResult) {
    options.snapshot = culprit.file;
    options.check->reproducer = "";
    culprit.outcome = runApart(*command.module, addPasses, options);
  }
  return success();
}

/// The outcome of the pass if only so many of its actions happen.
static Outcome runLimited(const Culprit &culprit, const reference::CheckPassesOptions &check, uint64_t limit,
                          ActionRecord *record) {
  RunOptions options;
  options.check = check;
  options.check->reproducer = "";
  options.before = [&](MLIRContext *context) { limitActions(context, limit, record); };
  options.after = [&](ModuleOp module) { recordResult(module, record); };
  return runApart(*culprit.module, [&](PassManager &manager) { return culprit.pass.apply(manager); }, options);
}

/// The least number of actions of the pass with which it does what it does with all; none if that takes none.
static std::optional<uint64_t> findAction(const Culprit &culprit, const reference::CheckPassesOptions &check,
                                          ActionRecord *record, uint64_t &count) {
  Outcome whole = runLimited(culprit, check, UINT64_MAX, record);
  count = record->count;
  if (!whole.isSame(culprit.outcome) || runLimited(culprit, check, 0, record).isSame(whole))
    return std::nullopt;
  uint64_t good = 0, bad = count;
  while (bad - good > 1) {
    uint64_t middle = good + (bad - good) / 2;
    (runLimited(culprit, check, middle, record).isSame(whole) ? bad : good) = middle;
  }
  // Once more, for the record.
  return runLimited(culprit, check, bad, record).isSame(whole) ? std::optional(bad) : std::nullopt;
}

int main(int argc, char **argv) {
  Command command(argc, argv,
                  "Finds the pass that is wrong, and the action inside of it; takes the options of tiny-opt");
  if (failed(command.read()))
    return 1;
  reference::CheckPassesOptions check =
      command.check ? *command.check : *reference::getPassCheckerCLOptions(/*always=*/true);
  Culprit culprit;
  culprit.file = check.reproducer;
  if (culprit.file.empty()) {
    llvm::SmallString<128> path;
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("tiny-bisect", "mlir", path))
      return failed(Command::report("cannot write a temporary file: " + code.message()));
    culprit.file = path.str();
  }
  if (failed(findPass(command, check, culprit)))
    return 1;
  llvm::outs() << "the pass: " << culprit.outcome.describe() << "\n"
               << "to see it again: tiny-opt " << culprit.file << " --run-reproducer\n";
  llvm::outs().flush();
  if (failed(read(culprit, &*command.context)))
    return failed(Command::report("cannot read '" + culprit.file + "', which the pass left"));
  ActionRecord *record = makeActionRecord();
  uint64_t count = 0;
  std::optional<uint64_t> action = findAction(culprit, check, record, count);
  if (!action) {
    llvm::outs() << "the action: none of the " << count << " that the pass announces; it is wrong without them\n";
    return 0;
  }
  llvm::outs() << "the action: number " << *action << " of " << count << ", " << record->title << "\n"
               << "to stop at it: --mlir-debug-counter=" << record->tag << "-skip=0," << record->tag
               << "-count=" << record->countOfTag << "\n";
  if (StringRef(record->before) != record->after) {
    llvm::outs() << formatDifference(record->before, record->after);
    return 0;
  }
  // It decided something, and the pass changed the program later.
  std::string with = record->result;
  runLimited(culprit, check, *action - 1, record);
  llvm::outs() << "what the pass makes of the program without it and with it:\n"
               << formatDifference(record->result, with);
  return 0;
}
