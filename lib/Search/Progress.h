// What a person sees of a search while it runs.
#ifndef TINY_LIB_SEARCH_PROGRESS_H
#define TINY_LIB_SEARCH_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

namespace tiny {

/// Lines that stay, and below them, on a terminal, one with a bar and the time left.
class Progress {
public:
  using Clock = std::chrono::steady_clock;

  Progress(llvm::raw_ostream &stream, double seconds);
  ~Progress();

  double getSecondsLeft() const;
  /// A line that stays.
  void tell(const llvm::Twine &line);
  /// What is being done, behind the bar.
  void show(const llvm::Twine &what);

private:
  void clear();

  llvm::raw_ostream &stream;
  Clock::time_point start;
  double seconds;
  bool isTerminal, hasBar = false;
};

} // namespace tiny

#endif // TINY_LIB_SEARCH_PROGRESS_H
