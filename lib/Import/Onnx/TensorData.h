// Element types and tensors of the schema as those of MLIR.
#ifndef TINY_LIB_IMPORT_ONNX_TENSORDATA_H
#define TINY_LIB_IMPORT_ONNX_TENSORDATA_H

#include "DataFiles.h"
#include "Schema.h"
#include "Tiny/Support/HostTensor.h"
#include "mlir/IR/Diagnostics.h"

namespace tiny::onnximport {

/// The element type that a number of the schema's `TensorProto.DataType` names, or null.
mlir::Type getElementType(mlir::MLIRContext *context, int32_t dataType);

/// How the schema calls it: `float16`, or a number that it does not know.
std::string getDataTypeName(int32_t dataType);

/// Whether it is one of the integers of 4 bits, which are held in a byte each.
bool isFourBit(int32_t dataType);

/// The tensor's elements, wherever in the message or in files they stand; large ones in a mapped file without a copy.
/// Null after an error.
mlir::ElementsAttr readTensor(mlir::MLIRContext *context, const onnx::TensorProto &proto, DataFiles &files,
                              EmitError emitError);

/// The tensor whose elements a sparse one has, zero where it has none. Null after an error.
mlir::ElementsAttr readSparseTensor(mlir::MLIRContext *context, const onnx::SparseTensorProto &proto, DataFiles &files,
                                    EmitError emitError);

/// A constant of these elements; above 4 KiB a resource, which is neither uniqued nor printed element by element.
mlir::ElementsAttr makeElements(mlir::MLIRContext *context, const HostTensor &tensor, llvm::StringRef name);

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_TENSORDATA_H
