// A view as files: the data, and a page that has all that it needs in itself.
#ifndef TINY_LIB_VIEW_PAGE_H
#define TINY_LIB_VIEW_PAGE_H

#include "Tiny/View/View.h"

namespace tiny::view {

/// Writes what the options ask for.
llvm::Error writeView(const ViewOptions &options, const llvm::json::Value &data);

} // namespace tiny::view

#endif // TINY_LIB_VIEW_PAGE_H
