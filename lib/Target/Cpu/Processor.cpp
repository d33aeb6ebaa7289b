// Which processor, and what LLVM must be told of it.
#include "Codegen.h"

#include "Tiny/Runtime/Format.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <mutex>
#include <thread>

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

static bool hasDot7(const MCSubtargetInfo &subtarget, const Triple &triple, unsigned vectorBits) {
  return triple.isX86() && subtarget.checkFeatures(vectorBits >= 512   ? "+avx512bw"
                                                   : vectorBits >= 256 ? "+avx2"
                                                                       : "+ssse3");
}
static bool hasDot8(const MCSubtargetInfo &subtarget, const Triple &triple, unsigned vectorBits) {
  return triple.isX86() && (subtarget.checkFeatures("+avx512vnni,+avx512vl") ||
                            (vectorBits == 256 && subtarget.checkFeatures("+avxvnni")));
}

/// The runtime's words for what the subtarget has.
static uint64_t getRuntimeFeatures(const MCSubtargetInfo &subtarget, const Triple &triple) {
  struct Feature {
    StringLiteral name;
    uint64_t bit;
  };
  constexpr Feature features[] = {{"+sse3", TINY_X86_SSE3},
                                  {"+ssse3", TINY_X86_SSSE3},
                                  {"+sse4.1", TINY_X86_SSE41},
                                  {"+sse4.2", TINY_X86_SSE42},
                                  {"+popcnt", TINY_X86_POPCNT},
                                  {"+avx", TINY_X86_AVX},
                                  {"+f16c", TINY_X86_F16C},
                                  {"+fma", TINY_X86_FMA},
                                  {"+avx2", TINY_X86_AVX2},
                                  {"+bmi", TINY_X86_BMI},
                                  {"+bmi2", TINY_X86_BMI2},
                                  {"+lzcnt", TINY_X86_LZCNT},
                                  {"+movbe", TINY_X86_MOVBE},
                                  {"+avx512f", TINY_X86_AVX512F},
                                  {"+avx512bw", TINY_X86_AVX512BW},
                                  {"+avx512cd", TINY_X86_AVX512CD},
                                  {"+avx512dq", TINY_X86_AVX512DQ},
                                  {"+avx512vl", TINY_X86_AVX512VL},
                                  {"+avx512vnni", TINY_X86_AVX512VNNI},
                                  {"+avx512bf16", TINY_X86_AVX512BF16},
                                  {"+avx512fp16", TINY_X86_AVX512FP16},
                                  {"+avxvnni", TINY_X86_AVXVNNI},
                                  {"+avx512vbmi", TINY_X86_AVX512VBMI},
                                  {"+avx512vbmi2", TINY_X86_AVX512VBMI2},
                                  {"+avx512bitalg", TINY_X86_AVX512BITALG},
                                  {"+avx512vpopcntdq", TINY_X86_AVX512VPOPCNTDQ},
                                  {"+avx512ifma", TINY_X86_AVX512IFMA},
                                  {"+gfni", TINY_X86_GFNI},
                                  {"+vpclmulqdq", TINY_X86_VPCLMULQDQ}};
  uint64_t bits = 0;
  if (triple.isX86())
    for (const Feature &feature : features)
      if (subtarget.checkFeatures(feature.name))
        bits |= feature.bit;
  return bits;
}

static uint32_t getRuntimeMachine(const Triple &triple) {
  if (triple.getArch() == Triple::x86_64)
    return TINY_MACHINE_X86_64;
  return triple.isAArch64() ? TINY_MACHINE_AARCH64 : TINY_MACHINE_ANY;
}

/// What the host has beyond the processor of its name, or lacks, as a virtual machine does.
static std::string findOwnFeatures(const Target &target, const Triple &triple, StringRef name, StringRef all) {
  std::unique_ptr<MCSubtargetInfo> named(target.createMCSubtargetInfo(triple, name, ""));
  std::vector<std::string> own;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (std::string has = ("+" + feature.first()).str(); named->checkFeatures(has) != feature.second)
      own.push_back((feature.second ? has : "-" + feature.first().str()));
  llvm::sort(own);
  std::string text = join(own, ",");
  // A feature may imply another one that was named before it.
  std::unique_ptr<MCSubtargetInfo> wanted(target.createMCSubtargetInfo(triple, name, all)),
      got(target.createMCSubtargetInfo(triple, name, text));
  return wanted->getFeatureBits() == got->getFeatureBits() ? text : all.str();
}

/// An error that names the first of the features that the target does not know, or that is not `+name` or `-name`.
static Error checkFeatures(const MCSubtargetInfo &subtarget, StringRef features, StringRef processor) {
  for (StringRef feature : split(features, ',')) {
    bool isKnown = any_of(subtarget.getAllProcessorFeatures(), [&](const SubtargetFeatureKV &known) {
      return StringRef(known.Key) == feature.drop_front(feature.empty() ? 0 : 1);
    });
    if (!feature.empty() && (!isKnown || !StringRef("+-").contains(feature.front())))
      return createStringError("unknown feature '" + feature + "' of processor '" + processor +
                               "', expected + or - and LLVM's name of one");
  }
  return Error::success();
}

Expected<Processor> describeProcessor(StringRef name, StringRef features) {
  if (Error error = initializeNativeTarget())
    return error;
  Expected<orc::JITTargetMachineBuilder> host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  Processor processor;
  processor.triple = host->getTargetTriple().str();
  bool isHost = name.empty() || name == "host";
  processor.name = isHost ? host->getCPU() : name.str();
  std::string message;
  const Triple &triple = host->getTargetTriple();
  const Target *target = lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  // Asked first: a subtarget made for an unknown name prints a warning and is a generic one.
  std::unique_ptr<MCSubtargetInfo> generic(target->createMCSubtargetInfo(triple, "", ""));
  if (!generic || !generic->isCPUStringValid(processor.name))
    return createStringError("unknown processor '" + processor.name + "' for " + processor.triple);
  if (Error error = checkFeatures(*generic, features, processor.name))
    return error;
  processor.features =
      isHost ? findOwnFeatures(*target, triple, processor.name, host->getFeatures().getString()) : features.str();
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, processor.name, processor.features));
  // The code generator ends the process over it.
  if (triple.getArch() == Triple::x86_64 && !subtarget->checkFeatures("+64bit"))
    return createStringError("processor '" + processor.name + "' has no instructions of 64 bits");
  processor.vectorBits = getVectorBits(*subtarget, triple);
  processor.fma = hasFma(*subtarget, triple);
  processor.rounding = hasRounding(*subtarget, triple);
  processor.f16 = hasF16(*subtarget, triple);
  processor.dot7 = hasDot7(*subtarget, triple, processor.vectorBits);
  processor.dot8 = hasDot8(*subtarget, triple, processor.vectorBits);
  processor.cores = isHost ? std::thread::hardware_concurrency() : 0;
  processor.machine = getRuntimeMachine(triple);
  processor.runtimeFeatures = getRuntimeFeatures(*subtarget, triple);
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

/// What code is generated for. Instructions of SSE4A have no form that leaves the upper halves of vectors alone: beside
/// those of AVX one takes a hundred times as long (Zen 3).
static std::string getCodeFeatures(const Processor &processor) {
  bool mixes = Triple(processor.triple).isX86() && processor.vectorBits > 128;
  return processor.features + (!mixes ? "" : processor.features.empty() ? "-sse4a" : ",-sse4a");
}

std::unique_ptr<TargetMachine> createTargetMachine(const Processor &processor, unsigned optimization) {
  Triple triple(processor.triple);
  std::string message;
  return std::unique_ptr<TargetMachine>(
      lookupTarget(triple, message)
          ->createTargetMachine(triple, processor.name, getCodeFeatures(processor), TargetOptions(), Reloc::PIC_,
                                CodeModel::Small, CodeGenOpt::getLevel(optimization).value_or(CodeGenOptLevel::Default),
                                /*JIT=*/true));
}

void setTarget(Module &module, const TargetMachine &machine, const Processor &processor) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : module) {
    function.addFnAttr("target-cpu", processor.name);
    if (std::string features = getCodeFeatures(processor); !features.empty())
      function.addFnAttr("target-features", features);
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
