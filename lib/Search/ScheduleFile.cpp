// Reads, changes and writes files of schedules.
// NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ScheduleFile.h"

#include "KernelProgram.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/Tensor/Winograd.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Schedule/Steps/ScheduleKey.h"
#include "Tiny/Support/Npy.h"
#include "Tiny/Support/ScriptFile.h"
#include "Tiny/Transforms/Tensor/TensorTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
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

/// The scripts that have this key, on the record of `device` or on any. One without a key is for the kernel of its
/// name.
static SmallVector<transform::NamedSequenceOp> findScripts(ModuleOp module, StringRef keyName, StringRef key,
                                                           Operation *device, StringRef kernel = "") {
  std::string recordKey = target::getRecordKey(device);
  auto has = [](Operation *script, StringRef name, StringRef key) {
    auto attribute = script->getAttrOfType<StringAttr>(name);
    return attribute && attribute.getValue() == key;
  };
  return llvm::filter_to_vector(module.getOps<transform::NamedSequenceOp>(), [&](transform::NamedSequenceOp script) {
    if (!script->hasAttr(kKernelKeyAttr) && !script->hasAttr(kConvKeyAttr))
      return script.getSymName() == kernel;
    return has(script, keyName, key) && (!script->hasAttr(kRecordKeyAttr) || has(script, kRecordKeyAttr, recordKey));
  });
}

static SmallVector<transform::NamedSequenceOp> findScripts(ModuleOp module, kernel::FuncOp kernel) {
  return findScripts(module, kKernelKeyAttr, kernel::getKernelKey(kernel), kernel, kernel.getSymName());
}

static SmallVector<transform::NamedSequenceOp> findScripts(ModuleOp module, tensor::ConvOp conv) {
  return findScripts(module, kConvKeyAttr, tensor::getConvKey(conv), conv);
}

void ScheduleFile::drop(kernel::FuncOp kernel) {
  SymbolTable table(*module);
  for (transform::NamedSequenceOp script : findScripts(*module, kernel))
    table.erase(script);
  for (transform::NamedSequenceOp script : findScripts(*opened, kernel))
    table.insert(script.clone());
}

/// Adds the script with what it is for. It gets another name where a script for something else has its own.
void ScheduleFile::insert(transform::NamedSequenceOp script, StringRef keyName, StringRef key, Operation *device,
                          const ScheduleNumbers &numbers) {
  Builder builder(script.getContext());
  script->setAttr(keyName, builder.getStringAttr(key));
  script->setAttr(kRecordKeyAttr, builder.getStringAttr(target::getRecordKey(device)));
  script->setAttr("default_ns", builder.getI64IntegerAttr(numbers.defaultNanoseconds));
  script->setAttr("measured_ns", builder.getI64IntegerAttr(numbers.nanoseconds));
  script->setAttr("threads", builder.getI64IntegerAttr(numbers.threads));
  SymbolTable(*module).insert(script);
}

void ScheduleFile::set(kernel::FuncOp kernel, ArrayRef<kernel::ScheduleStep> steps, const ScheduleNumbers &numbers) {
  transform::NamedSequenceOp script = writeScript(kernel, steps);
  assert(script && "the kernel took the steps before");
  for (transform::NamedSequenceOp other : findScripts(*module, kernel))
    other.erase();
  insert(script, kKernelKeyAttr, kernel::getKernelKey(kernel), kernel, numbers);
}

void ScheduleFile::setWinograd(tensor::ConvOp conv, ArrayRef<int64_t> tiles, const ScheduleNumbers &numbers) {
  for (transform::NamedSequenceOp other : findScripts(*module, conv))
    other.erase();
  OpBuilder builder(conv.getContext());
  auto type = transform::AnyOpType::get(conv.getContext());
  auto script = transform::NamedSequenceOp::create(
      builder, conv.getLoc(), "winograd", TypeAttr::get(builder.getFunctionType({type}, {})),
      /*sym_visibility=*/nullptr,
      builder.getArrayAttr(builder.getDictionaryAttr(
          builder.getNamedAttr(transform::TransformDialect::kArgReadOnlyAttrName, builder.getUnitAttr()))),
      /*res_attrs=*/nullptr);
  builder.createBlock(&script.getBody(), {}, {type}, {conv.getLoc()});
  tensor::TransformWinogradOp::create(builder, conv.getLoc(), script.getBody().getArgument(0), tiles);
  transform::YieldOp::create(builder, conv.getLoc());
  insert(script, kConvKeyAttr, tensor::getConvKey(conv), conv, numbers);
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
      "// Schedules that tiny-tune found by measuring. kernel-impose-schedules gives each to the kernels of its key,\n"
      "// tensor-impose-winograd to the convolutions.\n";
  llvm::raw_string_ostream stream(text);
  ModuleOp(*module).print(stream, OpPrintingFlags().useLocalScope());
  stream << "\n";
  return writeFileAtomically(path, text);
}

} // namespace tiny
