// What programs of one size give, kept until the program for all sizes can be compared with it.
#ifndef TINY_TESTING_WITNESS_H
#define TINY_TESTING_WITNESS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace tiny::reference {

/// On a module of instances, and on what they are joined to: inputs at some sizes, and what they must give.
constexpr llvm::StringLiteral kWitnessesAttr = "tiny.witnesses";

/// Random inputs of the module's one program, which is at the sizes, and its results by the interpreter. Null where
/// that would take more than `steps` operations on elements, which are counted down (to 0, where they are too few),
/// where the program cannot be evaluated, and where sizes that are data are others on these inputs: then `sizes` says
/// which, and the program that is at these can be asked. From `draw` 1 on, half of the inputs have few elements that
/// are not zero: what counts elements counts few of them.
mlir::DictionaryAttr makeWitness(mlir::ModuleOp module, mlir::DictionaryAttr &sizes, uint64_t &steps,
                                 unsigned draw = 0);

/// Draws that differ: with none to three elements that are not zero, in every second input.
constexpr unsigned kDraws = 9;

/// Compares the module's program at each witness's sizes, and drops the witnesses. The error names the sizes and the
/// result that is another one.
llvm::Error checkWitnesses(mlir::ModuleOp module);

} // namespace tiny::reference

#endif // TINY_TESTING_WITNESS_H
