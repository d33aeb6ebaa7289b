// Collectives: what their shapes must be.
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Collective.h"

using namespace mlir;
using namespace tiny::tensor;

LogicalResult CollectiveOp::verify() {
  // (collective_c4) The element type says whether a maximum is unsigned.
  if (getReduction() && getReduction()->starts_with("unsigned_"))
    return emitOpError("expects 'sum', 'product', 'max' or 'min', got '") << *getReduction() << "'";
  return tiny::verifyCollective([&] { return emitOpError(); }, getKind(), getReduction(), getGrid(), getAxes(),
                                getInput().getType(), getType());
}
