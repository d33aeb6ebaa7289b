/* Queues run programs beside the caller; signals order what they run. The conventions of Runtime.h hold here too.
 *
 * A signal is a timeline: a 64-bit number that only grows. A submission waits until each of its timepoints is reached,
 * runs, and then raises signals of its own. A submission that fails, or waits for a signal that failed, fails the
 * signals that it would have raised: the status and the message reach whoever waits, over any number of queues.
 */
#ifndef TINY_RUNTIME_QUEUE_H
#define TINY_RUNTIME_QUEUE_H

#include "Tiny/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/*---- Signals -------------------------------------------------------------------------------------------------------*/

typedef struct tiny_signal tiny_signal;

/** Wait as long as it takes. */
#define TINY_FOREVER UINT64_MAX

TINY_EXPORT tiny_status tiny_signal_create(uint64_t value, tiny_signal **signal);
TINY_EXPORT tiny_status tiny_signal_retain(tiny_signal *signal);
TINY_EXPORT tiny_status tiny_signal_release(tiny_signal *signal);
/** The value reached so far; of a failed signal its failure. */
TINY_EXPORT tiny_status tiny_signal_value(tiny_signal *signal, uint64_t *value);
/** Raises the value, from the host. One that is not above the value reached is TINY_INVALID_ARGUMENT. */
TINY_EXPORT tiny_status tiny_signal_raise(tiny_signal *signal, uint64_t value);
/** Fails the signal, once and for good: `status`, not TINY_OK, and `message` reach everyone who waits for it. */
TINY_EXPORT tiny_status tiny_signal_fail(tiny_signal *signal, tiny_status status, const char *message);
/** Waits until the value is at least `value`: TINY_OK, the failure of a signal that fails before, or TINY_TIMED_OUT
 * after `nanoseconds` (0 only looks). */
TINY_EXPORT tiny_status tiny_signal_wait(tiny_signal *signal, uint64_t value, uint64_t nanoseconds);

/** A value of a signal. */
typedef struct tiny_timepoint {
  tiny_signal *signal;
  uint64_t value;
} tiny_timepoint;

/*---- Queues --------------------------------------------------------------------------------------------------------*/

typedef struct tiny_queue tiny_queue;

/** A run of a program. The lists are copied, and the objects kept alive until it is over. */
typedef struct tiny_submission {
  tiny_program *program; /**< null runs nothing: the waits, then the signals */
  tiny_buffer *const *arguments;
  size_t n_arguments;
  tiny_buffer *const *results; /**< each supplied: see tiny_program_run */
  size_t n_results;
  const tiny_timepoint *waits;
  size_t n_waits;
  const tiny_timepoint *signals; /**< raised in this order */
  size_t n_signals;
  tiny_run_options options; /**< the profile is told on the queue's thread */
} tiny_submission;

TINY_EXPORT tiny_status tiny_queue_create(tiny_device *device, tiny_queue **queue);
TINY_EXPORT tiny_status tiny_queue_retain(tiny_queue *queue);
/** The last reference waits for all that was submitted, so that every wait must come true first. Called on the queue's
 *  own thread, by a profile, it is TINY_INVALID_ARGUMENT. */
TINY_EXPORT tiny_status tiny_queue_release(tiny_queue *queue);
/** Submits and comes back at once. Submissions of one queue run one after the other, in order, each after its waits;
 *  those of several queues side by side. What is wrong with the buffers shows when it runs, in its signals and in
 *  tiny_queue_wait; null and dead handles show here. */
TINY_EXPORT tiny_status tiny_queue_submit(tiny_queue *queue, const tiny_submission *submission);
/** Waits for all that was submitted before; gives the first failure since the last call, and forgets it. */
TINY_EXPORT tiny_status tiny_queue_wait(tiny_queue *queue);

#ifdef __cplusplus
}
#endif

#endif /* TINY_RUNTIME_QUEUE_H */
