#include "Tiny/Support/OptionValues.h"

#include <cmath>

using namespace llvm;

bool tiny::parseBounded(cl::Option &option, StringRef text, int64_t low, int64_t high, int64_t &number) {
  if (!text.getAsInteger(10, number) && low <= number && number <= high)
    return false;
  return option.error("expected a number from " + Twine(low) + " to " + Twine(high) + ", got '" + text + "'");
}

bool tiny::parseNonNegative(cl::Option &option, StringRef text, double &number) {
  if (!text.getAsDouble(number) && number >= 0 && std::isfinite(number))
    return false;
  return option.error("expected a finite number that is not negative, got '" + text + "'");
}
