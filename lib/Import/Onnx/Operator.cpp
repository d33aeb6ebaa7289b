// A model of one node, made to be imported: so an operator means the same wherever it comes from.
#include "Tiny/Import/Operator.h"

#include "Schema.h"
#include "TensorData.h"
#include "Tiny/Import/Onnx.h"

using namespace mlir;

namespace tiny {

using onnximport::getElementType;

static void addInitializer(onnx::GraphProto &graph, const std::string &name, ArrayRef<int64_t> numbers, bool isList) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  if (isList)
    tensor.add_dims(int64_t(numbers.size()));
  for (int64_t number : numbers)
    tensor.add_int64_data(number);
}

static bool addInput(onnx::GraphProto &graph, const std::string &name, RankedTensorType type) {
  onnx::ValueInfoProto &input = *graph.add_input();
  input.set_name(name);
  onnx::TypeProto::Tensor &tensor = *input.mutable_type()->mutable_tensor_type();
  for (int64_t size : type.getShape())
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
  tensor.mutable_shape();
  for (int32_t number = 1; number <= onnx::TensorProto::DataType_MAX; ++number)
    if (!onnximport::isFourBit(number) && getElementType(type.getContext(), number) == type.getElementType()) {
      tensor.set_elem_type(number);
      return true;
    }
  return false;
}

static void addAttribute(onnx::NodeProto &node, const std::string &name, const OnnxNode::Attribute &value) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  if (const auto *number = std::get_if<int64_t>(&value)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(*number);
  } else if (const auto *number = std::get_if<double>(&value)) {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(float(*number));
  } else if (const auto *text = std::get_if<std::string>(&value)) {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(*text);
  } else if (const auto *texts = std::get_if<std::vector<std::string>>(&value)) {
    attribute.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string &text : *texts)
      attribute.add_strings(text);
  } else {
    attribute.set_type(onnx::AttributeProto::INTS);
    for (int64_t number : std::get<std::vector<int64_t>>(value))
      attribute.add_ints(number);
  }
}

OwningOpRef<ModuleOp> importOnnxNode(const OnnxNode &node, MLIRContext *context) {
  onnx::ModelProto model;
  model.set_ir_version(10);
  onnx::OperatorSetIdProto &opset = *model.add_opset_import();
  opset.set_version(kNewestOnnxOpset);
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::NodeProto &proto = *graph.add_node();
  proto.set_op_type(node.op);
  proto.set_name(node.op);
  for (const OnnxNode::Operand &operand : node.operands) {
    std::string name = "operand" + std::to_string(proto.input_size());
    if (std::holds_alternative<std::monostate>(operand))
      name.clear();
    else if (const auto *number = std::get_if<int64_t>(&operand))
      addInitializer(graph, name, *number, /*isList=*/false);
    else if (const auto *numbers = std::get_if<std::vector<int64_t>>(&operand))
      addInitializer(graph, name, *numbers, /*isList=*/true);
    else if (!addInput(graph, name, std::get<RankedTensorType>(operand))) {
      emitError(UnknownLoc::get(context)) << node.op << " has no operands of " << std::get<RankedTensorType>(operand);
      return nullptr;
    }
    proto.add_input(name);
  }
  for (const auto &[name, value] : node.attributes)
    addAttribute(proto, name, value);
  for (unsigned result = 0; result < node.results; ++result) {
    std::string name = "result" + std::to_string(result);
    proto.add_output(name);
    graph.add_output()->set_name(name);
  }
  return importOnnx(model.SerializeAsString(), context);
}

} // namespace tiny
