// A function of lazy groups as a program: its buffers, its items, and the kernels that it launches.
#ifndef TINY_LIB_CONVERSION_LAZYTOKERNEL_PROGRAMLOWERING_H
#define TINY_LIB_CONVERSION_LAZYTOKERNEL_PROGRAMLOWERING_H

#include "LowerGroup.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace tiny {

/// Gives kernels their symbols: the label in letters that any linker takes, and a number per label where it is taken,
/// so that the names of other kernels stay (scripts find a kernel by its name).
class KernelNames {
public:
  explicit KernelNames(mlir::SymbolTable &symbols) : symbols(symbols) {}
  std::string create(std::optional<llvm::StringRef> label) {
    std::string stem;
    for (char c : label.value_or(""))
      stem += llvm::isAlnum(c) ? c : '_';
    if (stem.empty() || llvm::isDigit(stem.front()))
      stem = "kernel" + stem;
    std::string name = stem;
    for (unsigned &next = counters[stem]; symbols.lookup(name);)
      name = stem + "_" + std::to_string(next++);
    return name;
  }

private:
  mlir::SymbolTable &symbols;
  llvm::StringMap<unsigned> counters;
};

/// Turns one function into a program and the kernels it launches.
class ProgramLowering {
public:
  ProgramLowering(mlir::func::FuncOp func, mlir::SymbolTable &symbols, KernelNames &names)
      : func(func), symbols(symbols), names(names), builder(func) {}
  mlir::LogicalResult run();

private:
  mlir::FailureOr<kernel::ProgramOp> createProgram();
  mlir::LogicalResult lowerItem(mlir::Operation *op);
  mlir::LogicalResult lowerLoop(lazy::LoopOp op);
  mlir::LogicalResult lowerIf(lazy::IfOp op);
  mlir::LogicalResult lowerCollective(lazy::CollectiveOp op);
  /// The items of a function at the builder's place, on these buffers; gives those of its results.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> lowerBody(mlir::Operation *op, mlir::FlatSymbolRefAttr callee,
                                                            llvm::ArrayRef<mlir::Value> arguments);
  /// A buffer of its own that begins as the value's.
  mlir::Value createOwn(mlir::Location loc, mlir::Value value);
  /// Writes one row of a buffer of rows.
  void writeRow(mlir::Location loc, mlir::Value row, mlir::Value number, mlir::Value rows);
  /// Lets the kernel that computes a row, if it alone stores all of it and a launch of this block does, store it in the
  /// rows, too.
  bool storeRow(mlir::Location loc, mlir::Value row, mlir::Value number, mlir::Value rows);
  /// Erases a buffer that only the launch which computes it names.
  void dropUnread(mlir::Value buffer);
  mlir::LogicalResult lowerGroupItem(lazy::GroupOp group);
  /// The buffer of a result that assigns: of the state that it takes over, or a fresh one, with what the kernel leaves
  /// of a splat.
  mlir::Value createState(mlir::OpResult result, mlir::Value taken, mlir::MemRefType type);
  /// Puts a contiguous part of a buffer, or a splat, into a fresh one or a contiguous part of a state, without a
  /// kernel; false where that is not all that the group does.
  bool lowerToCopy(lazy::GroupOp group, mlir::ValueRange inputs, mlir::Value output);
  mlir::Value createPart(mlir::Location loc, mlir::Value source, mlir::Type tensor, int64_t offset);
  /// Fills those of some buffers that are partly written, before all that writes them.
  void fillPartial(llvm::ArrayRef<mlir::Value> read);
  mlir::LogicalResult lowerReturn(mlir::func::ReturnOp op);
  /// Copies a buffer to a fresh one.
  mlir::Value createCopy(mlir::Location loc, mlir::Value buffer);
  /// What a result of a group is written over; null where it has a buffer of its own.
  mlir::Value getOverwritten(mlir::OpResult result);
  /// The buffer that holds a value; null after an error.
  mlir::Value getBuffer(mlir::Value value);
  mlir::Value createConstant(mlir::arith::ConstantOp op);

  mlir::func::FuncOp func;
  mlir::SymbolTable &symbols;
  KernelNames &names;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// A buffer that launches write slice by slice, while some is missing: what its state begins with is not there.
  struct Partial {
    mlir::TypedAttr splat;
    int64_t missing; ///< elements
  };
  llvm::DenseMap<mlir::Value, Partial> partial;
  llvm::SmallVector<mlir::Value> complete; ///< of these, from the next group on
  /// The launch of this body that last stored all of a buffer.
  llvm::DenseMap<mlir::Value, kernel::LaunchOp> writers;
  mlir::Operation *lastKernel = nullptr;
};

} // namespace tiny

#endif // TINY_LIB_CONVERSION_LAZYTOKERNEL_PROGRAMLOWERING_H
