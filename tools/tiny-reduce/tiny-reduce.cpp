// tiny-reduce: makes a program smaller on which passes fail, crash or change a result, or that a script calls
// interesting. It takes the command line of tiny-opt.
#include "../Command.h"
#include "Tiny/Testing/Reduce.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace tiny;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tiny-reduce");
static cl::opt<std::string>
    testScript("test", cl::cat(category), cl::value_desc("script"),
               cl::desc("A program is interesting if this script, given its file, exits with 1; "
                        "without one, if the passes come to the same as on the whole program"));
static cl::opt<std::string> reductionTree("reduction-tree", cl::value_desc("test=script"), cl::cat(category),
                                          cl::desc("The same, as mlir-reduce spells it"));

/// The script of either spelling.
static std::string getScript() {
  SmallVector<StringRef> words;
  StringRef(reductionTree).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.consume_front("test="))
      return word.str();
  return testScript;
}

/// What a script says: whether a program is interesting. An error says that it cannot run.
static llvm::Expected<bool> runScript(StringRef script, ModuleOp module) {
  llvm::SmallString<128> path;
  int descriptor = -1;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tiny-reduce", "mlir", descriptor, path))
    return llvm::createStringError(code, "cannot write a temporary file");
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << module << "\n";
  std::string message;
  int code = llvm::sys::ExecuteAndWait(script, {script, path}, std::nullopt, {}, 0, 0, &message);
  (void)llvm::sys::fs::remove(path);
  if (code < 0)
    return llvm::createStringError("cannot run the script '" + script + "': " + message);
  return code == 1;
}

static unsigned countOperations(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](Operation *op) { count += op != module; });
  return count;
}

/// The interestingness of the command, which must hold for the whole program.
static llvm::Expected<std::function<bool(ModuleOp)>> makeTest(const Command &command) {
  std::string script = getScript();
  if (!script.empty()) {
    llvm::Expected<bool> whole = runScript(script, *command.module);
    if (!whole)
      return whole.takeError();
    if (!*whole)
      return llvm::createStringError("nothing was reduced; a script calls a program interesting by exit code 1");
    return [script](ModuleOp module) {
      llvm::Expected<bool> interesting = runScript(script, module);
      if (interesting)
        return *interesting;
      llvm::consumeError(interesting.takeError());
      return false;
    };
  }
  auto run = [&command](ModuleOp module) {
    RunOptions options;
    options.check = command.check;
    return runApart(module, [&](PassManager &manager) { return command.addPasses(manager); }, options);
  };
  Outcome whole = run(*command.module);
  if (whole.kind == Outcome::Kind::Fine)
    return llvm::createStringError(
        "nothing was reduced; the passes " +
        StringRef(command.check ? "change no result" : "do not fail: is it --check-passes?"));
  llvm::errs() << "tiny-reduce: " << whole.describe() << "\n";
  return [run, whole](ModuleOp module) { return run(module).isSame(whole); };
}

int main(int argc, char **argv) {
  Command command(argc, argv, "Makes a program smaller on which passes fail; takes the options of tiny-opt");
  auto fail = [](const Twine &message) {
    llvm::errs() << "tiny-reduce: error: " << message << "\n";
    return 1;
  };
  if (failed(command.read()))
    return 1;
  llvm::Expected<std::function<bool(ModuleOp)>> test = makeTest(command);
  if (!test)
    return fail(llvm::toString(test.takeError()));
  OwningOpRef<ModuleOp> smallest = reduceModule(*command.module, *test);
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(command.output, &message);
  if (!output)
    return fail(message);
  smallest->print(output->os());
  output->os() << "\n";
  output->keep();
  llvm::errs() << "tiny-reduce: " << countOperations(*smallest) << " operations of " << countOperations(*command.module)
               << " are left\n";
  return 0;
}
