// LLVM's own optimiser. Its headers are among the heaviest, so this file has nothing else.
#include "Codegen.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
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
/// should be, so nothing interprocedural runs and little runs twice. What costs most has its reason: unrolling makes
/// the windows of convolutions and pools straight code, and the loop vectoriser finds what a schedule left scalar.
static FunctionPassManager buildKernelPipeline(bool vectorizeLoops, bool vectorizeStraightCode) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  LoopPassManager first;
  first.addPass(LoopRotatePass());
  first.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(first), /*UseMemorySSA=*/true));
  passes.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass(/*OptLevel=*/2)));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  if (vectorizeLoops) {
    passes.addPass(LoopVectorizePass());
    if (vectorizeStraightCode)
      passes.addPass(SLPVectorizerPass());
    passes.addPass(InstCombinePass());
  }
  passes.addPass(SimplifyCFGPass());
  return passes;
}

/// Straight code that has vectors has them where its schedule put them: looking for more takes long, and what is found
/// there makes products slower.
static bool hasVectors(const Function &function) {
  return any_of(instructions(function), [](const Instruction &op) { return isa<VectorType>(op.getType()); });
}

void optimizeModule(Module &module, TargetMachine &machine, unsigned optimization) {
  if (optimization == 0)
    return;
  outlineRareBranches(module);
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

  if (optimization == 3) {
    builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
    return;
  }
  FunctionPassManager scalar = buildKernelPipeline(optimization > 1, /*vectorizeStraightCode=*/true),
                      vector = buildKernelPipeline(optimization > 1, /*vectorizeStraightCode=*/false);
  for (Function &function : module)
    if (!function.isDeclaration())
      (hasVectors(function) ? vector : scalar).run(function, functions);
}

} // namespace tiny::cpu
