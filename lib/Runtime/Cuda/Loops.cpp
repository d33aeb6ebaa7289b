// Decides on the device what `Run::runLoop` decides on the host, in the same order.
#include "Loops.h"

#include <cstring>

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

/// The parameters are those of LoopParameters.
static const char *const kLoopPtx = R"ptx(.version 6.4
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry tiny_loop(
  .param .u64 handle,
  .param .u64 state,
  .param .u64 limit,
  .param .u64 counter,
  .param .u64 condition,
  .param .u64 most,
  .param .u64 is_first
)
.reqntid 1, 1, 1
{
  .reg .pred %p<6>;
  .reg .b16 %rs<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<10>;
  ld.param.b64 %rd1, [handle];
  ld.param.b64 %rd2, [state];
  ld.param.b64 %rd3, [limit];
  ld.param.b64 %rd4, [counter];
  ld.param.b64 %rd5, [condition];
  ld.param.b64 %rd6, [most];
  ld.param.b64 %rd7, [is_first];
  // %rd8: the iteration that would come; %rd6: how many there are.
  mov.b64 %rd8, 0;
  setp.ne.s64 %p1, %rd7, 0;
  @%p1 bra FIRST;
  ld.global.b64 %rd8, [%rd2];
  add.s64 %rd8, %rd8, 1;
  ld.global.b64 %rd6, [%rd2+8];
  bra DECIDE;
FIRST:
  setp.eq.s64 %p2, %rd3, 0;
  @%p2 bra COUNTED;
  ld.global.b64 %rd9, [%rd3];
  min.s64 %rd6, %rd6, %rd9;
COUNTED:
  st.global.b64 [%rd2+8], %rd6;
DECIDE:
  st.global.b64 [%rd2], %rd8;
  setp.lt.s64 %p3, %rd8, %rd6;
  selp.b32 %r1, 1, 0, %p3;
  // The condition is looked at only where the count allows another iteration.
  @!%p3 bra COUNT;
  setp.eq.s64 %p4, %rd5, 0;
  @%p4 bra COUNT;
  ld.global.b8 %rs1, [%rd5];
  setp.ne.s16 %p5, %rs1, 0;
  selp.b32 %r1, 1, 0, %p5;
COUNT:
  setp.eq.s64 %p4, %rd4, 0;
  @%p4 bra SET;
  st.global.b64 [%rd4], %rd8;
SET:
  {
    .param .b64 to;
    .param .b32 what;
    st.param.b64 [to], %rd1;
    st.param.b32 [what], %r1;
    call.uni cudaGraphSetConditional, (to, what);
  }
  ret;
}
)ptx";

const CudaKernel *LoopKernel::get() {
  std::call_once(isAsked, [&] {
    std::shared_ptr<Module> module;
    CUfunction function = nullptr;
    if (loadModule(context, kLoopPtx, std::strlen(kLoopPtx), module) ||
        context.check(context.cu.ModuleGetFunction(&function, module->handle, "tiny_loop"), "cuModuleGetFunction"))
      return;
    kernel.module = std::move(module);
    kernel.function = function;
  });
  return kernel.function ? &kernel : nullptr;
}
