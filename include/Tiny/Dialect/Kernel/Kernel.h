// The kernel dialect: a program of launches, and kernels as unordered DAGs over ranges.
#ifndef TINY_DIALECT_KERNEL_KERNEL_H
#define TINY_DIALECT_KERNEL_KERNEL_H

#include "Tiny/Support/KernelTrait.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Tiny/Dialect/Kernel/KernelDialect.h.inc"
#include "Tiny/Dialect/Kernel/KernelEnums.h.inc"

namespace tiny::kernel {

/// Extents along x, y and z.
struct Extents : std::array<int64_t, 3> {};
inline llvm::hash_code hash_value(const Extents &extents) {
  return llvm::hash_combine_range(extents.begin(), extents.end());
}
inline constexpr Extents kSinglePoint = {{1, 1, 1}};

} // namespace tiny::kernel

namespace mlir {

/// Written `[x, y, z]`.
template <> struct FieldParser<tiny::kernel::Extents> {
  static FailureOr<tiny::kernel::Extents> parse(AsmParser &parser);
};
inline AsmPrinter &operator<<(AsmPrinter &printer, const tiny::kernel::Extents &extents) {
  printer.getStream() << '[' << extents[0] << ", " << extents[1] << ", " << extents[2] << ']';
  return printer;
}

} // namespace mlir

#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/Kernel/KernelAttrs.h.inc"

namespace tiny::kernel {

/// On the function of a kernel, at every level from uop down: an EntryAttr.
constexpr llvm::StringLiteral kEntryAttr = "kernel.entry";

/// What the function says of how it is entered, or null.
EntryAttr getEntry(mlir::Operation *function);

/// True for what the level calls a buffer: a static rank-1 memref of signless integers or floats with identity
/// layout, whose size stays below 2^62 bytes, so that index arithmetic cannot overflow.
bool isBuffer(mlir::Type type);

/// True for a buffer of one integer of so many bits.
bool isOneOf(mlir::Type type, unsigned width);

/// True where nothing may write: a constant, or an alias into one.
bool isReadOnly(mlir::Value buffer);

/// True for a range kind that a reduce may close; the other kinds name axes of the result.
bool isReduceKind(AxisKind kind);

/// True when the reduction kind works on values of this scalar type.
bool fitsType(mlir::arith::AtomicRMWKind kind, mlir::Type type);

} // namespace tiny::kernel

#define GET_OP_CLASSES
#include "Tiny/Dialect/Kernel/KernelOps.h.inc"

namespace tiny::kernel {

/// The buffer that one is a part of: itself, unless an alias gives it.
mlir::Value getRoot(mlir::Value buffer);

/// The device that a buffer of a program on several lies on; null in any other program.
mlir::StringAttr getDevice(mlir::Value buffer);

/// The device of the program's that a kernel runs on; null where the program runs on one.
mlir::StringAttr getDevice(ProgramOp program, mlir::Operation *kernel);

/// A buffer that an item uses.
struct ItemAccess {
  mlir::Value buffer;
  bool isWritten;
};

/// What an item of a program uses, and of what is outside of it, all that the items of its lists do.
llvm::SmallVector<ItemAccess> listAccesses(mlir::Operation *item);

/// The ranges that an operation closes: those that a reduce or a stage is over. Empty for every other operation. They
/// are the operation's last operands.
mlir::OperandRange getClosedRanges(mlir::Operation *op);

/// The stage whose tile accumulates the reduction; null where accumulators are values.
StageOp getAccumulatingTile(ReduceOp reduce);

/// Whether a scan follows the range: it stays a loop, whose points are run through in order.
bool isScanned(RangeOp range);

/// One step of a reduction outside its loop: accumulators combined with elements, as scalar operations at the builder's
/// insertion point. The combiner is `kind`, which works under `fastmath`, or the region.
llvm::SmallVector<mlir::Value> buildCombine(mlir::OpBuilder &builder, mlir::Location loc,
                                            std::optional<mlir::arith::AtomicRMWKind> kind,
                                            mlir::arith::FastMathFlagsAttr fastmath, mlir::Region &combiner,
                                            mlir::ValueRange accumulators, mlir::ValueRange elements);

/// The same with the combiner of a reduce.
llvm::SmallVector<mlir::Value> buildCombine(mlir::OpBuilder &builder, ReduceOp reduce, mlir::ValueRange accumulators,
                                            mlir::ValueRange elements);

/// The values a reduce starts from: its `init` operands, or the identity of its kind as constants.
llvm::SmallVector<mlir::Value> buildInits(mlir::OpBuilder &builder, ReduceOp reduce);

} // namespace tiny::kernel

#endif // TINY_DIALECT_KERNEL_KERNEL_H
