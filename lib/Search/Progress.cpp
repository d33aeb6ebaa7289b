// Prints the lines and the bar of a search.
#include "Progress.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace tiny {

static constexpr unsigned kBarWidth = 24;

Progress::Progress(raw_ostream &stream, double seconds)
    : stream(stream), start(Clock::now()), seconds(seconds), isTerminal(stream.is_displayed()) {}

Progress::~Progress() { clear(); }

double Progress::getSecondsLeft() const {
  return seconds - std::chrono::duration<double>(Clock::now() - start).count();
}

void Progress::clear() {
  if (hasBar)
    stream << "\r\033[K";
  hasBar = false;
  stream.flush();
}

void Progress::tell(const Twine &line) {
  clear();
  stream << line << "\n";
  stream.flush();
}

void Progress::show(const Twine &what) {
  if (!isTerminal)
    return;
  clear();
  double left = std::max(getSecondsLeft(), 0.0);
  auto done = static_cast<unsigned>(kBarWidth * (seconds > 0 ? 1 - left / seconds : 1));
  stream << "[" << std::string(done, '#') << std::string(kBarWidth - done, ' ') << "] "
         << llvm::format("%.0f s left, ", left) << what;
  stream.flush();
  hasBar = true;
}

} // namespace tiny
