# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import reference
import tombola


def test_pytorch_definition():
    for n in (1, 2, 10, 625, 3000):
        np.testing.assert_array_equal(tombola.permutation(n, seed=4, alignment="pytorch"), reference.randperm(n, 4))


def test_philox_definition():
    for n in (1, 2, 7, 16, 17, 1000):
        expected = reference.feistel_permutation(n, (2**40 + 3, 5))
        np.testing.assert_array_equal(tombola.permutation(n, seed=(2**40 + 3, 5)), expected)


@pytest.mark.parametrize("alignment", ["philox", "pytorch"])
def test_parts(alignment):
    whole = tombola.permutation(1000, seed=9, alignment=alignment)
    assert whole.dtype == np.int64
    for begin, size in ((0, 10), (990, 10), (500, 0), (123, 777)):
        part = tombola.permutation(1000, size, "int32", seed=9, alignment=alignment, offset=begin)
        assert part.dtype == np.int32
        np.testing.assert_array_equal(part, whole[begin : begin + size])
    np.testing.assert_array_equal(tombola.permutation(1000, seed=9, alignment=alignment, offset=400), whole[400:])
    out = np.zeros((1000, 2), np.int64)[:, 1]
    assert tombola.permutation(1000, seed=9, alignment=alignment, out=out) is out
    np.testing.assert_array_equal(out, whole)


@pytest.mark.parametrize("alignment", ["philox", "pytorch"])
def test_nothing_is_left_at_the_end(alignment):
    for arguments in (dict(), dict(size=0), dict(out=np.zeros(0, np.int64))):
        assert tombola.permutation(10, offset=10, seed=1, alignment=alignment, **arguments).shape == (0,)
    with pytest.raises(ValueError, match="^offset is 0 and size is 11; expected a sum of at most 10, which is n$"):
        tombola.Generator("pytorch" if alignment == "pytorch" else "tensorflow", seed=1).permutation(10, 11)


def test_generator():
    g = tombola.Generator("pytorch", seed=5)
    np.testing.assert_array_equal(g.permutation(100), reference.randperm(100, 5))
    # What comes next are the words after 99.
    words = reference.mt19937(104, 5)[99:]
    np.testing.assert_array_equal(g.uniform(5), ((words & 0xFFFFFF) * 2.0**-24).astype(np.float32))
    g = tombola.Generator("tensorflow", seed=(6, 7))
    np.testing.assert_array_equal(g.permutation(100), tombola.permutation(100, seed=(6, 7)))
    assert g.state.tolist() == [7, 7] and not np.array_equal(g.permutation(100), tombola.permutation(100, seed=(6, 7)))


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(n=0, size=1), ValueError, "offset is 0 and size is 1; expected a sum of at most 0, which is n"),
        (dict(n=2.0), TypeError, "n is 2.0; expected an integer"),
        (dict(offset="1"), TypeError, "offset is '1'; expected an integer"),
        (dict(n=2.0, size=2), TypeError, "n is 2.0"),
        (dict(size=11), ValueError, "offset is 0 and size is 11; expected a sum of at most 10, which is n"),
        (dict(out=np.zeros(11, np.int64)), ValueError, "offset is 0 and size is 11; expected a sum of at most 10"),
        (dict(offset=11), ValueError, "^offset is 11; expected 0 to 10, which is n$"),
        (dict(offset=11, size=0), ValueError, "^offset is 11; expected 0 to 10, which is n$"),
        (dict(offset=2**64 - 1), ValueError, "^offset is 18446744073709551615; expected 0 to 10, which is n$"),
        (dict(offset=2**64 - 1, size=2), ValueError, "^offset is 18446744073709551615; expected 0 to 10, which is n$"),
        (dict(size=(2, 5)), ValueError, "dim"),
        (dict(dtype="float32"), TypeError, "dtype is float32; expected int64 or int32"),
        (dict(offset=5, size=6), ValueError, "^offset is 5 and size is 6; expected a sum of at most 10, which is n$"),
        (dict(alignment="tensorflow"), ValueError, "alignment is 'tensorflow'; expected \"philox\" or \"pytorch\""),
        (dict(n=2**31, size=1, alignment="pytorch"), ValueError, "^n is"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        tombola.permutation(**{"n": 10, "seed": 1, **arguments})
