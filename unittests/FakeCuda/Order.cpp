// Puts the blocks of a kernel in the order in which lanes that branched apart meet again: the machine runs those first
// that are furthest behind, so a block to which all ways from another one lead must stand behind that one, wherever the
// text has it. Such is the order in which a search that starts at the end, against the edges, leaves the blocks.
#include "Parser.h"

namespace fake {
namespace {

struct Block {
  uint32_t begin = 0, end = 0;
  bool fallsThrough = true;
  std::vector<size_t> before;
};

/// Blocks in the text's order. The last one, which is empty, is where lanes are that left.
std::vector<Block> findBlocks(const std::vector<Instruction> &code) {
  std::vector<char> begins(code.size() + 1, 0);
  begins[0] = begins[code.size()] = 1;
  for (size_t k = 0; k < code.size(); ++k)
    if (code[k].run == runBranch || code[k].run == runReturn) {
      begins[k + 1] = 1;
      if (code[k].run == runBranch)
        begins[code[k].target] = 1;
    }
  std::vector<Block> blocks;
  std::vector<size_t> blockAt(code.size() + 1);
  for (uint32_t k = 0; k <= code.size(); ++k) {
    if (begins[k]) {
      blocks.emplace_back();
      blocks.back().begin = blocks.back().end = k;
    }
    blockAt[k] = blocks.size() - 1;
    if (k < code.size())
      blocks.back().end = k + 1;
  }
  size_t end = blocks.size() - 1;
  for (size_t number = 0; number < end; ++number) {
    const Instruction &last = code[blocks[number].end - 1];
    bool leaves = last.run == runReturn, jumps = last.run == runBranch;
    blocks[number].fallsThrough = !(leaves || jumps) || last.guard != kNone;
    if (jumps)
      blocks[blockAt[last.target]].before.push_back(number);
    if (leaves)
      blocks[end].before.push_back(number);
    if (blocks[number].fallsThrough)
      blocks[number + 1].before.push_back(number);
  }
  return blocks;
}

} // namespace

void orderBlocks(PtxKernel &kernel) {
  std::vector<Block> blocks = findBlocks(kernel.code);
  std::vector<size_t> order;
  std::vector<char> seen(blocks.size(), 0);
  auto search = [&](size_t from) {
    std::vector<std::pair<size_t, size_t>> path{{from, 0}};
    seen[from] = 1;
    while (!path.empty()) {
      auto &[block, next] = path.back();
      if (next == blocks[block].before.size()) {
        order.push_back(block);
        path.pop_back();
      } else if (size_t other = blocks[block].before[next++]; !seen[other]) {
        seen[other] = 1;
        path.emplace_back(other, 0);
      }
    }
  };
  search(blocks.size() - 1);
  // Loops without an end, too.
  for (size_t block = blocks.size(); block-- > 0;)
    if (!seen[block])
      search(block);

  std::vector<Instruction> code;
  std::vector<uint32_t> places(kernel.code.size() + 1, 0);
  auto jump = [&](uint32_t target, uint32_t line) {
    Instruction instruction;
    instruction.run = runBranch;
    instruction.target = target;
    instruction.line = line;
    code.push_back(instruction);
  };
  for (size_t k = 0; k < order.size(); ++k) {
    const Block &block = blocks[order[k]];
    places[block.begin] = uint32_t(code.size());
    code.insert(code.end(), kernel.code.begin() + block.begin, kernel.code.begin() + block.end);
    if (block.begin != block.end && block.fallsThrough && (k + 1 == order.size() || order[k + 1] != order[k] + 1))
      jump(block.end, kernel.code[block.end - 1].line);
  }
  for (Instruction &instruction : code)
    if (instruction.run == runBranch)
      instruction.target = places[instruction.target];
  kernel.begin = places[0];
  kernel.code = std::move(code);
}

} // namespace fake
