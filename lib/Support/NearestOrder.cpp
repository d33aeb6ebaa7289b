#include "Tiny/Support/NearestOrder.h"

#include <queue>

std::vector<unsigned> tiny::sortNearest(llvm::ArrayRef<llvm::SmallVector<unsigned, 4>> waiting,
                                        llvm::ArrayRef<unsigned> position) {
  std::vector<llvm::SmallVector<unsigned, 2>> after(waiting.size());
  std::vector<unsigned> missing(waiting.size()), order;
  for (unsigned item = 0; item < waiting.size(); ++item) {
    missing[item] = waiting[item].size();
    for (unsigned earlier : waiting[item])
      after[earlier].push_back(item);
  }
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  for (unsigned item = 0; item < waiting.size(); ++item)
    if (missing[item] == 0)
      ready.push({position[item], item});
  while (!ready.empty()) {
    unsigned item = ready.top().second;
    ready.pop();
    order.push_back(item);
    for (unsigned later : after[item])
      if (--missing[later] == 0)
        ready.push({position[later], later});
  }
  return order;
}
