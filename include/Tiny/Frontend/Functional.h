// Functions that the methods of Tensor make up: PyTorch's names and meaning. Python has them as methods and functions.
#ifndef TINY_FRONTEND_FUNCTIONAL_H
#define TINY_FRONTEND_FUNCTIONAL_H

#include "Tiny/Frontend/Tensor.h"

#include <optional>

namespace tiny {

/// While one lives, in its thread, products, convolutions and attention of f32 are computed in another float type, and
/// losses over classes in f32. Parameters stay what they are.
class Autocast {
public:
  explicit Autocast(tiny_dtype dtype, Site site = Site::here());
  ~Autocast();
  Autocast(const Autocast &) = delete;
  Autocast &operator=(const Autocast &) = delete;

private:
  std::optional<tiny_dtype> before;
};

} // namespace tiny

namespace tiny::functional {

//===--- Creation -------------------------------------------------------------------------------------------------===//

/// So many numbers at equal distances, both ends included.
Tensor linspace(double start, double end, int64_t steps, tiny_dtype dtype = TINY_DTYPE_F32, Site site = Site::here());
/// The whole numbers below `count` in random order.
Tensor randperm(int64_t count, Site site = Site::here());
/// Places along the last axis, drawn by the chances that stand there.
Tensor multinomial(const Tensor &chances, int64_t count, bool replacement = false, Site site = Site::here());
/// One tensor for each axis of a grid, from the numbers along it. `isRowFirst` is "ij", else "xy".
std::vector<Tensor> meshgrid(const std::vector<Tensor> &tensors, bool isRowFirst = true, Site site = Site::here());

//===--- Movement -------------------------------------------------------------------------------------------------===//

/// What stands around a tensor: "constant" for a value, "reflect", "replicate", "circular".
Tensor pad(const Tensor &input, Shape low, Shape high, const std::string &mode, double value = 0,
           Site site = Site::here());
/// One axis as several; one size may be -1.
Tensor unflatten(const Tensor &input, int64_t axis, Shape sizes, Site site = Site::here());
Tensor movedim(const Tensor &input, int64_t from, int64_t to, Site site = Site::here());
Tensor narrow(const Tensor &input, int64_t axis, int64_t start, int64_t length, Site site = Site::here());
/// The slices along an axis, without it.
std::vector<Tensor> unbind(const Tensor &input, int64_t axis = 0, Site site = Site::here());
/// Each element so many times, one beside the other.
Tensor repeat_interleave(const Tensor &input, int64_t count, int64_t axis, Site site = Site::here());
/// The elements [.., i, i + offset] of two axes, as the last axis.
Tensor diagonal(const Tensor &input, int64_t offset = 0, int64_t first = 0, int64_t second = 1,
                Site site = Site::here());
/// A matrix's diagonal; of a row the matrix that has it as its diagonal.
Tensor diag(const Tensor &input, int64_t offset = 0, Site site = Site::here());
Tensor trace(const Tensor &input, Site site = Site::here());
/// Rows of a weight [count, size], by integers; that of `padding` gets no gradient.
Tensor embedding(const Tensor &indices, const Tensor &weight, std::optional<int64_t> padding = {},
                 Site site = Site::here());
/// Windows of a size along an axis, every `step` elements, as the last axis.
Tensor unfold(const Tensor &input, int64_t axis, int64_t size, int64_t step, Site site = Site::here());
/// Elements at random places combined: "sum", "prod", "mean", "amax", "amin", with what was there.
Tensor scatter_reduce(const Tensor &input, int64_t axis, const Tensor &indices, const Tensor &source,
                      const std::string &reduce, Site site = Site::here());
/// Where elements are not zero, a row of indices each. Computed at once, since the shape depends on it.
Tensor nonzero(const Tensor &input, Site site = Site::here());

//===--- Elementwise ----------------------------------------------------------------------------------------------===//

Tensor celu(const Tensor &input, double alpha = 1, Site site = Site::here());
/// x, or the weight times x where x is negative; weights for each channel, axis 1, or one for all.
Tensor prelu(const Tensor &input, const Tensor &weight, Site site = Site::here());
Tensor hardtanh(const Tensor &input, double low = -1, double high = 1, Site site = Site::here());
Tensor threshold(const Tensor &input, double threshold, double value, Site site = Site::here());
/// x * sigmoid(1.702 x)
Tensor quick_gelu(const Tensor &input, Site site = Site::here());
/// The first half along an axis times the sigmoid of the second.
Tensor glu(const Tensor &input, int64_t axis = -1, Site site = Site::here());
Tensor copysign(const Tensor &input, const Operand &sign, Site site = Site::here());
/// The angle of the point (x, input), from -pi to pi.
Tensor atan2(const Tensor &input, const Operand &x, Site site = Site::here());
Tensor isclose(const Tensor &input, const Tensor &other, double relative = 1e-5, double absolute = 1e-8,
               bool equalNan = false, Site site = Site::here());
/// NaN and infinities replaced: by 0 and the largest numbers, where none are given.
Tensor nan_to_num(const Tensor &input, double nan = 0, std::optional<double> high = {}, std::optional<double> low = {},
                  Site site = Site::here());

//===--- Reductions -----------------------------------------------------------------------------------------------===//

/// (sum |x|^p)^(1/p); the largest |x| for an infinite p.
Tensor norm(const Tensor &input, double p = 2, Shape axes = {}, bool keepdim = false, Site site = Site::here());
/// Over its norm along an axis, which counts at least `epsilon`.
Tensor normalize(const Tensor &input, double p = 2, int64_t axis = 1, double epsilon = 1e-12, Site site = Site::here());
Tensor count_nonzero(const Tensor &input, Shape axes = {}, Site site = Site::here());
/// Of the elements up to each one along an axis.
Tensor cumprod(const Tensor &input, int64_t axis, Site site = Site::here());
Tensor cummax(const Tensor &input, int64_t axis, Site site = Site::here());
Tensor cummin(const Tensor &input, int64_t axis, Site site = Site::here());
Tensor logcumsumexp(const Tensor &input, int64_t axis, Site site = Site::here());

//===--- Products and windows -------------------------------------------------------------------------------------===//

/// A row times a row, or what matmul does.
Tensor dot(const Tensor &input, const Tensor &other, Site site = Site::here());
/// Newton and Schulz's steps towards the nearest orthogonal matrix, by the coefficients of an odd polynomial.
Tensor newton_schulz(const Tensor &input, int64_t steps, const std::vector<double> &coefficients, double epsilon = 1e-7,
                     Site site = Site::here());
/// [batch, channels, ...] to other sizes of the axes behind: "nearest", "nearest-exact", "linear" (also for "bilinear"
/// and "trilinear"), "bicubic", "area".
Tensor interpolate(const Tensor &input, Shape sizes, const std::string &mode = "nearest", bool alignCorners = false,
                   Site site = Site::here());
/// Means of windows that divide each axis behind the channels into so many.
Tensor adaptive_avg_pool(const Tensor &input, Shape sizes, Site site = Site::here());
/// max_pool, and where in its image each element stood.
std::pair<Tensor, Tensor> max_pool_indices(const Tensor &input, Shape kernel, const Window &window = {},
                                           Site site = Site::here());
/// Elements back where `max_pool_indices` found them, zeros elsewhere. Sizes are those of the axes behind the channels.
Tensor max_unpool(const Tensor &input, const Tensor &indices, Shape sizes, Site site = Site::here());

//===--- Losses ---------------------------------------------------------------------------------------------------===//

/// What becomes of a loss's elements.
enum class Over { None, Sum, Mean };

struct CrossEntropyOptions {
  /// For each class, how much it counts.
  const Tensor *weight = nullptr;
  /// Targets that do not count.
  int64_t ignoreIndex = -100;
  Over over = Over::Mean;
  /// This share of the target is spread over all classes.
  double labelSmoothing = 0;
};
/// Of scores [batch, classes, ...] against integers [batch, ...], or against chances of the scores' shape.
Tensor cross_entropy(const Tensor &input, const Tensor &target, const CrossEntropyOptions &options = {},
                     Site site = Site::here());
/// The same of logarithms of chances, against integers.
Tensor nll_loss(const Tensor &input, const Tensor &target, const CrossEntropyOptions &options = {},
                Site site = Site::here());
Tensor mse_loss(const Tensor &input, const Tensor &target, Over over = Over::Mean, Site site = Site::here());
Tensor l1_loss(const Tensor &input, const Tensor &target, Over over = Over::Mean, Site site = Site::here());
/// Squares below `beta`, over 2 beta; lines above it.
Tensor smooth_l1_loss(const Tensor &input, const Tensor &target, Over over = Over::Mean, double beta = 1,
                      Site site = Site::here());
Tensor huber_loss(const Tensor &input, const Tensor &target, Over over = Over::Mean, double delta = 1,
                  Site site = Site::here());
/// target * (log(target) - input), where `isLog` says that the target is a logarithm, too.
Tensor kl_div(const Tensor &input, const Tensor &target, Over over = Over::Mean, bool isLog = false,
              Site site = Site::here());
Tensor binary_cross_entropy(const Tensor &input, const Tensor &target, const Tensor *weight = nullptr,
                            Over over = Over::Mean, Site site = Site::here());
Tensor binary_cross_entropy_with_logits(const Tensor &input, const Tensor &target, const Tensor *weight = nullptr,
                                        const Tensor *positive = nullptr, Over over = Over::Mean,
                                        Site site = Site::here());
Tensor cosine_similarity(const Tensor &input, const Tensor &other, int64_t axis = 1, double epsilon = 1e-8,
                         Site site = Site::here());
/// Targets are 1 and -1 in these.
Tensor hinge_embedding_loss(const Tensor &input, const Tensor &target, double margin = 1, Over over = Over::Mean,
                            Site site = Site::here());
Tensor soft_margin_loss(const Tensor &input, const Tensor &target, Over over = Over::Mean, Site site = Site::here());
Tensor margin_ranking_loss(const Tensor &first, const Tensor &second, const Tensor &target, double margin = 0,
                           Over over = Over::Mean, Site site = Site::here());
Tensor cosine_embedding_loss(const Tensor &first, const Tensor &second, const Tensor &target, double margin = 0,
                             Over over = Over::Mean, Site site = Site::here());
/// max(|anchor - positive| - |anchor - negative| + margin, 0), by norms of the last axis.
Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative, double margin = 1,
                           double p = 2, Over over = Over::Mean, Site site = Site::here());
Tensor poisson_nll_loss(const Tensor &input, const Tensor &target, bool isLog = true, Over over = Over::Mean,
                        double epsilon = 1e-8, Site site = Site::here());
Tensor gaussian_nll_loss(const Tensor &input, const Tensor &target, const Tensor &variance, Over over = Over::Mean,
                         double epsilon = 1e-6, Site site = Site::here());

} // namespace tiny::functional

#endif // TINY_FRONTEND_FUNCTIONAL_H
