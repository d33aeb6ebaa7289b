// The lazy dialect: a graph of few primitives over buffers and views.
#ifndef TINY_LAZY_OPS
#define TINY_LAZY_OPS

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lazy_Dialect : Dialect {
  let name = "lazy";
  let cppNamespace = "::tiny::lazy";
  let summary = "A graph of few primitives over buffers and views; nothing is computed yet";
  let description = [{
    Elementwise compute is upstream `arith` and `math` on tensors. This dialect owns structure: movement operations and
    the views they fold into, reductions, index sources, and the groups that become kernels.

    A *base* is a value computed into a contiguous buffer; a *view* is a base seen through a ShapeTracker. A masked
    element of a view reads as zero.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Adds the attributes, in the file that knows their storage.
    void registerAttributes();
  }];
}

class Lazy_Op<string mnemonic, list<Trait> traits = []> : Op<Lazy_Dialect, mnemonic, traits>;

//===--- Attributes -----------------------------------------------------------------------------------------------===//

def Lazy_TrackerAttr : AttrDef<Lazy_Dialect, "Tracker"> {
  let mnemonic = "tracker";
  let summary = "a ShapeTracker: a stack of views, the one next to the buffer first";
  let description = [{
    Each view is `(shape):(strides)`, then `+ offset` where it is not zero and `mask [begin:end, ...]` where there is
    one. `views[0]` stands next to the buffer, the last view is what the consumer indexes.

    ```mlir
    #lazy.tracker<(4, 3, 8):(8, 0, 1)>
    #lazy.tracker<(6, 6):(4, 1) + -5 mask [1:5, 1:5], (36):(1)>
    ```
  }];
  let parameters = (ins "::tiny::ShapeTracker":$tracker);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Checks that the first view stays inside a buffer of so many elements.
    ::mlir::LogicalResult verifyFits(int64_t elements, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError);
  }];
}

//===--- Movement -------------------------------------------------------------------------------------------------===//

class Lazy_MovementOp<string mnemonic, dag extra, string format, list<Trait> traits = []>
    : Lazy_Op<mnemonic, [Pure, AllElementTypesMatch<["input", "result"]>] # traits> {
  let arguments = !con((ins AnyStaticShapeTensor:$input), extra);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input " # format # " attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Lazy_ReshapeOp : Lazy_MovementOp<"reshape", (ins), ""> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %1 = lazy.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
    ```
  }];
}

def Lazy_ExpandOp : Lazy_MovementOp<"expand", (ins), ""> {
  let summary = "repeats along axes of size 1; the rank stays";
  let description = [{
    ```mlir
    %1 = lazy.expand %0 : tensor<4x1xf32> -> tensor<4x8xf32>
    ```
  }];
}

def Lazy_PermuteOp : Lazy_MovementOp<"permute", (ins DenseI64ArrayAttr:$permutation), "$permutation"> {
  let summary = "reorders axes: result axis k is input axis permutation[k]";
  let description = [{
    ```mlir
    %1 = lazy.permute %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    ```
  }];
}

def Lazy_PadOp : Lazy_MovementOp<"pad", (ins DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high),
    "`low` $low `high` $high"> {
  let summary = "adds zeros before and after each axis";
  let description = [{
    ```mlir
    %1 = lazy.pad %0 low [1, 0] high [1, 2] : tensor<4x6xf32> -> tensor<6x8xf32>
    ```
  }];
}

def Lazy_ShrinkOp : Lazy_MovementOp<"shrink", (ins DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$end),
    "`begin` $begin `end` $end"> {
  let summary = "takes the window [begin, end) of each axis";
  let description = [{
    ```mlir
    %1 = lazy.shrink %0 begin [1, 0] end [3, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
    ```
  }];
}

def Lazy_FlipOp : Lazy_MovementOp<"flip", (ins DenseI64ArrayAttr:$axes), "$axes"> {
  let summary = "reverses the named axes";
  let description = [{
    ```mlir
    %1 = lazy.flip %0 [0] : tensor<4x6xf32> -> tensor<4x6xf32>
    ```
  }];
}

def Lazy_ViewOp : Lazy_MovementOp<"view", (ins Lazy_TrackerAttr:$tracker), "$tracker"> {
  let summary = "a base seen through a ShapeTracker; masked elements read as zero";
  let description = [{
    What a chain of movement operations folds into. The tracker's first view indexes the row-major elements of the
    input; its last view has the result's shape.

    ```mlir
    %1 = lazy.view %0 <(4, 3, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x3x8xf32>
    ```
  }];
}

//===--- Sources, reductions, boundaries --------------------------------------------------------------------------===//

def Lazy_IotaOp : Lazy_Op<"iota", [Pure]> {
  let summary = "the index along one axis, as an integer";
  let description = [{
    ```mlir
    %0 = lazy.iota 1 : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs StaticShapeTensorOf<[AnySignlessInteger]>:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lazy_GatherOp : Lazy_Op<"gather", [Pure, AllElementTypesMatch<["base", "result"]>]> {
  let summary = "the elements of a base at coordinates that are data";
  let description = [{
    One index tensor of the result's shape for each axis of the base: element `p` of the result is the base's element at
    `(indices[0][p], indices[1][p], ...)`, and `outside`, which is zero where it is not given, where an index is
    negative or beyond its axis. An axis along which an element stays where it is has a `lazy.iota` for index. The base
    is read from a buffer, through views, and all else fuses like an elementwise operation on the indices; of what is
    computed `lazy-move-gathers` computes the picked elements only, where the cost model prefers that to a buffer.

    ```mlir
    %1 = lazy.gather %x [%i, %j] : tensor<4x6xf32>, (tensor<8xi64>, tensor<8xi32>) -> tensor<8xf32>
    %2 = lazy.gather %x [%i, %j] else 1.0 : f32 : tensor<4x6xf32>, (tensor<8xi64>, tensor<8xi32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$base, Variadic<StaticShapeTensorOf<[I8, I16, I32, I64]>>:$indices,
    OptionalAttr<TypedAttrInterface>:$outside);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`else` $outside^)? attr-dict `:` type($base) `,` functional-type($indices, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Lazy_ReduceOp : Lazy_Op<"reduce", [Pure, SingleBlock, IsolatedFromAbove]> {
  let summary = "combines the elements along axes, which disappear";
  let description = [{
    Any number of inputs of one shape, and as many results, whose shape is the inputs' without `axes`. The combiner is
    an upstream `kind` whose initial value is its identity, or a region from the accumulators and then the elements to
    the new accumulators, with one initial value per input.

    Elements are combined in row-major order, except as `fastmath` allows: `reassoc` lets the order change, `contract`
    lets a product and its sum round once. Both are on by default.

    ```mlir
    %s = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %m:2 = lazy.reduce (%x, %i) init [0xFF800000 : f32, 0 : i32] axes [1]
        : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %gt = arith.cmpf ogt, %b, %a : f32
      %v = arith.select %gt, %b, %a : f32
      %k = arith.select %gt, %bi, %ai : i32
      lazy.yield %v, %k : f32, i32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, OptionalAttr<AtomicRMWKindAttr>:$kind,
    OptionalAttr<ArrayAttr>:$inits, DenseI64ArrayAttr:$axes,
    DefaultValuedAttr<Arith_FastMathAttr,
      "::mlir::arith::FastMathFlags::reassoc | ::mlir::arith::FastMathFlags::contract">:$fastmath);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let assemblyFormat = [{
    (custom<ReduceKind>($kind)^)? `(` $inputs `)` (`init` $inits^)? `axes` $axes (`fastmath` `` $fastmath^)? attr-dict `:`
    functional-type($inputs, $results) ($combiner^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Lazy_ScanOp : Lazy_Op<"scan", [Pure, SameOperandsAndResultType]> {
  let summary = "each element combined with all those before it along an axis";
  let description = [{
    Element `k` along the axis is that of elements 0 to `k` of the input, combined in order by the upstream `kind`: no
    flag lets the order change. A sum of what comes before an element is that of the input moved on by one, padded by
    zero. The result is a base: whoever reads it otherwise than in order needs a buffer.

    ```mlir
    %1 = lazy.scan addf %0 axis 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, AtomicRMWKindAttr:$kind, I64Attr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "custom<ScanKind>($kind) $input `axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lazy_ContiguousOp : Lazy_Op<"contiguous", [Pure, SameOperandsAndResultType]> {
  let summary = "a boundary: the value is computed into a buffer";
  let description = [{
    The value is computed by a kernel that ends there. Inside of groups there are no buffers, but `lazy.keep`.

    ```mlir
    %1 = lazy.contiguous %0 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lazy_KeepOp : Lazy_Op<"keep", [Pure, SameOperandsAndResultType, HasParent<"GroupOp">]> {
  let summary = "in a group: the kernel computes each element once";
  let description = [{
    All that reads the result reads what was computed once. Without axes the whole value is computed before any of it
    is read. With axes the kernel computes it piece by piece: all along these axes, for one point of the others at a
    time, where all readers are in the same loops over the others; else the piece is larger. A softmax keeps its
    exponentials over the axis of the rows, for the sum and for the quotient.

    The operation fixes what is computed once, and not where it lies: a schedule may hold it in registers, make the
    piece larger, or compute it again by an explicit step. `convert-lazy-to-kernel` makes it a `kernel.stage`.

    ```mlir
    %1 = lazy.keep %0 over [1] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input (`over` $axes^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===--- State ----------------------------------------------------------------------------------------------------===//

def Lazy_AssignOp : Lazy_Op<"assign", [Pure, AllTypesMatch<["base", "result"]>, AllElementTypesMatch<["value", "base"]>]> {
  let summary = "a base with some of its elements replaced: its next state";
  let description = [{
    Element `i` of the value replaces the base's element at row-major position `tracker(i)`; a masked element replaces
    nothing. No two elements replace the same one. The result is a value like any other: whoever still reads the base
    reads what it was before. `lazy-plan-state` lets it be written in the base's buffer where nobody can tell.

    ```mlir
    %1 = lazy.assign %row, %x <(8):(1) + 16> : tensor<8xf32>, tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$value, AnyStaticShapeTensor:$base, Lazy_TrackerAttr:$tracker);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value `,` $base $tracker attr-dict `:` type($value) `,` type($base)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===--- Control flow ---------------------------------------------------------------------------------------------===//

def Lazy_LoopOp : Lazy_Op<"loop", [Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "computes new values from old ones by a function, again and again";
  let description = [{
    The function takes the iteration's number, an i64 from 0 on, what is carried, and what is captured, which stays. It
    gives, with a condition, whether there is a next iteration; then the next values of what is carried; then rows,
    which the loop gives stacked along a new first axis.

    There are at most `most` iterations, at most `limit`, and none from the point on at which the condition is false.
    Results are the carried values, the rows, and how many iterations there were. A row of an iteration that did not
    happen is zero.

    ```mlir
    %h1, %hs, %n = lazy.loop @step most(10) carry(%h) with(%x)
        : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>, tensor<i64>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, ConfinedAttr<I64Attr, [IntNonNegative]>:$most,
    Optional<0DTensorOf<[I64]>>:$limit, Optional<0DTensorOf<[I1]>>:$condition, Variadic<AnyStaticShapeTensor>:$carried,
    Variadic<AnyStaticShapeTensor>:$captured);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $callee `most` `(` $most `)` (`limit` `(` $limit^ `)`)? (`while` `(` $condition^ `)`)? `carry` `(` $carried `)`
    `with` `(` $captured `)` attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    unsigned getNumCarried() { return getCarried().size(); }
    unsigned getNumRows() { return getNumResults() - getNumCarried() - 1; }
  }];
}

def Lazy_IfOp : Lazy_Op<"if", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the values of one of two functions of the same captured values";
  let description = [{
    ```mlir
    %y = lazy.if %found @then else @otherwise with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins 0DTensorOf<[I1]>:$condition, FlatSymbolRefAttr:$callee, FlatSymbolRefAttr:$otherwise,
    Variadic<AnyStaticShapeTensor>:$captured);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $condition $callee `else` $otherwise `with` `(` $captured `)` attr-dict `:` functional-type(operands, results)
  }];
}

//===--- Many ranks -----------------------------------------------------------------------------------------------===//

def Lazy_CollectiveOp : Lazy_Op<"collective", [Pure]> {
  let summary = "what each rank gets from the ranks of its group";
  let description = [{
    A boundary: it reads a base and gives one. What the kinds mean stands at `tiny.collective`; without signs a maximum
    or minimum of unsigned integers is `unsigned_max` or `unsigned_min`.

    ```mlir
    %1 = lazy.collective "all_reduce" %0 grid [2, 4] axes [1] by "sum" : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, AnyStaticShapeTensor:$input, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$axes,
    OptionalAttr<StrAttr>:$reduction, OptionalAttr<DenseI64ArrayAttr>:$peers);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $kind $input `grid` $grid `axes` $axes (`by` $reduction^)? (`peers` $peers^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===--- Groups ---------------------------------------------------------------------------------------------------===//

def Lazy_GroupOp : Lazy_Op<"group", [Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "what becomes one kernel: reads bases, computes, writes each result to a buffer of its own";
  let description = [{
    The mark that `lazy-kernelize` leaves. Inputs are bases (arguments, results of groups, constants too large to be
    splats) and reach the body as block arguments; everything the kernel computes stands in the body. What a group
    assigns is what it yields: the next state of one of its inputs, which nothing else in it assigns, or of a splat.

    `in_place` has a number for each result: the input in whose buffer it is written, or -1 for a buffer of its own.
    `lazy-plan-state` decides it.

    ```mlir
    %1 = lazy.group "relu" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      %r = arith.maximumf %a, %zero : tensor<4xf32>
      lazy.yield %r : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$label, Variadic<AnyStaticShapeTensor>:$inputs,
    OptionalAttr<DenseI64ArrayAttr>:$in_place);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::StringAttr":$label, "::mlir::ValueRange":$inputs),
    [{ build($_builder, $_state, results, label, inputs, ::mlir::DenseI64ArrayAttr()); }]>];
  let assemblyFormat = [{
    ($label^)? `(` $inputs `)` attr-dict-with-keyword `:` functional-type($inputs, $results) $body
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Lazy_YieldOp : Lazy_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "GroupOp"]>]> {
  let summary = "ends a combiner or a group";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // TINY_LAZY_OPS
