// Reads directives of PTX: the target, and of each entry its parameters and the lanes that it demands.
#include "Ptx.h"
#include "Error.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

namespace {

/// Words and single marks of the text, without comments.
class Words {
public:
  explicit Words(const std::string &text) : at(text.c_str()) {}

  /// The next one, empty at the end.
  std::string next() {
    skip();
    const char *begin = at;
    while (isWord(*at))
      ++at;
    if (at == begin && *at)
      ++at;
    return std::string(begin, size_t(at - begin));
  }

private:
  static bool isWord(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || std::strchr("_.$%", letter) != nullptr ? letter != 0
                                                                                                      : false;
  }
  void skip() {
    while (*at) {
      if (std::isspace(static_cast<unsigned char>(*at)))
        ++at;
      else if (at[0] == '/' && at[1] == '/')
        at += std::strcspn(at, "\n");
      else if (const char *end = at[0] == '/' && at[1] == '*' ? std::strstr(at, "*/") : nullptr)
        at = end + 2;
      else
        return;
    }
  }
  const char *at;
};

/// Of an entry, from behind its name to the begin of its body.
std::string readEntry(Words &words, PtxEntry &entry) {
  std::string word;
  for (word = words.next(); !word.empty() && word != "{"; word = words.next()) {
    if (word == ".param")
      ++entry.nParameters;
    if (word != ".reqntid")
      continue;
    for (int axis = 0; axis < 3; ++axis) {
      if (axis && (word = words.next()) != ",")
        break;
      entry.lanes[axis] = uint32_t(std::strtoul(words.next().c_str(), nullptr, 10));
    }
    if (word == "{")
      break;
  }
  return word;
}

} // namespace

tiny_status cuda::readPtx(const std::string &text, PtxModule &module) {
  Words words(text);
  bool isExtern = false;
  PtxEntry *entry = nullptr;
  std::set<std::string> ofLaunch;
  for (std::string word = words.next(); !word.empty(); word = words.next()) {
    if (word == ".target") {
      module.target = words.next();
    } else if (word == ".entry") {
      std::string name = words.next();
      entry = &(module.entries[name] = PtxEntry());
      if (readEntry(words, *entry) != "{")
        return fail(TINY_INVALID_ARGUMENT, "the program's code ends within PTX's entry '%.100s'", name.c_str());
    } else if (word == ".shared" && isExtern) {
      // The array's name stands in front of its bracket.
      std::string name;
      for (word = words.next(); !word.empty() && word != "[" && word != ";"; word = words.next())
        name = word;
      ofLaunch.insert(name);
    } else if (entry && ofLaunch.count(word)) {
      entry->usesLaunchMemory = true;
    }
    isExtern = word == ".extern";
  }
  if (module.target.empty())
    return fail(TINY_INVALID_ARGUMENT, "the program's code is no PTX: it has no .target");
  return TINY_OK;
}
