# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import reference
import tombola

DTYPES = ["float16", "float32", "float64"]


def test_examples_of_the_specification():
    """Multinomial-13 in OpenVINO's specification, with the errata that doc/multinomial.md states."""
    u = np.array([[0.2, 0.4, 0.6, 0.8, 1.0]])
    for dtype in ("float64", "float16"):
        weights = np.array([[0.1, 0.5, 0.4]], dtype)
        np.testing.assert_array_equal(tombola.multinomial(weights, 5, uniforms=u), [[1, 1, 1, 2, 2]])
    logits = np.array([[-1.0, 1, 2], [50, 1, 21]])
    u = np.arange(1, 11) / 10
    drawn = tombola.multinomial(logits, 10, log_probs=True, uniforms=np.array([u, u]))
    np.testing.assert_array_equal(drawn, [[1, 1, 2, 2, 2, 2, 2, 2, 2, 2], [0] * 9 + [2]])
    drawn = tombola.multinomial(np.array([[0.1, 0.5, 0.4]]), 2, replacement=False, uniforms=np.array([[0.3, np.nextafter(0.2, 0)]]))
    np.testing.assert_array_equal(drawn, [[1, 0]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("replacement", [True, False])
def test_definition(dtype, replacement):
    rng = np.random.default_rng(4)
    weights = rng.random((3, 37)).astype(dtype)
    weights[:, 5:9] = 0
    # The numbers of the stream: random_uniform's of float64, one for each sample, row by row.
    u = reference.tensorflow_uniform(3 * 30, "float64", 0, 1, (7, 8)).reshape(3, 30)
    expected = [reference.multinomial(row, numbers, replacement) for row, numbers in zip(weights, u)]
    for drawn in (
        tombola.multinomial(weights, 30, replacement=replacement, seed=(7, 8)),
        tombola.multinomial(weights, 30, replacement=replacement, uniforms=u),
        tombola.multinomial(np.asfortranarray(weights), 30, replacement=replacement, seed=(7, 8), dtype="int32"),
        tombola.multinomial(np.repeat(weights, 2, axis=1)[:, ::2], 30, replacement=replacement, seed=(7, 8)),
    ):
        np.testing.assert_array_equal(drawn, expected)
    np.testing.assert_array_equal(tombola.multinomial(weights[0], 30, replacement=replacement, seed=(7, 8)), expected[0])
    np.testing.assert_array_equal(
        tombola.multinomial(weights[1:], 30, replacement=replacement, seed=(7, 8), offset=30), expected[1:]
    )


def test_out():
    weights = np.array([1.0, 2, 3], np.float32)
    expected = tombola.multinomial(weights, 6, seed=1)
    assert expected.dtype == np.int64
    for out in (np.zeros(6, np.int32), np.zeros(12, np.int64)[::2]):
        assert tombola.multinomial(weights, 6, seed=1, out=out) is out
        np.testing.assert_array_equal(out, expected)
    weights_read_only = weights.copy()
    weights_read_only.flags.writeable = False
    np.testing.assert_array_equal(tombola.multinomial(weights_read_only, 6, seed=1), expected)
    assert tombola.multinomial(weights, 0, seed=1).shape == (0,)


def test_logits():
    logits = np.array([[-np.inf, 0, -np.inf], [np.inf * -1, -np.inf, 1e30]], np.float32)
    np.testing.assert_array_equal(tombola.multinomial(logits, 4, log_probs=True), [[1] * 4, [2] * 4])


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(weights=[1.0, 2.0]), TypeError, "weights is"),
        (dict(weights=np.ones(3, np.int64)), TypeError, "weights has the dtype int64"),
        (dict(weights=np.ones((1, 2, 3))), ValueError, "weights has 3 dimensions"),
        (dict(weights=np.array(1.0)), ValueError, "weights has 0 dimensions"),
        (dict(weights=np.ones(3)[::-1]), ValueError, "weights has a negative stride along axis 0"),
        (dict(weights=np.array([1.0, -1])), ValueError, "-1"),
        (dict(weights=np.array([1.0, np.nan])), ValueError, "nan"),
        (dict(weights=np.zeros(3)), ValueError, "^weights: row 0: all 3 weights are 0"),
        (dict(samples=-1), ValueError, "samples is -1"),
        (dict(samples=2.0), TypeError, "samples is 2.0"),
        (dict(replacement=False, samples=4), ValueError, "samples|classes"),
        (dict(dtype="float32"), TypeError, "dtype is float32"),
        (dict(uniforms=np.array([0.5, 1.5])), ValueError, "1.5"),
        (dict(uniforms=np.array([0.5])), ValueError, r"uniforms has the shape \(1,\); expected \(2,\)"),
        (dict(uniforms=np.array([0.5, 7, 0.5, 7])[::2]), ValueError, "uniforms has the strides"),
        (dict(uniforms=np.array([0.5, 0.5], np.float32)), TypeError, "uniforms has the dtype float32; expected float64"),
        (dict(out=np.zeros(3, np.int64)), ValueError, "out has the shape"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    arguments = {"weights": np.array([1.0, 2, 3]), "samples": 2, **arguments}
    with pytest.raises(error, match=message):
        tombola.multinomial(**arguments)
