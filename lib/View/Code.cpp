// Sets of tags go through LLVM as line numbers of debug information, and come back in the assembly's directives.
#include "Code.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace mlir;
namespace json = llvm::json;

namespace tiny::view {

const Target *guessTarget(ModuleOp module) {
  StringRef name;
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "emitc")
      name = "c";
    else if (dialect == "spirv")
      name = "vulkan";
    else if (dialect == "nvvm" || op->hasAttr("nvvm.kernel"))
      name = "cuda";
    return name.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  llvm::Expected<const Target *> target = findTarget(name);
  if (target)
    return *target;
  llvm::consumeError(target.takeError());
  return nullptr;
}

/// A copy in which the line of each operation is the number of its set of tags, from 1; null where there is nothing at
/// LLVM's level.
static OwningOpRef<ModuleOp> numberLines(ModuleOp module, TagSets &tags) {
  if (module.getOps<LLVM::LLVMFuncOp>().empty())
    return nullptr;
  OwningOpRef<ModuleOp> copy = module.clone();
  auto name = StringAttr::get(module.getContext(), "view");
  copy->walk([&](Operation *op) { op->setLoc(FileLineColLoc::get(name, tags.add(op->getLoc()) + 1, 1)); });
  PassManager manager(module.getContext());
  manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  return succeeded(manager.run(*copy)) ? std::move(copy) : nullptr;
}

namespace {

/// Text without what debug information adds to it, and flat lists of line and set of tags: from that line on.
class PlacedText {
public:
  void add(StringRef text) {
    last = -1;
    isDebug = false;
    for (StringRef next : llvm::split(text.rtrim('\n'), '\n'))
      addLine(next);
  }

  json::Object take(StringRef form) {
    return json::Object{{"form", form}, {"text", json::fixUTF8(kept)}, {"places", std::move(places)}};
  }

private:
  void addLine(StringRef next) {
    StringRef trimmed = next.trim();
    if (trimmed.starts_with(".section"))
      isDebug = trimmed.contains(".debug_");
    else if (trimmed == ".text")
      isDebug = false;
    if (trimmed.starts_with(".loc"))
      return setPlace(trimmed.drop_front(StringRef(".loc").size()).trim());
    bool isLabel = trimmed.starts_with(".Ltmp") || trimmed.starts_with(".Lfunc_begin");
    if (isDebug || trimmed.starts_with(".file") || trimmed.starts_with(".cfi_") || (isLabel && trimmed.ends_with(":")))
      return;
    kept += next;
    kept += '\n';
    ++line;
  }

  /// FILE LINE COLUMN ...
  void setPlace(StringRef place) {
    int64_t set;
    if (place.split(' ').second.split(' ').first.getAsInteger(10, set) || set < 1 || set - 1 == last)
      return;
    last = set - 1;
    // Of two for one line the later one counts.
    if (places.size() >= 2 && places[places.size() - 2].getAsInteger() == line) {
      places.pop_back();
      places.pop_back();
    }
    places.push_back(line);
    places.push_back(last);
  }

  std::string kept;
  json::Array places;
  int64_t line = 0, last = -1;
  bool isDebug = false;
};

} // namespace

/// The text of each kernel in a form, one after the other, and how long each took.
static FailureOr<json::Object> printKernels(ModuleOp module, const Target &target, StringRef form) {
  using Clock = std::chrono::steady_clock;
  PlacedText text;
  json::Object seconds;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (kernel.isExternal())
      continue;
    OwningOpRef<ModuleOp> alone(ModuleOp::create(module.getLoc()));
    // The device's record among them.
    (*alone)->setAttrs(module->getAttrDictionary());
    OpBuilder builder = OpBuilder::atBlockBegin(alone->getBody());
    for (Operation &other : *module.getBody())
      if (&other == kernel || !isa<LLVM::LLVMFuncOp>(other) || cast<LLVM::LLVMFuncOp>(other).isExternal())
        builder.clone(other);
    Clock::time_point begin = Clock::now();
    FailureOr<std::string> printed = target.print(*alone, form, {});
    if (failed(printed))
      return failure();
    seconds[json::fixUTF8(kernel.getSymName())] = std::chrono::duration<double>(Clock::now() - begin).count();
    text.add(*printed);
  }
  json::Object code = text.take(form);
  code["seconds"] = std::move(seconds);
  return code;
}

json::Array describeCode(ModuleOp module, const Target &target, TagSets &tags) {
  json::Array all;
  // A form that fails has no text; what is wrong with it is said where somebody asks for it.
  ScopedDiagnosticHandler silence(module.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> numbered = target.getForms().empty() ? nullptr : numberLines(module, tags);
  for (const TargetForm &form : target.getForms())
    // The level itself is as near to LLVM IR.
    if (numbered && form.isText && form.name != "llvm-ir")
      if (FailureOr<json::Object> code = printKernels(*numbered, target, form.name); succeeded(code))
        all.push_back(std::move(*code));
  if (target.getOutput() != Target::Output::Source)
    return all;
  if (FailureOr<TargetOutput> output = target.serialize(module, {}); succeeded(output))
    // The others are headers and constants. SPIR-V is words: its level is its text.
    if (const OutputFile &file = output->files.front(); !StringRef(file.content).contains('\0'))
      all.push_back(json::Object{{"form", file.name}, {"text", json::fixUTF8(file.content)}});
  return all;
}

} // namespace tiny::view
