# SPDX-License-Identifier: Apache-2.0
"""Generators: streams with a position."""
import secrets
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional, Tuple

import numpy

from tombola import _core
from tombola._types import Alignment, Array, DType, Flag, Float, FloatDraws, Int, IntDraws, Seed, Shape, Tensor


def _slots_of(cls: type) -> Iterator[str]:
    """The names of the attributes that the class and its bases keep in slots."""
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            owner = base.__name__.lstrip("_")
            hidden = owner and name.startswith("__") and not name.endswith("__")
            if name not in ("__dict__", "__weakref__"):
                yield f"_{owner}{name}" if hidden else name


class Generator:
    """A stream of random numbers that continues from call to call. Threads may share one.

    alignment: "pytorch" (MT19937), the default, continues as a torch.Generator does, "tensorflow" (Philox), the functions'
        default, as its kernels do: each call passes on by 256 counters for each element, permutation() by 7 in all.
    seed: (global, op), or an integer n, which stands for (n, 1); None and (0, 0) draw entropy. "pytorch" uses the low 32 bits of
        the global seed, as torch.manual_seed() does.

    >>> g = tombola.Generator("pytorch", seed=80)
    >>> g.uniform(4, "int32", 50, 100), g.uniform(2, "int32", 50, 100)
    (array([77, 58, 62, 69], dtype=int32), array([60, 94], dtype=int32))
    """

    def __init__(self, alignment: Alignment = "pytorch", seed: Seed = None):
        if seed is None and isinstance(alignment, (int, numpy.integer)):
            raise TypeError(
                f'alignment is {alignment}; expected "tensorflow" or "pytorch". A seed is given by its name: Generator(seed={alignment})'
            )
        pair: Tuple[int, int] = _core.seeds(seed)
        if pair == (0, 0):
            pair = (secrets.randbits(64), secrets.randbits(64) | 1)
        self._alignment = alignment
        self._seed = pair
        self._seeds: Optional[Tuple[int, int]]
        if alignment == "tensorflow":
            # The op seed is the state's second half; beside a state, the pair (0, 0) would ask for entropy.
            self._seeds = (pair[0], 1)
            state = numpy.array([0, pair[1]], numpy.uint64)
        else:
            # The 625 words of MT19937, then the normal number that torch.randn keeps for the next call.
            self._seeds = None
            state = numpy.concatenate([_core.initial_state(pair), numpy.zeros(3, numpy.uint32)])
        self._state = _core.State(state)
        self.state = state  # which refuses an unknown alignment

    if not TYPE_CHECKING:  # type checkers would believe in every attribute

        def __getattr__(self, name: str) -> Any:
            """Called for attributes that are absent."""
            if name in ("_alignment", "_seed", "_seeds", "_state"):
                raise AttributeError(f"{type(self).__name__}.__init__() did not call tombola.Generator.__init__()")
            return object.__getattribute__(self, name)  # raises again, with the reason of a property

    def uniform(
        self,
        shape: Shape = None,
        dtype: DType = None,
        low: Float = 0,
        high: Optional[Float] = None,
        *,
        int_draws: IntDraws = "spec",
        float_draws: FloatDraws = "torch1",
        full_range: Flag = False,
        out: Tensor = None,
    ) -> Tensor:
        """Numbers from [low, high): see tombola.uniform().

        >>> tombola.Generator("tensorflow", seed=(150, 10)).uniform(3)
        array([0.7011236 , 0.30539632, 0.93931055], dtype=float32)
        """
        return _core.uniform(
            shape, dtype, low, high, self._seeds, 0, self._alignment, int_draws, float_draws, full_range, out,
            self._state,
        )

    def normal(
        self, shape: Shape = None, dtype: DType = None, mean: Float = 0, std: Float = 1, *, out: Tensor = None
    ) -> Tensor:
        """Normal numbers: see tombola.normal().

        >>> g, whole = tombola.Generator("pytorch", seed=3), tombola.normal(32, seed=3, alignment="pytorch")
        >>> numpy.array_equal(numpy.concatenate([g.normal(16), g.normal(16)]), whole)
        True
        """
        return _core.normal(shape, dtype, mean, std, self._seeds, 0, self._alignment, out, self._state)

    def exponential(
        self, shape: Shape = None, dtype: DType = None, rate: Float = 1, *, out: Tensor = None
    ) -> Tensor:
        """Exponentially distributed numbers: see tombola.exponential().

        >>> g, once = tombola.Generator(seed=3), tombola.exponential(5, seed=3, alignment="pytorch")
        >>> numpy.array_equal(g.exponential(5), once)
        True
        """
        return _core.exponential(shape, dtype, rate, self._seeds, 0, self._alignment, out, self._state)

    def bernoulli(self, p: Any, shape: Shape = None, dtype: DType = None, *, out: Tensor = None) -> Tensor:
        """Numbers that are 1 with the probability p and 0 otherwise: see tombola.bernoulli().

        >>> g, once = tombola.Generator(seed=3), tombola.bernoulli(0.5, 9, seed=3, alignment="pytorch")
        >>> numpy.array_equal(g.bernoulli(0.5, 9), once)
        True
        """
        return _core.bernoulli(p, shape, dtype, self._seeds, 0, self._alignment, out, self._state)

    def multinomial(
        self,
        weights: Tensor,
        samples: Int,
        *,
        replacement: Flag = True,
        log_probs: Flag = False,
        dtype: DType = None,
        out: Tensor = None,
    ) -> Tensor:
        """Classes drawn by weight: tombola.multinomial() with numbers of float64 from this stream.

        >>> tombola.Generator(seed=1).multinomial(numpy.array([0.0, 2.0, 0.0]), 3)
        array([1, 1, 1])
        """
        return _core.continued_multinomial(
            weights, samples, replacement, log_probs, dtype, self._seeds, self._alignment, out, self._state
        )

    def permutation(
        self, n: Int, size: Optional[Int] = None, dtype: DType = None, *, out: Tensor = None
    ) -> Tensor:
        """The first elements of a random permutation: torch.randperm's ("pytorch") or tombola.permutation's "philox".

        >>> order = tombola.Generator("pytorch", seed=3).permutation(10)
        >>> numpy.array_equal(order, tombola.permutation(10, seed=3, alignment="pytorch"))
        True
        """
        alignment = "pytorch" if self._alignment == "pytorch" else "philox"
        if size is None and out is None:
            size = n
        return _core.permutation(n, size, dtype, self._seeds, 0, alignment, out, self._state)

    @property
    def alignment(self) -> Alignment:
        """The alignment that the generator was made with."""
        return self._alignment

    @property
    def seed(self) -> Tuple[int, int]:
        """The pair of seeds that the generator was made with, drawn ones included."""
        return self._seed

    @property
    def state(self) -> Array:
        """The position, a copy: for "tensorflow" the counter and the op seed (uint64); for "pytorch" (uint32) the 624
        words of MT19937, the index of the next one, whether a normal number is kept, and the words of that float64.
        With "tensorflow" the first of the seeds is a key, which the position does not contain: to go on in another
        generator, make it with the same seed, or pickle the generator.

        >>> g = tombola.Generator(seed=7)
        >>> state = g.state
        >>> first = g.uniform(5)
        >>> g.state = state
        >>> numpy.array_equal(g.uniform(5), first)
        True
        """
        return self._state.copy()

    @state.setter
    def state(self, state: Any) -> None:
        dtype, shape = (numpy.dtype("uint32"), (628,)) if self._seeds is None else (numpy.dtype("uint64"), (2,))
        if isinstance(state, (list, tuple)):
            raise TypeError(f"state is a {type(state).__name__}; expected an array of {dtype} of the shape {shape}")
        state = numpy.array(state, order="C")
        if state.dtype != dtype:
            raise TypeError(f"state has the dtype {state.dtype}; expected {dtype}")
        if state.shape != shape:
            raise ValueError(f"state has the shape {state.shape}; expected {shape}")
        # A call that draws nothing refuses what is no state.
        _core.normal(0, None, 0, 1, self._seeds, 0, self._alignment, None, _core.State(state))
        # The object stays: a call whose argument assigns the state has it already.
        self._state.set(_core.State(state))

    @classmethod
    def from_torch(cls, state: Tensor) -> "Generator":
        """Goes on where a CPU generator of PyTorch is.

        state: what torch.get_rng_state() or a torch.Generator's get_state() returned. The seed that it remembers becomes
            this generator's seed.
        """
        words, seed = _core.from_torch(state)
        generator = cls("pytorch", seed=seed)
        generator.state = words
        return generator

    def to_torch(self, state: Tensor) -> Tensor:
        """Lets a CPU generator of PyTorch go on here: torch.set_rng_state(g.to_torch(torch.get_rng_state())).

        state: what torch.get_rng_state() or get_state() returned; it is written and returned.
        """
        if self._alignment != "pytorch":
            raise ValueError(f'the alignment is "{self._alignment}"; expected "pytorch"')
        _core.to_torch(self.state, state)
        return state

    def __getstate__(self) -> Dict[str, Any]:
        own = ("_alignment", "_seed", "_seeds", "_state")
        others = {name: value for name, value in vars(self).items() if name not in own}  # of a subclass
        slots = {name: getattr(self, name) for name in _slots_of(type(self)) if hasattr(self, name)}
        return {
            "alignment": self._alignment,
            "seed": self.seed,
            "state": self.state,
            "attributes": others,
            "slots": slots,
        }

    def __setstate__(self, values: Dict[str, Any]) -> None:
        Generator.__init__(self, values["alignment"], values["seed"])
        self.state = values["state"]
        vars(self).update(values["attributes"])
        for name, value in values.get("slots", {}).items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f'<tombola.Generator of the alignment "{self._alignment}", made with seed={self.seed}>'
