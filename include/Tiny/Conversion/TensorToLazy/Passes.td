// From the tensor level down to the lazy level.
#ifndef TINY_CONVERSION_TENSORTOLAZY_PASSES
#define TINY_CONVERSION_TENSORTOLAZY_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTensorToLazy : Pass<"convert-tensor-to-lazy", "::mlir::ModuleOp"> {
  let summary = "Convert primitive tensor operations to lazy, arith and math";
  let description = [{
    Before: every `tiny` operation is primitive (see `tensor-decompose`); another one is an error.

    After: no `tiny` operation remains. Movement and reductions are `lazy`, elementwise compute is `arith` and `math`
    on tensors. Types are signless: the operation says whether it is unsigned (`divui`, `maxui`, `uitofp`, `extui`).
    Where an argument or a result of a function loses its sign, its attribute `tiny.type` keeps the tensor type.
    Operations carry the name of the tensor operation they come from in their location.

    Integer division by zero gives 0, the remainder by zero too, and a shift by the width or more gives 0 (or copies of
    the sign): none of them is left undefined, so constant divisors and amounts convert to one operation, others to a
    few.

    ```mlir
    func.func @main(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
      %0 = tiny.maximum %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
      return %0 : tensor<4xui8>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xi8> {tiny.type = tensor<4xui8>}, %y: tensor<4xi8> {tiny.type = tensor<4xui8>})
        -> (tensor<4xi8> {tiny.type = tensor<4xui8>}) {
      %0 = arith.maxui %x, %y : tensor<4xi8>
      return %0 : tensor<4xi8>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::tiny::lazy::LazyDialect"];
}

#endif // TINY_CONVERSION_TENSORTOLAZY_PASSES
