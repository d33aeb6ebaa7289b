// Hashes a kernel.
#include "Tiny/Schedule/Steps/ScheduleKey.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tiny::kernel {

std::string getKernelKey(FuncOp kernel) {
  OwningOpRef<FuncOp> copy = kernel.clone();
  copy->setSymName("kernel");
  copy->removeScheduleAttr();
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().useLocalScope());
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, /*Width=*/16);
}

} // namespace tiny::kernel
