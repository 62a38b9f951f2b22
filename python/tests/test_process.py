# SPDX-License-Identifier: Apache-2.0
import gc
import os
import signal
import sys
import threading
import weakref

import numpy as np
import pytest

import tombola


def test_other_threads_run_while_a_primitive_runs():
    """With this interval the interpreter takes the GIL from no thread: the main thread goes on only if one releases it."""
    before = sys.getswitchinterval()
    out, stop, rounds = np.zeros(1 << 20, np.float32), threading.Event(), 0

    def work():
        nonlocal rounds
        while not stop.is_set() and rounds < 3000:
            tombola.uniform(out=out, seed=1)
            rounds += 1

    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        stop.set()
        thread.join()
    finally:
        sys.setswitchinterval(before)
    assert rounds < 3000


def test_threads_draw_the_same_numbers():
    """Threads that use one primitive at a time do not share its memory objects."""
    expected = {n: tombola.uniform(n, seed=n) for n in (64, 1000, 100_000)}
    wrong = []

    def work():
        for _ in range(100):
            for n, numbers in expected.items():
                if not np.array_equal(tombola.uniform(n, seed=n), numbers):
                    wrong.append(n)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_fork():
    """A child that was forked after its parent drew, as the workers of a data loader are."""
    g = tombola.Generator(seed=3)
    expected = tombola.uniform(1 << 21, seed=1)
    g.uniform(5)
    then = g.state
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # A child that hangs ends here, and what it should have written is missing.
        drawn = tombola.uniform(1 << 21, seed=1)
        os.write(write, b"same" if np.array_equal(drawn, expected) else b"other")
        os.write(write, g.uniform(4).tobytes())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    assert said == b"same" + g.uniform(4).tobytes()
    assert not np.array_equal(g.state, then)


def test_more_primitives_than_are_kept():
    for _ in range(2):
        for n in range(1, 200):
            np.testing.assert_array_equal(tombola.uniform(n, seed=5), tombola.uniform(200, seed=5)[:n])


class Exporter:
    """Shows an array by DLPack alone, and counts what is exported and released."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack():
    x = np.arange(24, dtype=np.float32).reshape(2, 12)
    np.testing.assert_array_equal(tombola.shuffle(Exporter(x), 3), tombola.shuffle(x, 3))
    out = Exporter(np.zeros((12, 2), np.float32).T)
    assert tombola.shuffle(Exporter(x), 3, out=out) is out
    np.testing.assert_array_equal(out.array, tombola.shuffle(x, 3))
    with pytest.raises(ValueError, match="src has a negative stride along axis 0"):
        tombola.shuffle(Exporter(x[::-1]), 3)
    # What was taken is given back, after a call that failed too.
    array = np.zeros(4, np.float32)
    alive = weakref.ref(array)
    for high in (1, -1):
        try:
            tombola.uniform(out=Exporter(array), high=high, seed=1)
        except ValueError:
            pass
    del array
    gc.collect()
    assert alive() is None

    class Elsewhere(Exporter):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(TypeError, match="src is on a device of DLPack's kind 2"):
        tombola.shuffle(Elsewhere(x), 3)
    if hasattr(np, "from_dlpack"):
        with pytest.raises((BufferError, RuntimeError, TypeError)):
            np.from_dlpack(tombola.uniform(3, "bfloat16", seed=1))  # NumPy has no such type
