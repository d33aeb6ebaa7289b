// Layers: parameters under PyTorch's names, and what is computed with them.
#ifndef TINY_FRONTEND_NN_H
#define TINY_FRONTEND_NN_H

#include "Tiny/Frontend/Tensor.h"

#include <memory>
#include <optional>
#include <string>

namespace tiny::nn {

/// A tensor of a module. What does not train, such as running statistics, is saved and loaded like the others.
struct Named {
  std::string name;
  Tensor *tensor;
  bool trains;
};

/// Has tensors and other modules, by name. They are its members, so it stays where it is.
class Module {
public:
  Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  virtual ~Module();

  /// Its tensors and those of its modules, in the order in which they were added: `layer1.weight`.
  std::vector<Named> state();
  std::vector<Tensor *> parameters();
  /// Whether dropout drops and batch norms learn; true at first.
  void train(bool mode = true);
  bool isTraining() const { return training; }

protected:
  void add(const std::string &name, Tensor &tensor, bool trains = true);
  void add(const std::string &name, Module &module);

private:
  std::vector<Named> own;
  std::vector<std::pair<std::string, Module *>> modules;
  bool training = true;
  uint64_t number;
};

/// While one lives, in its thread, layers begin with zeros that nobody computes, and draw no random numbers: for those
/// that get their values from elsewhere.
class Undrawn {
public:
  Undrawn();
  ~Undrawn();
  Undrawn(const Undrawn &) = delete;
  Undrawn &operator=(const Undrawn &) = delete;

private:
  bool before;
};

/// A layer of one tensor to one tensor.
class Layer : public Module {
public:
  virtual Tensor operator()(const Tensor &input, Site site = Site::here()) = 0;
};

/// x times the transposed weight [out, in], plus the bias. Begins uniform within 1 / sqrt(in), as PyTorch does.
class Linear : public Layer {
public:
  Linear(int64_t in, int64_t out, bool hasBias = true, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight;
  std::optional<Tensor> bias;
};

/// [batch, in, ...] with a weight [out, in / groups, kernel...], of as many axes as the kernel has, here two.
class Conv2d : public Layer {
public:
  Conv2d(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1, int64_t padding = 0, int64_t groups = 1,
         bool hasBias = true, Site site = Site::here());
  Conv2d(int64_t in, int64_t out, const Shape &kernel, Window window, bool hasBias = true, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight;
  std::optional<Tensor> bias;
  Window window;
};

/// The inverse of Conv2d's shapes, with a weight [in, out / groups, kernel...].
class ConvTranspose2d : public Layer {
public:
  ConvTranspose2d(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1, int64_t padding = 0, int64_t groups = 1,
                  bool hasBias = true, Site site = Site::here());
  ConvTranspose2d(int64_t in, int64_t out, const Shape &kernel, Window window, bool hasBias = true,
                  Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight;
  std::optional<Tensor> bias;
  Window window;
};

/// Over all axes but the channels, axis 1: by the batch's statistics while it trains, of which the running ones take a
/// part; else by those. The running ones are realised with whatever is realised next.
class BatchNorm : public Layer {
public:
  explicit BatchNorm(int64_t channels, double epsilon = 1e-5, double momentum = 0.1, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight, bias, running_mean, running_var;
  double epsilon, momentum;
};

/// Over the last axes, those of the shape.
class LayerNorm : public Layer {
public:
  explicit LayerNorm(int64_t size, double epsilon = 1e-5, Site site = Site::here())
      : LayerNorm(Shape{size}, epsilon, site) {}
  explicit LayerNorm(const Shape &shape, double epsilon = 1e-5, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight, bias;
  double epsilon;
};

/// Over each group of channels, which are axis 1.
class GroupNorm : public Layer {
public:
  GroupNorm(int64_t groups, int64_t channels, double epsilon = 1e-5, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight, bias;
  int64_t groups;
  double epsilon;
};

/// Over the last axes, those of the shape.
class RMSNorm : public Layer {
public:
  explicit RMSNorm(int64_t size, double epsilon = 0x1p-23, Site site = Site::here())
      : RMSNorm(Shape{size}, epsilon, site) {}
  explicit RMSNorm(const Shape &shape, double epsilon = 0x1p-23, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight;
  double epsilon;
};

/// Rows of a weight [count, size], by integers. The row of `padding`, which begins as zeros, gets no gradient.
class Embedding : public Layer {
public:
  Embedding(int64_t count, int64_t size, std::optional<int64_t> padding = {}, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  Tensor weight;
  std::optional<int64_t> padding;
};

/// Drops elements while it trains.
class Dropout : public Layer {
public:
  explicit Dropout(double probability = 0.5, Site site = Site::here());
  Tensor operator()(const Tensor &input, Site site = Site::here()) override;

  double probability;
};

/// What LSTM, GRU and RNN have in common: layers over [steps, batch, in], over [batch, steps, in] where the batch is
/// first, or over one sequence [steps, in]. Weights have PyTorch's names, and gates stand in its order.
class Recurrent : public Module {
public:
  int64_t countLayers() const { return int64_t(parts.size()) / countDirections(); }
  int64_t countDirections() const { return isBidirectional ? 2 : 1; }
  bool hasBias() const { return parts.front()->inputBias.has_value(); }

  int64_t in, size;
  bool isBatchFirst, isBidirectional;
  /// What is dropped between layers while it trains.
  double dropout;

protected:
  enum class Kind { Lstm, Gru, Tanh, Relu };
  struct States {
    Tensor output, hidden;
    std::optional<Tensor> cell = {};
  };
  Recurrent(Kind kind, int64_t in, int64_t size, int64_t layers, bool hasBias, bool isBatchFirst, double dropout,
            bool isBidirectional, Site site);
  States run(const Tensor &input, const Tensor *hidden, const Tensor *cell, Site site) const;

  Kind kind;

private:
  /// One direction of a layer.
  struct Part {
    Tensor fromInput, fromHidden;
    std::optional<Tensor> inputBias, hiddenBias;
  };
  States runLayer(size_t layer, const Tensor &input, const Tensor *hidden, const Tensor *cell, Site site) const;

  std::vector<std::unique_ptr<Part>> parts;
};

/// Long short-term memory.
class LSTM : public Recurrent {
public:
  struct Result {
    /// The last layer's hidden state after each step, [.., directions * size]; the states of all layers and directions
    /// behind their last step, [layers * directions, batch, size].
    Tensor output, hidden, cell;
  };
  LSTM(int64_t in, int64_t size, int64_t layers = 1, bool hasBias = true, bool isBatchFirst = false, double dropout = 0,
       bool isBidirectional = false, Site site = Site::here())
      : Recurrent(Kind::Lstm, in, size, layers, hasBias, isBatchFirst, dropout, isBidirectional, site) {}
  /// From states as the result has them, or from zeros.
  Result operator()(const Tensor &input, const Tensor *hidden = nullptr, const Tensor *cell = nullptr,
                    Site site = Site::here());
};

/// Gated recurrent units.
class GRU : public Recurrent {
public:
  /// As those of LSTM.
  struct Result {
    Tensor output, hidden;
  };
  GRU(int64_t in, int64_t size, int64_t layers = 1, bool hasBias = true, bool isBatchFirst = false, double dropout = 0,
      bool isBidirectional = false, Site site = Site::here())
      : Recurrent(Kind::Gru, in, size, layers, hasBias, isBatchFirst, dropout, isBidirectional, site) {}
  Result operator()(const Tensor &input, const Tensor *hidden = nullptr, Site site = Site::here());
};

/// tanh, or relu, of sums of the input and the hidden state.
class RNN : public Recurrent {
public:
  using Result = GRU::Result;
  RNN(int64_t in, int64_t size, int64_t layers = 1, bool isRelu = false, bool hasBias = true, bool isBatchFirst = false,
      double dropout = 0, bool isBidirectional = false, Site site = Site::here())
      : Recurrent(isRelu ? Kind::Relu : Kind::Tanh, in, size, layers, hasBias, isBatchFirst, dropout, isBidirectional,
                  site) {}
  Result operator()(const Tensor &input, const Tensor *hidden = nullptr, Site site = Site::here());
  bool isRelu() const { return kind == Kind::Relu; }
};

/// Attention of [batch, rows, width] to itself, by heads; weights as PyTorch packs them.
class MultiHeadAttention : public Module {
public:
  MultiHeadAttention(int64_t width, int64_t heads, bool hasBias = true, Site site = Site::here());
  Tensor operator()(const Tensor &input, bool causal = false, Site site = Site::here());
  /// To other rows, and with a mask that broadcasts to [batch, heads, rows, rows].
  Tensor operator()(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor *mask = nullptr,
                    bool causal = false, Site site = Site::here());

private:
  struct Projection : Linear {
    using Linear::Linear;
  };

public:
  Tensor in_proj_weight;
  std::optional<Tensor> in_proj_bias;
  Projection out_proj;
  int64_t heads;
};

/// Writes tensors to a .safetensors or .npz file, and reads them.
void save(const std::string &path, const std::vector<std::pair<std::string, Tensor>> &tensors,
          Site site = Site::here());
std::vector<std::pair<std::string, Tensor>> load(const std::string &path, Site site = Site::here());
/// Gives a module's tensors these values. Each must be there, with its shape; it is converted to its type.
void loadState(const std::vector<Named> &state, const std::vector<std::pair<std::string, Tensor>> &tensors,
               Site site = Site::here());

} // namespace tiny::nn

#endif // TINY_FRONTEND_NN_H
