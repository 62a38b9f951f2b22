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
    for wrong in (np.array([1, 2, 3]), np.zeros(3, np.uint32), np.zeros(2, np.uint32), np.zeros(628, np.uint64)):
        with pytest.raises((TypeError, ValueError), match="state has the (dtype|shape) .*; expected"):
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


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_multinomial_of_no_samples(alignment):
    g = tombola.Generator(alignment, seed=2)
    before = g.state
    assert g.multinomial(np.ones((2, 3)), 0).shape == (2, 0) and g.multinomial(np.ones((0, 3)), 5).shape == (0, 5)
    np.testing.assert_array_equal(g.state, before)


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
    for seed in (42, np.int64(42)):
        with pytest.raises(TypeError, match=r"alignment is 42; .* A seed is given by its name: Generator\(seed=42\)$"):
            tombola.Generator(seed)
    with pytest.raises(ValueError, match="seed is -3"):
        tombola.Generator(seed=-3)
    with pytest.raises(ValueError, match='expected "pytorch"'):
        tombola.Generator("tensorflow").to_torch(np.zeros(5056, np.uint8))
    with pytest.raises(ValueError, match="5056"):
        tombola.Generator.from_torch(np.zeros(5, np.uint8))
    with_gaps = np.zeros(2 * 5056, np.uint8)[::2]
    for use in (tombola.Generator.from_torch, tombola.Generator("pytorch").to_torch):
        with pytest.raises(ValueError, match="state has gaps; expected contiguous bytes"):
            use(with_gaps)
    assert not with_gaps.base.any()
    with pytest.raises(TypeError, match=r"state is a list; expected an array of uint64 of the shape \(2,\)"):
        tombola.Generator("tensorflow").state = [1, 2]
    assert repr(tombola.Generator(seed=4)) == '<tombola.Generator of the alignment "pytorch", made with seed=(4, 1)>'


def test_a_subclass_that_does_not_initialise_its_base():
    class Forgetful(tombola.Generator):
        def __init__(self):
            pass

        @property
        def derived(self):
            return self.inner

    for use in (lambda g: g.uniform(3), lambda g: g.seed, lambda g: g.state, lambda g: g.alignment):
        with pytest.raises(AttributeError, match=r"Forgetful.__init__\(\) did not call tombola.Generator.__init__\(\)"):
            use(Forgetful())
    with pytest.raises(AttributeError, match="'Forgetful' object has no attribute 'inner'"):
        Forgetful().derived
    with pytest.raises(AttributeError, match="'Forgetful' object has no attribute 'colour'"):
        Forgetful().colour


def test_the_seed_of_pytorch_is_kept():
    blob = np.zeros(5056, np.uint8)
    blob[:8] = np.array([2**63 + 5], "<u8").view(np.uint8)
    blob[8], blob[12] = 1, 1  # words that are left, and PyTorch's mark of a generator that has a seed
    g = tombola.Generator.from_torch(tombola.Generator("pytorch", seed=9).to_torch(blob))
    assert g.seed == (2**63 + 5, 1)
    np.testing.assert_array_equal(g.uniform(9), tombola.uniform(9, seed=9, alignment="pytorch"))


# -- arguments whose methods draw from the generator that they are given to --------------------------------------------


class Drawing:
    """Shows an array by DLPack alone, and is the number 5; each method draws a number from a generator first."""

    def __init__(self, generator, array=None):
        self.generator, self.array, self.draws = generator, array, 0

    def draw(self):
        self.draws += 1
        self.generator.uniform(1)

    def __dlpack__(self, **_):
        self.draw()
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        self.draw()
        return (1, 0)

    def __index__(self):
        self.draw()
        return 5

    def __float__(self):
        self.draw()
        return 5.0

    def __repr__(self):
        self.draw()
        return "an object that draws"


def ended(call):
    """What a call returns or raises; fails if it waits for itself."""
    results = []

    def work():
        try:
            results.append(call())
        except (TypeError, ValueError) as error:
            results.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "the call waits for itself"
    return results[0]


WEIGHTS = np.array([[1.0, 2, 3], [0, 0.5, 0.25]])
NUMBER = None  # stands for an object that is the number 5
WITH_ARGUMENTS = {
    "uniform": [lambda g, a: g.uniform(out=a(np.zeros(5, np.float32))), lambda g, a: g.uniform(a(NUMBER), low=0, high=a(NUMBER))],
    "normal": [lambda g, a: g.normal((2, a(NUMBER)), mean=a(NUMBER)), lambda g, a: g.normal(out=a(np.zeros(5)))],
    "exponential": [lambda g, a: g.exponential(3, rate=a(NUMBER), out=a(np.zeros(3)))],
    "bernoulli": [lambda g, a: g.bernoulli(a(WEIGHTS / 4)), lambda g, a: g.bernoulli(0.5, out=a(np.zeros(5, np.uint8)))],
    "multinomial": [
        lambda g, a: g.multinomial(a(WEIGHTS), a(NUMBER)),
        lambda g, a: g.multinomial(WEIGHTS, 5, out=a(np.zeros((2, 5), np.int32))),
    ],
    "permutation": [lambda g, a: g.permutation(a(NUMBER)), lambda g, a: g.permutation(9, out=a(np.zeros(3, np.int64)))],
}


REFUSED = [
    lambda g, a: g.multinomial(a(-WEIGHTS), 5),
    lambda g, a: g.multinomial(a(WEIGHTS), a(NUMBER), replacement=False),
    lambda g, a: g.multinomial(WEIGHTS, 5, out=a(np.zeros(3, np.int32))),
    lambda g, a: g.uniform(3, dtype=a(NUMBER)),
    lambda g, a: g.uniform(3, low=a(NUMBER), high=a(NUMBER)),
    lambda g, a: g.bernoulli(a(WEIGHTS)),
    lambda g, a: g.to_torch(a(np.zeros(3, np.uint8))),
]


def with_drawing_arguments(call, alignment):
    """What the call returns or raises, its generator, and one that has drawn what the arguments of the call drew."""
    g, other, given = tombola.Generator(alignment, seed=9), tombola.Generator(alignment, seed=9), []

    def drawing(array):
        given.append(Drawing(g, array))
        return given[-1]

    result = ended(lambda: call(g, drawing))
    assert given[0].draws > 0 or alignment == "tensorflow"  # which has no state of PyTorch
    for _ in range(sum(one.draws for one in given)):
        other.uniform(1)
    return result, g, other


@pytest.mark.parametrize("alignment", ALIGNMENTS)
@pytest.mark.parametrize("name", WITH_ARGUMENTS)
def test_arguments_that_draw(alignment, name):
    """Their numbers come first in the stream, then those of the call."""
    for call in WITH_ARGUMENTS[name]:
        result, g, other = with_drawing_arguments(call, alignment)
        result = result.array if isinstance(result, Drawing) else result
        np.testing.assert_array_equal(result, call(other, lambda array: 5 if array is NUMBER else array.copy()))
        np.testing.assert_array_equal(g.state, other.state)


@pytest.mark.parametrize("alignment", ALIGNMENTS)
@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_arguments_that_draw_and_are_refused(alignment, number):
    """Only the arguments' own numbers are drawn."""
    error, g, other = with_drawing_arguments(REFUSED[number], alignment)
    assert isinstance(error, (TypeError, ValueError))
    np.testing.assert_array_equal(g.state, other.state)


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_an_argument_that_assigns_the_state(alignment):
    """The call goes on from the assigned state, and the next call from where this one ended."""
    g, other = tombola.Generator(alignment, seed=9), tombola.Generator(alignment, seed=9)
    other.uniform(300)

    class Size:
        def __index__(self):
            g.state = other.state
            return 5

    first = g.uniform(Size())
    np.testing.assert_array_equal(first, other.uniform(5))
    np.testing.assert_array_equal(g.uniform(5), other.uniform(5))


@pytest.mark.parametrize("make", [lambda: tombola.Philox4x32(key=1), lambda: tombola.MT19937(1)])
def test_a_bit_generator_whose_new_position_draws_from_it(make):
    class Position:
        def __index__(self):
            bits.random_raw()
            return 3

    bits = make()
    state = bits.state
    for name in ("position", "pos"):
        if name in state["state"]:
            state["state"][name] = Position()

    def assign():
        bits.state = state

    assert ended(assign) is None
    assert 3 in (bits.state["state"].get("position"), bits.state["state"].get("pos"))


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_threads_draw_classes_from_one_generator(alignment):
    """Draws from several threads are, in some order, those of one thread."""
    weights, g, other, pieces = np.arange(1.0, 1000), *(tombola.Generator(alignment, seed=8) for _ in range(2)), []

    def work():
        for _ in range(50):
            pieces.append(tuple(g.multinomial(weights, 20).tolist()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(pieces) == sorted(tuple(other.multinomial(weights, 20).tolist()) for _ in range(200))


def test_seeds_and_alignment_are_kept():
    """They say how the generator was made; assigned ones would have no effect, or a wrong one after pickling."""
    for alignment in ("pytorch", "tensorflow"):
        g = tombola.Generator(alignment, seed=(3, 4))
        for name, value in (("seed", (5, 6)), ("alignment", "pytorch")):
            with pytest.raises(AttributeError):
                setattr(g, name, value)
        assert (g.alignment, g.seed) == (alignment, (3, 4))


class Run(tombola.Generator):
    def __init__(self, run):
        super().__init__("pytorch", seed=run)
        self.run = run


class Slotted(Run):
    __slots__ = ("step", "__hidden", "unset")

    def __init__(self, run):
        super().__init__(run)
        self.step, self.__hidden = 2 * run, 3 * run

    def hidden(self):
        return self.__hidden


def test_attributes_in_slots_are_copied_and_pickled():
    g = Slotted(5)
    for twin in [copy.copy(g), copy.deepcopy(g)] + [pickle.loads(pickle.dumps(g, p)) for p in range(2, 6)]:
        assert (twin.run, twin.step, twin.hidden()) == (5, 10, 15)
        assert not hasattr(twin, "unset")


def test_a_subclass_can_be_copied_and_pickled():
    g = Run(5)
    g.uniform(3)
    twins = [copy.copy(g), copy.deepcopy(g)] + [pickle.loads(pickle.dumps(g, p)) for p in range(2, 6)]
    expected = g.uniform(20)
    for twin in twins:
        assert type(twin) is Run and twin.run == 5
        np.testing.assert_array_equal(twin.uniform(20), expected)
