// From llvm.func to objects in memory: one part of the module's kernels after the other, on the context's threads.
#include "Tiny/Target/Cpu/Compile.h"
#include "Codegen.h"

#include "Tiny/Support/Actions.h"
#include "Tiny/Target/Cpu/Record.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace tiny::cpu {
namespace {

/// Kernels that are compiled to one object, on one thread.
struct Part {
  SmallVector<LLVM::LLVMFuncOp, 1> kernels;
  SmallVector<char, 0> object;
  std::string ir, assembly;
  /// What went wrong, with the kernel that it is about, or the whole part.
  std::string error, errorKernel;
};

/// In the module's order.
std::vector<Part> makeParts(ArrayRef<LLVM::LLVMFuncOp> kernels, bool together) {
  std::vector<Part> parts(together ? 1 : kernels.size());
  for (auto [index, kernel] : llvm::enumerate(kernels))
    parts[together ? 0 : index].kernels.push_back(kernel);
  return parts;
}

/// Largest first: what is begun last is short, so that no thread waits long for another.
std::vector<Part *> orderParts(std::vector<Part> &parts) {
  std::vector<std::pair<size_t, Part *>> sizes;
  for (Part &part : parts) {
    size_t nOps = 0;
    for (LLVM::LLVMFuncOp kernel : part.kernels)
      kernel->walk([&](Operation *) { ++nOps; });
    sizes.emplace_back(nOps, &part);
  }
  llvm::sort(sizes, [](const auto &a, const auto &b) {
    return std::tuple(b.first, a.second) < std::tuple(a.first, b.second);
  });
  std::vector<Part *> order;
  order.reserve(sizes.size());
  for (auto [nOps, part] : sizes)
    order.push_back(part);
  return order;
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

llvm::Error compilePart(Part &part, const Processor &processor, const CodeOptions &options) {
  OwningOpRef<ModuleOp> extracted = extractKernels(part.kernels);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(*extracted, context, "kernels");
  if (!module)
    return llvm::createStringError("translation to LLVM IR failed");
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(processor, options.optimization);
  setTarget(*module, *machine, processor);
  optimizeModule(*module, *machine, options.optimization);
  if (options.ir) {
    llvm::raw_string_ostream stream(part.ir);
    module->print(stream, /*AAW=*/nullptr);
  }
  if (options.assembly) {
    SmallVector<char, 0> text;
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    emitCode(*copy, *machine, llvm::CodeGenFileType::AssemblyFile, text);
    part.assembly.assign(text.begin(), text.end());
  }
  emitCode(*module, *machine, llvm::CodeGenFileType::ObjectFile, part.object);

  auto foreign = findForeignCalls({StringRef(part.object.data(), part.object.size()), "kernels"});
  if (!foreign)
    return foreign.takeError();
  if (foreign->empty())
    return llvm::Error::success();
  part.errorKernel = foreign->front().kernel;
  return llvm::createStringError("would call '" + foreign->front().symbol + "', and a CPU kernel calls nothing");
}

/// Says what went wrong in a part, at its kernel.
LogicalResult report(const Part &part) {
  for (LLVM::LLVMFuncOp kernel : part.kernels)
    if (kernel.getSymName() == part.errorKernel)
      return kernel.emitError("kernel '") << kernel.getSymName() << "' " << part.error;
  LLVM::LLVMFuncOp first = part.kernels.front();
  return first.emitError("kernel '") << first.getSymName() << "' cannot be compiled: " << part.error;
}

} // namespace

/// Whether the function has the shape of a kernel; reports what is wrong.
static LogicalResult checkKernel(LLVM::LLVMFuncOp op) {
  if (op.getNumArguments() != 2 || !llvm::all_of(op.getArgumentTypes(), llvm::IsaPred<LLVM::LLVMPointerType>))
    return op.emitError("kernel '") << op.getSymName() << "' does not have a CPU kernel's arguments";
  if (kernel::getEntry(op).getWorkgroup() != kernel::kSinglePoint || kernel::getEntry(op).getShared() != 0)
    return op.emitError("kernel '") << op.getSymName() << "' has a workgroup, which a CPU does not have";
  return success();
}

/// Whether the processor has the instructions that the function asks for by name: the code generator ends the process
/// where it has not. A record may state what its processor lacks.
static LogicalResult checkIntrinsics(LLVM::LLVMFuncOp op, const Processor &processor) {
  WalkResult walked = op.walk([&](LLVM::CallIntrinsicOp call) {
    StringRef name = call.getIntrin();
    if (!name.starts_with("llvm.x86."))
      return WalkResult::advance();
    auto type = dyn_cast<VectorType>(call.getResult(0).getType());
    bool isKnown = name.contains("vpdpbusd") ? processor.dot8 : processor.dot7;
    if (isKnown && type && type.getNumElements() * type.getElementTypeBitWidth() <= processor.vectorBits)
      return WalkResult::advance();
    call.emitError("processor '") << processor.name << "' does not have '" << name << "'";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

FailureOr<Objects> compileKernels(ModuleOp module, const CodeOptions &options) {
  Objects result;
  SmallVector<LLVM::LLVMFuncOp> ops;
  for (auto op : module.getOps<LLVM::LLVMFuncOp>()) {
    if (op.isExternal() || !kernel::getEntry(op))
      continue;
    if (failed(checkKernel(op)))
      return failure();
    ops.push_back(op);
    result.kernels.push_back({op.getSymName().str(), kernel::getEntry(op)});
  }
  if (ops.empty())
    return result;

  target::RecordAttr record = target::lookupRecord(module, kDeviceName);
  llvm::Expected<Processor> processor = record ? describeProcessor(record) : describeProcessor();
  if (!processor)
    return module.emitError(llvm::toString(processor.takeError()));
  for (LLVM::LLVMFuncOp op : ops)
    if (failed(checkIntrinsics(op, *processor)))
      return failure();
  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);

  std::vector<Part> parts = makeParts(ops, options.together);
  parallelForEach(context, orderParts(parts), [&](Part *part) {
    part->error = "was stopped";
    LLVM::LLVMFuncOp first = part->kernels.front();
    IRUnit unit(first);
    context->executeAction<KernelCodeAction>(
        [&] { part->error = llvm::toString(compilePart(*part, *processor, options)); }, unit, first.getSymName(),
        parts.size());
  });
  for (const Part &part : parts) {
    if (options.ir)
      *options.ir << part.ir;
    if (options.assembly)
      *options.assembly << part.assembly;
    if (!part.error.empty())
      return report(part);
    result.objects.emplace_back(part.object.begin(), part.object.end());
  }
  return result;
}

} // namespace tiny::cpu
