// Watches the actions of a compilation, passes and code generation: each is shown, and none happens after SIGINT.
#include "Compiling.h"

#include "Tiny/Support/Actions.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <unistd.h>

using namespace mlir;

namespace tiny::frontend {

namespace {

std::atomic<bool> isInterruptible = false, isInterrupted = false;
struct sigaction handlerBefore;

void interrupt(int signal, siginfo_t *info, void *context) {
  if (handlerBefore.sa_flags & SA_SIGINFO)
    handlerBefore.sa_sigaction(signal, info, context);
  else
    handlerBefore.sa_handler(signal);
  isInterrupted = true;
}

/// While one lives, SIGINT says so in `isInterrupted`, and then does what it does otherwise.
class InterruptScope {
public:
  InterruptScope() {
    isInterrupted = false;
    // Whoever waits in the main thread meanwhile has the signal to themselves.
    if (!isInterruptible || gettid() != getpid() || sigaction(SIGINT, nullptr, &handlerBefore) != 0)
      return;
    bool hasHandler = (handlerBefore.sa_flags & SA_SIGINFO) ||
                      (handlerBefore.sa_handler != SIG_DFL && handlerBefore.sa_handler != SIG_IGN);
    struct sigaction own = handlerBefore;
    own.sa_flags |= SA_SIGINFO;
    own.sa_sigaction = interrupt;
    isSet = hasHandler && sigaction(SIGINT, &own, nullptr) == 0;
  }
  ~InterruptScope() {
    if (isSet)
      sigaction(SIGINT, &handlerBefore, nullptr);
  }
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  bool isSet = false;
};

/// A line on a terminal: the time, and a bar of the kernels that have code, or the pass that runs.
class Line {
public:
  ~Line() {
    if (isShown)
      llvm::errs() << "\r\033[K";
  }
  void showPass(StringRef name) {
    show([&] { return name.str(); });
  }
  void showKernels(size_t done, size_t all) {
    show([&] {
      size_t filled = kWidth * done / std::max<size_t>(all, 1);
      return llvm::formatv("[{0}{1}] {2} of {3} kernels", std::string(filled, '#'), std::string(kWidth - filled, ' '),
                           done, all)
          .str();
    });
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kWidth = 24;

  void show(llvm::function_ref<std::string()> describe) {
    std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
    Clock::time_point now = Clock::now();
    if (!isTerminal || !lock || now < next)
      return;
    double seconds = std::chrono::duration<double>(now - start).count();
    llvm::errs() << "\r\033[K" << llvm::formatv("compiling, {0:f1} s: ", seconds) << describe();
    llvm::errs().flush();
    isShown = true;
    next = now + std::chrono::milliseconds(100);
  }

  const bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  const Clock::time_point start = Clock::now();
  std::mutex mutex;
  Clock::time_point next = start + std::chrono::seconds(1);
  bool isShown = false;
};

} // namespace

void setInterruptible(bool isOn) { isInterruptible = isOn; }

Result<std::shared_ptr<Executable>> compileWatched(ModuleOp module, StringRef device) {
  Line line;
  InterruptScope scope;
  std::atomic<size_t> kernels = 0;
  MLIRContext *context = module.getContext();
  context->registerActionHandler([&](llvm::function_ref<void()> act, const tracing::Action &action) {
    if (isInterrupted)
      return;
    if (auto *pass = dyn_cast<PassExecutionAction>(&action))
      line.showPass(pass->getPass().getName());
    act();
    if (auto *code = dyn_cast<KernelCodeAction>(&action))
      line.showKernels(++kernels, code->getCount());
  });
  CompileOptions options;
  options.isStopped = [] { return isInterrupted.load(); };
  llvm::Expected<std::unique_ptr<Executable>> made = Executable::compile(module, options, device);
  context->registerActionHandler(nullptr);
  if (made)
    return std::shared_ptr<Executable>(std::move(*made));
  std::string message = llvm::toString(made.takeError());
  return Failure{isInterrupted ? "the compilation was interrupted" : message};
}

} // namespace tiny::frontend
