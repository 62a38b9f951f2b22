# SPDX-License-Identifier: Apache-2.0
import copy
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import tracemalloc
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
        try:
            drawn = tombola.uniform(1 << 21, seed=1)
            os.write(write, b"same" if np.array_equal(drawn, expected) else b"other")
            os.write(write, g.uniform(4).tobytes())
        finally:
            os._exit(0)  # what is raised must not reach the parent's pytest
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


def test_many_threads_and_one_primitive():
    """Executions of one shape, by more threads than there are processors, with errors among them."""
    weights, expected = np.arange(1, 300.0).reshape(1, -1), {}
    for seed in range(20):
        expected[seed] = tombola.multinomial(weights, 50, seed=seed + 1)
    wrong, start = [], threading.Barrier(12)

    def work(first):
        start.wait()
        for i in range(300):
            seed = (first + i) % 20
            if not np.array_equal(tombola.multinomial(weights, 50, seed=seed + 1), expected[seed]):
                wrong.append(seed)
            try:
                tombola.multinomial(-weights, 50, seed=1)
                wrong.append("not refused")
            except ValueError:
                pass

    threads = [threading.Thread(target=work, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def run(program):
    """Runs a program in another interpreter; returns its exit code and what it printed."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("size", [64, 10_000, 3_000_000])
def test_the_interpreter_ends_while_daemon_threads_draw(size):
    """Python ends a thread that asks for the GIL then; neither the stack of C++ nor the process may break."""
    program = f"""
import threading, time, numpy, tombola
def work():
    out, x = numpy.zeros({size}, numpy.float32), numpy.zeros((2, 12), numpy.float32)
    g = tombola.Generator(seed=1)
    while True:
        tombola.uniform(out=out, seed=1)
        tombola.uniform(9, "bfloat16", seed=1)
        tombola.shuffle(x.T, 3, 0)
        tombola.dropout(x, 0.5, seed=1)
        tombola.sample_tokens(x, temperature=[1, 2], seed=1)
        g.multinomial(x + 1, 2)
for i in range(6):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
print("end")
"""
    for _ in range(3):
        assert run(program) == (0, "end\n")


def test_what_outlives_the_interpreter():
    """Module globals, and a capsule that nobody took, are freed when Python ends."""
    program = """
import sys, numpy, tombola
numbers = tombola.uniform(9, "bfloat16", seed=1)
sys.capsule = numbers.__dlpack__()
sys.generator, sys.bits = tombola.Generator(seed=1), tombola.Philox4x32(key=1)
sys.numpys = numpy.random.Generator(sys.bits)
class Last:
    def __init__(self): self.uniform = tombola.uniform
    def __del__(self): self.uniform(3, seed=1)
sys.last = Last()
print("end")
"""
    assert run(program) == (0, "end\n")


def test_imported_again():
    """Once more under the same name, as a copy elsewhere, and in a second interpreter of the process."""
    program = """
import importlib, os, shutil, sys, tempfile, numpy
import tombola
first = tombola.uniform(3, seed=1)
importlib.reload(tombola)
def forget():
    for name in [name for name in sys.modules if name.startswith("tombola")]: del sys.modules[name]
forget()
import tombola as again
assert again is not tombola and numpy.array_equal(again.uniform(3, seed=1), first)
assert again.Philox4x32(key=1).random_raw(1) == tombola.Philox4x32(key=1).random_raw(1)
forget()
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree(os.path.dirname(tombola.__file__), folder + "/tombola")
    sys.path.insert(0, folder)
    import tombola as other
    assert other.__file__.startswith(folder) and numpy.array_equal(other.uniform(3, seed=1), first)
    assert isinstance(other.uniform(3, "bfloat16", seed=1), other.BFloat16Array)
try:
    import _xxsubinterpreters as interpreters  # of Python up to 3.12
except ImportError:
    interpreters = None
if interpreters:
    inner = interpreters.create()
    try:
        interpreters.run_string(inner, "import tombola; tombola.uniform(3, seed=1)")
    except interpreters.RunFailedError as error:
        assert "ImportError" in str(error), error
    else:
        raise AssertionError("imported in a second interpreter")
    interpreters.destroy(inner)
assert numpy.array_equal(tombola.uniform(3, seed=1), first)
print("end")
"""
    assert run(program) == (0, "end\n")


class Allocated(ctypes.Structure):
    """What glibc's mallinfo2() returns."""

    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks".split()]
    _fields_ += [(name, ctypes.c_size_t) for name in "uordblks fordblks keepcost".split()]


MALLINFO = getattr(ctypes.CDLL(None), "mallinfo2", None)
if MALLINFO:
    MALLINFO.restype = Allocated


def growth(measure, calls):
    """The least of three rounds: a leak is in each of them, what a cache or malloc() keeps is not."""
    rounds = []
    for _ in range(3):
        before = measure()
        calls()
        gc.collect()
        rounds.append(measure() - before)
    return min(rounds)


X = np.arange(24, dtype=np.float32).reshape(2, 12)
LOGITS = np.zeros((2, 40), np.float32)
ALLOWED = np.ones((2, 40), bool)
BRAIN = tombola.BFloat16Array(np.zeros(9, np.uint16))
READ_ONLY = np.zeros(3, np.float32)
READ_ONLY.flags.writeable = False
SHARED = tombola.Generator(seed=1)

CALLS = {
    "uniform": lambda: tombola.uniform(5, seed=1),
    "bfloat16": lambda: tombola.uniform(5, "bfloat16", seed=1),
    "out": lambda: tombola.uniform(out=BRAIN, seed=1),
    "bernoulli": lambda: tombola.bernoulli(X / 32, seed=1),
    "multinomial": lambda: tombola.multinomial(X, 3, uniforms=np.full((2, 3), 0.5)),
    "tokens": lambda: tombola.sample_tokens(
        LOGITS, 3, seed=1, mask=ALLOWED, temperature=[1, 2], kept=True, logprobs="raw", top_n=2
    ),
    "dropout": lambda: tombola.dropout(Exporter(X), 0.5, seed=1),
    "round": lambda: tombola.stochastic_round(X, seed=1),
    "shuffle": lambda: tombola.shuffle(Exporter(X), 3),
    "generator": lambda: (SHARED.normal(3), SHARED.multinomial(X, 2), SHARED.permutation(5), SHARED.state),
    "pickle": lambda: pickle.loads(pickle.dumps(SHARED)),
    "copy": lambda: copy.deepcopy(tombola.Philox4x32(key=1)),
    "capsule": lambda: BRAIN.__dlpack__(),
    "a seed": lambda: tombola.uniform(5, seed=-1),
    "no memory to write": lambda: tombola.uniform(out=READ_ONLY),
    "no dtype": lambda: tombola.uniform(3, "float31"),
    "a group": lambda: tombola.shuffle(Exporter(X), 5),
    "a row": lambda: tombola.sample_tokens(LOGITS, temperature=[1, -2]),
    "a bound": lambda: tombola.uniform(5, low=2, high=1),
    "a shape": lambda: tombola.uniform((2, None)),
    "a mask": lambda: tombola.dropout(X, 0.5, mask=np.ones(3)),
    "a state": lambda: setattr(SHARED, "state", np.zeros(628, np.uint32)),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name):
    """Neither references nor memory, Python's (NumPy's arrays among it) or malloc()'s: a call leaves less than 8 bytes."""
    call, refused = CALLS[name], list(CALLS).index(name) >= list(CALLS).index("a seed")
    watched = [X, LOGITS, ALLOWED, BRAIN, BRAIN.bits, READ_ONLY, SHARED, None, True, X.dtype, "float31", np.float32]

    def calls():
        for _ in range(1000):
            try:
                call()
                assert not refused
            except (TypeError, ValueError):
                assert refused

    calls()
    gc.collect()
    references = [sys.getrefcount(one) for one in watched]
    if MALLINFO:
        assert growth(lambda: MALLINFO().uordblks, calls) < 8000
    tracemalloc.start()
    try:
        assert growth(lambda: tracemalloc.get_traced_memory()[0], calls) < 8000
    finally:
        tracemalloc.stop()
    assert all(abs(sys.getrefcount(one) - count) < 100 for one, count in zip(watched, references))


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


def test_a_second_interpreter_is_refused():
    program = """
try:
    import _interpreters as interpreters  # from Python 3.13 on
except ImportError:
    import _xxsubinterpreters as interpreters
code = "try:\\n import tombola\\nexcept ImportError as e: print(e, flush=True)"
inner = interpreters.create()
interpreters.run_string(inner, code)
interpreters.destroy(inner)
"""
    # The main interpreter has imported neither NumPy nor tombola.
    assert run(program) == (0, "tombola cannot be imported in a sub-interpreter, which NumPy does not support\n")
