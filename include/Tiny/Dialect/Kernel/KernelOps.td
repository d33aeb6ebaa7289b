// The kernel dialect: a program of launches, and kernels as unordered DAGs over ranges.
#ifndef TINY_KERNEL_OPS
#define TINY_KERNEL_OPS

include "Tiny/Dialect/Kernel/KernelEnums.td"
include "Tiny/Support/KernelTrait.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::tiny::kernel";
  let summary = "A program of launches; each kernel an unordered DAG over ranges, open to schedule changes";
  let description = [{
    `kernel.program` is the host side: an ordered list of items over buffers. `kernel.func` is one kernel: scalar
    `arith` and `math` over `kernel.range` values, in a graph region, where SSA values have no order. Buffers are
    rank-1 memrefs with one linear index.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::tiny::sym::SymDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_Buffer : Type<CPred<"::tiny::kernel::isBuffer($_self)">,
    "rank-1 memref of signless numbers, static, of identity layout, below 2^62 bytes", "::mlir::MemRefType">;

def Kernel_AxisKindAttr : EnumAttr<Kernel_Dialect, Kernel_AxisKind, "axis"> {
  let assemblyFormat = "`<` $value `>`";
}

def Kernel_StageSpaceAttr : EnumAttr<Kernel_Dialect, Kernel_StageSpace, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

def Kernel_TensorMapAttr : AttrDef<Kernel_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "a matrix in a buffer, of which a device copies boxes by itself";
  let description = [{
    It begins with the buffer of this number. Its rows begin `stride` elements apart. Rows of a box have 128 bytes.

    ```mlir
    uop.func @f() attributes {kernel.entry = #kernel.entry<grid = [2, 1, 1], maps = [
        #kernel.tensor_map<buffer = 0, element = bf16, rows = 512, columns = 256, stride = 256, box_rows = 128,
          box_columns = 64>]>} {
      uop.return
    }
    ```
  }];
  let parameters = (ins "int64_t":$buffer, "::mlir::Type":$element, "int64_t":$rows, "int64_t":$columns,
    "int64_t":$stride, "int64_t":$box_rows, "int64_t":$box_columns);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Kernel_EntryAttr : AttrDef<Kernel_Dialect, "Entry"> {
  let mnemonic = "entry";
  let summary = "how a kernel is entered, and what one launch of it does";
  let description = [{
    Stands as `kernel.entry` on the function of a kernel, from `uop.func` down to the target's own functions.
    `uop-describe-entry` alone writes it; conversions, targets and the driver read it.

    ```mlir
    uop.func @f() attributes {kernel.entry = #kernel.entry<grid = [128, 1, 1], scratch = 64, operations = 256>} {
      uop.return
    }
    ```

    What is 0, false or a single point is left out.

    | parameter | holds |
    |---|---|
    | `grid` | extents along x, y, z: how often the kernel is entered |
    | `workgroup` | extents of the lanes that one entry has |
    | `shared` | bytes of memory that the lanes of a workgroup share |
    | `scratch` | bytes of memory that one entry has to itself |
    | `in_place` | some launch passes written buffers that overlap others |
    | `operations` | scalar operations on data of one launch, as `uop-count-operations` counts them |
    | `bytes` | sizes of the buffers: what moves when each element is read or written once |
    | `maps` | matrices in the buffers that the device copies boxes of: each is one more parameter, behind the buffers |
  }];
  let parameters = (ins
    DefaultValuedParameter<"::tiny::kernel::Extents", "::tiny::kernel::kSinglePoint">:$grid,
    DefaultValuedParameter<"::tiny::kernel::Extents", "::tiny::kernel::kSinglePoint">:$workgroup,
    DefaultValuedParameter<"int64_t", "0">:$shared, DefaultValuedParameter<"int64_t", "0">:$scratch,
    DefaultValuedParameter<"bool", "false">:$in_place, DefaultValuedParameter<"int64_t", "0">:$operations,
    DefaultValuedParameter<"int64_t", "0">:$bytes, OptionalParameter<"::mlir::ArrayAttr">:$maps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===--- Kernels --------------------------------------------------------------------------------------------------===//

def Kernel_SizeAttr : AttrDef<Kernel_Dialect, "Size"> {
  let mnemonic = "size";
  let summary = "a size of a program that is known when it runs, within bounds";
  let description = [{
    ```mlir
    #kernel.size<"tokens", 1, 128>
    #kernel.size<"boxes", 0, 300, computed>
    ```

    A `computed` one is told by no argument: an item of the program writes it, and what needs it comes behind.
  }];
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$least, "int64_t":$most,
    DefaultValuedParameter<"bool", "false">:$computed);
  let assemblyFormat = "`<` $name `,` $least `,` $most `` custom<Computed>($computed) `` `>`";
  let genVerifyDecl = 1;
}

def Kernel_FuncOp : Kernel_Op<"func", [FunctionOpInterface, IsolatedFromAbove, KernelTrait] # GraphRegionNoTerminator.traits> {
  let summary = "one kernel: a DAG over ranges from buffers to stores";
  let description = [{
    A graph region: values have no order, and the verifier rejects cycles. Arguments are rank-1 buffers. `schedule`
    names the transform script that changes this kernel's schedule.

    ```mlir
    kernel.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
      %i = kernel.range loop id(0) extent(128)
      %x = kernel.load %in[%i] : memref<128xf32>
      %y = arith.addf %x, %x : f32
      kernel.store %y, %out[%i] : memref<128xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<SymbolRefAttr>:$schedule, OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Kernel_RangeOp : Kernel_Op<"range", [Pure, HasParent<"FuncOp">,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "a loop axis: every index from 0 to extent - 1";
  let description = [{
    `id` is unique in its kernel: it names the axis in scripts and remarks and keeps equal axes apart. Loops nest
    outermost first by kind, then `order` (the id where it is absent).

    ```mlir
    %i = kernel.range loop id(0) extent(128)
    %k = kernel.range reduce id(1) extent(64) order(3)
    %r = kernel.range loop id(2) extent(128) size(%n)
    ```

    Of kinds that are not loops, `upcast` and `unroll` write their points out or make them lanes, `fragment` is a part of a
    matrix that one instruction multiplies, and `dot` the four bytes of both factors that one operation of a lane multiplies
    and adds up.

    With a `size` it ends before that: every index from 0 to size - 1, where size is 0 to extent. It depends on no range
    but those of threads. Only loops and reduce axes have one; a step that makes another kind of them puts gates in its
    place.
  }];
  let arguments = (ins Kernel_AxisKindAttr:$kind, I64Attr:$id, I64Attr:$extent, OptionalAttr<I64Attr>:$order,
    Optional<Index>:$size);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Axis>($kind) `id` `(` $id `)` `extent` `(` $extent `)` (`order` `(` $order^ `)`)? (`size` `(` $size^ `)`)? attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The position among axes of the same kind: `order`, or the id where there is none.
    int64_t getLoopOrder() { return getOrder().value_or(getId()); }
    /// Its loop is outside of those of axes of the same kind whose place is greater.
    std::pair<int64_t, int64_t> getPlace() { return {getLoopOrder(), getId()}; }
  }];
}

def Kernel_LoadOp : Kernel_Op<"load", [Pure,
    TypesMatchWith<"result is the buffer's element", "buffer", "result", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "reads one element; unspecified where its gate is off";
  let description = [{
    A gate is safety, not meaning: where it is off nothing is read and the value is arbitrary, so a `select` decides
    what the element means.

    ```mlir
    %x = kernel.load %in[%i] : memref<128xf32>
    %y = kernel.load %in[%j] if %inside : memref<128xf32>
    ```
  }];
  let arguments = (ins Kernel_Buffer:$buffer, Index:$index, Optional<I1>:$gate);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $index `]` (`if` $gate^)? attr-dict `:` type($buffer)";
  let hasCanonicalizer = 1;
}

def Kernel_StoreOp : Kernel_Op<"store", [MemoryEffects<[MemWrite]>, HasParent<"FuncOp">,
    TypesMatchWith<"value is the buffer's element", "buffer", "value", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "writes one element per point of the ranges that reach it, unless its gate is off";
  let description = [{
    ```mlir
    kernel.store %y, %out[%i] : memref<128xf32>
    ```
  }];
  let arguments = (ins AnyType:$value, Arg<Kernel_Buffer, "", [MemWrite]>:$buffer, Index:$index, Optional<I1>:$gate);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` (`if` $gate^)? attr-dict `:` type($buffer)";
  let hasCanonicalizer = 1;
}

def Kernel_ReduceOp : Kernel_Op<"reduce", [Pure, SingleBlock, IsolatedFromAbove, AttrSizedOperandSegments, HasParent<"FuncOp">]> {
  let summary = "combines values over ranges, which it closes";
  let description = [{
    Inputs are combined over every point of `ranges`, the outermost first. The combiner is a `kind` with its identity
    as initial value, or a region from the accumulators and then the inputs to the new accumulators with `init` values.
    `associative` and `commutative` say what the region allows; a `kind` knows.

    ```mlir
    %s = kernel.reduce addf (%x) over (%k) : f32
    %m:2 = kernel.reduce (%x, %j) init (%lowest, %c0) over (%k) : f32, i32 {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %gt = arith.cmpf ogt, %b, %a : f32
      %v = arith.select %gt, %b, %a : f32
      %w = arith.select %gt, %bi, %ai : i32
      kernel.yield %v, %w : f32, i32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<AnyType>:$inits, Variadic<Index>:$ranges,
    OptionalAttr<AtomicRMWKindAttr>:$kind, UnitAttr:$associative, UnitAttr:$commutative,
    DefaultValuedAttr<Arith_FastMathAttr, "::mlir::arith::FastMathFlags::reassoc | ::mlir::arith::FastMathFlags::contract">:$fastmath);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let assemblyFormat = [{
    ($kind^)? ` ` `(` $inputs `)` (`init` ` ` `(` $inits^ `)`)? `over` ` ` `(` $ranges `)` (`associative` $associative^)?
    (`commutative` $commutative^)? (`fastmath` `` $fastmath^)? attr-dict `:` custom<SameTypes>(ref($inits), type($inputs), type($inits), type($results)) ($combiner^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// True when elements may be combined in any order without changing a bit, or where a flag allows to change some.
    bool mayReorder();
  }];
}

def Kernel_ScanOp : Kernel_Op<"scan", [Pure, HasParent<"FuncOp">, AllTypesMatch<["input", "result"]>]> {
  let summary = "combines a value with those at all points of a range before its own";
  let description = [{
    At the first point of `range` it is the input, at each further one the result at the point before combined with the
    input by `kind`, in that order. The range stays open: the result has an element at each of its points, which are run
    through from the first to the last. No step makes anything else of such a range than a loop. It may be one that a
    reduction runs over, in order.

    ```mlir
    %s = kernel.scan addf (%x) over (%k) : f32
    ```
  }];
  let arguments = (ins AnyType:$input, Index:$range, AtomicRMWKindAttr:$kind);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind ` ` `(` $input `)` `over` ` ` `(` $range `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Kernel_StageOp : Kernel_Op<"stage", [Pure, HasParent<"FuncOp">,
    TypesMatchWith<"value is the tile's element", "tile", "value", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "keeps a value at every point of some ranges in a tile, for loads";
  let description = [{
    Computes the value at every point of `ranges`, which it closes, and keeps them as a tile: row-major, the last range
    fastest. Ranges that the value depends on and that are not listed are outer: the stage runs once for each iteration
    of them, and its loads see the tile of their own iteration. A tile in `local` space is scratch memory of one thread
    of the CPU (shared memory of a workgroup on a GPU); one in `register` space is small and stays near.

    A tile with `buffers(n)` is wanted n times, so that lanes fill one while they read another. One that `accumulates` a
    reduction of a kind, which nothing else reads, is wanted for its accumulators: the reduction's loops stand around
    those that fill the tile, so that each of their rounds walks the whole tile. Neither changes a value.

    ```mlir
    %t = kernel.stage %x over (%k, %j) local : memref<4096xf32>
    %y = kernel.load %t[%i] : memref<4096xf32>
    %s = kernel.reduce addf (%z) over (%r) : f32
    %u = kernel.stage %s over (%m) local accumulates : memref<64xf32>
    ```
  }];
  let arguments = (ins AnyType:$value, Variadic<Index>:$ranges, Kernel_StageSpaceAttr:$space,
    OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<2>, IntMaxValue<8>]>>:$buffers, UnitAttr:$accumulates);
  let results = (outs Kernel_Buffer:$tile);
  let assemblyFormat = [{
    $value `over` ` ` `(` $ranges `)` custom<Space>($space) (`buffers` `(` $buffers^ `)`)? (`accumulates` $accumulates^)?
    attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The reduction that the tile accumulates; null where it holds results alone.
    ::tiny::kernel::ReduceOp getAccumulated();
  }];
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ReduceOp">]> {
  let summary = "ends a combiner";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

//===--- The host program -----------------------------------------------------------------------------------------===//

/// Items stand in a program's list, or in one of an item.
defvar InList = ParentOneOf<["ProgramOp", "LoopOp", "IfOp"]>;

def Kernel_Count : Type<CPred<"::tiny::kernel::isOneOf($_self, 64)">, "memref<1xi64>", "::mlir::MemRefType">,
    BuildableType<"::mlir::MemRefType::get({1}, $_builder.getI64Type())">;

def Kernel_Condition : Type<CPred<"::tiny::kernel::isOneOf($_self, 1)">, "memref<1xi1>", "::mlir::MemRefType">,
    BuildableType<"::mlir::MemRefType::get({1}, $_builder.getI1Type())">;

def Kernel_ProgramOp : Kernel_Op<"program", [FunctionOpInterface, IsolatedFromAbove, SingleBlock]> {
  let summary = "the host side: an ordered list of items over buffers";
  let description = [{
    Items run one after the other; `kernel.loop` and `kernel.if` have lists of their own, which use the buffers of outside.

    Arguments and results are buffers; their attribute `tiny.type` keeps the tensor-level type, with its shape and sign.

    ```mlir
    kernel.program @main(%x: memref<128xf32> {tiny.type = tensor<128xf32>}) -> (memref<128xf32> {tiny.type = tensor<128xf32>}) {
      %y = kernel.alloc : memref<128xf32>
      kernel.launch @double ins(%x : memref<128xf32>) outs(%y : memref<128xf32>)
      kernel.return %y : memref<128xf32>
    }
    ```

    `sizes` are known when it runs, within bounds: an argument or a result whose shape depends on them says so by
    `tiny.shape`, an affine map from the sizes to the shape; `tiny.type` is then its type at the greatest sizes, which its
    buffer has room for, and its elements are dense at those of the run. The last argument of the body is a buffer of the
    sizes, which no caller gives. Of a size that is `computed` it holds the greatest value until an item writes its place.

    ```mlir
    kernel.program @main(%x: memref<128xf32> {tiny.type = tensor<128xf32>, tiny.shape = affine_map<()[n] -> (n)>},
                         %sizes: memref<1xi64>) attributes {sizes = [#kernel.size<"n", 1, 128>]} {
      kernel.return
    }
    ```

    With `devices` it runs on several: each kernel on the one that its attribute `device` names, each buffer `on` one. What
    names none is the first one's, and so are arguments. A launch takes buffers of its kernel's device, and a copy
    between buffers of two devices is the only way from one to the other.

    ```mlir
    kernel.program @main(%x: memref<8xf32>) -> (memref<8xf32>) attributes {devices = ["vulkan", "cpu"]} {
      %x_0 = kernel.alloc on "cpu" : memref<8xf32>
      kernel.copy %x, %x_0 : memref<8xf32>
      %y = kernel.alloc on "cpu" : memref<8xf32>
      kernel.launch @double ins(%x_0 : memref<8xf32>) outs(%y : memref<8xf32>)
      kernel.return %y : memref<8xf32>
    }
    kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<TypedArrayAttrBase<Kernel_SizeAttr, "sizes">>:$sizes, OptionalAttr<StrArrayAttr>:$devices);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Kernel_ConstantOp : Kernel_Op<"constant", [Pure, InList]> {
  let summary = "a read-only buffer with these elements";
  let description = [{
    ```mlir
    %w = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xf32>
    %v = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> on "cpu" -> memref<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value, OptionalAttr<StrAttr>:$device);
  let results = (outs Kernel_Buffer:$buffer);
  let assemblyFormat = "$value (`on` $device^)? attr-dict `->` type($buffer)";
  let builders = [OpBuilder<(ins "::mlir::Type":$buffer, "::mlir::ElementsAttr":$value),
    [{ build($_builder, $_state, buffer, value, ::mlir::StringAttr()); }]>];
  let hasVerifier = 1;
}

def Kernel_AllocOp : Kernel_Op<"alloc", [MemoryEffects<[MemAlloc]>, InList]> {
  let summary = "a fresh buffer with unspecified elements";
  let description = [{
    ```mlir
    %t = kernel.alloc : memref<128xf32>
    %u = kernel.alloc on "cpu" : memref<128xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$device);
  let results = (outs Res<Kernel_Buffer, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "(`on` $device^)? attr-dict `:` type($buffer)";
  let builders = [OpBuilder<(ins "::mlir::Type":$buffer), [{ build($_builder, $_state, buffer, ::mlir::StringAttr()); }]>];
  let hasVerifier = 1;
}

def Kernel_LaunchOp : Kernel_Op<"launch", [AttrSizedOperandSegments, InList,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel on buffers: those it reads, then those it writes";
  let description = [{
    ```mlir
    kernel.launch @double ins(%x : memref<128xf32>) outs(%y : memref<128xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Arg<Variadic<Kernel_Buffer>, "", [MemRead]>:$ins,
    Arg<Variadic<Kernel_Buffer>, "", [MemWrite]>:$outs);
  let assemblyFormat = "$callee `ins` `(` ($ins^ `:` type($ins))? `)` `outs` `(` ($outs^ `:` type($outs))? `)` attr-dict";
  let hasVerifier = 1;
}

def Kernel_CopyOp : Kernel_Op<"copy", [InList, SameTypeOperands]> {
  let summary = "copies a buffer, also to another device";
  let description = [{
    ```mlir
    kernel.copy %x, %y : memref<128xf32>
    ```
  }];
  let arguments = (ins Arg<Kernel_Buffer, "", [MemRead]>:$source, Arg<Kernel_Buffer, "", [MemWrite]>:$target);
  let assemblyFormat = "$source `,` $target attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Kernel_CollectiveOp : Kernel_Op<"collective", [InList]> {
  let summary = "gives each rank what it gets from the ranks of its group";
  let description = [{
    Ranks stand row-major in a grid. A group are those that differ along `axes` alone. With `n` ranks in a group,
    `all_reduce` and `broadcast` write as many elements as they read, `all_gather` `n` times as many,
    `reduce_scatter` the `n`-th part; `all_to_all` exchanges `n` equal parts; `send` writes at the second of its
    `peers` what the first one has, and nowhere else. Source and target do not overlap.

    An `async` one runs beside the items behind it, until a `kernel.wait` for it in the same list. Until then nothing
    writes its source or touches its target. Collectives end in the order in which they stand.

    `tiny.places` on an item of a program with stages names the places on the axis of stages whose ranks run it.

    ```mlir
    kernel.collective "all_gather" %x, %y grid [2, 4] axes [0] : memref<16xf32>, memref<32xf32>
    kernel.collective "broadcast" %y, %z grid [2, 4] axes [1] async : memref<32xf32>, memref<32xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, Arg<Kernel_Buffer, "", [MemRead]>:$source,
    Arg<Kernel_Buffer, "", [MemWrite]>:$target, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$axes,
    OptionalAttr<StrAttr>:$reduction, OptionalAttr<DenseI64ArrayAttr>:$peers, UnitAttr:$async);
  let assemblyFormat = [{
    $kind $source `,` $target `grid` $grid `axes` $axes (`by` $reduction^)? (`peers` $peers^)? (`async` $async^)?
    attr-dict `:`
    type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Kernel_WaitOp : Kernel_Op<"wait", [InList]> {
  let summary = "waits for an async collective";
  let description = [{
    For the one from `source` to `target` that stands in front of it in the same list. Behind it the target holds what
    the collective gives, and the source may be written.

    ```mlir
    kernel.collective "all_reduce" %x, %y grid [2] axes [0] by "sum" async : memref<16xf32>, memref<16xf32>
    kernel.launch @other ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    kernel.wait %x, %y : memref<16xf32>, memref<16xf32>
    ```
  }];
  let arguments = (ins Arg<Kernel_Buffer, "", [MemRead]>:$source, Arg<Kernel_Buffer, "", [MemWrite]>:$target);
  let assemblyFormat = "$source `,` $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def Kernel_FillOp : Kernel_Op<"fill", [InList]> {
  let summary = "sets every element of a buffer to one constant";
  let description = [{
    ```mlir
    kernel.fill %y, 0.0 : f32 -> memref<128xf32>
    ```
  }];
  let arguments = (ins Arg<Kernel_Buffer, "", [MemWrite]>:$target, TypedAttrInterface:$value);
  let assemblyFormat = "$target `,` $value attr-dict `->` type($target)";
  let hasVerifier = 1;
}

def Kernel_AliasOp : Kernel_Op<"alias", [Pure, InList]> {
  let summary = "a contiguous part of a buffer, without a copy";
  let description = [{
    ```mlir
    %y = kernel.alias %x[32] : memref<128xf32> -> memref<64xf32>
    ```
  }];
  let arguments = (ins Kernel_Buffer:$source, I64Attr:$offset);
  let results = (outs Kernel_Buffer:$result);
  let assemblyFormat = "$source `[` $offset `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Kernel_LoopOp : Kernel_Op<"loop", [AttrSizedOperandSegments, InList, NoRegionArguments, NoTerminator,
    RecursiveMemoryEffects, SingleBlock]> {
  let summary = "runs a list of items again and again";
  let description = [{
    At most `most` times. `limit` says when it runs how many times at most, and is read once, before it; below 0 is 0.
    `while` is read before each iteration, and ends the loop where it is false. `counter` holds the iteration's number
    during one, and behind the loop how many there were.

    What is allocated in the list is of one iteration. State is in buffers of outside, which an iteration finds as the
    last one left them.

    ```mlir
    kernel.loop most(10) limit(%n) counter(%i) while(%go) {
      %t = kernel.alloc : memref<64xf32>
      kernel.launch @step ins(%i, %h : memref<1xi64>, memref<64xf32>) outs(%t, %go : memref<64xf32>, memref<1xi1>)
      kernel.copy %t, %h : memref<64xf32>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$most,
    Arg<Optional<Kernel_Count>, "", [MemRead]>:$limit, Arg<Optional<Kernel_Count>, "", [MemWrite]>:$counter,
    Arg<Optional<Kernel_Condition>, "", [MemRead]>:$condition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `most` `(` $most `)` (`limit` `(` $limit^ `)`)? (`counter` `(` $counter^ `)`)? (`while` `(` $condition^ `)`)? $body attr-dict
  }];
  let hasVerifier = 1;
}

def Kernel_IfOp : Kernel_Op<"if", [InList, NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "runs one of two lists of items";
  let description = [{
    ```mlir
    kernel.if %found {
      kernel.copy %x, %y : memref<128xf32>
    } else {
      kernel.fill %y, 0.0 : f32 -> memref<128xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Kernel_Condition, "", [MemRead]>:$condition);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$otherwise);
  let assemblyFormat = "$condition $body (`else` $otherwise^)? attr-dict";
}

def Kernel_ReturnOp : Kernel_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"ProgramOp">]> {
  let summary = "ends a program with its result buffers";
  let arguments = (ins Variadic<Kernel_Buffer>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

#endif // TINY_KERNEL_OPS
