// Reads, changes and writes files of schedules.
// NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ScheduleFile.h"

#include "KernelProgram.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Schedule/Steps/ScheduleKey.h"
#include "Tiny/Support/Npy.h"
#include "Tiny/Support/ScriptFile.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tiny {

llvm::Expected<ScheduleFile> ScheduleFile::open(StringRef path, MLIRContext *context) {
  context->loadDialect<transform::TransformDialect>();
  ScheduleFile file;
  file.path = path.str();
  OpBuilder builder(context);
  file.module = ModuleOp::create(builder, builder.getUnknownLoc());
  if (llvm::sys::fs::exists(path)) {
    FirstError errors(context);
    OwningOpRef<ModuleOp> read = readScripts(*file.module, "schedules", path);
    if (!read)
      return errors.take("'" + path + "' cannot be read");
    file.module = std::move(read);
  }
  (*file.module)->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName, builder.getUnitAttr());
  file.opened = file.module->clone();
  return file;
}

/// The scripts of a file that are for such a kernel on its record, or for its name.
static SmallVector<transform::NamedSequenceOp> findScripts(ModuleOp module, kernel::FuncOp kernel) {
  std::string kernelKey = kernel::getKernelKey(kernel), recordKey = kernel::getRecordKey(kernel);
  auto has = [](Operation *script, StringRef name, StringRef key) {
    auto attribute = script->getAttrOfType<StringAttr>(name);
    return attribute && attribute.getValue() == key;
  };
  return llvm::filter_to_vector(module.getOps<transform::NamedSequenceOp>(), [&](transform::NamedSequenceOp script) {
    if (!script->hasAttr(kernel::kKernelKeyAttr))
      return script.getSymName() == kernel.getSymName();
    return has(script, kernel::kKernelKeyAttr, kernelKey) && has(script, kernel::kRecordKeyAttr, recordKey);
  });
}

void ScheduleFile::drop(kernel::FuncOp kernel) {
  SymbolTable table(*module);
  for (transform::NamedSequenceOp script : findScripts(*module, kernel))
    table.erase(script);
  for (transform::NamedSequenceOp script : findScripts(*opened, kernel))
    table.insert(script.clone());
}

void ScheduleFile::set(kernel::FuncOp kernel, ArrayRef<kernel::ScheduleStep> steps, const ScheduleNumbers &numbers) {
  transform::NamedSequenceOp script = writeScript(kernel, steps);
  assert(script && "the kernel took the steps before");
  Builder builder(kernel.getContext());
  auto kernelKey = builder.getStringAttr(kernel::getKernelKey(kernel));
  auto recordKey = builder.getStringAttr(kernel::getRecordKey(kernel));
  script->setAttr(kernel::kKernelKeyAttr, kernelKey);
  script->setAttr(kernel::kRecordKeyAttr, recordKey);
  script->setAttr("default_ns", builder.getI64IntegerAttr(numbers.defaultNanoseconds));
  script->setAttr("measured_ns", builder.getI64IntegerAttr(numbers.nanoseconds));
  script->setAttr("threads", builder.getI64IntegerAttr(numbers.threads));
  SymbolTable table(*module);
  for (transform::NamedSequenceOp other : findScripts(*module, kernel))
    table.erase(other);
  // Inserting renames it where a script for another kernel has the name.
  table.insert(script);
}

llvm::Error ScheduleFile::checkWritable() const {
  llvm::SmallString<128> folder(path);
  llvm::sys::path::remove_filename(folder);
  std::error_code error =
      llvm::sys::fs::access(folder.empty() ? StringRef(".") : StringRef(folder), llvm::sys::fs::AccessMode::Write);
  if (error)
    return llvm::createStringError("cannot write '" + path + "': " + error.message());
  if (llvm::sys::fs::is_directory(path))
    return llvm::createStringError("cannot write '" + path + "': it is a folder");
  return llvm::Error::success();
}

llvm::Error ScheduleFile::write() const {
  if (ModuleOp(*module).getOps<transform::NamedSequenceOp>().empty()) {
    if (std::error_code error = llvm::sys::fs::remove(path))
      return llvm::createStringError("cannot remove '" + path + "': " + error.message());
    return llvm::Error::success();
  }
  std::string text =
      "// Schedules that tiny-tune found by measuring. kernel-impose-schedules gives each to the kernels of "
      "its key.\n";
  llvm::raw_string_ostream stream(text);
  ModuleOp(*module).print(stream, OpPrintingFlags().useLocalScope());
  stream << "\n";
  return writeFileAtomically(path, text);
}

} // namespace tiny
