// Optimisers, by functions of tensors.
#include "Tiny/Frontend/Optim.h"

#include "Calls.h"

#include <algorithm>
#include <cmath>

using namespace tiny;
using namespace tiny::frontend;
using namespace tiny::optim;

static Tensor makeNumberTensor(double value) {
  HostTensor number = HostTensor::zeros(TINY_DTYPE_F32, {});
  *number.data<float>() = float(value);
  return Tensor(std::move(number));
}

static void checkRate(double rate, Site site) {
  if (!(rate >= 0))
    raise("expects a rate of at least 0, got " + std::to_string(rate), site);
}

Optimizer::Optimizer(std::vector<Tensor *> given, double rate, Site site)
    : parameters(std::move(given)), rateTensor(makeNumberTensor(rate)), rate(rate) {
  checkRate(rate, site);
  if (parameters.empty())
    raise("expects at least one parameter: are the layers added to the module, as in add(\"linear\", linear)?", site);
  if (std::find(parameters.begin(), parameters.end(), nullptr) != parameters.end())
    raise("expects tensors, got a null pointer", site);
}

void Optimizer::setClip(double norm, Site site) {
  if (!(norm >= 0))
    raise("expects a norm of at least 0, which is no limit, got " + std::to_string(norm), site);
  clip = norm;
}

void Optimizer::setRate(double value, Site site) {
  checkRate(value, site);
  rate = value;
  Tensor number = makeNumberTensor(value);
  if (!overwrite(rateTensor.getNode(), number.data()))
    rateTensor = number;
}

std::vector<Tensor> &Optimizer::remember(const std::string &name) {
  auto tensors = std::make_unique<std::vector<Tensor>>();
  for (const Tensor *parameter : parameters)
    tensors->push_back(Tensor(HostTensor::zeros(parameter->dtype(), parameter->shape())));
  return *memory.emplace_back(name, std::move(tensors)).second;
}

Tensor &Optimizer::rememberNumber(const std::string &name) {
  auto tensors = std::make_unique<std::vector<Tensor>>();
  tensors->push_back(makeNumberTensor(0));
  return memory.emplace_back(name, std::move(tensors)).second->front();
}

std::vector<nn::Named> Optimizer::state() {
  std::vector<nn::Named> all;
  for (const auto &[name, tensors] : memory)
    for (size_t index = 0; index < tensors->size(); ++index)
      all.push_back({name + "." + std::to_string(index), &(*tensors)[index], false});
  if (lossScale) {
    all.push_back({"loss_scale", &*lossScale, false});
    all.push_back({"good_steps", &*goodSteps, false});
  }
  return all;
}

void Optimizer::setLossScale(double scale, int64_t period, Site site) {
  if (!(scale > 0) || period < 1)
    raise("expects a scale above 0 and a period of at least 1", site);
  scalePeriod = period;
  lossScale.emplace(makeNumberTensor(scale));
  goodSteps.emplace(makeNumberTensor(0));
}

std::vector<Tensor *> Optimizer::getChanging() {
  std::vector<Tensor *> all = parameters;
  for (const auto &[name, tensors] : memory)
    for (Tensor &tensor : *tensors)
      all.push_back(&tensor);
  return all;
}

void Optimizer::guard(const Tensor &isFinite, const std::vector<Tensor> &before, Site site) {
  std::vector<Tensor *> changing = getChanging();
  for (size_t index = 0; index < changing.size(); ++index)
    changing[index]->assign(where(isFinite, *changing[index], before[index], site), site);
  Tensor good = goodSteps->add(1, site), isLong = good.ge(double(scalePeriod), site);
  lossScale->assign(
      where(isFinite, where(isLong, lossScale->mul(2, site), *lossScale, site), lossScale->mul(0.5, site), site), site);
  goodSteps->assign(where(isFinite.bitwise_and(isLong.logical_not(site), site), good, 0.0, site), site);
}

void Optimizer::step(const Tensor &loss, Site site) {
  std::vector<Tensor> open = {loss};
  {
    // Gradients go before anything is computed: what they need is free to be updated.
    std::vector<Tensor> targets;
    targets.reserve(parameters.size());
    for (const Tensor *parameter : parameters)
      targets.push_back(*parameter);
    Tensor scaled = lossScale ? loss.to(TINY_DTYPE_F32, site).mul(*lossScale, site) : loss;
    std::vector<Tensor> gradients = scaled.gradient(targets, site);
    targets.clear();
    std::optional<Tensor> isFinite;
    if (lossScale) {
      Tensor total = Tensor::zeros({}, TINY_DTYPE_F32, site);
      for (Tensor &gradient : gradients) {
        gradient = gradient.div(*lossScale, site);
        total = total.add(gradient.abs(site).sum({}, false, site), site);
      }
      isFinite = total.isfinite(site);
    }
    if (clip > 0) {
      Tensor total = Tensor::zeros({}, TINY_DTYPE_F32, site);
      for (const Tensor &gradient : gradients)
        total = total.add(gradient.square(site).sum({}, false, site), site);
      Tensor factor = Tensor::like(clip, total, site).div(total.sqrt(site).add(1e-6, site), site).minimum(1, site);
      for (Tensor &gradient : gradients)
        gradient = gradient.mul(factor, site);
    }
    std::vector<Tensor> before;
    if (isFinite)
      for (Tensor *tensor : getChanging())
        before.push_back(*tensor);
    update(gradients, site);
    if (isFinite)
      guard(*isFinite, before, site);
  }
  for (const Tensor *parameter : parameters)
    open.push_back(*parameter);
  for (const auto &[name, tensors] : memory)
    open.insert(open.end(), tensors->begin(), tensors->end());
  if (lossScale)
    open.insert(open.end(), {*lossScale, *goodSteps});
  Tensor::realize(open, site);
}

SGD::SGD(std::vector<Tensor *> parameters, double rate, double momentum, double decay, bool isNesterov, Site site)
    : Optimizer(std::move(parameters), rate, site), momentum(momentum), decay(decay), isNesterov(isNesterov) {
  if (momentum != 0)
    velocity = &remember("momentum_buffer");
}

void SGD::update(const std::vector<Tensor> &gradients, Site site) {
  for (size_t index = 0; index < parameters.size(); ++index) {
    Tensor &parameter = *parameters[index];
    Tensor gradient = decay != 0 ? gradients[index].add(parameter.mul(decay, site), site) : gradients[index];
    if (velocity) {
      Tensor &state = (*velocity)[index];
      state.assign(state.mul(momentum, site).add(gradient, site), site);
      gradient = isNesterov ? gradient.add(state.mul(momentum, site), site) : state;
    }
    parameter.assign(parameter.sub(gradient.mul(rateTensor, site), site), site);
  }
}

Adam::Adam(std::vector<Tensor *> parameters, double rate, double beta1, double beta2, double epsilon, double decay,
           Kind kind, Site site)
    : Optimizer(std::move(parameters), rate, site), beta1(beta1), beta2(beta2), epsilon(epsilon), decay(decay),
      kind(kind), first(remember("exp_avg")), second(remember("exp_avg_sq")), steps(rememberNumber("step")) {}

void Adam::update(const std::vector<Tensor> &gradients, Site site) {
  steps.assign(steps.add(1, site), site);
  // 1 - beta^step, without cancellation.
  auto correct = [&](double beta) { return steps.mul(std::log(beta), site).expm1(site).neg(site); };
  Tensor correction1 = correct(beta1), correction2 = correct(beta2);
  // The same numbers for all parameters.
  Tensor keep1 = makeNumberTensor(beta1), keep2 = makeNumberTensor(beta2), take1 = makeNumberTensor(1 - beta1),
         take2 = makeNumberTensor(1 - beta2), small = makeNumberTensor(epsilon), decays = makeNumberTensor(decay);
  for (size_t index = 0; index < parameters.size(); ++index) {
    Tensor &parameter = *parameters[index];
    Tensor gradient = gradients[index];
    if (decay != 0 && kind == Kind::Adam)
      gradient = gradient.add(parameter.mul(decays, site), site);
    first[index].assign(first[index].mul(keep1, site).add(gradient.mul(take1, site), site), site);
    second[index].assign(second[index].mul(keep2, site).add(gradient.square(site).mul(take2, site), site), site);
    Tensor root = second[index].div(correction2, site).sqrt(site).add(small, site);
    Tensor change = first[index].div(correction1, site).div(root, site);
    if (decay != 0 && kind != Kind::Adam)
      change = change.add(parameter.mul(decays, site), site);
    if (kind == Kind::Lamb) {
      Tensor size = parameter.square(site).sum({}, false, site).sqrt(site);
      Tensor length = change.square(site).sum({}, false, site).sqrt(site);
      Tensor isNone = size.eq(0, site).bitwise_or(length.eq(0, site), site);
      change = change.mul(where(isNone, 1.0, size.div(length, site), site), site);
    }
    parameter.assign(parameter.sub(change.mul(rateTensor, site), site), site);
  }
}

double optim::cosineRate(double rate, int64_t step, int64_t steps, int64_t warmup, double least) {
  if (step < warmup)
    return rate * double(step + 1) / double(warmup);
  double share = double(step - warmup) / double(std::max<int64_t>(steps - warmup, 1));
  return least + (rate - least) * (1 + std::cos(M_PI * std::min(share, 1.0))) / 2;
}

double optim::stepRate(double rate, int64_t step, int64_t period, double factor) {
  int64_t passed = step / std::max<int64_t>(period, 1);
  return rate * std::pow(factor, double(passed));
}
