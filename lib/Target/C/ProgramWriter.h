// What the parts of the writer share: names, places in memory, and the text so far.
#ifndef TINY_LIB_TARGET_C_PROGRAMWRITER_H
#define TINY_LIB_TARGET_C_PROGRAMWRITER_H

#include "Elements.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Runtime/ItemKinds.h"
#include "Tiny/Target/Target.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "llvm/ADT/StringSet.h"

namespace tiny::c {

/// Writes one module. Kernels are in WriteKernels.cpp, items in WriteItems.cpp, sizes in WriteSizes.cpp, the rest in
/// WriteProgram.cpp.
class ProgramWriter {
public:
  ProgramWriter(mlir::ModuleOp module, llvm::StringRef stem) : module(module), stem(makeIdentifier(stem)) {
    llvm::StringRef begin = this->stem;
    if (begin.empty() || llvm::isDigit(begin.front()) || begin.front() == '_' || begin == "tiny" ||
        begin.starts_with("tiny_"))
      this->stem = "model_" + this->stem;
    // The function that runs the program, the macros, and types such as int8_t.
    for (llvm::StringRef name : {"run", "SCRATCH_BYTES", "H", "t"})
      taken.insert(name);
  }

  mlir::FailureOr<std::vector<OutputFile>> write(llvm::StringRef fileStem, bool single);

private:
  void nameKernels();
  mlir::LogicalResult writeKernels();
  mlir::LogicalResult writeRun(kernel::ProgramOp program);
  mlir::LogicalResult writeItem(mlir::Operation &item);
  /// The items of a list, as a block of C.
  mlir::LogicalResult writeList(mlir::Region &list);
#define TINY_WRITE(KIND, Name) mlir::LogicalResult write(kernel::Name##Op op);
  TINY_ITEMS(TINY_WRITE)
#undef TINY_WRITE
  /// Defines a buffer: a pointer from an expression.
  void declare(mlir::Value buffer, const llvm::Twine &from);
  std::string describeKernel(mlir::emitc::FuncOp kernel, kernel::LaunchOp launch);
  void planMemory(kernel::ProgramOp program);
  /// Names the program's sizes: adds their parameters and comments, and gives their checks and the array that kernels
  /// read.
  std::string writeSizes(kernel::ProgramOp program, llvm::StringRef array, std::string &parameters,
                         std::string &comments);
  std::string writeExtent(mlir::AffineExpr extent) const;
  /// How many elements are live, in C.
  std::string writeLiveCount(mlir::AffineMapAttr shape) const;
  /// How many elements of a buffer there are, in C: of a caller's, those that are live.
  std::string writeCount(mlir::Value buffer) const;
  /// The bytes of as many elements.
  static std::string writeBytes(const std::string &count, mlir::MemRefType type);
  std::string makeUnique(llvm::StringRef wish) {
    std::string name = makeIdentifier(wish);
    for (unsigned number = 2; !taken.insert(name).second; ++number)
      name = makeIdentifier(wish) + "_" + std::to_string(number);
    return name;
  }

  mlir::ModuleOp module;
  std::string stem, header, kernels, constants, largeConstants, body;
  llvm::StringSet<> taken;
  llvm::StringMap<std::string> kernelNames;
  llvm::DenseMap<mlir::Value, std::string> names;
  /// What comments say of a buffer: its name in the run's function and, where it is known, its tensor's type.
  llvm::DenseMap<mlir::Value, std::string> described;
  llvm::DenseMap<mlir::Value, int64_t> offsets;
  /// Of a program with sizes: their values where shapes need them, and how many elements of an argument are live.
  std::vector<std::string> sizeNames;
  /// Code that tells the sizes that the program computes.
  std::string computed;
  llvm::DenseMap<mlir::Value, std::string> liveCounts;
  int64_t planned = 0, kernelScratch = 0;
  unsigned nLoops = 0;
};

} // namespace tiny::c

#endif // TINY_LIB_TARGET_C_PROGRAMWRITER_H
