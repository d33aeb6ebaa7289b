// The tiny dialect's one table of operations, by family.
#ifndef TINY_TENSOR_OPS
#define TINY_TENSOR_OPS

include "Tiny/Dialect/Tensor/TensorCollective.td"
include "Tiny/Dialect/Tensor/TensorControl.td"
include "Tiny/Dialect/Tensor/TensorElementwise.td"
include "Tiny/Dialect/Tensor/TensorGradient.td"
include "Tiny/Dialect/Tensor/TensorIndexing.td"
include "Tiny/Dialect/Tensor/TensorMovement.td"
include "Tiny/Dialect/Tensor/TensorProduct.td"
include "Tiny/Dialect/Tensor/TensorReduce.td"

#endif // TINY_TENSOR_OPS
