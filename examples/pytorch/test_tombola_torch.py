# SPDX-License-Identifier: Apache-2.0
"""The extension from Python: PyTorch's own operators are what it is compared with, bit for bit."""
import contextlib
import inspect
import io
import os
import signal
import threading
import unittest
import warnings
from fractions import Fraction

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import tombola_torch as tt

DRAWN_AS_INTEGERS = [
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
    torch.float64, torch.float32, torch.float16, torch.bfloat16,
]  # fmt: skip
for name in ("uint16", "uint32"):  # PyTorch 2.3 and newer
    if hasattr(torch, name):
        DRAWN_AS_INTEGERS.append(getattr(torch, name))


# A PyTorch that is built with MKL takes other numbers for bernoulli_ with a number and, in some releases, for exponential_.
MKL = torch.backends.mkl.is_available()
without_mkl = unittest.skipIf(MKL, "PyTorch with MKL draws from another stream")

# What PyTorch 1.13 draws; float16 came later.
BERNOULLI = [dtype for dtype in DRAWN_AS_INTEGERS[:10] if dtype != torch.float16]


class PyTorch:
    """PyTorch's own operators, called like tombola_torch's."""

    rand, randint, multinomial, channel_shuffle = torch.rand, torch.randint, torch.multinomial, torch.channel_shuffle

    def uniform_(tensor, low=0.0, high=1.0):
        return tensor.uniform_(low, high)

    def random_(tensor, low, high):
        return tensor.random_(low, high)


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def shuffled(x, groups):
    """torch.channel_shuffle's definition, of differentiable operators."""
    n, c, *rest = x.shape
    return x.reshape(n, groups, c // groups, *rest).transpose(1, 2).reshape(x.shape)


class Stream(unittest.TestCase):
    def compare(self, mine, theirs, seed=2024):
        """Both from one seed; then PyTorch goes on from where each of them left the generator."""
        torch.manual_seed(seed)
        a, after_a = mine(), torch.rand(5)
        torch.manual_seed(seed)
        b, after_b = theirs(), torch.rand(5)
        self.assertEqual(a.dtype, b.dtype)
        self.assertTrue(torch.equal(a, b))
        self.assertTrue(torch.equal(after_a, after_b))
        self.assertEqual(a.stride(), b.stride())
        return a

    def test_rand(self):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            # 623, 624, 625: around the 624 words that the generator makes at a time.
            for count in (1, 7, 623, 624, 625, 10007):
                with self.subTest(dtype=dtype, count=count):
                    self.compare(
                        lambda: tt.rand(count, dtype=dtype), lambda: torch.rand(count, dtype=dtype)
                    )
        self.compare(lambda: tt.rand(2, 3, 4), lambda: torch.rand(2, 3, 4))
        self.compare(lambda: tt.rand(0), lambda: torch.rand(0))
        self.compare(lambda: tt.rand((2, 3)), lambda: torch.rand((2, 3)))
        self.compare(lambda: tt.rand(size=(2, 3)), lambda: torch.rand(size=(2, 3)))
        self.compare(lambda: tt.randn(size=torch.Size([])), lambda: torch.randn(size=torch.Size([])))
        out = torch.zeros(0)
        self.compare(lambda: tt.rand(size=[5], out=out), lambda: torch.rand(5))
        for make in (tt.rand, torch.rand):
            with self.assertRaises(TypeError):
                make(2, size=(3,))

    def test_seeds(self):
        for seed in (0, 1, 2**32 + 5, 2**63):
            self.compare(lambda: tt.rand(100), lambda: torch.rand(100), seed)

    def test_in_the_middle_of_a_stream(self):
        def run(rand):
            torch.rand(3)
            first = rand(10)
            torch.randperm(7)
            torch.randn(3)
            return torch.cat([first, rand(1000)])

        self.compare(lambda: run(tt.rand), lambda: run(torch.rand))

    def test_memory_order(self):
        def channels_last():
            return torch.zeros(2, 8, 3, 5).to(memory_format=torch.channels_last)

        views = {
            "channels_last": channels_last,
            "transposed": lambda: torch.zeros(4, 6).t(),
            "every second column": lambda: torch.zeros(5, 8)[:, ::2],
            "permuted": lambda: torch.zeros(2, 3, 4).permute(2, 0, 1),
            "a single element": lambda: torch.zeros(()),
            "seven dimensions": lambda: torch.zeros(2, 1, 3, 1, 2, 2, 2)[:, :, ::2],
        }
        for name, make in views.items():
            with self.subTest(name):
                self.compare(lambda: tt.uniform_(make(), -3, 4), lambda: make().uniform_(-3, 4))

    def test_uniform_in_place(self):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            for low, high in ((0, 1), (-1e3, 1e-3), (0.1, 0.2)):
                with self.subTest(dtype=dtype, low=low, high=high):
                    self.compare(
                        lambda: tt.uniform_(torch.empty(1001, dtype=dtype), low, high),
                        lambda: torch.empty(1001, dtype=dtype).uniform_(low, high),
                    )
        x = torch.zeros(3)
        version = x._version
        self.assertEqual(tt.uniform_(x).data_ptr(), x.data_ptr())
        self.assertGreater(x._version, version)

    def test_one_number_alone(self):
        """A range that is empty, or that becomes empty when its bounds are rounded to the type."""
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            for low, high in ((1.5, 1.5), (0.0, 0.0), (1.0, 1.0 + 2**-40), (-0.0, -0.0), (-0.0, 0.0), (-1e-40, 1e-8)):
                with self.subTest(dtype=dtype, low=low, high=high):
                    filled = self.compare(
                        lambda: tt.uniform_(torch.zeros(33, 2, dtype=dtype).t(), low, high),
                        lambda: torch.zeros(33, 2, dtype=dtype).t().uniform_(low, high),
                    )
                    if low == high == 0:
                        self.assertFalse(filled.signbit().any())  # PyTorch gives +0 for -0 too.

    def test_complex(self):
        for dtype in (torch.complex64, torch.complex128):
            self.compare(lambda: tt.rand(101, dtype=dtype), lambda: torch.rand(101, dtype=dtype))

    def test_randint(self):
        ranges = (
            (0, 2), (-7, 12), (0, 2**31 - 1), (0, 2**32 - 1), (0, 2**32), (-(2**62), 2**62), (-128, 128), (0, 256),
            (-(2**31), 2**31), (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1), (0, 2048), (0, 2049), (-5000, 3000),
            (0, 65503), (0, 65504), (2**24, 2**24 + 3), (-(2**24) - 1, 2**24 + 1), (2**53, 2**53 + 3), (0, 2**40 + 1),
        )  # fmt: skip
        drawn = 0
        for dtype in DRAWN_AS_INTEGERS:
            for low, high in ranges:
                with self.subTest(low=low, high=high, dtype=dtype), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # PyTorch warns of integers that the type does not have.
                    try:
                        torch.randint(low, high, (1,), dtype=dtype)
                    except RuntimeError as error:
                        self.refuse(lambda: tt.randint(low, high, (1,), dtype=dtype), str(error))
                        continue
                    drawn += 1
                    self.compare(
                        lambda: tt.randint(low, high, (3, 401), dtype=dtype),
                        lambda: torch.randint(low, high, (3, 401), dtype=dtype),
                    )
                    self.compare(
                        lambda: tt.random_(torch.zeros(7, 9, dtype=dtype).t()[::2], low, high),
                        lambda: torch.zeros(7, 9, dtype=dtype).t()[::2].random_(low, high),
                    )
        self.assertGreater(drawn, 80)
        self.compare(lambda: tt.random_(torch.zeros(50), 9), lambda: torch.zeros(50).random_(9))

    def test_randn(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.complex64):
            # Around the blocks of 16, below which single numbers are drawn, and the 624 words that the generator makes at a time.
            for count in (1, 2, 7, 15, 16, 17, 31, 623, 624, 625, 10007):
                with self.subTest(dtype=dtype, count=count):
                    self.compare(
                        lambda: tt.randn(count, dtype=dtype), lambda: torch.randn(count, dtype=dtype)
                    )
        self.compare(lambda: tt.randn(2, 3, 4), lambda: torch.randn(2, 3, 4))
        self.compare(lambda: tt.randn(0), lambda: torch.randn(0))
        like = torch.empty(5, 9, dtype=torch.bfloat16)
        self.compare(lambda: tt.randn_like(like), lambda: torch.randn_like(like))
        self.compare(
            lambda: tt.randn(5, 9, out=torch.empty(3)), lambda: torch.randn(5, 9, out=torch.empty(3))
        )

    def test_randn_of_every_size(self):
        """A chain of calls, so that what they leave in the generator counts too: all sizes, then a large one."""
        mine, theirs = (torch.Generator().manual_seed(14) for _ in range(2))
        for count in (*range(1, 4098), 10_000_007):
            if not torch.equal(tt.randn(count, generator=mine), torch.randn(count, generator=theirs)):
                self.fail(f"{count} elements differ")
        self.assertTrue(torch.equal(torch.rand(9, generator=mine), torch.rand(9, generator=theirs)))

    def test_randn_of_doubles(self):
        """Up to the rounding of the C library's log, sin and cos, and of the scaling."""
        for count in (1, 15, 16, 1000):
            torch.manual_seed(4)
            a, after_a = tt.normal_(torch.empty(count, dtype=torch.float64), 0.3, 1.7), torch.rand(5)
            torch.manual_seed(4)
            b, after_b = torch.empty(count, dtype=torch.float64).normal_(0.3, 1.7), torch.rand(5)
            self.assertLess((a - b).abs().max().item(), 1e-14)
            self.assertTrue(torch.equal(after_a, after_b))

    def test_normal(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            for mean, std in ((0.3, 1.7), (-5, 0), (100, 1e-3), (0.1, 1e3)):
                for shape in ((9,), (40,), (2, 5, 7)):
                    with self.subTest(dtype=dtype, mean=mean, std=std, shape=shape):
                        self.compare(
                            lambda: tt.normal_(torch.empty(shape, dtype=dtype), mean, std),
                            lambda: torch.empty(shape, dtype=dtype).normal_(mean, std),
                        )
        for shape in ((2, 3, 2, 1), (2, 5, 3, 4)):
            last = torch.channels_last
            self.compare(
                lambda: tt.normal_(torch.empty(shape).to(memory_format=last)),
                lambda: torch.empty(shape).to(memory_format=last).normal_(),
            )
        self.compare(
            lambda: tt.normal_(torch.zeros(8, 6)[1:4, ::2]).clone(),
            lambda: torch.zeros(8, 6)[1:4, ::2].normal_().clone(),
        )

    def test_kept_normal_numbers(self):
        """An odd call keeps a number for the next small one, whoever makes the calls."""
        sizes = (3, 20, 5, 1, 40, 2, 1, 1)

        def by(*kinds):
            return torch.cat([kinds[i % len(kinds)](n) for i, n in enumerate(sizes)])

        for kinds in ((tt.randn,), (tt.randn, torch.randn), (torch.randn, tt.randn)):
            self.compare(lambda: by(*kinds), lambda: by(torch.randn))
        own = [torch.Generator().manual_seed(6) for _ in range(2)]
        for n in sizes:
            self.assertTrue(torch.equal(tt.randn(n, generator=own[0]), torch.randn(n, generator=own[1])))

    def test_normal_refused(self):
        for tensor, mean, std in ((torch.empty(20), 0.0, -1.0), (torch.empty(3), 0.0, -1.0),
                                  (torch.empty(20, dtype=torch.int64), 0.0, 1.0)):
            with self.assertRaises(RuntimeError) as mine:
                tt.normal_(tensor, mean, std)
            with self.assertRaises(RuntimeError) as theirs:
                tensor.normal_(mean, std)
            self.assertEqual(str(mine.exception).splitlines()[0], str(theirs.exception).splitlines()[0])

    @without_mkl
    def test_exponential(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            for rate in (1.0, 0.37, 1e-3, 250.0):
                with self.subTest(dtype=dtype, rate=rate):
                    self.compare(lambda: tt.exponential_(torch.empty(125_000, dtype=dtype), rate),
                                 lambda: torch.empty(125_000, dtype=dtype).exponential_(rate))
        for count in (1, 7, 311, 313, 624):
            self.compare(lambda: tt.exponential_(torch.empty(count)), lambda: torch.empty(count).exponential_())
        self.compare(lambda: tt.exponential_(torch.empty(0)), lambda: torch.empty(0).exponential_())
        self.compare(lambda: tt.exponential_(torch.zeros(8, 6).t()[1:4, ::2]).clone(),
                     lambda: torch.zeros(8, 6).t()[1:4, ::2].exponential_().clone())
        # PyTorch draws what tombola refuses.
        for rate in (float("inf"), 1e-310):
            self.compare(lambda: tt.exponential_(torch.empty(9), rate), lambda: torch.empty(9).exponential_(rate))

    @without_mkl
    def test_exponential_of_doubles(self):
        """Up to the rounding of the C library's log, or log1p."""
        results = []
        for fill in (tt.exponential_, lambda tensor, rate: tensor.exponential_(rate)):
            torch.manual_seed(4)
            results.append((fill(torch.empty(50_000, dtype=torch.float64), 0.3), torch.rand(5)))
        (a, after_a), (b, after_b) = results
        self.assertLess(((a - b).abs() / b).max().item(), 2**-51)
        self.assertTrue(torch.equal(after_a, after_b))

    @without_mkl
    def test_bernoulli(self):
        for dtype in BERNOULLI:
            for p in (0.3, 0.5, 0.0, 1.0, 1e-5):
                with self.subTest(dtype=dtype, p=p):
                    self.compare(lambda: tt.bernoulli_(torch.empty(30_011, dtype=dtype), p),
                                 lambda: torch.empty(30_011, dtype=dtype).bernoulli_(p))
        for count in (1, 2, 623, 624, 625):
            self.compare(lambda: tt.bernoulli_(torch.empty(count)), lambda: torch.empty(count).bernoulli_())
        like = torch.zeros(2, 5, 3, 4).to(memory_format=torch.channels_last)
        self.compare(lambda: tt.bernoulli(like, 0.25), lambda: torch.bernoulli(like, 0.25))
        self.compare(lambda: tt.bernoulli_(like.clone(), 0.25), lambda: like.clone().bernoulli_(0.25))
        self.compare(lambda: tt.bernoulli_(torch.zeros(0)), lambda: torch.zeros(0).bernoulli_())

    def test_bernoulli_of_probabilities(self):
        torch.manual_seed(3)
        p = torch.rand(30, 401, dtype=torch.float64)
        for p_type in (torch.float64, torch.float32, torch.bfloat16):
            given = p.to(p_type)
            for dtype in BERNOULLI:
                with self.subTest(dtype=dtype, p_type=p_type):
                    self.compare(lambda: tt.bernoulli_(torch.empty(30, 401, dtype=dtype), given),
                                 lambda: torch.empty(30, 401, dtype=dtype).bernoulli_(given))
            self.compare(lambda: tt.bernoulli(given), lambda: torch.bernoulli(given))
            self.compare(lambda: tt.bernoulli(given.t()), lambda: torch.bernoulli(given.t()))
            # In the order of memory of what is drawn, and with probabilities that are repeated.
            self.compare(lambda: tt.bernoulli_(torch.zeros(401, 60).t()[::2], given).clone(),
                         lambda: torch.zeros(401, 60).t()[::2].bernoulli_(given).clone())
            self.compare(lambda: tt.bernoulli_(torch.zeros(30, 401, 2), given[:, :1, None]),
                         lambda: torch.zeros(30, 401, 2).bernoulli_(given[:, :1, None]))
            self.compare(lambda: tt.bernoulli(given, out=torch.zeros(3)), lambda: torch.bernoulli(given, out=torch.zeros(3)))
            self.compare(lambda: tt.bernoulli(given[0, 0]), lambda: torch.bernoulli(given[0, 0]))
            self.compare(lambda: tt.bernoulli(given[:1, :1]), lambda: torch.bernoulli(given[:1, :1]))
        own = [torch.Generator().manual_seed(6) for _ in range(2)]
        for _ in range(2):
            self.assertTrue(torch.equal(tt.bernoulli(p, generator=own[0]), torch.bernoulli(p, generator=own[1])))
        many = torch.rand(1_000_000)
        self.compare(lambda: tt.bernoulli(many), lambda: torch.bernoulli(many))

    def test_bernoulli_refused(self):
        self.refuse(lambda: tt.bernoulli_(torch.zeros(3), 1.5), "bernoulli_ expects p to be in [0, 1], but got p=1.5")
        out = torch.full((3,), 7.0)
        before = torch.get_rng_state()
        for bad in (1.5, -0.25, float("nan")):
            with self.assertRaisesRegex(RuntimeError, "P"):
                tt.bernoulli_(out, torch.tensor([0.5, bad, 0.5]))
        with self.assertRaisesRegex(RuntimeError, "floating-point"):
            tt.bernoulli_(out, torch.tensor([0, 1, 1]))
        with self.assertRaisesRegex(RuntimeError, "floating-point"):
            tt.bernoulli(torch.tensor([0, 1, 1]), out=out)
        with self.assertRaisesRegex(RuntimeError, "size"):
            tt.bernoulli_(out, torch.zeros(2))
        self.assertEqual(out.tolist(), [7, 7, 7])
        with self.assertRaisesRegex(RuntimeError, "expects probabilities on cpu, but got meta"):
            tt.bernoulli_(out, torch.full((3,), 0.5, device="meta"))
        if hasattr(torch, "float8_e5m2"):
            with self.assertRaisesRegex(NotImplementedError, "not implemented for 'Float8_e5m2'"):
                tt.bernoulli_(torch.zeros(3).to(torch.float8_e5m2))
        self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_numbers_that_are_no_integers(self):
        """PyTorch's functions raise TypeError for nearly all of these. These functions always do, before anything is drawn."""
        before = torch.get_rng_state()
        x = torch.ones(4)
        for bad in (2.7, np.float32(2.7), torch.tensor(2.7), Fraction(5, 2), True, "2", None, torch.tensor([2, 2])):
            for name, call in (
                ("randperm", lambda: tt.randperm(bad)),
                ("randint, high", lambda: tt.randint(bad, (2,))),
                ("randint, low", lambda: tt.randint(bad, 9, (2,))),
                ("randint, size", lambda: tt.randint(5, (2, bad))),
                ("randint_like", lambda: tt.randint_like(x, high=bad)),
                ("rand", lambda: tt.rand(2, bad)),
                ("randn", lambda: tt.randn(size=(bad, 2))),
                ("random_", lambda: tt.random_(x, 0, bad)),
                ("multinomial", lambda: tt.multinomial(x, bad, True)),
                ("channel_shuffle", lambda: tt.channel_shuffle(torch.zeros(1, 4), bad)),
                ("sample_tokens", lambda: tt.sample_tokens(x, num_samples=bad)),
            ):
                with self.subTest(bad=bad, name=name), self.assertRaises(TypeError):
                    call()
        for call in (
            lambda: tt.randint(5, (3,), requires_grad=True),
            lambda: tt.randint_like(torch.zeros(3, dtype=torch.int32), 5, requires_grad=True),
            lambda: tt.randperm(5, requires_grad=True),
            lambda: tt.bernoulli_(torch.zeros(4, requires_grad=True), x),
            lambda: tt.bernoulli_(torch.zeros(1).expand(4), x),
            lambda: tt.multinomial(x, 3, True, out=torch.zeros(1, dtype=torch.int64).expand(3)),
            lambda: tt.multinomial(x, 3, True, out=torch.from_numpy(np.zeros(2, np.int64))),
            lambda: tt.dropout(torch.ones([1] * 13)),
            lambda: tt.randint(low=5, size=(3,)),
            lambda: tt.randint_like(x, low=5),
            lambda: tt.randint(1, 2, 3, (3,)),
            lambda: tt.randint(5, low=3, size=(2,)),
            lambda: tt.randint_like(x, 5, low=3),
            lambda: tt.randint(5, torch.tensor([2, 3])),
            lambda: tt.randperm(np.True_),
            lambda: tt.randint(1, high=2, low=3, size=(3,)),
            lambda: tt.rand(3, genrator=None),
            lambda: tt.rand(3, requires_grad=1),
            lambda: tt.multinomial(x, 2, 2.7),
            lambda: tt.dropout(x, 0.5, None),
        ):
            with self.assertRaises((TypeError, RuntimeError)):
                call()
        self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_permutation_of_too_small_a_type(self):
        for vector in (torch.empty(300, dtype=torch.uint8), torch.empty(3, dtype=torch.bool),
                       torch.empty(3000, dtype=torch.float16)):  # fmt: skip
            before = torch.get_rng_state()
            with self.assertRaises(RuntimeError):
                torch.ops.tombola.permutation_(vector)
            self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_randperm(self):
        sizes = [*range(20), 623, 624, 625, 1000, 65537, 300_000]
        for n in sizes:
            with self.subTest(n=n):
                self.compare(lambda: tt.randperm(n), lambda: torch.randperm(n), seed=n)
        for dtype in (torch.int32, torch.int16, torch.uint8, torch.float32, torch.float16, torch.float64):
            with self.subTest(dtype=dtype):
                self.compare(lambda: tt.randperm(200, dtype=dtype), lambda: torch.randperm(200, dtype=dtype))

        def one_after_another(randperm, rand):
            return torch.cat([randperm(n).double() for n in sizes] + [rand(9).double(), randperm(5).double()])

        self.compare(lambda: one_after_another(tt.randperm, tt.rand),
                     lambda: one_after_another(torch.randperm, torch.rand))
        strided = torch.zeros(30, dtype=torch.int64)[::3]
        self.compare(lambda: tt.randperm(10, out=strided).clone(), lambda: torch.randperm(10))
        self.assertEqual(strided.stride(), (3,))
        own = [torch.Generator().manual_seed(3) for _ in range(2)]
        self.assertTrue(torch.equal(tt.randperm(50, generator=own[0]), torch.randperm(50, generator=own[1])))
        self.assertTrue(torch.equal(tt.randperm(50, generator=own[0]), torch.randperm(50, generator=own[1])))

    def test_randperm_refused(self):
        state = torch.get_rng_state()
        for arguments in (dict(n=-1), dict(n=300, dtype=torch.uint8), dict(n=3000, dtype=torch.float16)):
            with self.subTest(arguments):
                with self.assertRaises(RuntimeError) as mine:
                    tt.randperm(**arguments)
                with self.assertRaises(RuntimeError) as theirs:
                    torch.randperm(**arguments)
                self.assertEqual(str(mine.exception).split("\n")[0], str(theirs.exception).split("\n")[0])
        self.assertTrue(torch.equal(state, torch.get_rng_state()))

    def test_excluded_bound(self):
        """The greatest float32 below 2^24 + 3 is 2^24 + 2: rounding may not give 2^24 + 4."""
        numbers = tt.randint(2**24, 2**24 + 3, (1000,), dtype=torch.float32)
        self.assertLess(numbers.max().item(), 2**24 + 3)

    def test_arguments(self):
        """All ways to call."""
        like = torch.zeros(2, 6, 3, 5, dtype=torch.float64).to(memory_format=torch.channels_last)
        for kwargs in ({}, {"dtype": torch.float16}, {"device": "cpu", "layout": torch.strided},
                       {"memory_format": torch.contiguous_format}, {"requires_grad": True}):  # fmt: skip
            for name, arguments in (("rand_like", ()), ("randint_like", (9,)), ("randint_like", (-4, 9))):
                with self.subTest(name=name, arguments=arguments, **kwargs):
                    mine = self.compare(
                        lambda: getattr(tt, name)(like, *arguments, **kwargs),
                        lambda: getattr(torch, name)(like, *arguments, **kwargs),
                    )
                    self.assertEqual(mine.requires_grad, "requires_grad" in kwargs)
        size = (3, 4)
        for call in (
            lambda m: m.rand(size, device="cpu", requires_grad=True),
            lambda m: m.rand(3, 4, generator=torch.Generator().manual_seed(3)),
            lambda m: m.rand(3, 4, out=torch.zeros(12)),
            lambda m: m.rand(3, 4, out=torch.zeros(4, 3, dtype=torch.float64).t()),
            lambda m: m.rand(3, 4, out=torch.zeros(3, 4), dtype=torch.float32, device="cpu"),
            lambda m: m.rand(np.int64(3), torch.tensor(4)),
            lambda m: m.rand(np.int64(3)),
            lambda m: m.rand(torch.tensor(3)),
            lambda m: m.rand(size=(np.int64(3), torch.tensor(4))),
            lambda m: m.randint(10, (np.int64(3), 4)),
            lambda m: m.rand(5, dtype=None),
            lambda m: m.rand(5, requires_grad=None, names=None),
            lambda m: m.rand(5, dtype=float, requires_grad=True),
            lambda m: m.rand(2, torch.tensor([3])),
            lambda m: m.randint(5, (3,), out=torch.zeros(3), requires_grad=True),
            lambda m: m.rand(5, dtype=torch.complex64, requires_grad=True),
            lambda m: m.randint(10, size, dtype=None),
            lambda m: m.randint(3, 10, size, dtype=None, device=None),
            lambda m: m.randperm(5, dtype=None),
            lambda m: m.randint_like(like, high=9),
            lambda m: m.randint_like(like, low=3, high=9),
            lambda m: m.randint(10, size),
            lambda m: m.randint(3, 10, size),
            lambda m: m.randint(high=10, size=size),
            lambda m: m.randint(low=3, high=10, size=size),
            lambda m: m.randint(10, size, dtype=torch.uint8, generator=torch.Generator().manual_seed(3)),
            lambda m: m.randint(10, size, out=torch.zeros(4, 3).t()),
            lambda m: m.randint(-3, 10, size, out=torch.zeros(0, dtype=torch.int16)),
            lambda m: m.multinomial(torch.ones(5).double(), 9, True, out=torch.zeros(9, dtype=torch.long)),
        ):  # fmt: skip
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch warns when an out of another size is resized.
                self.compare(lambda: call(tt), lambda: call(torch))
        with default_dtype(torch.float64):
            self.compare(lambda: tt.rand(5), lambda: torch.rand(5))
        out = torch.zeros(3, 4)
        self.assertIs(tt.rand(3, 4, out=out), out)
        for call in (tt.rand, tt.randn, lambda: tt.rand(True), lambda: tt.randint_like(like), lambda: tt.random_(out, 3, None)):
            with self.assertRaises(TypeError):
                call()

    def test_refused(self):
        """What PyTorch refuses is refused with its message; nothing is drawn or written."""
        inf = float("inf")
        for call in (
            lambda m, t: m.uniform_(t, 1.0, 0.0),
            lambda m, t: m.uniform_(t, float("nan"), 1.0),
            lambda m, t: m.uniform_(t, 0.0, inf),
            lambda m, t: m.uniform_(t, -1e40, 0.0),
            lambda m, t: m.uniform_(t, -3e38, 3e38),
            lambda m, t: m.uniform_(t.half(), 0, 1e5),
            lambda m, t: m.uniform_(t.int()),
            lambda m, t: m.uniform_(t[:1].expand(3)),
            lambda m, t: m.random_(t, 3, 3),
            lambda m, t: m.random_(t.byte(), -1, 3),
            lambda m, t: m.random_(t.byte(), 0, 257),
            lambda m, t: m.random_(t.bool(), 0, 3),
            lambda m, t: m.random_(t.half(), 0, 70000),
            lambda m, t: m.random_(t + 0j, 0, 3),
            lambda m, t: m.randint(3, 2, (2,)),
            lambda m, t: m.randint(-2, (2,)),
            lambda m, t: m.randint(2, (-8,)),
            lambda m, t: m.randint(300, (2,), out=t.byte()),
            lambda m, t: m.rand(2, dtype=torch.int32),
            lambda m, t: m.rand(-2),
            lambda m, t: m.multinomial(t.reshape(1, 1, 3), 1),
            lambda m, t: m.multinomial(t.long(), 1),
            lambda m, t: m.multinomial(t, 0),
            lambda m, t: m.multinomial(t, 4),
            lambda m, t: m.multinomial(t, 4, True, out=torch.zeros(4)),
            lambda m, t: m.channel_shuffle(torch.zeros(2, 6, 2, 2), 4),
            lambda m, t: m.channel_shuffle(torch.zeros(2, 6, 2, 2), 0),
        ):
            with self.subTest(inspect.getsource(call)):
                tensor = torch.ones(3)
                with self.assertRaises(RuntimeError) as theirs, warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call(PyTorch, tensor)
                self.refuse(lambda: call(tt, torch.ones(3)), str(theirs.exception))
        out = torch.zeros(2, dtype=torch.uint8)
        with self.assertRaises(RuntimeError):
            tt.randint(300, (5,), out=out)
        self.assertEqual(out.tolist(), [0, 0])
        with self.assertRaises(RuntimeError):
            tt.rand(4, out=torch.zeros(3, requires_grad=True))
        with self.assertRaisesRegex(RuntimeError, "does not match dtype of out"):
            tt.rand(2, out=torch.zeros(2), dtype=torch.float64)

    def refuse(self, work, message):
        before = torch.get_rng_state()
        with self.assertRaises(RuntimeError) as mine:
            work()
        self.assertEqual(str(mine.exception).split("\n")[0], message.split("\n")[0])
        self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_after_fork(self):
        """A process that was forked after its parent drew, as the workers of a data loader are."""
        tt.rand(1 << 22)
        torch.manual_seed(9)
        expected = torch.rand(1 << 22).double().sum().item()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # A child that hangs ends here, and what it should have written is missing.
            torch.set_num_threads(1)
            torch.manual_seed(9)
            os.write(write, repr(tt.rand(1 << 22).double().sum().item()).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        self.assertAlmostEqual(float(said or "nan"), expected, places=3)

    def test_data_loader(self):
        class Drawn(torch.utils.data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                torch.manual_seed(index)
                return tt.rand(1000)

        tt.rand(1000)
        for index, drawn in enumerate(torch.utils.data.DataLoader(Drawn(), batch_size=None, num_workers=2)):
            torch.manual_seed(index)
            self.assertTrue(torch.equal(drawn, torch.rand(1000)))

    def test_generator(self):
        a, b = torch.Generator().manual_seed(5), torch.Generator().manual_seed(5)
        before = torch.get_rng_state()
        for _ in range(3):
            self.assertTrue(
                torch.equal(tt.rand(400, generator=a), torch.rand(400, generator=b))
            )
        self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_threads_share_a_generator(self):
        """Draws from several threads are, in some order, the pieces of one stream."""
        torch.manual_seed(8)
        pieces, lock = [], threading.Lock()

        def work():
            for _ in range(20):
                x = tt.rand(50)
                with lock:
                    pieces.append(x)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        torch.manual_seed(8)
        expected = {tuple(torch.rand(50).tolist()) for _ in range(80)}
        self.assertEqual({tuple(p.tolist()) for p in pieces}, expected)


class Multinomial(unittest.TestCase):
    def test_with_replacement(self):
        """In f64 PyTorch's rounded sums part from exact ones only within a rounding error of a border, which these
        fixed numbers do not meet."""
        torch.manual_seed(31)
        weights = torch.rand(4, 100, dtype=torch.float64)
        weights[:, 10:20] = 0
        torch.manual_seed(32)
        a, after_a = tt.multinomial(weights, 1000, True), torch.rand(5)
        torch.manual_seed(32)
        b, after_b = torch.multinomial(weights, 1000, True), torch.rand(5)
        self.assertTrue(torch.equal(a, b))
        self.assertTrue(torch.equal(after_a, after_b))

    def test_without_replacement(self):
        weights = torch.tensor([[1.0, 0.0, 2.0, 3.0], [4.0, 5.0, 6.0, 0.0]])
        torch.manual_seed(33)
        seen = set()
        for _ in range(200):
            drawn = tt.multinomial(weights, 3)
            self.assertEqual(sorted(drawn[0].tolist()), [0, 2, 3])
            self.assertEqual(sorted(drawn[1].tolist()), [0, 1, 2])
            seen.add(tuple(drawn[0].tolist()))
        self.assertEqual(len(seen), 6)  # every order turns up
        with self.assertRaises(RuntimeError):
            tt.multinomial(weights, 4)

    def test_refused_draws_nothing(self):
        for weights in ([-1.0, 2.0], [float("nan"), 2.0], [float("inf"), 2.0], [0.0, 0.0]):
            for samples, replacement in ((1, False), (1, True), (5, True)):
                with self.subTest(weights=weights, samples=samples, replacement=replacement):
                    torch.manual_seed(34)
                    before = torch.get_rng_state()
                    with self.assertRaisesRegex(RuntimeError, "multinomial"):
                        tt.multinomial(torch.tensor(weights), samples, replacement)
                    self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_empty(self):
        self.assertEqual(tt.multinomial(torch.zeros(0, 3), 2).shape, (0, 2))

    def test_one_dimension(self):
        self.assertEqual(tt.multinomial(torch.tensor([0.0, 1.0]), 3, True).tolist(), [1, 1, 1])


class SampleTokens(unittest.TestCase):
    """The set is compared with PyTorch's sort and softmax in float64, the draws with each other."""

    def setUp(self):
        torch.manual_seed(81)
        self.logits = torch.randn(4, 1000) * 4

    def test_greedy(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x = (self.logits * 7).to(dtype)
            with self.subTest(str(dtype)):
                # argmax does not say which of equal elements it takes: compare what they are.
                ids = tt.sample_tokens(x, temperature=0)
                self.assertTrue(torch.equal(x.gather(1, ids)[:, 0], x.max(1).values))
        self.assertTrue(torch.equal(tt.sample_tokens(self.logits, 0), self.logits.argmax(1, keepdim=True)))
        self.assertEqual(tt.sample_tokens(self.logits[0], 0, num_samples=3).tolist(), [self.logits[0].argmax()] * 3)

    def kept(self, logits, temperature, k, p):
        """The classes that are drawn, with their probabilities: top_k, then top_p of what is left."""
        values, order = torch.sort(logits.double() / temperature, descending=True)
        probabilities = values[:k].softmax(0)
        kept = probabilities.cumsum(0) - probabilities < p
        return order[:k][kept], probabilities[kept] / probabilities[kept].sum()

    def test_draws_the_set_with_its_probabilities(self):
        temperature, k, p, samples = 1.7, 30, 0.9, 50_000
        ids, logprobs = tt.sample_tokens(
            self.logits, temperature, k, p, num_samples=samples, seeds=[1, 2], logprobs="processed"
        )
        for row in range(4):
            classes, probabilities = self.kept(self.logits[row], temperature, k, p)
            self.assertLessEqual(set(ids[row].tolist()), set(classes.tolist()))
            expected = torch.zeros(1000, dtype=torch.float64)
            expected[classes] = probabilities
            found = torch.bincount(ids[row], minlength=1000) / samples
            self.assertLess((found - expected).abs().max(), 0.01)
            self.assertTrue(torch.allclose(logprobs[row].double().exp(), expected[ids[row]], rtol=1e-5))

    def test_parameters_of_each_row(self):
        temperature = torch.tensor([0.0, 0.5, 1.0, 2.0])
        top_k = torch.tensor([0, 5, 50, 1000], dtype=torch.int32)
        top_p, min_p = torch.tensor([1.0, 0.5, 0.9, 1.0]), torch.tensor([0.0, 0.0, 0.1, 0.01])
        seeds = torch.tensor([[1, 2], [3, 4], [5, 6], [7, 8]])
        offset = torch.tensor([0, 10, 20, 30])
        for order in ("transformers", "vllm", "joint", "temperature_last"):
            together = tt.sample_tokens(
                self.logits, temperature, top_k, top_p, min_p, num_samples=9, filter_order=order, seeds=seeds, offset=offset
            )
            for row in range(4):
                alone = tt.sample_tokens(
                    self.logits[row],
                    temperature[row].item(),
                    top_k[row].item(),
                    top_p[row].item(),
                    min_p[row].item(),
                    num_samples=9,
                    filter_order=order,
                    seeds=seeds[row],
                    offset=offset[row].item(),
                )
                self.assertTrue(torch.equal(together[row], alone))

    def test_mask(self):
        mask = torch.zeros(4, 32, dtype=torch.int32)
        mask[:, 2] = 0b1010  # classes 65 and 67
        ids = tt.sample_tokens(self.logits, 5.0, mask=mask, num_samples=200)
        self.assertEqual(set(ids.flatten().tolist()), {65, 67})

    def test_generator(self):
        """Two seeds are drawn, also where there is nothing to draw by them; given seeds draw none."""
        torch.manual_seed(3)
        seeds = torch.ops.tombola.draw_seeds(self.logits)
        expected, after = tt.sample_tokens(self.logits, num_samples=5, seeds=seeds), torch.rand(3)
        torch.manual_seed(3)
        self.assertTrue(torch.equal(tt.sample_tokens(self.logits, num_samples=5), expected))
        self.assertTrue(torch.equal(torch.rand(3), after))
        own = torch.Generator().manual_seed(3)
        before = torch.get_rng_state()
        self.assertTrue(torch.equal(tt.sample_tokens(self.logits, num_samples=5, generator=own), expected))
        self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_layouts_and_shapes(self):
        kwargs = {"seeds": [1, 2], "num_samples": 4}
        expected = tt.sample_tokens(self.logits, **kwargs)
        self.assertTrue(torch.equal(tt.sample_tokens(self.logits.t().contiguous().t(), **kwargs), expected))
        for top_k in (2**31, torch.tensor(2**32 + 1)):  # keeps all
            self.assertTrue(torch.equal(tt.sample_tokens(self.logits, top_k=top_k, **kwargs), expected))
        self.assertEqual(tt.sample_tokens(torch.zeros(0, 5)).shape, (0, 1))
        self.assertEqual(tt.sample_tokens(torch.zeros(2, 5), num_samples=0).shape, (2, 0))

    def test_refusals(self):
        before = torch.get_rng_state()
        for arguments, message in (
            ({"temperature": -1.0}, "TEMPERATURE is -1; expected 0"),
            ({"top_p": 1.5}, "TOP_P is 1.5"),
            ({"top_k": -3}, "TOP_K is -3"),
            ({"min_p": torch.tensor([0.0, 0.1, 2.0, 0.0])}, "MIN_P: row 2: 2"),
            ({"temperature": torch.ones(3)}, r"temperature has the shape \[3\], but expected one element, or one per row"),
            ({"seeds": [1, 2, 3]}, r"seeds has the shape \[3\], but expected \[2\] or \[batch, 2\]"),
            ({"filter_order": "other"}, "filter_order is 'other'"),
            ({"logprobs": "some"}, "logprobs is 'some'"),
            ({"num_samples": -1}, "num_samples is -1"),
            ({"top_k": torch.tensor(-(2**32))}, "TOP_K is -2147483648"),
            ({"top_k": 1.9}, "top_k has the dtype Float, but expected integers"),
            ({"top_k": True}, "top_k has the dtype Bool, but expected integers"),
            ({"offset": 1.9}, "offset has the dtype Float, but expected integers"),
            ({"seeds": [1.5, 2.5]}, "seeds has the dtype Float, but expected integers"),
            ({"mask": torch.full((4, 32), 2**32 + 1)}, "mask has the dtype Long, but expected int32"),
            ({"mask": torch.ones(32, 4, dtype=torch.int32)}, r"mask has the shape \[32, 4\]"),
            ({"seeds": torch.ones(2, 4, dtype=torch.int64)}, r"seeds has the shape \[2, 4\]"),
            ({"offset": -5, "seeds": [1, 2]}, "offset is -5, but expected at least 0"),
            ({"temperature": torch.ones(4, device="meta")}, "temperature is on meta, but expected the logits' device"),
        ):
            with self.subTest(message), self.assertRaisesRegex(RuntimeError, message):
                tt.sample_tokens(self.logits, **arguments)
        bad = self.logits.clone()
        bad[2, 7] = float("nan")
        with self.assertRaisesRegex(RuntimeError, "row 2, class 7: the logit is -?nan"):
            tt.sample_tokens(bad)
        for logits, message in ((torch.zeros(3).double(), "float32, float16 and bfloat16"), (torch.zeros(1, 1, 3), "1 or 2 dim")):
            with self.assertRaisesRegex(RuntimeError, message):
                tt.sample_tokens(logits)
        self.assertTrue(torch.equal(before, torch.get_rng_state()))


class Shuffle(unittest.TestCase):
    def test_forward(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.uint8, torch.bool):
            for shape in ((1, 12), (2, 12, 5), (2, 12, 3, 5), (1, 24, 2, 3, 4)):
                for groups in (1, 2, 3, 6, 12):
                    x = torch.randint(0, 2 if dtype == torch.bool else 100, shape).to(dtype)
                    with self.subTest(dtype=dtype, shape=shape, groups=groups):
                        self.assertTrue(torch.equal(tt.channel_shuffle(x, groups), shuffled(x, groups)))
        x = torch.rand(2, 12, 4, 4)
        self.assertTrue(torch.equal(tt.channel_shuffle(x, 3), torch.channel_shuffle(x, 3)))

    def test_layouts(self):
        x = torch.rand(2, 12, 4, 6)
        for name, view in {
            "channels_last": x.to(memory_format=torch.channels_last),
            "transposed": x.transpose(2, 3),
            "with gaps": x[:, :, :, ::2],
            "expanded": x[:1].expand(3, 12, 4, 6),
        }.items():
            with self.subTest(name):
                self.assertTrue(torch.equal(tt.channel_shuffle(view, 4), shuffled(view, 4)))
        y = tt.channel_shuffle(x.to(memory_format=torch.channels_last), 4)
        self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))

    def test_strides(self):
        """PyTorch's: contiguous, or channels_last if the input is."""
        x = torch.rand(2, 12, 4, 6)
        last = x.to(memory_format=torch.channels_last)
        for name, view in {
            "contiguous": x,
            "channels_last": last,
            "channels_last_3d": torch.rand(2, 12, 4, 6, 3).to(memory_format=torch.channels_last_3d),
            "permuted": x.permute(1, 0, 2, 3).contiguous().permute(1, 0, 2, 3),
            "transposed": x.transpose(2, 3),
            "transposed channels_last": last.transpose(2, 3),
            "with gaps": x[:, :, :, ::2],
            "channels_last with gaps": last[:, :, :, ::2],
            "expanded": x[:1].expand(3, 12, 4, 6),
            "three dimensions": torch.rand(12, 2, 5).transpose(0, 1),
            "one channel each": torch.rand(2, 12, 1, 1).to(memory_format=torch.channels_last),
        }.items():
            with self.subTest(name):
                theirs = torch.channel_shuffle(view, 4)
                self.assertEqual(tt.channel_shuffle(view, 4).stride(), theirs.stride())
                self.assertTrue(torch.equal(tt.channel_shuffle(view, 4), theirs))
                meta = torch.empty_strided(view.shape, view.stride(), device="meta")
                self.assertEqual(tt.channel_shuffle(meta, 4).stride(), theirs.stride())
                with FakeTensorMode() as mode:
                    self.assertEqual(tt.channel_shuffle(mode.from_tensor(view), 4).stride(), theirs.stride())
                leaf = view.detach().requires_grad_()
                mine = tt.channel_shuffle(leaf, 4)
                self.assertEqual(mine.stride(), theirs.stride())
                weights = torch.rand_like(mine)
                (gradient,) = torch.autograd.grad(mine, leaf, weights)
                self.assertTrue(torch.equal(gradient, torch.channel_shuffle(weights, 3)))

    def test_gradients(self):
        x = torch.rand(2, 12, 3, dtype=torch.float64, requires_grad=True)
        w = torch.rand(2, 12, 3, dtype=torch.float64)
        (mine,) = torch.autograd.grad((tt.channel_shuffle(x, 3) * w).sum(), x)
        (theirs,) = torch.autograd.grad((shuffled(x, 3) * w).sum(), x)
        self.assertTrue(torch.equal(mine, theirs))
        self.assertTrue(torch.autograd.gradcheck(lambda t: tt.channel_shuffle(t, 4), (x,)))
        self.assertTrue(torch.autograd.gradgradcheck(lambda t: tt.channel_shuffle(t, 4) ** 2, (x,)))
        empty = torch.rand(2, 0, 3, requires_grad=True)
        tt.channel_shuffle(empty, 3).sum().backward()
        self.assertEqual(empty.grad.shape, (2, 0, 3))

    def test_forward_gradient(self):
        tangent = torch.rand(2, 12, 3)
        with torch.autograd.forward_ad.dual_level():
            x = torch.autograd.forward_ad.make_dual(torch.rand(2, 12, 3), tangent)
            y = torch.autograd.forward_ad.unpack_dual(tt.channel_shuffle(x, 3))
            self.assertTrue(torch.equal(y.tangent, shuffled(tangent, 3)))

    def test_refused(self):
        with self.assertRaisesRegex(RuntimeError, "divisible by groups. Got 12 channels and 5 groups"):
            tt.channel_shuffle(torch.rand(1, 12, 2), 5)


class Dropout(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(71)

    def test_elements_are_dropped_or_scaled(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            for p in (0.0, 0.25, 0.5, 1.0):
                with self.subTest(dtype=dtype, p=p):
                    x = (torch.rand(3, 5, 4000) + 1).to(dtype)
                    y = tt.dropout(x, p)
                    self.assertEqual(y.dtype, dtype)
                    kept = y != 0
                    # 60,000 elements: 4 standard deviations are below 0.01.
                    self.assertLess(abs(kept.float().mean().item() - (1 - p)), 0.01)
                    if p < 1:
                        scaled = (x.float() * (1 / (1 - p))).to(dtype)
                        self.assertTrue(torch.equal(y, torch.where(kept, scaled, torch.zeros_like(y))))

    def test_the_generator_decides(self):
        x = torch.ones(1000)
        a, b = tt.dropout(x), tt.dropout(x)
        self.assertFalse(torch.equal(a, b))
        torch.manual_seed(71)
        self.assertTrue(torch.equal(a, tt.dropout(x)))
        own = [torch.Generator().manual_seed(3) for _ in range(2)]
        self.assertTrue(torch.equal(tt.dropout(x, generator=own[0]), tt.dropout(x, generator=own[1])))

    def test_memory_format_does_not_matter(self):
        x = torch.rand(2, 8, 5, 7)
        a = tt.dropout(x)
        torch.manual_seed(71)
        torch.rand(2, 8, 5, 7)
        b = tt.dropout(x.to(memory_format=torch.channels_last))
        self.assertTrue(b.is_contiguous(memory_format=torch.channels_last))
        self.assertTrue(torch.equal(a, b))
        self.assertEqual(tt.dropout(torch.ones(())).shape, ())
        self.assertEqual(tt.dropout(torch.ones(0, 3)).shape, (0, 3))
        self.assertEqual(tt.dropout(x[:, ::2]).shape, (2, 4, 5, 7))

    def test_gradient_keeps_the_seeds(self):
        x, seeds = torch.ones(60, requires_grad=True), torch.tensor([3, 4])
        y = torch.ops.tombola.seeded_dropout(x, 0.5, seeds)
        seeds.fill_(9)
        y.sum().backward()
        self.assertTrue(torch.equal(x.grad, y.detach()))
        with self.assertRaisesRegex(RuntimeError, "seeds are 0 and 0"):
            torch.ops.tombola.seeded_dropout(x, 0.5, torch.tensor([0, 0]))

    def test_gradients_draw_the_mask_again(self):
        x = torch.ones(5000, requires_grad=True)
        saved = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.numel()) or t, lambda t: t):
            y = tt.dropout(x, 0.3)
        self.assertFalse([numel for numel in saved if numel > 2])
        v = torch.ones(5000, requires_grad=True)
        (gradient,) = torch.autograd.grad(y, x, v, create_graph=True)
        self.assertTrue(torch.equal(gradient, y))
        (second,) = torch.autograd.grad(gradient, v, torch.ones(5000))
        self.assertTrue(torch.equal(second, y))
        with torch.no_grad():
            self.assertFalse(tt.dropout(x).requires_grad)

    def test_evaluation_and_refusals(self):
        x = torch.rand(10)
        self.assertTrue(torch.equal(tt.dropout(x, 0.5, False), x))
        for p in (-0.1, 1.1, float("nan")):
            with self.assertRaisesRegex(RuntimeError, "dropout probability has to be between 0 and 1"):
                tt.dropout(x, p)
        with self.assertRaisesRegex(RuntimeError, "dropout serves float32, float16 and bfloat16"):
            tt.dropout(x.double())

    def test_stochastic_rounding(self):
        for dtype, step in ((torch.bfloat16, 2**-7), (torch.float16, 2**-10)):
            x = torch.full((100, 1000), 1 + step / 4)
            y = tt.stochastic_round_(torch.empty(100, 1000, dtype=dtype), x)
            self.assertEqual(set(y.float().unique().tolist()), {1.0, 1 + step})
            # 4 standard deviations of 100,000 draws are 0.0055 steps.
            self.assertLess(abs((y.float().mean().item() - 1) / step - 0.25), 0.0055)
            t = tt.stochastic_round_(torch.empty(1000, 100, dtype=dtype).t(), x)
            self.assertEqual(t.shape, (100, 1000))
            exact = torch.randn(50).to(dtype)
            self.assertTrue(torch.equal(tt.stochastic_round_(torch.empty_like(exact), exact.float()), exact))
        with self.assertRaisesRegex(RuntimeError, "serves bfloat16 and float16"):
            tt.stochastic_round_(torch.empty(3), torch.rand(3))
        with self.assertRaisesRegex(RuntimeError, "source is float32"):
            tt.stochastic_round_(torch.empty(3).bfloat16(), torch.rand(3).double())
        with self.assertRaisesRegex(RuntimeError, "source has the shape"):
            tt.stochastic_round_(torch.empty(3).bfloat16(), torch.rand(4))
        with self.assertRaisesRegex(RuntimeError, "has no gradient"):
            tt.stochastic_round_(torch.empty(3).bfloat16(), torch.rand(3, requires_grad=True))


class Autograd(unittest.TestCase):
    """Filling in place, in a graph: the gradient of what is overwritten is zero."""

    FILLS = {
        "uniform_": (lambda t: tt.uniform_(t, -1, 1), lambda t: t.uniform_(-1, 1)),
        "random_": (lambda t: tt.random_(t, 0, 9), lambda t: t.random_(0, 9)),
        "exponential_": (lambda t: tt.exponential_(t, 2), lambda t: t.exponential_(2)),
        "bernoulli_": (lambda t: tt.bernoulli_(t, 0.5), lambda t: t.bernoulli_(0.5)),
        "bernoulli_ of probabilities": (
            lambda t: tt.bernoulli_(t, torch.full(t.shape, 0.25)),
            lambda t: t.bernoulli_(torch.full(t.shape, 0.25)),
        ),
    }
    if MKL:
        del FILLS["exponential_"], FILLS["bernoulli_"]

    def both(self, work):
        """work(fill) with tombola's fill and with PyTorch's, from one seed: the same tensors."""
        for name, fills in self.FILLS.items():
            with self.subTest(name):
                results = []
                for fill in fills:
                    torch.manual_seed(71)
                    results.append(work(fill))
                for mine, theirs in zip(*results):
                    self.assertTrue(torch.equal(mine, theirs))

    def test_tensor_of_a_graph(self):
        def work(fill):
            x = torch.ones(4, requires_grad=True)
            y = x * 3
            fill(y)
            (y * 5 + x).sum().backward()
            return y.detach(), x.grad

        self.both(work)

    def test_gradient_is_zero(self):
        x = torch.ones(4, requires_grad=True)
        y = x * 3
        tt.uniform_(y)
        self.assertNotIn("Mul", y.grad_fn.name())
        y.sum().backward()
        self.assertEqual(x.grad.tolist(), [0, 0, 0, 0])

    def test_view_of_a_graph(self):
        def work(fill):
            x = torch.ones(4, requires_grad=True)
            y = x * 3
            fill(y[1:3])
            (y * torch.arange(1.0, 5)).sum().backward()
            return y.detach(), x.grad

        self.both(work)

    def test_leaf(self):
        for make in (lambda x: x, lambda x: x[1:], lambda x: x.view(2, 2)):
            for mine, theirs in self.FILLS.values():
                x = torch.ones(4, requires_grad=True)
                with self.assertRaises(RuntimeError) as expected:
                    theirs(make(x))
                with self.assertRaises(RuntimeError) as got:
                    mine(make(x))
                self.assertEqual(str(got.exception), str(expected.exception))
                self.assertEqual(x.tolist(), [1, 1, 1, 1])
                with torch.no_grad():
                    mine(make(x))
                self.assertTrue(x.requires_grad and x.is_leaf)

    def test_saved_tensor_was_overwritten(self):
        x = torch.ones(4, requires_grad=True)
        y = x.exp()
        z = y * y
        tt.uniform_(y)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            z.sum().backward()

    def test_forward_gradient(self):
        def work(fill):
            with torch.autograd.forward_ad.dual_level():
                x = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3)) * 2
                fill(x)
                return (torch.autograd.forward_ad.unpack_dual(x).tangent,)

        self.both(work)

    def test_inference_mode(self):
        with torch.inference_mode():
            x = tt.uniform_(torch.zeros(3))
            y = torch.zeros(3, dtype=torch.bfloat16)
        state = torch.get_rng_state()
        for work in (lambda: tt.uniform_(x), lambda: tt.stochastic_round_(y, torch.rand(3, generator=torch.Generator()))):
            with self.assertRaisesRegex(RuntimeError, "inference tensor outside InferenceMode"):
                work()
        self.assertTrue(torch.equal(torch.get_rng_state(), state))
        self.assertEqual(y.tolist(), [0, 0, 0])

    def test_rounding_has_no_tangent(self):
        ad = torch.autograd.forward_ad
        with ad.dual_level():
            x = ad.make_dual(torch.ones(3, dtype=torch.bfloat16), torch.ones(3, dtype=torch.bfloat16)) * 2
            tt.stochastic_round_(x, torch.rand(3))
            self.assertEqual(ad.unpack_dual(x).tangent.tolist(), [0, 0, 0])
            with self.assertRaisesRegex(RuntimeError, "source has a tangent"):
                tt.stochastic_round_(torch.empty(3).bfloat16(), ad.make_dual(torch.rand(3), torch.ones(3)))

    def test_factories_have_no_gradient(self):
        x = torch.rand(2, 4, 3, requires_grad=True)
        for y in (tt.rand_like(x), tt.randint_like(x, 5), tt.multinomial(x[0], 2), torch.ops.tombola.uniform(x, 0, 1)):
            self.assertFalse(y.requires_grad)


class Traced(torch.nn.Module):
    def forward(self, x):
        return torch.ops.tombola.rand([50])


class Tracing(unittest.TestCase):
    """Tensors without data, and programs that are recorded."""

    CALLS = {
        "rand": lambda x: tt.rand(3, 4),
        "rand_like": lambda x: tt.rand_like(x),
        "uniform_": lambda x: tt.uniform_(x * 2, -1, 1),
        "randn": lambda x: tt.randn(3, 4),
        "randn_like": lambda x: tt.randn_like(x),
        "normal_": lambda x: tt.normal_(x * 2, -1, 3),
        "exponential_": lambda x: tt.exponential_(x * 2, 3),
        "bernoulli_": lambda x: tt.bernoulli_(x * 2, 0.3),
        "bernoulli_ of probabilities": lambda x: tt.bernoulli_(x * 2, x),
        "bernoulli": lambda x: tt.bernoulli(x),
        "random_": lambda x: tt.random_(x * 2, 0, 100),
        "randint": lambda x: tt.randint(5, (3, 4), dtype=torch.int32),
        "randint_like": lambda x: tt.randint_like(x, -5, 5),
        "randperm": lambda x: tt.randperm(24),
        "multinomial": lambda x: tt.multinomial(x.reshape(4, -1), 2),
        "multinomial of one row": lambda x: tt.multinomial(x.reshape(-1), 7, True),
        "sample_tokens": lambda x: tt.sample_tokens(x.reshape(4, -1), num_samples=2),
        "channel_shuffle": lambda x: tt.channel_shuffle(x, 3),
        "dropout": lambda x: tt.dropout(x, 0.3),
    }

    def setUp(self):
        torch.manual_seed(51)
        self.x = torch.rand(2, 6, 4, 2).to(memory_format=torch.channels_last)

    def test_vmap(self):
        """What draws is refused inside vmap, whose modes of randomness it does not know. The rest works."""
        if not hasattr(torch, "vmap"):  # PyTorch 1.13
            self.skipTest("torch.vmap is not there")
        drawing = {**self.CALLS, "stochastic_round_": lambda x: tt.stochastic_round_(x.bfloat16(), x)}
        del drawing["channel_shuffle"]
        for name, work in drawing.items():
            for randomness in ("error", "same", "different"):
                with self.subTest(name=name, randomness=randomness):
                    before = torch.get_rng_state()
                    with self.assertRaisesRegex(RuntimeError, "draws random numbers, which it does not do inside vmap"):
                        torch.vmap(work, randomness=randomness)(self.x)
                    self.assertTrue(torch.equal(before, torch.get_rng_state()))
        for work in (lambda x: tt.dropout(x, 0.5, False), lambda x: tt.channel_shuffle(x, 2)):
            expected = torch.stack([work(part) for part in self.x.contiguous()])
            self.assertTrue(torch.equal(torch.vmap(work)(self.x), expected))

    def test_fake_tensors(self):
        for name, call in self.CALLS.items():
            with self.subTest(name):
                real = call(self.x)
                state = torch.get_rng_state()
                mode = FakeTensorMode()
                with mode:
                    fake = call(mode.from_tensor(self.x))
                self.assertEqual((fake.shape, fake.dtype, fake.stride()), (real.shape, real.dtype, real.stride()))
                self.assertEqual(str(fake.device), "cpu")
                self.assertTrue(torch.equal(state, torch.get_rng_state()))

    def test_meta(self):
        self.assertTrue(tt.rand(3, device="meta").is_meta)
        self.assertTrue(tt.randint(5, (3,), device="meta").is_meta)
        self.assertTrue(tt.randperm(5, device="meta").is_meta)
        self.assertTrue(tt.randn(5, device="meta").is_meta)
        self.assertTrue(tt.sample_tokens(torch.empty(2, 9, device="meta"), temperature=0.8, top_k=3).is_meta)
        with torch.device("meta") if hasattr(torch, "func") else contextlib.nullcontext():
            self.assertFalse(tt.sample_tokens(torch.rand(2, 9, device="cpu"), temperature=0.8).is_meta)
        for name, call in self.CALLS.items():
            if "_like" in name or "bernoulli" in name or name in (
                "uniform_", "exponential_", "random_", "multinomial", "sample_tokens", "channel_shuffle"
            ):
                with self.subTest(name):
                    meta, real = call(self.x.to("meta")), call(self.x)
                    self.assertTrue(meta.is_meta)
                    self.assertEqual((meta.shape, meta.dtype, meta.stride()), (real.shape, real.dtype, real.stride()))
        with self.assertRaisesRegex(RuntimeError, "from=1 > to=0"):
            tt.uniform_(torch.zeros(2, device="meta"), 1, 0)
        with self.assertRaisesRegex(RuntimeError, "from=1 > to=0"):
            tt.uniform_(torch.zeros(2, dtype=torch.complex64, device="meta"), 1, 0)
        for wrong in (torch.empty(2, 3, device="meta"), torch.empty(3000, dtype=torch.float16, device="meta")):
            with self.assertRaises(RuntimeError):
                torch.ops.tombola.permutation_(wrong)
        self.assertTrue(torch.ops.tombola.permutation_(torch.empty(3000, device="meta")).is_meta)

    def test_make_fx(self):
        for name, call in self.CALLS.items():
            with self.subTest(name):
                traced = make_fx(call)(self.x)
                self.assertIn("tombola", traced.code)
                torch.manual_seed(61)
                mine = traced(self.x)
                torch.manual_seed(61)
                self.assertTrue(torch.equal(mine, call(self.x)))

    @unittest.skipUnless(hasattr(torch, "func"), "this PyTorch has no torch.func")
    def test_functionalize(self):
        def work(x):
            y = x * 2
            tt.uniform_(y[0])
            return y + tt.random_(x.clone(), 0, 7)

        traced = make_fx(torch.func.functionalize(work))(self.x)
        self.assertNotIn("uniform_", traced.code)
        torch.manual_seed(61)
        mine = traced(self.x)
        torch.manual_seed(61)
        self.assertTrue(torch.equal(mine, work(self.x)))

    @unittest.skipUnless(hasattr(torch, "func"), "this PyTorch has no torch.func")
    def test_equal_calls_are_not_merged(self):
        from torch._functorch.compile_utils import fx_graph_cse

        def work(x):
            return (
                tt.rand(4) - tt.rand(4),
                tt.randint(9, (4,)) - tt.randint(9, (4,)),
                tt.randperm(9) - tt.randperm(9),
                tt.dropout(x, 0.5) - tt.dropout(x, 0.5),
                torch.sin(x) - torch.sin(x),
            )

        graph = fx_graph_cse(make_fx(torch.func.functionalize(work))(self.x).graph)
        called = [str(node.target) for node in graph.nodes]
        for name, number in (("uniform", 2), ("random", 2), ("permutation", 2), ("draw_seeds", 2), ("sin", 1)):
            with self.subTest(name):
                self.assertEqual(sum(name in target.split(".") for target in called), number, called)

    def test_torchscript(self):
        """A recorded program draws at each run, and as often as it says: nothing becomes a constant, and no two calls one."""
        x = torch.linspace(0.1, 0.9, 50)
        for call in (
            "rand([50])",
            "randn([50])",
            "randint(1000, [50])",
            "randint(5, 1000, [50])",
            "randperm(50)",
            "rand_like(x)",
            "randn_like(x)",
            "randint_like(x, 1000)",
            "uniform(x)",
            "normal(x)",
            "exponential(x)",
            "random(x, 0, 1000)",
            "bernoulli(x)",
            "bernoulli(x, 0.5)",
            "bernoulli(x, x)",
            "multinomial(x, 50, True)",
            "sample_tokens(x, num_samples=50)[0]",
            "dropout(x)",
            "draw_seeds(x)",
            "stochastic_round(x.to(torch.bfloat16), x / 3)",
        ):
            called = f"torch.ops.tombola.{call}"
            program = torch.jit.CompilationUnit(f"def draws(x):\n    return torch.stack([{called}, {called}])\n")
            with self.subTest(call):
                tensors = []
                for _ in range(4):  # it is made faster after the first runs
                    tensors += list(program.draws(x))
                for i, tensor in enumerate(tensors):
                    for other in tensors[:i]:
                        self.assertFalse(torch.equal(tensor, other))
        traced = torch.jit.freeze(torch.jit.script(Traced().eval()))
        self.assertFalse(torch.equal(traced(x), traced(x)))

    @unittest.skipUnless(hasattr(torch, "export"), "this PyTorch has no torch.export")
    def test_saved_programs(self):
        """A program that was exported, reduced to basic operators, saved and loaded draws the same numbers."""
        for name, call in {
            **self.CALLS,
            "uniform without bounds": lambda x: torch.ops.tombola.uniform(x),
            "normal without moments": lambda x: torch.ops.tombola.normal(x),
        }.items():
            program = type("Program", (torch.nn.Module,), {"forward": lambda _, x, call=call: call(x) + 0})()
            for decomposed in (False, True):
                with self.subTest(name=name, decomposed=decomposed):
                    exported = torch.export.export(program, (self.x,))
                    if decomposed:
                        exported = exported.run_decompositions()
                    file = io.BytesIO()
                    torch.export.save(exported, file)
                    file.seek(0)
                    torch.manual_seed(61)
                    mine = torch.export.load(file).module()(self.x)
                    torch.manual_seed(61)
                    self.assertTrue(torch.equal(mine, program(self.x)))

    @unittest.skipUnless(hasattr(torch, "export"), "this PyTorch has no torch.export")
    def test_sizes_as_bounds(self):
        """A size that is not known while a program is recorded may be a bound of integers."""

        class Program(torch.nn.Module):
            def forward(self, x):
                n = x.shape[0]
                return tt.randint(n, (40,)), tt.randint(-n, n, (40,)), tt.random_(x.clone(), n), tt.randint_like(x, 1, n)

        sizes = {"x": {0: torch.export.Dim("n", min=2)}}
        exported = torch.export.export(Program(), (torch.zeros(8),), dynamic_shapes=sizes)
        for decomposed in (exported, exported.run_decompositions()):
            for n in (8, 5, 1000):
                torch.manual_seed(61)
                mine = decomposed.module()(torch.zeros(n))
                torch.manual_seed(61)
                for a, b in zip(mine, Program()(torch.zeros(n))):
                    self.assertTrue(torch.equal(a, b))

    def test_draws_are_tagged(self):
        schemas = [schema for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("tombola::")]
        self.assertGreater(len(schemas), 30)
        for schema in schemas:
            packet = schema.name[len("tombola::") :]
            tags = getattr(getattr(torch.ops.tombola, packet), schema.overload_name or "default").tags
            draws = packet not in ("channel_shuffle", "seeded_dropout")
            self.assertEqual(torch.Tag.nondeterministic_seeded in tags, draws, schema)

    @unittest.skipUnless(hasattr(torch.library, "opcheck"), "this PyTorch has no torch.library.opcheck")
    def test_opcheck(self):
        ops, x = torch.ops.tombola, self.x
        # The same tensor comes twice only if the operator draws nothing: rand's numbers cannot be compared.
        drawn = ("test_schema", "test_autograd_registration", "test_faketensor")
        for name, op, arguments, tests in (
            ("channel_shuffle", ops.channel_shuffle, (x.clone().requires_grad_(), 3), None),
            ("multinomial", ops.multinomial.default, (x.reshape(4, -1), 3, True), drawn),
            ("sample_tokens", ops.sample_tokens.default, (x.reshape(4, -1),), drawn),
            ("rand", ops.rand.default, ([2, 3],), drawn),
            ("randint", ops.randint.low, (1, 5, [2, 3]), drawn),
            ("randperm", ops.randperm.default, (7,), drawn),
            ("rand_like", ops.rand_like.default, (x.clone().requires_grad_(),), drawn),
            ("uniform", ops.uniform, (x.clone().requires_grad_(),), drawn),
            ("uniform_", ops.uniform_, (x.clone(), 2.0, 2.0), None),
            ("random_", ops.random_, (x.clone(), 2, 3), None),
            ("exponential", ops.exponential, (x.clone().requires_grad_(),), drawn),
            ("bernoulli_", ops.bernoulli_.default, (x.clone(), 1.0), None),
            ("bernoulli_ of probabilities", ops.bernoulli_.Tensor, (x.clone(), torch.ones_like(x)), drawn),
            ("bernoulli of probabilities", ops.bernoulli.Tensor, (x, x), drawn),
            ("randn", ops.randn.default, ([2, 30],), drawn),
            ("randn_like", ops.randn_like.default, (x.clone().requires_grad_(),), drawn),
            ("normal", ops.normal, (x.clone().requires_grad_(), 1.0, 2.0), drawn),
            ("normal_", ops.normal_, (x.clone(), 2.0, 0.0), None),
            ("randint of one bound", ops.randint.default, (5, [2, 3]), drawn),
            ("random", ops.random, (x.clone().requires_grad_(), 0, 9), drawn),
            ("permutation", ops.permutation, (torch.zeros(9, dtype=torch.int64),), drawn),
            ("permutation_", ops.permutation_, (torch.zeros(1, dtype=torch.int64),), None),
            ("exponential_", ops.exponential_, (x.clone(),), drawn),
            ("draw_seeds", ops.draw_seeds, (x,), drawn),
            ("seeded_dropout", ops.seeded_dropout, (x.clone().requires_grad_(), 0.3, torch.tensor([1, 2])), None),
            ("dropout", ops.dropout, (x.clone().requires_grad_(), 0.3), drawn),
            ("stochastic_round", ops.stochastic_round, (torch.zeros(3, dtype=torch.bfloat16), torch.ones(3)), None),
            ("stochastic_round_", ops.stochastic_round_, (torch.zeros(3, dtype=torch.bfloat16), torch.ones(3)), None),
        ):
            with self.subTest(name):
                if tests is None:
                    torch.library.opcheck(op, arguments)
                else:
                    torch.library.opcheck(op, arguments, test_utils=tests)

    @unittest.skipUnless(hasattr(torch._C, "_dispatch_get_all_op_names"), "this PyTorch does not list its operators")
    def test_every_operator_has_a_meta_kernel(self):
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        names = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("tombola::")]
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(name):
                # The composite ones are made of operators that have one.
                self.assertTrue(any(has(name, key) for key in ("Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd")))


if __name__ == "__main__":
    unittest.main()
