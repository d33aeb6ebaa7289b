// Which processor, and what LLVM must be told of it.
#include "Codegen.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <mutex>

using namespace llvm;

namespace tiny::cpu {

static Error initializeNativeTarget() {
  static std::once_flag once;
  static bool failed = false;
  std::call_once(once, [] { failed = InitializeNativeTarget() || InitializeNativeTargetAsmPrinter(); });
  return failed ? createStringError("LLVM was built without this machine's target") : Error::success();
}

static const Target *lookupTarget(const Triple &triple, std::string &error) {
  return TargetRegistry::lookupTarget(triple, error);
}

/// Asks the subtarget: a processor's name implies features that its string does not list.
static unsigned getVectorBits(const MCSubtargetInfo &subtarget, const Triple &triple) {
  if (!triple.isX86())
    return 128;
  if (subtarget.checkFeatures("+avx512f"))
    return 512;
  return subtarget.checkFeatures("+avx") ? 256 : 128;
}

// The other architectures that we are compiled for have these in their base.
static bool hasF16(const MCSubtargetInfo &subtarget, const Triple &triple) {
  return !triple.isX86() || subtarget.checkFeatures("+f16c");
}
static bool hasRounding(const MCSubtargetInfo &subtarget, const Triple &triple) {
  return !triple.isX86() || subtarget.checkFeatures("+sse4.1");
}
static bool hasFma(const MCSubtargetInfo &subtarget, const Triple &triple) {
  return !triple.isX86() || subtarget.checkFeatures("+fma") || subtarget.checkFeatures("+fma4");
}

Expected<Processor> describeProcessor(StringRef name) {
  if (Error error = initializeNativeTarget())
    return error;
  Expected<orc::JITTargetMachineBuilder> host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  Processor processor;
  processor.triple = host->getTargetTriple().str();
  if (name.empty()) {
    processor.name = host->getCPU();
    processor.features = host->getFeatures().getString();
  } else {
    processor.name = name.str();
  }

  std::string message;
  const Triple &triple = host->getTargetTriple();
  const Target *target = lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  // Asked first: a subtarget made for an unknown name prints a warning and is a generic one.
  std::unique_ptr<MCSubtargetInfo> generic(target->createMCSubtargetInfo(triple, "", ""));
  if (!generic || !generic->isCPUStringValid(processor.name))
    return createStringError("unknown processor '" + processor.name + "' for " + processor.triple);
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, processor.name, processor.features));
  // The code generator ends the process over it.
  if (triple.getArch() == Triple::x86_64 && !subtarget->checkFeatures("+64bit"))
    return createStringError("processor '" + processor.name + "' has no instructions of 64 bits");
  processor.vectorBits = getVectorBits(*subtarget, triple);
  processor.fma = hasFma(*subtarget, triple);
  processor.rounding = hasRounding(*subtarget, triple);
  processor.f16 = hasF16(*subtarget, triple);
  return processor;
}

/// Whether code for kernels may have such instructions; virtual machines often lack others that their processor has.
static bool isComputation(StringRef feature) {
  constexpr StringLiteral names[] = {"adx",   "amx",    "avx", "bmi",   "f16c", "fma",  "gfni", "lzcnt",
                                     "movbe", "popcnt", "sse", "ssse3", "tbm",  "vaes", "xop"};
  return any_of(names, [&](StringRef name) { return feature.starts_with(name); });
}

Error checkRunsHere(const Processor &processor) {
  Triple triple(processor.triple);
  std::string message;
  std::unique_ptr<MCSubtargetInfo> subtarget(
      lookupTarget(triple, message)->createMCSubtargetInfo(triple, processor.name, processor.features));
  for (const auto &feature : sys::getHostCPUFeatures())
    if (!feature.second && (!triple.isX86() || isComputation(feature.first())) &&
        subtarget->checkFeatures(("+" + feature.first()).str()))
      return createStringError("this machine has no '" + feature.first() + "', which '" + processor.name +
                               "' has: kernels for it can't run here");
  return Error::success();
}

std::unique_ptr<TargetMachine> createTargetMachine(const Processor &processor, unsigned optimization) {
  Triple triple(processor.triple);
  std::string message;
  return std::unique_ptr<TargetMachine>(
      lookupTarget(triple, message)
          ->createTargetMachine(triple, processor.name, processor.features, TargetOptions(), Reloc::PIC_,
                                CodeModel::Small, CodeGenOpt::getLevel(optimization).value_or(CodeGenOptLevel::Default),
                                /*JIT=*/true));
}

void setTarget(Module &module, const TargetMachine &machine, const Processor &processor) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : module) {
    function.addFnAttr("target-cpu", processor.name);
    if (!processor.features.empty())
      function.addFnAttr("target-features", processor.features);
    // LLVM would use half of the width on processors that once slowed down for it.
    function.addFnAttr("prefer-vector-width", std::to_string(processor.vectorBits));
    // A loop that fills memory must stay a loop: there is no memset to call.
    function.addFnAttr("no-builtins");
    function.addFnAttr(Attribute::NoUnwind);
    function.addFnAttr(Attribute::NoRecurse);
    function.addFnAttr(Attribute::MustProgress);
  }
}

} // namespace tiny::cpu
