#include "Tiny/Target/Cpu/Jit.h"
#include "Codegen.h"

#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace tiny::cpu {

struct Jit::Code {
  std::unique_ptr<llvm::orc::LLJIT> lljit;
};

Jit::Jit() = default;
Jit::~Jit() = default;

namespace {

/// Kernels that are compiled together, on one thread.
struct Batch {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  size_t nOps = 0;
  SmallVector<char, 0> object;
  std::string ir, assembly;
  /// What went wrong, with the kernel that it is about, or the whole batch.
  std::string error, errorKernel;
};

/// Largest first, each to the batch that has least: deterministic, and nearly even. A batch keeps the module's order.
std::vector<Batch> makeBatches(ArrayRef<LLVM::LLVMFuncOp> kernels, size_t nBatches) {
  SmallVector<std::pair<size_t, size_t>> sizes;
  for (size_t index = 0; index < kernels.size(); ++index) {
    size_t nOps = 0;
    Operation *kernel = kernels[index];
    kernel->walk([&](Operation *) { ++nOps; });
    sizes.emplace_back(nOps, index);
  }
  llvm::sort(sizes,
             [](const auto &a, const auto &b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<Batch> batches(std::min(nBatches, kernels.size()));
  std::vector<size_t> owner(kernels.size());
  for (auto [nOps, index] : sizes) {
    Batch &least = *std::min_element(batches.begin(), batches.end(),
                                     [](const Batch &a, const Batch &b) { return a.nOps < b.nOps; });
    least.nOps += nOps;
    owner[index] = &least - batches.data();
  }
  for (size_t index = 0; index < kernels.size(); ++index)
    batches[owner[index]].kernels.push_back(kernels[index]);
  return batches;
}

/// Copies the kernels into a module of their own, which has nothing but what LLVM can translate.
OwningOpRef<ModuleOp> extractKernels(ArrayRef<LLVM::LLVMFuncOp> kernels) {
  Operation *first = kernels.front();
  OwningOpRef<ModuleOp> extracted(ModuleOp::create(UnknownLoc::get(first->getContext())));
  OpBuilder builder = OpBuilder::atBlockBegin(extracted->getBody());
  for (LLVM::LLVMFuncOp kernel : kernels)
    builder.clone(*kernel);
  return extracted;
}

llvm::Error compileBatch(Batch &batch, const Processor &processor, const JitOptions &options) {
  OwningOpRef<ModuleOp> extracted = extractKernels(batch.kernels);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(*extracted, context, "kernels");
  if (!module)
    return llvm::createStringError("translation to LLVM IR failed");
  auto machine = createTargetMachine(processor, options.optimization);
  if (!machine)
    return machine.takeError();
  setTarget(*module, **machine, processor);
  optimizeModule(*module, **machine, options.optimization);
  if (options.ir) {
    llvm::raw_string_ostream stream(batch.ir);
    module->print(stream, /*AAW=*/nullptr);
  }
  if (options.assembly) {
    SmallVector<char, 0> text;
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    if (llvm::Error error = emitCode(*copy, **machine, llvm::CodeGenFileType::AssemblyFile, text))
      return error;
    batch.assembly.assign(text.begin(), text.end());
  }
  if (llvm::Error error = emitCode(*module, **machine, llvm::CodeGenFileType::ObjectFile, batch.object))
    return error;

  auto foreign = findForeignCalls({StringRef(batch.object.data(), batch.object.size()), "kernels"});
  if (!foreign)
    return foreign.takeError();
  if (foreign->empty())
    return llvm::Error::success();
  batch.errorKernel = foreign->front().kernel;
  return llvm::createStringError("would call '" + foreign->front().symbol + "', and a CPU kernel calls nothing");
}

/// Says what went wrong in a batch, at its kernel.
LogicalResult report(const Batch &batch) {
  for (LLVM::LLVMFuncOp kernel : batch.kernels)
    if (kernel.getSymName() == batch.errorKernel)
      return kernel.emitError("kernel '") << kernel.getSymName() << "' " << batch.error;
  LLVM::LLVMFuncOp first = batch.kernels.front();
  return first.emitError("kernel '") << first.getSymName() << "' cannot be compiled: " << batch.error;
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> createLinker() {
  // No platform and no symbols of the process: an object refers to nothing outside itself.
  return llvm::orc::LLJITBuilder()
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
      .setLinkProcessSymbolsByDefault(false)
      .create();
}

llvm::Error link(llvm::orc::LLJIT &linker, ArrayRef<Batch> batches, std::vector<JitKernel> &kernels) {
  for (const Batch &batch : batches)
    if (llvm::Error error = linker.addObjectFile(
            llvm::MemoryBuffer::getMemBufferCopy(StringRef(batch.object.data(), batch.object.size()), "kernels")))
      return error;
  for (JitKernel &kernel : kernels) {
    llvm::Expected<llvm::orc::ExecutorAddr> address = linker.lookup(kernel.name);
    if (!address)
      return address.takeError();
    kernel.function = address->toPtr<tiny_cpu_kernel>();
  }
  return llvm::Error::success();
}

} // namespace

JitKernel cpu::describeKernel(LLVM::LLVMFuncOp op) {
  JitKernel kernel;
  kernel.name = op.getSymName().str();
  kernel.inPlace = op->hasAttr(kInPlaceAttr);
  if (auto scratch = op->getAttrOfType<IntegerAttr>(kScratchAttr))
    kernel.scratchBytes = scratch.getInt();
  ArrayRef<int64_t> grid = op->getAttrOfType<DenseI64ArrayAttr>(kGridAttr).asArrayRef();
  llvm::copy(grid.take_front(3), kernel.grid.begin());
  return kernel;
}

FailureOr<std::unique_ptr<Jit>> Jit::compile(ModuleOp module, const JitOptions &options) {
  std::unique_ptr<Jit> jit(new Jit);
  SmallVector<LLVM::LLVMFuncOp> ops;
  for (auto op : module.getOps<LLVM::LLVMFuncOp>()) {
    auto grid = op->getAttrOfType<DenseI64ArrayAttr>(kGridAttr);
    if (op.isExternal() || !grid)
      continue;
    if (grid.size() != 3 || llvm::any_of(grid.asArrayRef(), [](int64_t extent) { return extent < 0; }) ||
        op.getNumArguments() != 2 || !llvm::all_of(op.getArgumentTypes(), llvm::IsaPred<LLVM::LLVMPointerType>))
      return op.emitError("kernel '") << op.getSymName() << "' does not have a CPU kernel's arguments and grid";
    ops.push_back(op);
    jit->kernels.push_back(describeKernel(op));
  }
  if (ops.empty())
    return jit;
  auto fail = [&](llvm::Error error) { return module.emitError(llvm::toString(std::move(error))); };

  llvm::Expected<Processor> processor = describeProcessor(options.processor);
  if (!processor)
    return fail(processor.takeError());
  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);

  size_t nThreads = options.threads                      ? options.threads
                    : context->isMultithreadingEnabled() ? context->getThreadPool().getMaxConcurrency()
                                                         : 1;
  std::vector<Batch> batches = makeBatches(ops, nThreads);
  parallelForEach(context, batches, [&](Batch &batch) {
    if (llvm::Error error = compileBatch(batch, *processor, options))
      batch.error = llvm::toString(std::move(error));
  });
  for (const Batch &batch : batches) {
    if (options.ir)
      *options.ir << batch.ir;
    if (options.assembly)
      *options.assembly << batch.assembly;
    if (options.object)
      options.object->write(batch.object.data(), batch.object.size());
    if (!batch.error.empty())
      return report(batch);
  }

  auto linker = createLinker();
  if (!linker)
    return fail(linker.takeError());
  jit->code = std::make_unique<Code>(Code{std::move(*linker)});
  if (llvm::Error error = link(*jit->code->lljit, batches, jit->kernels))
    return fail(std::move(error));
  return jit;
}

const JitKernel *Jit::lookup(StringRef name) const {
  auto it = llvm::find_if(kernels, [&](const JitKernel &kernel) { return kernel.name == name; });
  return it == kernels.end() ? nullptr : &*it;
}

} // namespace tiny::cpu
