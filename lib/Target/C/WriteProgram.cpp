// Writes the files: names, the plan of the scratch memory, and the function that runs the items in order.
#include "WriteProgram.h"

#include "ProgramWriter.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tiny::c {

static constexpr int64_t kAlignment = 64;

/// First fit in the order of the program: a buffer keeps its place from its allocation to its last use, to the end of a
/// loop that uses one of outside.
void ProgramWriter::planMemory(kernel::ProgramOp program) {
  llvm::DenseMap<Operation *, int64_t> order, end; // and of an item with lists, the last one's
  program.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    order[op] = order.size();
    for (Operation *item = op; item != program; item = item->getParentOp())
      end[item] = order[op];
  });
  llvm::DenseMap<Value, int64_t> last;
  program.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Value root = kernel::getRoot(operand);
      int64_t use = order[op];
      // Its counter and its condition are used in each iteration.
      for (Operation *loop = op; loop != program; loop = loop->getParentOp())
        if (isa<kernel::LoopOp>(loop) && !loop->isAncestor(root.getParentBlock()->getParentOp()))
          use = std::max(use, end.lookup(loop));
      last[root] = std::max(last[root], use);
    }
  });
  struct Taken {
    int64_t begin, end, last;
  };
  std::vector<Taken> live;
  program.getBody().walk<WalkOrder::PreOrder>([&](kernel::AllocOp alloc) {
    int64_t now = order[alloc], bytes = llvm::alignTo(getBytes(alloc.getBuffer().getType()), kAlignment), begin = 0;
    llvm::erase_if(live, [&](const Taken &other) { return other.last < now; });
    llvm::sort(live, [](const Taken &a, const Taken &b) { return a.begin < b.begin; });
    for (const Taken &other : live) {
      if (begin + bytes <= other.begin)
        break;
      begin = std::max(begin, other.end);
    }
    live.push_back({begin, begin + bytes, last.count(alloc.getBuffer()) ? last[alloc.getBuffer()] : now});
    offsets[alloc.getBuffer()] = begin;
    planned = std::max(planned, begin + bytes);
  });
}

LogicalResult ProgramWriter::writeRun(kernel::ProgramOp program) {
  Block &block = program.getBody().front();
  planMemory(program);
  llvm::StringSet<> used;
  for (StringRef name : {"scratch", "memory", "i", "sizes"})
    used.insert(name);
  auto describe = [&](StringRef wish, DictionaryAttr attrs, const Twine &other) {
    auto given = attrs ? attrs.getAs<StringAttr>("tiny.name") : StringAttr();
    std::string name = wish.str() + "_" + (given ? makeIdentifier(given.getValue()) : other.str());
    while (!used.insert(name).second)
      name += "_";
    return name;
  };
  std::string signature = "int " + stem + "_run(void *scratch", comments, checks;
  if (program.getSizes())
    checks = writeSizes(program, "sizes", signature, comments);
  auto add = [&](bool isConst, Type type, const std::string &name, DictionaryAttr attrs) {
    auto memory = cast<MemRefType>(type);
    signature +=
        std::string(", ") + (isConst ? "const " : "") + getElementName(memory.getElementType()).str() + " *" + name;
    comments += "   " + name + ": " + std::to_string(memory.getNumElements()) + " elements";
    if (auto tensor = attrs ? attrs.getAs<TypeAttr>("tiny.type") : TypeAttr()) {
      llvm::raw_string_ostream stream(comments);
      stream << ", " << tensor.getValue();
    }
    if (auto shape = attrs ? attrs.getAs<AffineMapAttr>(kShapeAttr) : AffineMapAttr())
      comments += ", the first " + writeLiveCount(shape) + " are live";
    auto given = attrs ? attrs.getAs<StringAttr>("tiny.name") : StringAttr();
    if (given && !StringRef(name).ends_with("_" + given.getValue().str()))
      comments += ", " + quote(given.getValue());
    comments += "\n";
  };
  auto describeBuffer = [&](Value buffer, const std::string &name, DictionaryAttr attrs) {
    auto tensor = attrs ? attrs.getAs<TypeAttr>("tiny.type") : TypeAttr();
    auto [entry, isNew] = described.try_emplace(buffer, name);
    llvm::raw_string_ostream stream(entry->second);
    if (!isNew)
      stream << ", " << name;
    else if (tensor)
      stream << ", " << tensor.getValue();
  };
  for (BlockArgument argument : block.getArguments()) {
    if (program.getSizes() && argument.getArgNumber() + 1 == block.getNumArguments()) {
      names[argument] = "sizes";
      body += argument.use_empty() ? "  (void)sizes;\n" : "";
      continue;
    }
    DictionaryAttr attrs = program.getArgAttrDict(argument.getArgNumber());
    std::string name = describe("in", attrs, Twine(argument.getArgNumber()));
    bool donated = program.getArgAttr(argument.getArgNumber(), kDonatedAttr) != nullptr;
    add(!donated, argument.getType(), name, attrs);
    describeBuffer(argument, name, attrs);
    if (argument.use_empty())
      body += "  (void)" + name + ";\n";
    names[argument] =
        donated ? name
                : "(" + getElementName(cast<MemRefType>(argument.getType()).getElementType()).str() + " *)" + name;
  }
  std::vector<std::string> outputs;
  for (auto [number, type] : llvm::enumerate(program.getFunctionType().getResults())) {
    DictionaryAttr attrs = program.getResultAttrDict(number);
    outputs.push_back(describe("out", attrs, Twine(number)));
    add(false, type, outputs.back(), attrs);
    describeBuffer(block.getTerminator()->getOperand(number), outputs.back(), attrs);
  }
  for (Operation &item : block.without_terminator())
    if (failed(writeItem(item)))
      return failure();
  body += computed;
  for (auto [number, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
    auto type = cast<MemRefType>(value.getType());
    auto shape = program.getResultAttrOfType<AffineMapAttr>(number, kShapeAttr);
    body += "  memmove(" + outputs[number] + ", " + names[value] + ", " +
            writeBytes(shape ? writeLiveCount(shape) : std::to_string(type.getNumElements()), type) + ");\n";
  }
  signature += ")";
  header += "/* Bytes of scratch memory that a run needs, aligned to 64. */\n#define " + llvm::StringRef(stem).upper() +
            "_SCRATCH_BYTES " + std::to_string(std::max<int64_t>(planned + kernelScratch, 1)) +
            "\n\n/* Runs the program. Buffers are dense, in row-major order; bool is a byte. Returns 0, or 1 where "
            "scratch is NULL\n"
            "   or not aligned to 64 bytes" +
            (checks.empty() ? "" : ", or 2 where a size is outside of its bounds") + ".\n" + comments + "*/\n" +
            signature + ";\n";
  body = "\n" + signature +
         " {\n  unsigned char *memory = (unsigned char *)scratch;\n"
         "  if (memory == 0 || (uintptr_t)memory % 64 != 0)\n    return 1;\n" +
         checks + body + "  return 0;\n}\n";
  return success();
}

FailureOr<std::vector<OutputFile>> ProgramWriter::write(StringRef fileStem, bool single) {
  nameKernels();
  auto programs = llvm::to_vector(module.getOps<kernel::ProgramOp>());
  if (programs.size() > 1)
    return programs[1].emitOpError("is a second program; C is written of one");
  if (!programs.empty() && failed(writeRun(programs.front())))
    return failure();
  if (failed(writeKernels()))
    return failure();
  std::string guard = llvm::StringRef(stem).upper() + "_H";
  header = "/* Written by Tiny. */\n#ifndef " + guard + "\n#define " + guard + "\n\n#include <stdint.h>\n\n" + header +
           "\n#endif /* " + guard + " */\n";
  std::string
      start = "/* Written by Tiny. Compile with -std=c11 -ffp-contract=off and link with -lm. Results are bit for bit "
              "those of\n   the CPU's code, whatever the optimisation, but for options that break IEEE 754 such "
              "as -ffast-math. Where the\n   processor has fused multiply-adds, -mfma or -march=native makes "
              "fmaf one instruction; calls stay right. */\n",
      code = "\n" + constants + kernels + body;
  if (single)
    return std::vector<OutputFile>{{fileStem.str() + ".c", header + getHelpers().str() + "\n" + largeConstants + code}};
  std::vector<OutputFile> files;
  files.push_back(
      {fileStem.str() + ".c", start + "#include \"" + fileStem.str() + ".h\"\n\n" + getHelpers().str() + code});
  files.push_back({fileStem.str() + ".h", header});
  if (!largeConstants.empty())
    files.push_back(
        {fileStem.str() + "_constants.c", start + "#include <math.h>\n#include <stdint.h>\n\n" + largeConstants});
  return files;
}

FailureOr<std::vector<OutputFile>> writeProgram(ModuleOp module, StringRef stem, bool single) {
  return ProgramWriter(module, stem).write(stem, single);
}

} // namespace tiny::c
