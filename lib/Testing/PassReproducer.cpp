// Reproducers of the pass checker: upstream's form, with the options of the check as one more resource.
#include "PassReproducer.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace tiny::reference {

static constexpr llvm::StringLiteral kResource = "tiny_check_passes";

llvm::Expected<std::string> writePassReproducer(ModuleOp module, StringRef pipeline,
                                                const CheckPassesOptions &options) {
  llvm::SmallString<128> path(options.reproducer);
  int descriptor = -1;
  std::error_code code = path.empty() ? llvm::sys::fs::createTemporaryFile("check-passes", "mlir", descriptor, path)
                                      : llvm::sys::fs::openFileForWrite(path, descriptor);
  if (code)
    return llvm::createStringError(code, "cannot write a reproducer to '" + path + "': " + code.message());
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  AsmState state(module, OpPrintingFlags().enableDebugInfo());
  state.attachResourcePrinter("mlir_reproducer", [&](Operation *, AsmResourceBuilder &builder) {
    builder.buildString("pipeline", pipeline);
    builder.buildBool("disable_threading", true);
    builder.buildBool("verify_each", true);
  });
  state.attachResourcePrinter(kResource, [&](Operation *, AsmResourceBuilder &builder) {
    builder.buildString("seed", std::to_string(options.seed));
    builder.buildString("tolerance", std::to_string(options.tolerance));
    builder.buildString("functions", llvm::join(options.functions, "\n"));
    builder.buildBool("wide_floats", options.wideFloats);
    builder.buildBool("special_floats", options.specialFloats);
  });
  module->print(os, state);
  os << "\n";
  return path.str().str();
}

std::optional<CheckPassesOptions> readPassReproducer(StringRef text, const DialectRegistry &registry) {
  if (!text.contains(kResource))
    return std::nullopt;
  CheckPassesOptions options;
  bool found = false;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  config.attachResourceParser(kResource, [&](AsmParsedResourceEntry &entry) -> LogicalResult {
    found = true;
    StringRef key = entry.getKey();
    if (key == "wide_floats" || key == "special_floats") {
      FailureOr<bool> value = entry.parseAsBool();
      if (succeeded(value))
        (key == "wide_floats" ? options.wideFloats : options.specialFloats) = *value;
      return value;
    }
    FailureOr<std::string> value = entry.parseAsString();
    if (failed(value))
      return failure();
    if (key == "functions") {
      for (StringRef name : llvm::split(*value, "\n"))
        if (!name.empty())
          options.functions.push_back(name.str());
      return success();
    }
    bool isWrong = key == "seed" ? StringRef(*value).getAsInteger(10, options.seed)
                                 : key != "tolerance" || StringRef(*value).getAsDouble(options.tolerance);
    return success(!isWrong);
  });
  config.attachResourceParser("mlir_reproducer", [](AsmParsedResourceEntry &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  return module && found ? std::optional(options) : std::nullopt;
}

void ignorePassReproducer(ParserConfig &parser) {
  parser.attachResourceParser(kResource, [](AsmParsedResourceEntry &) { return success(); });
}

} // namespace tiny::reference
