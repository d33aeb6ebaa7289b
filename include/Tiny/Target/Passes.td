// What puts a device's record on a program.
#ifndef TINY_TARGET_PASSES
#define TINY_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def TargetAttach : Pass<"target-attach", "::mlir::ModuleOp"> {
  let summary = "Put the record of a device on the module";
  let description = [{
    Before: any module. After: the module has a `#target.record` for the target's device, under the target's name and
    before other devices', and every pass behind reads its facts there. A record that the module had under this name is
    replaced where `processor` or `record` is given, and stays otherwise.

    `processor` is a name that the target knows: for the CPU `x86-64`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4`, `host`, or
    LLVM's name of a processor. `record` is a file with a `#target.record<...>`, such as one that `utils/measure-costs`
    wrote. Not both may be given.

    ```mlir
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64-v3", ...>>} {}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "", "The target; empty for the default one">,
    Option<"processor", "processor", "std::string", "", "The processor; empty for this machine's">,
    Option<"record", "record", "std::string", "", "Path of a file with a record, in place of the processor's">,
  ];
  let dependentDialects = ["::tiny::target::TargetDialect"];
}

#endif // TINY_TARGET_PASSES
