// The uop dialect: an ordered, explicit program for one device. See docs/Dialects/UOp.md.
#ifndef TINY_DIALECT_UOP_UOP_H
#define TINY_DIALECT_UOP_UOP_H

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Support/KernelTrait.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Tiny/Dialect/UOp/UOpDialect.h.inc"
#include "Tiny/Dialect/UOp/UOpEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/UOp/UOpAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "Tiny/Dialect/UOp/UOpTypes.h.inc"

namespace tiny::uop {

/// True for a memref whose size and place are known when a kernel is compiled.
bool isStaticBuffer(mlir::Type type);

/// What `uop.prefetch` writes, so that it is neither dead nor in the way of loads and stores.
struct CacheResource : mlir::SideEffects::Resource::Base<CacheResource> {
  llvm::StringRef getName() final { return "cache"; }
};

/// What lanes of a workgroup do together reads and writes it, and so stays where it is.
struct LanesResource : mlir::SideEffects::Resource::Base<LanesResource> {
  llvm::StringRef getName() final { return "lanes"; }
};

/// A lane's groups of asynchronous copies.
struct CopiesResource : mlir::SideEffects::Resource::Base<CopiesResource> {
  llvm::StringRef getName() final { return "copies"; }
};

} // namespace tiny::uop

#define GET_OP_CLASSES
#include "Tiny/Dialect/UOp/UOpOps.h.inc"

#endif // TINY_DIALECT_UOP_UOP_H
