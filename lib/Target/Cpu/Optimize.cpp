// LLVM's own optimiser. Its headers are among the heaviest, so this file has nothing else.
#include "Codegen.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

namespace tiny::cpu {

/// What a kernel needs of LLVM. Kernels arrive as one function each, with their loops, vectors and constants as they
/// should be, so nothing interprocedural runs and little runs twice. LLVM's own pipeline takes half as long again on
/// the digits model, for code that is no faster.
static ModulePassManager buildKernelPipeline(unsigned optimization) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  LoopPassManager first;
  first.addPass(LoopRotatePass());
  first.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(first), /*UseMemorySSA=*/true));
  LoopPassManager second;
  second.addPass(IndVarSimplifyPass());
  second.addPass(LoopFullUnrollPass(/*OptLevel=*/2));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(second)));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  if (optimization > 1) {
    passes.addPass(LoopVectorizePass());
    passes.addPass(SLPVectorizerPass());
    passes.addPass(InstCombinePass());
  }
  passes.addPass(SimplifyCFGPass());
  ModulePassManager modulePasses;
  modulePasses.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  return modulePasses;
}

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

  if (optimization == 3)
    builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
  else
    buildKernelPipeline(optimization).run(module, modules);
}

} // namespace tiny::cpu
