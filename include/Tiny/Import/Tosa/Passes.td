// From upstream's tosa dialect to the tensor level.
#ifndef TINY_IMPORT_TOSA_PASSES
#define TINY_IMPORT_TOSA_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTosaToTensor : Pass<"convert-tosa-to-tensor", "::mlir::ModuleOp"> {
  let summary = "Convert tosa to tensor operations";
  let description = [{
    Before: any module; shapes, zero points, shifts and padding of `tosa` operations are constants.

    After: no `tosa` operation is left. Each that has no counterpart is an error with its reason. The operations of the
    base inference profiles are known; integer average pooling, tables of 16 bits and NaN-ignoring maxima are not.

    Types stay: integers are signed, and a rescale that reads or writes unsigned bytes says so itself.

    ```mlir
    %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    ```
    becomes
    ```mlir
    %0 = tiny.sum %x axes [1] keepdims : (tensor<2x3xf32>) -> tensor<2x1xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect"];
}

#endif // TINY_IMPORT_TOSA_PASSES
