// Writes the kernels: a function each, with a comment that says what it computes and on which buffers.
#include "ProgramWriter.h"

#include "mlir/Target/Cpp/CppEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tiny::c {
namespace {

/// A buffer of a kernel: those that it reads come first.
std::string getParameter(unsigned number, kernel::LaunchOp launch) {
  unsigned reads = launch.getIns().size();
  return number < reads ? "in" + std::to_string(number) : "out" + std::to_string(number - reads);
}

int64_t getScratchBytes(mlir::emitc::FuncOp kernel) {
  kernel::EntryAttr entry = kernel::getEntry(kernel);
  return entry ? entry.getScratch() : 0;
}

/// The emitter calls a function's parameters v1, v2, ..., and no other word of its text is such a name.
std::string nameParameters(StringRef text, mlir::emitc::FuncOp kernel, kernel::LaunchOp launch) {
  std::vector<std::string> parameters;
  parameters.reserve(kernel.getNumArguments());
  for (unsigned number = 0; number < launch->getNumOperands(); ++number)
    parameters.push_back(getParameter(number, launch));
  if (getScratchBytes(kernel) != 0)
    parameters.push_back("scratch");
  for (unsigned axis = 0; parameters.size() < kernel.getNumArguments(); ++axis)
    parameters.push_back("g" + std::to_string(axis));
  std::string named;
  while (!text.empty()) {
    size_t length =
        std::max<size_t>(text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }).size(), 1);
    StringRef word = text.take_front(length), digits = word;
    unsigned number;
    bool isParameter =
        digits.consume_front("v") && !digits.getAsInteger(10, number) && number >= 1 && number <= parameters.size();
    named += isParameter ? parameters[number - 1] : word.str();
    text = text.drop_front(length);
  }
  return named;
}

/// Where the operations of a kernel were written: names of nodes, or lines of files.
void collectPlaces(Location loc, std::vector<std::string> &places) {
  auto add = [&](std::string place) {
    if (!llvm::is_contained(places, place))
      places.push_back(std::move(place));
  };
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location one : fused.getLocations())
      collectPlaces(one, places);
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    add(quote(named.getName()));
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectPlaces(call.getCallee(), places);
  } else if (auto line = dyn_cast<FileLineColLoc>(loc)) {
    add(quote((llvm::sys::path::filename(line.getFilename()) + ":" + Twine(line.getLine())).str()));
  }
}

} // namespace

/// What the kernel computes and on which buffers, at its first launch.
std::string ProgramWriter::describeKernel(mlir::emitc::FuncOp kernel, kernel::LaunchOp launch) {
  constexpr size_t maxPlaces = 8;
  std::vector<std::string> places;
  kernel.walk([&](Operation *op) { collectPlaces(op->getLoc(), places); });
  std::string text = "\n/* " + makeIdentifier(kernel.getSymName());
  for (auto [number, place] : llvm::enumerate(llvm::ArrayRef(places).take_front(maxPlaces)))
    text += (number == 0 ? ", from " : ", ") + place;
  text += places.size() > maxPlaces ? ", ..." : "";
  if (launch)
    for (auto [number, buffer] : llvm::enumerate(launch->getOperands())) {
      auto type = cast<MemRefType>(buffer.getType());
      text += "\n   " + getParameter(number, launch) + ": " + std::to_string(type.getNumElements()) + " " +
              getElementName(type.getElementType()).str();
      if (auto known = described.find(buffer); known != described.end())
        text += ", " + known->second;
    }
  return text + (launch ? "\n*/\n" : " */\n");
}

/// Names are taken for all kernels before the program is written, which calls them.
void ProgramWriter::nameKernels() {
  for (auto kernel : module.getOps<mlir::emitc::FuncOp>()) {
    kernelNames[kernel.getSymName()] = stem + "_" + makeUnique(kernel.getSymName());
    kernelScratch = std::max(kernelScratch, getScratchBytes(kernel));
  }
}

LogicalResult ProgramWriter::writeKernels() {
  llvm::StringMap<kernel::LaunchOp> launches;
  module.walk([&](kernel::LaunchOp launch) { launches.try_emplace(launch.getCallee(), launch); });
  for (auto kernel : module.getOps<mlir::emitc::FuncOp>()) {
    OwningOpRef<Operation *> copy(kernel->clone());
    cast<mlir::emitc::FuncOp>(*copy).setSymName(kernelNames[kernel.getSymName()]);
    kernel::LaunchOp launch = launches.lookup(kernel.getSymName());
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (failed(mlir::emitc::translateToCpp(*copy, stream)))
      return failure();
    kernels += describeKernel(kernel, launch) + (launch ? nameParameters(text, kernel, launch) : text);
  }
  return success();
}

} // namespace tiny::c
