// Functions that move elements and the methods of Tensor make up: padding, diagonals, windows, grids.
#include "Tiny/Frontend/Functional.h"

#include "Calls.h"
#include "Tiny/Frontend/Index.h"

#include <algorithm>

using namespace tiny;
using namespace tiny::frontend;
using namespace tiny::functional;

Tensor functional::linspace(double start, double end, int64_t steps, tiny_dtype dtype, Site site) {
  if (steps < 0)
    raise("expects at least 0 steps, got " + std::to_string(steps), site);
  Tensor place = Tensor::arange(0, double(steps), 1, TINY_DTYPE_F64, site);
  double step = steps > 1 ? (end - start) / double(steps - 1) : 0;
  // From the nearer end, so that both are exact.
  Tensor fromEnd = Tensor::like(end, place, site) - (place.neg(site) + double(steps - 1)) * step;
  return where(place.lt(double(steps) / 2, site), place * step + start, fromEnd, site).to(dtype, site);
}

std::vector<Tensor> functional::meshgrid(const std::vector<Tensor> &tensors, bool isRowFirst, Site site) {
  std::vector<Tensor> along = tensors;
  bool swaps = !isRowFirst && along.size() > 1;
  if (swaps)
    std::swap(along[0], along[1]);
  Shape shape;
  for (const Tensor &tensor : along)
    shape.push_back(tensor.numel());
  std::vector<Tensor> grid;
  for (size_t axis = 0; axis < along.size(); ++axis) {
    Shape one(shape.size(), 1);
    one[axis] = shape[axis];
    grid.push_back(along[axis].reshape(one, site).expand(shape, site));
  }
  if (swaps)
    std::swap(grid[0], grid[1]);
  return grid;
}

Tensor functional::pad(const Tensor &input, Shape low, Shape high, const std::string &mode, double value, Site site) {
  size_t rank = input.shape().size();
  if (low.size() != rank || high.size() != rank)
    raise("expects paddings for " + std::to_string(rank) + " axes, got " + std::to_string(low.size()) + " and " +
              std::to_string(high.size()),
          site);
  // Paddings below 0 cut.
  Shape begin(rank, 0), end = input.shape();
  for (size_t axis = 0; axis < rank; ++axis) {
    begin[axis] = std::max<int64_t>(-low[axis], 0);
    end[axis] -= std::max<int64_t>(-high[axis], 0);
    low[axis] = std::max<int64_t>(low[axis], 0);
    high[axis] = std::max<int64_t>(high[axis], 0);
  }
  bool isWhole = begin == Shape(rank, 0) && end == input.shape() && !isTracing();
  Tensor middle = isWhole ? input : input.shrink(begin, end, site);
  if (mode == "constant") {
    Tensor padded = middle.pad(low, high, site);
    if (value == 0)
      return padded;
    Tensor isInside = Tensor::ones(middle.shape(), TINY_DTYPE_I1, site).pad(low, high, site);
    return where(isInside, padded, value, site);
  }
  const std::pair<const char *, const char *> modes[] = {
      {"reflect", "reflect"}, {"replicate", "edge"}, {"circular", "wrap"}};
  for (auto [name, onnxName] : modes) {
    if (mode != name)
      continue;
    // ONNX wraps and reflects more than once around; PyTorch refuses that, and it is never meant.
    for (size_t axis = 0; axis < rank && mode != "replicate"; ++axis) {
      int64_t most = middle.shape()[axis] - (mode == "reflect" ? 1 : 0);
      if (std::max(low[axis], high[axis]) > std::max<int64_t>(most, 0))
        raise("expects paddings of at most " + std::to_string(most) + " along axis " + std::to_string(axis) +
                  " for mode '" + mode + "', got " + std::to_string(std::max(low[axis], high[axis])),
              site);
    }
    Shape pads = low;
    pads.insert(pads.end(), high.begin(), high.end());
    return makeOnnx({"Pad", {middle.getNode(), pads}, {{"mode", std::string(onnxName)}}}, site).front();
  }
  raise("expects the mode constant, reflect, replicate or circular, got '" + mode + "'", site);
}

Tensor functional::unflatten(const Tensor &input, int64_t axis, Shape sizes, Site site) {
  axis = checkAxis(axis, input.dim(), site);
  int64_t known = 1;
  for (int64_t size : sizes)
    known *= size == -1 ? 1 : size;
  for (int64_t &size : sizes)
    if (size == -1 && known > 0)
      size = input.shape()[axis] / known;
  Shape shape = input.shape();
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, sizes.begin(), sizes.end());
  return input.reshape(shape, site);
}

Tensor functional::movedim(const Tensor &input, int64_t from, int64_t to, Site site) {
  from = checkAxis(from, input.dim(), site);
  to = checkAxis(to, input.dim(), site);
  Shape order;
  for (int64_t axis = 0; axis < input.dim(); ++axis)
    if (axis != from)
      order.push_back(axis);
  order.insert(order.begin() + to, from);
  return from == to ? input : input.permute(order, site);
}

Tensor functional::narrow(const Tensor &input, int64_t axis, int64_t start, int64_t length, Site site) {
  axis = checkAxis(axis, input.dim(), site);
  Shape begin(input.shape().size(), 0), end = input.shape();
  begin[axis] = start < 0 ? start + input.shape()[axis] : start;
  end[axis] = begin[axis] + length;
  return input.shrink(begin, end, site);
}

std::vector<Tensor> functional::unbind(const Tensor &input, int64_t axis, Site site) {
  axis = checkAxis(axis, input.dim(), site);
  std::vector<Tensor> slices;
  slices.reserve(size_t(input.shape()[axis]));
  for (int64_t place = 0; place < input.shape()[axis]; ++place)
    slices.push_back(narrow(input, axis, place, 1, site).squeeze(axis, site));
  return slices;
}

Tensor functional::repeat_interleave(const Tensor &input, int64_t count, int64_t axis, Site site) {
  axis = checkAxis(axis, input.dim(), site);
  if (count < 0)
    raise("expects a count of at least 0, got " + std::to_string(count), site);
  Shape wide = input.shape(), shape = input.shape();
  wide.insert(wide.begin() + axis + 1, count);
  shape[axis] *= count;
  return input.unsqueeze(axis + 1, site).expand(wide, site).reshape(shape, site);
}

Tensor functional::diagonal(const Tensor &input, int64_t offset, int64_t first, int64_t second, Site site) {
  first = checkAxis(first, input.dim(), site);
  second = checkAxis(second, input.dim(), site);
  if (first == second)
    raise("expects two axes, got " + std::to_string(first) + " twice", site);
  Shape order;
  for (int64_t axis = 0; axis < input.dim(); ++axis)
    if (axis != first && axis != second)
      order.push_back(axis);
  order.insert(order.end(), {first, second});
  Tensor rows = input.permute(order, site);
  size_t rank = order.size();
  int64_t row = std::max<int64_t>(-offset, 0), column = std::max<int64_t>(offset, 0);
  int64_t size = std::max<int64_t>(std::min(rows.shape()[rank - 2] - row, rows.shape()[rank - 1] - column), 0);
  Shape begin(rank, 0), end = rows.shape();
  begin[rank - 2] = size ? row : 0;
  begin[rank - 1] = size ? column : 0;
  end[rank - 2] = begin[rank - 2] + size;
  end[rank - 1] = begin[rank - 1] + size;
  // A square with one more column than it has, in rows of that length, has the diagonal as its first column.
  Shape flat(order.size() - 2), low(rank - 1, 0), high(rank - 1, 0);
  std::copy_n(rows.shape().begin(), rank - 2, flat.begin());
  Shape wide = flat;
  flat.push_back(size * size);
  high.back() = size;
  wide.insert(wide.end(), {size, size + 1});
  Tensor square = rows.shrink(begin, end, site).reshape(flat, site).pad(low, high, site).reshape(wide, site);
  return narrow(square, -1, 0, 1, site).squeeze(-1, site);
}

Tensor functional::diag(const Tensor &input, int64_t offset, Site site) {
  if (input.dim() == 2)
    return diagonal(input, offset, 0, 1, site);
  if (input.dim() != 1)
    raise("expects a row or a matrix, got " + formatType(input.dtype(), input.shape().data(), input.shape().size()),
          site);
  int64_t size = input.shape()[0], row = std::max<int64_t>(-offset, 0), column = std::max<int64_t>(offset, 0);
  Tensor square = input.reshape({size, 1}, site).pad({0, 0}, {0, size}, site).flatten(0, -1, site);
  square = size ? square.shrink({0}, {size * size}, site).reshape({size, size}, site) : input.reshape({0, 0}, site);
  return square.pad({row, column}, {column, row}, site);
}

Tensor functional::trace(const Tensor &input, Site site) { return diagonal(input, 0, 0, 1, site).sum({}, false, site); }

Tensor functional::embedding(const Tensor &indices, const Tensor &weight, std::optional<int64_t> padding, Site site) {
  if (weight.dim() != 2 || isFloat(indices.dtype()) || indices.dtype() == TINY_DTYPE_I1)
    raise("expects integers and a weight [count, size], got " +
              formatType(indices.dtype(), indices.shape().data(), indices.shape().size()) + " and " +
              formatType(weight.dtype(), weight.shape().data(), weight.shape().size()),
          site);
  int64_t count = weight.shape()[0];
  if (padding && (*padding < -count || *padding >= count))
    raise("expects a padding of " + std::to_string(-count) + " to " + std::to_string(count - 1) + ", got " +
              std::to_string(*padding),
          site);
  Tensor rows = weight.take(indices, 0, site);
  if (!padding)
    return rows;
  Tensor isPadding = indices.eq(double(*padding < 0 ? *padding + count : *padding), site).unsqueeze(-1, site);
  return where(isPadding, rows.detach(site), rows, site);
}

Tensor functional::unfold(const Tensor &input, int64_t axis, int64_t size, int64_t step, Site site) {
  axis = checkAxis(axis, input.dim(), site);
  if (size < 1 || size > input.shape()[axis] || step < 1)
    raise("expects a window of 1 to " + std::to_string(input.shape()[axis]) +
              " elements and a step of at least 1, got " + std::to_string(size) + " and " + std::to_string(step),
          site);
  int64_t windows = (input.shape()[axis] - size) / step + 1;
  Tensor first = Tensor::arange(0, double(windows * step), double(step), TINY_DTYPE_I64, site);
  Tensor places = first.unsqueeze(1, site) + Tensor::arange(0, double(size), 1, TINY_DTYPE_I64, site);
  return movedim(input.take(places, axis, site), axis + 1, -1, site);
}

Tensor functional::scatter_reduce(const Tensor &input, int64_t axis, const Tensor &indices, const Tensor &source,
                                  const std::string &reduce, Site site) {
  const std::pair<const char *, const char *> reductions[] = {
      {"sum", "add"}, {"prod", "mul"}, {"amax", "max"}, {"amin", "min"}};
  for (auto [name, onnxName] : reductions)
    if (reduce == name)
      return makeOnnx({"ScatterElements",
                       {input.getNode(), indices.getNode(), source.getNode()},
                       {{"axis", axis}, {"reduction", std::string(onnxName)}}},
                      site)
          .front();
  if (reduce != "mean")
    raise("expects sum, prod, mean, amax or amin, got '" + reduce + "'", site);
  Tensor one = Tensor::ones(input.shape(), input.dtype(), site);
  Tensor counts = one.scatter_add(axis, indices, Tensor::ones(source.shape(), input.dtype(), site), site);
  return input.scatter_add(axis, indices, source, site).div(counts, site);
}

Tensor functional::nonzero(const Tensor &input, Site site) {
  Tensor chosen = Tensor::arange(0, double(input.numel()), 1, TINY_DTYPE_I64, site)
                      .index({Index(input.ne(0, site).flatten(0, -1, site))}, site);
  std::vector<Tensor> columns;
  int64_t inner = 1;
  for (size_t axis = input.shape().size(); axis-- > 0;) {
    columns.insert(
        columns.begin(),
        chosen.floor_divide(double(inner), site).remainder(double(std::max<int64_t>(input.shape()[axis], 1)), site));
    inner *= std::max<int64_t>(input.shape()[axis], 1);
  }
  return columns.empty() ? Tensor::zeros({chosen.numel(), 0}, TINY_DTYPE_I64, site) : Tensor::stack(columns, 1, site);
}
