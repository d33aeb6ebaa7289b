#include "Tiny/Support/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tiny;

namespace {

TEST(Signature, AttributesStateWhatTypesLost) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, memref::MemRefDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
    func.func @lost(%a: tensor<4xi8> {tiny.type = tensor<4xui8>}) -> (tensor<4xi8> {tiny.type = tensor<2x2xui8>}) {
      return %a : tensor<4xi8>
    }
    func.func @buffer(%a: memref<4xf32>) {
      return
    }
    func.func @scalar(%a: f32) {
      return
    }
    func.func private @hidden(%a: tensor<4xf32>) {
      return
    }
    func.func private @declared(%a: tensor<4xf32>)
  )",
                                                             &context);
  ASSERT_TRUE(module);
  SmallVector<FunctionOpInterface> programs = getPrograms(*module);
  ASSERT_EQ(programs.size(), 2u);
  FailureOr<Signature> lost = getSignature(programs[0]);
  ASSERT_TRUE(succeeded(lost));
  EXPECT_TRUE(lost->inputs[0].getElementType().isUnsignedInteger(8));
  EXPECT_EQ(lost->results[0].getShape(), (ArrayRef<int64_t>{2, 2}));
  EXPECT_EQ(programs[1].getName(), "buffer");
  EXPECT_TRUE(failed(getSignature(cast<FunctionOpInterface>(SymbolTable::lookupSymbolIn(*module, "scalar")))));
}

} // namespace
