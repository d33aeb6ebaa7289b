// Parses MLIR from files that may be damaged: refuses deep nesting, and turns a reader's fault into an error.
#include "Tiny/Support/SafeParse.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <pthread.h>
#include <sys/mman.h>

using namespace mlir;

namespace tiny {

std::optional<size_t> findDeepNesting(StringRef text) {
  constexpr size_t kDeepest = 1000;
  size_t depth = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
    } else if (c == '"') {
      // A string ends at its quote, or at the end of the line, where the parser reports it.
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
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

/// Whether `parse` came back.
static bool survives(llvm::function_ref<void()> parse) {
  auto giveUp = [](void *, const char *, bool) { llvm::CrashRecoveryContext::GetCurrent()->HandleExit(1); };
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(giveUp);
  llvm::CrashRecoveryContext recovery;
  bool whole = recovery.RunSafely(parse);
  llvm::remove_fatal_error_handler();
  llvm::CrashRecoveryContext::Disable();
  return whole;
}

static std::string describeNesting(StringRef path, size_t line) {
  return (path + ":" + Twine(line) + ":1: nested too deeply").str();
}

OwningOpRef<ModuleOp> parseSafely(StringRef bytes, StringRef path, MLIRContext *context, std::string &error) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(bytes, path), llvm::SMLoc());
  auto parse = [&] { return parseSourceFile<ModuleOp>(sources, ParserConfig(context)); };
  if (!isBytecode(llvm::MemoryBufferRef(bytes, path))) {
    if (std::optional<size_t> line = findDeepNesting(bytes)) {
      error = describeNesting(path, *line);
      return nullptr;
    }
    return parse();
  }
  OwningOpRef<ModuleOp> module;
  if (!survives([&] { module = parse(); })) {
    (void)module.release();
    error = (path + ": malformed bytecode").str();
  }
  return module;
}

llvm::Error checkReadable(StringRef path, const DialectRegistry &registry) {
  if (!llvm::sys::fs::is_regular_file(path))
    return llvm::Error::success();
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::Error::success();
  StringRef bytes = (*file)->getBuffer();
  if (!isBytecode(**file)) {
    // A file with a zero byte is no text. It may be a model for another reader.
    if (bytes.contains('\0'))
      return llvm::Error::success();
    std::optional<size_t> line = findDeepNesting(bytes);
    return line ? llvm::createStringError(describeNesting(path, *line)) : llvm::Error::success();
  }
  // Kept where the reader faults: it may be in any state.
  auto context = std::make_unique<MLIRContext>(registry);
  context->allowUnregisteredDialects();
  ScopedDiagnosticHandler silence(context.get(), [](Diagnostic &) { return success(); });
  std::string error;
  parseSafely(bytes, path, context.get(), error);
  if (error.empty())
    return llvm::Error::success();
  (void)context.release();
  return llvm::createStringError(error);
}

bool checkReadableArguments(int argc, char **argv, const DialectRegistry &registry) {
  for (int i = 1; i < argc; ++i) {
    if (StringRef(argv[i]).starts_with("-") || StringRef(argv[i - 1]) == "-o")
      continue;
    if (llvm::Error error = checkReadable(argv[i], registry)) {
      llvm::errs() << llvm::sys::path::filename(argv[0]) << ": error: " << llvm::toString(std::move(error)) << "\n";
      return false;
    }
  }
  return true;
}

void runOnLargeStack(llvm::function_ref<void()> body) {
  // A bracket takes some 1.5 KiB in the parser, so this is enough for ten million.
  constexpr size_t kSize = size_t(1) << 34;
  void *stack = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                     /*fd=*/-1, /*offset=*/0);
  auto run = [](void *body) -> void * {
    (*static_cast<llvm::function_ref<void()> *>(body))();
    return nullptr;
  };
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack == MAP_FAILED || pthread_attr_setstack(&attributes, stack, kSize) ||
      pthread_create(&thread, &attributes, run, &body))
    body();
  else
    pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (stack != MAP_FAILED)
    munmap(stack, kSize);
}

} // namespace tiny
