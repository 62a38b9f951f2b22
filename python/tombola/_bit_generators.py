# SPDX-License-Identifier: Apache-2.0
"""Bit generators: numpy.random.Generator(tombola.Philox4x32(key=1)) draws from tombola's streams."""
import os
import secrets
import weakref
from copy import copy
from typing import Any, Callable, Dict, Sequence, Tuple, Union

import numpy
from numpy.random import BitGenerator
from numpy.random.bit_generator import ISeedSequence

from tombola import _core
from tombola._functions import integer_of, philox_state, words_of
from tombola._types import Int

_ALL: "weakref.WeakSet[BitGenerator]" = weakref.WeakSet()


def _unlock() -> None:
    """In a child of fork(): a thread that does not exist there may have locked a bit generator to draw."""
    for generator in list(_ALL):
        generator.lock._at_fork_reinit()


os.register_at_fork(after_in_child=_unlock)


def _refuse_second_init(generator: BitGenerator) -> None:
    """A numpy.random.Generator over it has the addresses of what the first one made."""
    if hasattr(generator, "_words"):
        raise TypeError(f"a {type(generator).__name__} is initialised once; assign its state, or make another one")


class _NoSeedSequence(ISeedSequence):  # type: ignore[misc]
    """In place of the seed sequence of a bit generator that was not seeded by one. NumPy spawns no children from it."""

    def generate_state(self, n_words: int, dtype: Any = numpy.uint32) -> Any:
        raise TypeError("the bit generator was not seeded by a seed sequence")


def _restored(cls: Callable[..., Any], *seed_seq: Any) -> Any:
    """A bit generator before its state is set: what __reduce__() names. Before NumPy 1.26, a numpy.random.Generator is pickled with this
    function and its first argument alone."""
    return cls(*seed_seq)


def _inner_state(state: Any, name: str, keys: Sequence[str]) -> Dict[str, Any]:
    """The part of a bit generator's state that has its numbers."""
    expected = f'a dictionary with "bit_generator" and "state", of which the latter has {", ".join(keys)}'
    if not isinstance(state, dict):
        raise TypeError(f"state is {_core.text_of(state)}; expected {expected}")
    if state.get("bit_generator", name) != name:
        raise ValueError(f'the state is of {_core.text_of(state["bit_generator"])}; expected "{name}"')
    inner = state.get("state")
    if "bit_generator" not in state or not isinstance(inner, dict) or not all(key in inner for key in keys):
        raise ValueError(f"state is {_core.text_of(state)}; expected {expected}")
    return inner


class Philox4x32(BitGenerator):
    """The words of tombola.random_words() as a bit generator of NumPy.

    A number of 64 bits takes two words, the first one as its low half; a float64 from [0, 1) is the upper 53 bits of one.

    key: an integer of 64 bits, or 2 words, the least significant one first; None draws entropy.
    counter: an integer of 128 bits, or 4 words: where the stream begins.

    >>> bits = tombola.Philox4x32(key=0)
    >>> [hex(word) for word in bits.random_raw(4)]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    >>> normals = numpy.random.Generator(bits).standard_normal(1000)
    """

    def __init__(self, key: Union[Int, Sequence[Int], None] = None, counter: Union[Int, Sequence[Int]] = 0):
        _refuse_second_init(self)
        super().__init__(_NoSeedSequence())
        _ALL.add(self)
        key = secrets.randbits(64) if key is None else key
        state = philox_state(counter, key)
        self._words = _core.Philox(self.capsule, state)

    @property
    def state(self) -> Any:
        """The counter of the next word's block, the key, and the index of that word in the block, 0 to 3."""
        words, used = self._words.get()  # without the lock: a signal handler may interrupt a draw, and save the state
        counter = sum(int(word) << 32 * i for i, word in enumerate(words[:4])) + used // 4
        return {
            "bit_generator": "Philox4x32",
            "state": {"counter": words_of(counter % 2**128, 4, "counter").copy(), "key": words[4:], "position": used % 4},
        }

    @state.setter
    def state(self, value: Any) -> None:
        inner = _inner_state(value, "Philox4x32", ("counter", "key", "position"))
        state = philox_state(inner["counter"], inner["key"])
        position = integer_of(inner["position"], "position")
        self._words.set(self.lock, state, position)

    def advance(self, delta: Int) -> "Philox4x32":
        """Goes on as if `delta` words had been drawn, and returns the generator itself. A negative number goes back; the stream is a circle of
        2**130 words. The method of NumPy's Philox counts blocks of four words instead.

        >>> bits = tombola.Philox4x32(key=0).advance(2)
        >>> [hex(word) for word in bits.random_raw(2)]
        ['0xbc57ac4c', '0x9b00dbd8']
        """
        blocks, words = divmod(integer_of(delta, "delta") % 2**130, 4)
        self._words.advance(self.lock, words_of(blocks, 4, "delta"), words)
        return self

    def jumped(self, jumps: Int = 1) -> "Philox4x32":
        """A new generator, `jumps` times 2**66 words further on than this one: streams for workers, which do not overlap."""
        jumped: Philox4x32 = copy(self)
        return jumped.advance(2**66 * integer_of(jumps, "jumps"))

    def spawn(self, n_children: int) -> Any:
        """Not possible: a generator of a key has no seed sequence. Give each stream a key of its own."""
        raise NotImplementedError("tombola.Philox4x32 does not spawn; give each stream a key of its own")

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (type(self),), self.state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.state = state


class MT19937(BitGenerator):
    """numpy.random.MT19937's words for the same seed, from tombola's MT19937. States may be exchanged with NumPy's.

    seed: None, an integer, a sequence of integers or a numpy.random.SeedSequence.

    >>> mine, theirs = tombola.MT19937(42), numpy.random.MT19937(42)
    >>> numpy.array_equal(mine.random_raw(1000), theirs.random_raw(1000))
    True
    """

    def __init__(self, seed: Any = None):
        _refuse_second_init(self)
        try:
            super().__init__(seed)
        except (TypeError, ValueError) as refused:
            expected = "None, integers of at least 0, or a numpy.random.SeedSequence"
            raise type(refused)(f"seed is {_core.text_of(seed)}; expected {expected}") from None
        _ALL.add(self)
        # NumPy's way from its seed sequence to a state.
        words = numpy.zeros(625, numpy.uint32)
        if not isinstance(self._seed_seq, _NoSeedSequence):
            words[:624] = self._seed_seq.generate_state(624)
        words[0] = 0x80000000
        words[624] = 623
        self._words = _core.Mt19937(self.capsule, words)

    @classmethod
    def init_genrand(cls, seed: Int) -> "MT19937":
        """Seeded as by the authors' init_genrand(), torch.manual_seed() and numpy.random.RandomState().

        seed: an integer from 0 to 2**64 - 1, whose low 32 bits count. There is no seed sequence, so spawn() raises TypeError, as NumPy's does.

        >>> tombola.MT19937.init_genrand(5489).random_raw(2)  # the C++ standard library's std::mt19937
        array([3499211612,  581869302], dtype=uint64)
        """
        generator = cls(_NoSeedSequence())
        generator._words.set(generator.lock, _core.initial_state(integer_of(seed, "seed")))
        return generator

    @property
    def state(self) -> Any:
        """The 624 words and the position of the next one, in numpy.random.MT19937's form."""
        words = self._words.get()  # without the lock, as above
        return {"bit_generator": "MT19937", "state": {"key": words[:624], "pos": int(words[624])}}

    @state.setter
    def state(self, value: Any) -> None:
        inner = _inner_state(value, "MT19937", ("key", "pos"))
        words = numpy.empty(625, numpy.uint32)
        words[:624] = words_of(inner["key"], 624, "key", whole=False)
        pos = integer_of(inner["pos"], "pos")
        if not 0 <= pos <= 624:
            raise ValueError(f"pos is {_core.text_of(pos)}; expected a number from 0 to 624")
        words[624] = pos
        self._words.set(self.lock, words)

    def jumped(self, jumps: Int = 1) -> "MT19937":
        """A new generator, far ahead in the same stream, where numpy.random.MT19937.jumped() is. It has no seed sequence. NumPy says
        2**128 words for each of `jumps`; that is so only where a block of 624 words begins.

        jumps: an integer from 0 to 2**64 - 1. Many jumps take hardly more time than one.

        >>> mine, theirs = tombola.MT19937(42).jumped(), numpy.random.MT19937(42).jumped()
        >>> numpy.array_equal(mine.random_raw(1000), theirs.random_raw(1000))
        True
        """
        words = self._words.jumped(integer_of(jumps, "jumps"))
        jumped = type(self)(_NoSeedSequence())
        jumped._words.set(jumped.lock, words)
        return jumped

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (type(self), self._seed_seq), self.state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.state = state
