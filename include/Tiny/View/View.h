// A program at every level, as one page: what passes did to it, why, and what it cost.
#ifndef TINY_VIEW_VIEW_H
#define TINY_VIEW_VIEW_H

#include "Tiny/Algebra/Cost/Nest.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <memory>
#include <string>

namespace mlir {
class Pass;
class PassManager;
} // namespace mlir

namespace tiny {
class Target;
} // namespace tiny

namespace tiny::view {

/// Where a view goes, and what is written beside it.
struct ViewOptions {
  /// The page; empty for none.
  std::string page;
  /// The data as JSON (docs/View.md); empty for none.
  std::string data;
  /// The data of another run, to compare with; empty for none. What `readOptions` read of it.
  std::string compare, other;
  /// What the page is called: the model's file.
  std::string title;
  /// The threads that kernels run on, for which their times are predicted.
  unsigned threads = 1;

  bool isOn() const { return !page.empty() || !data.empty(); }
};

/// Reads the other run, before anything is written. The error that the options have: data that cannot be read, a file
/// without the page, one that another of the tool's files is, too.
llvm::Error readOptions(ViewOptions &options, llvm::ArrayRef<llvm::StringRef> files);

/// Sees passes run, and keeps what a page shows: each level as it was when it was left, what each pass changed, and
/// the remarks. The context must outlive it.
class Recorder {
public:
  explicit Recorder(ViewOptions options);
  ~Recorder();
  Recorder(Recorder &&) = default;

  /// Watches the passes of a manager, one after the other's end. Switches threads off, so that times are a pass's own,
  /// and takes the remarks of the context. `whenDone` is called when the manager is destroyed.
  void watch(mlir::PassManager &manager, std::function<void()> whenDone = {});

  /// Adds, behind all passes, one that takes the recorder's numbers out of locations again: for who writes the module.
  void finish(mlir::PassManager &manager);
  /// The pass of the manager that is watched which a checker blames.
  void blame(const mlir::Pass *pass);
  /// The target whose code the page shows under the last level.
  void setTarget(const Target *target);
  /// Seconds that the recorder itself took while passes ran.
  double getOwnSeconds() const;
  /// The predicted time of each kernel that was seen, on the threads of the options.
  llvm::StringMap<cost::KernelTimes> predictKernels() const;
  /// What was measured, as docs/View.md describes it.
  void setMeasured(llvm::json::Value measured);

  /// Writes what the options ask for.
  llvm::Error write();
  /// The same where some pass has run, else nothing: for programs that do not compile.
  llvm::Error writeIfSeen();

private:
  struct Shared;
  class Watcher;
  std::shared_ptr<Shared> shared;
};

} // namespace tiny::view

#endif // TINY_VIEW_VIEW_H
