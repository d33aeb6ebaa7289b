// The overhead of a launch: a program of a thousand launches of a kernel that does next to nothing, or a thousand
// submissions to a queue of a program with one. A run's time is in thousandths of itself the time of one.
// usage: bench-launch DEVICE [queue]
#include "Contestant.h"
#include "Tiny/Runtime/Runtime.hpp"

constexpr uint32_t kTimes = 1000;

static void touch(void *const *buffers, const int64_t *) {
  *static_cast<float *>(buffers[1]) = *static_cast<float *>(buffers[0]);
}

static void check(tiny_status status) {
  if (status == TINY_OK)
    return;
  std::fprintf(stderr, "%s\n", tiny_last_error());
  std::exit(1);
}

int main(int argc, char **argv) {
  contestant::Watch watch;
  bool queued = argc > 2;
  uint32_t launches = queued ? 1 : kTimes;
  tiny::runtime::Device device;
  check(tiny_device_open(argc > 1 ? argv[1] : "cpu", device.receive()));
  tiny_slot slots[] = {{64, 4, 0}, {64, 4, 0}};
  tiny_kernel kernel = {"touch", touch, {1, 1, 1}, 2, 0, 0, nullptr, 0};
  uint32_t buffers[] = {0, 1}, results[] = {1};
  std::vector<tiny_item> items(1);
  items[0].kind = TINY_ITEM_ALLOC;
  items[0].slot = 1;
  tiny_item launch = {};
  launch.kind = TINY_ITEM_LAUNCH;
  launch.buffers = buffers;
  launch.n_inputs = launch.n_outputs = 1;
  items.resize(1 + launches, launch);
  tiny_program_desc desc = {"launches", slots, 2, 1, results, 1, &kernel, 1, items.data(), launches + 1, nullptr, 0};
  tiny::runtime::Program program;
  check(tiny_program_create(device.get(), &desc, program.receive()));
  tiny::runtime::Buffer input, output;
  check(tiny_buffer_allocate(device.get(), 64, input.receive()));
  check(tiny_buffer_allocate(device.get(), 64, output.receive()));
  tiny_buffer *in = input.get(), *out = output.get();
  if (!queued)
    return contestant::serve(watch.read(), [&] { check(tiny_program_run(program.get(), &in, 1, &out, 1, nullptr)); });
  tiny::runtime::Queue queue;
  check(tiny_queue_create(device.get(), queue.receive()));
  tiny_submission submission = {};
  submission.program = program.get();
  submission.arguments = &in;
  submission.results = &out;
  submission.n_arguments = submission.n_results = 1;
  return contestant::serve(watch.read(), [&] {
    for (uint32_t i = 0; i < kTimes; ++i)
      check(tiny_queue_submit(queue.get(), &submission));
    check(tiny_queue_wait(queue.get()));
  });
}
