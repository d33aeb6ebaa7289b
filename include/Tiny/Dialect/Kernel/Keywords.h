// The syntax of enums as bare keywords, for operations on kernels and for transforms of them.
#ifndef TINY_DIALECT_KERNEL_KEYWORDS_H
#define TINY_DIALECT_KERNEL_KEYWORDS_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// `custom<Axis>` and `custom<Space>` of assembly formats.
mlir::ParseResult parseAxis(mlir::OpAsmParser &parser, AxisKindAttr &kind);
mlir::ParseResult parseSpace(mlir::OpAsmParser &parser, StageSpaceAttr &space);
void printAxis(mlir::OpAsmPrinter &printer, mlir::Operation *op, AxisKindAttr kind);
void printSpace(mlir::OpAsmPrinter &printer, mlir::Operation *op, StageSpaceAttr space);

} // namespace tiny::kernel

#endif // TINY_DIALECT_KERNEL_KEYWORDS_H
