// What a program of one rank among many does with the others.
#ifndef TINY_LIB_RUNTIME_PROGRAMRANKS_H
#define TINY_LIB_RUNTIME_PROGRAMRANKS_H

#include "Communicator.h"
#include "Program.h"

namespace tiny {
namespace runtime {

/// There are as many ranks as the grid has, and all run this program. Programs of no grid need no communicator.
tiny_status checkRanks(tiny_program &program, tiny_communicator *communicator);

/// Runs a collective, on the memory itself where the host sees it, else on copies. One that is async begins and goes on
/// beside what the caller does then, where the device's memory is the host's: `number` is that of the communicator's
/// call queue, 0 where it is done.
tiny_status runStepOfRanks(tiny_device &device, const tiny_program &program, tiny_communicator &communicator,
                           const Step &step, const Region &from, const Region &to, uint64_t &number);
/// Says that a collective of the program is one of other ranks.
void passOver(tiny_communicator &communicator);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_PROGRAMRANKS_H
