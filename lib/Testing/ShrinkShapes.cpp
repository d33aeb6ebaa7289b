// Makes shapes smaller in the text of a program: there a dimension stands in types, in lists and in views alike,
// whatever operation it belongs to. What does not parse or verify afterwards is no program.
#include "Reductions.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tiny {

SmallVector<int64_t> getDimensions(ModuleOp module) {
  SmallVector<int64_t> dimensions;
  auto add = [&](Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      llvm::append_range(dimensions, shaped.getShape());
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), add);
  });
  llvm::sort(dimensions, std::greater<>());
  dimensions.erase(llvm::unique(dimensions), dimensions.end());
  llvm::erase_if(dimensions, [](int64_t extent) { return extent <= 1; });
  return dimensions;
}

/// Whether a number between these characters is one of a list, or an extent.
static bool isListed(char before, char after) {
  return StringRef("([ ,:").contains(before) && StringRef(")],>:").contains(after);
}

mlir::OwningOpRef<ModuleOp> shrinkShapes(ModuleOp module, int64_t from, int64_t to, unsigned variant) {
  std::string text, changed;
  llvm::raw_string_ostream(text) << module;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
    char before = at ? text[at - 1] : ' ', after = end < text.size() ? text[end] : ' ';
    if (end == at || (llvm::isAlpha(before) && before != 'x') || before == '_' || before == '.' || before == '%') {
      end = std::max(end, at + 1);
      changed.append(text, at, end - at);
      at = end;
      continue;
    }
    bool isDimension = after == 'x' && (before == '<' || before == 'x');
    int64_t number = 0;
    if (StringRef(text).slice(at, end).getAsInteger(10, number))
      number = 0;
    if (number == from && (isDimension || (variant > 0 && isListed(before, after))))
      number = to;
    else if (variant == 2 && number > 0 && number % from == 0 && (isDimension || isListed(before, after)))
      number = number / from * to;
    else
      number = -1;
    changed += number < 0 ? text.substr(at, end - at) : std::to_string(number);
    at = end;
  }
  ScopedDiagnosticHandler silence(module.getContext(), [](Diagnostic &) { return success(); });
  return parseSourceString<ModuleOp>(changed, ParserConfig(module.getContext()));
}

} // namespace tiny
