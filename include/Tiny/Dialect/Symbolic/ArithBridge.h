// Between arith and sym operations on index and i1, and expressions of the symbolic engine.
#ifndef TINY_DIALECT_SYMBOLIC_ARITHBRIDGE_H
#define TINY_DIALECT_SYMBOLIC_ARITHBRIDGE_H

#include "Tiny/Dialect/Symbolic/ValueRanges.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <functional>

namespace tiny::sym {

/// Reads index and i1 values into one ExprContext and writes expressions back as operations. What it can not read (an
/// argument, a load, an operation of another dialect, a value of another block) is a leaf, with the bounds that its
/// defining operation states by InferIntRangeInterface. One bridge serves one block: what it writes is reused.
class ArithBridge {
public:
  /// With `block`, values that are defined in other blocks are leaves (with the bounds of what they compute), so that
  /// nothing moves into a loop.
  explicit ArithBridge(ExprContext &context, mlir::Block *block = nullptr) : context(context), block(block) {}

  /// The expression of an index or i1 value. Never null: what does not fit the engine is a leaf.
  Expr importValue(mlir::Value value);

  /// Cost of the operations that compute `value` from leaves, as a tree: division and modulo 8, multiplication 2, the
  /// rest 1.
  int64_t costOf(mlir::Value value);

  /// Bounds of a scalar that is no index, or none.
  std::optional<FloatRange> floatRange(mlir::Value value) { return ranges.floatRange(value, indexBounds()); }
  std::optional<Bounds> integerRange(mlir::Value value) { return ranges.integerRange(value, indexBounds()); }

  /// The value of an expression over leaves that this bridge read, before the builder's insertion point, which every
  /// leaf must dominate.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc, Expr expression);

  /// The value of a leaf, by itself or by number, or null if the bridge did not read it.
  mlir::Value valueOfLeaf(Expr leaf) const { return valueOfLeaf(leaf->constant); }
  mlir::Value valueOfLeaf(int64_t number) const { return leafValues.lookup(number); }
  /// The expression stands for `value` from now on.
  void define(mlir::Value value, Expr expression) { expressions[value] = expression; }
  /// A leaf that was made before its value was: it stands for `value` from now on.
  void bindLeaf(Expr leaf, mlir::Value value) {
    leafValues[leaf->constant] = value;
    expressions[value] = leaf;
  }
  /// Forgets what was written: the operations may be gone.
  void forgetWritten() {
    written.clear();
    constants.clear();
  }

  /// True for the operations that are read as expressions; all others are leaves.
  static bool isArithmetic(mlir::Operation *op);

private:
  std::function<Bounds(mlir::Value)> indexBounds() {
    return [this](mlir::Value value) { return importValue(value).bounds(); };
  }
  Expr leafFor(mlir::Value value);
  Expr importOperation(mlir::Operation *op);
  LinearForm linearOf(mlir::Operation *op);
  Bounds boundsOfLeaf(mlir::Value value);
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc, Expr expression);
  mlir::Value emitTerms(mlir::OpBuilder &builder, mlir::Location loc, const LinearForm &form);
  mlir::Value emitComparison(mlir::OpBuilder &builder, mlir::Location loc, Expr operand, bool isEquality,
                             bool isNegated);
  mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc, int64_t value, bool isCondition);

  ExprContext &context;
  mlir::Block *block;
  llvm::DenseMap<mlir::Value, Expr> expressions;
  llvm::DenseMap<mlir::Value, LinearForm> sums; // parts of longer sums
  llvm::DenseMap<mlir::Value, int64_t> costs;
  ValueRanges ranges;
  llvm::DenseMap<int64_t, mlir::Value> leafValues; // by leaf number
  llvm::DenseMap<const ExprNode *, mlir::Value> written;
  llvm::DenseMap<std::pair<int64_t, unsigned>, mlir::Value> constants; // written ones
};

} // namespace tiny::sym

#endif // TINY_DIALECT_SYMBOLIC_ARITHBRIDGE_H
