// The graph under translation: its values by name, and the function that they go to.
#ifndef TINY_LIB_IMPORT_ONNX_GRAPH_H
#define TINY_LIB_IMPORT_ONNX_GRAPH_H

#include "DataFiles.h"
#include "Schema.h"
#include "Tiny/Import/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

namespace tiny::onnximport {

struct Handler;

/// What names mean in a graph, in a branch of it, or in a function's body.
struct Scope {
  /// The graph around a branch; null for the model's graph and for functions, which see only their inputs.
  Scope *parent = nullptr;
  llvm::StringMap<mlir::Value> values;
  /// Sequences, whose length is known, and optional values: none when absent.
  llvm::StringMap<std::optional<llvm::SmallVector<mlir::Value>>> sequences;
  llvm::StringMap<mlir::ElementsAttr> initializers;
  /// Outputs of nodes that could not be translated, and what depends on them.
  llvm::StringSet<> refused;
};

class Graph {
public:
  Graph(const onnx::ModelProto &model, int64_t opset, DataFiles &files, mlir::ModuleOp module,
        const OnnxImportOptions &options);

  /// Fills the module. Failure has emitted one error.
  llvm::LogicalResult import();

  /// A value that an earlier node computes, an input, or an initializer, which becomes a constant now; null without an
  /// error when there is none of that name.
  mlir::Value lookup(llvm::StringRef name);
  /// The elements of a value that is known now, or null.
  mlir::ElementsAttr lookupConstant(llvm::StringRef name);
  /// A sequence or an optional value, or null.
  const std::optional<llvm::SmallVector<mlir::Value>> *lookupSequence(llvm::StringRef name);
  /// Binds a name in the scope of now. Fails with an error when it is taken.
  llvm::LogicalResult define(llvm::StringRef name, mlir::Value value);
  llvm::LogicalResult defineSequence(llvm::StringRef name, std::optional<llvm::SmallVector<mlir::Value>> values);

  /// Translates a branch's nodes here, in a scope inside of this one that holds `bind`'s definitions, then calls
  /// `use` in that scope.
  llvm::LogicalResult inlineBody(const onnx::GraphProto &body, llvm::function_ref<llvm::LogicalResult()> bind,
                                 llvm::function_ref<llvm::LogicalResult()> use);

  /// The extent that an axis has here whose size is data, and that `count`, one i64, says when the model runs: what
  /// `dims` gives for the name, else `most`. The count becomes a result of its own behind those of the model, with the
  /// attributes `tiny.size` and `tiny.bound`.
  int64_t measure(llvm::StringRef name, mlir::Value count, int64_t most);

  /// Whether nodes are translated into the body of an operation now.
  bool isInBody() { return builder.getInsertionBlock() != &function.getBody().front(); }

  /// What a decision of this import is noted in, which an operation at the location takes; null where no other import
  /// is to be one program with it, or they are not yet known apart.
  OnnxDecision::Known *nextDecision(mlir::Location loc);

  /// What is known of a slice of an axis of this size, whose greatest size it knows then; null where there is one
  /// import.
  OnnxSlice *nextSlice(mlir::Location loc, int64_t size);

  /// Of a size that a choice of operations depends on, and that is another one in other imports (see OnnxChoices), what
  /// it is in the first of them, the greatest; none where it is the same in all.
  std::optional<int64_t> findOpen(int64_t size);
  /// Whether the size has this name in this import.
  bool isSized(llvm::StringRef name) const { return options.dims.contains(name); }

  /// Whether this is the first of several imports, which decides for them (see OnnxChoices).
  bool isFirstImport() const { return options.choices && options.choices->imports == 0; }
  /// Whether a value became a constant in the first import; none where nothing says so.
  std::optional<bool> wasFolded(mlir::Value value) const;
  void noteFolded(mlir::Value value, bool isFolded);

  int64_t opset;
  mlir::OpBuilder builder;
  /// Names of values whose elements are integers of 4 bits.
  llvm::StringSet<> fourBit;
  /// Where elements are that are not in the message.
  DataFiles &files;

private:
  llvm::LogicalResult importInitializers(const onnx::GraphProto &graph);
  llvm::LogicalResult importInputs();
  llvm::LogicalResult importNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes);
  llvm::LogicalResult importNode(const onnx::NodeProto &node, int index);
  llvm::LogicalResult translateNode(const onnx::NodeProto &proto, mlir::Location loc, bool isRefused);
  llvm::LogicalResult callHandler(const Handler &handler, const onnx::NodeProto &proto, mlir::Location loc);
  llvm::LogicalResult inlineFunction(const onnx::FunctionProto &callee, const onnx::NodeProto &call);
  const onnx::FunctionProto *findFunction(const onnx::NodeProto &call) const;
  llvm::LogicalResult importOutputs();
  void eraseUnusedConstants();
  llvm::LogicalResult checkDims();
  /// An argument of the program.
  struct Input {
    std::string name;
    mlir::RankedTensorType type;
  };
  mlir::RankedTensorType getInputType(llvm::StringRef name, const onnx::TypeProto &type);
  /// How many elements a sequence has, or 1 where an optional value is there; none where nothing says so.
  std::optional<int64_t> getLength(llvm::StringRef name);
  /// The arguments that an input becomes: one for each element of a sequence, none for an optional value that is
  /// absent.
  llvm::LogicalResult listInput(const onnx::ValueInfoProto &info, llvm::SmallVectorImpl<Input> &inputs);
  mlir::InFlightDiagnostic emitError();

  const onnx::ModelProto &model;
  const onnx::GraphProto &proto;
  const OnnxImportOptions &options;
  mlir::ModuleOp module;
  mlir::func::FuncOp function;
  mlir::Operation *lastConstant = nullptr;
  /// The sizes that are data.
  struct Measured {
    std::string name;
    mlir::Value count;
    int64_t most;
  };
  std::vector<Measured> measured;
  /// Inputs that are sequences, and their lengths.
  std::vector<std::pair<std::string, int64_t>> sequenceInputs;
  /// Choices that were made so far.
  size_t nChoices = 0;
  /// Decisions that were met so far, by location.
  llvm::DenseMap<mlir::Location, unsigned> nDecisions;
  /// Slices likewise.
  llvm::DenseMap<mlir::Location, unsigned> nSlices;
  /// By a dimension's name, the place (`x:0`) of an axis that has it and whose size is given by that.
  llvm::StringMap<std::string> places;
  /// The dimensions that were open and got a size of `options.dims`.
  llvm::StringSet<> sized;
  Scope top;
  Scope *scope = &top;
  /// How many bodies stand inside each other here.
  unsigned depth = 0;
  /// How many nodes came of functions.
  size_t nInlined = 0;
};

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_GRAPH_H
