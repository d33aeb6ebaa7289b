// The target dialect: what a device is, as one attribute.
#ifndef TINY_TARGET_ATTRS
#define TINY_TARGET_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/DataLayoutInterfaces.td"

def Target_Dialect : Dialect {
  let name = "target";
  let cppNamespace = "::tiny::target";
  let summary = "Facts about the devices that a program runs on";
  let description = [{
    One attribute, `#target.record`, holds the facts about one device. It says what the device is and never what to do
    with it: a pass that decides something reads it from the IR, and no pass has an option that repeats a fact.
  }];
  let dependentDialects = ["::mlir::DLTIDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def Target_RecordAttr : AttrDef<Target_Dialect, "Record", [TargetDeviceSpecInterface]> {
  let mnemonic = "record";
  let summary = "the facts about one device";
  let description = [{
    Stands on the module inside of upstream's `dlti.target_system_spec`, by the device's name; `kernel.func` and
    `uop.func` may say `device = "cpu"`, and without it the first device is meant. `findRecord` finds it from any
    operation. A program without a record is one for the record `generic`, a processor with vectors of 512 bits.

    ```mlir
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<
      "cpu" = #target.record<cpu "example", vector_bits = 256, vector_registers = 16,
        types = [f64, f32, i64, i32, i16, i8], converts = [f16], instructions = [fma, round],
        clock = 3000, costs = [add = (50, 400), multiply_add = (50, 400), divide = (500, 1100)],
        caches = [(32768, 180000), (1048576, 90000)], cache_line = 64, lines_ahead = 16,
        core_bandwidth = 15000, memory_bandwidth = 40000, cores = 8, launch = 100, index_bits = 64>>} {}
    ```

    Parts may stand in any order, and what the device has not or nobody knows is left out. All numbers are integers:

    | part | holds |
    |---|---|
    | `cpu` or `gpu`, and a string | kind of the device, and its name as the code generator knows it |
    | `features` | a string: what it has beyond its name or lacks, in the code generator's words: `"+avx2,-fma"` |
    | `vector_bits`, `vector_registers` | bits of a vector register; how many a core has |
    | `types`, `converts` | element types that it computes in; others that it converts from and to f32 |
    | `instructions` | of `fma`, `round` (to an integer), `gather`, `masked_store`, `double_to_half` (in one rounding), `async_copy` (into the memory of a workgroup, by itself), `wide_access` (16 bytes of one lane at once), `float_to_bfloat` (of types that it has nothing else for), `dot7`, `dot8` (the sum of four products of signed bytes and others of 0 to 128, or to 255), `exp2` (of f32 within 2 units in the last place, subnormals as 0), `bulk_copy` (of a box of a matrix, with barriers that count bytes), `hidden_fragments` (a lane cannot tell which elements of a matrix it holds) |
    | `clock` | 10^6 cycles a second |
    | `costs` | by class of operation `(interval, latency)`, in hundredths of a cycle, of one vector register of f32: what lies between two that do not wait for each other, and until the result is there. Classes: `add`, `multiply_add`, `divide` (and square roots), `divide_integer`, `function` (exponentials and their like), `gather` |
    | `caches` | from the first level on `(bytes, bandwidth)`: what one core may fill, and 10^6 bytes a second that it reads there |
    | `cache_line`, `lines_ahead` | bytes; lines that are fetched ahead of a run of them |
    | `core_bandwidth`, `memory_bandwidth` | 10^6 bytes a second between memory and one core; all cores |
    | `cores` | cores, or multiprocessors |
    | `launch` | nanoseconds of a launch, beside what it computes |
    | `wake` | nanoseconds until other threads that wait for work have begun |
    | `resident_lanes`, `cycle_lanes`, `core_registers` | of one core of a GPU: lanes that it holds at once, lanes of which it begins an operation in a cycle, registers of 32 bits |
    | `lane_access` | of a GPU whose lanes access memory one after the other: cycles that one of them takes |
    | `memory_latency`, `shared_cache_bandwidth` | of a GPU: nanoseconds until memory answers, 10^6 bytes a second of the cache that all cores share |
    | `subgroup`, `workgroup`, `workgroup_extents`, `shared` | lanes that run in step; most lanes, most in x, y and z, and most shared bytes of a workgroup |
    | `grid` | most workgroups of a launch in x, y and z |
    | `matrices` | `(m, n, k, input, sum)` of the products that one instruction computes; of `f32` it reads the upper 19 bits (tf32). `(..., sum, 4)` where four subgroups next to each other compute it together, of factors in tiles, which lie along the depth where they are `f32` (a left one may be in registers) |
    | `buffers`, `buffer_bytes`, `index_bits` | buffers that one kernel may name; most bytes of one; bits of an index |
    | `loop_rounds` | rounds of loops that one lane runs at most, of all loops of a kernel together |
    | `network` | from the nearest distance on `(ranks, latency, bandwidth)`: how many ranks of consecutive numbers are so near, nanoseconds until a short message is there, and 10^6 bytes a second that each sends while all do |
    | `memory_bytes` | bytes of memory of one rank |

    Rules, by which the verifier names them: (record_c1) a number is not negative and below 2^40; (record_c2) a device
    has a name; (record_c3) a vector register has a power of two of bits, 32 or more; (record_c4) a processor states
    `vector_bits`, `vector_registers`, `clock`, `caches`, `core_bandwidth`, `memory_bandwidth`, `cores` and the cost of
    `add`; (record_c5) a GPU states `subgroup`, `workgroup` and `cores`; (record_c6) each cache is larger than the one
    before it; (record_c7) an interval is not longer than its latency; (record_c8) no type is both in `types` and
    `converts`; (record_c9) a distance of the network has two ranks or more, more than the one before it, and a
    bandwidth; (record_c10) `exp2` is of a GPU.
  }];
  let parameters = (ins
    StringRefParameter<"name of the device">:$name,
    StringRefParameter<"what it has beyond its name or lacks">:$features,
    AttrParameter<"::tiny::cost::Machine", "the facts", "const ::tiny::cost::Machine &">:$machine,
    ArrayRefParameter<"::mlir::DataLayoutEntryInterface", "the numbers for queries through DLTI">:$entries
  );
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name, "const ::tiny::cost::Machine &":$machine,
    CArg<"::llvm::StringRef", "{}">:$features)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The fact of this name, as DLTI queries ask for it.
    ::mlir::FailureOr<::mlir::Attribute> query(::mlir::DataLayoutEntryKey key) const {
      return ::llvm::cast<::mlir::TargetDeviceSpecInterface>(*this).queryHelper(key);
    }
    /// The same for equal records in any process, for keys of caches and of schedules.
    uint64_t getStableHash() const;
  }];
}

#endif // TINY_TARGET_ATTRS
