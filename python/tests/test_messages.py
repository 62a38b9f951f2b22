# SPDX-License-Identifier: Apache-2.0
"""What messages say: Python's words, the numbers that were given, and not too much."""
import re

import numpy as np
import pytest

import tombola
from exporter import Exporter

X = np.arange(24, dtype=np.float32).reshape(2, 12)
WEIGHTS = np.ones((2, 5))
LOGITS = np.zeros((2, 40), np.float32)


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
