// The graph under translation: its values by name, and the function that they go to.
#ifndef TINY_LIB_IMPORT_ONNX_GRAPH_H
#define TINY_LIB_IMPORT_ONNX_GRAPH_H

#include "Schema.h"
#include "Tiny/Import/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

namespace tiny::onnximport {

class Graph {
public:
  Graph(const onnx::GraphProto &proto, int64_t opset, mlir::ModuleOp module, const OnnxImportOptions &options);

  /// Fills the module. Failure has emitted one error.
  llvm::LogicalResult import();

  /// A value that an earlier node computes, an input, or an initializer, which becomes a constant now; null without an
  /// error when there is none of that name.
  mlir::Value lookup(llvm::StringRef name);
  /// The elements of a value that is known now, or null.
  mlir::ElementsAttr lookupConstant(llvm::StringRef name);

  const int64_t opset;
  mlir::OpBuilder builder;

private:
  llvm::LogicalResult importInitializers();
  llvm::LogicalResult importInputs();
  llvm::LogicalResult importNode(int index);
  llvm::LogicalResult translateNode(const onnx::NodeProto &proto, mlir::Location loc);
  llvm::LogicalResult importOutputs();
  void eraseUnusedConstants();
  mlir::RankedTensorType getInputType(const onnx::ValueInfoProto &info);
  llvm::LogicalResult define(llvm::StringRef name, mlir::Value value);
  mlir::InFlightDiagnostic emitError();

  const onnx::GraphProto &proto;
  const OnnxImportOptions &options;
  mlir::ModuleOp module;
  mlir::func::FuncOp function;
  mlir::Operation *lastConstant = nullptr;
  /// The dimensions that were open and got a size of `options.dims`.
  llvm::StringSet<> sized;
  llvm::StringMap<mlir::Value> values;
  /// Outputs of nodes that could not be translated, and what depends on them.
  llvm::StringSet<> refused;
  llvm::StringMap<mlir::ElementsAttr> initializers;
};

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_GRAPH_H
