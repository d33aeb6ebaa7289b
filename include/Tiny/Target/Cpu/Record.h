// The facts about processors.
#ifndef TINY_TARGET_CPU_RECORD_H
#define TINY_TARGET_CPU_RECORD_H

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Target/Cpu/Processor.h"

namespace tiny::cpu {

/// Under which name the record stands on a module: the target's.
inline constexpr llvm::StringLiteral kDeviceName = "cpu";

/// The facts about a processor: the table of its family where we have one, else that of the x86-64 level that its
/// vectors belong to; and what LLVM says of its features, which a virtual machine may lack. Nothing is measured: the
/// same processor has the same facts wherever it stands.
cost::Machine describeMachine(const Processor &processor);

/// The processor that the record names, with the record's features.
llvm::Expected<Processor> describeProcessor(target::RecordAttr record);

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_RECORD_H
