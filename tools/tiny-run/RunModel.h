// The job of tiny-run: a model, real inputs, and what comes of them.
#ifndef TINY_TOOLS_TINY_RUN_RUNMODEL_H
#define TINY_TOOLS_TINY_RUN_RUNMODEL_H

#include "Tiny/Driver/ModelRequest.h"
#include "Tiny/Support/OptionValues.h"
#include "Tiny/View/View.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// Without a name of a function, `main` or the only one.
struct RunRequest : ModelRequest {
  /// `FILE` or `NAME=FILE`: an .npy for one input, in order or by name; an .npz for the inputs that its members name; a
  /// recipe in place of a file (`files::Recipe`), without a name for every input that nothing else gives.
  std::vector<std::string> inputs;
  /// `NAME=SIZE` each: of inputs that recipes make, where the program has sizes.
  std::vector<std::string> sizes;
  /// Right classes, one per row of the first result, to measure accuracy by. May be empty.
  std::string labels;
  /// Where to write the results: .npy for one, .npz for any number. May be empty.
  std::string output;
  /// What the results should be, within the tolerance. May be empty.
  std::string expect;
  NonNegative tolerance = 1e-4;
  std::string device = "cpu";
  /// On how many threads kernels run; 0 for as many as there are processors, or TINY_NUM_THREADS.
  unsigned threads = 0;
  /// Where executables are kept between runs (see `DiskCache::open`); an empty folder for nowhere. Whoever wants to see
  /// the compiler at work keeps none: a hit runs no pass.
  std::string cacheFolder, cachePolicy;
  /// How often to run; the time of the fastest run is printed.
  Bounded<1> repeat = 1;
  /// Whether to print what memory a run takes.
  bool printMemory = false;
  /// Whether to check the bytes of a container's constants.
  bool checkConstants = false;
  /// Whether to print a line for each kernel: a run of its own, after the others.
  bool profile = false;
  /// Where to write that run as a trace for Chrome's and Perfetto's viewers (JSON). May be empty.
  std::string trace;
  /// A page of the program and this run.
  view::ViewOptions view;
  /// Where each step reports its time. May be null.
  mlir::TimingScope *timing = nullptr;
};

/// Searches for faster schedules for so long, and lets the request take what is in its file then.
llvm::Error tuneFirst(RunRequest &request, llvm::StringRef time, mlir::MLIRContext *context);

/// Does all of it, and prints predictions or results, accuracy, and times. After an error, which is one line, nothing
/// has been printed but the memory plan, if that was asked for, and no file has been written.
llvm::Error runModel(const RunRequest &request, mlir::MLIRContext *context, llvm::raw_ostream &stream);

} // namespace tiny

#endif // TINY_TOOLS_TINY_RUN_RUNMODEL_H
