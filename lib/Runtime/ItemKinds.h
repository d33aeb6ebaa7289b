// The kinds of items that a program may hold, one line each.
//
// For each line there must be, or the runtime does not compile:
//   its number                       TINY_ITEM_<KIND>       in Runtime.h
//   what can be wrong with it        Verifier::check<Name>  in ProgramVerify.cpp
//   what it takes in a container     Writer::add<Name>      in ContainerWriter.cpp
//   what a container must hold of it ContainerReader::check<Name>
//   for one that does work, its run  Run::run<Name>         in ProgramRun.cpp
#ifndef TINY_LIB_RUNTIME_ITEMKINDS_H
#define TINY_LIB_RUNTIME_ITEMKINDS_H

#include "Tiny/Runtime/Runtime.h"

/// Items that only define a slot: ITEM(KIND, Name).
#define TINY_DEFINING_ITEMS(ITEM)                                                                                      \
  ITEM(ALLOC, Alloc)                                                                                                   \
  ITEM(CONSTANT, Constant)                                                                                             \
  ITEM(ALIAS, Alias)

/// Items that do work: a step of each run.
#define TINY_WORKING_ITEMS(ITEM)                                                                                       \
  ITEM(LAUNCH, Launch)                                                                                                 \
  ITEM(COPY, Copy)                                                                                                     \
  ITEM(FILL, Fill)

#define TINY_ITEMS(ITEM) TINY_DEFINING_ITEMS(ITEM) TINY_WORKING_ITEMS(ITEM)

#endif // TINY_LIB_RUNTIME_ITEMKINDS_H
