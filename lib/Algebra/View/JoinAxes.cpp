// Adjacent axes that walk the buffer as one.
#include "Tiny/Algebra/View/View.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

using Wide = __int128;

View tiny::joinAxes(const View &view) {
  if (view.getNumElements() == 0 || view.isAllMasked())
    return view;
  View::Shape shape, strides;
  View::Mask mask;
  for (int64_t axis = 0; axis < view.getRank(); ++axis) {
    int64_t size = view.getShape()[axis], stride = view.getStrides()[axis];
    MaskInterval interval = view.hasMask() ? view.getMask()[axis] : MaskInterval{0, size};
    if (size == 1)
      continue;
    if (!shape.empty()) {
      bool isFull = interval == MaskInterval{0, size};
      bool isSingle = mask.back().end - mask.back().begin == 1;
      // An outer axis with one valid index has stride 0 by canonical form; any stride serves it.
      if (isFull && strides.back() == stride * size) {
        shape.back() *= size;
        strides.back() = stride;
        mask.back() = {mask.back().begin * size, mask.back().end * size};
        continue;
      }
      if (isSingle) {
        int64_t start = mask.back().begin * size;
        shape.back() *= size;
        strides.back() = stride;
        mask.back() = {start + interval.begin, start + interval.end};
        continue;
      }
    }
    shape.push_back(size);
    strides.push_back(stride);
    mask.push_back(interval);
  }
  // The position of the first valid element fixes the offset.
  Wide offset = view.getOffset();
  if (view.hasMask()) {
    View::Shape corner;
    for (MaskInterval interval : view.getMask())
      corner.push_back(interval.begin);
    offset = *view.evaluate(corner);
    for (auto [stride, interval] : zip_equal(strides, mask))
      offset -= Wide(stride) * interval.begin;
  }
  if (offset >= kIndexLimit || offset <= -kIndexLimit)
    return view;
  std::optional<View> joined = View::get(shape, strides, int64_t(offset), mask);
  return joined ? *joined : view;
}
