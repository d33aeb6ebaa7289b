#include "Tiny/Driver/Source.h"

#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/Npy.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tiny {

/// The place in a file that a location leads to, or the name that it has, as the beginning of a message.
static std::string formatPlace(Location loc) {
  std::string file, name;
  loc->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColLoc>(part); place && file.empty())
      llvm::raw_string_ostream(file) << place.getFilename().getValue() << ":" << place.getLine() << ":"
                                     << place.getColumn() << ": ";
    if (auto named = dyn_cast<NameLoc>(part); named && name.empty())
      name = "'" + named.getName().str() + "': ";
    return WalkResult::advance();
  });
  return file.empty() ? name : file;
}

static std::string formatLine(Diagnostic &diagnostic) {
  std::string text = formatPlace(diagnostic.getLocation());
  llvm::raw_string_ostream stream(text);
  stream << diagnostic;
  // A printed operation in a message may have several lines.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return StringRef(text).rtrim().str();
}

FirstError::FirstError(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && message.empty())
          message = formatLine(diagnostic);
        // Remarks and warnings go on to whoever listens.
        return success(diagnostic.getSeverity() == DiagnosticSeverity::Error);
      }) {}

llvm::Error FirstError::take(const Twine &otherwise) {
  return llvm::createStringError(message.empty() ? otherwise.str() : message);
}

/// Upstream's parser recurses on what is nested: text nested deeper than any program would end the process. Returns the
/// line that passes the limit, or none.
static std::optional<size_t> findDeepNesting(StringRef text) {
  constexpr size_t kDeepest = 1000;
  size_t depth = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
    } else if (c == '"') {
      // A string ends at its quote, or at the end of the line, where the parser reports it.
      while (++i < text.size() && text[i] != '"' && text[i] != '\n')
        i += text[i] == '\\';
      line += i < text.size() && text[i] == '\n';
    } else if (c == '/' && text.substr(i).starts_with("//")) {
      while (i + 1 < text.size() && text[i + 1] != '\n')
        ++i;
    } else if (StringRef("([{<").contains(c)) {
      if (++depth > kDeepest)
        return line;
    } else if (StringRef(")]}").contains(c) || (c == '>' && i && text[i - 1] != '-')) {
      depth -= depth > 0;
    }
  }
  return std::nullopt;
}

/// Parses text or bytecode. Upstream's bytecode reader trusts its input, and a malformed file may make it read wild
/// memory: a fault in there becomes a null module, after which the process should end soon.
static OwningOpRef<ModuleOp> parse(std::shared_ptr<llvm::SourceMgr> sources, MLIRContext *context, bool bytecode) {
  if (!bytecode)
    return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  OwningOpRef<ModuleOp> module;
  auto giveUp = [](void *, const char *, bool) { llvm::CrashRecoveryContext::GetCurrent()->HandleExit(1); };
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(giveUp);
  llvm::CrashRecoveryContext recovery;
  bool whole = recovery.RunSafely([&] { module = parseSourceFile<ModuleOp>(sources, ParserConfig(context)); });
  llvm::remove_fatal_error_handler();
  llvm::CrashRecoveryContext::Disable();
  if (!whole)
    (void)module.release();
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>> readSource(StringRef path, MLIRContext *context,
                                                 const llvm::StringMap<int64_t> &dims) {
  llvm::Expected<std::string> bytes = readFileBytes(path);
  if (!bytes)
    return bytes.takeError();
  FirstError errors(context);
  if (path.ends_with(".onnx")) {
    OnnxImportOptions options;
    options.dims = dims;
    if (OwningOpRef<ModuleOp> module = importOnnx(*bytes, context, options))
      return module;
    return llvm::createStringError(path + ": " + llvm::toString(errors.take("cannot be imported")));
  }

  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(*bytes, path), llvm::SMLoc());
  bool bytecode = isBytecode(llvm::MemoryBufferRef(*bytes, path));
  if (!bytecode)
    if (std::optional<size_t> line = findDeepNesting(*bytes))
      return llvm::createStringError(path + ":" + Twine(*line) + ":1: nested too deeply");
  if (OwningOpRef<ModuleOp> module = parse(sources, context, bytecode))
    return module;
  std::string message = llvm::toString(errors.take(bytecode ? "malformed bytecode" : "cannot be parsed"));
  return llvm::createStringError(StringRef(message).starts_with(path) ? message : (path + ": " + message).str());
}

} // namespace tiny
