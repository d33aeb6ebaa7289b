// The code generator, which still runs on LLVM's old pass manager.
#include "Codegen.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tiny::cpu {

void emitCode(Module &module, TargetMachine &machine, CodeGenFileType type, SmallVectorImpl<char> &output) {
  expandSingleLaneStores(module);
  if (machine.getTargetTriple().isX86() && !machine.getMCSubtargetInfo()->checkFeatures("+avx512vl"))
    splitMasks(module);
  TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(library));
  raw_svector_ostream stream(output);
  [[maybe_unused]] bool failed =
      machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, type, /*DisableVerify=*/true);
  assert(!failed && "a machine that runs code writes it");
  passes.run(module);
}

} // namespace tiny::cpu
