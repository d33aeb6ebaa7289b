// What passes tell of their decisions: remarks that say their place, their reason and its numbers in every format.
#ifndef TINY_SUPPORT_REMARKS_H
#define TINY_SUPPORT_REMARKS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <utility>

namespace tiny {

/// A number behind a decision: a cost, a size or a limit. The name is a literal.
struct ReasonNumber {
  llvm::StringRef name;
  double value;
};

/// Why a pass does something or does not, and the numbers that decide it. The text is a literal; empty text says that
/// there is no reason, as where a `whyNot` function refuses nothing.
struct Reason {
  Reason() = default;
  Reason(llvm::StringRef text) : text(text) {}
  Reason(const char *text) : text(text) {}
  Reason(llvm::StringRef text, llvm::SmallVector<ReasonNumber, 2> numbers) : text(text), numbers(std::move(numbers)) {}

  /// `value`, of what `name` says, meets a limit.
  template <typename Value, typename Limit>
  Reason(llvm::StringRef text, llvm::StringRef name, const Value &value, const Limit &limit)
      : text(text), numbers{{name, static_cast<double>(value)}, {"limit", static_cast<double>(limit)}} {}

  bool empty() const { return text.empty(); }
  bool operator==(llvm::StringRef other) const { return text == other; }
  bool operator!=(llvm::StringRef other) const { return text != other; }

  llvm::StringRef text;
  llvm::SmallVector<ReasonNumber, 2> numbers;
};

/// The remarks of one pass on what stands in one function. As text, YAML or bitstream a remark has the same place, the
/// same message and the same numbers. Nothing is formatted unless somebody listens.
class Remarks {
public:
  /// `pass` is the flag of the pass, by which `--remarks-filter` finds it. The function is the symbol around `op`.
  Remarks(llvm::StringRef pass, mlir::Operation *op);

  /// Whether anybody listens.
  bool isOn() const;

  /// Tells what was done, what was refused, and what is only worth knowing. `name` is one word for the outcome.
  void passed(mlir::Location loc, llvm::StringRef name, const llvm::Twine &message,
              llvm::ArrayRef<ReasonNumber> numbers = {}) const;
  void missed(mlir::Location loc, llvm::StringRef name, const llvm::Twine &message,
              llvm::ArrayRef<ReasonNumber> numbers = {}) const;
  void analysis(mlir::Location loc, llvm::StringRef name, const llvm::Twine &message,
                llvm::ArrayRef<ReasonNumber> numbers = {}) const;

  /// For who keeps remarks: where the operation stands of which this thread tells just now, all of its location. The
  /// remark itself has one place.
  static std::optional<mlir::Location> getTold();

private:
  friend class QuietRemarks;
  static thread_local bool areQuiet;

  /// The first place in a file, that of the function if there is none, else the name of an imported node as a file.
  mlir::Location findPlace(mlir::Location loc) const;

  llvm::StringRef pass, function;
  mlir::Location around;
};

/// While it lives this thread tells nothing: what it does is only tried.
class QuietRemarks {
public:
  QuietRemarks() : outside(std::exchange(Remarks::areQuiet, true)) {}
  ~QuietRemarks() { Remarks::areQuiet = outside; }
  QuietRemarks(const QuietRemarks &) = delete;

private:
  bool outside;
};

} // namespace tiny

#endif // TINY_SUPPORT_REMARKS_H
