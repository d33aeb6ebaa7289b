// LLVM's own optimiser. Its headers are among the heaviest, so this file has nothing else.
#include "Codegen.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace tiny::cpu {

void optimizeModule(Module &module, TargetMachine &machine, unsigned optimization) {
  if (optimization == 0)
    return;
  // No function is known: nothing is turned into a call.
  TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });

  PipelineTuningOptions tuning;
  tuning.LoopVectorization = optimization > 1;
  tuning.SLPVectorization = optimization > 1;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  OptimizationLevel level = optimization == 1   ? OptimizationLevel::O1
                            : optimization == 2 ? OptimizationLevel::O2
                                                : OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

} // namespace tiny::cpu
