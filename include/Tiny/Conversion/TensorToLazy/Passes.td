// From the tensor level down to the lazy level.
#ifndef TINY_CONVERSION_TENSORTOLAZY_PASSES
#define TINY_CONVERSION_TENSORTOLAZY_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTensorToLazy : Pass<"convert-tensor-to-lazy", "::mlir::ModuleOp"> {
  let summary = "Convert primitive tensor operations to lazy, arith and math";
  let description = [{
    Before: every `tiny` operation is primitive (see `tensor-decompose`); any other is an error.

    After: no `tiny` operation is left. Movement and reductions are `lazy`; elementwise compute is `arith` and `math` on
    tensors. Types are signless, and the operation says where a value is unsigned (`divui`, `maxui`, `uitofp`, `extui`).
    An argument or a result of a function that loses its sign keeps the tensor type in its attribute `tiny.type`. Each
    operation's location names the tensor operation that it comes from.

    Bodies of `tiny.loop` and `tiny.if` become private functions, which take what the bodies used of outside, and which
    `lazy.loop` and `lazy.if` name.

    Integer division and shifts are defined for all operands: `x / 0` and `x % 0` give 0, and a shift by the width or
    more moves every bit out. That takes a few operations, or a single one where the divisor or the amount is a
    constant.

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
