// The operations that ask for memory: lazy.contiguous for a buffer, lazy.keep for memory of a kernel.
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Producer.h"

using namespace mlir;

namespace tiny::lazy {

LogicalResult ContiguousOp::verify() {
  // (contiguous_c1) A group has no buffers inside.
  if (isa_and_present<GroupOp>((*this)->getParentOp()))
    return emitOpError("asks for a buffer inside of a group; 'lazy.keep' keeps a value there");
  return success();
}

OpFoldResult ContiguousOp::fold(FoldAdaptor) {
  // contiguous(contiguous(x)) -> contiguous(x)
  if (getInput().getDefiningOp<ContiguousOp>())
    return foldTo(getInput(), *this);
  return {};
}

LogicalResult KeepOp::verify() {
  std::optional<ArrayRef<int64_t>> axes = getAxes();
  if (!axes)
    return success();
  int64_t rank = getType().getRank();
  // (keep_c1) There is at least one axis.
  if (axes->empty())
    return emitOpError("expects at least one axis; without 'over' it keeps the whole value");
  for (auto [position, axis] : llvm::enumerate(*axes)) {
    // (keep_c2) Axes lie below the rank.
    if (axis < 0 || axis >= rank)
      return emitOpError("expects axes below rank ") << rank << ", got " << axis;
    // (keep_c3) Axes ascend.
    if (position > 0 && (*axes)[position - 1] >= axis)
      return emitOpError("expects ascending axes, got ") << axis << " after " << (*axes)[position - 1];
  }
  return success();
}

OpFoldResult KeepOp::fold(FoldAdaptor adaptor) {
  // keep(x) -> x   [x has one element at most, is constant, or is kept over the same axes]
  auto inner = getInput().getDefiningOp<KeepOp>();
  if (getType().getNumElements() <= 1 || adaptor.getInput() || (inner && inner.getAxesAttr() == getAxesAttr()))
    return foldTo(getInput(), *this);
  // keep(x) over [all axes] -> keep(x)
  if (getAxes() && static_cast<int64_t>(getAxes()->size()) == getType().getRank()) {
    removeAxesAttr();
    return getResult();
  }
  return {};
}

} // namespace tiny::lazy
