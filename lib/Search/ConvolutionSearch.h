// How convolutions are computed: as sums of products, or by Winograd's filtering with one size of tiles or another.
#ifndef TINY_LIB_SEARCH_CONVOLUTIONSEARCH_H
#define TINY_LIB_SEARCH_CONVOLUTIONSEARCH_H

#include "KernelSearch.h"
#include "Tiny/Dialect/Tensor/Tensor.h"

namespace tiny {

/// The convolutions of a module that one decision is for (`tensor::getConvKey`), and that Winograd's filtering could
/// compute, but which do not say so yet; those with most multiplications first.
llvm::SmallVector<llvm::SmallVector<tensor::ConvOp>> findConvolutions(mlir::ModuleOp module);

/// What was found for a convolution.
struct WinogradChoice {
  /// Outputs of a tile by spatial axis; empty where sums of products are fastest.
  llvm::SmallVector<int64_t> tiles;
  /// Nanoseconds of a run without and with them; 0 where it does not run alone.
  uint64_t before = 0, after = 0;
};

/// Measures the convolution in programs of its own. Its weight is known in advance if the model's is. The module that
/// it stands in has the device's record.
llvm::Expected<WinogradChoice> searchTiles(const SearchSetting &setting, tensor::ConvOp conv,
                                           llvm::function_ref<bool()> isOver);

} // namespace tiny

#endif // TINY_LIB_SEARCH_CONVOLUTIONSEARCH_H
