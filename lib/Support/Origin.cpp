#include "Tiny/Support/Origin.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace tiny {

/// Key in the metadata. A dictionary, since upstream's folders already tag locations with plain strings.
static constexpr llvm::StringLiteral kOriginKey = "tiny.origin";

Location withOrigin(Location loc, StringRef name) {
  if (!getOrigin(loc).empty())
    return loc;
  MLIRContext *context = loc->getContext();
  auto entry = NamedAttribute(StringAttr::get(context, kOriginKey), StringAttr::get(context, name));
  return FusedLoc::get(context, {loc}, DictionaryAttr::get(context, {entry}));
}

SmallVector<StringRef, 2> getOrigins(Location loc) {
  SmallVector<StringRef, 2> origins;
  // Depth first, left to right.
  SmallVector<Location> worklist = {loc};
  llvm::DenseSet<Attribute> seen;
  while (!worklist.empty()) {
    Location next = worklist.pop_back_val();
    if (!seen.insert(LocationAttr(next)).second)
      continue;
    if (auto fused = dyn_cast<FusedLoc>(next)) {
      auto metadata = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata());
      if (auto name = metadata ? metadata.getAs<StringAttr>(kOriginKey) : nullptr) {
        if (!llvm::is_contained(origins, name.getValue()))
          origins.push_back(name.getValue());
        continue;
      }
      for (Location inner : llvm::reverse(fused.getLocations()))
        worklist.push_back(inner);
    } else if (auto named = dyn_cast<NameLoc>(next)) {
      worklist.push_back(named.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(next)) {
      worklist.push_back(call.getCaller());
      worklist.push_back(call.getCallee());
    }
  }
  return origins;
}

StringRef getOrigin(Location loc) {
  SmallVector<StringRef, 2> origins = getOrigins(loc);
  return origins.empty() ? "" : origins.front();
}

} // namespace tiny
