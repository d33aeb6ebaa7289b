// Losses: elementwise formulas, then their sum, their mean, or neither.
#include "Tiny/Frontend/Functional.h"

#include "Calls.h"

#include <cmath>

using namespace tiny;
using namespace tiny::frontend;
using namespace tiny::functional;

static Tensor reduce(const Tensor &loss, Over over, Site site) {
  if (over == Over::None)
    return loss;
  return over == Over::Sum ? loss.sum({}, false, site) : loss.mean({}, false, site);
}

/// Refuses weights and targets that do not fit the scores, and classes that are known and are none.
static void checkTargets(const Tensor &scores, const Tensor &target, const CrossEntropyOptions &options, Site site) {
  int64_t classes = scores.shape()[1], ignored = options.ignoreIndex;
  if (options.weight && options.weight->shape() != Shape{classes})
    raise("expects a weight for each of the " + std::to_string(classes) + " classes, got " +
              formatType(options.weight->dtype(), options.weight->shape().data(), options.weight->shape().size()),
          site);
  if (isFloat(target.dtype()))
    return;
  Shape places = scores.shape();
  places.erase(places.begin() + 1);
  if (target.shape() != places)
    raise("expects a class for each place of the scores without their axis 1, " +
              formatType(target.dtype(), places.data(), places.size()) + ", got " +
              formatType(target.dtype(), target.shape().data(), target.shape().size()),
          site);
  if (std::optional<int64_t> number = findBeyond(*target.getNode(), 0, classes, ignored))
    raise("class " + std::to_string(*number) + " is out of range: there are scores for the classes 0 to " +
              std::to_string(classes - 1) + ", and ignore_index, which does not count, is " + std::to_string(ignored),
          site);
}

/// Classes as the axis 1 of `shape`.
static Tensor spreadClasses(const Tensor &weight, const Shape &shape, Site site) {
  Shape wide(shape.size(), 1);
  wide[1] = shape[1];
  return weight.reshape(wide, site);
}

static void checkClasses(const Tensor &input, Site site) {
  if (input.dim() < 2)
    raise("expects scores [batch, classes, ...], got " +
              formatType(input.dtype(), input.shape().data(), input.shape().size()),
          site);
}

static Tensor makeClassLoss(const char *name, const Tensor &input, const Tensor &target,
                            const CrossEntropyOptions &options, Site site) {
  const char *reductions[] = {"none", "sum", "mean"};
  Composition call = {name, {input.getNode(), target.getNode()}};
  if (options.weight)
    call.operands.emplace_back(options.weight->getNode());
  call.attributes.emplace_back("reduction", std::string(reductions[int(options.over)]));
  call.attributes.emplace_back("ignore_index", options.ignoreIndex);
  return makeOnnx(call, site).front();
}

Tensor functional::nll_loss(const Tensor &input, const Tensor &target, const CrossEntropyOptions &options, Site site) {
  checkClasses(input, site);
  checkTargets(input, target, options, site);
  return makeClassLoss("NegativeLogLikelihoodLoss", input, target, options, site);
}

Tensor functional::cross_entropy(const Tensor &scores, const Tensor &target, const CrossEntropyOptions &options,
                                 Site site) {
  checkClasses(scores, site);
  checkTargets(scores, target, options, site);
  Tensor input = getAutocast() && tiny_dtype_size(scores.dtype()) < 4 ? scores.to(TINY_DTYPE_F32, site) : scores;
  double spread = options.labelSmoothing, classes = double(input.shape()[1]);
  if (!(spread >= 0 && spread <= 1))
    raise("expects label smoothing from 0 to 1, got " + std::to_string(spread), site);
  bool areChances = isFloat(target.dtype());
  if (!areChances && spread == 0)
    return makeClassLoss("SoftmaxCrossEntropyLoss", input, target, options, site);
  if (areChances && target.shape() != input.shape())
    raise("expects classes, which are integers (.to('int64')), or chances of the shape of the scores, got " +
              formatType(target.dtype(), target.shape().data(), target.shape().size()),
          site);
  Tensor logs = input.log_softmax(1, site);
  if (options.weight)
    logs = logs.mul(spreadClasses(*options.weight, input.shape(), site), site);
  if (areChances) {
    Tensor wanted = target.mul(1 - spread, site).add(spread / classes, site);
    Tensor each = wanted.mul(logs, site).sum({1}, false, site).neg(site);
    Tensor total = reduce(each, options.over == Over::Mean ? Over::Sum : options.over, site);
    return options.over == Over::Mean ? total.div(double(each.numel()), site) : total;
  }
  // (1 - s) * loss at the target, and s times the mean of all classes' losses, where the target counts.
  Tensor counts = target.ne(double(options.ignoreIndex), site);
  Tensor classOf = where(counts, target, 0.0, site);
  Tensor right = logs.take_along(classOf.unsqueeze(1, site), 1, site).squeeze(1, site);
  Tensor each = right.mul(spread - 1, site).sub(logs.mean({1}, false, site).mul(spread, site), site);
  each = where(counts, each, 0.0, site);
  if (options.over != Over::Mean)
    return reduce(each, options.over, site);
  Tensor share = counts.to(input.dtype(), site);
  if (options.weight)
    share = share.mul(options.weight->take(classOf, 0, site), site);
  return each.sum({}, false, site).div(share.sum({}, false, site), site);
}

Tensor functional::mse_loss(const Tensor &input, const Tensor &target, Over over, Site site) {
  return reduce(input.sub(target, site).square(site), over, site);
}
Tensor functional::l1_loss(const Tensor &input, const Tensor &target, Over over, Site site) {
  return reduce(input.sub(target, site).abs(site), over, site);
}
Tensor functional::smooth_l1_loss(const Tensor &input, const Tensor &target, Over over, double beta, Site site) {
  if (beta == 0)
    return l1_loss(input, target, over, site);
  return huber_loss(input, target, over, beta, site).div(beta, site);
}
Tensor functional::huber_loss(const Tensor &input, const Tensor &target, Over over, double delta, Site site) {
  if (!(delta > 0))
    raise("expects a distance above 0 where squares become lines, got " + std::to_string(delta), site);
  Tensor apart = input.sub(target, site).abs(site);
  Tensor line = apart.sub(0.5 * delta, site).mul(delta, site);
  return reduce(where(apart.lt(delta, site), apart.square(site).mul(0.5, site), line, site), over, site);
}
Tensor functional::kl_div(const Tensor &input, const Tensor &target, Over over, bool isLog, Site site) {
  if (isLog)
    return reduce(target.exp(site).mul(target.sub(input, site), site), over, site);
  // 0 * log(0) is 0.
  Tensor isSome = target.gt(0, site), safe = where(isSome, target, 1.0, site);
  return reduce(where(isSome, target.mul(safe.log(site), site), 0.0, site).sub(target.mul(input, site), site), over,
                site);
}
Tensor functional::binary_cross_entropy(const Tensor &input, const Tensor &target, const Tensor *weight, Over over,
                                        Site site) {
  // As PyTorch: logarithms are at least -100.
  Tensor right = input.log(site).maximum(-100, site), wrong = input.neg(site).log1p(site).maximum(-100, site);
  Tensor each = (target * right + (1 - target) * wrong).neg(site);
  return reduce(weight ? each.mul(*weight, site) : each, over, site);
}
Tensor functional::binary_cross_entropy_with_logits(const Tensor &input, const Tensor &target, const Tensor *weight,
                                                    const Tensor *positive, Over over, Site site) {
  // (1 - y) x + (1 + (p - 1) y) softplus(-x)
  Tensor below = input.neg(site).softplus(site);
  Tensor each = positive ? (1 - target) * input + (1 + (*positive - 1.0) * target) * below
                         : input.softplus(site) - input * target;
  return reduce(weight ? each.mul(*weight, site) : each, over, site);
}
Tensor functional::cosine_similarity(const Tensor &input, const Tensor &other, int64_t axis, double epsilon,
                                     Site site) {
  Tensor first = norm(input, 2, {axis}, false, site).maximum(epsilon, site);
  Tensor second = norm(other, 2, {axis}, false, site).maximum(epsilon, site);
  return input.mul(other, site).sum({axis}, false, site).div(first.mul(second, site), site);
}
Tensor functional::hinge_embedding_loss(const Tensor &input, const Tensor &target, double margin, Over over,
                                        Site site) {
  Tensor far = input.neg(site).add(margin, site).relu(site);
  return reduce(where(target.gt(0, site), input, far, site), over, site);
}
Tensor functional::soft_margin_loss(const Tensor &input, const Tensor &target, Over over, Site site) {
  return reduce(input.mul(target, site).neg(site).softplus(site), over, site);
}
Tensor functional::margin_ranking_loss(const Tensor &first, const Tensor &second, const Tensor &target, double margin,
                                       Over over, Site site) {
  return reduce(second.sub(first, site).mul(target, site).add(margin, site).relu(site), over, site);
}
Tensor functional::cosine_embedding_loss(const Tensor &first, const Tensor &second, const Tensor &target, double margin,
                                         Over over, Site site) {
  Tensor same = cosine_similarity(first, second, -1, 1e-8, site);
  Tensor apart = same.sub(margin, site).relu(site);
  return reduce(where(target.gt(0, site), same.neg(site).add(1, site), apart, site), over, site);
}
Tensor functional::triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                                       double margin, double p, Over over, Site site) {
  // As PyTorch, which keeps distances from 0.
  auto distance = [&](const Tensor &other) {
    return norm(anchor.sub(other, site).add(1e-6, site), p, {-1}, false, site);
  };
  return reduce(distance(positive).sub(distance(negative), site).add(margin, site).relu(site), over, site);
}
Tensor functional::poisson_nll_loss(const Tensor &input, const Tensor &target, bool isLog, Over over, double epsilon,
                                    Site site) {
  Tensor each = isLog ? input.exp(site).sub(target.mul(input, site), site)
                      : input.sub(target.mul(input.add(epsilon, site).log(site), site), site);
  return reduce(each, over, site);
}
Tensor functional::gaussian_nll_loss(const Tensor &input, const Tensor &target, const Tensor &variance, Over over,
                                     double epsilon, Site site) {
  Tensor spread = variance.maximum(epsilon, site);
  Tensor each = input.sub(target, site).square(site).div(spread, site).add(spread.log(site), site).mul(0.5, site);
  return reduce(each, over, site);
}
