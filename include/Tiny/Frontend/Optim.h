// Optimisers: a step is one program, which computes gradients, updates the parameters in place, and the optimiser's
// state with them.
#ifndef TINY_FRONTEND_OPTIM_H
#define TINY_FRONTEND_OPTIM_H

#include "Tiny/Frontend/Nn.h"

namespace tiny::optim {

class Optimizer {
public:
  /// The parameters must live as long as the optimiser is used, and be realised.
  Optimizer(std::vector<Tensor *> parameters, double rate, Site site = Site::here());
  Optimizer(const Optimizer &) = delete;
  Optimizer &operator=(const Optimizer &) = delete;
  virtual ~Optimizer() = default;

  /// Updates the parameters by the gradients of the loss, and realises them and the loss together. Where a handle on
  /// something between parameters and loss is kept, such as the logits, the parameters get new memory instead of being
  /// updated in place.
  void step(const Tensor &loss, Site site = Site::here());
  /// Limits the norm of all gradients together; 0 is no limit.
  void setClip(double norm, Site site = Site::here());
  /// Multiplies the loss by a scale while gradients are computed, so that those of f16 and bf16 do not vanish. A step
  /// whose gradients are not finite changes nothing but the scale, which it halves; after `period` good ones it
  /// doubles. The scale is saved with the state.
  void setLossScale(double scale, int64_t period = 2000, Site site = Site::here());
  /// Another rate compiles nothing, and a captured step sees it.
  void setRate(double rate, Site site = Site::here());
  double getRate() const { return rate; }
  /// What it remembers, to be saved and loaded beside the parameters.
  std::vector<nn::Named> state();

protected:
  /// Assigns the parameters and what `remember` gave, from the gradients.
  virtual void update(const std::vector<Tensor> &gradients, Site site) = 0;
  /// A tensor of zeros for each parameter, or one of rank 0.
  std::vector<Tensor> &remember(const std::string &name);
  Tensor &rememberNumber(const std::string &name);

  std::vector<Tensor *> parameters;
  Tensor rateTensor;

private:
  /// Keeps what was where gradients are not finite, and changes the scale.
  void guard(const Tensor &isFinite, const std::vector<Tensor> &before, Site site);
  /// The parameters and what is remembered of them.
  std::vector<Tensor *> getChanging();

  double rate, clip = 0;
  int64_t scalePeriod = 0;
  std::optional<Tensor> lossScale, goodSteps;
  std::vector<std::pair<std::string, std::unique_ptr<std::vector<Tensor>>>> memory;
};

/// With PyTorch's meaning of momentum and weight decay.
class SGD : public Optimizer {
public:
  SGD(std::vector<Tensor *> parameters, double rate = 1e-3, double momentum = 0, double decay = 0,
      bool isNesterov = false, Site site = Site::here());

protected:
  void update(const std::vector<Tensor> &gradients, Site site) override;

private:
  double momentum, decay;
  bool isNesterov;
  std::vector<Tensor> *velocity = nullptr;
};

/// Adam; AdamW where the decay is decoupled; LAMB where each parameter's step has the parameter's norm.
class Adam : public Optimizer {
public:
  enum class Kind { Adam, AdamW, Lamb };
  Adam(std::vector<Tensor *> parameters, double rate = 1e-3, double beta1 = 0.9, double beta2 = 0.999,
       double epsilon = 1e-8, double decay = 0, Kind kind = Kind::Adam, Site site = Site::here());

protected:
  void update(const std::vector<Tensor> &gradients, Site site) override;

private:
  double beta1, beta2, epsilon, decay;
  Kind kind;
  std::vector<Tensor> &first, &second;
  Tensor &steps;
};

/// Rates by step: up along a line for `warmup` steps, then down along half a cosine to `least` at `steps`.
double cosineRate(double rate, int64_t step, int64_t steps, int64_t warmup = 0, double least = 0);
/// The rate times `factor` after every `period` steps.
double stepRate(double rate, int64_t step, int64_t period, double factor = 0.1);

} // namespace tiny::optim

#endif // TINY_FRONTEND_OPTIM_H
