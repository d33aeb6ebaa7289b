// Registers every dialect, pass and pipeline.
#include "Tiny/Pipelines/Registration.h"

#include "Tiny/Conversion/KernelToUOp/Passes.h"
#include "Tiny/Conversion/LazyToKernel/Passes.h"
#include "Tiny/Conversion/TensorToLazy/Passes.h"
#include "Tiny/Conversion/UOpToEmitC/Passes.h"
#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Conversion/UOpToNVVM/Passes.h"
#include "Tiny/Conversion/UOpToSPIRV/Passes.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Import/Tosa/Passes.h"
#include "Tiny/Schedule/Steps/KernelTransformOps.h"
#include "Tiny/Schedule/Passes.h"
#include "Tiny/Target/Passes.h"
#include "Tiny/Transforms/Kernel/Passes.h"
#include "Tiny/Transforms/Kernelize/Passes.h"
#include "Tiny/Transforms/Kernelize/LazyTransformOps.h"
#include "Tiny/Transforms/Lazy/Passes.h"
#include "Tiny/Transforms/Tensor/Passes.h"
#include "Tiny/Transforms/Tensor/TensorTransformOps.h"
#include "Tiny/Transforms/Symbolic/Passes.h"
#include "Tiny/Pipelines/Pipelines.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tiny::registerAllDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, DLTIDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect, shard::ShardDialect,
                  transform::TransformDialect, vector::VectorDialect>();
  registry.insert<sym::SymDialect>();
  registry.insert<target::TargetDialect>();
  registry.insert<tensor::TinyDialect>();
  registry.insert<kernel::KernelDialect>();
  registry.insert<lazy::LazyDialect>();
  registry.insert<uop::UOpDialect>();
  registerTosaDialect(registry);
  tensor::registerTransformExtension(registry);
  kernel::registerTransformExtension(registry);
  lazy::registerTransformExtension(registry);
}

void tiny::registerAllPasses() {
  // Upstream's own transforms: canonicalize, cse, topological-sort, symbol-dce and their like.
  registerTransformsPasses();
  arith::registerArithPasses();
  sym::registerSymbolicPasses();
  tensor::registerTensorPasses();
  registerTosaToTensorPasses();
  registerTensorToLazyPasses();
  kernel::registerKernelPasses();
  kernel::registerSchedulePasses();
  lazy::registerLazyPasses();
  lazy::registerKernelizePasses();
  registerLazyToKernelPasses();
  registerKernelToUOpPasses();
  uop::registerUOpPasses();
  registerUOpToLLVMPasses();
  registerUOpToNVVMPasses();
  registerUOpToSPIRVPasses();
  registerTargetPasses();
  emitc::registerUOpToEmitCPasses();
  registerPipelines();
  registerAllTargets();
}
