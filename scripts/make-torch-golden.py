#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the known answers of the pytorch alignment: what a real PyTorch draws on the CPU.

    /usr/bin/python3 scripts/make-torch-golden.py [--check] tests/golden

writes torch_uniform.txt (Tensor.uniform_ and Tensor.random_ with two bounds), torch_random.txt (Tensor.random_ without), torch_state.txt (torch.get_rng_state before
and after draws), torch_randperm.txt (torch.randperm), torch_normal.txt (Tensor.normal_) and torch_distributions.txt
(Tensor.exponential_ and Tensor.bernoulli_), and from PyTorch 2.6 on
torch_normal_f16.txt. Debian's python3-torch is what the checked-in files were made with (Debian 13's the last one); the version stands in
their first lines. Integers follow the rule that PyTorch 1.x and 2.6 have (int_draws torch1).

--check writes nothing: it compares what the installed PyTorch draws with the files, their first lines apart. Without
PyTorch it exits with status 77.
"""
import io
import struct
import sys
from pathlib import Path

try:
    import torch
except ImportError as missing:
    print(f"SKIPPED: {sys.executable}: {missing}")
    sys.exit(77)

FLOATS = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
INTS = {"s32": torch.int32, "s64": torch.int64}
TYPES = {**FLOATS, **INTS}
DIGITS = {"f16": 4, "bf16": 4, "f32": 8, "f64": 16, "s32": 8, "s64": 16}
SHORT = 40  # up to here every value is listed


def bits(tensor, name):
    """The elements' bit patterns as unsigned integers, in row-major order."""
    size = tensor.element_size()
    view = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[size]
    return [v & ((1 << 8 * size) - 1) for v in tensor.contiguous().view(view).flatten().tolist()], size


def fnv1a(values, size):
    """64-bit FNV-1a of the little-endian bytes."""
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[size]
    h = 0xCBF29CE484222325
    for byte in struct.pack("<%d%s" % (len(values), code), *values):
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def indices(n):
    """All of a short tensor; of a long one both ends, the borders of the first windows, and a few between."""
    if n <= SHORT:
        return list(range(n))
    marks = {0, 1, 2, n - 2, n - 1, n // 3, n // 2}
    for border in (312, 624, 1248, 6240, 62400):
        marks |= {border - 1, border}
    return sorted(m for m in marks if 0 <= m < n)


def scalar_bits(value, name):
    values, _ = bits(torch.tensor([value], dtype=TYPES[name]), name)
    return values[0]


def draw(name, low, high, n):
    tensor = torch.empty(n, dtype=TYPES[name])
    return tensor.uniform_(low, high) if name in FLOATS else tensor.random_(low, high)


def line(name, seed, low, high, n):
    torch.manual_seed(seed)
    values, size = bits(draw(name, low, high, n), name)
    digits = DIGITS[name]
    picked = " ".join("%d:%0*x" % (i, digits, values[i]) for i in indices(n))
    return "%s %d %0*x %0*x %d %016x %s\n" % (
        name, seed, digits, scalar_bits(low, name), digits, scalar_bits(high, name), n,
        fnv1a(values, size), picked)


SEEDS = [1, 80, 150, 0x80000000, 0xFFFFFFFF, 0x123456789, 0xDEADBEEFCAFEBABE, 0xFFFFFFFFFFFFFFFF]
SIZES = [1, 2, 7, 8, 9, 15, 16, 17, 31, 40, 311, 312, 313, 623, 624, 625, 1247, 1248, 1249, 6241, 100003]
FLOAT_RANGES = [(0.0, 1.0), (-1.0, 1.0), (2.0, 10.0), (-0.375, 0.0625), (1000.0, 1008.0)]
FLOAT_RANGES_OF = {
    "f16": [(-32000.0, 32000.0), (0.0, 6.103515625e-05)],
    "bf16": [(-1e38, 1e38), (0.0, 1e-39)],
    "f32": [(-1e38, 1e38), (0.0, 1e-40), (1e-38, 1.1e-38), (16777215.0, 16777216.0)],
    "f64": [(-8e307, 8e307), (0.0, 5e-320), (1.0, 1.0000000000000002)],
}
INT_RANGES = {
    "s32": [(50, 100), (0, 1), (-7, 9), (0, 2**31 - 1), (-(2**31), 2**31 - 1), (-5, 2**28), (1, 3 * 2**28)],
    "s64": [(50, 100), (0, 1), (-7, 9), (0, 2**32 - 1), (0, 2**32), (1, 2**32), (2**32, 2**32 + 10),
            (-(2**40), 2**40), (-(2**63), 2**63 - 1), (0, 2**63 - 1), (-3, 2**32 - 4), (-3, 2**32 - 3),
            (0, 3 * 2**61)],
}


def write_uniform(out):
    out.write("# What PyTorch %s draws on the CPU: scripts/make-torch-golden.py.\n" % torch.__version__)
    out.write("# type seed min max elements fnv1a64-of-all-bytes index:value...\n")
    out.write("# min, max and values are bit patterns; floats by uniform_, integers by random_ (torch1).\n")
    for name in TYPES:
        ranges = INT_RANGES[name] if name in INTS else FLOAT_RANGES + FLOAT_RANGES_OF[name]
        for i, n in enumerate(SIZES):
            out.write(line(name, SEEDS[i % len(SEEDS)], *ranges[0], n))
        for i, (low, high) in enumerate(ranges):
            out.write(line(name, SEEDS[(i + 3) % len(SEEDS)], low, high, 12))
            out.write(line(name, SEEDS[(i + 5) % len(SEEDS)], low, high, 1300))
        for seed in SEEDS:
            out.write(line(name, seed, *ranges[1], 5))


def write_random(out):
    out.write("# What PyTorch %s draws on the CPU by random_() without bounds: scripts/make-torch-golden.py.\n" % torch.__version__)
    out.write("# type seed elements fnv1a64-of-all-bytes\n")
    for name, dtype in INTS.items():
        for i, n in enumerate((1, 2, 7, 16, 17, 311, 312, 313, 623, 624, 625, 1249, 6241)):
            seed = SEEDS[i % len(SEEDS)]
            torch.manual_seed(seed)
            values, size = bits(torch.empty(n, dtype=dtype).random_(), name)
            out.write("%s %d %d %016x\n" % (name, seed, n, fnv1a(values, size)))


def write_distributions(out):
    """f64 exponentials are left out: PyTorch takes log or log1p of the C library, by its version."""
    out.write("# What PyTorch %s draws on the CPU: scripts/make-torch-golden.py.\n" % torch.__version__)
    out.write("# exponential type seed lambda elements fnv1a64-of-all-bytes\n")
    out.write("# bernoulli type seed p elements fnv1a64-of-all-bytes; p: a number, or a tensor of f32 or f64, whose\n")
    out.write("# element i is (i * 2654435761 mod 2^24) * 2^-24\n")
    for name in ("f16", "bf16", "f32"):
        for i, n in enumerate((1, 7, 16, 311, 313, 624, 1249, 20011)):
            rate = (1.0, 0.37, 3.3, 1e-3, 250.0)[i % 5]
            torch.manual_seed(SEEDS[i])
            values, size = bits(torch.empty(n, dtype=FLOATS[name]).exponential_(rate), name)
            out.write("exponential %s %d %r %d %016x\n" % (name, SEEDS[i], rate, n, fnv1a(values, size)))
    types = {"u8": torch.uint8, "s32": torch.int32, "s64": torch.int64, "bf16": torch.bfloat16, "f32": torch.float32,
             "f64": torch.float64}
    for name, dtype in types.items():
        for i, n in enumerate((1, 7, 16, 311, 313, 624, 1249, 20011)):
            for p in (("0.3", "0.5", "1.0", "0.999", "1e-05")[i % 5], "tensor32", "tensor64"):
                if n == 1 and p == "tensor32":
                    continue  # one f32 probability is the number's rule here
                seed = SEEDS[i]
                tensor = torch.tensor([k * 2654435761 % 2**24 * 2.0**-24 for k in range(n)], dtype=torch.float64)
                given = {"tensor32": tensor.float(), "tensor64": tensor}.get(p)
                torch.manual_seed(seed)
                drawn = torch.empty(n, dtype=dtype).bernoulli_(float(p) if given is None else given)
                values, size = bits(drawn, name)
                out.write("bernoulli %s %d %s %d %016x\n" % (name, seed, p, n, fnv1a(values, size)))


def blob():
    """torch.get_rng_state as 632 u64, a run of k zeros written *k."""
    data = bytes(torch.get_rng_state().tolist())
    assert len(data) == 5056
    words = struct.unpack("<632Q", data)
    text, zeros = [], 0
    for word in words + (None,):
        if word == 0:
            zeros += 1
            continue
        if zeros:
            text.append("*%d" % zeros)
            zeros = 0
        if word is not None:
            text.append("%x" % word)
    return " ".join(text)


def write_state(out):
    """Each case: the state before, a draw, the state after, and what PyTorch draws next."""
    cases = [
        (150, 0, "f32", 0.0, 1.0, 7),      # fresh from manual_seed
        (150, 619, "f32", 0.0, 1.0, 1),    # ends at the last word of a window
        (80, 620, "f64", 2.0, 10.0, 5),    # begins there
        (0xDEADBEEFCAFEBABE, 301, "s64", -(2**40), 2**40, 700),
        (0x80000000, 1, "f64", -1.0, 1.0, 1000),  # pairs that straddle two windows
    ]
    out.write("# States of PyTorch %s's CPU generator: scripts/make-torch-golden.py.\n" % torch.__version__)
    out.write("# before / after: torch.get_rng_state() as 632 u64 in hex, *k for k zeros.\n")
    out.write("# draw: type min max elements fnv1a64; next: 5 elements of the same kind, drawn after it.\n")
    for seed, warm, name, low, high, n in cases:
        torch.manual_seed(seed)
        torch.randn(1, dtype=torch.float64)  # 4 words, and a cached normal to keep
        torch.empty(warm, dtype=torch.float32).uniform_()
        digits = DIGITS[name]
        out.write("before %s\n" % blob())
        values, size = bits(draw(name, low, high, n), name)
        out.write("draw %s %0*x %0*x %d %016x\n" % (
            name, digits, scalar_bits(low, name), digits, scalar_bits(high, name), n,
            fnv1a(values, size)))
        out.write("after %s\n" % blob())
        values, _ = bits(draw(name, low, high, 5), name)
        out.write("next %s\n" % " ".join("%0*x" % (digits, v) for v in values))


NORMAL_SIZES = [1, 2, 3, 7, 14, 15, 16, 17, 31, 32, 33, 40, 47, 48, 311, 623, 624, 625, 640, 1249, 6241, 100003]
MOMENTS = [(0.0, 1.0), (0.5, 1.25), (-100.0, 0.0625), (3.0, 0.0)]
CHAINS = [(1, 40, 1), (3, 5, 16, 1, 1), (15, 15, 17, 2, 20), (7, 100, 609, 9), (1, 1, 1, 1, 1, 1, 1)]


def normal_line(name, seed, mean, std, sizes):
    torch.manual_seed(seed)
    digits, hashes = DIGITS[name], []
    for n in sizes:
        values, size = bits(torch.empty(n, dtype=TYPES[name]).normal_(mean, std), name)
        hashes.append("%016x" % fnv1a(values, size))
    state = bytes(torch.get_rng_state().tolist())
    left, following = struct.unpack_from("<i", state, 8)[0], struct.unpack_from("<Q", state, 16)[0]
    kept = "%016x" % struct.unpack_from("<Q", state, 5024) if struct.unpack_from("<i", state, 5040)[0] else "-"
    picked = " ".join("%d:%0*x" % (i, digits, values[i]) for i in indices(n))
    return "%s %d %0*x %0*x %s %s %d %s %s\n" % (
        name, seed, digits, scalar_bits(mean, name), digits, scalar_bits(std, name), ",".join(map(str, sizes)),
        ",".join(hashes), 624 if left == 1 else following, kept, picked)


def write_normals(out, wanted):
    """The lines of each type for the numbers of elements that wanted(type, sizes) says."""
    out.write("# What PyTorch %s draws by normal_ on the CPU: scripts/make-torch-golden.py.\n" % torch.__version__)
    out.write("# type seed mean std sizes-of-calls fnv1a64-of-each-call position-after kept-normal-after index:value...\n")
    out.write("# mean, std and values are bit patterns; the values are those of the last call.\n")
    for name in FLOATS:
        calls = [(0.0, 1.0, (n,)) for n in NORMAL_SIZES]
        calls += [(mean, std, (n,)) for mean, std in MOMENTS for n in (5, 6241, 1249)]
        calls += [(0.5, 2.0, chain) for chain in CHAINS]
        for i, (mean, std, sizes) in enumerate(calls):
            # Releases differ in whether they fuse the scaling of fewer than 16 elements.
            scaled = (mean, std) != (0.0, 1.0) and min(sizes) < 16
            if wanted(name, sizes) and not (name == "f64" and scaled):
                out.write(normal_line(name, SEEDS[i % len(SEEDS)], mean, std, sizes))


def write_normal(out):
    write_normals(out, lambda name, sizes: name != "f16" or max(sizes) < 16)


def write_normal_f16(out):
    """f16 in 16 and more elements: PyTorch 1.13 draws other numbers than 2.6."""
    write_normals(out, lambda name, sizes: name == "f16" and max(sizes) >= 16)
def write_randperm(out):
    """A chain of permutations for each seed: only the first begins at the seed."""
    out.write("# What torch.randperm of PyTorch %s draws on the CPU: scripts/make-torch-golden.py.\n" % torch.__version__)
    out.write("# seed, then for each permutation drawn one after another: n fnv1a64-of-all-s64-bytes element...\n")
    for seed, sizes in ((5, list(range(SHORT)) + [1] * 2), (0xDEADBEEFCAFEBABE, range(SHORT, 1001)),
                        (0, (3, 100003)), (0xFFFFFFFF, (65536, 65537, 10))):
        torch.manual_seed(seed)
        out.write("seed %d\n" % seed)
        for n in sizes:
            values, size = bits(torch.randperm(n), "s64")
            listed = "".join(" %d" % v for v in values) if n < SHORT else ""
            out.write("%d %016x%s\n" % (n, fnv1a(values, size), listed))


def differences(path, drawn):
    """Prints the lines of a file that this PyTorch does not draw, and returns their number."""
    kept, drawn = path.read_text().splitlines()[1:], drawn.splitlines()[1:]
    count = abs(len(kept) - len(drawn))
    if count:
        print(f"{path}: {len(kept)} lines, but {len(drawn)} are drawn")
    for number, (old, new) in enumerate(zip(kept, drawn), start=2):
        if old != new:
            count += 1
            print(f"{path}:{number}: {old[:120]}\n    PyTorch {torch.__version__}: {new[:120]}")
    if not count:
        print(f"{path}: {len(kept)} lines as PyTorch {torch.__version__} draws them")
    return count


def main():
    check = sys.argv[1:2] == ["--check"]
    if len(sys.argv) != 2 + check:
        sys.exit("usage: make-torch-golden.py [--check] DIRECTORY")
    torch.set_num_threads(1)
    failed = 0
    files = [("torch_uniform.txt", write_uniform), ("torch_random.txt", write_random), ("torch_state.txt", write_state), ("torch_randperm.txt", write_randperm),
             ("torch_normal.txt", write_normal), ("torch_distributions.txt", write_distributions)]
    if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 6):
        files.append(("torch_normal_f16.txt", write_normal_f16))
    for name, write in files:
        out, path = io.StringIO(), Path(sys.argv[1 + check], name)
        write(out)
        if check:
            failed += differences(path, out.getvalue())
        else:
            path.write_text(out.getvalue())
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
