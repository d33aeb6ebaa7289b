// The elements of tensors that are not in the message that protobuf read.
#ifndef TINY_LIB_IMPORT_ONNX_DATAFILES_H
#define TINY_LIB_IMPORT_ONNX_DATAFILES_H

#include "Schema.h"
#include "Tiny/Support/FileMapping.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace tiny::onnximport {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Elements that were taken out of the model, and the files of its external data, each mapped once.
class DataFiles {
public:
  /// Without a folder there are no files.
  DataFiles(llvm::ArrayRef<llvm::StringRef> taken, std::optional<std::string> folder)
      : taken(taken), folder(std::move(folder)) {}

  /// The elements of a tensor that has them elsewhere, of which there are so many bytes. None after an error.
  std::optional<llvm::StringRef> find(const onnx::TensorProto &tensor, uint64_t expected, EmitError emitError);

private:
  llvm::ArrayRef<llvm::StringRef> taken;
  std::optional<std::string> folder;
  llvm::StringMap<std::shared_ptr<const FileMapping>> files;
};

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_DATAFILES_H
