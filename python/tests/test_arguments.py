# SPDX-License-Identifier: Apache-2.0
"""What no function takes: each argument that is wrong is named in a ValueError or TypeError, and nothing is written."""
import contextlib
import ctypes
import platform
import re
import types

import numpy as np
import pytest

import tombola
from exporter import Exporter
from test_messages import LIBRARY

X = np.arange(24, dtype=np.float32).reshape(2, 12)
WEIGHTS = np.ones((2, 5))
LOGITS = np.zeros((2, 40), np.float32)


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
    for name, call in NUMBERS:
        with pytest.raises(ValueError, match=f"^{name} is .*; expected a number$") as raised:
            call(TwoElements())
        assert str(raised.value.__cause__).startswith("only one element")


class NoInteger:
    def __index__(self):
        raise TypeError("no integer of mine")


def test_what_index_refuses_is_the_cause():
    for call in (
        lambda: tombola.uniform(3, seed=1, offset=NoInteger()),
        lambda: tombola.uniform(3, seed=(1, NoInteger())),
        lambda: tombola.uniform((3, NoInteger())),
        lambda: tombola.uniform(3, "int32", NoInteger(), 5),
        lambda: tombola.multinomial(WEIGHTS, NoInteger()),
        lambda: tombola.sample_tokens(LOGITS, top_n=NoInteger()),
        lambda: tombola.sample_tokens(LOGITS, offset=NoInteger()),
        lambda: tombola.permutation(NoInteger()),
        lambda: tombola.shuffle(X, 1, NoInteger()),
    ):
        with pytest.raises(TypeError, match="; expected ") as raised:
            call()
        assert str(raised.value.__cause__) == "no integer of mine"


class Resizing:
    """A number that resizes an array when it is read."""

    def __init__(self, value, array, size):
        self.value, self.array, self.size = value, array, size

    def read(self):
        self.array.resize(self.size, refcheck=False)
        return self.value

    __index__ = __float__ = read


class ResizingInt(int):
    """An integer, which code that takes a float of it reads by a method of its own."""

    def __float__(self):
        self.array.resize(self.size, refcheck=False)
        return float(int(self))


def test_numbers_of_derived_classes():
    for call in (
        lambda array, p: tombola.uniform(out=array, high=p, seed=1),
        lambda array, p: tombola.dropout(array, p, seed=1),
        lambda array, p: tombola.sample_tokens(array.reshape(1, -1), temperature=p, seed=1),
    ):
        array, number = np.zeros(3_000_000, "f4"), ResizingInt(1)
        number.array, number.size = array, 10
        call(array, number)
        assert array.size == 3_000_000  # the number's own __float__ has not run
    assert tombola.uniform(3, high=np.float64(2.5), seed=1).tolist() == tombola.uniform(3, high=2.5, seed=1).tolist()


class Short:
    """Says that it has two elements, and has one."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index > 0:
            raise IndexError
        return 5


def test_what_is_no_sequence_of_integers():
    for seed in (Short(), types.MappingProxyType({1: 2, 3: 4}), {1: 2, 3: 4}, np.zeros((2, 1), int)):
        with pytest.raises(TypeError, match="^seed"):
            tombola.uniform(3, seed=seed)
    for shape in (types.MappingProxyType({1: 2}), {2: 2}, np.ones((2, 1), int)):
        with pytest.raises(TypeError, match="^shape is .*; expected an integer or a sequence of integers"):
            tombola.uniform(shape)


@pytest.mark.parametrize(
    "dtype, draw",
    [
        ("f4", lambda array, number: tombola.uniform(out=array, low=number(0.0), seed=1)),
        ("f4", lambda array, number: tombola.uniform(out=array, high=number(1.0), seed=1)),
        ("f4", lambda array, number: tombola.uniform(out=array, seed=number(1))),
        ("f4", lambda array, number: tombola.uniform(out=array, seed=(number(1), 2))),
        ("f4", lambda array, number: tombola.uniform(out=array, seed=1, offset=number(0))),
        ("f4", lambda array, number: tombola.normal(out=array, mean=number(0.0), seed=1)),
        ("f4", lambda array, number: tombola.normal(out=array, std=number(1.0), seed=1)),
        ("f4", lambda array, number: tombola.exponential(out=array, rate=number(1.0), seed=1)),
        ("i8", lambda array, number: tombola.multinomial(WEIGHTS[0], number(50_000), out=array, seed=1)),
        ("i8", lambda array, number: tombola.sample_tokens(LOGITS[0], number(50_000), out=array, seed=1)),
        ("i8", lambda array, number: tombola.permutation(number(50_000), seed=1, out=array)),
        ("f4", lambda array, number: tombola.dropout(np.ones(50_000, "f4"), number(0.5), seed=1, out=array)),
        ("f4", lambda array, number: tombola.dropout(array, number(0.5), seed=1)),
        ("f2", lambda array, number: tombola.stochastic_round(np.ones(50_000, "f4"), seed=number(1), out=array)),
        ("f4", lambda array, number: tombola.shuffle(array, number(10), 0)),
    ],
)
def test_numbers_are_read_before_tensors(dtype, draw):
    """What is resized while a number is read is used as it is afterwards."""
    array = np.zeros(3_000_000, dtype)
    resized = draw(array, lambda value: Resizing(value, array, 50_000))
    assert resized.size == array.size == 50_000
    np.testing.assert_array_equal(resized, draw(np.zeros(50_000, dtype), lambda value: value))


def test_inputs_whose_elements_share_an_address():
    """They are refused before a result of their size is made, which would be a MemoryError."""
    number, many = np.float32(0.5), (1 << 40,)
    for name, call in (
        ("src", lambda x: tombola.dropout(x, 0.5)),
        ("src", lambda x: tombola.stochastic_round(x)),
        ("src", lambda x: tombola.shuffle(x, 2, 0)),
        ("weights", lambda x: tombola.multinomial(x, 1 << 40, replacement=False)),
        ("p", lambda x: tombola.bernoulli(x)),
    ):
        with pytest.raises(ValueError, match=rf"^{name} has the strides \(0,\) in bytes, by which elements may share an address"):
            call(np.broadcast_to(number, many))


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
    with pytest.raises(TypeError, match="^low is 1; expected 0 with full_range"):
        tombola.uniform(3, "int32", np.array(1), full_range=True, alignment="pytorch")


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


def test_profilers_see_the_module():
    assert tombola._core.uniform.__module__ == "tombola._core"


def test_wrong_keywords():
    for call in (
        lambda: tombola.uniform(3, sead=1),
        lambda: tombola.uniform(3, "f4", 0, 1, 3),
        lambda: tombola.shuffle(src=X),
        lambda: tombola.BFloat16Array(np.zeros(3, np.uint16)).__dlpack__(colour=1),
        lambda: tombola._core.shuffle(X),
        lambda: tombola._core.shuffle(X, 1, axis=0),
    ):
        with pytest.raises(TypeError, match="argument"):
            call()


@pytest.mark.parametrize(
    "number",
    [np.array("0.5"), np.array(b"0.5"), np.array("0.5", object), np.datetime64(0, "ns"), np.timedelta64(5, "ns"), np.str_("0.5")],
)
def test_text_and_times_are_no_numbers(number):
    for call in (
        lambda: tombola.uniform(2, low=number, high=9),
        lambda: tombola.normal(2, mean=number),
        lambda: tombola.bernoulli(number, 3),
        lambda: tombola.dropout(np.ones(3, np.float32), number),
    ):
        with pytest.raises(TypeError, match="expected a number"):
            call()


@contextlib.contextmanager
def mxcsr(modes):
    """These bits of MXCSR are set, the other modes are the default."""
    environment = ctypes.create_string_buffer(32)  # glibc's fenv_t, which MXCSR ends
    libm = ctypes.CDLL("libm.so.6")
    libm.fegetenv(environment)
    before = environment.raw
    libm.fesetenv(before[:28] + (0x1F80 | modes).to_bytes(4, "little"))
    try:
        yield
    finally:
        libm.fesetenv(before)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="MXCSR is a register of x86-64")
@pytest.mark.parametrize("modes", [0x8040, 0x2000, 0x4000, 0x6000], ids=["flush", "down", "up", "to zero"])
def test_the_floating_point_environment_of_the_caller(modes):
    """Numbers are rounded to an element by the default one."""
    low = np.full((2, 1), 1e-3)  # a class whose log probability depends on the temperature
    calls = [
        lambda: tombola.uniform(9, low=0.1, high=0.7, seed=1),
        lambda: tombola.uniform(9, high=1e-40, seed=1),
        lambda: tombola.uniform(9, "float64", high=1e-310, seed=1),
        lambda: tombola.normal(9, mean=0.1, std=0.3, seed=1),
        lambda: tombola.normal(9, std=1e-40, seed=1),
        lambda: tombola.dropout(X, 0.5 + 1e-9, seed=1),  # half of the elements are dropped, or a few more
        lambda: tombola.dropout(X, 1e-40, seed=1),
        lambda: tombola.sample_tokens(X, 1, temperature=[0.3, 0.7], logprobs="processed", uniforms=low).logprobs,
        lambda: tombola.sample_tokens(X, 1, temperature=np.array([0.3, 0.7]), logprobs="processed", uniforms=low).logprobs,
    ]
    expected = [call().tobytes() for call in calls]
    with mxcsr(modes):
        given = [call().tobytes() for call in calls]
    assert given == expected


def test_keys_and_counters_are_integers_or_sequences_of_words():
    words = tombola.random_words(5, key=3 + (4 << 32))
    for key in ([3, 4], (3, 4), np.array([3, 4]), range(3, 5)):
        np.testing.assert_array_equal(tombola.random_words(5, key=key), words)
    for wrong in ({3, 4}, {3: 3, 4: 4}, iter([3, 4]), [np.array([3]), np.array([4])]):
        with pytest.raises(TypeError, match="key is .* words of 32 bits"):
            tombola.random_words(5, key=wrong)
    for wrong in ([3, 4, 5], range(2**40)):
        with pytest.raises(ValueError, match="key is .* words of 32 bits"):
            tombola.random_words(5, key=wrong)


def test_seeds_are_no_bfloat16():
    wrong = tombola.BFloat16Array(np.ones((2, 2), np.uint16))
    with pytest.raises(TypeError, match="(?s)seed is .*; expected None, an integer, two integers"):
        tombola.sample_tokens(LOGITS, seed=wrong)
