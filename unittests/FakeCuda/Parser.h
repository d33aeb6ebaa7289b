// The words of PTX, and the state of reading one module. The parts of the parser are in two files: declarations, and
// instructions.
#ifndef TINY_UNITTESTS_FAKECUDA_PARSER_H
#define TINY_UNITTESTS_FAKECUDA_PARSER_H

#include "Ptx.h"

#include <set>

namespace fake {

/// Words, and marks of one letter, without comments.
class Words {
public:
  explicit Words(const std::string &text) : at(text.c_str()) { advance(); }
  const std::string &peek() const { return word; }
  std::string take() {
    std::string taken = word;
    takenLine = line;
    advance();
    return taken;
  }
  bool takeIf(const char *wanted) {
    bool is = word == wanted;
    if (is)
      take();
    return is;
  }
  void expect(const char *wanted) {
    if (!takeIf(wanted))
      fail("got '" + word + "', expected '" + wanted + "'");
  }
  bool isAtEnd() const { return word.empty(); }
  uint32_t getLine() const { return line; }
  [[noreturn]] void fail(const std::string &what, int result = kInvalidPtx) const {
    throw PtxError(result, "line " + std::to_string(takenLine) + ": " + what);
  }
  /// A number without a sign, of 2^63 at most.
  uint64_t takeNumber();

private:
  void advance();
  const char *at;
  std::string word;
  uint32_t line = 1, takenLine = 1;
};

/// What stands in an operand's place.
struct Operand {
  enum Kind { Register, Special, Number, List, Sink, Negated } kind = Number;
  uint32_t slot = kNone;
  uint8_t bytes = 0;
  uint64_t value = 0;
  std::vector<Operand> parts;
  /// Of an address: behind the register or the number.
  int64_t offset = 0;
  bool isAddress = false;
  /// Behind a mark: d|p. Parts of an address are coordinates.
  std::vector<Operand> second;
};

/// Reads the body of a kernel.
class KernelParser {
public:
  KernelParser(Words &words, PtxKernel &kernel, const std::map<std::string, uint64_t> &shared,
               const std::set<std::string> &functions)
      : words(words), kernel(kernel), symbols(shared), functions(functions) {}
  void parse(const std::map<std::string, uint32_t> &parameterOffsets);

private:
  struct Register {
    uint32_t slot;
    uint8_t bytes;
  };
  void parseRegisters();
  void parseStatement();
  void parseInstruction(const std::string &name, Instruction &instruction);
  void parseMemory(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseAtomic(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseLanes(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseAsync(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseProduct(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseLoadMatrices(const std::vector<std::string> &parts, Instruction &instruction,
                         std::vector<Operand> &operands);
  void parseWarpgroup(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseProxyFence(Instruction &instruction);
  void parseCall(Instruction &instruction);
  void parseMbarrier(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseBulk(const std::vector<std::string> &parts, Instruction &instruction, std::vector<Operand> &operands);
  void parseForm(const std::string &name, Instruction &instruction, std::vector<Operand> &operands);
  Operand parseOperand();
  Operand parseSimple();
  uint32_t addRegister(uint8_t bytes);
  const Register *find(const std::string &name) const;
  /// The operand as an array of so many bytes an element.
  uint32_t resolve(const Operand &operand, uint8_t bytes);
  uint32_t resolveTarget(const Operand &operand, uint8_t bytes);
  void resolveAddress(const Operand &operand, Instruction &instruction);
  void resolveList(const Operand &operand, Instruction &instruction, bool isTarget);
  void expectCount(const std::vector<Operand> &operands, size_t least, size_t most);

  Words &words;
  PtxKernel &kernel;
  std::map<std::string, uint64_t> symbols;
  const std::set<std::string> &functions;
  std::vector<std::map<std::string, Register>> scopes;
  std::map<std::pair<uint8_t, uint64_t>, uint32_t> numbers;
  std::map<std::string, uint32_t> labels, parameters;
  struct Jump {
    size_t instruction;
    std::string label;
    uint32_t line;
  };
  std::vector<Jump> jumps;
};

/// Bytes of a type such as "b32"; 0 for what is none. A predicate has one.
uint8_t sizeOfType(const std::string &type);
/// Reads `[.align n] .type name[count]`, places it behind what `used` counts, and gives the name.
std::string placeArray(Words &words, uint32_t &used, uint64_t &offset, bool &isOpen);
std::vector<std::string> splitName(const std::string &name);

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_PARSER_H
