// What a handler sees of the node that it translates, and what it builds with.
#ifndef TINY_LIB_IMPORT_ONNX_NODE_H
#define TINY_LIB_IMPORT_ONNX_NODE_H

#include "Graph.h"
#include "mlir/IR/Builders.h"

namespace tiny::onnximport {

using mlir::RankedTensorType;
using mlir::Value;
/// One value per output of a node, in order. A null value, or none at all, means that an error has been emitted.
using Values = llvm::SmallVector<Value, 1>;
using Ints = llvm::SmallVector<int64_t>;

/// A node under translation. Errors are emitted through it; what it builds carries the node's name as location. A null
/// value as operand gives a null result, so that a handler need not look after each step.
class Node {
public:
  Node(Graph &graph, const onnx::NodeProto &proto, mlir::Location loc) : graph(graph), proto(proto), loc(loc) {}

  /// Version of the default operator set that the model asks for.
  int64_t opset() const { return graph.opset; }
  mlir::Location getLoc() const { return loc; }
  mlir::MLIRContext *getContext() const { return loc.getContext(); }
  llvm::StringRef opType() const { return proto.op_type(); }
  llvm::StringRef getName() const { return llvm::cast<mlir::NameLoc>(loc).getName(); }

  /// Emits an error; the null value is for handlers to return.
  Value fail(const llvm::Twine &message);
  bool failed() const { return hasFailed; }
  /// Marks the node as refused after an error that is emitted elsewhere.
  void refuse() { hasFailed = true; }
  /// Forgets the errors: another way to translate the node is tried.
  void forgive() { hasFailed = false; }

  //===--- Inputs and outputs -------------------------------------------------------------------------------------===//
  unsigned numInputs() const { return proto.input_size(); }
  unsigned numOutputs() const { return proto.output_size(); }
  /// Whether the input is given: trailing inputs may be left out, others may be empty.
  bool hasInput(unsigned index) const { return index < numInputs() && !proto.input(index).empty(); }
  bool hasOutput(unsigned index) const { return index < numOutputs() && !proto.output(index).empty(); }
  /// The input's value; null after an error.
  Value input(unsigned index);
  /// The elements of an input that is known now, or null without an error.
  mlir::ElementsAttr constant(unsigned index);
  /// The same as integers; an error when it is not known or not of integers.
  std::optional<Ints> constantInts(unsigned index, llvm::StringRef what);
  /// The same for one number of any type: a FloatAttr or an IntegerAttr of that type. Null after an error.
  mlir::TypedAttr constantScalar(unsigned index, llvm::StringRef what);
  /// Whether the numbers of an input that is known now are places along these axes of a value, by turns; below zero
  /// they count from the end. What is not known now, or follows open sizes, may have any. Emits an error if not.
  bool checkPlaces(unsigned index, Value of, llvm::ArrayRef<int64_t> axes);
  /// All elements of an input that is known now; none after an error.
  std::optional<llvm::SmallVector<double>> constantNumbers(unsigned index, llvm::StringRef what);

  /// The elements of an input that is a sequence; none after an error.
  std::optional<llvm::SmallVector<Value>> sequence(unsigned index);
  /// Whether an input is an optional value that is absent, or none is given.
  bool isAbsent(unsigned index);
  bool isSequence(unsigned index);
  /// Makes an output a sequence, or an absent optional value.
  void defineSequence(unsigned output, std::optional<llvm::SmallVector<Value>> values);
  /// The graph that an attribute holds; null after an error.
  const onnx::GraphProto *getGraph(llvm::StringRef name);
  Graph &getOuter() { return graph; }
  /// Whether an input's elements are integers of 4 bits, each held in a byte.
  bool isFourBit(unsigned index) const;
  /// Says that an output's are.
  void markFourBit(unsigned output);
  llvm::StringRef outputName(unsigned index) const { return proto.output(int(index)); }
  /// The extent of an axis that is data: one number, at least 0 and at most `most`, that is computed when the model
  /// runs (see Graph::measure), or now where it can be. None after an error.
  std::optional<int64_t> measure(Value count, int64_t most);
  /// See Graph::findOpen.
  std::optional<int64_t> findOpen(int64_t size) { return graph.findOpen(size); }
  bool isOpen(int64_t size) { return findOpen(size).has_value(); }

  //===--- Attributes: an error when there is one of another type -------------------------------------------------===//
  bool hasAttribute(llvm::StringRef name) const { return findAttribute(name) != nullptr; }
  int64_t getInt(llvm::StringRef name, int64_t otherwise);
  double getFloat(llvm::StringRef name, double otherwise);
  llvm::StringRef getString(llvm::StringRef name, llvm::StringRef otherwise);
  std::optional<Ints> getInts(llvm::StringRef name);
  const onnx::AttributeProto *findAttribute(llvm::StringRef name) const;

  /// Counts a negative axis from the end. None after an error when it is none of `rank` axes.
  std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  std::optional<Ints> normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// Integers that older opsets have as an attribute and newer ones as an input. Empty when neither is given.
  std::optional<Ints> getIntsFromEither(llvm::StringRef attribute, unsigned index);

  //===--- Building -----------------------------------------------------------------------------------------------===//
  mlir::NamedAttribute attr(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute attr(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute attrF64(llvm::StringRef name, double value);
  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value);
  /// The number as an attribute of the element type.
  static mlir::TypedAttr number(double number, mlir::Type element);
  mlir::NamedAttribute attrUnit(llvm::StringRef name);

  /// An operation whose result type is inferred.
  Value create(llvm::StringRef op, mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// An operation whose result type is given.
  Value createTyped(llvm::StringRef op, RankedTensorType type, mlir::ValueRange operands,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  Value reshape(Value input, llvm::ArrayRef<int64_t> shape);
  Value expand(Value input, llvm::ArrayRef<int64_t> shape);
  Value cast(Value input, mlir::Type element);
  /// One number as a rank-0 constant of the element type.
  Value scalar(double number, mlir::Type element);
  Value makeConstant(mlir::ElementsAttr elements);
  /// The index along one axis of a shape.
  Value iota(llvm::ArrayRef<int64_t> shape, mlir::Type element, int64_t axis);
  Value permute(Value input, llvm::ArrayRef<int64_t> permutation);
  /// The elements from `begin` to `end` along each axis.
  Value shrink(Value input, llvm::ArrayRef<int64_t> begin, llvm::ArrayRef<int64_t> end);
  /// The elements from `from` to `to` along one axis.
  Value sliceAxis(Value input, int64_t axis, int64_t from, int64_t to);
  Value sum(Value input, llvm::ArrayRef<int64_t> axes, bool keepdims = false);
  /// The elements along an axis with `stride - 1` zeros between them.
  Value spreadAxis(Value input, int64_t axis, int64_t stride);
  Value pad(Value input, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high);
  Value add(Value lhs, Value rhs) { return create("tiny.add", {lhs, rhs}); }
  Value sub(Value lhs, Value rhs) { return create("tiny.sub", {lhs, rhs}); }
  Value mul(Value lhs, Value rhs) { return create("tiny.mul", {lhs, rhs}); }
  Value div(Value lhs, Value rhs) { return create("tiny.div", {lhs, rhs}); }
  Value where(Value condition, Value lhs, Value rhs) { return create("tiny.where", {condition, lhs, rhs}); }
  /// The number in the element type of another value.
  Value like(Value value, double number);
  Value makeInts(llvm::ArrayRef<int64_t> numbers, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  Value makeFloats(llvm::ArrayRef<double> numbers, llvm::ArrayRef<int64_t> shape, mlir::Type element);

private:
  Value build(mlir::OperationState &state);
  Value alignOldOperand(Value value);

  Graph &graph;
  const onnx::NodeProto &proto;
  mlir::Location loc;
  bool hasFailed = false;
};

inline RankedTensorType typeOf(Value value) { return llvm::cast<RankedTensorType>(value.getType()); }
inline int64_t rankOf(Value value) { return typeOf(value).getRank(); }
inline llvm::ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }
inline mlir::Type elementOf(Value value) { return typeOf(value).getElementType(); }

/// How one operator is translated.
struct Handler {
  llvm::StringLiteral op;
  unsigned minInputs, maxInputs;
  /// The attributes that it knows, separated by blanks; a node with another one is refused, not half understood.
  llvm::StringLiteral attributes;
  Values (*translate)(Node &);
  /// The `tiny` operation, for operators that are one and have no attributes; then `translate` may be null.
  llvm::StringLiteral target = "";
};

constexpr unsigned kAnyInputs = ~0u;

/// The bound of a size that is data, where nothing bounds it and --dim gives none.
constexpr int64_t kMostMeasured = 1024;

/// The tables, one per family of operators.
llvm::ArrayRef<Handler> getAttentionHandlers();
llvm::ArrayRef<Handler> getDeformedHandlers();
llvm::ArrayRef<Handler> getElementwiseHandlers();
llvm::ArrayRef<Handler> getFusedHandlers();
llvm::ArrayRef<Handler> getIndexingHandlers();
llvm::ArrayRef<Handler> getCountedHandlers();
llvm::ArrayRef<Handler> getMovementHandlers();
llvm::ArrayRef<Handler> getNormalizationHandlers();
llvm::ArrayRef<Handler> getProductHandlers();
llvm::ArrayRef<Handler> getQuantizedHandlers();
llvm::ArrayRef<Handler> getQuantizedFusedHandlers();
llvm::ArrayRef<Handler> getRandomHandlers();
llvm::ArrayRef<Handler> getRecurrentHandlers();
llvm::ArrayRef<Handler> getReduceHandlers();
llvm::ArrayRef<Handler> getResizeHandlers();
llvm::ArrayRef<Handler> getSamplingHandlers();
llvm::ArrayRef<Handler> getSpatialHandlers();
llvm::ArrayRef<Handler> getScatterHandlers();
llvm::ArrayRef<Handler> getSelectionHandlers();
llvm::ArrayRef<Handler> getSequenceHandlers();
llvm::ArrayRef<Handler> getSignalHandlers();
llvm::ArrayRef<Handler> getStateHandlers();
llvm::ArrayRef<Handler> getTrainingHandlers();
llvm::ArrayRef<Handler> getContractionHandlers();
llvm::ArrayRef<Handler> getLoopHandlers();
llvm::ArrayRef<Handler> getLossHandlers();

/// The value as a float type. Where the type is one of 8 bits and it saturates, what is beyond its largest number, also
/// an infinity, becomes that number.
Value castFloat(Node &node, Value value, mlir::FloatType element, bool saturates);

/// The input without the elements that a random mask drops, scaled by what is left, and the mask. Null after an error.
Values dropAtRandom(Node &node, Value input, double ratio, int64_t seed);

/// The sum of the elements up to each one along the axis, itself included.
Value sumUpTo(Node &node, Value input, int64_t axis = 0);

/// The elements of what depends on small constants alone, or null.
mlir::ElementsAttr evaluateKnown(Value value);

/// Replaces results that depend on small constants alone by constants. `inputs` are what the node takes that gives
/// them: a handler may have read these when it chose its operations.
void foldConstants(Graph &graph, llvm::MutableArrayRef<Value> results, llvm::ArrayRef<Value> inputs = {});

/// Whether open sizes decide a value that is known now.
bool followsSizes(Value value);

/// Notes a value by which a handler chooses: it follows one law at all sizes, or the model is refused. Its operations
/// are dropped.
void noteChoice(Graph &graph, Value value);

/// Notes what the function's operations take that is known, follows open sizes, and was not folded.
void noteDecisions(Graph &graph, mlir::func::FuncOp function);

/// On a constant while a model is imported: it follows sizes that are open.
constexpr llvm::StringLiteral kFollowsAttr = "tiny.follows";
/// The same, but only by the attributes and types of what it was computed with.
constexpr llvm::StringLiteral kShapedAttr = "tiny.shaped";

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_NODE_H
