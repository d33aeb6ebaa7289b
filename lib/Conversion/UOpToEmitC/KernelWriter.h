// The worker behind convert-uop-to-emitc: writes one kernel as EmitC operations.
#ifndef TINY_LIB_CONVERSION_UOPTOEMITC_KERNELWRITER_H
#define TINY_LIB_CONVERSION_UOPTOEMITC_KERNELWRITER_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/Builders.h"

namespace tiny::emitc {

namespace ec = mlir::emitc;

/// What a value of type `type` is in C, as a scalar: floats that C does not have are held as integers. Null for types
/// that have no form.
mlir::Type getCType(mlir::Type type);
/// An element in memory: i1 takes a byte.
mlir::Type getMemoryType(mlir::Type element);
/// A constant as C writes it.
std::string writeLiteral(mlir::Attribute value, mlir::Type type);

/// A result of one scalar operation on C values. Null where the operation has no form in C; nothing is created then.
mlir::Value writeScalar(mlir::OpBuilder &builder, mlir::OpResult result, mlir::ValueRange operands);
class KernelWriter {
public:
  explicit KernelWriter(uop::FuncOp func) : func(func), builder(func.getContext()) {}

  /// Puts an `emitc.func` in front of the kernel. Reports what has no form in C.
  llvm::LogicalResult run();

private:
  /// A vector is an array, or one scalar that stands for all lanes. A scalar is itself.
  struct Held {
    mlir::Value array, scalar;
  };

  /// ConvertUOpToEmitC.cpp
  llvm::LogicalResult checkTypes();
  void placeTiles();
  llvm::LogicalResult write(mlir::Block &block);
  llvm::LogicalResult write(mlir::Operation *op);
  llvm::LogicalResult writeFor(uop::ForOp op);
  llvm::LogicalResult writeElementwise(mlir::Operation *op);
  void writeConstant(mlir::Operation *op, mlir::TypedAttr value);

  /// LowerVector.cpp: false where it is no operation of the vector dialect's that it knows.
  bool writeVector(mlir::Operation *op);
  void writeReduction(mlir::Operation *op);
  void writeDot(uop::DotOp op);

  /// LowerMemory.cpp
  void writeLoad(mlir::Operation *op, mlir::Value buffer, mlir::Value index, mlir::Value gate);
  void writeStore(uop::StoreOp op);
  mlir::Value loadElement(mlir::Value buffer, mlir::Value index, mlir::Type element);
  void storeElement(mlir::Value buffer, mlir::Value index, mlir::Value value, mlir::Type element);

  /// Small pieces.
  mlir::Value literal(const llvm::Twine &text, mlir::Type type);
  mlir::Value number(int64_t value) { return literal(llvm::Twine(value), builder.getI64Type()); }
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value makeArray(mlir::VectorType type, const llvm::Twine &init = "{0}");
  mlir::Value lane(mlir::Value vector, mlir::Value index);
  void setLane(mlir::Value array, mlir::Value index, mlir::Value value);
  void forLanes(int64_t lanes, llvm::function_ref<void(mlir::Value)> body);
  mlir::Value scalar(mlir::Value value) { return held.lookup(value).scalar; }

  uop::FuncOp func;
  mlir::OpBuilder builder;
  mlir::Location loc = builder.getUnknownLoc();
  llvm::DenseMap<mlir::Value, Held> held;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  mlir::Value scratch;
};

} // namespace tiny::emitc

#endif // TINY_LIB_CONVERSION_UOPTOEMITC_KERNELWRITER_H
