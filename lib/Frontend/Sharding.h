// Annotations that cut values among ranks, as the graph has them.
//
// A sharding is an operation of its own, whose result is no tensor. There is one for each way to cut, at the front of
// the graph's block, for good. The grid is its symbol's name, which programs declare.
#ifndef TINY_LIB_FRONTEND_SHARDING_H
#define TINY_LIB_FRONTEND_SHARDING_H

#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tiny::frontend {

/// The graph's own sharding that says the same.
mlir::Value internSharding(mlir::shard::ShardingOp op);
/// Declares the grids that the operations name.
void declareGrids(llvm::ArrayRef<mlir::Operation *> ops, mlir::ModuleOp module);

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_SHARDING_H
