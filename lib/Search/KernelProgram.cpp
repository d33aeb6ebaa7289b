// Writes a kernel and its schedule as a program of one launch, and compiles such programs on several threads.
// NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "KernelProgram.h"

#include "Tiny/Analysis/Kernel/ConstantArguments.h"
#include "Tiny/Driver/CompileProgram.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"
#include "mlir/IR/OwningOpRef.h"
#include <atomic>
#include <thread>

using namespace mlir;

namespace tiny {

transform::NamedSequenceOp writeScript(kernel::FuncOp kernel, ArrayRef<kernel::ScheduleStep> steps) {
  kernel::SchedulePlan plan(kernel);
  for (const kernel::ScheduleStep &step : steps)
    if (SmallVector<int64_t> made; !plan.take(step, made))
      return nullptr;
  return plan.writeScript();
}

/// Writes a kernel that fills a buffer of floats with positive numbers.
static void writeNumbers(raw_ostream &stream, StringRef name, MemRefType type) {
  bool isSingle = type.getElementType().isF32();
  stream << "kernel.func private @" << name << "(%arg: " << type << ") {\n"
         << "%many = arith.constant 251 : index\n%step = arith.constant 89 : index\n"
         << "%scale = arith.constant 3.906250e-03 : f32\n"
         << "%at = kernel.range loop id(0) extent(" << type.getNumElements() << ")\n"
         << "%far = arith.muli %at, %step : index\n%place = sym.mod %far, %many : index\n"
         << "%integer = arith.index_cast %place : index to i32\n%whole = arith.sitofp %integer : i32 to f32\n"
         << "%" << (isSingle ? "number" : "single") << " = arith.mulf %whole, %scale : f32\n";
  if (!isSingle)
    stream << "%number = arith." << (type.getElementTypeBitWidth() > 32 ? "extf" : "truncf") << " %single : f32 to "
           << type.getElementType() << "\n";
  stream << "kernel.store %number, %arg[%at] : " << type << "\n}\n";
}

std::string writeKernelProgram(kernel::FuncOp kernel, kernel::LaunchOp launch, ArrayRef<kernel::ScheduleStep> steps) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto printType = [&](Type type) {
    auto buffer = cast<MemRefType>(type);
    stream << buffer << " {tiny.type = " << RankedTensorType::get(buffer.getShape(), buffer.getElementType()) << "}";
  };
  OperandRange ins = launch.getIns(), outs = launch.getOuts();
  stream << "module attributes " << kernel->getParentOfType<ModuleOp>()->getDiscardableAttrDictionary()
         << " {\nkernel.program @" << kSearchProgram << "(";
  // What is constant in the model is constant here: packing it takes no time of a run.
  auto isNumbers = [](Value in) {
    return isa<FloatType>(cast<MemRefType>(in.getType()).getElementType()) && kernel::isConstantBuffer(in);
  };
  StringRef separator = "";
  for (auto [index, in] : llvm::enumerate(ins))
    if (!isNumbers(in)) {
      stream << separator << "%in" << index << ": ";
      printType(in.getType());
      separator = ", ";
    }
  stream << ") -> (";
  llvm::interleaveComma(outs, stream, [&](Value out) { printType(out.getType()); });
  stream << ") {\n";
  for (auto [index, in] : llvm::enumerate(ins))
    if (isNumbers(in))
      stream << "%in" << index << " = kernel.alloc : " << in.getType() << "\nkernel.launch @tiny_numbers" << index
             << " ins() outs(%in" << index << " : " << in.getType() << ")\n";
  std::string inNames, outNames;
  for (auto [index, in] : llvm::enumerate(ins))
    inNames += (index ? ", %in" : "%in") + std::to_string(index);
  for (auto [index, out] : llvm::enumerate(outs)) {
    stream << "%out" << index << " = kernel.alloc : " << out.getType() << "\n";
    outNames += (index ? ", %out" : "%out") + std::to_string(index);
  }
  auto printList = [&](StringRef names, OperandRange values) {
    stream << "(" << names << (values.empty() ? "" : " : ");
    llvm::interleaveComma(values.getTypes(), stream);
    stream << ")";
  };
  stream << "kernel.launch " << FlatSymbolRefAttr::get(kernel.getContext(), kernel.getSymName()) << " ins";
  printList(inNames, ins);
  stream << " outs";
  printList(outNames, outs);
  stream << "\nkernel.return " << outNames << " : ";
  llvm::interleaveComma(outs.getTypes(), stream);
  stream << "\n}\n";
  for (auto [index, in] : llvm::enumerate(ins))
    if (isNumbers(in))
      writeNumbers(stream, "tiny_numbers" + std::to_string(index), cast<MemRefType>(in.getType()));

  OwningOpRef<kernel::FuncOp> copy = kernel.clone();
  copy->removeScheduleAttr();
  if (!steps.empty())
    copy->setScheduleAttr(SymbolRefAttr::get(kernel.getContext(), "schedules",
                                             {FlatSymbolRefAttr::get(kernel.getContext(), kernel.getSymName())}));
  copy->print(stream, OpPrintingFlags().useLocalScope());
  if (transform::NamedSequenceOp script = steps.empty() ? nullptr : writeScript(kernel, steps)) {
    stream << "\nmodule @schedules attributes {transform.with_named_sequence} {\n";
    script->print(stream, OpPrintingFlags().useLocalScope());
    stream << "\n}";
    script->erase();
  }
  stream << "\n}\n";
  return text;
}

CompilePool::CompilePool(StringRef target, unsigned workers) : target(target) {
  for (unsigned worker = 0; worker < std::max(workers, 1u); ++worker) {
    DialectRegistry registry;
    registerAllDialects(registry);
    contexts.push_back(std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED));
  }
}

CompilePool::~CompilePool() = default;

std::vector<std::string> CompilePool::compile(ArrayRef<std::string> programs, llvm::function_ref<bool()> isOver) {
  std::vector<std::string> containers(programs.size());
  std::atomic<size_t> next = 0;
  auto work = [&](MLIRContext *context) {
    for (size_t index = next++; index < programs.size() && !isOver(); index = next++) {
      llvm::Expected<OwningOpRef<ModuleOp>> module = parseSource("kernel.mlir", programs[index], context);
      if (!module) {
        llvm::consumeError(module.takeError());
        continue;
      }
      CompileOptions options;
      options.target = target;
      options.function = kSearchProgram;
      if (llvm::Expected<CompiledProgram> compiled = compileProgram(**module, options))
        containers[index] = std::move(compiled->container);
      else
        llvm::consumeError(compiled.takeError());
    }
  };
  std::vector<std::thread> threads;
  for (auto &context : llvm::drop_begin(contexts))
    threads.emplace_back(work, context.get());
  work(contexts.front().get());
  for (std::thread &thread : threads)
    thread.join();
  return containers;
}

} // namespace tiny
