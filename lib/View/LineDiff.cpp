// Myers' difference of lines, and hunks of it.
#include "LineDiff.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <utility>

using llvm::ArrayRef;
using llvm::StringRef;

namespace tiny::view {
namespace {

constexpr int kContext = 3;
/// The most changed lines that are searched for: texts with more have little in common.
constexpr int kMostChanges = 2000;

bool isOfName(char letter) { return llvm::isAlnum(letter) || StringRef("$._-").contains(letter); }

/// The line without the names of values.
std::string normalize(StringRef line) {
  std::string text;
  while (!line.empty()) {
    size_t at = line.find('%');
    text += line.take_front(at == StringRef::npos ? at : at + 1);
    line = at == StringRef::npos ? StringRef() : line.drop_front(at + 1).drop_while(isOfName);
  }
  return text;
}

/// Where a value is defined: a line, and the place of its name among the names on that line.
struct Definition {
  int line = -1, place = -1;
  /// Of the arguments of a block: on the line that opens it.
  bool isArgument = false;
};

/// For each name on each line of a text, where its value is defined; on no line where that is not known.
std::vector<std::vector<Definition>> findDefinitions(ArrayRef<std::string> lines) {
  llvm::StringMap<Definition> latest;
  std::vector<std::vector<Definition>> all;
  for (auto [number, text] : llvm::enumerate(lines)) {
    StringRef line = text;
    size_t equals = line.trim().starts_with("%") ? line.find(" = ") : 0;
    bool opens = line.ends_with("{") || line.trim().starts_with("^");
    std::vector<Definition> used;
    std::vector<std::pair<StringRef, Definition>> defined;
    for (size_t at = line.find('%'); at != StringRef::npos; at = line.find('%', at + 1)) {
      StringRef name = line.drop_front(at + 1).take_while(isOfName);
      Definition own{int(number), int(used.size()), at >= equals};
      auto known = latest.find(name);
      // Another block may give its arguments the same names.
      bool isNew = at < equals || (opens && (known == latest.end() || known->second.isArgument));
      if (isNew)
        defined.push_back({name, own});
      used.push_back(known == latest.end() || isNew ? isNew ? own : Definition() : known->second);
    }
    for (auto &[name, definition] : defined)
      latest[name] = definition;
    all.push_back(std::move(used));
  }
  return all;
}

/// What becomes of lines, in order.
enum class Edit : char { Keep = ' ', Remove = '-', Add = '+' };

/// The edits by Myers' greedy algorithm, or none where more than `kMostChanges` are needed.
std::vector<Edit> findEdits(ArrayRef<unsigned> before, ArrayRef<unsigned> after) {
  int n = before.size(), m = after.size(), most = std::min(n + m, kMostChanges);
  // furthest[k + most + 1] is the furthest x on diagonal k = x - y; one copy for each number of changes.
  std::vector<int> furthest(2 * most + 3, 0);
  std::vector<std::vector<int>> history;
  auto at = [&](std::vector<int> &values, int k) -> int & { return values[k + most + 1]; };
  for (int changes = 0; changes <= most; ++changes) {
    history.push_back(furthest);
    for (int k = -changes; k <= changes; k += 2) {
      bool down = k == -changes || (k != changes && at(furthest, k - 1) < at(furthest, k + 1));
      int x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      while (x < n && x - k < m && before[x] == after[x - k])
        ++x;
      at(furthest, k) = x;
      if (x < n || x - k < m)
        continue;
      // Back along the path.
      std::vector<Edit> edits;
      for (int step = changes; step >= 0; --step) {
        std::vector<int> &last = history[step];
        int y = x - k;
        bool wasDown = k == -step || (k != step && at(last, k - 1) < at(last, k + 1));
        int fromK = wasDown ? k + 1 : k - 1;
        int fromX = step ? at(last, fromK) : 0, fromY = step ? fromX - fromK : 0;
        while (x > fromX && y > fromY) {
          edits.push_back(Edit::Keep);
          --x, --y;
        }
        if (step)
          edits.push_back(wasDown ? Edit::Add : Edit::Remove);
        x = fromX;
        k = fromK;
      }
      std::reverse(edits.begin(), edits.end());
      return edits;
    }
  }
  std::vector<Edit> all(n, Edit::Remove);
  all.insert(all.end(), m, Edit::Add);
  return all;
}

/// Lines that stay and name another value than before are changed: the value that they named is still there.
std::vector<Edit> markOtherValues(ArrayRef<Edit> edits, ArrayRef<std::string> before, ArrayRef<std::string> after) {
  std::vector<int> partners(before.size(), -1);
  int x = 0, y = 0;
  for (Edit edit : edits) {
    if (edit == Edit::Keep)
      partners[x] = y;
    x += edit != Edit::Add;
    y += edit != Edit::Remove;
  }
  std::vector<std::vector<Definition>> left = findDefinitions(before), right = findDefinitions(after);
  auto isOther = [&](int line) {
    return llvm::any_of(llvm::zip_equal(left[line], right[partners[line]]), [&](const auto &pair) {
      const auto &[was, is] = pair;
      return was.line >= 0 && is.line >= 0 && partners[was.line] >= 0 &&
             (partners[was.line] != is.line || was.place != is.place);
    });
  };
  std::vector<Edit> result;
  int changed = 0;
  auto addChanged = [&] {
    result.insert(result.end(), changed, Edit::Remove);
    result.insert(result.end(), std::exchange(changed, 0), Edit::Add);
  };
  x = 0;
  for (Edit edit : edits) {
    if (edit == Edit::Keep && isOther(x)) {
      ++changed;
    } else {
      addChanged();
      result.push_back(edit);
    }
    x += edit != Edit::Add;
  }
  addChanged();
  return result;
}

} // namespace

std::vector<Hunk> diffLines(ArrayRef<std::string> before, ArrayRef<std::string> after) {
  llvm::StringMap<unsigned> numbers;
  auto number = [&](ArrayRef<std::string> lines) {
    std::vector<unsigned> result;
    for (const std::string &line : lines)
      result.push_back(numbers.try_emplace(normalize(line), numbers.size()).first->second);
    return result;
  };
  std::vector<unsigned> left = number(before), right = number(after);
  size_t first = 0, last = 0, most = std::min(left.size(), right.size());
  while (first < most && left[first] == right[first])
    ++first;
  while (last < most - first && left[left.size() - 1 - last] == right[right.size() - 1 - last])
    ++last;
  std::vector<Edit> edits(first, Edit::Keep);
  std::vector<Edit> middle = findEdits(ArrayRef(left).slice(first, left.size() - first - last),
                                       ArrayRef(right).slice(first, right.size() - first - last));
  edits.insert(edits.end(), middle.begin(), middle.end());
  edits.insert(edits.end(), last, Edit::Keep);
  edits = markOtherValues(edits, before, after);

  std::vector<Hunk> hunks;
  unsigned x = 0, y = 0;
  int end = 0; // of the last hunk, in edits
  for (int i = 0, size = edits.size(); i < size;) {
    if (edits[i] == Edit::Keep) {
      ++i, ++x, ++y;
      continue;
    }
    int begin = std::max(end, i - kContext);
    // To where more lines stay than the context of two hunks has.
    int until = i, kept = 0;
    for (int j = i; j < size && kept <= 2 * kContext; ++j) {
      kept = edits[j] == Edit::Keep ? kept + 1 : 0;
      if (!kept)
        until = j + 1;
    }
    end = std::min(size, until + kContext);
    Hunk hunk{x - (i - begin), y - (i - begin), {}};
    x = hunk.before, y = hunk.after;
    for (i = begin; i < end; ++i) {
      bool isRemoved = edits[i] == Edit::Remove;
      hunk.lines.push_back(std::string(1, char(edits[i])) + (isRemoved ? before[x] : after[y]));
      x += edits[i] != Edit::Add;
      y += !isRemoved;
    }
    hunks.push_back(std::move(hunk));
  }
  return hunks;
}

} // namespace tiny::view
