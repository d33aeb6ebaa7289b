// Loops and branches: the functions that they name.
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tiny::lazy {

/// Checks that a function is there and takes and gives these.
static LogicalResult verifyCallee(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr name,
                                  TypeRange inputs, TypeRange results) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, name);
  if (!callee)
    return op->emitOpError("names ") << name << ", which is no function";
  if (TypeRange(callee.getArgumentTypes()) == inputs && TypeRange(callee.getResultTypes()) == results)
    return success();
  auto diag = op->emitOpError("expects ") << name << " to be (" << inputs << ") -> (" << results << ")";
  diag.attachNote(callee.getLoc()) << "it is (" << TypeRange(callee.getArgumentTypes()) << ") -> ("
                                   << TypeRange(callee.getResultTypes()) << ")";
  return diag;
}

LogicalResult LoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Type count = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  // (loop_c1) results are what is carried, rows, and how many iterations there were.
  if (getNumResults() < getNumCarried() + 1 || getResults().back().getType() != count ||
      getResults().take_front(getNumCarried()).getTypes() != getCarried().getTypes())
    return emitOpError("expects as results what it carries, rows, and how many iterations there were, a ") << count;
  // (loop_c2) the function takes the number, what is carried and what is captured, and gives the condition, the next
  // values and what the rows consist of.
  SmallVector<Type> inputs = {count}, results;
  llvm::append_range(inputs, getCarried().getTypes());
  llvm::append_range(inputs, getCaptured().getTypes());
  if (getCondition())
    results.push_back(getCondition().getType());
  llvm::append_range(results, getCarried().getTypes());
  for (Type rows : getResults().slice(getNumCarried(), getNumRows()).getTypes()) {
    auto type = cast<RankedTensorType>(rows);
    if (type.getRank() == 0 || type.getDimSize(0) != static_cast<int64_t>(getMost()))
      return emitOpError("expects rows of ") << getMost() << " iterations, got " << type;
    results.push_back(type.clone(type.getShape().drop_front()));
  }
  return verifyCallee(*this, symbols, getCalleeAttr(), inputs, results);
}

LogicalResult IfOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (if_c1) both functions take what is captured, and give the results.
  for (FlatSymbolRefAttr name : {getCalleeAttr(), getOtherwiseAttr()})
    if (failed(verifyCallee(*this, symbols, name, getCaptured().getTypes(), getResultTypes())))
      return failure();
  return success();
}

} // namespace tiny::lazy
