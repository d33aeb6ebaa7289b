// What the tools that take a model ask for alike.
#ifndef TINY_DRIVER_MODELREQUEST_H
#define TINY_DRIVER_MODELREQUEST_H

#include "Tiny/Target/Target.h"
#include "mlir/Pass/PassManager.h"
#include <functional>
#include <string>
#include <vector>

namespace tiny {

/// The model, and how it is to be compiled.
struct ModelRequest {
  /// An ONNX model, MLIR of any level, or, for tiny-run, a container.
  std::string model;
  /// A function of the program. May be empty.
  std::string function;
  /// `NAME=SIZE` for dimensions that an ONNX model leaves open.
  std::vector<std::string> dims;
  /// Options of the pipelines as text, such as `fusion=none schedules=mine.mlir`. May be empty.
  std::string pipeline;
  /// A file of schedules, as one of these options would name it. May be empty.
  std::string schedules;
  /// What to compile for. Where nothing is given, it is the device that the module has a record of, or this machine.
  MachineChoice machine;
  /// `KERNEL=TARGET`, where there are several targets: where a kernel runs.
  std::vector<std::string> placement;
  /// Sets up the pass managers. May be empty.
  std::function<llvm::LogicalResult(mlir::PassManager &)> configure;

  /// The options of the pipelines, with the file of schedules.
  std::string getPipeline() const { return schedules.empty() ? pipeline : getPipelineWith(schedules); }
  /// The same with another file. A path may have blanks.
  std::string getPipelineWith(const std::string &file) const { return pipeline + " schedules=\"" + file + "\""; }
};

} // namespace tiny

#endif // TINY_DRIVER_MODELREQUEST_H
