// The uop dialect: an ordered, explicit program for one device.
#ifndef TINY_UOP_OPS
#define TINY_UOP_OPS

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "Tiny/Dialect/UOp/UOpEnums.td"
include "Tiny/Support/KernelTrait.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def UOp_Dialect : Dialect {
  let name = "uop";
  let cppNamespace = "::tiny::uop";
  let summary = "An ordered, explicit program for one device: loops, hardware axes, loads and stores";
  let description = [{
    Compute is `arith`, `math` and `vector` on scalars and vectors. This dialect owns what is justified by gates and by
    hardware; the rest is upstream's.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect", "::tiny::sym::SymDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

// One bit for all, or one per lane.
def UOp_Gate : AnyTypeOf<[I1, VectorOfRankAndType<[1], [I1]>]>;

class UOp_Op<string mnemonic, list<Trait> traits = []> : Op<UOp_Dialect, mnemonic, traits>;

def UOp_Buffer : MemRefRankOf<[AnyType], [1]>;

def UOp_StaticBuffer : Type<CPred<"::tiny::uop::isStaticBuffer($_self)">, "static rank-1 memref without layout",
    "::mlir::MemRefType">;

def UOp_HardwareAxisAttr : EnumAttr<UOp_Dialect, UOp_HardwareAxis, "axis"> {
  let assemblyFormat = "`<` $value `>`";
}

def UOp_FuncOp : UOp_Op<"func", [FunctionOpInterface, IsolatedFromAbove, SingleBlock, KernelTrait]> {
  let summary = "one kernel as an ordered program";
  let description = [{
    ```mlir
    uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
      %n = arith.constant 128 : index
      uop.for %i to %n {
        %x = uop.load %in[%i] : memref<128xf32>, f32
        %y = arith.addf %x, %x : f32
        uop.store %y, %out[%i] : f32, memref<128xf32>
      }
      uop.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
    CArg<"::mlir::ArrayAttr", "{}">:$argAttrs)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def UOp_SpecialOp : UOp_Op<"special", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the index along a hardware axis: 0 to extent - 1";
  let description = [{
    `global` axes number workgroups, `local` ones the lanes of a workgroup, `thread` ones the threads of a processor.
    Lanes are counted with `local dim(0)` fastest; each `subgroup` is the next `lane` extent of them. Subgroups next to
    each other are equal teams, as many as the extent of `team`.

    ```mlir
    %g = uop.special global dim(0) extent(64)
    %l = uop.special local dim(0) extent(128)
    %s = uop.special subgroup dim(0) extent(4)
    %i = uop.special lane dim(0) extent(32)
    %t = uop.special team dim(0) extent(2)
    ```
  }];
  let arguments = (ins UOp_HardwareAxisAttr:$axis, I64Attr:$dim, I64Attr:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Axis>($axis) `dim` `(` $dim `)` `extent` `(` $extent `)` attr-dict";
  let hasVerifier = 1;
}

def UOp_ForOp : UOp_Op<"for", [SingleBlockImplicitTerminator<"YieldOp">, AutomaticAllocationScope,
    RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getStaticTripCount", "promoteIfSingleIteration",
      "getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
      "getLoopSteps", "getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "a counted loop from 0 in steps of 1, with carried values";
  let description = [{
    The body runs `bound` times, not at all where the bound is 0 or negative; the results are then the initial values.
    A body without carried values needs no `uop.yield` in the text.

    ```mlir
    %s = uop.for %k to %n iter(%acc = %zero) -> (f32) {
      %x = uop.load %in[%k] : memref<128xf32>, f32
      %t = arith.addf %acc, %x : f32
      uop.yield %t : f32
    }
    ```
  }];
  let arguments = (ins Index:$bound, Variadic<AnyType>:$initArgs);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$bound, CArg<"::mlir::ValueRange", "{}">:$initArgs)>];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVar() { return getBody()->getArgument(0); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def UOp_IfOp : UOp_Op<"if", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects, RecursivelySpeculatable,
    NoRegionArguments, DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getRegionInvocationBounds"]>]> {
  let summary = "runs its body where the condition holds";
  let description = [{
    ```mlir
    uop.if %c {
      uop.store %x, %out[%i] : f32, memref<128xf32>
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$condition)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def UOp_LoadOp : UOp_Op<"load", []> {
  let summary = "reads a scalar, or consecutive elements as a vector; unspecified where its gate is off";
  let description = [{
    A vector load's gate is one bit, or one bit per lane.

    ```mlir
    %x = uop.load %in[%i] : memref<128xf32>, f32
    %v = uop.load %in[%i] if %m as vector<8xi1> : memref<128xf32>, vector<8xf32>
    ```
  }];
  let arguments = (ins Arg<UOp_Buffer, "", [MemRead]>:$buffer, Index:$index, Optional<UOp_Gate>:$gate);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $index `]` (`if` $gate^ `as` type($gate))? attr-dict `:` "
    "type($buffer) `,` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def UOp_GatherOp : UOp_Op<"gather", [
    TypesMatchWith<"one index per lane", "result", "indices",
      "::mlir::VectorType::get(::llvm::cast<::mlir::VectorType>($_self).getShape(), "
      "::mlir::IndexType::get($_self.getContext()))">]> {
  let summary = "reads one element per lane, each at its own index; unspecified where its gate is off";
  let description = [{
    ```mlir
    %v = uop.gather %in[%i] if %m as vector<8xi1> : memref<128xf32>, vector<8xf32>
    ```
  }];
  let arguments = (ins Arg<UOp_Buffer, "", [MemRead]>:$buffer, VectorOfRankAndType<[1], [Index]>:$indices,
                       Optional<UOp_Gate>:$gate);
  let results = (outs VectorOfRankAndType<[1], [AnyType]>:$result);
  let assemblyFormat = "$buffer `[` $indices `]` (`if` $gate^ `as` type($gate))? attr-dict `:` "
    "type($buffer) `,` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def UOp_StoreOp : UOp_Op<"store", []> {
  let summary = "writes a scalar, or a vector to consecutive elements, where its gate is on";
  let description = [{
    ```mlir
    uop.store %x, %out[%i] : f32, memref<128xf32>
    ```
  }];
  let arguments = (ins AnyType:$value, Arg<UOp_Buffer, "", [MemWrite]>:$buffer, Index:$index, Optional<UOp_Gate>:$gate);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` (`if` $gate^ `as` type($gate))? attr-dict `:` "
    "type($value) `,` type($buffer)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

// What a hint changes: what lies in caches, and so no value.
def UOp_Cache : Resource<"::tiny::uop::CacheResource">;

def UOp_DotOp : UOp_Op<"dot", [Pure, AllTypesMatch<["left", "right"]>, AllTypesMatch<["sum", "result"]>]> {
  let summary = "adds to each lane the products of four pairs of neighbouring bytes";
  let description = [{
    Lane k of the sum gets `left[4k] * right[4k] + ... + left[4k + 3] * right[4k + 3]`, exact but for the sum's own 32
    bits. Bytes are signed but where `unsigned_left` or `unsigned_right` says otherwise. `uop-legalize` expands what the
    record has no instruction for.

    ```mlir
    %d = uop.dot %a, %b, %c unsigned_left : vector<32xi8>, vector<8xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [I8]>:$left, VectorOfRankAndType<[1], [I8]>:$right,
    VectorOfRankAndType<[1], [I32]>:$sum, UnitAttr:$unsignedLeft, UnitAttr:$unsignedRight);
  let results = (outs VectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = "$left `,` $right `,` $sum (`unsigned_left` $unsignedLeft^)? (`unsigned_right` $unsignedRight^)? "
    "attr-dict `:` type($left) `,` type($sum)";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of each factor for a lane of the sum.
    static constexpr int64_t kBytes = 4;
  }];
}

def UOp_PrefetchOp : UOp_Op<"prefetch", []> {
  let summary = "a hint that an element will be read soon, with the cache line that it lies in";
  let description = [{
    It reads nothing, so the index may lie outside of the buffer. `level(n)` names the cache that it is wanted in, the
    first one where none is named.

    ```mlir
    uop.prefetch %in[%i] : memref<128xf32>
    uop.prefetch %in[%i] level(2) : memref<128xf32>
    ```
  }];
  let arguments = (ins Arg<UOp_Buffer, "", [MemWrite<UOp_Cache>]>:$buffer, Index:$index,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<3>]>, "1">:$level);
  let assemblyFormat = "$buffer `[` $index `]` (`level` `(` $level^ `)`)? attr-dict `:` type($buffer)";
}

class UOp_MemoryOp<string mnemonic> : UOp_Op<mnemonic, [HasParent<"FuncOp">]> {
  let results = (outs Res<UOp_StaticBuffer, "", [MemAlloc]>:$buffer);
}

def UOp_LocalOp : UOp_MemoryOp<"local"> {
  let summary = "memory that a workgroup shares while it runs; on a CPU, the scratch memory of one thread";
  let description = [{
    Its elements are unspecified at first, also at the beginning of each point of the grid. One with `buffers(n)` is
    wanted n times, which `uop-pipeline-tiles` sees to; until then it is there once.

    ```mlir
    %t = uop.local : memref<4096xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<2>, IntMaxValue<8>]>>:$buffers);
  let assemblyFormat = "(`buffers` `(` $buffers^ `)`)? attr-dict `:` type($buffer)";
}

def UOp_RegisterOp : UOp_MemoryOp<"register"> {
  let summary = "a few elements that one thread keeps near";
  let description = [{
    ```mlir
    %t = uop.register : memref<16xf32>
    ```
  }];
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def UOp_YieldOp : UOp_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ForOp", "IfOp"]>]> {
  let summary = "ends a loop's or a condition's body with the values it carries";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def UOp_ReturnOp : UOp_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

include "Tiny/Dialect/UOp/ParallelOps.td"

#endif // TINY_UOP_OPS
