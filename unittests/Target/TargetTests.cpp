// The registry of targets, and the CPU behind its interface.
#include "CompileTest.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Target/Cpu/Processor.h"
#include "Tiny/Target/Target.h"

#include "llvm/Object/ELFObjectFile.h"

using namespace tiny;

namespace {

class TargetTest : public cpu::CompileTest {
protected:
  TargetTest() {
    registerAllTargets();
    target = llvm::cantFail(findTarget("cpu"));
  }

  const Target *target;
};

constexpr llvm::StringLiteral kTwoKernels = R"mlir(
uop.func @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = uop.special global dim(0) extent(8)
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %y = arith.addf %x, %x : f32
  uop.store %y, %out[%i] : f32, memref<8xf32>
  uop.return
}
uop.func @add_third(%out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %third = arith.constant 0.333333343 : f32
  %x = uop.load %out[%i] : memref<8xf32>, f32
  %y = arith.addf %x, %third : f32
  uop.store %y, %out[%i] : f32, memref<8xf32>
  uop.return
})mlir";

} // namespace

TEST_F(TargetTest, FirstTargetIsTheDefault) {
  EXPECT_EQ(llvm::cantFail(findTarget("")), getTargets().front());
  EXPECT_EQ(llvm::cantFail(findTarget(""))->getName(), "cpu");
}

TEST_F(TargetTest, UnknownTargetIsAnErrorThatListsAll) {
  llvm::Expected<const Target *> unknown = findTarget("abacus");
  ASSERT_FALSE(bool(unknown));
  std::string message = llvm::toString(unknown.takeError());
  EXPECT_EQ(message.rfind("no target is called 'abacus'; there are 'cpu'", 0), 0u) << message;
}

TEST_F(TargetTest, HostIsTheProcessorWithoutAName) {
  EXPECT_EQ(llvm::cantFail(target->makeRecord("host", &context)), llvm::cantFail(target->makeRecord("", &context)));
}

// What the host's record says, by name and features, is the host: its code needs the same of a machine.
TEST_F(TargetTest, HostIsFoundAgainByItsRecord) {
  target::RecordAttr host = llvm::cantFail(target->makeRecord("host", &context));
  MachineNeeds needs = llvm::cantFail(target->getNeeds(host));
  cpu::Processor here = llvm::cantFail(cpu::describeProcessor());
  EXPECT_EQ(needs.machine, here.machine);
  EXPECT_EQ(needs.features, here.runtimeFeatures);
  llvm::Error foreign = target->checkRunsHere(host);
  EXPECT_FALSE(bool(foreign));
}

TEST_F(TargetTest, RecordOfAnotherKindIsRefused) {
  cost::Machine machine;
  machine.kind = cost::DeviceKind::Gpu;
  machine.subgroup = machine.workgroup = machine.cores = 1;
  auto record = target::RecordAttr::get(&context, "sm_90", machine);
  for (llvm::StringRef name : {"cpu", "c"})
    EXPECT_EQ(llvm::toString(llvm::cantFail(findTarget(name))->adaptRecord(record).takeError()),
              "'sm_90' is a gpu, expected a record of a cpu");
}

TEST_F(TargetTest, CodeIsOneElfFileThatNeedsNothing) {
  auto module = lower(kTwoKernels);
  ASSERT_TRUE(module) << errors;
  auto output = target->serialize(*module, {});
  ASSERT_TRUE(succeeded(output)) << errors;
  ASSERT_EQ(output->kernels.size(), 2u);
  EXPECT_EQ(output->kernels[0].name, "double");
  EXPECT_EQ(output->kernels[0].entry.getGrid(), (std::array<int64_t, 3>{8, 1, 1}));
  EXPECT_TRUE(output->files.empty());

  auto file = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile({output->code, "kernels"}));
  auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file.get());
  ASSERT_NE(elf, nullptr);
  EXPECT_EQ(elf->getEType(), llvm::ELF::ET_DYN);
  std::vector<std::string> names;
  for (const llvm::object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    EXPECT_FALSE(llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined);
    names.push_back(llvm::cantFail(symbol.getName()).str());
  }
  EXPECT_TRUE(llvm::is_contained(names, "double"));
  EXPECT_TRUE(llvm::is_contained(names, "add_third"));
}

TEST_F(TargetTest, TheSameModuleGivesTheSameBytes) {
  auto module = lower(kTwoKernels);
  ASSERT_TRUE(module) << errors;
  auto one = target->serialize(*module, {}), other = target->serialize(*module, {});
  ASSERT_TRUE(succeeded(one) && succeeded(other)) << errors;
  EXPECT_EQ(one->code, other->code);
}

TEST_F(TargetTest, ModuleWithoutKernelsHasNoCode) {
  auto module = lower("module {}");
  auto output = target->serialize(*module, {});
  ASSERT_TRUE(succeeded(output)) << errors;
  EXPECT_TRUE(output->code.empty());
}

TEST_F(TargetTest, UnknownFormIsAnError) {
  auto module = lower(kTwoKernels);
  EXPECT_TRUE(failed(target->print(*module, "poem", {})));
  EXPECT_NE(errors.find("target 'cpu' has no form 'poem'"), std::string::npos) << errors;
}
