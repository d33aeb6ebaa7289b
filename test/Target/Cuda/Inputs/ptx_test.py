"""The interpreter of PTX against the tables of NVIDIA's "PTX ISA"."""
import math
import unittest

import ptx

INFINITY, NAN = 0x7F800000, 0x7FFFFFFF
BUFFER = "ld.param.b64 %rd1, [k_param_0];\n cvta.to.global.u64 %rd2, %rd1;\n"


def kernel(body, lanes="1, 1, 1", declarations=""):
    return ptx.parse(f".visible .entry k(\n .param .u64 k_param_0\n)\n.reqntid {lanes}\n{{\n{declarations}{BUFFER}{body}\nret;\n\n}}")["k"]


def run(body, size=8, grid=(1, 1, 1), **options):
    memory = bytearray(size)
    ptx.run(kernel(body, **options), grid, [memory])
    return memory


def result(instruction, **registers):
    """What the instruction leaves in %x."""
    lane = ptx.Lane(kernel(""), [], bytearray(), (0, 0, 0), (0, 0, 0))
    lane.registers = {f"%{name}": bits for name, bits in registers.items()}
    operation, operands = instruction.split(" ", 1)
    return lane.compute(operation.split("."), operands.split(", "))


def f32(value):
    return ptx.from_float(value, "f32")


class Instructions(unittest.TestCase):
    def test_rounding_is_to_nearest_even_and_once(self):
        self.assertEqual(ptx.round_exact(ptx.Fraction(2 ** 24 + 1), "f32"), f32(2.0 ** 24))
        self.assertEqual(ptx.round_exact(ptx.Fraction(2 ** 24 + 3), "f32"), f32(2.0 ** 24 + 4))
        self.assertEqual(ptx.round_exact(ptx.Fraction(1, 2 ** 149), "f32"), 1)
        self.assertEqual(ptx.round_exact(ptx.Fraction(1, 2 ** 150), "f32"), 0)
        self.assertEqual(ptx.round_exact(ptx.Fraction(2 ** 128 - 2 ** 103), "f32"), INFINITY)
        self.assertEqual(ptx.round_exact(ptx.Fraction(65519), "f16"), 0x7BFF)
        self.assertEqual(ptx.round_exact(ptx.Fraction(-1, 3), "f64"), ptx.from_float(-1 / 3, "f64"))
        # a * b = 1 - 2^-46, which is 1 in f32: only one rounding leaves the difference.
        a, b = f32(1 + 2.0 ** -23), f32(1 - 2.0 ** -23)
        self.assertEqual(result("fma.rn.f32 %x, %a, %b, %c", a=a, b=b, c=f32(-1.0)), f32(-(2.0 ** -46)))

    def test_zeros_and_infinities(self):
        self.assertEqual(result("add.rn.f32 %x, %a, %b", a=f32(1.0), b=f32(-1.0)), 0)
        self.assertEqual(result("fma.rn.f32 %x, %a, %b, %c", a=f32(2.0), b=f32(1.0), c=f32(-2.0)), 0)
        self.assertEqual(result("mul.rn.f32 %x, %a, %b", a=f32(-0.0), b=f32(3.0)), f32(-0.0))
        self.assertEqual(result("div.rn.f32 %x, %a, %b", a=f32(-1.0), b=0), f32(-math.inf))
        self.assertEqual(result("div.rn.f32 %x, %a, %b", a=0, b=0), NAN)
        self.assertEqual(result("sqrt.rn.f32 %x, %a", a=f32(-1.0)), NAN)
        self.assertEqual(result("add.rn.f32 %x, %a, %b", a=INFINITY, b=f32(-math.inf)), NAN)

    def test_min_and_max(self):
        self.assertEqual(result("max.f32 %x, %a, %b", a=NAN, b=f32(1.0)), f32(1.0))
        self.assertEqual(result("max.NaN.f32 %x, %a, %b", a=NAN, b=f32(1.0)), NAN)
        self.assertEqual(result("max.f32 %x, %a, %b", a=f32(-0.0), b=0), 0)
        self.assertEqual(result("min.f32 %x, %a, %b", a=f32(-0.0), b=0), f32(-0.0))
        self.assertEqual(result("min.s32 %x, %a, %b", a=0xFFFFFFFF, b=1), 0xFFFFFFFF)
        self.assertEqual(result("min.u32 %x, %a, %b", a=0xFFFFFFFF, b=1), 1)

    def test_comparisons(self):
        self.assertEqual(result("setp.lt.f32 %x, %a, %b", a=NAN, b=0), 0)
        self.assertEqual(result("setp.ltu.f32 %x, %a, %b", a=NAN, b=0), 1)
        self.assertEqual(result("setp.nan.f32 %x, %a, %b", a=NAN, b=0), 1)
        self.assertEqual(result("setp.eq.f32 %x, %a, %b", a=f32(-0.0), b=0), 1)
        self.assertEqual(result("setp.lt.s32 %x, %a, %b", a=0xFFFFFFFF, b=0), 1)
        self.assertEqual(result("setp.lt.u32 %x, %a, %b", a=0xFFFFFFFF, b=0), 0)

    def test_shifts_are_clamped(self):
        self.assertEqual(result("shl.b32 %x, %a, %b", a=1, b=32), 0)
        self.assertEqual(result("shr.u32 %x, %a, %b", a=0x80000000, b=40), 0)
        self.assertEqual(result("shr.s32 %x, %a, %b", a=0x80000000, b=40), 0xFFFFFFFF)
        self.assertEqual(result("shf.l.wrap.b32 %x, %a, %b, %c", a=0x80000000, b=1, c=33), 3)

    def test_integers(self):
        self.assertEqual(result("div.s32 %x, %a, %b", a=0xFFFFFFF9, b=2), 0xFFFFFFFD)
        self.assertEqual(result("rem.s32 %x, %a, %b", a=0xFFFFFFF9, b=2), 0xFFFFFFFF)
        self.assertEqual(result("mul.wide.s32 %x, %a, %b", a=0xFFFFFFFF, b=2), (1 << 64) - 2)
        self.assertEqual(result("mul.hi.u32 %x, %a, %b", a=0xFFFFFFFF, b=2), 1)
        self.assertEqual(result("bfe.u32 %x, %a, 8, 4", a=0xABCD), 0xB)
        self.assertEqual(result("bfe.u64 %x, %a, 36, 8", a=0xABCD << 32), 0xBC)
        self.assertEqual(result("prmt.b32 %x, %a, %b, 0x7610U", a=0x33221100, b=0x77665544), 0x77661100)
        self.assertEqual(result("prmt.b32 %x, %a, 0, 0xaaa2U", a=0x00800000), 0xFFFFFF80)
        with self.assertRaisesRegex(ptx.PtxError, "divides by zero"):
            result("div.u32 %x, %a, %b", a=1, b=0)

    def test_conversions(self):
        self.assertEqual(result("cvt.rzi.s32.f32 %x, %a", a=f32(-2.7)), 0xFFFFFFFE)
        self.assertEqual(result("cvt.rzi.s32.f32 %x, %a", a=f32(1e20)), 0x7FFFFFFF)
        self.assertEqual(result("cvt.rzi.u32.f32 %x, %a", a=f32(-1.0)), 0)
        self.assertEqual(result("cvt.rzi.s32.f32 %x, %a", a=NAN), 0)
        self.assertEqual(result("cvt.rni.f32.f32 %x, %a", a=f32(2.5)), f32(2.0))
        self.assertEqual(result("cvt.rpi.f32.f32 %x, %a", a=f32(-0.5)), f32(-0.0))
        self.assertEqual(result("cvt.rn.f16.f32 %x, %a", a=f32(1e6)), 0x7C00)
        self.assertEqual(result("cvt.s64.s32 %x, %a", a=0xFFFFFFFF), (1 << 64) - 1)
        self.assertEqual(result("cvt.u16.u32 %x, %a", a=0x12345), 0x2345)

    def test_unknown_instructions_are_errors(self):
        with self.assertRaisesRegex(ptx.PtxError, r"unknown instruction sin.approx.f32"):
            result("sin.approx.f32 %x, %a", a=0)
        with self.assertRaisesRegex(ptx.PtxError, r"unknown instruction popc..b32"):
            result("popc.b32 %x, %a", a=0)


class Kernels(unittest.TestCase):
    def test_lanes_and_workgroups(self):
        body = ("mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %tid.x;\n shl.b32 %r3, %r1, 1;\n add.s32 %r4, %r3, %r2;\n"
                "cvt.u64.u32 %rd3, %r4;\n add.s64 %rd4, %rd2, %rd3;\n st.global.b8 [%rd4], %r4;")
        self.assertEqual(run(body, size=6, lanes="2, 1, 1", grid=(3, 1, 1)), bytes(range(6)))

    def test_branches(self):
        body = ("mov.b32 %r1, 0;\n$L__BB0_1:\n add.s32 %r1, %r1, 1;\n setp.lt.s32 %p1, %r1, 5;\n"
                "@%p1 bra $L__BB0_1;\n @!%p1 st.global.b32 [%rd2], %r1;")
        self.assertEqual(run(body)[0], 5)

    def test_vectors_and_parts(self):
        body = "mov.b64 %rd3, 0x100000002;\n mov.b64 {%r1, %r2}, %rd3;\n st.global.v2.b32 [%rd2], {%r2, %r1};"
        self.assertEqual(run(body), bytes([1, 0, 0, 0, 2, 0, 0, 0]))

    def test_accesses_are_checked(self):
        for body, message in [
                ("st.global.b32 [%rd2+8], 1;", "writes bytes 8 to 12 of 8"),
                ("ld.global.b32 %r1, [%rd2+-4];", "in no buffer"),
                ("st.global.b32 [%rd2+2], 1;", "not aligned to 4 bytes"),
                ("add.s32 %r1, %r2, 1;", "reads %r2 before it is written"),
                ("$L__BB0_1:\n bra $L__BB0_1;", "does not end")]:
            with self.assertRaisesRegex(ptx.PtxError, message):
                run(body)
        with self.assertRaisesRegex(ptx.PtxError, "got 0 buffers, expected 1"):
            ptx.run(kernel(""), (1, 1, 1), [])

    def test_shared_memory_is_one_for_the_workgroup(self):
        body = ("mov.b64 %rd3, tiles;\n mov.u32 %r1, %tid.x;\n setp.eq.b32 %p1, %r1, 0;\n mov.b32 %r2, 7;\n"
                "@%p1 st.shared.b32 [%rd3+4], %r2;\n ld.shared.b32 %r3, [tiles+4];\n @!%p1 st.global.b32 [%rd2], %r3;")
        self.assertEqual(run(body, lanes="2, 1, 1", declarations=".shared .align 8 .b8 tiles[8];\n")[0], 7)


unittest.main()
