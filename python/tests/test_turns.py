# SPDX-License-Identifier: Apache-2.0
"""A generator that another thread is drawing from, when the process forks or a signal comes."""
import os
import signal
import threading
import time

import numpy as np
import pytest

import tombola

ALIGNMENTS = ["pytorch", "tensorflow"]


class Drawer:
    """A thread that draws from a generator, one draw after the other."""

    def __init__(self, draw):
        self.draws, self.stopped = 0, threading.Event()
        self.began = threading.Event()

        def work():
            while not self.stopped.is_set():
                self.began.set()
                draw()
                self.draws += 1

        self.thread = threading.Thread(target=work, daemon=True)

    def __enter__(self):
        self.thread.start()
        self.began.wait()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()


def of_child(work):
    """What a child of fork() returns as bytes; nothing if it hangs."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            os.write(write, work())
        finally:
            os._exit(0)  # what work() raises must not reach the parent's pytest
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_fork_while_a_thread_draws(alignment):
    """The generator of the child is where it was before the draw that was under way, or after it."""
    g, other = (tombola.Generator(alignment, seed=4) for _ in range(2))
    out = np.zeros(100_000, np.float32)

    def work():
        before = g.state
        number = g.uniform(1)
        again = tombola.Generator(alignment, seed=4)
        again.state = before
        assert np.array_equal(again.uniform(1), number) and np.array_equal(again.state, g.state)
        g.state = before
        return before.tobytes()

    with Drawer(lambda: g.uniform(out=out)) as drawer:
        said = {of_child(work) for _ in range(40)}
    possible = {other.state.tobytes()}
    for _ in range(drawer.draws):
        other.uniform(out=out)
        possible.add(other.state.tobytes())
    assert said <= possible
    np.testing.assert_array_equal(g.state, other.state)


@pytest.mark.parametrize("make", [lambda: tombola.Philox4x32(key=3), lambda: tombola.MT19937(3)])
def test_fork_while_a_thread_draws_for_numpy(make):
    """A bit generator of the child is unlocked. Its words are those of its state, as another one has them."""
    bits, other = make(), make()
    generator, out = np.random.Generator(bits), np.zeros(20_000)

    def work():
        other.state = bits.state
        same = np.array_equal(bits.random_raw(3000), other.random_raw(3000))
        generator.random(out=out)
        return b"same" if same else b"others"

    with Drawer(lambda: generator.random(out=out)):
        assert {of_child(work) for _ in range(40)} == {b"same"}


def test_a_child_that_forks():
    """Threads of the child draw when it forks."""
    g, out = tombola.Generator(seed=4), np.zeros(100_000, np.float32)

    def draws(work):
        with Drawer(lambda: g.uniform(out=out)):
            return of_child(work)

    assert draws(lambda: draws(lambda: g.uniform(1).tobytes() and b"drawn")) == b"drawn"


LONG = np.ones((1, 5 << 20))  # threads do not share the draws of one row


def test_a_signal_while_another_thread_draws():
    """Ctrl-C ends the call that waits for the generator. It has drawn nothing."""
    g, other = (tombola.Generator(seed=4) for _ in range(2))

    def interrupt(*_):
        raise KeyboardInterrupt

    def draw(generator):
        generator.multinomial(LONG, LONG.shape[1], replacement=False)

    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Drawer(lambda: draw(g)) as drawer:
            time.sleep(0.05)
            drawer.stopped.set()
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                g.uniform(1)
            assert drawer.draws == 0
    finally:
        signal.signal(signal.SIGALRM, former)
    draw(other)
    np.testing.assert_array_equal(g.state, other.state)


def test_a_handler_that_draws_while_its_call_waits():
    """The handler and the call take their turns one after the other."""
    g, other = (tombola.Generator(seed=4) for _ in range(2))
    out, calls, handled = np.zeros(3_000_000), 0, []
    former = signal.signal(signal.SIGALRM, lambda *_: handled.append(g.uniform(1)))
    try:
        with Drawer(lambda: g.uniform(out=out)) as drawer:
            signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
            while len(handled) < 5:
                g.uniform(1)
                calls += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, former)
    for _ in range(drawer.draws):
        other.uniform(out=out)
    for _ in range(calls + len(handled)):
        other.uniform(1)
    # MT19937 is a sequence of words: only their number says where it is.
    np.testing.assert_array_equal(g.state, other.state)


def assign(bits):
    state = bits.state

    def work():
        bits.state = state

    return work


@pytest.mark.parametrize(
    "make, change",
    [
        (lambda: tombola.MT19937(1), assign),
        (lambda: tombola.Philox4x32(1), assign),
        (lambda: tombola.Philox4x32(1), lambda bits: lambda: bits.advance(5)),
    ],
    ids=["MT19937", "Philox4x32", "advance"],
)
def test_a_handler_that_draws_while_a_bit_generator_changes(make, change):
    """The change does not hold the lock while the handler runs."""
    bits = make()
    generator, work, handled = np.random.Generator(bits), change(bits), []

    def handle(*_):
        # A handler that waits for the lock of its own thread would wait for ever.
        free = bits.lock.acquire(timeout=10)
        assert free
        bits.lock.release()
        handled.append(generator.random())
        signal.setitimer(signal.ITIMER_REAL, 0.0002)

    former = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0002)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    assert len(handled) > 100
