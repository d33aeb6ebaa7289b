// Runs passes in a forked process, and hears of it through a pipe.
#include "Tiny/Testing/Outcome.h"

#include "PassReproducer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace tiny {

std::string Outcome::describe() const {
  switch (kind) {
  case Kind::Fine:
    return "nothing is wrong";
  case Kind::WrongResult:
  case Kind::Error:
    return message;
  case Kind::Crash:
    break;
  }
  int signal = 0;
  (void)StringRef(cause).getAsInteger(10, signal);
  return std::string("a pass crashed: ") + strsignal(signal);
}

/// The text without its numbers and types, which differ between a program and a smaller one.
static std::string generalize(StringRef text) {
  std::string general;
  unsigned depth = 0;
  for (char letter : text) {
    depth += letter == '<';
    if (depth == 0 && !llvm::isDigit(letter))
      general += letter;
    depth -= letter == '>' && depth > 0;
  }
  return general;
}

/// What an error of the pass checker says of a pass, or null.
static StringRef getAccused(StringRef message) {
  if (!message.consume_front("pass '"))
    return {};
  auto [pass, what] = message.split("' ");
  return what.starts_with("changed ") || what.starts_with("broke ") || what.starts_with("left ") ? pass : StringRef();
}

namespace {
/// Writes the program down before each pass, over what it wrote before the last one.
struct Snapshots : PassInstrumentation {
  Snapshots(std::string file, reference::CheckPassesOptions check) : check(std::move(check)) {
    this->check.reproducer = std::move(file);
  }
  void runBeforePass(Pass *pass, Operation *op) override {
    std::string pipeline = reference::getPipeline(pass, op);
    while (Operation *parent = op->getParentOp())
      op = parent;
    if (auto module = dyn_cast<ModuleOp>(op))
      llvm::consumeError(reference::writePassReproducer(module, pipeline, check).takeError());
  }
  reference::CheckPassesOptions check;
};
} // namespace

/// The part of the new process: runs the passes.
static Outcome runHere(ModuleOp module, llvm::function_ref<LogicalResult(PassManager &)> addPasses,
                       const RunOptions &options) {
  Outcome outcome;
  MLIRContext *context = module.getContext();
  ScopedDiagnosticHandler listen(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    std::string message = diagnostic.str();
    StringRef accused = getAccused(message);
    if (outcome.kind == Outcome::Kind::WrongResult || (accused.empty() && outcome.kind == Outcome::Kind::Error))
      return success();
    if (accused.empty())
      outcome = {Outcome::Kind::Error, generalize(message), message};
    else
      outcome = {Outcome::Kind::WrongResult, accused.str(),
                 message + (outcome.message.empty() ? "" : ": " + outcome.message)};
    return success();
  });
  if (options.before)
    options.before(context);
  bool failedToRun = false;
  {
    PassManager manager(context, ModuleOp::getOperationName(), PassManager::Nesting::Implicit);
    if (options.check) {
      reference::CheckPassesOptions check = *options.check;
      if (check.reproducer.empty())
        check.reproducer = "/dev/null";
      check.progress = false;
      checkPasses(manager, check);
    }
    if (!options.snapshot.empty())
      manager.addInstrumentation(
          std::make_unique<Snapshots>(options.snapshot, options.check.value_or(reference::CheckPassesOptions())));
    failedToRun = failed(addPasses(manager)) || failed(manager.run(module));
  }
  if (failedToRun && outcome.kind == Outcome::Kind::Fine)
    outcome = {Outcome::Kind::Error, "", "a pass failed without a message"};
  return outcome;
}

Outcome runApart(ModuleOp module, llvm::function_ref<LogicalResult(PassManager &)> addPasses,
                 const RunOptions &options) {
  int ends[2];
  if (pipe(ends))
    return {Outcome::Kind::Error, "pipe", std::strerror(errno)};
  pid_t child = fork();
  if (child < 0)
    return {Outcome::Kind::Error, "fork", std::strerror(errno)};
  if (child == 0) {
    alarm(options.seconds);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    // Crashes are the parent's to tell of.
    for (int signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGTRAP})
      ::signal(signal, SIG_DFL);
    Outcome outcome = runHere(module, addPasses, options);
    std::string text = std::to_string(int(outcome.kind)) + '\0' + outcome.cause + '\0' + outcome.message;
    llvm::raw_fd_ostream(ends[1], /*shouldClose=*/true) << text;
    // Where a pass failed this may crash, which then says nothing of the passes.
    if (options.after)
      options.after(module);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t count; (count = read(ends[0], bytes, sizeof(bytes))) != 0;)
    if (count > 0)
      text.append(bytes, size_t(count));
    else if (errno != EINTR)
      break;
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  SmallVector<StringRef> parts;
  StringRef(text).split(parts, '\0', /*MaxSplit=*/2);
  int kind = 0;
  if (parts.size() != 3 || parts[0].getAsInteger(10, kind))
    return {Outcome::Kind::Crash, std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0), ""};
  return {Outcome::Kind(kind), parts[1].str(), parts[2].str()};
}

} // namespace tiny
