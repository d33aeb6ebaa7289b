// What one evaluation carries along: limits, the error, and the buffers values live in.
#ifndef TINY_LIB_REFERENCE_SESSION_H
#define TINY_LIB_REFERENCE_SESSION_H

#include "Tiny/Reference/Scalar.h"
#include "Tiny/Reference/Interpreter.h"
#include "llvm/ADT/BitVector.h"
#include <memory>

namespace tiny::reference {

class Ranks;

/// One evaluation.
struct Session {
  const InterpreterOptions &options;
  uint64_t steps = 0, bytes = 0;
  bool undefined = false;
  std::optional<InterpreterError> error;
  /// Those that run together, where it is one of several; and its number among them.
  Ranks *ranks = nullptr;
  int64_t rank = 0;
  std::optional<mlir::Location> other;

  explicit Session(const InterpreterOptions &options) : options(options) {}

  using Kind = InterpreterError::Kind;
  /// Notes the first error and fails.
  mlir::LogicalResult fail(Kind kind, mlir::Location location, const llvm::Twine &message) {
    if (!error)
      error = InterpreterError{kind, location, message.str(), other};
    return mlir::failure();
  }
  /// The operation that the next error is about, too.
  void noteOther(mlir::Operation *op) { other = op->getLoc(); }
  mlir::LogicalResult unsupported(mlir::Operation *op) {
    return fail(Kind::Unsupported, op->getLoc(),
                "the interpreter does not know '" + op->getName().getStringRef() + "' on these types");
  }
  /// Counts work; fails at the limit.
  mlir::LogicalResult step(uint64_t count, mlir::Location location) {
    steps += count;
    if (steps <= options.maxSteps)
      return mlir::success();
    return fail(Kind::Limit, location, "evaluation takes more than " + llvm::Twine(options.maxSteps) + " steps");
  }
};

/// Storage of elements; `written` is empty where all of them mean something.
struct Memory {
  ScalarType type;
  HostTensor::Bytes bytes;
  llvm::BitVector written;
};

/// A contiguous part of some storage.
struct Buffer {
  std::shared_ptr<Memory> memory;
  int64_t offset = 0, count = 0;

  explicit operator bool() const { return memory != nullptr; }
  ScalarType type() const { return memory->type; }

  Scalar load(int64_t index) const {
    Scalar value;
    readElements(type(), memory->bytes.data() + (offset + index) * type().bytes(), &value, 1);
    return value;
  }
  void store(int64_t index, Scalar value) {
    writeElements(type(), &value, memory->bytes.data() + (offset + index) * type().bytes(), 1);
    if (!memory->written.empty())
      memory->written.set(offset + index);
  }
  bool isWritten(int64_t index) const { return memory->written.empty() || memory->written.test(offset + index); }
};

/// `count` elements of zeros, or elements that must be written before they are read. Fails at the limit of bytes.
mlir::FailureOr<Buffer> allocate(Session &session, ScalarType type, int64_t count, mlir::Location location,
                                 bool tracked = false);
/// The elements of a constant; none (without an error) when it is not known how it is stored.
mlir::FailureOr<Buffer> readConstant(Session &session, mlir::ElementsAttr attr, mlir::Location location);

/// A host tensor's elements as a buffer whose element type has the same bits, and back.
mlir::FailureOr<Buffer> fromHost(Session &session, const HostTensor &tensor, mlir::Type element,
                                 mlir::Location location);
mlir::FailureOr<HostTensor> toHost(Session &session, const Buffer &buffer, mlir::RankedTensorType type,
                                   mlir::Location location);

/// The levels. Inputs and results are the buffers of the function's arguments and results, in order.
using Buffers = llvm::SmallVector<Buffer>;
mlir::FailureOr<Buffers> evaluateFunction(Session &session, mlir::FunctionOpInterface function, Buffers inputs);
mlir::FailureOr<Buffers> evaluateTensor(Session &session, mlir::Block &body, llvm::ArrayRef<Buffer> inputs);
mlir::FailureOr<Buffers> evaluateLazy(Session &session, mlir::Block &body, llvm::ArrayRef<Buffer> inputs);
mlir::FailureOr<Buffers> evaluateProgram(Session &session, mlir::FunctionOpInterface program,
                                         llvm::ArrayRef<Buffer> inputs);
mlir::LogicalResult evaluateKernel(Session &session, mlir::Operation *kernel, llvm::ArrayRef<Buffer> buffers);
mlir::LogicalResult evaluateUOp(Session &session, mlir::Operation *kernel, llvm::ArrayRef<Buffer> buffers);

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_SESSION_H
