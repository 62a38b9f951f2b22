# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import reference
import tombola

FLOATS = ["float16", "bfloat16", "float32", "float64"]
DTYPES = FLOATS + ["int32", "int64"]


def values(array):
    return np.asarray(array)


def test_published_examples():
    """The first example of RandomUniform-8 in OpenVINO's specification, and PyTorch's numbers for the seed 80."""
    numbers = tombola.uniform((3, 3), seed=(150, 10))
    expected = [[0.7011236, 0.30539632, 0.93931055], [0.9456035, 0.11694777, 0.50770056], [0.5197197, 0.22727466, 0.991374]]
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, np.array(expected, np.float32))
    integers = tombola.uniform((2, 3), "int32", 50, 100, seed=80, alignment="pytorch")
    np.testing.assert_array_equal(integers, [[77, 58, 62], [69, 60, 94]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("low, high", [(0, 1), (-3, 1000)])
def test_tensorflow_definition(dtype, low, high):
    for count in (1, 5, 64, 1003):
        seed = (2**63 + 11, 2**40 + 5)
        numbers = tombola.uniform(count, dtype, low, high, seed=seed)
        np.testing.assert_array_equal(values(numbers), reference.tensorflow_uniform(count, dtype, low, high, seed))


@pytest.mark.parametrize("dtype", FLOATS)
def test_pytorch_definition(dtype):
    for seed, count in ((0, 3), (1, 623), (2**32 + 7, 2000)):
        numbers = tombola.uniform(count, dtype, seed=seed, alignment="pytorch")
        np.testing.assert_array_equal(values(numbers), reference.pytorch_unit(count, dtype, seed))


def test_full_range():
    generator = np.random.MT19937()
    generator._legacy_seeding(9)
    words = generator.random_raw(500)
    numbers = tombola.uniform(500, "int32", seed=9, alignment="pytorch", full_range=True)
    assert (numbers == words % 2**31).all()
    numbers = tombola.Generator("pytorch", seed=9).uniform(250, "int64", full_range=True)
    assert (numbers == (words[::2] * 2**32 + words[1::2]) % 2**63).all()


def test_float_draws():
    # 24 bits, of which the greatest are rounded to 1 in bfloat16's and float16's manner, and become 0.
    numbers = tombola.uniform(100_000, "float16", seed=9, alignment="pytorch", float_draws="torch2")
    exact = tombola.uniform(100_000, "float32", seed=9, alignment="pytorch")
    rounded = exact.astype(np.float16)
    assert (rounded == 1).any()
    assert (numbers == np.where(rounded == 1, 0, rounded)).all()


def test_pytorch_integers():
    words = reference.mt19937(1000, 9)
    numbers = tombola.uniform(1000, "int32", -5, 12, seed=9, alignment="pytorch")
    np.testing.assert_array_equal(numbers, (words % 17).astype(np.int64) - 5)
    for draws, wide in (("spec", False), ("torch1", False), ("torch2", True)):
        numbers = tombola.uniform(500, "int64", 0, 2**30, seed=9, alignment="pytorch", int_draws=draws)
        expected = (words[::2] << np.uint64(32) | words[1::2]) if wide else words[:500]
        np.testing.assert_array_equal(numbers, (expected % 2**30).astype(np.int64))


@pytest.mark.parametrize("alignment", ["tensorflow", "pytorch"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_cut_stream_is_the_whole_stream(alignment, dtype):
    def draw(count, offset):
        return values(tombola.uniform(count, dtype, 0, 100, seed=(5, 6), alignment=alignment, offset=offset))

    whole = draw(1000, 0)
    for cut in (1, 499, 1000):
        np.testing.assert_array_equal(np.concatenate([draw(cut, 0), draw(1000 - cut, cut)]), whole)


LAYOUTS = {
    "transposed": lambda dtype: np.zeros((5, 7), dtype).T,
    "every second": lambda dtype: np.zeros((7, 10), dtype)[:, ::2],
    "permuted": lambda dtype: np.zeros((5, 7, 1), dtype).transpose(1, 0, 2),
    "a column": lambda dtype: np.zeros((35, 3), dtype)[:, 1],
    "fortran": lambda dtype: np.zeros((7, 5), dtype, order="F"),
}


@pytest.mark.parametrize("alignment", ["tensorflow", "pytorch"])
@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "bfloat16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_strides(alignment, dtype, layout):
    out = LAYOUTS[layout](dtype)
    base = out.base if out.base is not None else out
    whole = tombola.uniform(35, dtype, 1, 50, seed=3, alignment=alignment)
    assert tombola.uniform(out=out, low=1, high=50, seed=3, alignment=alignment) is out
    np.testing.assert_array_equal(out.ravel(), whole)
    assert np.count_nonzero(base) == 35  # nothing beside the view was written


def test_negative_strides_are_refused():
    base = np.zeros((4, 4), np.float32)
    for out, axis in ((base[::-1], 0), (base[:, ::-1], 1)):
        with pytest.raises(ValueError, match=f"out has a negative stride along axis {axis}"):
            tombola.uniform(out=out, seed=1)
    assert not base.any()
    one = np.zeros(4, np.float32)[:1][::-1]  # a stride that is never used
    assert tombola.uniform(out=one, seed=(150, 10))[0] == np.float32(0.7011236)


def test_shapes():
    assert tombola.uniform((), seed=1).shape == ()
    assert tombola.uniform(0, seed=1).shape == (0,)
    assert tombola.uniform((3, 0, 2), seed=1).shape == (3, 0, 2)
    assert tombola.uniform([2, np.int64(3)], seed=1).shape == (2, 3)
    assert tombola.uniform(np.array([2, 3]), seed=1).shape == (2, 3)
    many = tombola.uniform((1,) * 20 + (5,), seed=1)  # more dimensions than tombola's descriptors have
    np.testing.assert_array_equal(many.ravel(), tombola.uniform(5, seed=1))
    out = np.zeros((2, 3), np.float64)
    assert tombola.uniform((2, 3), np.float64, seed=1, out=out) is out
    np.testing.assert_array_equal(out, tombola.uniform((2, 3), "f64", seed=1))


def test_dtypes_by_any_name():
    for name in ("float32", "f32", np.float32, np.dtype("float32"), "<f4", float, np.int32, "int64", "i8"):
        expected = {"f32": np.float32}.get(name, name) if isinstance(name, str) else name
        assert tombola.uniform(3, name, 0, 9, seed=1).dtype == np.dtype(expected)


def test_bfloat16():
    numbers = tombola.uniform((2, 3), "bfloat16", seed=(150, 10))
    assert isinstance(numbers, tombola.BFloat16Array) and numbers.shape == (2, 3) and len(numbers) == 2
    as_float = np.asarray(numbers)
    assert as_float.dtype == np.float32 and not (as_float.view(np.uint32) & 0xFFFF).any()
    with pytest.raises(ValueError, match=r"high is 1e\+39; expected a number that bfloat16 can hold"):
        tombola.uniform(3, "bfloat16", 0, 1e39)
    # It comes in as it went out.
    again = tombola.BFloat16Array(np.zeros((2, 3), np.uint16))
    assert tombola.uniform(out=again, seed=(150, 10)) is again
    np.testing.assert_array_equal(again.bits, numbers.bits)


def test_entropy():
    for seed in (None, (0, 0)):
        for alignment in ("tensorflow", "pytorch"):
            a, b = (tombola.uniform(8, "float64", seed=seed, alignment=alignment) for _ in range(2))
            assert not np.array_equal(a, b)


def test_seeds():
    np.testing.assert_array_equal(tombola.uniform(9, seed=5), tombola.uniform(9, seed=(5, 1)))
    np.testing.assert_array_equal(tombola.uniform(9, seed=np.uint64(5)), tombola.uniform(9, seed=np.array([5, 1])))
    assert not np.array_equal(tombola.uniform(9, seed=5), tombola.uniform(9, seed=(5, 2)))


READ_ONLY = np.zeros(3, np.float32)
READ_ONLY.flags.writeable = False
RECORDS = np.zeros(3, np.dtype([("a", np.uint8), ("b", np.float32)]))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("alignment", ["tensorflow", "pytorch"])
def test_bounds_at_the_ends_of_a_type(dtype, alignment):
    least, greatest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    for low in (least, greatest - 1):  # one number alone is below high
        assert (tombola.uniform(20, dtype, low, low + 1, seed=1, alignment=alignment) == low).all()
    for low, high in ((least - 1, 0), (0, greatest + 1)):
        with pytest.raises(ValueError, match="^(low|high) is"):
            tombola.uniform(20, dtype, low, high, seed=1, alignment=alignment)



@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(), TypeError, "shape is None"),
        (dict(shape="abc"), TypeError, "shape is 'abc'"),
        (dict(shape=2.5), TypeError, "shape is 2.5"),
        (dict(shape=(2, None)), TypeError, r"shape is \(2, None\)"),
        (dict(shape=-1), ValueError, "shape is -1"),
        (dict(shape=2**70), ValueError, "shape is"),
        (dict(shape=(2**40, 2**40)), ValueError, "fewer than 2"),
        (dict(shape=3, dtype="float31"), TypeError, "dtype is 'float31'"),
        (dict(shape=3, dtype=object), TypeError, "dtype is object; expected float32"),
        (dict(shape=3, dtype=">f4"), TypeError, "dtype is >f4, whose byte order is not the machine's; expected float32"),
        (dict(shape=3, dtype="complex64"), TypeError, "dtype is complex64; expected float32"),
        (dict(shape=3, dtype="uint8"), TypeError, "dtype is uint8"),
        (dict(shape=3, low=1, high=1), ValueError, "low is 1 and high is 1; expected low < high"),
        (dict(shape=3, low=float("nan")), ValueError, "^low is nan; expected a finite number$"),
        (dict(shape=3, high=float("inf")), ValueError, "^high is inf; expected a finite number$"),
        (dict(shape=3, dtype="float16", high=1e9), ValueError, "high is 1000000000.0"),
        (dict(shape=3, low="zero"), TypeError, "low is 'zero'"),
        (dict(shape=3, dtype="int32"), TypeError, "high is None"),
        (dict(shape=3, dtype="int32", high=2.5), TypeError, "high is 2.5"),
        (dict(shape=3, dtype="int32", high=2**31), ValueError, "high is 2147483648"),
        (dict(shape=3, dtype="int64", high=2**63), ValueError, "high is 9223372036854775808"),
        (dict(shape=3, seed="ab"), TypeError, "seed is 'ab'"),
        (dict(shape=3, seed=(1, 2, 3)), TypeError, "seed is"),
        (dict(shape=3, seed=1.5), TypeError, "seed is 1.5"),
        (dict(shape=3, seed=-1), ValueError, "seed is -1"),
        (dict(shape=3, seed=(1, 2**64)), ValueError, r"seed\[1\] is 18446744073709551616"),
        (dict(shape=3, offset=-1), ValueError, "offset is -1"),
        (dict(shape=3, offset=2**64 - 1, seed=1), ValueError, "^offset is .* so that offset . elements is at most"),
        (dict(shape=3, alignment="jax"), ValueError, "alignment is 'jax'; expected \"tensorflow\" or \"pytorch\""),
        (dict(shape=3, alignment="pytorch", int_draws="torch3"), ValueError, "int_draws is 'torch3'"),
        (dict(shape=3, alignment="pytorch", float_draws="spec"), ValueError, "float_draws is 'spec'"),
        (dict(shape=3, alignment="pytorch", full_range=True), TypeError, "the dtype is float32; expected int32 or int64 with full_range"),
        (dict(shape=3, dtype="int32", full_range=True), ValueError, "full_range is True with the alignment tensorflow"),
        (dict(shape=3, dtype="int32", alignment="pytorch", high=5, full_range=True), TypeError, "high is 5"),
        (dict(out=[1.0, 2.0]), TypeError, r"out is \[1.0, 2.0\]"),
        (dict(out=READ_ONLY), ValueError, "out is read-only"),
        (dict(out=np.zeros(3, ">f4")), TypeError, "out has the dtype >f4"),
        (dict(out=np.zeros(3, np.complex64)), TypeError, "out has the dtype complex64"),
        (dict(out=RECORDS["b"]), ValueError, "5 bytes along axis 0"),
        (dict(out=np.zeros(13, np.uint8)[1:].view(np.float32)), ValueError, "align"),
        (dict(out=np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (3,), (0,))), ValueError, "address"),
        (dict(shape=4, out=np.zeros(3, np.float32)), ValueError, r"out has the shape \(3,\); expected \(4,\)"),
        (dict(shape=3, dtype="float64", out=np.zeros(3, np.float32)), TypeError, "out has the dtype float32; expected float64"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        tombola.uniform(**arguments)
    out = arguments.get("out")
    assert not isinstance(out, np.ndarray) or not out.view(np.uint8 if out.flags.c_contiguous else out.dtype).any()
