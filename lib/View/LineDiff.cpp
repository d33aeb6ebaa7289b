// Myers' difference of lines, and hunks of it.
#include "LineDiff.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using llvm::ArrayRef;
using llvm::StringRef;

namespace tiny::view {
namespace {

constexpr int kContext = 3;
/// So many changed lines are found; behind that the texts have little in common.
constexpr int kMostChanges = 2000;

/// The line without the numbers of values.
std::string normalize(StringRef line) {
  std::string text;
  while (!line.empty()) {
    size_t at = line.find('%');
    text += line.take_front(at == StringRef::npos ? at : at + 1);
    line = at == StringRef::npos ? StringRef() : line.drop_front(at + 1).drop_while(llvm::isDigit);
  }
  return text;
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
