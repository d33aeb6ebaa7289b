// oneDNN: matrix products and convolutions, in the memory formats that it likes best, as its own benchmark does.
// usage: bench-onednn matmul M N K [BATCH [turned | batched]] | conv BATCH IN HEIGHT WIDTH OUT KERNEL STRIDE PAD
// [GROUPS DILATION]; OMP_NUM_THREADS says on how many threads. The second factor of a matmul is stored by columns where
// it is turned, and there is one for each of a batch where these are batched. Conversion from and to plain formats is
// counted for matmul (which it computes on plain ones) and left out for conv.
#include "Contestant.h"

#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>

using namespace dnnl;
using Dims = memory::dims;
using Tag = memory::format_tag;
constexpr auto kF32 = memory::data_type::f32;

static memory makeMemory(const memory::desc &desc, const engine &engine) {
  memory result(desc, engine);
  contestant::fillRandom(static_cast<float *>(result.get_data_handle()), desc.get_size() / sizeof(float));
  return result;
}

int main(int argc, char **argv) {
  std::string kind = argc > 1 ? argv[1] : "";
  if (!(kind == "matmul" && argc >= 5 && argc <= 7) && !(kind == "conv" && (argc == 10 || argc == 12))) {
    std::fprintf(stderr, "usage: bench-onednn matmul M N K [BATCH [turned | batched]] | conv BATCH IN HEIGHT WIDTH OUT "
                         "KERNEL STRIDE PAD [GROUPS DILATION]\n");
    return 1;
  }
  std::vector<long> n;
  for (int i = 2; i < argc; ++i)
    n.push_back(std::strtol(argv[i], nullptr, 10));
  contestant::Watch watch;
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  primitive primitive;
  std::unordered_map<int, memory> arguments;
  if (kind == "matmul") {
    std::string way = argc > 6 ? argv[6] : "";
    long batch = n.size() > 3 ? n[3] : 1;
    memory::desc a({batch, n[0], n[2]}, kF32, Tag::abc), c({batch, n[0], n[1]}, kF32, Tag::abc),
        b({way == "batched" ? batch : 1, n[2], n[1]}, kF32, way == "turned" ? Tag::acb : Tag::abc);
    primitive = matmul(matmul::primitive_desc(matmul::desc(a, b, c), cpu));
    arguments = {
        {DNNL_ARG_SRC, makeMemory(a, cpu)}, {DNNL_ARG_WEIGHTS, makeMemory(b, cpu)}, {DNNL_ARG_DST, makeMemory(c, cpu)}};
  } else {
    long stride = n[6], pad = n[7], kernel = n[5], groups = n.size() > 8 ? n[8] : 1, dilation = n.size() > 8 ? n[9] : 1;
    auto size = [&](long in) { return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1; };
    Dims weights{n[4] / groups, n[1] / groups, kernel, kernel};
    if (groups > 1)
      weights.insert(weights.begin(), groups);
    memory::desc x({n[0], n[1], n[2], n[3]}, kF32, Tag::any), w(weights, kF32, Tag::any),
        y({n[0], n[4], size(n[2]), size(n[3])}, kF32, Tag::any);
    convolution_forward::desc desc(prop_kind::forward_inference, algorithm::convolution_direct, x, w, y,
                                   {stride, stride}, {dilation - 1, dilation - 1}, {pad, pad}, {pad, pad});
    convolution_forward::primitive_desc chosen(desc, cpu);
    primitive = convolution_forward(chosen);
    arguments = {{DNNL_ARG_SRC, makeMemory(chosen.src_desc(), cpu)},
                 {DNNL_ARG_WEIGHTS, makeMemory(chosen.weights_desc(), cpu)},
                 {DNNL_ARG_DST, makeMemory(chosen.dst_desc(), cpu)}};
  }
  return contestant::serve(watch.read(), [&] {
    primitive.execute(queue, arguments);
    queue.wait();
  });
}
