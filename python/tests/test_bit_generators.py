# SPDX-License-Identifier: Apache-2.0
import copy
import pickle
import re
import threading

import numpy as np
import pytest

import reference
import tombola


def draws(bits):
    """Draws of every width through NumPy's own code, so that each function of a bit generator is called."""
    g = np.random.Generator(bits)
    yield g.random(1000)
    yield g.random(1001, np.float32)
    yield g.integers(0, 2**64, 501, np.uint64)
    yield g.integers(0, 2**32, 501, np.uint32)
    yield g.integers(0, 77, 501, np.uint8)
    yield g.standard_normal(999)
    yield g.permutation(500)
    yield bits.random_raw(700)


@pytest.mark.parametrize("seed", [0, 42, [1, 2, 3], np.random.SeedSequence(9)])
def test_mt19937_is_numpys(seed):
    seeds = copy.deepcopy(seed), copy.deepcopy(seed)
    for mine, theirs in zip(draws(tombola.MT19937(seeds[0])), draws(np.random.MT19937(seeds[1]))):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("seed, error", [(-1, ValueError), ([1, -2], ValueError), ("text", TypeError), (1.5, TypeError)])
def test_mt19937_names_a_seed_that_it_refuses(seed, error):
    with pytest.raises(error, match=f"^seed is {re.escape(repr(seed))}; expected None, integers of at least 0"):
        tombola.MT19937(seed)


def test_mt19937_exchanges_its_state_with_numpy():
    mine, theirs = tombola.MT19937(1), np.random.MT19937(2)
    theirs.random_raw(1000)
    mine.state = theirs.state
    for a, b in zip(draws(mine), draws(theirs)):
        np.testing.assert_array_equal(a, b)
    theirs = np.random.MT19937(3)
    theirs.state = mine.state
    np.testing.assert_array_equal(mine.random_raw(2000), theirs.random_raw(2000))


def test_init_genrand():
    words = tombola.MT19937.init_genrand(2**32 + 5).random_raw(2000)
    np.testing.assert_array_equal(words, reference.mt19937(2000, 5))
    # The C++ standard, [rand.predef]: the 10000th word of a default-constructed std::mt19937.
    assert tombola.MT19937.init_genrand(5489).random_raw(10000)[-1] == 4123659995
    state = np.random.RandomState(tombola.MT19937.init_genrand(6))
    np.testing.assert_array_equal(state.standard_normal(100), np.random.RandomState(6).standard_normal(100))


def spawn(bits, count):
    """BitGenerator.spawn() of NumPy 1.25, for older ones too."""
    if hasattr(np.random.BitGenerator, "spawn"):
        return bits.spawn(count)
    if not isinstance(bits._seed_seq, np.random.bit_generator.ISpawnableSeedSequence):
        raise TypeError("The underlying SeedSequence does not implement spawning.")
    return [type(bits)(seed=child) for child in bits._seed_seq.spawn(count)]


def test_children_are_numpys():
    mine, theirs = tombola.MT19937(5), np.random.MT19937(5)
    for _ in range(2):
        children = spawn(mine, 2), spawn(theirs, 2)
        for a, b in zip(*children):
            np.testing.assert_array_equal(a.random_raw(700), b.random_raw(700))
        mine = pickle.loads(pickle.dumps(mine))  # it goes on with the third child


@pytest.mark.parametrize("make", [lambda: tombola.MT19937.init_genrand(5), lambda: tombola.Philox4x32(key=5)])
def test_without_a_seed_sequence_there_are_no_children(make):
    for bits in (make(), pickle.loads(pickle.dumps(make())), copy.deepcopy(make())):
        with pytest.raises(TypeError if isinstance(bits, tombola.MT19937) else NotImplementedError):
            bits.spawn(2) if hasattr(bits, "spawn") else spawn(bits, 2)
        assert not hasattr(bits._seed_seq, "spawn")
        with pytest.raises(TypeError, match="not seeded by a seed sequence"):
            bits._seed_seq.generate_state(4)


def test_philox_draws_random_words():
    bits = tombola.Philox4x32(key=12, counter=2**70)
    words = tombola.random_words(5000, key=12, counter=2**70).astype(np.uint64)
    np.testing.assert_array_equal(bits.random_raw(1001), words[:1001])
    g = np.random.Generator(bits)
    pairs = words[1001:3001].reshape(-1, 2)
    wide = pairs[:, 0] | pairs[:, 1] << np.uint64(32)
    np.testing.assert_array_equal(g.random(1000), (wide >> np.uint64(11)) * 2.0**-53)
    np.testing.assert_array_equal(g.integers(0, 2**32, 100, np.uint32), words[3001:3101])


@pytest.mark.parametrize("drawn", [0, 1, 3, 1024, 2049])
@pytest.mark.parametrize("delta", [0, 1, 2, 3, 4, 5, 1021, 2**32 + 1, 2**66 + 3, 2**130 + 7, -1, -1024])
def test_philox_advances_by_words(drawn, delta):
    bits = tombola.Philox4x32(key=5, counter=2**128 - 100)
    bits.random_raw(drawn)
    assert bits.advance(delta) is bits
    first = (4 * (2**128 - 100) + drawn + delta) % 2**130
    words = tombola.random_words(104, key=5, counter=first // 4)
    np.testing.assert_array_equal(bits.random_raw(100), words[first % 4 :][:100])


def test_philox_jumps_over_the_words_of_another_worker():
    bits = tombola.Philox4x32(key=5, counter=7)
    bits.random_raw(2)
    before = bits.state
    for jumps in (0, 1, 3, np.int64(2)):
        jumped = bits.jumped(jumps)
        assert type(jumped) is tombola.Philox4x32
        words = tombola.random_words(104, key=5, counter=7 + (int(jumps) << 64))
        np.testing.assert_array_equal(jumped.random_raw(100), words[2:102])
    np.testing.assert_array_equal(bits.random_raw(9), tombola.random_words(12, key=5, counter=7)[2:11])
    bits.state = before
    np.testing.assert_array_equal(bits.jumped().random_raw(3), bits.jumped(1).random_raw(3))


@pytest.mark.parametrize("make", [lambda: tombola.MT19937(5), lambda: tombola.MT19937.init_genrand(5)])
def test_mt19937_jumps_as_numpys(make):
    mine, theirs = make(), np.random.MT19937(0)
    theirs.state = mine.state
    for drawn, jumps in ((0, 1), (700, 2), (3, 0)):
        mine.random_raw(drawn)
        theirs.random_raw(drawn)
        jumped = mine.jumped(jumps)
        assert type(jumped) is tombola.MT19937
        np.testing.assert_array_equal(jumped.random_raw(2000), theirs.jumped(jumps).random_raw(2000))
    np.testing.assert_array_equal(mine.random_raw(10), theirs.random_raw(10))


# NumPy's jump depends on all bits of the state, also on those that MT19937 does not use, and on the position.
@pytest.mark.parametrize("pos", [0, 1, 5, 396, 397, 623, 624])
def test_mt19937_jumps_to_numpys_states(pos):
    theirs = np.random.MT19937(9)
    state = theirs.state
    for low in (0, 0x7FFFFFFF, 1):
        state["state"]["key"][pos % 624] ^= np.uint32(low)
        state["state"]["pos"] = pos
        theirs.state = state
        mine = tombola.MT19937(0)
        mine.state = state
        for jumps in (0, 1, 2, 31):
            actual, expected = mine.jumped(jumps).state["state"], theirs.jumped(jumps).state["state"]
            assert actual["pos"] == expected["pos"]
            np.testing.assert_array_equal(actual["key"], expected["key"])


# One by one they would take days.
def test_mt19937_jumps_far():
    bits = tombola.MT19937(3)
    bits.random_raw(100)
    for first, second in ((2**63, 2**63 - 1), (2**64 - 1000, 999), (np.uint64(2**63), 0)):
        at_once, in_steps = bits.jumped(int(first) + second), bits.jumped(first).jumped(second)
        np.testing.assert_array_equal(at_once.random_raw(2000), in_steps.random_raw(2000))
    np.testing.assert_array_equal(
        bits.jumped(2**40 + 3).jumped(2**40).random_raw(700), bits.jumped(2**41).jumped(1).jumped(2).random_raw(700)
    )


def test_jumps_that_are_refused():
    for call, message in (
        (lambda: tombola.Philox4x32(key=1).advance(1.5), "delta is 1.5; expected an integer"),
        (lambda: tombola.Philox4x32(key=1).jumped("a"), "jumps is 'a'; expected an integer"),
        (lambda: tombola.MT19937(1).jumped(1.5), "jumps is 1.5; expected an integer"),
    ):
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            call()
    for jumps in (-1, 2**64, 2**200):
        with pytest.raises(ValueError, match=rf"^jumps is {jumps}; expected an integer from 0 to 2\^64 - 1$"):
            tombola.MT19937(1).jumped(jumps)


@pytest.mark.parametrize("make", [lambda: tombola.Philox4x32(key=5), lambda: tombola.MT19937(5)])
def test_state(make):
    bits = make()
    for used in (0, 1, 3, 622, 1, 1024, 4095):
        bits.random_raw(used)
        copies = [make(), pickle.loads(pickle.dumps(bits)), copy.deepcopy(bits)]
        copies[0].state = bits.state
        expected = [other.random_raw(3000) for other in copies]
        saved = bits.state
        np.testing.assert_array_equal(expected[0], bits.random_raw(3000))
        np.testing.assert_array_equal(expected[0], expected[1])
        np.testing.assert_array_equal(expected[0], expected[2])
        bits.state = saved
    with pytest.raises(ValueError, match="the state is of 'PCG64'"):
        bits.state = np.random.PCG64(1).state


@pytest.mark.parametrize("make", [lambda: tombola.Philox4x32(key=5), lambda: tombola.MT19937(5), lambda: tombola.MT19937.init_genrand(5)])
def test_a_generator_of_numpy_over_them_can_be_pickled(make):
    g = np.random.Generator(make())
    g.integers(0, 100, 7, np.uint32)
    for twin in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
        assert type(twin.bit_generator) is type(g.bit_generator)
        before = g.bit_generator.state
        np.testing.assert_array_equal(g.normal(size=1000), twin.normal(size=1000))
        g.bit_generator.state = before


def test_refused_states():
    bits = tombola.MT19937(1)
    before = bits.state
    for key, pos in ((np.zeros(624, np.uint32), 0), (before["state"]["key"], 625)):
        with pytest.raises(ValueError):
            bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": pos}}
    np.testing.assert_array_equal(bits.random_raw(10), np.random.MT19937(1).random_raw(10))
    state = tombola.Philox4x32(key=1).state
    state["state"]["position"] = 4
    with pytest.raises(ValueError, match="position is 4"):
        tombola.Philox4x32(key=1).state = state


def test_entropy():
    for make in (tombola.Philox4x32, tombola.MT19937):
        assert not np.array_equal(make().random_raw(4), make().random_raw(4))


def test_threads():
    expected = {seed: np.random.Generator(np.random.MT19937(seed)).random(200000).sum() for seed in range(4)}
    found = {}

    def work(seed):
        found[seed] = np.random.Generator(tombola.MT19937(seed)).random(200000).sum()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


@pytest.mark.parametrize("make", [lambda: tombola.Philox4x32(key=7), lambda: tombola.MT19937(7)])
def test_a_second_init_is_refused(make):
    bits, twin = make(), np.random.Generator(make())
    g = np.random.Generator(bits)
    with pytest.raises(TypeError, match="is initialised once; assign its state"):
        bits.__init__(1)
    np.testing.assert_array_equal(g.random(3000), twin.random(3000))


@pytest.mark.parametrize("make", [lambda: tombola.Philox4x32(key=7), lambda: tombola.MT19937(7)])
def test_the_state_can_be_read_while_the_lock_is_held(make):
    """As by a signal handler that interrupts a draw."""
    bits = make()
    with bits.lock:
        pickled = pickle.dumps(bits)
    np.testing.assert_array_equal(pickle.loads(pickled).random_raw(3000), make().random_raw(3000))


@pytest.mark.parametrize("make", [lambda: tombola.Philox4x32(key=7), lambda: tombola.MT19937(7)])
def test_states_that_are_read_while_another_thread_draws(make):
    """Each is a state of the stream: what follows it is in the stream."""
    words_of_draw, most = 4096, 2**22
    bits, reader, expected = make(), make(), make().random_raw(most + 100)
    g = np.random.Generator(bits)  # which draws without the GIL, two words for a number
    enough = threading.Event()

    def draw():
        for _ in range(most // words_of_draw):
            g.random(words_of_draw // 2)
            if enough.is_set():
                break

    drawing = threading.Thread(target=draw)
    drawing.start()
    states = [bits.state for _ in range(40)]
    enough.set()
    drawing.join()
    for state in states:
        reader.state = state
        words = reader.random_raw(50)
        places = np.flatnonzero(expected[:-50] == words[0])
        assert any(np.array_equal(expected[at : at + 50], words) for at in places)
