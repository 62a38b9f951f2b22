#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests/peers and benchtombola, and makes doc/performance.md and its charts of what they say. To be run by
scripts/perf-report, where the options are explained. --smoke: the least that fills the page, for a test."""
import argparse
import datetime
import itertools
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import charts

ROOT = Path(__file__).resolve().parents[2]

# Parts of tests/peers: what to run, what a smoke test runs, repetitions, least seconds of one.
PARTS = {
    "cache": (":1MiB/", "(words|f32:unit|pytorch, f32):1MiB/", 25, 0.004),
    "memory": (":512MiB/", "nothing", 9, 0.001),
    "shuffle": ("^shuffle/", ":fwd:1x1088x7x7/", 7, 0.002),
    "multinomial": ("^multinomial/", "64x32000:100", 15, 0.004),
    "dropout": ("^(dropout|dropout_backward|rounding)/", "f32:32768|f16:32768", 7, 0.004),
    "permutation": ("^permutation/", "/1000[/,]", 7, 0.004),
    "token_sampler": ("^token_sampler/", "nothing", 7, 0.004),
    "threads": ("^threads/", "^threads/stochastic", 7, 0.004),
    "calls": ("^calls/", "64 f32|create:shuffle", 25, 0.002),
}
# The part "sizes", of benchtombola: a line of the chart each. The bytes of one step of the dimension that varies.
SWEEPS = {
    "random_generator": (4, ["--random-generator", "--key=1:2"], "{}"),
    "random_uniform tensorflow, f32": (4, ["--random-uniform", "--alignment=tensorflow"], "{}"),
    "random_uniform pytorch, f32": (4, ["--random-uniform", "--alignment=pytorch"], "{}"),
    "random_normal pytorch, f32": (4, ["--random-normal", "--alignment=pytorch"], "{}"),
    "dropout, f32": (4, ["--dropout"], "{}"),
    "shuffle, f32 nchw": (4096, ["--shuffle", "--tag=nchw", "--group=4"], "{}x16x8x8"),
    "shuffle, s8 nhwc": (4096, ["--shuffle", "--dt=s8", "--tag=nhwc", "--group=4"], "{}x64x8x8"),
    "multinomial, one sample, f32": (4, ["--multinomial", "--samples=1"], "1x{}"),
}
SIZES = [4 << k for k in range(10, 26, 2)] + [512 << 20]
PEERS = ("Boost", "GSL", "oneDNN", "PyTorch", "Random123")
ISA_NAMES = {"none": "portable", "avx2": "AVX2", "avx512_core": "AVX-512", "avx512_core_vbmi": "AVX-512"}


# Measuring ---------------------------------------------------------------------------------------------------------


def run_peers(args, part):
    wanted, smoke, repetitions, least = PARTS[part]
    if args.smoke:
        wanted, repetitions, least = smoke, 1, 0.0001
    elif args.quick:
        repetitions, least = max(2, repetitions // 6), least / 2
    unfinished = args.data / f"{part}.unfinished"
    with open(args.data / f"{part}.log", "w") as log:
        subprocess.run([args.build / "tests/peers/peers", f"--benchmark_filter={wanted}",
                        f"--benchmark_repetitions={repetitions}", f"--benchmark_min_time={least}",
                        "--benchmark_enable_random_interleaving=true", "--benchmark_out_format=json",
                        f"--benchmark_out={unfinished}"], check=True, stdout=log, stderr=log)
    unfinished.rename(args.data / f"{part}.json")


def run_sweeps(args):
    """GB/s of the best run and of the ceiling, by size. Two rounds, as other work may slow a whole one down."""
    result = {}
    for _, isa, (name, (element, options, dims)) in itertools.product(
            range(1 if args.quick or args.smoke else 2), ("", "avx2"), SWEEPS.items()):
        # Filling multinomial's input takes longer than measuring.
        largest = 16 << (10 if args.smoke else 20 if args.quick else 22 if "multinomial" in name else 30)
        sizes = [size for size in SIZES if size <= largest]
        output = subprocess.run(
            [args.build / "tests/benchdnn-like/benchtombola", options[0], "--mode=P",
             f"--max-ms-per-prb={20 if args.quick or args.smoke else 150}", "--perf-template=|%prb%|%-Gbw%|%ceil%",
             *options[1:], *(dims.format(size // element) for size in sizes)],
            check=True, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, OMP_NUM_THREADS="1", **({"TOMBOLA_MAX_CPU_ISA": isa} if isa else {}))).stdout
        rows = [map(float, row.split("|")[2:]) for row in output.splitlines() if row.startswith("|")]
        points = result.setdefault(isa or "best", {}).setdefault(name, {})
        for size, row in zip(sizes, rows, strict=True):
            points[size] = [max(pair) for pair in zip(row, points.get(size, (0, 0)))]
    write(args.data / "sizes.json", json.dumps(result, indent=1))


def write(path, text):
    """Writes beside the file and renames, so that its name never stands for a half."""
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)


def command(*words):
    try:
        run = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return run.stdout.strip()
    except OSError:
        return ""


def about_machine():
    cpuinfo, memory = Path("/proc/cpuinfo").read_text(), Path("/proc/meminfo").read_text()
    kib = int(re.search(r"MemTotal:\s+(\d+)", memory).group(1))
    packages = {"Random123": "librandom123-dev", "PyTorch": "libtorch-dev"}  # whose headers do not say it in full
    return {"cpu": re.search(r"model name\s*: (.*)", cpuinfo).group(1), "cores": os.cpu_count(),
            "virtual": " hypervisor" in cpuinfo, "memory": round(kib / 2**20),
            "date": datetime.date.today().isoformat(), "commit": command("git", "describe", "--always", "--dirty"),
            "versions": {name: re.split(r"[+-]", command("dpkg-query", "-W", "-f", "${Version}", package))[0]
                         for name, package in packages.items()}}


def measure(args):
    args.data.mkdir(parents=True, exist_ok=True)
    for part in args.only or [*PARTS, "sizes"]:
        begin = time.monotonic()
        print(f"{part} ...", end=" ", flush=True)
        run_sweeps(args) if part == "sizes" else run_peers(args, part)
        print(f"{time.monotonic() - begin:.0f} s", flush=True)
    write(args.data / "machine.json", json.dumps(about_machine() | {"rough": args.quick or args.smoke}, indent=1))


# What was measured -------------------------------------------------------------------------------------------------


class Figures:
    """Best times in seconds by (section, case, who), and what else the files in a folder say."""

    def __init__(self, folder):
        self.time, self.bytes, self.context, self.spread = {}, {}, {}, []
        self.machine = json.loads((folder / "machine.json").read_text())
        sizes = folder / "sizes.json"
        self.sizes = {isa: {name: [(int(size), best, best / ceiling) for size, (best, ceiling) in points.items()]
                            for name, points in sweeps.items()}
                      for isa, sweeps in (json.loads(sizes.read_text()) if sizes.exists() else {}).items()}
        self.repetitions = []
        for part in PARTS:
            path = folder / f"{part}.json"
            if not path.exists() or not path.stat().st_size:
                continue
            content = json.loads(path.read_text())
            self.context.update(content["context"])
            samples = {}
            for entry in content["benchmarks"]:
                if entry["run_type"] == "iteration":
                    section, case, who = entry["run_name"].removesuffix("/real_time").split("/")
                    samples.setdefault((section, case, who), []).append(entry["real_time"] * 1e-9)
                    self.bytes[section, case] = entry["bytes_per_second"] * entry["real_time"] * 1e-9
            for key, times in samples.items():
                self.time[key] = min(times)
                self.spread.append(statistics.median(times) / min(times) - 1)
                self.repetitions.append(len(times))

    def seconds(self, section, case, who="tombola"):
        return self.time.get((section, case, who))

    def rate(self, section, case, who="tombola"):
        seconds = self.seconds(section, case, who)
        return seconds and self.bytes[section, case] / seconds * 1e-9

    def ratio(self, section, case, peer, who="tombola"):
        own, other = self.seconds(section, case, who), self.seconds(section, case, peer)
        return own and other and other / own

    def cases(self, section):
        return list(dict.fromkeys(case for s, case, _ in self.time if s == section))


def mean(values):
    """The geometric one, of what is there."""
    logs = [math.log(v) for v in values if v]
    return math.exp(sum(logs) / len(logs)) if logs else None


def digits(value, count=3):
    if value is None:
        return "–"
    return f"{value:.{max(0, count - 1 - math.floor(math.log10(value)))}f}" if value else "0"


def duration(seconds):
    if seconds is None:
        return "–"
    unit, name = next((u, n) for u, n in ((1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")) if seconds >= u or n == "ns")
    return f"{digits(seconds / unit)} {name}"


def beside(figure, ratio, suffix="×"):
    return "–" if ratio is None else f"{figure} ({digits(ratio, 2)}{suffix})"


# The page ----------------------------------------------------------------------------------------------------------

OWN = ("tombola", "tombola-avx2")
BOUNDS = {"unit": "[0, 1)", "range": "[-3, 7)", "one word": "one word", "two words": "two words"}
INTEGER_BOUNDS = {"s32:range": "[-1000, 10⁶)", "s64:range": "[-1000, 2⁵⁰)"}


def table(header, rows):
    """Markdown; columns and rows in which nothing was measured are left out."""
    rows = [row for row in rows if any(cell != "–" for cell in row[1:])]
    kept = [i for i in range(len(header)) if any(row[i] != "–" for row in rows)]
    show = [[row[i] for i in kept] for row in [header, ["---"] * len(header), *rows]]
    return "\n".join("| " + " | ".join(row) + " |" for row in show) + "\n" if rows else ""


def rates(f, section, case, own=OWN, peers=()):
    """Cells: GB/s of tombola's, then of peers' with tombola's ratio to each."""
    return [digits(f.rate(section, case, who)) for who in own] + [
        beside(digits(f.rate(section, case, who)), f.ratio(section, case, who)) for who in peers]


def generator_table(f, best):
    section = "random_generator"
    return table(["", best, "AVX2", "Random123", "memset", "plain fill past the caches"],
                 [[charts.size_name(size), *rates(f, section, case, peers=["Random123"]),
                   *rates(f, section, case, own=["memset", "streaming"])]
                  for size, case in ((1 << 20, "words:1MiB"), (512 << 20, "words:512MiB"))])


def uniform_table(f, best, section, peers):
    rows = []
    for case in (f"{t}:{bounds}" for t in ("f32", "f64", "f16", "bf16", "s32", "s64") for bounds in BOUNDS):
        data_type, bounds = case.split(":")
        rows.append([f"{data_type}, {INTEGER_BOUNDS.get(case, BOUNDS[bounds])}",
                     *rates(f, section, case + ":1MiB", peers=peers),
                     *rates(f, section, case + ":512MiB", peers=peers[:1])])
    return table(["1 MiB", best, "AVX2", *peers, f"512 MiB: {best}", "AVX2", peers[0]], rows)


TYPES = ("f32", "f64", "f16", "bf16", "s32", "s64")


def distribution_table(f, best):
    rows = []
    for section, alignment, data_type in itertools.product(("normal", "exponential", "bernoulli"),
                                                           ("pytorch", "tensorflow"), TYPES):
        case = f"{alignment}, {data_type}"
        rows.append([f"{section}, {case}", *rates(f, section, case + ":1MiB", peers=("PyTorch", "std", "GSL")),
                     *rates(f, section, case + ":512MiB")])
    return table(["1 MiB", best, "AVX2", "PyTorch", "standard library", "GSL", f"512 MiB: {best}", "AVX2"], rows)


def share(f, section, case, limit):
    """Cell: the rate of something that limits tombola, and tombola's share of it."""
    return beside(digits(f.rate(section, case, limit)), f.ratio(section, case, limit), " of it")


def by_size(cases):
    """In the order of their first word and then of the number of their elements."""
    return sorted(cases, key=lambda case: (case.split(":")[0], int(case.split(":")[1]), case))


def dropout_table(f, best):
    rows = []
    for section, name in (("dropout", "forward"), ("dropout_backward", "backward")):
        for case in by_size(f.cases(section)):
            data_type, count, *mask = case.split(":")
            rows.append([", ".join([name, data_type, *mask, f"{int(count):,}"]),
                         *rates(f, section, case), share(f, section, case, "memcpy"), share(f, section, case, "words"),
                         *rates(f, section, case, own=(), peers=["PyTorch"])])
    return table(["", best, "AVX2", "memcpy", "words", "PyTorch"], rows)


def rounding_table(f, best):
    rows = []
    for case in by_size(f.cases("rounding")):
        data_type, count = case.split(":")
        rows.append([f"{data_type}, {int(count):,}", *rates(f, "rounding", case),
                     share(f, "rounding", case, "plain conversion"),
                     *rates(f, "rounding", case, own=(), peers=["PyTorch"])])
    return table(["", best, "AVX2", "plain conversion", "PyTorch's copy_"], rows)


def durations(f, section, case, peers):
    """Cells: tombola's times, then those of peers with tombola's ratio to each."""
    return [duration(f.seconds(section, case, who)) for who in OWN] + [
        beside(duration(f.seconds(section, case, who)), f.ratio(section, case, who)) for who in peers]


def permutation_table(f, best):
    rows = []
    for case in sorted(f.cases("permutation"), key=lambda case: ("philox" in case, [int(n) for n in
                                                                  re.findall(r"\d+", case)])):
        seconds = f.seconds("permutation", case)
        count = int(re.match(r"\d+", case).group())
        name = re.sub(r"\d{4,}", lambda number: f"{int(number.group()):,}", case)
        rows.append([name if "philox" in name else name + ", pytorch",
                     *durations(f, "permutation", case, ["PyTorch", "std::shuffle"]), digits(count / seconds * 1e-6)])
    return table(["elements", best, "AVX2", "PyTorch", "std::shuffle", "million elements a second"], rows)


def threads_table(f, best):
    rows = []
    for case in f.cases("threads"):
        one, two = (f.seconds("threads", case, who) for who in ("tombola", "tombola-2"))
        peer = f.ratio("threads", case, "PyTorch", "PyTorch-2")
        name = re.sub(r"\d{4,}", lambda number: f"{int(number.group()):,}", case).replace(":", ", ")
        rows.append([name, duration(one), duration(two), digits(f.ratio("threads", case, "tombola", "tombola-2"), 2),
                     "–" if peer is None else f"{digits(peer, 2)}"])
    return table(["", f"one thread, {best}", "two threads", "times as fast", "PyTorch's own"], rows)


def token_sampler_section(f, best):
    """The whole section, or nothing if there are no figures."""
    cases = f.cases("token_sampler")
    if not cases:
        return ""
    peers = [who for who in dict.fromkeys(who for s, _, who in f.time if s == "token_sampler") if who not in OWN]
    rows = [[re.sub(r"(\d)x(\d)", r"\1 × \2", case), *durations(f, "token_sampler", case, peers)] for case in cases]
    return ("## token_sampler\n\nf32 logits, one s64 id per row; the weights fall like j^-1.5, in flat rows they are nearly equal. PyTorch by "
            "the operators that take the\nleast time: argmax; softmax and multinomial; topk, so that only k logits are sorted; for top_p alone "
            "a sort.\n\n"
            + table(["batch × classes: filters", best, "AVX2", *peers], rows) + "\n")


def multinomial_table(f, best):
    rows = []
    for case in sorted(f.cases("multinomial"),
                       key=lambda case: ([int(n) for n in re.findall(r"\d+", case)], "logits" in case, case)):
        shape, samples = case.split(":")
        own, avx2, torch, read = (duration(f.seconds("multinomial", case, who)) for who in (*OWN, "PyTorch", "read"))
        share = f.ratio("multinomial", case, "read") if "million" not in samples else None
        rows.append([f"{shape.replace('x', ' × ')}: {samples}", own, avx2,
                     beside(torch, f.ratio("multinomial", case, "PyTorch")), beside(read, share and 100 * share, "%")])
    return table(["batch × classes: samples of each", best, "AVX2", "PyTorch", "plain read"], rows)


def shuffle_groups(f):
    """The cases of each type and layout, in the page's order."""
    order = ["f32", "bf16", "f16", "s8", "nchw", "nhwc", "nChw8c", "nChw16c"]
    groups = {}
    for case in f.cases("shuffle"):
        groups.setdefault(tuple(case.split(":")[:2]), []).append(case)
    return dict(sorted(groups.items(), key=lambda item: [order.index(name) for name in item[0]]))


def shuffle_table(f, best):
    rows = []
    for names, cases in shuffle_groups(f).items():
        row = [" ".join(names), *(digits(mean(f.rate("shuffle", case, who) for case in cases)) for who in OWN)]
        for who, unit in (("memcpy", ""), ("oneDNN", "×"), ("PyTorch", "×")):
            ratios = [ratio for ratio in (f.ratio("shuffle", case, who) for case in cases) if ratio]
            rate = digits(mean(f.rate("shuffle", case, who) for case in cases))
            row.append(f"{rate} ({digits(mean(ratios), 2)}{unit}, least {digits(min(ratios), 2)}{unit})"
                       if ratios else "–")
        rows.append(row)
    page = table(["", best, "AVX2", "memcpy", "oneDNN", "PyTorch"], rows)
    for who, title in zip(OWN, (best, "AVX2")):
        shares = {case: f.ratio("shuffle", case, "memcpy", who) for case in f.cases("shuffle")}
        if small := [share for case, share in shares.items() if share and ":1x1088x" in case]:
            page += (f"\n{title}, all {len(shares)} cases: {digits(mean(shares.values()), 2)} of memcpy, least "
                     f"{digits(min(shares.values()), 2)}; in cache (1x1088x7x7): {digits(mean(small), 2)}.\n")
    return page


def calls_table(f, best):
    rows = []
    for case in sorted(f.cases("calls")):
        times = {who: duration(f.seconds("calls", case, who)) for who in (*OWN, "oneDNN", "PyTorch")}
        rows.append([case.replace(":", ": "), *(times[who] for who in OWN),
                     *(beside(times[who], f.ratio("calls", case, who)) for who in ("oneDNN", "PyTorch"))])
    return table(["", best, "AVX2", "oneDNN", "PyTorch"], rows)


def sizes_table(f):
    sweeps = f.sizes.get("best", {})
    sizes = sorted({size for points in sweeps.values() for size, _, _ in points})
    rows = []
    for name, points in sweeps.items():
        cells = {size: f"{digits(rate)} ({100 * share:.0f}%)" for size, rate, share in points}
        rows.append([name, *(cells.get(size, "–") for size in sizes)])
    return table(["", *map(charts.size_name, sizes)], rows)


def bar_groups(f):
    """What the chart of peers shows: 1 MiB of numbers, draws, and means over shuffle's shapes."""
    def bar(label, section, cases, peer):
        cases = [case for case in cases if f.seconds(section, case, peer)]
        if not cases:
            return []
        ratios = [mean(f.ratio(section, case, peer, who) for case in cases) for who in OWN]
        if section in ("multinomial", "permutation", "token_sampler"):
            own, other = (digits(1e3 * f.seconds(section, cases[0], who)) for who in ("tombola", peer))
        else:
            own, other = (digits(mean(f.rate(section, case, who) for case in cases)) for who in ("tombola", peer))
        return [(label, ratios, digits(ratios[0], 2) + "×", f"{own} / {other}")]

    def fills(section, pairs):
        return [row for case, peer in pairs
                for row in bar(f"{case.split(':')[0]} · {peer}", section, [case + ":1MiB"], peer)]

    draws = {"1x1000:a million, with replacement": "a million of 1,000",
             "1x10000000:1000, with replacement": "1,000 of 10 million",
             "64x32000:one, with replacement": "64 × 1 of 32,000",
             "64x32000:one, without replacement": "64 × 1 of 32,000, none twice",
             "64x32000:100, without replacement": "64 × 100 of 32,000, none twice",
             "64x128000:one, from logits": "64 × 1 of 128,000, from logits"}
    shuffles = [("f32 nchw", "PyTorch"), *((name, "oneDNN") for name in (
        "f32 nchw", "f32 nhwc", "f32 nChw16c", "bf16 nhwc", "s8 nchw", "s8 nhwc", "s8 nChw16c"))]
    groups = shuffle_groups(f)
    distributions = [row for section, data_type, peer in itertools.product(
        ("normal", "exponential", "bernoulli"), ("f32",), ("PyTorch", "std", "GSL"))
        for row in bar(f"{section} · {peer}", section, [f"pytorch, {data_type}:1MiB"], peer)]
    dropouts = {"f32:32768": "f32, 128 KiB", "f32:16777216": "f32, 64 MiB", "bf16, 16 bits:65536": "bf16, 128 KiB",
                "bf16, 16 bits:33554432": "bf16, 64 MiB"}
    result = [
        ("random_generator, GB/s", fills("random_generator", [("words", "Random123")])),
        ("random_uniform, TensorFlow's numbers, GB/s",
         fills("tensorflow", [(case, "Random123") for case in ("f32:unit", "f64:unit", "s32:range")])),
        ("random_uniform, PyTorch's numbers, GB/s",
         fills("pytorch", [("f32:unit", peer) for peer in ("PyTorch", "std::mt19937", "Boost", "GSL")]
               + [(case, "PyTorch") for case in ("f64:unit", "f16:unit", "bf16:unit", "s64:one word")])),
        ("random_normal, random_exponential, random_bernoulli, GB/s", distributions),
        ("dropout beside PyTorch, GB/s", [row for case, label in dropouts.items()
                                          for row in bar(label, "dropout", [case], "PyTorch")]),
        ("random_permutation beside torch.randperm, milliseconds", [
            row for count in ("1000", "1000000", "10000000")
            for row in bar(f"{int(count):,}", "permutation", [count], "PyTorch")]),
        ("multinomial beside PyTorch: rows × samples of classes, milliseconds", [row for case, label in draws.items()
                                   for row in bar(label, "multinomial", [case], "PyTorch")]),
        ("token_sampler beside PyTorch: rows × classes, milliseconds",
         [row for case in f.cases("token_sampler")
          for row in bar(case.replace("x", " × ", 1).replace(":", ", "), "token_sampler", [case], "PyTorch")]),
        ("shuffle, ShuffleNet's shapes, GB/s", [row for name, peer in shuffles for row in bar(
            f"{name} · {peer}", "shuffle", groups.get(tuple(name.split()), []), peer)]),
    ]
    return [(heading, rows) for heading, rows in result if rows]


def draw_charts(f, best, folder):
    """Writes the charts and returns their names."""
    series = [best, "AVX2"][:1 if best == "AVX2" else 2]
    drawn = {"peers": charts.bars("tombola beside its peers", "One thread. Bars: how many times as fast. Right: both "
                                  f"figures, tombola ({best}) / peer", bar_groups(f), series)}
    for isa, title, name in (("best", best, "ceiling"), ("avx2", "AVX2", "ceiling-avx2")):
        sweeps = f.sizes.get(isa, {}).items()
        if sweeps and (isa == "best" or title != best):
            shares = [(line, [(size, share) for size, _, share in points]) for line, points in sweeps]
            drawn[name] = charts.lines(f"Rate by size, {title}",
                                       "100%: for numbers, mostly the kernel's own rate in cache; for shuffle and dropout "
                                       "memcpy; for multinomial a plain read", shares)
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in drawn.items():
        write(folder / f"{name}.svg", svg)
    return list(drawn)


def machine_lines(f):
    machine, context = f.machine, f.context
    caches = sorted((c["level"], c["size"]) for c in context["caches"] if c["type"] != "Instruction")
    peers = sorted((name for name in PEERS if name in context), key=str.lower)
    header = (ROOT / "include/tombola/tombola_version.h").read_text()
    version = ".".join(re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    day = datetime.date.fromisoformat(machine["date"])
    return f"""\
| | |
| --- | --- |
| machine | {machine['cpu']}{', virtual' if machine['virtual'] else ''}, {machine['cores']} cores, \
{context['mhz_per_cpu'] / 1000:.1f} GHz; {', '.join(f'L{level} {charts.size_name(size)}' for level, size in caches)}; \
{machine['memory']} GiB |
| instruction set | {context['isa']} |
| compiler | {context['compiler']} |
| peers | {', '.join(f"{name} {machine['versions'].get(name) or context[name]}" for name in peers)} |
| tombola | {version}, commit {machine['commit']}, {day.day} {day:%B %Y} |
"""


ROUGH = """\

**A rough page**: `--quick` takes few and short repetitions, so a figure may be far off. It is no replacement for
`scripts/perf-report` without it.
"""


def write_page(f, out):
    best = ISA_NAMES[f.context["isa"]]
    names = draw_charts(f, best, out / "charts")
    spread = sorted(f.spread)
    half, tenth = (f"{100 * spread[len(spread) * k // 10]:.0f}%" for k in (5, 9))
    page = (Path(__file__).parent / "page.md").read_text().format(
        rough=ROUGH if f.machine.get("rough") else "", machine=machine_lines(f), best=best,
        half=half, tenth=tenth, few=min(f.repetitions), many=max(f.repetitions),
        random_generator=generator_table(f, best), tensorflow=uniform_table(f, best, "tensorflow", ["Random123"]),
        pytorch=uniform_table(f, best, "pytorch", ["PyTorch", "std::mt19937", "Boost", "GSL"]),
        distributions=distribution_table(f, best), dropout=dropout_table(f, best), rounding=rounding_table(f, best),
        permutation=permutation_table(f, best), threads=threads_table(f, best),
        token_sampler=token_sampler_section(f, best), multinomial=multinomial_table(f, best), shuffle=shuffle_table(f, best), calls=calls_table(f, best),
        sizes=sizes_table(f), ceilings="\n".join(
            f"![Rate by size](charts/{name}.svg)\n" for name in names if name != "peers"))
    write(out / "performance.md", page)
    print(out / "performance.md")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--from", dest="source", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--check", action="store_true", help="looks at the arguments alone")
    args = parser.parse_args()
    if unknown := set(args.only or []) - {*PARTS, "sizes"}:
        parser.error(f"--only: no part is called {', '.join(sorted(unknown))}; expected {' '.join(PARTS)} sizes")
    if args.source and not (args.source / "machine.json").is_file():
        parser.error(f"--from: {args.source} has no figures; expected a folder that scripts/perf-report has filled")
    if args.check:
        return
    args.data = args.source or (args.out if args.smoke else
                                args.build / ("perf-report-quick" if args.quick else "perf-report"))
    if not args.source:
        measure(args)
    if not args.only:
        figures = Figures(args.data)
        # Only figures that took their time become the page of the repository, unless one asks for it.
        write_page(figures, args.out or (args.data if figures.machine.get("rough") else ROOT / "doc"))


if __name__ == "__main__":
    main()
