# SPDX-License-Identifier: Apache-2.0
import copy
import pickle
import threading

import numpy as np
import pytest

import reference
import tombola

ALIGNMENTS = ["pytorch", "tensorflow"]


def test_pytorch_continues():
    g = tombola.Generator("pytorch", seed=11)
    pieces = [g.uniform(n) for n in (1, 5, 617, 2, 1000)]
    np.testing.assert_array_equal(np.concatenate(pieces), reference.pytorch_unit(1625, "float32", 11))
    out = np.zeros((5, 2), np.float64).T
    assert g.uniform(out=out) is out
    words = reference.mt19937(1645, 11)[1625:]
    np.testing.assert_array_equal(out.ravel(), ((words[::2] << np.uint64(32) | words[1::2]) & np.uint64(2**53 - 1)) * 2.0**-53)


def test_tensorflow_continues_256_counters_for_each_element():
    g = tombola.Generator("tensorflow", seed=(3, 4))
    first, second = g.uniform(10), g.uniform(10)
    np.testing.assert_array_equal(first, tombola.uniform(10, seed=(3, 4)))
    words = reference.philox(10, 3, (4 << 64) + 2560)
    np.testing.assert_array_equal(second, ((words & np.uint64(2**23 - 1)) * 2.0**-23).astype(np.float32))
    assert g.state.tolist() == [5120, 4]


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_state(alignment):
    g = tombola.Generator(alignment, seed=(5, 6))
    g.uniform(100)
    state = g.state
    copies = [copy.deepcopy(g), pickle.loads(pickle.dumps(g)), tombola.Generator(alignment, seed=(5, 9))]
    copies[2].state = state
    expected = g.uniform((7, 3), "float64")
    for other in copies:
        np.testing.assert_array_equal(other.uniform((7, 3), "float64"), expected)
    g.state = state
    state[:] = 0  # a copy: the generator has its own
    np.testing.assert_array_equal(g.uniform((7, 3), "float64"), expected)
    for wrong in ([1, 2, 3], np.zeros(3, np.uint32), np.zeros(2, np.uint32), np.zeros(628, np.uint64)):
        with pytest.raises(ValueError, match="state has the dtype"):
            g.state = wrong


def test_a_state_that_is_none_is_refused():
    g = tombola.Generator(seed=1)
    before = g.state
    for wrong in (np.zeros(628, np.uint32), np.full(628, 625, np.uint32)):
        with pytest.raises(ValueError):
            g.state = wrong
    np.testing.assert_array_equal(g.state, before)


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_entropy(alignment):
    a, b = (tombola.Generator(alignment).uniform(4, "float64") for _ in range(2))
    assert not np.array_equal(a, b)


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_a_refused_call_draws_nothing(alignment):
    g = tombola.Generator(alignment, seed=1)
    before = g.state
    with pytest.raises(ValueError):
        g.uniform(10, low=2, high=1)
    np.testing.assert_array_equal(g.state, before)


def test_multinomial():
    weights = np.array([[1.0, 0, 3], [0.5, 0.25, 0]])
    drawn = tombola.Generator("pytorch", seed=2).multinomial(weights, 50)
    u = reference.pytorch_unit(100, "float64", 2).reshape(2, 50)
    np.testing.assert_array_equal(drawn, [reference.multinomial(row, numbers) for row, numbers in zip(weights, u)])


def test_threads_share_a_generator():
    """Draws from several threads are, in some order, the pieces of one stream."""
    g = tombola.Generator("pytorch", seed=8)
    pieces = []

    def work():
        for _ in range(50):
            pieces.append(tuple(g.uniform(50).tolist()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = reference.pytorch_unit(10000, "float32", 8).reshape(200, 50)
    assert sorted(pieces) == sorted(map(tuple, expected.tolist()))


def test_wrong_arguments():
    with pytest.raises(ValueError, match="alignment is 'numpy'"):
        tombola.Generator("numpy", seed=1)
    with pytest.raises(ValueError, match="seed is -3"):
        tombola.Generator(seed=-3)
    with pytest.raises(ValueError, match='expected "pytorch"'):
        tombola.Generator("tensorflow").to_torch(np.zeros(5056, np.uint8))
    with pytest.raises(ValueError, match="5056"):
        tombola.Generator.from_torch(np.zeros(5, np.uint8))
    assert repr(tombola.Generator(seed=4)) == 'tombola.Generator("pytorch", seed=(4, 1))'
