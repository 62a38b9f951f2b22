# SPDX-License-Identifier: Apache-2.0
"""The tables of one machine. In brackets beside a peer: how many times as fast tombola is, with the best instruction set
and with AVX2."""
import itertools
import math
import re

import charts
from data import BYTES

BOUNDS = {"unit": "[0, 1)", "range": "[-3, 7)", "one word": "one word", "two words": "two words"}
INTEGER_BOUNDS = {"s32:range": "[-1000, 10⁶)", "s64:range": "[-1000, 2⁵⁰)"}
TYPES = ("f32", "f64", "f16", "bf16", "s32", "s64")
NOTHING = "–"


def mean(values):
    """The geometric one, of what is there."""
    logs = [math.log(v) for v in values if v]
    return math.exp(sum(logs) / len(logs)) if logs else None


def digits(value, count=3):
    if value is None:
        return NOTHING
    exponent = int(f"{value:.{count - 1}e}".split("e")[1])  # after rounding: 9.96 has two digits before the point
    return f"{value:.{max(0, count - 1 - exponent)}f}"


def duration(seconds):
    if seconds is None:
        return NOTHING
    unit, name = next((u, n) for u, n in ((1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")) if seconds >= u or n == "ns")
    return f"{digits(seconds / unit)} {name}"


def times(ratios, suffix="×"):
    return ", ".join(digits(ratio, 2) + suffix for ratio in ratios)


def beside(figure, ratios, suffix="×", end=""):
    return f"{figure} ({times(ratios, suffix)}{end})" if ratios else NOTHING


def count_of(number):
    return f"{int(number):,}"


def readable(case):
    """64x128000:one -> 64 × 128,000: one"""
    case = re.sub(r"(?<![\d.^])\d{4,}", lambda number: count_of(number.group()), case)
    return re.sub(r"(\d)x(?=\d)", r"\1 × ", case).replace(":", ": ")


def table(header, rows):
    """Markdown; columns and rows in which nothing was measured are left out."""
    rows = [row for row in rows if any(cell != NOTHING for cell in row[1:])]
    kept = [i for i in range(len(header)) if any(row[i] != NOTHING for row in rows)]
    show = [[row[i] for i in kept] for row in [header, ["---"] * len(header), *rows]]
    return "\n".join("| " + " | ".join(row) + " |" for row in show) + "\n" if rows else ""


def rates(columns, section, case):
    return [digits(column.rate(section, case)) for column in columns]


def peer_rates(columns, section, case):
    return [beside(digits(c.rate(section, case)), c.ratios(section, case)) for c in columns]


def durations(columns, section, case):
    return [duration(column.seconds(section, case)) for column in columns]


def peer_durations(columns, section, case):
    return [beside(duration(c.seconds(section, case)), c.ratios(section, case)) for c in columns]


def share(column, section, case):
    """Cell: the rate of something that limits tombola, and tombola's shares of it."""
    return beside(digits(column.rate(section, case)), column.ratios(section, case), "", " of it")


def titles(columns):
    return [column.title for column in columns]


# Tables of sections: each takes a machine and returns Markdown ----------------------------------------------------------


def generator(m):
    section = "random_generator"
    peers, plain = m.columns("Random123"), m.columns("memset", "streaming")
    return table(["", *titles(m.own), *titles(peers), "memset", "plain fill past the caches"],
                 [[size, *rates(m.own, section, case), *peer_rates(peers, section, case), *rates(plain, section, case)]
                  for size, case in (("1 MiB", "words:1MiB"), ("512 MiB", "words:512MiB"))])


def uniform(m, section, names):
    peers = m.columns(*names)
    large = [column for column in peers if column.who == names[0]]
    rows = []
    for case in (f"{t}:{bounds}" for t in TYPES for bounds in BOUNDS):
        data_type, bounds = case.split(":")
        rows.append([f"{data_type}, {INTEGER_BOUNDS.get(case, BOUNDS[bounds])}",
                     *rates(m.own, section, case + ":1MiB"), *peer_rates(peers, section, case + ":1MiB"),
                     *rates(m.own, section, case + ":512MiB"), *peer_rates(large, section, case + ":512MiB")])
    own = titles(m.own)
    return table(["1 MiB", *own, *titles(peers), f"512 MiB: {own[0]}", *own[1:], *titles(large)], rows)


def tensorflow(m):
    return uniform(m, "tensorflow", ["Random123"])


def pytorch(m):
    return uniform(m, "pytorch", ["PyTorch", "std::mt19937", "Boost", "GSL"])


def distributions(m):
    peers = m.columns("PyTorch", "std", "GSL")
    rows = []
    for section, alignment, data_type in itertools.product(("normal", "exponential", "bernoulli"),
                                                           ("pytorch", "tensorflow"), TYPES):
        case = f"{alignment}, {data_type}"
        rows.append([f"{section}, {case}", *rates(m.own, section, case + ":1MiB"),
                     *peer_rates(peers, section, case + ":1MiB"), *rates(m.own, section, case + ":512MiB")])
    own = titles(m.own)
    return table(["1 MiB", *own, *titles(peers), f"512 MiB: {own[0]}", *own[1:]], rows)


def by_size(cases):
    """In the order of their first word and then of the number of their elements."""
    return sorted(cases, key=lambda case: (case.split(":")[0], int(case.split(":")[1]), case))


def dropout(m):
    peers, (copy, words) = m.columns("PyTorch"), m.columns("memcpy", "words")
    rows = []
    for section, name in (("dropout", "forward"), ("dropout_backward", "backward")):
        for case in by_size(m.cases(section)):
            data_type, count, *mask = case.split(":")
            rows.append([", ".join([name, data_type, *mask, count_of(count)]), *rates(m.own, section, case),
                         share(copy, section, case), share(words, section, case), *peer_rates(peers, section, case)])
    return table(["", *titles(m.own), "memcpy", "words", *titles(peers)], rows)


def rounding(m):
    peers, (plain,) = m.columns("PyTorch"), m.columns("plain conversion")
    rows = []
    for case in by_size(m.cases("rounding")):
        data_type, count = case.split(":")
        rows.append([f"{data_type}, {count_of(count)}", *rates(m.own, "rounding", case), share(plain, "rounding", case),
                     *peer_rates(peers, "rounding", case)])
    return table(["", *titles(m.own), "plain conversion", *titles(peers)], rows)


def permutation(m):
    peers = m.columns("PyTorch", "std::shuffle")
    rows = []
    for case in sorted(m.cases("permutation"), key=lambda case: ("philox" in case, [int(n) for n in
                                                                                  re.findall(r"\d+", case)])):
        count = int(re.match(r"\d+", case).group())
        name = readable(case)
        seconds = m.own[0].seconds("permutation", case)
        rows.append([name if "philox" in name else name + ", pytorch", *durations(m.own, "permutation", case),
                     *peer_durations(peers, "permutation", case), digits(count / seconds * 1e-6)])
    return table(["elements", *titles(m.own), *titles(peers), f"million elements a second, {m.own[0].title}"], rows)


def read_cell(read, section, case):
    """The time of a plain read, and its share of tombola's."""
    return beside(duration(read.seconds(section, case)), [100 * ratio for ratio in read.ratios(section, case)], "%")


def token_sampler(m):
    peers, (read,) = m.columns("PyTorch"), m.columns("read")
    return table(["batch × classes: filters", *titles(m.own), "plain read", *titles(peers)],
                 [[readable(case), *durations(m.own, "token_sampler", case),
                   read_cell(read, "token_sampler", case), *peer_durations(peers, "token_sampler", case)]
                  for case in sorted(m.cases("token_sampler"), key=lambda case: (-int(case.split("x")[0]), len(case)))])


def multinomial(m):
    peers, (read,) = m.columns("PyTorch"), m.columns("read")
    rows = []
    for case in sorted(m.cases("multinomial"),
                       key=lambda case: ([int(n) for n in re.findall(r"\d+", case)], "logits" in case, case)):
        rows.append([readable(case), *durations(m.own, "multinomial", case), *peer_durations(peers, "multinomial", case),
                     # A million samples do more than read the weights.
                     NOTHING if "million" in case else read_cell(read, "multinomial", case)])
    return table(["batch × classes: samples of each", *titles(m.own), *titles(peers), "plain read"], rows)


# Shuffle: means over shapes --------------------------------------------------------------------------------------------

SHUFFLE_LAYOUTS = ("nchw", "nhwc", "nChw8c", "nChw16c")
SHUFFLE_NAMES = [f"{t} {layout}" for t in ("f32", "bf16", "f16", "s8") for layout in SHUFFLE_LAYOUTS]


def shuffle_mean(column, name):
    """(rate, [(mean, least) of the ratios by tombola's instruction set]) over the shapes of a type and layout, or None. The
    rate is the mean over the cases that this column has."""
    if column.run.shuffle_means:
        rate, *ratios = column.run.shuffle_means[name].get(column.who, (None,))
        return rate and (rate, ratios)
    cases = [case for case in column.run.figures.get("shuffle", {})
             if case.split(":")[:2] == name.split() and column.seconds("shuffle", case)]
    if not cases:
        return None
    by_isa = zip(*(column.ratios("shuffle", case) for case in cases))
    return mean(column.rate("shuffle", case) for case in cases), [(mean(r), min(r)) for r in by_isa]


def mean_cell(column, name, isa, suffix):
    found = shuffle_mean(column, name)
    if not found or isa >= len(found[1]):
        return NOTHING
    (average, least) = found[1][isa]
    least = f", least {digits(least, 2)}{suffix}" if least else ""
    return f"{digits(found[0])} ({digits(average, 2)}{suffix}{least})"


def shuffle_all(m):
    """[(mean, least, mean in cache) of the shares of memcpy], for each instruction set."""
    if m.main.shuffle_means:
        return m.main.shuffle_means.get("all", [])
    copy, = m.columns("memcpy")
    shares = {case: copy.ratios("shuffle", case) for case in m.cases("shuffle")}
    return [(mean(row[isa] for row in shares.values()), min(row[isa] for row in shares.values()),
             mean(row[isa] for case, row in shares.items() if ":1x1088x" in case))
            for isa in range(len(m.own) if shares else 0)]


def shuffle(m):
    peers, (copy,) = m.columns("oneDNN", "PyTorch"), m.columns("memcpy")
    rows = []
    for name, (isa, own) in itertools.product(SHUFFLE_NAMES, enumerate(m.own)):
        found = shuffle_mean(own, name)
        rows.append([f"{name}, {own.title}", digits(found and found[0]), mean_cell(copy, name, isa, ""),
                     *(mean_cell(column, name, isa, "×") for column in peers)])
    page = table(["", "tombola", "memcpy", *titles(peers)], rows)
    for own, (average, least, small) in zip(m.own, shuffle_all(m)):
        page += (f"\n{own.title}, all cases: {digits(average, 2)} of memcpy, least {digits(least, 2)}; in cache "
                 f"(1x1088x7x7): {digits(small, 2)}.\n")
    return page


# Threads ---------------------------------------------------------------------------------------------------------------

THREADS = "threads"
TWO = "-2"
TWO_ASLEEP = "-2-asleep"
SLOWER = 0.95  # a time that repeats is not told from one that is a twentieth longer


def thread_size(case):
    """The bytes of a case that is called NAME:SIZE, or None."""
    found = re.fullmatch(r".*:(\d+)(K|M)iB", case)
    return found and int(found.group(1)) << (10 if found.group(2) == "K" else 20)


def two_threads(column, case, two=TWO):
    """(seconds on one thread, on two, how many times as fast two are), or None."""
    one, two = (column.run.seconds(THREADS, case, column.who + suffix) for suffix in ("", two))
    return (one, two, one / two) if one and two else None


def threads_by_size(m):
    cases = [case for case in m.cases(THREADS) if thread_size(case)]
    sizes = sorted({thread_size(case) for case in cases})
    columns = [*m.own, *m.columns("PyTorch")]
    rows = []
    for name, column in itertools.product(dict.fromkeys(case.rsplit(":", 1)[0] for case in cases), columns):
        cells = {}
        for case in cases:
            found = two_threads(column, case) if case.rsplit(":", 1)[0] == name else None
            if found:
                one, two, ratio = found
                size = column.run.figures[THREADS][case][BYTES]
                cells[thread_size(case)] = f"{digits(size / one * 1e-9)} → {digits(size / two * 1e-9)} ({digits(ratio)}×)"
        rows.append([f"{name}, {column.title}", *(cells.get(size, NOTHING) for size in sizes)])
    return table(["", *map(charts.size_name, sizes)], rows)


def threads_by_case(m):
    columns = [*m.own, *m.columns("PyTorch")]
    rows = []
    for case in m.cases(THREADS):
        if thread_size(case):
            continue
        row = [readable(case)]
        for column in columns:
            found = two_threads(column, case)
            row.append(f"{duration(found[0])} → {duration(found[1])} ({digits(found[2])}×)" if found else NOTHING)
        rows.append(row)
    return table(["", *titles(columns)], rows)


def slower_threads(m):
    """Sentences: where two threads take longer than one."""
    asleep = slower_in(m, TWO_ASLEEP)
    return [sentence for sentence in (
        slower_in(m, TWO), asleep and f"With threads that sleep between calls and stay on their processors (`OMP_WAIT_POLICY=passive`, "
        f"`OMP_PROC_BIND=true`): {asleep}") if sentence]


def slower_in(m, two):
    slower, counted = [], 0
    for case, column in itertools.product(m.cases(THREADS), m.own):
        if found := two_threads(column, case, two):
            counted += 1
            if found[2] < SLOWER:
                slower.append(f"{readable(case)} on {column.title} ({digits(found[2])}×)")
    if not counted:
        return ""
    if not slower:
        return f"In none of these {counted} cases two threads took more than {1 / SLOWER - 1:.0%} longer than one.\n"
    return (f"In {len(slower)} of these {counted} cases two threads took more than {1 / SLOWER - 1:.0%} longer than one: "
            f"{'; '.join(slower)}.\n")


def threads(m):
    return "\n".join(part for part in (threads_by_size(m), threads_by_case(m), *slower_threads(m)) if part)


# The rest --------------------------------------------------------------------------------------------------------------


def calls(m):
    peers = m.columns("oneDNN", "PyTorch")
    return table(["", *titles(m.own), *titles(peers)],
                 [[case.replace(":", ": "), *durations(m.own, "calls", case), *peer_durations(peers, "calls", case)]
                  for case in sorted(m.cases("calls"))])


def sizes(m):
    """The sweeps of each instruction set."""
    points = {title: m.main.sizes.get(isa, {}) for title, isa in zip(titles(m.own), ("best", "avx2"))}
    all_sizes = sorted({int(size) for sweeps in points.values() for line in sweeps.values() for size in line})
    names = dict.fromkeys(name for sweeps in points.values() for name in sweeps)
    rows = []
    for name, (title, sweeps) in itertools.product(names, points.items()):
        cells = {int(size): f"{digits(rate)} ({100 * rate / yardstick:.0f}%)"
                 for size, (rate, yardstick) in sweeps.get(name, {}).items()}
        rows.append([f"{name}, {title}", *(cells.get(size, NOTHING) for size in all_sizes)])
    return table(["", *map(charts.size_name, all_sizes)], rows)


SECTIONS = {"random_generator": generator, "tensorflow": tensorflow, "pytorch": pytorch, "distributions": distributions,
            "dropout": dropout, "rounding": rounding, "permutation": permutation, "token_sampler": token_sampler,
            "multinomial": multinomial, "shuffle": shuffle, "threads": threads, "calls": calls, "sizes": sizes}
