// Everything that programs are written with: one header to include.
#ifndef TINY_FRONTEND_TINY_H
#define TINY_FRONTEND_TINY_H

#include "Tiny/Frontend/Functional.h"
#include "Tiny/Frontend/Index.h"
#include "Tiny/Frontend/Jit.h"
#include "Tiny/Frontend/Model.h"
#include "Tiny/Frontend/Nn.h"
#include "Tiny/Frontend/Optim.h"
#include "Tiny/Frontend/SizedJit.h"
#include "Tiny/Frontend/Tensor.h"

#endif // TINY_FRONTEND_TINY_H
