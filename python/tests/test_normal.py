# SPDX-License-Identifier: Apache-2.0
"""PyTorch's normals are compared in test_torch.py; here they stand beside the transform in float64."""
import numpy as np
import pytest

import reference
import tombola

TYPES = {"float16": 2e-2, "bfloat16": 1.5e-1, "float32": 2e-5, "float64": 1e-12}


def values(array):
    return np.asarray(array).astype(np.float64)


@pytest.mark.parametrize("dtype", TYPES)
def test_pytorch_is_box_and_muller_in_blocks_of_16(dtype):
    v = reference.pytorch_unit(160, dtype, 9).astype(np.float64).reshape(10, 2, 8)
    r, a = np.sqrt(-2 * np.log(1 - v[:, 0])), 2 * np.pi * v[:, 1]
    expected = 3 + 0.5 * np.stack([r * np.cos(a), r * np.sin(a)], 1).ravel()
    numbers = tombola.normal(160, dtype, 3, 0.5, seed=9, alignment="pytorch")
    np.testing.assert_allclose(values(numbers), expected, rtol=0, atol=TYPES[dtype])


@pytest.mark.parametrize("dtype", TYPES)
def test_tensorflow_is_box_and_muller_in_pairs(dtype):
    u, v = reference.tensorflow_uniform(160, "float64" if dtype == "float64" else "float32", 0, 1, (3, 4)).reshape(80, 2).T.astype(np.float64)
    r, a = np.sqrt(-2 * np.log(np.maximum(u, 1e-7))), 2 * np.pi * v
    expected = np.stack([r * np.sin(a), r * np.cos(a)], 1).ravel()
    numbers = tombola.normal(160, dtype, seed=(3, 4))
    np.testing.assert_allclose(values(numbers), expected, rtol=0, atol=TYPES[dtype])


@pytest.mark.parametrize("alignment", ["tensorflow", "pytorch"])
@pytest.mark.parametrize("dtype", TYPES)
def test_parts_and_strides(alignment, dtype):
    def draw(**arguments):
        return tombola.normal(dtype=dtype, seed=5, alignment=alignment, **arguments)

    whole = values(draw(shape=96))
    np.testing.assert_array_equal(values(draw(shape=(5, 16), offset=16)).ravel(), whole[16:])
    if dtype != "bfloat16":
        out = np.zeros((12, 8, 2), dtype)[..., 1].T
        assert draw(out=out) is out
        np.testing.assert_array_equal(out.ravel(), whole)


def test_the_number_that_is_kept_stays_while_others_draw():
    # Box and Muller make two numbers at once. The second one waits for the next call that draws normal numbers, as in PyTorch.
    first, second = tombola.normal(2, seed=7, alignment="pytorch")
    others = [
        lambda g: g.uniform(1),
        lambda g: [g.uniform(n) for n in (3, 700, 2)],
        lambda g: g.bernoulli(0.5, 5),
        lambda g: g.permutation(9),
        lambda g: g.exponential(4),
    ]
    for draw in others:
        g = tombola.Generator("pytorch", seed=7)
        assert g.normal(1)[0] == first
        draw(g)
        assert g.normal(1)[0] == second


def test_generator_goes_on():
    g = tombola.Generator("tensorflow", seed=(3, 4))
    first, second = g.normal(10), g.normal(10)
    np.testing.assert_array_equal(first, tombola.normal(10, seed=(3, 4)))
    assert g.state.tolist() == [5120, 4] and not np.array_equal(first, second)
    # Below 16 numbers "pytorch" draws pairs and keeps the second one: with it the state is the same as after two at once.
    one, two = tombola.Generator(seed=6), tombola.Generator(seed=6)
    np.testing.assert_array_equal(np.append(one.normal(1), one.normal(1)), two.normal(2))
    one.normal(3)
    two.normal(3)
    np.testing.assert_array_equal(one.state, two.state)
    other = tombola.Generator(seed=1)
    other.state = one.state
    np.testing.assert_array_equal(other.normal(1), one.normal(1))


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(dtype="int32"), TypeError, "dtype is int32"),
        (dict(std=-1), ValueError, "^std is -1"),
        (dict(mean=float("inf")), ValueError, "^mean is inf"),
        (dict(mean="a"), TypeError, "mean is 'a'"),
        (dict(alignment="pytorch", offset=3), ValueError, "^offset is 3"),
        (dict(out=np.zeros(5, np.float32)[::-1], shape=None), ValueError, "out has a negative stride"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        tombola.normal(**{"shape": 20, "seed": 1, **arguments})
