// Indices between brackets: what is a view becomes a slice, tensors of integers a gather of coordinates, masks `where`.
#include "Tiny/Frontend/Index.h"

#include "Calls.h"

#include <algorithm>

using namespace tiny;
using namespace tiny::frontend;

namespace {

/// What the items say about each axis of the tensor.
class Choice {
public:
  Choice(const Tensor &input, const std::vector<Index> &items, Site site) : input(input), site(site) {
    int64_t taken = 0, ellipses = 0;
    for (const Index &item : items) {
      ellipses += item.get<Index::Ellipsis>() != nullptr;
      taken += isMask(item) ? item.get<Tensor>()->dim() : !item.get<Index::Ellipsis>() && !item.get<Index::NewAxis>();
    }
    if (taken > input.dim() || ellipses > 1)
      raise(ellipses > 1 ? "expects at most one '...'"
                         : "got indices for " + std::to_string(taken) + " axes of a tensor of rank " +
                               std::to_string(input.dim()),
            site);
    bool isRest = true;
    for (const Index &item : items) {
      if (item.get<Index::Ellipsis>()) {
        addWhole(input.dim() - taken);
        isRest = false;
      } else {
        add(item);
      }
    }
    if (isRest)
      addWhole(input.dim() - taken);
  }

  /// The slice of each axis; whole where a tensor chooses.
  Shape begin, end, strides;
  /// The slice's axes, those of integers left out and new ones put in; where they stand among the slice's, or -1.
  Shape shape, origin;
  /// Tensors of integers, by their axis in `shape`.
  std::vector<std::pair<int64_t, Tensor>> tensors;

  bool isWhole() const {
    for (size_t axis = 0; axis < begin.size(); ++axis)
      if (begin[axis] != 0 || end[axis] != input.shape()[axis] || strides[axis] != 1)
        return false;
    return true;
  }

private:
  static bool isMask(const Index &item) {
    const Tensor *tensor = item.get<Tensor>();
    return tensor && tensor->dtype() == TINY_DTYPE_I1;
  }

  void addAxis(int64_t from, int64_t to, int64_t stride, bool stays) {
    begin.push_back(from);
    end.push_back(to);
    strides.push_back(stride);
    int64_t size = stride > 0 ? (to - from + stride - 1) / stride : (from - to - stride - 1) / -stride;
    if (stays) {
      shape.push_back(std::max<int64_t>(size, 0));
      origin.push_back(int64_t(begin.size()) - 1);
    }
  }
  void addWhole(int64_t count) {
    for (int64_t k = 0; k < count; ++k)
      addAxis(0, input.shape()[begin.size()], 1, true);
  }

  void add(const Index &item) {
    if (item.get<Index::NewAxis>()) {
      shape.push_back(1);
      origin.push_back(-1);
      return;
    }
    int64_t size = input.shape()[begin.size()];
    if (const int64_t *number = item.get<int64_t>()) {
      if (*number < -size || *number >= size)
        raise("index " + std::to_string(*number) + " is out of range for axis " + std::to_string(begin.size()) +
                  " of size " + std::to_string(size),
              site);
      int64_t place = *number < 0 ? *number + size : *number;
      addAxis(place, place + 1, 1, false);
    } else if (const Index::Slice *slice = item.get<Index::Slice>()) {
      addSlice(*slice, size);
    } else {
      const Tensor &tensor = *item.get<Tensor>();
      if (isMask(item))
        return addMask(tensor);
      if (isFloat(tensor.dtype()))
        raise(std::string("expects indices of integers or truth values, got ") + getDtypeName(tensor.dtype()), site);
      tensors.emplace_back(int64_t(shape.size()), tensor);
      addWhole(1);
    }
  }

  void addSlice(const Index::Slice &slice, int64_t size) {
    int64_t step = slice.step.value_or(1);
    if (step == 0)
      raise("expects a step that is not 0", site);
    // As Python counts: ends beyond the axis are cut to it.
    int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
    auto cut = [&](std::optional<int64_t> number, int64_t otherwise) {
      if (!number)
        return otherwise;
      return std::clamp(*number < 0 ? *number + size : *number, least, most);
    };
    int64_t from = cut(slice.begin, step > 0 ? 0 : size - 1), to = cut(slice.end, step > 0 ? size : -1);
    if (step > 0 ? to <= from : to >= from)
      return addAxis(0, 0, 1, true);
    addAxis(from, to, step, true);
  }

  /// A mask is the integers at which it holds, known now.
  void addMask(const Tensor &mask) {
    Shape sizes(input.shape().begin() + int64_t(begin.size()),
                input.shape().begin() + int64_t(begin.size()) + mask.dim());
    if (mask.shape() != sizes)
      raise("expects a mask of the shape of the axes that it chooses from, got " +
                formatType(mask.dtype(), mask.shape().data(), mask.shape().size()),
            site);
    const HostTensor &holds = peek(mask, site);
    Shape places;
    for (int64_t place = 0; place < holds.size(); ++place)
      if (holds.bytes[place])
        places.push_back(place);
    int64_t inner = holds.size();
    for (int64_t size : sizes) {
      inner = size ? inner / size : 0;
      HostTensor numbers = HostTensor::zeros(TINY_DTYPE_I64, {int64_t(places.size())});
      for (size_t k = 0; k < places.size(); ++k)
        numbers.data<int64_t>()[k] = places[k] / inner % size;
      tensors.emplace_back(int64_t(shape.size()), Tensor(std::move(numbers)));
      addWhole(1);
    }
  }

  const Tensor &input;
  Site site;
};

Shape broadcastShapes(const std::vector<std::pair<int64_t, Tensor>> &tensors, Site site) {
  Shape wide;
  for (const auto &[axis, tensor] : tensors) {
    const Shape &shape = tensor.shape();
    if (shape.size() > wide.size())
      wide.insert(wide.begin(), shape.size() - wide.size(), 1);
    for (size_t k = 0; k < shape.size(); ++k) {
      int64_t &size = wide[wide.size() - shape.size() + k];
      if (shape[k] != size && shape[k] != 1 && size != 1)
        raise("expects indices that broadcast, got " + std::to_string(size) + " and " + std::to_string(shape[k]), site);
      size = size == 1 ? shape[k] : size;
    }
  }
  return wide;
}

/// A tensor's view of a place in the result: its axes stand from `first` on, of `rank`.
Tensor place(const Tensor &tensor, int64_t first, int64_t rank, Site site) {
  Shape shape(size_t(rank), 1);
  std::copy(tensor.shape().begin(), tensor.shape().end(), shape.begin() + first);
  return tensor.reshape(shape, site);
}

/// For each axis of `sizes` the coordinates that the tensors choose, as they broadcast to the result. Where the axes of
/// the tensors stand apart they come first.
std::vector<Tensor> makeCoordinates(const Choice &choice, Site site) {
  Shape chosen = broadcastShapes(choice.tensors, site);
  int64_t count = int64_t(chosen.size()), taken = int64_t(choice.tensors.size());
  bool isTogether = choice.tensors.back().first - choice.tensors.front().first == taken - 1;
  int64_t front = isTogether ? choice.tensors.front().first : 0;
  int64_t rank = int64_t(choice.shape.size()) - taken + count;
  std::vector<Tensor> coordinates;
  size_t next = 0;
  int64_t passed = 0;
  for (int64_t axis = 0; axis < int64_t(choice.shape.size()); ++axis) {
    if (next < choice.tensors.size() && choice.tensors[next].first == axis) {
      Tensor numbers = choice.tensors[next++].second.to(TINY_DTYPE_I64, site);
      coordinates.push_back(place(numbers, front + count - numbers.dim(), rank, site));
      continue;
    }
    int64_t at = passed < front ? passed : passed + count;
    ++passed;
    Tensor all = Tensor::arange(0, double(choice.shape[axis]), 1, TINY_DTYPE_I64, site);
    coordinates.push_back(place(all, at, rank, site));
  }
  return coordinates;
}

} // namespace

Tensor Tensor::index(const std::vector<Index> &indices, Site site) const {
  Choice choice(*this, indices, site);
  Tensor view = *this;
  // What is whole at one size is a part at others.
  if (!choice.isWhole() || isTracing())
    view = make({"slice", {node}, {{"begin", choice.begin}, {"end", choice.end}, {"strides", choice.strides}}}, site);
  if (view.shape() != choice.shape)
    view = view.reshape(choice.shape, site);
  if (choice.tensors.empty())
    return view;
  // One tensor alone chooses slices.
  if (choice.tensors.size() == 1)
    return view.take(choice.tensors.front().second, choice.tensors.front().first, site);
  for (const auto &[axis, tensor] : choice.tensors)
    checkIndices(tensor, axis, choice.shape, site);
  Call call = {"gather", {view.node}};
  for (const Tensor &coordinate : makeCoordinates(choice, site))
    call.operands.push_back(coordinate.node);
  return make(call, site);
}

Tensor Tensor::with(const std::vector<Index> &indices, const Operand &value, Site site) const {
  // A mask alone needs no shape that is known: the value stands in each place that it chooses.
  if (indices.size() == 1)
    if (const Tensor *mask = indices.front().get<Tensor>(); mask && mask->dtype() == TINY_DTYPE_I1) {
      Shape wide = mask->shape();
      bool isPrefix = int64_t(wide.size()) <= dim() && std::equal(wide.begin(), wide.end(), shape().begin());
      bool isOne = !value.tensor || value.tensor->numel() == 1;
      if (isPrefix && isOne) {
        wide.resize(shape().size(), 1);
        Tensor one = like(value, *this, site).reshape({}, site).to(dtype(), site);
        return where(mask->reshape(wide, site), one, *this, site);
      }
    }
  Choice choice(*this, indices, site);
  Tensor given = like(value, *this, site).to(dtype(), site);
  if (choice.tensors.empty()) {
    // The slice has axes that integers took, and none that are new.
    Shape slice;
    for (size_t axis = 0, next = 0; axis < choice.begin.size(); ++axis) {
      while (next < choice.origin.size() && choice.origin[next] < 0)
        ++next;
      bool stays = next < choice.origin.size() && choice.origin[next] == int64_t(axis);
      slice.push_back(stays ? choice.shape[next++] : 1);
    }
    Tensor whole = given.expand(choice.shape, site).reshape(slice, site);
    return make(
        {"setitem", {node, whole.node}, {{"begin", choice.begin}, {"end", choice.end}, {"strides", choice.strides}}},
        site);
  }
  // Row-major places of the chosen elements in the flat tensor.
  Tensor places = arange(0, double(numel()), 1, TINY_DTYPE_I64, site).reshape(shape(), site).index(indices, site);
  Tensor wide = given.expand(places.shape(), site);
  return flatten(0, -1, site)
      .scatter(0, places.flatten(0, -1, site), wide.flatten(0, -1, site), site)
      .reshape(shape(), site);
}
