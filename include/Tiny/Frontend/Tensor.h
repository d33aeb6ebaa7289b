// Tensor: what programs are written in. Lazy: operations make a graph, and nothing is computed before a value is asked
// for. The graph that is computed then is compiled once for all graphs of its structure.
#ifndef TINY_FRONTEND_TENSOR_H
#define TINY_FRONTEND_TENSOR_H

#include "Tiny/Files/HostTensor.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tiny {

namespace frontend {
struct Node;
} // namespace frontend

/// What is wrong with an operation or its compilation; the message begins with the place in the user's source.
class Error : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

/// A place in the user's source: that of the call that has it as its default argument.
struct Site {
  const char *file = "";
  int line = 0;
  static constexpr Site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

class Tensor;

/// An operand: a tensor, or a number that takes the other operand's element type. Operators know by it where they
/// stand.
struct Operand;

using Shape = std::vector<int64_t>;

/// A grid of ranks. Along its last axis there may be microbatches instead, which each rank computes one after the
/// other.
struct Grid {
  Grid(std::initializer_list<int64_t> shape) : shape(shape) {}
  Grid(Shape shape, bool hasMicrobatches = false) : shape(std::move(shape)), hasMicrobatches(hasMicrobatches) {}

  Shape shape;
  bool hasMicrobatches = false;
};

/// What chooses elements along an axis: see Tiny/Frontend/Index.h.
class Index;

/// Strides and padding of windows; one number for each spatial axis, absent for 1 and 0.
struct Window {
  Shape strides = {}, dilations = {}, low = {}, high = {};
  /// Of convolutions alone: channels fall into so many groups.
  int64_t groups = 1;
  /// Of `conv_transpose` alone: how much larger the result is at the end of each axis.
  Shape outputPadding = {};
};

/// A handle on a value: copies are the same value. Names and meaning are PyTorch's where the two agree; operands
/// broadcast and promote as docs/Dialects/Tensor.md says. May be used from any thread; one works at a time.
class Tensor {
public:
  /// Copies the elements, which must be as many as the shape has.
  Tensor(std::initializer_list<float> elements);
  Tensor(const std::vector<float> &elements, Shape shape, Site site = Site::here());
  /// Any element type; takes the memory over.
  explicit Tensor(HostTensor tensor);

  static Tensor full(Shape shape, double value, tiny_dtype dtype = TINY_DTYPE_F32, Site site = Site::here());
  static Tensor zeros(Shape shape, tiny_dtype dtype = TINY_DTYPE_F32, Site site = Site::here());
  static Tensor ones(Shape shape, tiny_dtype dtype = TINY_DTYPE_F32, Site site = Site::here());
  /// start, start + step, ... up to `stop`, which is left out.
  static Tensor arange(double start, double stop, double step = 1, tiny_dtype dtype = TINY_DTYPE_F32,
                       Site site = Site::here());
  static Tensor eye(int64_t size, tiny_dtype dtype = TINY_DTYPE_F32, Site site = Site::here());

  /// Random numbers: Threefry, from a key and a place in its sequence that goes on with each draw (see `manual_seed`).
  /// Uniform in [low, high), normal, whole in [low, high).
  static Tensor rand(const Shape &shape, double low = 0, double high = 1, Site site = Site::here());
  static Tensor randn(const Shape &shape, Site site = Site::here());
  static Tensor randint(int64_t low, int64_t high, const Shape &shape, Site site = Site::here());
  /// Zeros where a random number is below the probability, the rest scaled by 1 / (1 - probability).
  Tensor dropout(double probability = 0.5, Site site = Site::here()) const;

  const Shape &shape() const;
  int64_t dim() const { return static_cast<int64_t>(shape().size()); }
  int64_t numel() const;
  tiny_dtype dtype() const;

  //===--- Elementwise -------------------------------------------------------------------------------------------===//

  Tensor neg(Site site = Site::here()) const;
  Tensor abs(Site site = Site::here()) const;
  Tensor sign(Site site = Site::here()) const;
  Tensor square(Site site = Site::here()) const;
  Tensor reciprocal(Site site = Site::here()) const;
  Tensor exp(Site site = Site::here()) const;
  Tensor exp2(Site site = Site::here()) const;
  Tensor expm1(Site site = Site::here()) const;
  Tensor log(Site site = Site::here()) const;
  Tensor log2(Site site = Site::here()) const;
  Tensor log10(Site site = Site::here()) const;
  Tensor log1p(Site site = Site::here()) const;
  Tensor sqrt(Site site = Site::here()) const;
  Tensor rsqrt(Site site = Site::here()) const;
  Tensor sin(Site site = Site::here()) const;
  Tensor cos(Site site = Site::here()) const;
  Tensor tan(Site site = Site::here()) const;
  Tensor asin(Site site = Site::here()) const;
  Tensor acos(Site site = Site::here()) const;
  Tensor atan(Site site = Site::here()) const;
  Tensor sinh(Site site = Site::here()) const;
  Tensor cosh(Site site = Site::here()) const;
  Tensor tanh(Site site = Site::here()) const;
  Tensor asinh(Site site = Site::here()) const;
  Tensor acosh(Site site = Site::here()) const;
  Tensor atanh(Site site = Site::here()) const;
  Tensor erf(Site site = Site::here()) const;
  Tensor floor(Site site = Site::here()) const;
  Tensor ceil(Site site = Site::here()) const;
  Tensor round(Site site = Site::here()) const;
  Tensor trunc(Site site = Site::here()) const;
  Tensor isnan(Site site = Site::here()) const;
  Tensor isinf(Site site = Site::here()) const;
  Tensor isfinite(Site site = Site::here()) const;
  Tensor relu(Site site = Site::here()) const;
  Tensor relu6(Site site = Site::here()) const;
  Tensor hardsigmoid(Site site = Site::here()) const;
  Tensor hardswish(Site site = Site::here()) const;
  Tensor sigmoid(Site site = Site::here()) const;
  Tensor silu(Site site = Site::here()) const;
  Tensor gelu(Site site = Site::here()) const;
  /// gelu by tanh, which is close to it.
  Tensor gelu_tanh(Site site = Site::here()) const;
  Tensor selu(Site site = Site::here()) const;
  Tensor mish(Site site = Site::here()) const;
  Tensor softplus(Site site = Site::here()) const;
  Tensor softsign(Site site = Site::here()) const;
  Tensor logsigmoid(Site site = Site::here()) const;
  Tensor leaky_relu(double slope = 0.01, Site site = Site::here()) const;
  Tensor elu(double alpha = 1, Site site = Site::here()) const;
  /// Bitwise on integers.
  Tensor logical_not(Site site = Site::here()) const;

  Tensor add(const Operand &other, Site site = Site::here()) const;
  Tensor sub(const Operand &other, Site site = Site::here()) const;
  Tensor mul(const Operand &other, Site site = Site::here()) const;
  Tensor div(const Operand &other, Site site = Site::here()) const;
  /// Quotients rounded down and towards zero, and what each leaves; 0 where an integer is divided by 0.
  Tensor floor_divide(const Operand &other, Site site = Site::here()) const;
  Tensor trunc_divide(const Operand &other, Site site = Site::here()) const;
  Tensor remainder(const Operand &other, Site site = Site::here()) const;
  Tensor fmod(const Operand &other, Site site = Site::here()) const;
  /// A number as exponent is part of the program: another one is another program.
  Tensor pow(const Operand &other, Site site = Site::here()) const;
  Tensor maximum(const Operand &other, Site site = Site::here()) const;
  Tensor minimum(const Operand &other, Site site = Site::here()) const;
  Tensor logaddexp(const Operand &other, Site site = Site::here()) const;
  /// Logical on truth values.
  Tensor bitwise_and(const Operand &other, Site site = Site::here()) const;
  Tensor bitwise_or(const Operand &other, Site site = Site::here()) const;
  Tensor bitwise_xor(const Operand &other, Site site = Site::here()) const;
  Tensor bitwise_left_shift(const Operand &other, Site site = Site::here()) const;
  Tensor bitwise_right_shift(const Operand &other, Site site = Site::here()) const;
  Tensor eq(const Operand &other, Site site = Site::here()) const;
  Tensor ne(const Operand &other, Site site = Site::here()) const;
  Tensor lt(const Operand &other, Site site = Site::here()) const;
  Tensor le(const Operand &other, Site site = Site::here()) const;
  Tensor gt(const Operand &other, Site site = Site::here()) const;
  Tensor ge(const Operand &other, Site site = Site::here()) const;
  Tensor clamp(double low, double high, Site site = Site::here()) const;
  Tensor masked_fill(const Tensor &mask, const Operand &value, Site site = Site::here()) const;
  /// To `end` by a share.
  Tensor lerp(const Tensor &end, const Operand &weight, Site site = Site::here()) const;
  Tensor to(tiny_dtype dtype, Site site = Site::here()) const;

  //===--- Reductions; no axes means all of them -----------------------------------------------------------------===//

  Tensor sum(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor prod(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor mean(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor max(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor min(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor argmax(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor argmin(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor any(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor all(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  Tensor logsumexp(Shape axes = {}, bool keepdim = false, Site site = Site::here()) const;
  /// Divides by the count less `correction`, as PyTorch does.
  Tensor var(Shape axes = {}, int64_t correction = 1, bool keepdim = false, Site site = Site::here()) const;
  Tensor std(Shape axes = {}, int64_t correction = 1, bool keepdim = false, Site site = Site::here()) const;
  /// Sums of the elements up to each one.
  Tensor cumsum(int64_t axis, Site site = Site::here()) const;
  /// The k largest elements along an axis, or the smallest, in order; and where they stand.
  std::pair<Tensor, Tensor> topk(int64_t k, int64_t axis = -1, bool largest = true, Site site = Site::here()) const;
  /// All elements along an axis in order, equals as they stood; and where they stood.
  std::pair<Tensor, Tensor> sort(int64_t axis = -1, bool descending = false, Site site = Site::here()) const;
  Tensor softmax(int64_t axis = -1, Site site = Site::here()) const;
  Tensor log_softmax(int64_t axis = -1, Site site = Site::here()) const;
  /// To mean 0 and variance 1 over the axes from `axis` on; then times the scale, plus the bias, where they are given.
  Tensor layer_norm(int64_t axis = -1, double epsilon = 1e-5, Site site = Site::here()) const;
  Tensor layer_norm(const Tensor *scale, const Tensor *bias, int64_t axis = -1, double epsilon = 1e-5,
                    Site site = Site::here()) const;
  /// Over the root of the mean square of the axes from `axis` on; then times the scale, if there is one.
  Tensor rms_norm(const Tensor *scale = nullptr, int64_t axis = -1, double epsilon = 0x1p-23,
                  Site site = Site::here()) const;
  /// Channels are axis 1, each group of them to mean 0 and variance 1; scale and bias have one number a channel.
  Tensor group_norm(int64_t groups, const Tensor &scale, const Tensor &bias, double epsilon = 1e-5,
                    Site site = Site::here()) const;
  /// (x - mean) / sqrt(variance + epsilon) * scale + bias, with one of each a channel, which are axis 1.
  Tensor batch_norm(const Tensor &mean, const Tensor &variance, const Tensor &scale, const Tensor &bias,
                    double epsilon = 1e-5, Site site = Site::here()) const;

  //===--- Movement ----------------------------------------------------------------------------------------------===//

  /// One size may be -1: what is left.
  Tensor reshape(Shape shape, Site site = Site::here()) const;
  /// Repeats axes of size 1 and new leading axes; -1 keeps the size of an axis.
  Tensor expand(Shape shape, Site site = Site::here()) const;
  Tensor permute(Shape order, Site site = Site::here()) const;
  Tensor transpose(int64_t first = -2, int64_t second = -1, Site site = Site::here()) const;
  Tensor flatten(int64_t first = 0, int64_t last = -1, Site site = Site::here()) const;
  Tensor squeeze(int64_t axis, Site site = Site::here()) const;
  Tensor unsqueeze(int64_t axis, Site site = Site::here()) const;
  Tensor flip(Shape axes, Site site = Site::here()) const;
  /// Zeros before and after each axis.
  Tensor pad(Shape low, Shape high, Site site = Site::here()) const;
  /// The window [begin, end) of each axis.
  Tensor shrink(Shape begin, Shape end, Site site = Site::here()) const;
  /// Slices along one axis by integers; an embedding look-up is `take` along axis 0.
  Tensor take(const Tensor &indices, int64_t axis = 0, Site site = Site::here()) const;
  /// PyTorch's gather.
  Tensor take_along(const Tensor &indices, int64_t axis, Site site = Site::here()) const;
  /// This tensor with `source` placed along an axis at the indices; of several for one place the last one stays.
  Tensor scatter(int64_t axis, const Tensor &indices, const Tensor &source, Site site = Site::here()) const;
  /// The same, where they are added to what is there.
  Tensor scatter_add(int64_t axis, const Tensor &indices, const Tensor &source, Site site = Site::here()) const;
  /// The elements that the indices choose: see Tiny/Frontend/Index.h.
  Tensor index(const std::vector<Index> &indices, Site site = Site::here()) const;
  /// This tensor with the chosen elements replaced by the value, which broadcasts.
  Tensor with(const std::vector<Index> &indices, const Operand &value, Site site = Site::here()) const;
  /// The triangle of each matrix from a diagonal on, up or down; zeros elsewhere.
  Tensor triu(int64_t diagonal = 0, Site site = Site::here()) const;
  Tensor tril(int64_t diagonal = 0, Site site = Site::here()) const;
  /// Integers as rows that are 1 there, and 0 elsewhere.
  Tensor one_hot(int64_t classes, Site site = Site::here()) const;
  /// The whole tensor so many times along each axis.
  Tensor repeat(Shape counts, Site site = Site::here()) const;
  Tensor roll(int64_t shift, int64_t axis, Site site = Site::here()) const;
  /// Parts along an axis, the last one smaller where the size does not divide.
  std::vector<Tensor> split(int64_t size, int64_t axis = 0, Site site = Site::here()) const;
  std::vector<Tensor> chunk(int64_t count, int64_t axis = 0, Site site = Site::here()) const;
  static Tensor cat(const std::vector<Tensor> &tensors, int64_t axis = 0, Site site = Site::here());
  static Tensor stack(const std::vector<Tensor> &tensors, int64_t axis = 0, Site site = Site::here());

  //===--- Products and windows ----------------------------------------------------------------------------------===//

  Tensor matmul(const Tensor &other, Site site = Site::here()) const;
  /// Times the transposed weight [out, in], plus the bias [out] if there is one.
  Tensor linear(const Tensor &weight, const Tensor *bias = nullptr, Site site = Site::here()) const;
  /// [batch, in, ...] with a weight [out, in, ...].
  Tensor conv(const Tensor &weight, const Tensor *bias = nullptr, const Window &window = {},
              Site site = Site::here()) const;
  /// The inverse of `conv`'s shapes: [batch, in, ...] with a weight [in, out, ...].
  Tensor conv_transpose(const Tensor &weight, const Tensor *bias = nullptr, const Window &window = {},
                        Site site = Site::here()) const;
  /// Sums of products as the equation says, such as "bij,bjk->bik".
  static Tensor einsum(const std::string &equation, const std::vector<Tensor> &operands, Site site = Site::here());
  /// softmax(query key^T / sqrt(width) + mask) value, all [batch, heads, rows, width]. A mask of truth values says what
  /// is seen, one of floats is added.
  static Tensor attention(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor *mask = nullptr,
                          bool causal = false, Site site = Site::here());
  Tensor max_pool(Shape kernel, const Window &window = {}, Site site = Site::here()) const;
  /// Means over all places of a window, or over those that are not padding.
  Tensor avg_pool(Shape kernel, const Window &window = {}, bool countsPadding = true, Site site = Site::here()) const;

  //===--- Losses ------------------------------------------------------------------------------------------------===//

  /// Of class scores [batch, classes, ...] against integers [batch, ...]: the mean of -log_softmax at the right ones.
  Tensor cross_entropy(const Tensor &target, Site site = Site::here()) const;
  /// The same of logarithms of probabilities.
  Tensor nll_loss(const Tensor &target, Site site = Site::here()) const;
  Tensor mse_loss(const Tensor &target, Site site = Site::here()) const;
  /// Of probabilities, and of what sigmoid makes probabilities.
  Tensor binary_cross_entropy(const Tensor &target, Site site = Site::here()) const;
  Tensor binary_cross_entropy_with_logits(const Tensor &target, Site site = Site::here()) const;

  //===--- Gradients ---------------------------------------------------------------------------------------------===//

  /// The gradients of the sum of this tensor's elements, one for each target, lazy like everything else; they may be
  /// differentiated again. It must depend on each target, and what was realised in between is a constant.
  std::vector<Tensor> gradient(const std::vector<Tensor> &targets, Site site = Site::here()) const;
  /// The same value, through which no gradient passes.
  Tensor detach(Site site = Site::here()) const;

  //===--- Ranks -------------------------------------------------------------------------------------------------===//

  /// The same value, cut among the ranks of a grid: for each axis of the grid the axis of this tensor that it cuts, or
  /// none. What else a program cuts follows from there; a program has one grid. Its ranks are threads of this process,
  /// or processes under `mpirun`, which all run the same program. See docs/Sharding.md.
  Tensor shard(const Grid &grid, const std::vector<std::optional<int64_t>> &axes, Site site = Site::here()) const;

  /// The same value in another stage of a pipeline: ranks at place `from` on an axis of the grid compute it, and those
  /// at `to` what is computed from it. Its gradient goes back. What is computed from values of two stages is an error.
  Tensor stage(const Grid &grid, int64_t axis, int64_t from, int64_t to, Site site = Site::here()) const;

  //===--- Values ------------------------------------------------------------------------------------------------===//

  /// Computes it, and keeps the elements. Several tensors are computed together, by one program.
  const Tensor &realize(Site site = Site::here()) const;
  static void realize(const std::vector<Tensor> &tensors, Site site = Site::here());
  bool is_realized() const;
  /// Makes this handle the value, of the same shape and type. What was made of it before stays as it was. The value is
  /// realised with whatever is realised next; where nothing needs the old one, it is updated where it lies.
  void assign(const Tensor &value, Site site = Site::here());
  /// The elements; valid as long as a handle on this value is.
  const HostTensor &data(Site site = Site::here()) const;
  /// Of a tensor with one element.
  double item(Site site = Site::here()) const;
  /// The program that computes it, at the tensor level.
  std::string graph() const;
  /// The same down to a level, `lazy`, `kernel` or `uop`; its kernels in a form of the target, such as `llvm` or
  /// `assembly`; or all that the target makes of it (`c`: a file of C), for the empty level.
  std::string lowered(const std::string &level, const std::string &target = "", Site site = Site::here()) const;

  /// The kernels that compute it: its program at the kernel level.
  std::string schedule(Site site = Site::here()) const;

  /// The operand as a tensor: a number in the element type of `other`.
  static Tensor like(const Operand &operand, const Tensor &other, Site site = Site::here());
  const std::shared_ptr<frontend::Node> &getNode() const { return node; }
  explicit Tensor(std::shared_ptr<frontend::Node> node) : node(std::move(node)) {}

private:
  std::shared_ptr<frontend::Node> node;
};

struct Operand {
  Operand(const Tensor &tensor, Site site = Site::here()) : tensor(&tensor), site(site) {}
  Operand(double number, Site site = Site::here()) : number(number), site(site) {}

  const Tensor *tensor = nullptr;
  double number = 0;
  Site site;
};

Tensor operator+(const Operand &lhs, const Operand &rhs);
Tensor operator-(const Operand &lhs, const Operand &rhs);
Tensor operator*(const Operand &lhs, const Operand &rhs);
Tensor operator/(const Operand &lhs, const Operand &rhs);
Tensor operator<(const Operand &lhs, const Operand &rhs);
Tensor operator<=(const Operand &lhs, const Operand &rhs);
Tensor operator>(const Operand &lhs, const Operand &rhs);
Tensor operator>=(const Operand &lhs, const Operand &rhs);
Tensor operator-(const Tensor &input);

/// `lhs` where the condition (truth values) holds, else `rhs`.
Tensor where(const Tensor &condition, const Operand &lhs, const Operand &rhs, Site site = Site::here());

/// Starts the sequence of random numbers anew: the same seed draws the same ones.
void manual_seed(uint64_t seed);

/// The values, for whose gradients what was computed between `begins` and them is computed again, instead of being kept
/// meanwhile: less memory for more time. Random numbers in between are the same ones.
std::vector<Tensor> checkpoint(const std::vector<Tensor> &values, const std::vector<Tensor> &begins,
                               Site site = Site::here());
/// The same of what a function computes.
template <typename Function, typename = std::enable_if_t<std::is_invocable_v<Function, const std::vector<Tensor> &>>>
std::vector<Tensor> checkpoint(Function &&function, const std::vector<Tensor> &inputs, Site site = Site::here()) {
  return checkpoint(function(inputs), inputs, site);
}

/// Whether each program that is compiled from here on says so on standard error before it runs: how long it took, its
/// kernels' memory, and the most that a run takes. False at first.
void setReporting(bool isOn);

/// Whether SIGINT ends a compilation in the main thread with an error, for interpreters: the process must have a
/// handler, which is called as well. False at first.
void setInterruptible(bool isOn);

/// The device of the runtime that programs run on from here on, by its name; "cpu" at first. "null" computes nothing:
/// it measures what everything but the kernels takes.
void setDevice(const std::string &name, Site site = Site::here());

/// The number of this process among those that run together, and how many there are: 0 of 1 where it was started alone.
struct ProcessRank {
  unsigned rank = 0, count = 1;
};
ProcessRank findProcessRank(Site site = Site::here());
/// For programs that mpirun starts: the process waits here for the end of another one, in which this returns, and says
/// which rank died, or ended in the middle of a program. Before any thread begins. `name` begins the message. Gives the
/// rank's number as the launcher says it, null where none started this process.
const char *guardProcessRank(const std::string &name);

/// Programs compiled so far: a graph whose structure is known adds none.
size_t countCompiledGraphs();

} // namespace tiny

#endif // TINY_FRONTEND_TENSOR_H
