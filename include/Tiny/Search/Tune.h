// Finds faster schedules for the kernels of a model by measuring them.
#ifndef TINY_SEARCH_TUNE_H
#define TINY_SEARCH_TUNE_H

#include "Tiny/Driver/ModelRequest.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

namespace tiny {

/// Seconds from `60s`, `5m` or `90`; none for other text.
std::optional<double> parseTuneTime(llvm::StringRef text);

/// Where schedules go for which no file is named: beside the model.
std::string getScheduleFile(const ModelRequest &request);

/// What `TuneRequest::stop` points to, once Ctrl-C has been pressed. A second Ctrl-C ends the process.
const std::atomic<bool> *stopOnInterrupt();

struct TuneRequest : ModelRequest {
  /// Where the schedules go. Those that the file has for other kernels stay.
  std::string output;
  double seconds = 60;
  /// On how many threads kernels run; 0 for as many as there are processors.
  unsigned threads = 0;
  /// Take only schedules that give the same bits as the default one.
  bool keepsBits = false;
  /// Set from outside, as by a signal: the search ends and keeps what it found. May be null.
  const std::atomic<bool> *stop = nullptr;
};

/// Measures schedules of each kernel, the longest first, in the time that is given, and writes those that are faster
/// than the kernel's own. Tells kernel by kernel what was found on `stream`; a bar with the time left follows there if
/// it is a terminal.
llvm::Error tuneModel(const TuneRequest &request, mlir::MLIRContext *context, llvm::raw_ostream &stream);

} // namespace tiny

#endif // TINY_SEARCH_TUNE_H
