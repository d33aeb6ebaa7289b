// Programs as the compiler has them, at any level: read, taken down the levels pass by pass, printed, run on tensors.
#ifndef TINY_FRONTEND_MODEL_H
#define TINY_FRONTEND_MODEL_H

#include "Tiny/Frontend/Tensor.h"

#include <memory>
#include <string>
#include <vector>

namespace tiny {

namespace frontend {
struct ModelState;
} // namespace frontend

/// A module of the compiler. It never changes: passes make another one.
class Model {
public:
  /// An argument or a result of its program.
  struct Parameter {
    std::string name;
    tiny_dtype dtype;
    Shape shape;
  };

  /// A module of any level as text.
  static Model parse(const std::string &text, Site site = Site::here());
  /// From a file: an ONNX model, or a module as text or bytecode. `dims` (`NAME=SIZE`) gives sizes to what a model
  /// leaves open.
  static Model load(const std::string &path, const std::vector<std::string> &dims = {}, Site site = Site::here());
  /// The program that computes tensors, which are its results; what is known already are its arguments.
  static Model of(const std::vector<Tensor> &tensors, Site site = Site::here());

  /// The module as text.
  std::string text() const;
  /// What a pipeline makes of it, by the names that tiny-opt has: "lazy-fold-views,cse".
  Model run(const std::string &pipeline, Site site = Site::here()) const;
  /// It at a level (tensor, lazy, kernel, uop), or its kernels in a form of the target, such as llvm or assembly; the
  /// target's own output for the empty level. An empty target is the processor.
  std::string lowered(const std::string &level, const std::string &target = "", Site site = Site::here()) const;

  /// Of the program: `main`, or the only one.
  std::vector<Parameter> inputs(Site site = Site::here()) const;
  std::vector<Parameter> results(Site site = Site::here()) const;
  /// Runs the program, which is compiled the first time. The results are computed.
  std::vector<Tensor> operator()(const std::vector<Tensor> &arguments, Site site = Site::here()) const;

private:
  explicit Model(std::shared_ptr<frontend::ModelState> state) : state(std::move(state)) {}

  std::shared_ptr<frontend::ModelState> state;
};

} // namespace tiny

#endif // TINY_FRONTEND_MODEL_H
