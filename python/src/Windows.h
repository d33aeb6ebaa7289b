// What convolutions and pooling have in common, layers among them: sizes and padding, as PyTorch's programs give them.
#ifndef TINY_PYTHON_SRC_WINDOWS_H
#define TINY_PYTHON_SRC_WINDOWS_H

#include "Module.h"

namespace tiny::python {

/// A number for each spatial axis, from one for all or from as many. `what` is the argument's name, for the error.
Shape toSizes(nb::handle object, int64_t axes, const char *what);

/// Sets how much zeros stand around the input: numbers; "valid" for none; "same" for as many as keep the size.
void setPadding(Window &window, nb::handle padding, const Shape &kernel);

} // namespace tiny::python

#endif // TINY_PYTHON_SRC_WINDOWS_H
