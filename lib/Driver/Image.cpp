// Writes an executable as MLIR bytecode and reads it back.
#include "Image.h"

#include "Tiny/Driver/Source.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tiny {

/// On an image's module: an array of `array<i8>`, an ELF file each.
static constexpr StringLiteral kObjectsAttr = "tiny.objects";
/// On an image's kernel, where it was counted: `array<i64: bytes, operations>`.
static constexpr StringLiteral kWorkAttr = "tiny.work";

std::string writeImage(kernel::ProgramOp program, ArrayRef<std::string> objects,
                       const llvm::StringMap<KernelWork> &work) {
  OpBuilder builder(program.getContext());
  OwningOpRef<ModuleOp> image(ModuleOp::create(builder.getUnknownLoc()));
  builder.setInsertionPointToStart(image->getBody());
  builder.clone(*program);
  auto module = program->getParentOfType<ModuleOp>();
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    Operation *declared = builder.insert(kernel->cloneWithoutRegions());
    if (auto found = work.find(kernel.getSymName()); found != work.end())
      declared->setAttr(
          kWorkAttr, builder.getDenseI64ArrayAttr({int64_t(found->second.bytes), int64_t(found->second.operations)}));
  }
  SmallVector<Attribute> parts;
  for (StringRef object : objects)
    parts.push_back(
        builder.getDenseI8ArrayAttr(ArrayRef(reinterpret_cast<const int8_t *>(object.data()), object.size())));
  (*image)->setAttr(kObjectsAttr, builder.getArrayAttr(parts));
  // Where things came from is of no use to a run.
  image->walk([&](Operation *op) { op->setLoc(builder.getUnknownLoc()); });
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(*image, stream)))
    return "";
  return bytes;
}

llvm::Expected<OwningOpRef<ModuleOp>> readImage(std::unique_ptr<llvm::MemoryBuffer> bytes, MLIRContext *context) {
  FirstError errors(context);
  if (!isBytecode(*bytes))
    return llvm::createStringError("no bytecode");
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(bytes), llvm::SMLoc());
  Block block;
  ParserConfig config(context, /*verifyAfterParse=*/false);
  if (failed(readBytecodeFile(sources, &block, config)) || !llvm::hasSingleElement(block) ||
      !isa<ModuleOp>(block.front()))
    return errors.take("not one module");
  auto module = cast<ModuleOp>(block.front());
  module->remove();
  return OwningOpRef<ModuleOp>(module);
}

std::vector<std::string> getObjects(ModuleOp image) {
  std::vector<std::string> objects;
  if (auto parts = image->getAttrOfType<ArrayAttr>(kObjectsAttr))
    for (auto part : parts.getAsRange<DenseI8ArrayAttr>())
      objects.emplace_back(reinterpret_cast<const char *>(part.asArrayRef().data()), part.size());
  return objects;
}

llvm::StringMap<KernelWork> getKernelWork(ModuleOp image) {
  llvm::StringMap<KernelWork> work;
  for (auto kernel : image.getOps<LLVM::LLVMFuncOp>())
    if (auto counts = kernel->getAttrOfType<DenseI64ArrayAttr>(kWorkAttr); counts && counts.size() == 2)
      work[kernel.getSymName()] = {uint64_t(counts[0]), uint64_t(counts[1])};
  return work;
}

} // namespace tiny
