/* The kinds of items that a program may hold, one line each. Plain C; any layer may include it.
 *
 * For each line there must be, or the project does not compile:
 *   its number                        TINY_ITEM_<KIND>         in Runtime.h
 *   its operation                     kernel::<Name>Op         in KernelOps.td
 *   the item that this becomes        write(kernel::<Name>Op)  in Driver/ProgramItems.cpp
 *   its form in C                     write(kernel::<Name>Op)  in Target/C/WriteItems.cpp
 *   what can be wrong with it         Verifier::check<Name>    in Runtime/ProgramVerify.cpp
 *   what it takes in a container      Writer::add<Name>        in Runtime/ContainerWriter.cpp
 *   what a container must hold of it  ContainerReader::check<Name>
 *   for one that does work, its run   Run::run<Name>           in Runtime/RunSteps.cpp
 */
#ifndef TINY_RUNTIME_ITEMKINDS_H
#define TINY_RUNTIME_ITEMKINDS_H

/** Items that only define a slot: ITEM(KIND, Name). */
#define TINY_DEFINING_ITEMS(ITEM)                                                                                      \
  ITEM(ALLOC, Alloc)                                                                                                   \
  ITEM(CONSTANT, Constant)                                                                                             \
  ITEM(ALIAS, Alias)

/** Items that do work: a step of each run. */
#define TINY_WORKING_ITEMS(ITEM)                                                                                       \
  ITEM(LAUNCH, Launch)                                                                                                 \
  ITEM(COPY, Copy)                                                                                                     \
  ITEM(COLLECTIVE, Collective)                                                                                         \
  ITEM(WAIT, Wait)                                                                                                     \
  ITEM(FILL, Fill)

/** Items that decide whether, and how often, those of their own lists run: a step, too. */
#define TINY_NESTING_ITEMS(ITEM)                                                                                       \
  ITEM(LOOP, Loop)                                                                                                     \
  ITEM(IF, If)

#define TINY_ITEMS(ITEM) TINY_DEFINING_ITEMS(ITEM) TINY_WORKING_ITEMS(ITEM) TINY_NESTING_ITEMS(ITEM)

#endif /* TINY_RUNTIME_ITEMKINDS_H */
