// Control flow as operations with bodies.
#ifndef TINY_TENSOR_CONTROL
#define TINY_TENSOR_CONTROL

include "Tiny/Dialect/Tensor/TensorBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

// A body takes values of outside, and is as pure as what is in it.
class Tiny_ControlOp<string mnemonic, list<Trait> traits = []> : Op<Tiny_Dialect, mnemonic,
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
     DeclareOpInterfaceMethods<ControlGradientOpInterface>, Tiny_Shardable] # traits>;

def Tiny_LoopOp : Tiny_ControlOp<"loop", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<LoopLikeOpInterface>]> {
  let summary = "computes new values from old ones, again and again";
  let description = [{
    The body takes the iteration's number, an i64 from 0 on, and what is carried. It yields the next values of what is
    carried, and then rows: values of this iteration, which the loop gives stacked along a new first axis. With `while`
    it yields, in front of these, whether there is a next iteration.

    There are at most `most` iterations, at most `limit`, and none from the point on at which the condition is false:
    the operand before the first iteration, what the last one has yielded before each other.

    Results are the carried values, the rows, and how many iterations there were. A row of an iteration that did not
    happen is zero.

    ```mlir
    %h1, %hs, %n = tiny.loop most(10) carry(%h) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>, tensor<i64>) {
    ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
      %new = tiny.add %old, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      tiny.yield %new, %new : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$most, Optional<Tiny_IntTensor>:$limit,
    Optional<Tiny_BoolTensor>:$condition, Variadic<Tiny_Tensor>:$carried);
  let results = (outs Variadic<Tiny_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `most` `(` $most `)` (`limit` `(` $limit^ `)`)? (`while` `(` $condition^ `)`)? `carry` `(` $carried `)` attr-dict `:`
    functional-type(operands, results) $body
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    unsigned getNumCarried() { return getCarried().size(); }
    unsigned getNumRows() { return getNumResults() - getNumCarried() - 1; }
    /// What the body yields for the next iteration, and the rows.
    ::mlir::OperandRange getNext();
    ::mlir::OperandRange getYieldedRows();
    /// Gives further values of its body as rows, behind those that it has: another loop, in this one's place.
    LoopOp addRows(::mlir::OpBuilder &builder, ::mlir::ValueRange values);
    /// Whether an index of a value of so many rows as there are iterations counts them from the end (true) or from the
    /// start (false); none where it is another index.
    std::optional<bool> isFromEnd(::mlir::Value index);
    /// The gradient of a loop, which may add up in any order.
    static constexpr ::llvm::StringLiteral kGoesBack = "tiny.goes_back";
  }];
}

def Tiny_IfOp : Tiny_ControlOp<"if"> {
  let summary = "computes the values of one of two bodies";
  let description = [{
    ```mlir
    %y = tiny.if %found : (tensor<i1>) -> tensor<4xf32> {
      tiny.yield %x : tensor<4xf32>
    } else {
      %0 = tiny.neg %x : (tensor<4xf32>) -> tensor<4xf32>
      tiny.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Tiny_BoolTensor:$condition);
  let results = (outs Variadic<Tiny_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$otherwise);
  let assemblyFormat = "$condition attr-dict `:` functional-type(operands, results) $body `else` $otherwise";
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tiny_YieldOp : Op<Tiny_Dialect, "yield", [Pure, Terminator, ReturnLike, ParentOneOf<["LoopOp", "IfOp"]>]> {
  let summary = "ends a body with its values";
  let arguments = (ins Variadic<Tiny_Tensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // TINY_TENSOR_CONTROL
