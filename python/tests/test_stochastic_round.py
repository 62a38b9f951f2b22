# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import reference
import tombola

X = np.random.RandomState(1).standard_normal((7, 300)).astype(np.float32)


def test_bfloat16():
    y = tombola.stochastic_round(X, seed=(3, 4))
    np.testing.assert_array_equal(y.bits, reference.stochastic_bfloat16(X, (3, 4)))
    turned = tombola.BFloat16Array(np.zeros((300, 7), np.uint16).T)
    assert tombola.stochastic_round(np.asfortranarray(X), seed=(3, 4), out=turned) is turned
    np.testing.assert_array_equal(turned.bits, y.bits)
    same = tombola.stochastic_round(np.asfortranarray(X), seed=(3, 4))
    assert same.bits.flags.f_contiguous
    np.testing.assert_array_equal(same.bits, y.bits)
    part = tombola.stochastic_round(X[3:], seed=(3, 4), offset=900)
    np.testing.assert_array_equal(part.bits, y.bits[3:])


def test_float16_goes_to_a_neighbour():
    y = tombola.stochastic_round(X, "float16", seed=(3, 4))
    assert y.dtype == np.float16
    nearest = X.astype(np.float16)
    away = np.where(nearest.astype(np.float32) < X, np.inf, -np.inf).astype(np.float16)
    assert np.all((y == nearest) | (y == np.nextafter(nearest, away)))
    assert (y != nearest).any()
    exact = np.float32([0, -0.0, 1, 65504, np.inf, -np.inf, 2**-24])
    np.testing.assert_array_equal(tombola.stochastic_round(exact, "float16", seed=1), exact.astype(np.float16))
    assert np.isnan(tombola.stochastic_round(np.float32([np.nan]), "float16", seed=1)).all()


def test_wrong_arguments():
    for arguments, error, message in (
        (dict(src=X.astype(np.float64)), TypeError, "src has the dtype float64"),
        (dict(dtype="float32"), TypeError, "dtype is float32"),
        (dict(src=X[::-1]), ValueError, "src has a negative stride"),
        (dict(out=np.zeros((300, 7), np.float16)), ValueError, "out has the shape"),
        (dict(src=1.5), TypeError, "src is 1.5"),
    ):
        with pytest.raises(error, match=message):
            tombola.stochastic_round(**{"src": X, "seed": 1, **arguments})
