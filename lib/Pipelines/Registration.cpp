#include "Tiny/Pipelines/Registration.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Transforms/Kernel/KernelTransformOps.h"
#include "Tiny/Transforms/Kernel/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tiny::registerAllDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, transform::TransformDialect, vector::VectorDialect>();
  registry.insert<sym::SymDialect>();
  registry.insert<kernel::KernelDialect>();
  kernel::registerTransformExtension(registry);
}

void tiny::registerAllPasses() {
  // Upstream's own transforms: canonicalize, cse, topological-sort, symbol-dce and their like.
  registerTransformsPasses();
  kernel::registerKernelPasses();
}
