// Collectives: what their shapes must be.
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Collective.h"

using namespace mlir;

namespace tiny::lazy {

LogicalResult CollectiveOp::verify() {
  return verifyCollective([&] { return emitOpError(); }, getKind(), getReduction(), getGrid(), getAxes(), getPeers(),
                          cast<ShapedType>(getInput().getType()), cast<ShapedType>(getType()));
}

} // namespace tiny::lazy
