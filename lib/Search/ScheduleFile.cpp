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
  return file;
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
  for (auto other : llvm::make_early_inc_range(module->getOps<transform::NamedSequenceOp>())) {
    bool isForName = !other->hasAttr(kernel::kKernelKeyAttr) && other.getSymName() == kernel.getSymName();
    bool isForKey =
        other->getAttr(kernel::kKernelKeyAttr) == kernelKey && other->getAttr(kernel::kRecordKeyAttr) == recordKey;
    if (isForName || isForKey)
      table.erase(other);
  }
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
  std::string text =
      "// Schedules that tiny-tune found by measuring. kernel-impose-schedules gives each to the kernels of "
      "its key.\n";
  llvm::raw_string_ostream stream(text);
  ModuleOp(*module).print(stream, OpPrintingFlags().useLocalScope());
  stream << "\n";
  return writeFileAtomically(path, text);
}

} // namespace tiny
