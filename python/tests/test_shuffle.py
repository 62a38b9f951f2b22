# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import reference
import tombola

DTYPES = [
    "bool", "int8", "uint8", "int16", "uint16", "float16", "int32", "uint32", "float32", "int64", "uint64", "float64",
    "complex64", "datetime64[s]",
]  # fmt: skip


def numbers(shape, dtype):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    x = numbers((2, 12, 3, 5), dtype)
    for group_size in (1, 2, 3, 4, 6, 12):
        y = tombola.shuffle(x, group_size)
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(y, reference.shuffled(x, group_size, 1))
        np.testing.assert_array_equal(tombola.shuffle(y, group_size, backward=True), x)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_every_axis(axis):
    x = numbers((6, 12, 18), "float32")
    np.testing.assert_array_equal(tombola.shuffle(x, 3, axis), reference.shuffled(x, 3, axis % 3))


def test_strides():
    base = numbers((4, 12, 6), "int32")
    views = [base, base.transpose(2, 1, 0), base[::2], base[:, :, 1:4], np.asfortranarray(base)]
    for x in views:
        expected = reference.shuffled(x, 4, 1)
        y = tombola.shuffle(x, 4)
        np.testing.assert_array_equal(y, expected)
        out = np.zeros((*x.shape, 2), x.dtype)[..., 1]
        assert tombola.shuffle(x, 4, out=out) is out
        np.testing.assert_array_equal(out, expected)
        assert not out.base[..., 0].any()
    channels_last = numbers((2, 5, 5, 8), "float32").transpose(0, 3, 1, 2)
    assert tombola.shuffle(channels_last, 4).strides == channels_last.strides


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(src=np.zeros((2, 6))[:, ::-1]), ValueError, "src has a negative stride along axis 1"),
        (dict(src=np.zeros((2, 6), object)), TypeError, "src has the dtype object"),
        (dict(src=np.zeros((2, 6), np.complex128)), TypeError, "src has the dtype complex128"),
        (dict(src=3.0), TypeError, "src is 3.0"),
        (dict(axis=2), ValueError, "axis is 2; expected a number from -2 to 1"),
        (dict(axis=1.0), TypeError, "axis is 1.0"),
        (dict(group_size=4), ValueError, "group_size"),
        (dict(group_size=0), ValueError, "group_size"),
        (dict(out=np.zeros((2, 6), np.float32)), TypeError, "out has another dtype"),
        (dict(out=np.zeros((2, 6), np.int64)), TypeError, "out has another dtype"),
        (dict(out=np.zeros((6, 2))), ValueError, r"^out has the shape \(6, 2\); expected \(2, 6\)$"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    arguments = {"src": np.zeros((2, 6)), "group_size": 3, **arguments}
    with pytest.raises(error, match=message):
        tombola.shuffle(**arguments)


def test_in_place_is_refused():
    x = numbers((2, 6), "float32")
    with pytest.raises(ValueError, match="memory|overlap"):
        tombola.shuffle(x, 3, out=x)
    np.testing.assert_array_equal(x, numbers((2, 6), "float32"))
