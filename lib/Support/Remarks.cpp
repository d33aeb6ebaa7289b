// Remarks that say the same as text, YAML and bitstream.
#include "Tiny/Support/Remarks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <mutex>

using namespace mlir;

namespace tiny {

Remarks::Remarks(StringRef pass, Operation *op) : pass(pass), around(op->getLoc()) {
  while (op && (isa<ModuleOp>(op) || !isa<SymbolOpInterface>(op)))
    op = op->getParentOp();
  if (!op)
    return;
  function = cast<SymbolOpInterface>(op).getName();
  around = op->getLoc();
}

thread_local bool Remarks::areQuiet = false;

bool Remarks::isOn() const { return !areQuiet && around->getContext()->getRemarkEngine() != nullptr; }

Location Remarks::findPlace(Location loc) const {
  for (Location where : {loc, around})
    if (auto file = where->findInstanceOf<FileLineColLoc>())
      return file;
  auto name = loc->findInstanceOf<NameLoc>();
  return name ? Location(FileLineColLoc::get(name.getName(), 0, 0)) : loc;
}

/// Counts in full, other numbers as short as they go.
static std::string format(double value) {
  constexpr double kMostExact = 1e15;
  bool isCount = std::trunc(value) == value && std::abs(value) < kMostExact;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(isCount ? "%.0f" : "%g", value);
  return text;
}

/// Passes run on several functions at a time, and upstream's engine writes files without a lock. A remark is written
/// when it dies, at the end of the statement that makes it.
static std::mutex &getMutex() {
  static std::mutex mutex;
  return mutex;
}

static thread_local const Location *told = nullptr;

namespace {
struct Telling {
  explicit Telling(const Location &loc) { told = &loc; }
  ~Telling() { told = nullptr; }
};
} // namespace

std::optional<Location> Remarks::getTold() { return told ? std::optional(*told) : std::nullopt; }

static void finish(remark::detail::InFlightRemark remark, const Twine &message, ArrayRef<ReasonNumber> numbers) {
  if (!remark)
    return;
  std::string text = message.str();
  remark << StringRef(text);
  for (const ReasonNumber &number : numbers)
    remark << remark::detail::Remark::Arg(number.name, format(number.value));
}

void Remarks::passed(Location loc, StringRef name, const Twine &message, ArrayRef<ReasonNumber> numbers) const {
  if (!isOn())
    return;
  std::lock_guard<std::mutex> lock(getMutex());
  Telling telling(loc);
  finish(remark::passed(findPlace(loc), remark::RemarkOpts::name(name).category(pass).function(function)), message,
         numbers);
}

void Remarks::missed(Location loc, StringRef name, const Twine &message, ArrayRef<ReasonNumber> numbers) const {
  if (!isOn())
    return;
  std::lock_guard<std::mutex> lock(getMutex());
  Telling telling(loc);
  finish(remark::missed(findPlace(loc), remark::RemarkOpts::name(name).category(pass).function(function)), message,
         numbers);
}

void Remarks::analysis(Location loc, StringRef name, const Twine &message, ArrayRef<ReasonNumber> numbers) const {
  if (!isOn())
    return;
  std::lock_guard<std::mutex> lock(getMutex());
  Telling telling(loc);
  finish(remark::analysis(findPlace(loc), remark::RemarkOpts::name(name).category(pass).function(function)), message,
         numbers);
}

} // namespace tiny
