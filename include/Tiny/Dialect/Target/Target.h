// The target dialect: records of facts about devices, and how a pass finds the one that it works for.
#ifndef TINY_DIALECT_TARGET_TARGET_H
#define TINY_DIALECT_TARGET_TARGET_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "Tiny/Dialect/Target/TargetDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/Target/TargetAttrs.h.inc"

namespace tiny::target {

/// The attribute of functions that names their device.
inline constexpr llvm::StringLiteral kDevice = "device";

/// The record that a program without one stands for.
RecordAttr getGenericRecord(mlir::MLIRContext *context);

/// The record of the device that the operation runs on, looked for in the operations around it: of the device that the
/// nearest function names, else of the first. Null where there is none.
RecordAttr lookupRecord(mlir::Operation *op);

/// The same of the device of this name.
RecordAttr lookupRecord(mlir::Operation *op, llvm::StringRef device);

/// That of `lookupRecord`, and the generic record where there is none. A pass reads its facts here.
RecordAttr findRecord(mlir::Operation *op);

/// A hash of the record of `findRecord`.
std::string getRecordKey(mlir::Operation *op);

/// The facts of `findRecord`. They live as long as the context.
const cost::Machine &findMachine(mlir::Operation *op);

/// Puts the record on the module, in place of one under the same name and before those of other devices: functions that
/// name no device are for the one that was attached last.
void attachRecord(mlir::ModuleOp module, llvm::StringRef device, RecordAttr record);

/// Reports a `device` attribute that names none of the devices around the operation.
mlir::LogicalResult verifyDevice(mlir::Operation *op);

/// The element type as the record names it; none for types that no record names.
std::optional<cost::ElementType> getElementType(mlir::Type type);

} // namespace tiny::target

#endif // TINY_DIALECT_TARGET_TARGET_H
