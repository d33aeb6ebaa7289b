// What tensor operations infer where C++ builds them: no verifier has seen their operands yet.
#include "Tiny/Dialect/Tensor/Tensor.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// The error of an operation on so many operands of an open size.
std::string infer(StringRef op, unsigned count, StringRef attributes) {
  MLIRContext context;
  context.loadDialect<tiny::tensor::TinyDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  Location location = UnknownLoc::get(&context);
  Block block;
  for (unsigned i = 0; i < count; ++i)
    block.addArgument(RankedTensorType::get(ShapedType::kDynamic, Float32Type::get(&context)), location);

  std::optional<RegisteredOperationName> info = RegisteredOperationName::lookup(op, &context);
  EXPECT_TRUE(info);
  auto dictionary = cast<DictionaryAttr>(parseAttribute(attributes, &context));
  auto storage = std::make_unique<char[]>(info->getOpPropertyByteSize() + 1);
  OpaqueProperties properties(storage.get());
  info->initOpProperties(properties, /*init=*/nullptr);
  if (info->getOpPropertyByteSize() > 0) {
    EXPECT_TRUE(succeeded(
        info->setOpPropertiesFromAttribute(*info, properties, dictionary, [&] { return emitError(location); })));
  }
  SmallVector<Type> types;
  LogicalResult result = info->getInterface<InferTypeOpInterface>()->inferReturnTypes(
      &context, location, block.getArguments(), dictionary, properties, {}, types);
  EXPECT_TRUE(failed(result));
  info->destroyOpProperties(properties);
  return message;
}

TEST(Inference, OpenSizesAreNamed) {
  EXPECT_EQ(infer("tiny.sum", 1, "{axes = array<i64: 0>}"),
            "'tiny.sum' op expects a static ranked tensor, got 'tensor<?xf32>'");
  EXPECT_EQ(infer("tiny.softmax", 1, "{axis = 0 : i64}"),
            "'tiny.softmax' op expects a static ranked tensor, got 'tensor<?xf32>'");
  EXPECT_EQ(infer("tiny.permute", 1, "{permutation = array<i64: 0>}"),
            "'tiny.permute' op expects a static ranked tensor, got 'tensor<?xf32>'");
  EXPECT_EQ(infer("tiny.layer_norm", 1,
                  "{axis = 0 : i64, epsilon = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>}"),
            "'tiny.layer_norm' op expects a static ranked tensor, got 'tensor<?xf32>'");
  EXPECT_EQ(infer("tiny.add", 2, "{}"), "'tiny.add' op expects static ranked tensors, got 'tensor<?xf32>'");
}

} // namespace
