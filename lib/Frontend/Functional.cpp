// Functions that the methods of Tensor make up: elementwise ones, reductions, products, windows, random choices.
#include "Tiny/Frontend/Functional.h"

#include "Calls.h"

#include <cmath>
#include <limits>

using namespace tiny;
using namespace tiny::frontend;
using namespace tiny::functional;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Autocast::Autocast(tiny_dtype dtype, Site site) : before(getAutocast()) {
  if (!isFloat(dtype))
    raise(std::string("expects a type of floats, got ") + getDtypeName(dtype), site);
  getAutocast() = dtype;
}
Autocast::~Autocast() { getAutocast() = before; }

//===--- Elementwise ----------------------------------------------------------------------------------------------===//

Tensor functional::celu(const Tensor &input, double alpha, Site site) {
  if (!(alpha > 0))
    raise("expects an alpha above 0, got " + std::to_string(alpha), site);
  // max(x, 0) + min(alpha (exp(x / alpha) - 1), 0)
  Tensor isAbove = input.gt(0, site);
  Tensor below = where(isAbove, 0.0, input, site).div(alpha, site).expm1(site).mul(alpha, site);
  return where(isAbove, input, below, site);
}
Tensor functional::prelu(const Tensor &input, const Tensor &weight, Site site) {
  Tensor wide = weight;
  if (weight.numel() > 1) {
    if (input.dim() < 2 || weight.dim() != 1 || weight.shape()[0] != input.shape()[1])
      raise("expects one weight or one for each channel, got " + std::to_string(weight.numel()), site);
    Shape shape(input.shape().size(), 1);
    shape[1] = weight.shape()[0];
    wide = weight.reshape(shape, site);
  } else {
    wide = weight.reshape({}, site);
  }
  return where(input.gt(0, site), input, input.mul(wide, site), site);
}
Tensor functional::hardtanh(const Tensor &input, double low, double high, Site site) {
  // Flat at the bounds, too, where clamp() has a slope.
  Tensor below = where(input.ge(high, site), high, input, site);
  return where(input.le(low, site), low, below, site);
}
Tensor functional::threshold(const Tensor &input, double threshold, double value, Site site) {
  return where(input.le(threshold, site), value, input, site);
}
Tensor functional::quick_gelu(const Tensor &input, Site site) {
  return input.mul(input.mul(1.702, site).sigmoid(site), site);
}
Tensor functional::glu(const Tensor &input, int64_t axis, Site site) {
  axis = checkAxis(axis, input.dim(), site);
  if (input.shape()[axis] % 2)
    raise("expects an even size along the axis, got " + std::to_string(input.shape()[axis]), site);
  std::vector<Tensor> halves = input.chunk(2, axis, site);
  return halves[0].mul(halves[1].sigmoid(site), site);
}
Tensor functional::copysign(const Tensor &input, const Operand &sign, Site site) {
  Tensor given = Tensor::like(sign, input, site);
  // 1 / -0 is below 0.
  Tensor isNegative =
      given.lt(0, site).bitwise_or(given.eq(0, site).bitwise_and(given.reciprocal(site).lt(0, site), site), site);
  Tensor size = input.abs(site).to(input.add(given, site).dtype(), site);
  return where(isNegative, size.neg(site), size, site);
}
Tensor functional::atan2(const Tensor &input, const Operand &x, Site site) {
  Tensor across = Tensor::like(x, input, site), zero = Tensor::like(0.0, input, site);
  Tensor isUp = across.eq(0, site);
  Tensor slope = input.div(where(isUp, 1.0, across, site), site).atan(site);
  Tensor half = copysign(Tensor::like(M_PI / 2, input, site), input, site);
  Tensor turned = where(across.lt(0, site), half.mul(2, site), zero, site).add(slope, site);
  return where(isUp, where(input.eq(0, site), zero, half, site), turned, site);
}
Tensor functional::isclose(const Tensor &input, const Tensor &other, double relative, double absolute, bool equalNan,
                           Site site) {
  Tensor apart = input.sub(other, site).abs(site), most = other.abs(site).mul(relative, site).add(absolute, site);
  Tensor close = apart.le(most, site).bitwise_and(other.isfinite(site), site).bitwise_or(input.eq(other, site), site);
  return equalNan ? close.bitwise_or(input.isnan(site).bitwise_and(other.isnan(site), site), site) : close;
}
Tensor functional::nan_to_num(const Tensor &input, double nan, std::optional<double> high, std::optional<double> low,
                              Site site) {
  double most = input.dtype() == TINY_DTYPE_F64   ? std::numeric_limits<double>::max()
                : input.dtype() == TINY_DTYPE_F16 ? 65504
                                                  : double(std::numeric_limits<float>::max());
  if (input.dtype() == TINY_DTYPE_BF16)
    most = 0x1.FEp127;
  Tensor some = where(input.isnan(site), nan, input, site);
  some = where(some.eq(kInfinity, site), high.value_or(most), some, site);
  return where(some.eq(-kInfinity, site), low.value_or(-most), some, site);
}

//===--- Reductions -----------------------------------------------------------------------------------------------===//

Tensor functional::norm(const Tensor &input, double p, Shape axes, bool keepdim, Site site) {
  // Squares are too large for f16 long before their root is.
  if (isFloat(input.dtype()) && tiny_dtype_size(input.dtype()) < 4)
    return norm(input.to(TINY_DTYPE_F32, site), p, std::move(axes), keepdim, site).to(input.dtype(), site);
  if (p == 2)
    return input.square(site).sum(std::move(axes), keepdim, site).sqrt(site);
  Tensor size = input.abs(site);
  if (p == kInfinity)
    return size.max(std::move(axes), keepdim, site);
  if (p == 1)
    return size.sum(std::move(axes), keepdim, site);
  if (!(p > 0))
    raise("expects a power above 0, got " + std::to_string(p), site);
  return size.pow(p, site).sum(std::move(axes), keepdim, site).pow(1 / p, site);
}
Tensor functional::normalize(const Tensor &input, double p, int64_t axis, double epsilon, Site site) {
  return input.div(norm(input, p, {axis}, true, site).maximum(epsilon, site), site);
}
Tensor functional::count_nonzero(const Tensor &input, Shape axes, Site site) {
  return input.ne(0, site).to(TINY_DTYPE_I64, site).sum(std::move(axes), false, site);
}
Tensor functional::cumprod(const Tensor &input, int64_t axis, Site site) {
  return makeOnnx({"CumProd", {input.getNode(), axis}}, site).front();
}

/// For each element along an axis, as the last axis, those up to it; where there are none the value, or that element
/// itself.
static Tensor spreadPrefixes(const Tensor &input, int64_t axis, std::optional<double> value, Site site) {
  axis = checkAxis(axis, input.dim(), site);
  int64_t size = input.shape()[axis];
  Tensor line = movedim(input, axis, -1, site), rows = line.unsqueeze(-2, site);
  Tensor place = Tensor::arange(0, double(size), 1, TINY_DTYPE_I64, site),
         seen = place.unsqueeze(1, site).ge(place, site);
  return value ? where(seen, rows, *value, site) : where(seen, rows, line.unsqueeze(-1, site), site);
}
/// Infinity for floats; integers have no number beyond all others.
static std::optional<double> getLimit(const Tensor &input, double limit) {
  return isFloat(input.dtype()) ? std::optional(limit) : std::nullopt;
}
Tensor functional::cummax(const Tensor &input, int64_t axis, Site site) {
  return movedim(spreadPrefixes(input, axis, getLimit(input, -kInfinity), site).max({-1}, false, site), -1, axis, site);
}
Tensor functional::cummin(const Tensor &input, int64_t axis, Site site) {
  return movedim(spreadPrefixes(input, axis, getLimit(input, kInfinity), site).min({-1}, false, site), -1, axis, site);
}
Tensor functional::logcumsumexp(const Tensor &input, int64_t axis, Site site) {
  return movedim(spreadPrefixes(input, axis, -kInfinity, site).logsumexp({-1}, false, site), -1, axis, site);
}

//===--- Products and windows -------------------------------------------------------------------------------------===//

Tensor functional::dot(const Tensor &input, const Tensor &other, Site site) { return input.matmul(other, site); }
Tensor functional::newton_schulz(const Tensor &input, int64_t steps, const std::vector<double> &coefficients,
                                 double epsilon, Site site) {
  if (input.dim() < 2 || coefficients.empty())
    raise("expects matrices and at least one coefficient", site);
  int64_t rank = input.dim();
  bool isTall = input.shape()[rank - 2] > input.shape()[rank - 1];
  Tensor x = isTall ? input.transpose(-2, -1, site) : input;
  x = x.div(norm(x, 2, {-2, -1}, true, site).add(epsilon, site), site);
  for (int64_t step = 0; step < steps; ++step) {
    // (Horner) c0 x + c1 (x xT) x + c2 (x xT)^2 x ...
    Tensor square = x.matmul(x.transpose(-2, -1, site), site), sum = x.mul(coefficients.back(), site);
    for (size_t k = coefficients.size() - 1; k-- > 0;)
      sum = square.matmul(sum, site).add(x.mul(coefficients[k], site), site);
    x = sum;
  }
  return isTall ? x.transpose(-2, -1, site) : x;
}

/// Refuses anything but one size for each axis behind the channels.
static void checkSizes(const Tensor &input, const Shape &sizes, Site site) {
  if (input.dim() < 3 || int64_t(sizes.size()) != input.dim() - 2)
    raise("expects a size for each axis behind batch and channels of " +
              formatType(input.dtype(), input.shape().data(), input.shape().size()) + ", got " +
              std::to_string(sizes.size()),
          site);
}

Tensor functional::interpolate(const Tensor &input, Shape sizes, const std::string &mode, bool alignCorners,
                               Site site) {
  checkSizes(input, sizes, site);
  if (mode == "area")
    return adaptive_avg_pool(input, sizes, site);
  Shape wanted = {input.shape()[0], input.shape()[1]};
  wanted.insert(wanted.end(), sizes.begin(), sizes.end());
  Composition call = {"Resize", {input.getNode(), std::monostate(), std::monostate(), wanted}};
  auto set = [&](const char *name, const char *value) { call.attributes.emplace_back(name, std::string(value)); };
  bool isLinear = mode == "linear" || mode == "bilinear" || mode == "trilinear", isCubic = mode == "bicubic";
  if (!isLinear && !isCubic && mode != "nearest" && mode != "nearest-exact")
    raise("expects nearest, nearest-exact, linear, bilinear, trilinear, bicubic or area, got '" + mode + "'", site);
  if (alignCorners && !isLinear && !isCubic)
    raise("expects a linear or cubic mode to align corners, got '" + mode + "'", site);
  set("mode", isLinear ? "linear" : isCubic ? "cubic" : "nearest");
  set("coordinate_transformation_mode", mode == "nearest" ? "asymmetric"
                                        : alignCorners    ? "align_corners"
                                                          : "half_pixel");
  if (!isLinear && !isCubic)
    set("nearest_mode", mode == "nearest" ? "floor" : "round_prefer_ceil");
  return makeOnnx(call, site).front();
}

Tensor functional::adaptive_avg_pool(const Tensor &input, Shape sizes, Site site) {
  checkSizes(input, sizes, site);
  Tensor result = input;
  for (int64_t k = 0; k < int64_t(sizes.size()); ++k) {
    int64_t size = input.shape()[k + 2], windows = sizes[k];
    if (windows < 1 || size < 1)
      raise("expects sizes of at least 1, got " + std::to_string(std::min(windows, size)), site);
    // Window w is [floor(w size / windows), ceil((w + 1) size / windows)).
    std::vector<float> shares(size_t(size * windows), 0);
    for (int64_t window = 0; window < windows; ++window) {
      int64_t first = window * size / windows, end = ((window + 1) * size + windows - 1) / windows;
      for (int64_t place = first; place < end; ++place)
        shares[size_t(place * windows + window)] = 1 / float(end - first);
    }
    Tensor matrix = Tensor(shares, {size, windows}, site).to(input.dtype(), site);
    result = movedim(movedim(result, k + 2, -1, site).matmul(matrix, site), -1, k + 2, site);
  }
  return result;
}

std::pair<Tensor, Tensor> functional::max_pool_indices(const Tensor &input, Shape kernel, const Window &window,
                                                       Site site) {
  Composition call = {"MaxPool", {input.getNode()}, {}, 2};
  call.attributes.emplace_back("strides", window.strides.empty() ? kernel : window.strides);
  if (!window.dilations.empty())
    call.attributes.emplace_back("dilations", window.dilations);
  Shape pads = window.low;
  pads.insert(pads.end(), window.high.begin(), window.high.end());
  if (!pads.empty())
    call.attributes.emplace_back("pads", pads);
  call.attributes.emplace_back("kernel_shape", std::move(kernel));
  std::vector<Tensor> results = makeOnnx(call, site);
  double image = 1;
  for (int64_t axis = 2; axis < input.dim(); ++axis)
    image *= double(input.shape()[axis]);
  return {results[0], results[1].remainder(image, site)};
}

Tensor functional::max_unpool(const Tensor &input, const Tensor &indices, Shape sizes, Site site) {
  checkSizes(input, sizes, site);
  Shape wanted = {input.shape()[0], input.shape()[1]};
  wanted.insert(wanted.end(), sizes.begin(), sizes.end());
  int64_t image = 1;
  for (int64_t size : sizes)
    image *= size;
  Tensor empty = Tensor::zeros({input.shape()[0] * input.shape()[1], image}, input.dtype(), site);
  Shape rows = {input.shape()[0] * input.shape()[1], -1};
  return empty.scatter(1, indices.reshape(rows, site), input.reshape(rows, site), site).reshape(wanted, site);
}

//===--- Random choices -------------------------------------------------------------------------------------------===//

Tensor functional::randperm(int64_t count, Site site) {
  return Tensor::rand({count}, 0, 1, site).sort(0, false, site).second;
}

Tensor functional::multinomial(const Tensor &chances, int64_t count, bool replacement, Site site) {
  if (chances.dim() < 1 || count < 1 || (!replacement && count > chances.shape().back()))
    raise("expects a count from 1 to the number of places, got " + std::to_string(count), site);
  // (Gumbel) The largest of log(chance) - log(-log(u)) stands at each place with its chance; the k largest are k draws
  // without replacement.
  Tensor logs = chances.log(site);
  Shape shape = chances.shape();
  if (replacement) {
    shape.insert(shape.end() - 1, count);
    logs = logs.unsqueeze(-2, site);
  }
  Tensor unit = Tensor::rand(shape, 0x1p-25, 1, site);
  Tensor keys = logs.sub(unit.log(site).neg(site).log(site), site);
  return replacement ? keys.argmax({-1}, false, site) : keys.topk(count, -1, true, site).second;
}
