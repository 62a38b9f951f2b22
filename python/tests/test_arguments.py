# SPDX-License-Identifier: Apache-2.0
"""What no function takes: each argument that is wrong is named in a ValueError or TypeError, and nothing is written."""
import copy
import ctypes
import pickle
import re

import numpy as np
import pytest

import tombola

X = np.arange(24, dtype=np.float32).reshape(2, 12)
WEIGHTS = np.ones((2, 5))
LOGITS = np.zeros((2, 40), np.float32)


class Exporter:
    """Shows by DLPack what it is given."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_):
        return self.capsule() if callable(self.capsule) else self.capsule

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("wrong", ["yes", None, 2, 1.0, [], np.array([1, 2])])
def test_flags(wrong):
    calls = {
        "backward": lambda: tombola.shuffle(X, 3, backward=wrong),
        "packed": lambda: tombola.dropout(X, 0.5, packed=wrong),
        "replacement": lambda: tombola.multinomial(WEIGHTS, 2, replacement=wrong),
        "log_probs": lambda: tombola.multinomial(WEIGHTS, 2, log_probs=wrong),
        "full_range": lambda: tombola.uniform(2, "int32", alignment="pytorch", full_range=wrong),
        "kept": lambda: tombola.sample_tokens(LOGITS, kept=wrong),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"{name} is .*; expected True or False"):
            call()


def test_flags_of_numpy_and_integers():
    for true, false in ((np.True_, np.False_), (1, 0)):
        assert np.array_equal(tombola.shuffle(tombola.shuffle(X, 3, backward=false), 3, backward=true), X)


def test_draw_bits_are_not_cut_to_32_bits():
    for wrong in (2**32 + 8, 16 - 2**32, 9):
        with pytest.raises(ValueError, match=f"draw_bits is {wrong}; expected 32, 16 or 8"):
            tombola.dropout(X, 0.5, draw_bits=wrong, seed=1)


def test_arrays_without_dimensions_are_integers():
    expected = tombola.uniform(3, seed=5, offset=2)
    np.testing.assert_array_equal(tombola.uniform(np.array(3), seed=np.array(5), offset=np.array(2)), expected)
    assert tombola.permutation(10, np.array(4), seed=1).shape == (4,)
    with pytest.raises(TypeError, match="seed is an array of the dtype float64 and the shape .*; expected an integer"):
        tombola.uniform(3, seed=np.array(5.0))


def test_bytes_are_no_numbers():
    for wrong in (b"ab", bytearray(b"ab")):
        with pytest.raises(TypeError, match="seed is .*; expected None, an integer or two integers"):
            tombola.uniform(3, seed=wrong)
        with pytest.raises(TypeError, match="shape is .*; expected an integer or a sequence of integers"):
            tombola.uniform(wrong)
    for wrong in (b"ab", bytearray(b"ab"), "ab", 5.0, None, (1, 2.0), np.array([1.0, 2.0])):
        with pytest.raises(TypeError, match="key is .* words of 32 bits"):
            tombola.random_words(3, key=wrong)


class TwoElements:
    def __float__(self):
        raise ValueError("only one element tensors can be converted to Python scalars")


# The arguments that are numbers, each with a call that passes it.
NUMBERS = (
    ("low", lambda value: tombola.uniform(3, low=value)),
    ("mean", lambda value: tombola.normal(3, mean=value)),
    ("rate", lambda value: tombola.exponential(3, rate=value)),
    ("p", lambda value: tombola.dropout(np.ones(3, "f4"), value)),
)


def test_what_float_refuses_is_named():
    for wrong in (np.array("a"), TwoElements()):
        for name, call in NUMBERS:
            with pytest.raises(ValueError, match=f"^{name} is .*; expected a number$"):
                call(wrong)


def test_numbers_that_numpy_would_make_of_others():
    """float() of such an array is deprecated in NumPy, and float() of a complex number drops its imaginary part."""
    for wrong in (np.array([0.5]), np.array([[0.5]], np.float32), np.complex64(0.5 + 3j), np.clongdouble(0.5), np.array(0.5j)):
        for name, call in NUMBERS:
            with pytest.raises(TypeError, match=f"^{name} is .*; expected a number$"):
                call(wrong)
    with pytest.raises(TypeError, match="^p is .*; expected a number$"):
        tombola.bernoulli(np.complex64(0.5), 3)
    for number in (np.array(0.5), np.float16(0.5), np.longdouble(0.5)):
        expected = tombola.dropout(X, 0.5, seed=1)
        np.testing.assert_array_equal(tombola.dropout(X, number, seed=1), expected)


def test_refused_numbers_are_told_from_their_limits():
    """A message with six digits said that top_p is 1, and that 1 is no number from 0 to 1."""
    beyond = np.nextafter(np.float32(1), np.float32(2))
    for message, call in (
        ("top_p is 1.0000001; expected a number in [0, 1]", lambda: tombola.sample_tokens(LOGITS, top_p=beyond)),
        ("min_p is 1.0000001; expected a number in [0, 1]", lambda: tombola.sample_tokens(LOGITS, min_p=beyond)),
        ("temperature is 5.4210105e-20; expected 0, or", lambda: tombola.sample_tokens(LOGITS, temperature=np.nextafter(np.float32(2**-64), np.float32(0)))),
        ("sample 0: 1.0000000000000002; expected a number in [0, 1]", lambda: tombola.multinomial(WEIGHTS, 1, uniforms=np.full((2, 1), 1 + 2**-52))),
        ("low is 1.0000000000000002 and high is 1; expected low < high, each rounded to float64", lambda: tombola.uniform(3, "float64", low=1 + 2**-52)),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            call()


# Words of the C API that no user of Python has written.
LIBRARY = re.compile(r"_desc\b|\b(random_\w+|token_sampler|mt19937_\w+|torch_state|f16|f32|f64|bf16|s32|s64|u32|u64|s8)\b|\b(?!NaN|DLPack)[A-Z][A-Z_]*\b")


def test_what_the_library_refuses_is_told_in_the_words_of_python():
    row, last = np.ones(3), 2**64 - 1
    same = np.zeros(3)
    blob = np.zeros(5056, np.uint8)

    def state(**words):
        generator = tombola.Generator("pytorch", seed=1)
        changed = generator.state
        for index, word in words.items():
            changed[int(index[1:])] = word
        generator.state = changed

    for message, call in (
        ("low is -inf; expected a finite number", lambda: tombola.uniform(3, low=-np.inf)),
        ("low is 5 and high is 5; expected low < high", lambda: tombola.uniform(3, "int32", 5, 5)),
        ("high - low is infinite for low -65504 and high 65504; expected a finite range", lambda: tombola.uniform(3, "float16", -65504, 65504)),
        (f"offset is {last} for 3 elements; expected at most {last - 2}, so that offset + elements is at most 2^64", lambda: tombola.uniform(3, offset=last)),
        ("mean is nan; expected a finite number", lambda: tombola.normal(3, mean=np.nan)),
        ("std is -0.1; expected a finite number of at least 0", lambda: tombola.normal(3, std=-0.1)),
        ("rate is -1.1; expected a finite number above 0 with a finite reciprocal", lambda: tombola.exponential(3, rate=-1.1)),
        ("p is 1.1; expected a number in [0, 1]", lambda: tombola.bernoulli(1.1, 3)),
        ("p has 2 as element 1 in row-major order; expected numbers in [0, 1]", lambda: tombola.bernoulli(np.array([0.5, 2]))),
        ("out overlaps p in memory; expected a buffer of its own", lambda: tombola.bernoulli(same, out=same)),
        ("p is 1.1; expected 0 to 1", lambda: tombola.dropout(X, 1.1)),
        ("mask overlaps src in memory; expected a buffer of its own", lambda: tombola.dropout(blob[:24].view(np.float32), 0.5, mask=blob[:6])),
        ("seed is (0, 0), which draws a mask of its own; expected the seed of the forward call", lambda: tombola.dropout(X, 0.5, backward=True, seed=(0, 0))),
        ("out overlaps src in memory; expected a buffer of its own", lambda: tombola.shuffle(same, 3, 0, out=same)),
        ("weights has 0 classes; expected at least 1", lambda: tombola.multinomial(np.ones((2, 0)), 1)),
        ("weights: row 0: all 3 weights are 0; expected a class that can be drawn", lambda: tombola.multinomial(0 * row, 1)),
        ("weights: row 0, class 1: the weight is -1; expected 0 <= weight < inf", lambda: tombola.multinomial(np.array([1, -1.0]), 1)),
        ("samples is 4; expected at most 3, the number of classes, without replacement", lambda: tombola.multinomial(row, 4, replacement=False)),
        ("uniforms: row 0, sample 0: 1.1; expected a number in [0, 1]", lambda: tombola.multinomial(row, 1, uniforms=np.array([1.1]))),
        ("logits has 0 classes; expected at least 1", lambda: tombola.sample_tokens(np.ones((2, 0), np.float32))),
        ("logits: row 0, class 0: the logit is inf; expected a number or -inf", lambda: tombola.sample_tokens(np.full(3, np.inf, np.float32))),
        ("temperature is -1; expected 0, or a finite number from 2^-64 on", lambda: tombola.sample_tokens(LOGITS, temperature=-1)),
        ("top_k is -1; expected at least 0", lambda: tombola.sample_tokens(LOGITS, top_k=-1)),
        ("top_p: row 1: 1.1; expected a number in [0, 1]", lambda: tombola.sample_tokens(LOGITS, top_p=[1, 1.1])),
        ("min_p is -0.1; expected a number in [0, 1]", lambda: tombola.sample_tokens(LOGITS, min_p=-0.1)),
        ("mask: row 0: none of 40 classes is allowed; expected at least one", lambda: tombola.sample_tokens(LOGITS, mask=np.zeros(LOGITS.shape, bool))),
        ("n is 300000000; expected less than 214748364 under the pytorch alignment", lambda: tombola.permutation(300000000, 3, alignment="pytorch")),
        ("dtype is int32 and n is 2147483649; expected int64 for an n above 2^31", lambda: tombola.permutation(2**31 + 1, 3, "int32")),
        ("size is (2, 3); expected one dimension", lambda: tombola.permutation(6, (2, 3))),
        ("out has the shape (2, 3); expected one dimension", lambda: tombola.permutation(6, out=np.zeros((2, 3), np.int64))),
        ("state[624], the position, is 700; expected 0 to 624", lambda: state(_624=700)),
        ("state[625], whether a normal number is kept, is 2; expected 0 or 1", lambda: state(_625=2)),
        ("state has 7 bytes; expected 5056, as torch.get_rng_state() returns them", lambda: tombola.Generator.from_torch(blob[:7])),
        ("state is not seeded; expected 1 at byte 12", lambda: tombola.Generator.from_torch(blob)),
        ("state is not seeded; expected 1 at byte 12", lambda: tombola.Generator(seed=1).to_torch(blob)),
    ):
        with pytest.raises(ValueError) as raised:
            call()
        assert str(raised.value) == message
        assert not LIBRARY.search(message)


def test_what_rounding_makes_of_a_number_is_not_said_to_be_given():
    for dtype, number in (("float32", 1e39), ("bfloat16", 1e39), ("bfloat16", 3.4e38), ("float16", 65520), ("float32", -1e308)):
        for name, call in (
            ("low", lambda: tombola.uniform(3, dtype, low=number)),
            ("high", lambda: tombola.uniform(3, dtype, high=number)),
            ("mean", lambda: tombola.normal(3, dtype, mean=number)),
            ("std", lambda: tombola.normal(3, dtype, std=number)),
        ):
            with pytest.raises(ValueError, match="^" + re.escape(f"{name} is {number}; expected a number that {dtype} can hold") + "$"):
                call()
    for name, call in (("p", lambda: tombola.dropout(X, 1e39)), ("temperature", lambda: tombola.sample_tokens(LOGITS, temperature=1e39))):
        with pytest.raises(ValueError, match=rf"^{name} is 1e\+39; expected a number that float32 can hold$"):
            call()
    for dtype, low, high in (("float32", 0, 1e-50), ("float32", -1e-50, 1e-50), ("float16", 1, 1.0001), ("bfloat16", 1, 1.001)):
        with pytest.raises(ValueError, match=f"^low is {low} and high is {high}; expected low < high, each rounded to {dtype}$"):
            tombola.uniform(2, dtype, low, high)
    for dtype, greatest in (("float16", 65504), ("bfloat16", 3.38e38), ("float32", 3.4e38)):
        assert tombola.uniform(2, dtype, 0, greatest, seed=1).shape == (2,)
    with pytest.raises(ValueError, match="^high is inf; expected a finite number$"):
        tombola.uniform(2, "float16", 0, float("inf"))


def test_large_integers():
    """Their repr() raises, or is long."""
    for number in (10**5000, -(10**5000)):
        for name in ("seed", "offset"):
            with pytest.raises(ValueError, match=f"{name} is an object of the class int; expected an integer from 0"):
                tombola.uniform(3, **{name: number})
        with pytest.raises(ValueError, match="shape is an object of the class int"):
            tombola.uniform(number)
        with pytest.raises(ValueError, match="key is an object of the class int"):
            tombola.random_words(3, key=number)
    for call in (lambda: tombola.uniform(3, low=10**400), lambda: tombola.bernoulli(10**400, 3)):
        with pytest.raises(ValueError, match="is 1000.*; expected a number that float64 can hold"):
            call()
    for temperature in (10**400, [1, 10**400]):
        with pytest.raises(ValueError, match="temperature.*expected"):
            tombola.sample_tokens(LOGITS, temperature=temperature)


def test_messages_are_short():
    for call in (
        lambda: tombola.uniform(3, seed=list(range(10**5))),
        lambda: tombola.uniform(3, alignment="ä" * 10**5),
        lambda: tombola.uniform(3, "x" * 10**5),
        lambda: tombola.uniform((1,) * 1000),
        lambda: tombola.uniform(out=[1.0] * 10**5),
    ):
        with pytest.raises((TypeError, ValueError)) as raised:
            call()
        assert "...; expected" in str(raised.value) and len(str(raised.value)) < 400


class Unspeakable:
    def __repr__(self):
        raise KeyError("repr")


class Failing:
    def __index__(self):
        raise MemoryError("index")

    __float__ = __index__


def test_objects_that_raise():
    for name, call in {
        "out": lambda: tombola.uniform(out=Unspeakable()),
        "seed": lambda: tombola.uniform(3, seed=Unspeakable()),
        "dtype": lambda: tombola.uniform(3, Unspeakable()),
        "low": lambda: tombola.uniform(3, low=Unspeakable()),
        "key": lambda: tombola.random_words(3, key=Unspeakable()),
        "src": lambda: tombola.shuffle(Unspeakable(), 3),
    }.items():
        with pytest.raises((TypeError, ValueError), match=f"{name} is an object of the class Unspeakable; expected"):
            call()
    for arguments in (dict(seed=Failing()), dict(shape=Failing()), dict(low=Failing())):
        with pytest.raises(MemoryError):  # not for a wrong argument
            tombola.uniform(**{"shape": 3, **arguments})
    with pytest.raises(MemoryError):
        tombola.shuffle(Exporter(X.__dlpack__, (Failing(), 0)), 3)


def test_text_that_is_no_unicode():
    with pytest.raises(TypeError, match="dtype is '.ud800'; expected float32"):
        tombola.uniform(3, "\ud800")
    with pytest.raises(ValueError, match="alignment is '.ud800'; expected"):
        tombola.uniform(3, alignment="\ud800")


def test_shapes():
    for shape in ((0, 2**62), (2**62, 0), (2**28, 2**28)):
        with pytest.raises(ValueError, match=r"shape is \(.*; expected fewer than 2.56 bytes"):
            tombola.uniform(shape)
    for shape in ((1,) * 70, (0,) * 70):
        with pytest.raises(ValueError, match=r"shape is \(.*; expected no more dimensions than NumPy has"):
            tombola.uniform(shape)
    with pytest.raises(ValueError, match="^samples makes the shape .*; expected fewer than 2.56 bytes"):
        tombola.multinomial(WEIGHTS, 2**60)
    with pytest.raises(ValueError, match="^samples makes the shape .*; expected fewer than 2.56 bytes"):
        tombola.sample_tokens(LOGITS, 2**60)
    with pytest.raises(ValueError, match="^samples makes the shape .*; expected fewer than 2.56 bytes"):
        tombola.Generator(seed=1).multinomial(WEIGHTS, 2**60)
    with pytest.raises(ValueError, match="^top_n is 1152921504606846976; expected 0 to 40, the number of classes"):
        tombola.sample_tokens(LOGITS, top_n=2**60)
    for beyond in (2**63, 2**70, -(2**70)):
        for message, call in (
            ("n is {}; expected a number from 0 to 2^63 - 1", lambda: tombola.permutation(beyond)),
            ("samples is {}; expected a number from 0 to 2^63 - 1", lambda: tombola.multinomial(WEIGHTS, beyond)),
            ("samples is {}; expected a number from 0 to 2^63 - 1", lambda: tombola.sample_tokens(LOGITS, beyond)),
            ("top_n is {}; expected 0 to 40, the number of classes", lambda: tombola.sample_tokens(LOGITS, top_n=beyond)),
            ("group_size is {}; expected a number from 1 to 2^63 - 1", lambda: tombola.shuffle(np.zeros(4), beyond, 0)),
            ("axis is {}; expected a number from -1 to 0", lambda: tombola.shuffle(np.zeros(4), 2, beyond)),
            ("draw_bits is {}; expected 32, 16 or 8", lambda: tombola.dropout(np.zeros(4, "f4"), 0.5, draw_bits=beyond)),
        ):
            with pytest.raises(ValueError, match="^" + re.escape(message.format(beyond)) + "$"):
                call()
    with pytest.raises(ValueError, match="^size is -1; expected"):
        tombola.permutation(10, -1)
    with pytest.raises(ValueError, match=r"^n is -1; expected a number from 0 to 2\^63 - 1"):
        tombola.permutation(-1)
    with pytest.raises(ValueError, match="^src has no dimensions; expected at least 1"):
        tombola.shuffle(np.zeros(()), 1, 0)


def test_what_has_no_descriptor_is_named():
    broadcast, deep = np.broadcast_to(np.float32(1), (3,)), np.zeros((1,) * 13, np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(8, dtype=np.float32), 4)
    for wrong, reason in ((broadcast, "address"), (windows, "address"), (deep, "13 dimensions; expected at most 12$")):
        for name, call in {
            "src": lambda: tombola.dropout(wrong, 0.5, seed=1),
            "p": lambda: tombola.bernoulli(wrong, seed=1),
        }.items():
            with pytest.raises(ValueError, match=f"^{name} has .*{reason}"):
                call()
        with pytest.raises(ValueError, match=f"^src has .*{reason}"):
            tombola.shuffle(wrong, 1, 0)
        with pytest.raises(ValueError, match=f"^src has .*{reason}"):
            tombola.stochastic_round(wrong, seed=1)
    with pytest.raises(ValueError, match="^weights has .*address"):
        tombola.multinomial(np.broadcast_to(np.ones(3), (2, 3)), 2, seed=1)
    with pytest.raises(ValueError, match="^logits has .*address"):
        tombola.sample_tokens(np.broadcast_to(np.zeros(3, np.float32), (2, 3)), seed=1)
    odd = np.zeros(13, np.uint8)[1:].view(np.float32)
    with pytest.raises(ValueError, match="^src lies at an address that is no multiple of 4 bytes; expected an aligned"):
        tombola.dropout(odd, 0.5, seed=1)


def test_strides_that_are_refused_come_with_advice_that_helps():
    reversed_, shared = np.ones((2, 12), np.float32)[:, ::-1], np.broadcast_to(np.float32(1), (2, 12))
    base = np.zeros(24, np.float32)
    written = {(12, -1): np.lib.stride_tricks.as_strided(base[11:], (2, 12), (48, -4)), (0, 1): np.lib.stride_tricks.as_strided(base, (2, 12), (0, 4))}
    reasons = (
        (reversed_, written[12, -1], "has a negative stride along axis 1; expected an array with positive strides"),
        (shared, written[0, 1], "has the strides ({}, {}) in bytes, by which elements may share an address; expected an array whose elements lie apart"),
    )
    for src, out, reason in reasons:
        for name, call in (("src", lambda x: tombola.shuffle(x, 3)), ("p", lambda x: tombola.bernoulli(x, seed=1)), ("src", lambda x: tombola.dropout(x, 0.5, seed=1))):
            message = f"{name} {reason.format(*src.strides)}: numpy.ascontiguousarray({name}) makes such a copy"
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                call(src)
            call(np.ascontiguousarray(src))
        for call in (lambda: tombola.shuffle(X, 3, out=out), lambda: tombola.normal(out=out, seed=1), lambda: tombola.dropout(X, 0.5, out=out, seed=1)):
            with pytest.raises(ValueError, match=f"^{re.escape('out ' + reason.format(*out.strides))}$"):
                call()
    assert not base.any()
    for call, name in ((lambda: tombola.uniform(out=np.zeros((2,) * 14, "f4")[..., 0]), "out"), (lambda: tombola.shuffle(np.ones((1,) * 13), 1), "src")):
        with pytest.raises(ValueError, match=f"^{name} has 13 dimensions; expected at most 12$"):
            call()


DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 g c8 c16 O U3 S3 M8[s] m8[s] a:f4 >f4 >i4 >f8 >u2 V2".split()


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_for_every_argument(dtype):
    """Taken, or refused by a message that names the argument, with nothing written."""
    dtype = np.dtype([("a", "f4")]) if dtype == "a:f4" else np.dtype(dtype)
    array = np.zeros((2, 40), dtype)
    row = array.reshape(-1)
    floats = np.zeros((2, 40), np.float32)
    calls = {
        "p": lambda: tombola.bernoulli(array, seed=1),
        "weights": lambda: tombola.multinomial(array, 2, seed=1),
        "logits": lambda: tombola.sample_tokens(array, seed=1),
        "src": lambda: (tombola.dropout(array, 0.5, seed=1), tombola.stochastic_round(array, seed=1)),
        "src ": lambda: tombola.shuffle(array, 4),
        "out": lambda: tombola.uniform(out=array, high=9, seed=1),
        "out ": lambda: tombola.random_words(out=array),
        "out  ": lambda: tombola.bernoulli(0.5, out=array, seed=1),
        "out   ": lambda: tombola.permutation(80, out=row, seed=1),
        "out    ": lambda: tombola.multinomial(np.ones((2, 3)), 40, out=array, seed=1),
        "out     ": lambda: tombola.stochastic_round(floats, out=array, seed=1),
        "out      ": lambda: tombola.shuffle(floats, 4, out=array),
        "mask": lambda: tombola.dropout(floats, 0.5, mask=array, seed=1),
        "mask ": lambda: tombola.sample_tokens(LOGITS, mask=np.ones((2, 2), dtype), seed=1),
        "uniforms": lambda: tombola.multinomial(np.ones((2, 3)), 40, uniforms=array),
        "uniforms ": lambda: tombola.sample_tokens(LOGITS, 40, uniforms=array),
        "state": lambda: tombola.Generator.from_torch(array),
    }
    before = array.tobytes() if dtype.kind != "O" else None
    for name, call in calls.items():
        try:
            call()
        except (TypeError, ValueError) as error:
            assert re.search(rf"\b{name.strip()}\b", str(error)), (name, error)
            assert not LIBRARY.search(str(error)), (name, error)
            assert before is None or array.tobytes() == before, name
        else:
            array.fill(array.dtype.type(0)) if dtype.kind in "biufc" else None


FLOATS = "float32, float64, float16 or bfloat16"
# The dtypes that each argument may have, as its message lists them, and a call with a dtype in its place.
ACCEPTED = [
    ("out", "float32, float64, float16, bfloat16, int32 or int64", lambda t: tombola.uniform(out=np.zeros((2, 40), t), high=9, seed=1)),
    ("dtype", "float32, float64, float16, bfloat16, int32 or int64", lambda t: tombola.uniform(3, t, high=9, seed=1)),
    ("out", FLOATS, lambda t: tombola.normal(out=np.zeros(40, t), seed=1)),
    ("dtype", FLOATS, lambda t: tombola.normal(3, t, alignment="pytorch", seed=1)),
    ("out", FLOATS, lambda t: tombola.exponential(out=np.zeros(40, t), seed=1)),
    ("dtype", FLOATS, lambda t: tombola.exponential(3, t, seed=1)),
    ("out", "uint8, int32, int64, float16, bfloat16, float32 or float64", lambda t: tombola.bernoulli(0.5, out=np.zeros(40, t), seed=1)),
    ("dtype", "uint8, int32, int64, float16, bfloat16, float32 or float64", lambda t: tombola.bernoulli(0.5, 3, t, seed=1)),
    ("p", "float32 or float64", lambda t: tombola.bernoulli(np.zeros(40, t), seed=1)),
    ("out", "uint32", lambda t: tombola.random_words(out=np.zeros(40, t))),
    ("weights", FLOATS, lambda t: tombola.multinomial(np.ones((2, 5), t), 2, seed=1)),
    ("out", "int64 or int32", lambda t: tombola.multinomial(WEIGHTS, 2, out=np.zeros((2, 2), t), seed=1)),
    ("dtype", "int64 or int32", lambda t: tombola.multinomial(WEIGHTS, 2, dtype=t, seed=1)),
    ("uniforms", "float64", lambda t: tombola.multinomial(WEIGHTS, 2, uniforms=np.zeros((2, 2), t))),
    ("logits", "float32, float16 or bfloat16", lambda t: tombola.sample_tokens(np.ones((2, 40), t), seed=1)),
    ("out", "int64 or int32", lambda t: tombola.sample_tokens(LOGITS, out=np.zeros(2, t), seed=1)),
    ("dtype", "int64 or int32", lambda t: tombola.sample_tokens(LOGITS, dtype=t, seed=1)),
    ("uniforms", "float64", lambda t: tombola.sample_tokens(LOGITS, uniforms=np.zeros(2, t))),
    ("mask", "bool, int32 or uint32", lambda t: tombola.sample_tokens(LOGITS, mask=np.ones((2, 40 if t == np.bool_ else 2), t), seed=1)),
    ("out", "int64 or int32", lambda t: tombola.permutation(40, out=np.zeros(40, t), seed=1)),
    ("dtype", "int64 or int32", lambda t: tombola.permutation(40, dtype=t, seed=1)),
    ("src", "float32, float16 or bfloat16", lambda t: tombola.dropout(np.zeros(40, t), 0.5, seed=1)),
    ("out", "float32", lambda t: tombola.dropout(np.zeros(40, "f4"), 0.5, out=np.zeros(40, t), seed=1)),
    ("src", "float32", lambda t: tombola.stochastic_round(np.zeros(40, t), seed=1)),
    ("out", "bfloat16 or float16", lambda t: tombola.stochastic_round(np.zeros(40, "f4"), out=np.zeros(40, t), seed=1)),
    ("dtype", "bfloat16 or float16", lambda t: tombola.stochastic_round(np.zeros(40, "f4"), t, seed=1)),
    ("state", "uint32", lambda t: setattr(tombola.Generator("pytorch", seed=1), "state", np.zeros(628, t))),
]  # fmt: skip


@pytest.mark.parametrize("name, accepted, call", ACCEPTED)
def test_a_refused_dtype_is_a_type_error_that_lists_the_others(name, accepted, call):
    for dtype in map(np.dtype, "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 O U3 M8[s] >f4 >i4 >f8".split()):
        verb = "is" if name == "dtype" else "has the dtype"
        if dtype.name in re.findall(r"\w+", accepted) and dtype.isnative:
            try:
                call(dtype)
            except ValueError as error:
                assert name == "state", error  # zeros are none
            continue
        order = "" if dtype.isnative or name == "state" else ", whose byte order is not the machine's"
        with pytest.raises(TypeError, match="^" + re.escape(f"{name} {verb} {dtype}{order}; expected {accepted}") + "$"):
            call(dtype)


def test_what_refuses_a_dtype_of_another_kind():
    for mask in (np.zeros((2, 12), np.float32), np.zeros((2, 12), object), np.zeros((2, 12), ">u2")):
        with pytest.raises(TypeError, match=f"^mask has the dtype {mask.dtype}; expected uint8 or bool$"):
            tombola.dropout(X, 0.5, mask=mask, seed=1)
    for src in (np.zeros((2, 12), object), np.zeros((2, 12), np.complex128)):
        with pytest.raises(TypeError, match=f"^src has the dtype {src.dtype}; expected booleans, numbers or times of 1, 2, 4 or 8"):
            tombola.shuffle(src, 3)
    for array in (np.zeros(40, np.complex64), np.zeros(40, np.int16), np.zeros(40, np.uint8)):
        with pytest.raises(TypeError, match=f"^out has the dtype {array.dtype}; expected {FLOATS}$"):
            tombola.normal(out=Exporter(array.__dlpack__), seed=1)
    with pytest.raises(TypeError, match="^p has the dtype bfloat16; expected float32 or float64$"):
        tombola.bernoulli(tombola.BFloat16Array(np.zeros(3, np.uint16)), seed=1)
    with pytest.raises(TypeError, match="^the dtype is float32; expected int32 or int64 with full_range$"):
        tombola.uniform(3, full_range=True, alignment="pytorch")
    with pytest.raises(ValueError, match=r"^mask has the shape \(\); expected the logits' shape, \(2, 40\)$"):
        tombola.sample_tokens(LOGITS, mask=np.array(True), seed=1)


BUFFER = np.zeros(4096, np.uint8)


def part(begin, count, dtype):
    return BUFFER[begin : begin + count * np.dtype(dtype).itemsize].view(dtype)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tombola.bernoulli(part(0, 100, "f4"), out=part(0, 100, "f4"), seed=1),
        lambda: tombola.bernoulli(part(0, 100, "f4"), out=part(399, 100, "u1"), seed=1),
        lambda: tombola.dropout(part(0, 100, "f4"), 0.5, out=part(4, 100, "f4"), seed=1),
        lambda: tombola.dropout(part(0, 100, "f4"), 0.5, out=part(1024, 100, "f4"), mask=part(1400, 100, "u1"), seed=1),
        lambda: tombola.dropout(part(0, 100, "f4"), 0.5, mask=part(300, 100, "u1"), seed=1),
        lambda: tombola.dropout(part(0, 100, "f4"), 0.5, mask=part(399, 13, "u1"), packed=True, seed=1),
        lambda: tombola.stochastic_round(part(0, 100, "f4"), "float16", out=part(0, 100, "f2"), seed=1),
        lambda: tombola.multinomial(part(0, 100, "f4"), 10, out=part(392, 10, "i8"), seed=1),
        lambda: tombola.multinomial(np.ones(5), 10, uniforms=part(0, 10, "f8"), out=part(0, 10, "i8")),
        lambda: tombola.sample_tokens(part(0, 100, "f4"), 2, out=part(392, 2, "i8"), seed=1),
        lambda: tombola.sample_tokens(LOGITS, temperature=part(0, 2, "f4"), out=part(0, 2, "i4"), seed=1),
        lambda: tombola.sample_tokens(LOGITS, mask=part(0, 4, "i4").reshape(2, 2), out=part(0, 2, "i4"), seed=1),
        lambda: tombola.sample_tokens(LOGITS, seed=part(0, 4, "u8").reshape(2, 2), out=part(0, 2, "i4")),
        lambda: tombola.shuffle(part(0, 24, "f4").reshape(2, 12), 3, out=part(4, 24, "f4").reshape(2, 12)),
    ],
)
def test_overlaps(call):
    part(0, 1024, "f4")[:] = 0.5
    before = BUFFER.copy()
    with pytest.raises(ValueError, match="overlaps .* in memory; expected a buffer of its own"):
        call()
    np.testing.assert_array_equal(BUFFER, before)


def test_orders_of_bytes_and_units_are_part_of_a_dtype():
    big = X.astype(">f4")
    np.testing.assert_array_equal(tombola.shuffle(big, 3), tombola.shuffle(X, 3))
    times = np.arange(24).reshape(2, 12).astype("M8[s]")
    for src, out in ((big, np.zeros_like(X)), (X, np.zeros_like(big)), (times, np.zeros((2, 12), "M8[ms]"))):
        with pytest.raises(TypeError, match="out has another dtype than src: out is .*; expected the same"):
            tombola.shuffle(src, 3, out=out)
        assert out.tobytes() == bytes(out.nbytes)
    out = np.zeros((2, 12), np.float32)
    with pytest.raises(TypeError, match="out has another dtype than src"):
        tombola.shuffle(big, 3, out=Exporter(out.__dlpack__, out.__dlpack_device__()))
    with pytest.raises(TypeError, match="mask has the dtype >i4, whose byte order is not the machine's; expected bool, int32"):
        tombola.sample_tokens(LOGITS, mask=np.ones((2, 2), ">i4"), seed=1)


# -- bfloat16 ----------------------------------------------------------------------------------------------------


def test_bits_of_bfloat16():
    for wrong in ([1, 2], None, 3, np.zeros(3, np.int16), np.zeros(3, np.float32), np.zeros(3, ">u2")):
        with pytest.raises(TypeError, match="bits is .*; expected a NumPy array of uint16"):
            tombola.BFloat16Array(wrong)
        replaced = tombola.BFloat16Array(np.zeros(3, np.uint16))
        replaced.bits = wrong
        with pytest.raises(TypeError, match="src.bits is .*; expected a NumPy array of uint16"):
            tombola.dropout(replaced, 0.5, seed=1)
    records = np.zeros(4, np.dtype([("a", np.uint8), ("b", np.uint16)]))
    for view in (records["b"], records["b"][1:]):
        brain = tombola.BFloat16Array(view)
        with pytest.raises(ValueError, match="^src "):
            tombola.dropout(brain, 0.5, seed=1)
        with pytest.raises(ValueError, match="^out "):
            tombola.uniform(out=brain, seed=1)
        with pytest.raises(BufferError, match="stride of"):
            brain.__dlpack__()
    assert not records["b"].any()


def test_read_only_bits_are_not_written():
    bits = np.frombuffer(bytes(6), np.uint16)
    brain = tombola.BFloat16Array(bits)
    with pytest.raises(ValueError, match="out is read-only"):
        tombola.uniform(out=brain, seed=1)
    with pytest.raises(BufferError, match="read-only"):
        brain.__dlpack__()
    assert not bits.any()
    assert tombola.dropout(brain, 0.5, seed=1).shape == (3,)


def test_one_bfloat16():
    one = tombola.uniform((), "bfloat16", seed=(150, 10))
    assert one.shape == () and np.asarray(one).shape == () and repr(one).startswith("BFloat16Array(0.")
    assert np.asarray(one) == np.asarray(tombola.uniform(1, "bfloat16", seed=(150, 10)))[0]


def test_export_of_bfloat16():
    brain = tombola.BFloat16Array(np.zeros(3, np.uint16))
    with pytest.raises(BufferError, match=r"dl_device is \(2, 0\)"):
        brain.__dlpack__(dl_device=(2, 0))
    tombola.normal(out=Exporter(lambda: brain.__dlpack__(copy=True)), seed=1)
    assert not brain.bits.any()
    tombola.normal(out=Exporter(lambda: brain.__dlpack__(copy=False, dl_device=(1, 0), max_version=(1, 0))), seed=1)
    assert brain.bits.all()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(brain)).bits, brain.bits)
    np.testing.assert_array_equal(copy.deepcopy(brain).bits, brain.bits)


# -- DLPack ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", [None, (), ("a", 0), 1, (2**70, 0)])
def test_devices_that_are_none(device):
    with pytest.raises(TypeError, match=r"src.__dlpack_device__\(\) returned .*; expected two integers"):
        tombola.shuffle(Exporter(X.__dlpack__, device), 3)


def test_capsules_that_are_none():
    used = X.__dlpack__()
    assert tombola.shuffle(Exporter(used), 3).shape == X.shape
    for capsule in (None, "x", used):
        with pytest.raises(TypeError, match=r"src.__dlpack__\(\) returned .*; expected a capsule of the name dltensor"):
            tombola.shuffle(Exporter(capsule), 3)


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "int32", "float64", "complex64"])
def test_every_dtype_is_shuffled_by_dlpack(dtype):
    x = np.arange(24).reshape(2, 12).astype(dtype)
    y = tombola.shuffle(Exporter(x.__dlpack__), 3)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, tombola.shuffle(x, 3))
    turned = tombola.shuffle(Exporter(x.T.__dlpack__), 3, 0)
    assert turned.strides == x.T.strides
    np.testing.assert_array_equal(turned, y.T)


def changed(array, offset, kind, value):
    """A capsule of the array, with another value in a field of DLPack's structure."""
    capsule = array.__dlpack__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    kind.from_address(pointer_of(capsule, b"dltensor") + offset).value = value
    return capsule


@pytest.mark.parametrize(
    "offset, kind, value, error, message",
    [
        (8, ctypes.c_int32, 2, TypeError, r"src is on a device of DLPack's kind 2; its __dlpack_device__\(\) says 1"),
        (16, ctypes.c_int32, -1, ValueError, "src has the shape"),
        (24, ctypes.c_void_p, None, ValueError, "src has 2 dimensions and no shape; expected one"),
        (0, ctypes.c_void_p, None, ValueError, "src has elements at a null address"),
    ],
)
def test_tensors_that_are_none(offset, kind, value, error, message):
    with pytest.raises(error, match=message):
        tombola.shuffle(Exporter(lambda: changed(X, offset, kind, value)), 3)


def called(array, code, bits):
    """A capsule of the array, whose elements have another type by DLPack."""
    return changed(array, 20, ctypes.c_uint16, code | bits << 8)  # behind the address, the device and ndim


def test_types_of_dlpack_that_numpy_does_not_have():
    x = np.zeros((2, 12), np.uint8)
    for code in (3, 10):  # a handle, a float8
        for out in (None, Exporter(lambda: called(np.ones_like(x), code, 8))):
            with pytest.raises(TypeError, match=f"src has the dtype of 8 bits of DLPack's type {code}; expected booleans"):
                tombola.shuffle(Exporter(lambda: called(x, code, 8)), 3, out=out)
    x = np.arange(24, dtype=np.uint32).reshape(2, 12)
    with pytest.raises(TypeError, match="src has elements of the kind c4, which NumPy does not have; expected out with"):
        tombola.shuffle(Exporter(lambda: called(x, 5, 32)), 3)
    out = np.zeros_like(x)
    tombola.shuffle(Exporter(lambda: called(x, 5, 32)), 3, out=Exporter(lambda: called(out, 5, 32)))
    np.testing.assert_array_equal(out, tombola.shuffle(x, 3))


def test_bfloat16_is_shuffled_from_and_to_every_kind_of_tensor():
    bits = np.arange(24, dtype=np.uint16).reshape(2, 12)
    brain, expected = tombola.BFloat16Array(bits), tombola.shuffle(bits, 3)
    for src in (brain, Exporter(brain.__dlpack__)):
        result = tombola.shuffle(src, 3)
        assert isinstance(result, tombola.BFloat16Array)
        np.testing.assert_array_equal(result.bits, expected)
        out = tombola.BFloat16Array(np.zeros_like(bits))
        assert tombola.shuffle(src, 3, out=out) is out
        np.testing.assert_array_equal(out.bits, expected)
        out = np.zeros_like(bits)
        tombola.shuffle(src, 3, out=Exporter(tombola.BFloat16Array(out).__dlpack__))
        np.testing.assert_array_equal(out, expected)
        with pytest.raises(TypeError, match="out has another dtype than src"):
            tombola.shuffle(src, 3, out=np.zeros((2, 12), np.float16))


# -- classes derived from arrays ---------------------------------------------------------------------------------


class Derived(np.ndarray):
    pass


def test_derived_classes_are_arrays():
    masked = np.ma.array(X, mask=X % 2 == 0)
    for src in (X.view(Derived), masked, X.view(np.recarray)):
        for result in (tombola.shuffle(src, 3), tombola.dropout(src, 0.0, seed=1)):
            assert type(result) is np.ndarray
        np.testing.assert_array_equal(tombola.shuffle(src, 3), tombola.shuffle(X, 3))
    turned = np.asfortranarray(X).view(Derived)
    assert tombola.shuffle(turned, 3).strides == turned.strides


# -- numbers for rows --------------------------------------------------------------------------------------------


def test_what_is_no_number_for_a_row():
    text, complexes, times = np.array(["1", "2"]), np.array([1j, 1]), np.array([1, 2], "M8[s]")
    for wrong in (["1", "2"], [None, 1], None, "1", b"1", text, complexes, times, [[1], 2]):
        for name in ("temperature", "top_p", "top_k", "offset"):
            with pytest.raises(TypeError, match=f"^{name}.*expected"):
                tombola.sample_tokens(LOGITS, seed=1, **{name: wrong})
    for wrong in ([1e300, 1], np.array([1e300, 1])):
        with pytest.raises(ValueError, match=re.escape("temperature[0] is 1e+300; expected a number that float32 can hold")):
            tombola.sample_tokens(LOGITS, seed=1, temperature=wrong)
    for seed in ([[1, 2], [3]], [[1, 2], "ab"], [[1.5, 2], [1, 2]]):
        with pytest.raises((TypeError, ValueError), match="^seed"):
            tombola.sample_tokens(LOGITS, seed=seed)


def test_probabilities_of_every_type_of_number():
    expected = tombola.bernoulli(0.25, 50, seed=3)
    for p in (np.float16(0.25), np.float32(0.25), np.float64(0.25), np.longdouble(0.25)):
        np.testing.assert_array_equal(tombola.bernoulli(p, 50, seed=3), expected)
    for p in (1j, np.datetime64(1, "s"), None, "0.5", []):
        with pytest.raises(TypeError, match="^p is .*; expected"):
            tombola.bernoulli(p, 50)
    with pytest.raises(TypeError, match="^low is an array .*; expected 0 with full_range"):
        tombola.uniform(3, "int32", np.zeros(2), full_range=True, alignment="pytorch")


# -- states ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alignment", ["pytorch", "tensorflow"])
def test_refused_multinomials_draw_nothing(alignment):
    g = tombola.Generator(alignment, seed=1)
    before = g.state
    for weights, samples in (([1.0], 3), (np.array([1.0, -1]), 3), (np.ones(3), -1), (np.ones(3), "3"), (None, 3)):
        with pytest.raises((TypeError, ValueError)):
            g.multinomial(weights, samples)
        np.testing.assert_array_equal(g.state, before)
    g.multinomial(np.ones(3), 2)
    assert not np.array_equal(g.state, before)


KEY = np.random.MT19937(1).state["state"]["key"]


@pytest.mark.parametrize(
    "state, error, message",
    [
        (None, TypeError, "state is None; expected a dictionary"),
        ({}, ValueError, "state is {}; expected a dictionary"),
        ({"bit_generator": "MT19937"}, ValueError, "expected a dictionary"),
        ({"bit_generator": "MT19937", "state": {"key": KEY}}, ValueError, "expected a dictionary"),
        ({"bit_generator": "MT19937", "state": {"key": 1, "pos": 0}}, TypeError, "key is 1; expected 624 words"),
        ({"bit_generator": "MT19937", "state": {"key": [1], "pos": 0}}, ValueError, "key is .*; expected 624 words"),
        ({"bit_generator": "MT19937", "state": {"key": KEY + 0.5, "pos": 0}}, TypeError, "key is .*; expected 624 words"),
        ({"bit_generator": "MT19937", "state": {"key": [-1] * 624, "pos": 0}}, ValueError, "key is .*; expected 624"),
        ({"bit_generator": "MT19937", "state": {"key": [2**32] * 624, "pos": 0}}, ValueError, "key is .*; expected 624"),
        ({"bit_generator": "MT19937", "state": {"key": KEY, "pos": -1}}, ValueError, "pos is -1; expected .* 0 to 624"),
        ({"bit_generator": "MT19937", "state": {"key": KEY, "pos": 2**32 + 5}}, ValueError, "pos is 4294967301"),
        ({"bit_generator": "MT19937", "state": {"key": KEY, "pos": 1.5}}, TypeError, "pos is 1.5; expected an integer"),
        ({"bit_generator": "Philox4x32", "state": {"counter": 0, "key": 0}}, ValueError, "expected a dictionary"),
        ({"bit_generator": "Philox4x32", "state": {"counter": -1, "key": 0, "position": 0}}, ValueError, "counter is -1"),
        ({"bit_generator": "Philox4x32", "state": {"counter": 0, "key": 0, "position": 4}}, ValueError, "position is 4"),
        ({"bit_generator": "Philox4x32", "state": {"counter": 0, "key": 0, "position": -1}}, ValueError, "position is -1"),
        ({"bit_generator": "Philox4x32", "state": {"counter": 0, "key": 0, "position": 2**32}}, ValueError, "position is 42"),
        ({"bit_generator": "Philox4x32", "state": {"counter": 0, "key": 0, "position": "a"}}, TypeError, "position is 'a'"),
    ],
)
def test_states_that_bit_generators_refuse(state, error, message):
    philox = isinstance(state, dict) and state.get("bit_generator") == "Philox4x32"
    bits = tombola.Philox4x32(key=1) if philox else tombola.MT19937(1)
    before = bits.random_raw(5), bits.state
    with pytest.raises(error, match=message):
        bits.state = state
    after = bits.random_raw(5)
    bits.state = before[1]
    np.testing.assert_array_equal(bits.random_raw(5), after)


def test_philox_does_not_spawn():
    with pytest.raises(NotImplementedError, match="a key of its own"):
        tombola.Philox4x32(key=1).spawn(2)


def test_wrong_keywords():
    for call in (
        lambda: tombola.uniform(3, sead=1),
        lambda: tombola.uniform(3, "f4", 0, 1, 3),
        lambda: tombola.shuffle(src=X),
        lambda: tombola.BFloat16Array(np.zeros(3, np.uint16)).__dlpack__(colour=1),
    ):
        with pytest.raises(TypeError, match="argument"):
            call()
