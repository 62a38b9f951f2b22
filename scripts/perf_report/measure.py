# SPDX-License-Identifier: Apache-2.0
"""Runs tests/peers and benchtombola, and makes a data file of what they say."""
import datetime
import itertools
import json
import os
import re
import statistics
import subprocess
import time
from pathlib import Path

from data import BYTES, FORMAT, PROCESSOR, BadFile, text_of

ROOT = Path(__file__).resolve().parents[2]

# Parts of tests/peers: what to run, what a smoke test runs, repetitions, least seconds of one.
PARTS = {
    "cache": (":1MiB/", "(words|f32:unit|pytorch, f32):1MiB/", 15, 0.004),
    "memory": (":512MiB/", "nothing", 7, 0.001),
    "shuffle": ("^shuffle/", ":fwd:1x1088x7x7/", 9, 0.002),
    "multinomial": ("^multinomial/", "64x32000:100", 11, 0.004),
    "dropout": ("^(dropout|dropout_backward|rounding)/", "f32:32768|f16:32768", 7, 0.004),
    "permutation": ("^permutation/", "/1000[/,]", 7, 0.004),
    "token_sampler": ("^token_sampler/", "nothing", 5, 0.004),
    "threads": ("^threads/", "^threads/(stochastic_rounding|token_sampler 1x)", 11, 0.003),
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


def run_peers(args, part):
    wanted, smoke, repetitions, least = PARTS[part]
    if args.smoke:
        wanted, repetitions, least = smoke, 1, 0.0001
    elif args.quick:
        repetitions, least = max(2, repetitions // 6), least / 2

    def run(name, wanted, **environment):
        unfinished = args.raw / f"{name}.unfinished"
        # scripts/setup.sh has set OMP_WAIT_POLICY. Programs have OpenMP's default: its threads spin.
        environment = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"} | environment
        with open(args.raw / f"{name}.log", "w") as log:
            subprocess.run([args.build / "tests/peers/peers", f"--benchmark_filter={wanted}",
                            f"--benchmark_repetitions={repetitions}", f"--benchmark_min_time={least}",
                            "--benchmark_enable_random_interleaving=true", "--benchmark_out_format=json",
                            f"--benchmark_out={unfinished}"], check=True, stdout=log, stderr=log, env=environment)
        return unfinished

    # One thread and two run in different processes: a worker spins for some milliseconds after its work.
    one_thread, two_threads = "([^-]2|[^2])/real_time$", "-2/real_time$"
    unfinished = run(part, wanted if part != "threads" else f"{wanted}.*{one_thread}")
    # Google Benchmark writes nothing where no case matches: --smoke leaves out whole parts.
    content = json.loads(unfinished.read_text() or '{"benchmarks": []}')
    if part == "threads":
        two = run(f"{part}.two", f"{wanted}.*{two_threads}")
        content["benchmarks"] += json.loads(two.read_text() or '{"benchmarks": []}')["benchmarks"]
        two.unlink()
        # Two threads once more, which sleep between calls. Bound ones, as the kernel may wake a thread on the core of another.
        asleep = run(f"{part}.asleep", wanted + ".*/tombola(-avx2)?-2/", OMP_WAIT_POLICY="passive", OMP_PROC_BIND="true")
        for entry in json.loads(asleep.read_text())["benchmarks"]:
            content["benchmarks"].append(entry | {"run_name": entry["run_name"].replace("-2/", "-2-asleep/")})
        asleep.unlink()
    # Other work may have slowed down one of two that are close to each other. Each such case runs again, alone, whoever was
    # faster; all its runs count.
    close = [] if args.smoke else cases_between(samples_of(content), 0.8, 1.25)
    for case in close:
        name = "^" + re.sub(r"[^\w/:, -]", ".", "/".join(case)) + "/"
        for names in [name] if part != "threads" else [f"{name}.*{one_thread}", f"{name}.*{two_threads}"]:
            again = run(f"{part}.again", names)
            content["benchmarks"] += json.loads(again.read_text())["benchmarks"]
            again.unlink()
    if close:
        print(f"{len(close)} cases again, slower than a framework:",
              ", ".join("/".join(case) for case in cases_between(samples_of(content), 0, 0.98)) or "none", end=" ", flush=True)
    if content["benchmarks"]:
        unfinished.write_text(json.dumps(content, indent=1))
    unfinished.rename(args.raw / f"{part}.json")


def samples_of(content):
    """The runs in Google Benchmark's report, by (section, case) and by who ran."""
    samples = {}
    for entry in content["benchmarks"]:
        if entry["run_type"] == "iteration":
            section, case, who = entry["run_name"].removesuffix("/real_time").split("/")
            samples.setdefault((section, case), {}).setdefault(who, []).append(entry)
    return samples


def cases_between(samples, low, high):
    """The cases in which the best run of a framework that computes the same takes low to high times as long as tombola's."""
    def best(runs):
        return min(entry["real_time"] for entry in runs)

    return [case for case, by_who in samples.items() if "tombola" in by_who and case[0] != "rounding" and any(
        low < best(by_who[peer]) / best(by_who["tombola"]) < high for peer in ("oneDNN", "PyTorch") if peer in by_who)]


def benchtombola(args, *options, **environment):
    return subprocess.run([args.build / "tests/benchdnn-like/benchtombola", *options], check=True, stdout=subprocess.PIPE,
                          text=True, env=dict(os.environ, OMP_NUM_THREADS="1", **environment)).stdout


def run_sweeps(args):
    """GB/s of the best run and of the yardstick, by size. Two rounds, as other work may slow a whole one down."""
    result = {}
    for _, isa, (name, (element, options, dims)) in itertools.product(
            range(1 if args.quick or args.smoke else 2), ("", "avx2"), SWEEPS.items()):
        # Filling multinomial's input takes longer than measuring.
        largest = 16 << (10 if args.smoke else 20 if args.quick else 22 if "multinomial" in name else 30)
        sizes = [size for size in SIZES if size <= largest]
        output = benchtombola(args, options[0], "--mode=P", f"--max-ms-per-prb={20 if args.quick or args.smoke else 120}",
                              "--perf-template=|%prb%|%-Gbw%|%ceil%", *options[1:],
                              *(dims.format(size // element) for size in sizes),
                              **({"TOMBOLA_MAX_CPU_ISA": isa} if isa else {}))
        rows = [map(float, row.split("|")[2:]) for row in output.splitlines() if row.startswith("|")]
        points = result.setdefault(isa or "best", {}).setdefault(name, {})
        for size, row in zip(sizes, rows, strict=True):
            points[size] = [max(pair) for pair in zip(row, points.get(size, (0, 0)))]
    write(args.raw / "sizes.json", json.dumps(result, indent=1))


def write(path, text):
    """Writes beside the file and renames, so that its name never stands for a half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)


def command(*words):
    try:
        run = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return run.stdout.strip()
    except OSError:
        return ""


def about_machine(args, context):
    cpuinfo, memory = Path("/proc/cpuinfo").read_text(), Path("/proc/meminfo").read_text()
    release = Path("/etc/os-release")

    def cpu(key, otherwise="0"):
        found = re.search(rf"^{key}\s*: (.*)", cpuinfo, re.MULTILINE)
        return found.group(1) if found else otherwise

    header = benchtombola(args, "--random-generator", "--key=1:2", "--mode=R", "64", TOMBOLA_VERBOSE="1")
    system = re.search(r'^PRETTY_NAME="([^"(]*)', release.read_text() if release.exists() else "", re.MULTILINE)
    return {"cpu": cpu("model name", "unknown"), "microarchitecture": re.search(r"machine:(\w+)", header).group(1),
            "family": int(cpu("cpu family")), "model": int(cpu("model")), "virtual": " hypervisor" in cpuinfo,
            "cores": os.cpu_count(), "ghz": round(context["mhz_per_cpu"] / 1000, 1),
            "caches": {f"L{c['level']}": c["size"] for c in context["caches"] if c["type"] != "Instruction"},
            "memory_gib": round(int(re.search(r"MemTotal:\s+(\d+)", memory).group(1)) / 2**20),
            "system": system.group(1).strip() if system else "unknown"}


def version_of(peer, context):
    packages = {"Random123": "librandom123-dev", "PyTorch": "libtorch-dev"}  # whose headers do not say it in full
    package = peer in packages and command("dpkg-query", "-W", "-f", "${Version}", packages[peer])
    return re.split(r"[+-]", package)[0] if package else context[peer]


def rounded(value):
    """Four digits, which is more than any run repeats."""
    return float(f"{value:.4g}")


def data_of(args):
    """The content of the data file, from what the parts wrote."""
    figures, context, repetitions, spread = {}, {}, [], []
    for part in PARTS:
        path = args.raw / f"{part}.json"
        if (args.only and part not in args.only) or not path.exists() or not path.stat().st_size:
            continue
        content = json.loads(path.read_text())
        context |= content["context"]
        for (section, case), by_who in samples_of(content).items():
            for who, entries in by_who.items():
                times = [entry["real_time"] * 1e-9 for entry in entries]
                of_case = figures.setdefault(section, {}).setdefault(
                    case, {BYTES: round(entries[0]["bytes_per_second"] * entries[0]["real_time"] * 1e-9)})
                of_case[who] = rounded(min(times))
                spread.append(statistics.median(times) / min(times) - 1)
                repetitions.append(len(times))
    sizes = {}
    if (not args.only or "sizes" in args.only) and (args.raw / "sizes.json").exists():
        sizes = {isa: {name: {size: list(map(rounded, point)) for size, point in points.items()}
                       for name, points in sweeps.items()}
                 for isa, sweeps in json.loads((args.raw / "sizes.json").read_text()).items()}
    figures = {section: {case: {BYTES: times.pop(BYTES), **dict(sorted(times.items()))} for case, times in sorted(cases.items())}
               for section, cases in sorted(figures.items())}
    spread.sort()
    header = (ROOT / "include/tombola/tombola_version.h").read_text()
    return {"format": FORMAT, "machine": about_machine(args, context), "date": datetime.date.today().isoformat(),
            "commit": command("git", "describe", "--always", "--dirty"),
            "version": ".".join(re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)),
            "compiler": context["compiler"], "isa": context["isa"],
            "peers": {name: version_of(name, context) for name in PEERS if name in context},
            "note": args.note, "rough": args.quick or args.smoke, "repetitions": [min(repetitions), max(repetitions)],
            "spread": {key: rounded(spread[len(spread) * k // 10]) for key, k in (("half", 5), ("tenth", 9))},
            "figures": figures, "sizes": sizes}


def default_name(data):
    """sapphire-rapids.onednn-2.6.3.pytorch-1.13.1"""
    peers = [f"{peer.lower()}-{data['peers'][peer]}" for peer in ("oneDNN", "PyTorch") if peer in data["peers"]]
    return ".".join([data["machine"]["microarchitecture"].replace("_", "-"), *peers])


def refuse_other_machine(args, folder):
    """Files whose names are equal up to the first dot are of one machine."""
    this = about_machine(args, {"mhz_per_cpu": 0, "caches": []})
    name = args.name or this["microarchitecture"].replace("_", "-")
    for path in folder.glob(f"{name.split('.')[0]}.*json"):
        known = json.loads(path.read_text())["machine"]
        if any(known[key] != this[key] for key in PROCESSOR):
            raise BadFile(f"{path} is of another processor than this machine's: {known['cpu']}, family {known['family']}, model "
                          f"{known['model']}; expected --name=NAME with another word before its first dot, or that the file is removed")


def measure(args, folder):
    """Measures the parts, and writes the data file to the folder."""
    if args.name or not args.only:
        refuse_other_machine(args, folder)
    args.raw.mkdir(parents=True, exist_ok=True)
    for part in args.only or [*PARTS, "sizes"]:
        begin = time.monotonic()
        print(f"{part} ...", end=" ", flush=True)
        run_sweeps(args) if part == "sizes" else run_peers(args, part)
        print(f"{time.monotonic() - begin:.0f} s", flush=True)
    if args.only and not args.name:
        print(f"what was measured: {args.raw} (with --name=NAME it becomes a data file)")
        return False
    data = data_of(args)
    path = folder / f"{args.name or default_name(data)}.json"
    write(path, text_of(data))
    print(path)
    return True
