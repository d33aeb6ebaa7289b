// From llvm.func to PTX, by LLVM's own code generator for it: no part of CUDA is needed.
#include "Cuda.h"
#include "MergePhis.h"
#include "Registers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include <mutex>

using namespace mlir;

namespace tiny::cuda {

static std::unique_ptr<llvm::TargetMachine> createMachine(StringRef architecture, StringRef features,
                                                          unsigned optimization) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  assert(target && "LLVM is built with NVPTX");
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, architecture, features, llvm::TargetOptions(), std::nullopt, std::nullopt,
                                  optimization ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None));
}

/// PTX has letters, digits and underscores in names, and keeps two for itself.
static bool isPtxName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) && name != "_" && name != "WARP_SZ" &&
         llvm::all_of(name, [](char letter) { return llvm::isAlnum(letter) || letter == '_'; });
}

/// Gives names that PTX can have, each once. `symbols` says what became of those that changed.
static void renameSymbols(llvm::Module &module, llvm::StringMap<std::string> *symbols) {
  llvm::StringSet<> taken;
  for (llvm::GlobalValue &value : module.global_values())
    taken.insert(value.getName());
  for (llvm::GlobalValue &value : module.global_values()) {
    if (isPtxName(value.getName()) || value.getName().starts_with("llvm."))
      continue;
    std::string base = "k_" + value.getName().str();
    for (char &letter : base)
      letter = llvm::isAlnum(letter) ? letter : '_';
    std::string name = base;
    for (unsigned number = 2; !taken.insert(name).second; ++number)
      name = base + "_" + std::to_string(number);
    if (symbols)
      (*symbols)[value.getName()] = name;
    value.setName(name);
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  // No function is known: nothing is turned into a call.
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerScalarOptimizerLateEPCallback([](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(MergePhisPass());
    passes.addPass(llvm::EarlyCSEPass());
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

/// Of products of f8, which are calls: the type of the factors.
static std::optional<cost::ElementType> getSmallFactors(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  if (!call || !call.getIntrin().starts_with("llvm.nvvm.mma."))
    return std::nullopt;
  return call.getIntrin().contains("e4m3") ? cost::ElementType::F8E4M3FN : cost::ElementType::F8E5M2;
}

/// What products of matrices need of PTX beyond the architecture's first version; all of them are the architecture's.
/// Reports those that are not.
static FailureOr<StringRef> findMatrixFeatures(ModuleOp module, const cost::Machine &machine, StringRef architecture) {
  bool uses = false, usesSmall = false;
  WalkResult walked = module.walk([&](Operation *op) {
    uses |= isa<NVVM::LdMatrixOp>(op);
    if (std::optional<cost::ElementType> small = getSmallFactors(op)) {
      usesSmall = true;
      if (llvm::any_of(machine.matrices,
                       [&](const cost::MatrixShape &known) { return known.m && known.input == small; }))
        return WalkResult::advance();
      op->emitError("multiplies f8, which ") << architecture << " does not";
      return WalkResult::interrupt();
    }
    auto mma = dyn_cast<NVVM::MmaOp>(op);
    if (!mma)
      return WalkResult::advance();
    uses = true;
    NVVM::MMAShapeAttr shape = mma.getShape();
    auto type = mma.getMultiplicandAPtxType();
    auto input = type == NVVM::MMATypes::f16    ? std::optional(cost::ElementType::F16)
                 : type == NVVM::MMATypes::bf16 ? std::optional(cost::ElementType::BF16)
                 : type == NVVM::MMATypes::tf32 ? std::optional(cost::ElementType::F32)
                 : type == NVVM::MMATypes::s8   ? std::optional(cost::ElementType::I8)
                                                : std::nullopt;
    for (const cost::MatrixShape &known : machine.matrices)
      if (known.m == shape.getM() && known.n == shape.getN() && known.k == shape.getK() && known.input == input)
        return WalkResult::advance();
    mma.emitError("is of ") << shape.getM() << "x" << shape.getN() << "x" << shape.getK() << " elements of a type that "
                            << architecture << " does not multiply so";
    return WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return failure();
  bool needsLater = usesSmall && architecture.starts_with("sm_90");
  return StringRef(needsLater ? "+ptx84" : uses && architecture == "sm_75" ? "+ptx65" : "");
}

FailureOr<std::string> writePtx(ModuleOp module, StringRef architecture, unsigned optimization,
                                llvm::StringMap<std::string> *symbols) {
  llvm::Expected<cost::Machine> described = describeMachine(architecture);
  if (!described)
    return module.emitError(llvm::toString(described.takeError()));
  MLIRContext *context = module.getContext();
  // A module of their own, which has nothing but what LLVM can translate.
  OwningOpRef<ModuleOp> extracted(ModuleOp::create(module.getLoc()));
  OpBuilder copier = OpBuilder::atBlockBegin(extracted->getBody());
  bool hasKernel = false;
  for (Operation &op : module.getOps()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    bool isKernel = function && kernel::getEntry(function);
    if (isKernel && !function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      return function.emitError("kernel '")
             << function.getSymName() << "' is no CUDA kernel; convert-uop-to-nvvm makes one";
    if (isKernel || isa<LLVM::GlobalOp>(op))
      copier.clone(op);
    hasKernel |= isKernel;
  }
  if (!hasKernel)
    return module.emitError("has no kernel at the llvm level; convert-uop-to-nvvm makes them");
  FailureOr<StringRef> features = findMatrixFeatures(*extracted, *described, architecture);
  if (failed(features))
    return failure();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  registerNVVMDialectTranslation(*context);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*extracted, llvmContext, "kernels");
  if (!translated)
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(architecture, *features, optimization);
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  llvm::DenseMap<llvm::Function *, int64_t> depths;
  for (auto function : extracted->getOps<LLVM::LLVMFuncOp>())
    depths[translated->getFunction(function.getSymName())] = kernel::getEntry(function).getGrid()[2];
  renameSymbols(*translated, symbols);
  if (optimization > 0) {
    llvm::for_each(*translated, keepProductLoops);
    optimize(*translated, *machine);
    for (llvm::Function &function : *translated) {
      sinkToStores(function);
      keepProductLoops(function);
      saveRegisters(function, depths.lookup(&function));
    }
  }

  SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  [[maybe_unused]] bool failed =
      machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, llvm::CodeGenFileType::AssemblyFile);
  assert(!failed && "the code generator writes text");
  passes.run(*translated);
  return std::string(text.begin(), text.end());
}

} // namespace tiny::cuda
