// The sym dialect: floor modulo and stated bounds.
#ifndef TINY_DIALECT_SYMBOLIC_SYMBOLIC_H
#define TINY_DIALECT_SYMBOLIC_SYMBOLIC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Tiny/Dialect/Symbolic/SymbolicDialect.h.inc"

#define GET_OP_CLASSES
#include "Tiny/Dialect/Symbolic/SymbolicOps.h.inc"

#endif // TINY_DIALECT_SYMBOLIC_SYMBOLIC_H
