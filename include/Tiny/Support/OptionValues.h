// Numbers that an option of a pass, a pipeline or a tool may have. What is none of them is an error that names the
// option.
#ifndef TINY_SUPPORT_OPTIONVALUES_H
#define TINY_SUPPORT_OPTIONVALUES_H

#include "llvm/Support/CommandLine.h"
#include <cassert>

namespace tiny {

/// An integer from `low` to `high`, for the options of passes and tools.
template <int64_t low, int64_t high = int64_t(1) << 30> class Bounded {
public:
  Bounded(int64_t value = low) : value(value) { assert(low <= value && value <= high && "out of bounds"); }
  operator int64_t() const { return value; }

private:
  int64_t value;
};

/// Sizes in bytes and counts of elements.
inline constexpr int64_t kLargestSize = (int64_t(1) << 62) - 1;

/// A finite number that is not negative.
class NonNegative {
public:
  NonNegative(double value = 0) : value(value) { assert(value >= 0 && "out of bounds"); }
  operator double() const { return value; }

private:
  double value;
};

template <int64_t low, int64_t high> llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Bounded<low, high> number) {
  return os << int64_t(number);
}

/// Reads a number. If the text is no number, or one outside the bounds, it reports an error that names the option and
/// returns true.
bool parseBounded(llvm::cl::Option &option, llvm::StringRef text, int64_t low, int64_t high, int64_t &number);
bool parseNonNegative(llvm::cl::Option &option, llvm::StringRef text, double &number);

} // namespace tiny

namespace llvm::cl {

template <int64_t low, int64_t high>
class parser<tiny::Bounded<low, high>> : public basic_parser<tiny::Bounded<low, high>> {
public:
  using Number = tiny::Bounded<low, high>;
  using basic_parser<Number>::basic_parser;

  bool parse(Option &option, StringRef, StringRef text, Number &result) {
    int64_t number = 0;
    if (tiny::parseBounded(option, text, low, high, number))
      return true;
    result = number;
    return false;
  }
  StringRef getValueName() const override { return "number"; }
  void printOptionDiff(const Option &option, const Number &, const OptionValue<Number> &, size_t width) const {
    this->printOptionName(option, width);
  }
};

template <> class parser<tiny::NonNegative> : public basic_parser<tiny::NonNegative> {
public:
  using basic_parser<tiny::NonNegative>::basic_parser;

  bool parse(Option &option, StringRef, StringRef text, tiny::NonNegative &result) {
    double number = 0;
    if (tiny::parseNonNegative(option, text, number))
      return true;
    result = number;
    return false;
  }
  StringRef getValueName() const override { return "number"; }
  void printOptionDiff(const Option &option, const tiny::NonNegative &, const OptionValue<tiny::NonNegative> &,
                       size_t width) const {
    printOptionName(option, width);
  }
};

} // namespace llvm::cl

#endif // TINY_SUPPORT_OPTIONVALUES_H
