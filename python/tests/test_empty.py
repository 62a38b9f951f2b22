# SPDX-License-Identifier: Apache-2.0
"""Tensors of no elements, whose address may be null."""
import ctypes

import numpy as np
import pytest

import tombola


def nothing(shape, dtype=np.float32):
    """A view whose address, the first field behind the two of every object, is null."""
    view = np.zeros(shape, dtype)[...]
    ctypes.c_void_p.from_address(id(view) + object.__basicsize__).value = None
    assert view.__array_interface__["data"][0] == 0
    return view


CALLS = {
    "uniform": lambda: tombola.uniform(out=nothing(0)),
    "bernoulli": lambda: tombola.bernoulli(nothing((3, 0)), out=nothing((3, 0), np.uint8)),
    "generator": lambda: tombola.Generator(seed=1).normal(out=nothing((0, 2))),
    "permutation": lambda: tombola.permutation(5, out=nothing(0, np.int64)),
    "words": lambda: tombola.random_words(0, out=nothing(0, np.uint32)),
    "multinomial": lambda: tombola.multinomial(np.ones(3), 0, out=nothing(0, np.int64)),
    "no rows": lambda: tombola.multinomial(nothing((0, 3)), 2),
    "tokens": lambda: tombola.sample_tokens(nothing((0, 3)), mask=nothing((0, 3), bool)),
    "rows": lambda: tombola.sample_tokens(nothing((0, 3)), temperature=nothing(0), seed=nothing((0, 2), np.uint64)),
    "dropout": lambda: tombola.dropout(nothing(0), 0.5, mask=nothing(0, np.uint8)),
    "round": lambda: tombola.stochastic_round(nothing(0), np.float16, out=nothing(0, np.float16)),
    "shuffle": lambda: tombola.shuffle(nothing((0, 4)), 2, out=nothing((0, 4))),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_elements_at_a_null_address(name):
    result = CALLS[name]()
    assert (result[0] if isinstance(result, tuple) else result).size == 0


@pytest.mark.parametrize("uniforms", [np.zeros((2, 0)), nothing((2, 0), np.float64)])
def test_no_uniform_numbers_are_given_all_the_same(uniforms):
    """A row without weights is refused as with any other numbers."""
    assert tombola.multinomial(np.ones((2, 3)), 0, uniforms=uniforms).shape == (2, 0)
    assert tombola.sample_tokens(np.ones((2, 3), np.float32), 0, uniforms=uniforms).shape == (2, 0)
