# SPDX-License-Identifier: Apache-2.0
"""bernoulli and exponential beside their definitions; PyTorch's own numbers in test_torch.py."""
import re

import numpy as np
import pytest

import reference
import tombola

DTYPES = ["uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
P = np.random.RandomState(1).rand(20, 50)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bernoulli(dtype):
    u = reference.tensorflow_uniform(1000, "float32", 0, 1, (3, 4)).reshape(20, 50)
    cases = [
        (0.3, dict(alignment="tensorflow"), u < np.float32(0.3)),
        (P, dict(alignment="tensorflow"), u < P.astype(np.float32)),
        (0.3, dict(alignment="pytorch"), reference.pytorch_unit(1000, "float64", 3).reshape(20, 50) < 0.3),
        (P, dict(alignment="pytorch"), reference.pytorch_unit(1000, "float64", 3).reshape(20, 50) < P),
    ]
    for p, arguments, expected in cases:
        drawn = tombola.bernoulli(p, (20, 50), dtype, seed=(3, 4), **arguments)
        np.testing.assert_array_equal(np.asarray(drawn), expected)
    single = P.astype(np.float32)
    drawn = tombola.bernoulli(single, dtype=dtype, seed=(3, 4), alignment="pytorch")
    np.testing.assert_array_equal(np.asarray(drawn), reference.pytorch_unit(1000, "float32", 3).reshape(20, 50) < single)


def test_layouts():
    expected = tombola.bernoulli(P, seed=1)
    assert expected.dtype == np.uint8 and expected.shape == P.shape
    np.testing.assert_array_equal(tombola.bernoulli(np.asfortranarray(P), seed=1), expected)
    out = np.zeros((50, 20, 2), np.float32)[..., 1].T
    assert tombola.bernoulli(P, seed=1, out=out) is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(tombola.bernoulli(P[7:], seed=1, offset=350), expected[7:])
    # A tensor of one probability draws as one element of a longer one.
    for one in (P[0, :1], P[0, 0].reshape(())):
        drawn = tombola.bernoulli(np.array(one), seed=5, alignment="pytorch")
        assert drawn.shape == one.shape and drawn.ravel() == (reference.pytorch_unit(1, "float64", 5) < one)


@pytest.mark.parametrize("dtype, tolerance", [("float16", 1e-3), ("bfloat16", 8e-3), ("float32", 2e-7), ("float64", 1e-15)])
@pytest.mark.parametrize("alignment", ["tensorflow", "pytorch"])
def test_exponential(alignment, dtype, tolerance):
    if alignment == "pytorch":
        u = reference.pytorch_unit(1000, "float64", 3)
    else:
        u = reference.tensorflow_uniform(1000, "float64" if dtype == "float64" else "float32", 0, 1, (3, 4))
    expected = -np.log1p(-u.astype(np.float64)) / 2.5
    drawn = tombola.exponential(1000, dtype, 2.5, seed=(3, 4), alignment=alignment)
    np.testing.assert_allclose(np.asarray(drawn).astype(np.float64), expected, rtol=tolerance, atol=1e-7)
    part = tombola.exponential((10, 50), dtype, 2.5, seed=(3, 4), alignment=alignment, offset=500)
    np.testing.assert_array_equal(np.asarray(part).ravel(), np.asarray(drawn)[500:])


@pytest.mark.parametrize("alignment", ["tensorflow", "pytorch"])
def test_generators_go_on(alignment):
    g = tombola.Generator(alignment, seed=(3, 4))
    first = g.exponential(10), g.bernoulli(0.5, 40)
    np.testing.assert_array_equal(first[0], tombola.exponential(10, seed=(3, 4), alignment=alignment))
    skipped = 10 if alignment == "pytorch" else 1024 * 10
    expected = tombola.bernoulli(0.5, 40, seed=(3, 4), alignment=alignment, offset=skipped)
    np.testing.assert_array_equal(first[1], expected)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: tombola.bernoulli(1.5, 3), ValueError, "^p is 1.5"),
        (lambda: tombola.bernoulli(0.5), TypeError, "shape is None"),
        (lambda: tombola.bernoulli("half", 3), TypeError, "p is 'half'"),
        (lambda: tombola.bernoulli(P, 3), ValueError, r"p has the shape \(20, 50\); expected \(3,\)"),
        (lambda: tombola.bernoulli(np.array([0.5, -1])), ValueError, "-1"),
        (lambda: tombola.bernoulli(P[::-1]), ValueError, "p has a negative stride along axis 0"),
        (lambda: tombola.bernoulli(0.5, 3, "int8"), TypeError, "dtype is int8"),
        (lambda: tombola.exponential(3, rate=0), ValueError, "^rate is 0"),
        (lambda: tombola.exponential(3, rate=float("inf")), ValueError, "^rate is inf"),
        (lambda: tombola.exponential(3, "int32"), TypeError, "dtype is int32"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_probabilities_without_dimensions():
    assert tombola.bernoulli(np.array(1.0)) == 1 and tombola.bernoulli(np.array(1.0), ()).shape == ()
    with pytest.raises(ValueError, match=re.escape("p has the shape (1,); expected ()")):
        tombola.bernoulli(np.ones(1), ())
    # One number for a result that has dimensions.
    for alignment in ("tensorflow", "pytorch"):
        for wanted in ((1,), (3,), (20, 50)):
            for p in (np.array(0.3), np.array(0.3, np.float32), np.array(1)):
                expected = tombola.bernoulli(p.item(), wanted, seed=1, alignment=alignment)
                np.testing.assert_array_equal(tombola.bernoulli(p, wanted, seed=1, alignment=alignment), expected)
                out = np.zeros(wanted, np.uint8)
                assert tombola.bernoulli(p, out=out, seed=1, alignment=alignment) is out
                np.testing.assert_array_equal(out, expected)
                g = tombola.Generator(alignment, seed=1)
                np.testing.assert_array_equal(g.bernoulli(p, wanted), tombola.Generator(alignment, seed=1).bernoulli(p.item(), wanted))
    with pytest.raises(TypeError, match="^p is an array of the dtype complex128 .*; expected a number$"):
        tombola.bernoulli(np.array(1j), 3)
