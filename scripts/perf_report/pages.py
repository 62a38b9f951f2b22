# SPDX-License-Identifier: Apache-2.0
"""performance.md, where machines stand side by side, and a page with all tables for each machine."""
import datetime
import re
from pathlib import Path

import charts
import tables
from data import OWN, VERSIONED, Column
from measure import write
from tables import NOTHING, digits, duration, table, times, titles, two_threads

FOLDER = Path(__file__).parent

# What stands side by side: (name, section, case). "means" are the shuffle's, of a type and layout.
FIGURES = [
    ("random_generator, words, 1 MiB", "random_generator", "words:1MiB"),
    ("random_generator, words, 512 MiB", "random_generator", "words:512MiB"),
    ("random_uniform tensorflow, f32, 1 MiB", "tensorflow", "f32:unit:1MiB"),
    ("random_uniform tensorflow, f32, 512 MiB", "tensorflow", "f32:unit:512MiB"),
    ("random_uniform pytorch, f32, 1 MiB", "pytorch", "f32:unit:1MiB"),
    ("random_uniform pytorch, f32, 512 MiB", "pytorch", "f32:unit:512MiB"),
    ("random_normal pytorch, f32, 1 MiB", "normal", "pytorch, f32:1MiB"),
    ("random_normal tensorflow, f32, 1 MiB", "normal", "tensorflow, f32:1MiB"),
    ("random_exponential pytorch, f32, 1 MiB", "exponential", "pytorch, f32:1MiB"),
    ("random_bernoulli pytorch, f32, 1 MiB", "bernoulli", "pytorch, f32:1MiB"),
    ("dropout, f32, 128 KiB", "dropout", "f32:32768"),
    ("dropout, f32, 64 MiB", "dropout", "f32:16777216"),
    ("stochastic_rounding, f32 to bf16, 64 MiB", "rounding", "bf16:16777216"),
    *((f"shuffle, {name}", "means", name) for name in ("f32 nchw", "f32 nhwc", "f32 nChw16c", "bf16 nhwc", "s8 nchw",
                                                       "s8 nhwc", "s8 nChw16c")),
    ("random_permutation pytorch, 1,000,000", "permutation", "1000000"),
    ("random_permutation philox, 1,000,000", "permutation", "1000000, philox"),
    ("multinomial, 64 × 32,000: one sample", "multinomial", "64x32000:one, with replacement"),
    ("multinomial, 64 × 32,000: 100 samples, none twice", "multinomial", "64x32000:100, without replacement"),
    ("multinomial, 64 × 128,000: one, from logits", "multinomial", "64x128000:one, from logits"),
    ("token_sampler, 64 × 128,000: greedy", "token_sampler", "64x128000:greedy"),
    ("token_sampler, 64 × 128,000: temperature", "token_sampler", "64x128000:T"),
    ("token_sampler, 64 × 128,000: top_k 50, top_p 0.9", "token_sampler", "64x128000:T, top_k 50, top_p 0.9"),
    ("token_sampler, 64 × 128,000: top_p 0.9, flat rows", "token_sampler", "64x128000:T, top_p 0.9, flat rows"),
    ("64 f32 of random_uniform pytorch", "calls", "execute:64 f32, pytorch"),
    ("a shuffle of 32 bytes", "calls", "execute:shuffle of 32 bytes"),
    ("creation of a shuffle that exists", "calls", "create:shuffle"),
]
IN_TIME = ("permutation", "multinomial", "token_sampler", "calls")
THREADS = [(name, f"{name}:64MiB") for name in (
    "random_generator", "random_uniform tensorflow, f32", "random_uniform pytorch, f32", "random_normal pytorch, f32",
    "random_exponential pytorch, f32", "random_bernoulli pytorch, f32", "dropout f32", "stochastic_rounding bf16",
    "shuffle f32 nchw")] + [
    ("random_permutation philox, 1,000,000", "random_permutation philox, 1000000"),
    ("multinomial 64 × 128,000: one, from logits", "multinomial 64x128000:one, from logits"),
    ("token_sampler 64 × 128,000: top_k 50, top_p 0.9", "token_sampler 64x128000:T, top_k 50, top_p 0.9")]


def date_of(text):
    day = datetime.date.fromisoformat(text)
    return f"{day.day} {day:%B %Y}"


def page_name(machine):
    return f"performance-{machine.name}.md"


# What was measured -----------------------------------------------------------------------------------------------------


def processor(run):
    machine = run.machine
    caches = ", ".join(f"{level} {charts.size_name(size)}" for level, size in sorted(machine["caches"].items()))
    kind = f" (family {machine['family']}, model {machine['model']})" if machine["family"] else ""
    return (f"{machine['cpu']}{kind}{', virtual' if machine['virtual'] else ''}, {machine['cores']} cores, "
            f"{machine['ghz']} GHz; {caches or 'caches not known'}; {machine['memory_gib']} GiB")


def peers_of(run):
    return ", ".join(f"{name} {version}" for name, version in sorted(run.peers.items(), key=lambda p: p[0].lower()))


def label_of(run):
    """What tells the runs of one machine apart."""
    return ", ".join(f"{name} {run.peers[name]}" for name in VERSIONED if name in run.peers)


def runs_table(machines, with_machine):
    """A row for each data file."""
    rows = []
    for machine in machines:
        for run in machine.runs:
            first = [f"[{machine.title}]({page_name(machine)})"] if with_machine else []
            rows.append([*first, f"{run.version}, commit {run.commit}, {date_of(run.date)}", run.machine["system"],
                         run.compiler, peers_of(run), run.note or NOTHING])
    header = ["tombola", "system", "compiler", "peers", "note"]
    if not any(row[-1] != NOTHING for row in rows):
        rows, header = [row[:-1] for row in rows], header[:-1]
    header = (["machine"] if with_machine else []) + header
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]) + "\n"


ROUGH = """\

**Rough figures**: `--quick` takes few and short repetitions, so a figure may be far off. They do not replace those that
`scripts/perf-report` measures without it.
"""


def rough(machines):
    return ROUGH if any(run.rough for machine in machines for run in machine.runs) else ""


# Side by side ----------------------------------------------------------------------------------------------------------


def figure(column, section, case):
    if section == "means":
        found = tables.shuffle_mean(column, case)
        return digits(found and found[0])
    if section in IN_TIME:
        return duration(column.seconds(section, case))
    return digits(column.rate(section, case))


def figures_table(machines, in_time):
    columns = [column for machine in machines for column in machine.own]
    header = ["", *(f"{machine.title}, {title}" for machine in machines for title in titles(machine.own))]
    return table(header, [[name, *(figure(column, section, case) for column in columns)]
                          for name, section, case in FIGURES if (section in IN_TIME) == in_time])


def peer_cell(column, section, case):
    if section == "means":
        found = tables.shuffle_mean(column, case)
        return times([average for average, _ in found[1]]) if found else NOTHING
    return times(column.ratios(section, case)) or NOTHING


def peers_table(machines, *peers):
    columns = [(machine, column) for peer in peers for machine in machines for column in machine.columns(peer)]
    header = [f"{machine.title}: {column.who} {column.run.peers.get(column.who, '')}".strip()
              for machine, column in columns]
    return table(["", *header], [[name, *(peer_cell(column, section, case) for _, column in columns)]
                                 for name, section, case in FIGURES])


def memory_table(machines):
    rows = []
    plain = [("fill of 1 MiB (memset)", "random_generator", "words:1MiB", "memset"),
             ("fill of 512 MiB (memset)", "random_generator", "words:512MiB", "memset"),
             ("fill of 512 MiB past the caches", "random_generator", "words:512MiB", "streaming"),
             ("copy of 128 KiB (memcpy)", "dropout", "f32:32768", "memcpy"),
             ("copy of 64 MiB (memcpy)", "dropout", "f32:16777216", "memcpy")]
    for name, section, case, who in plain:
        rows.append([name, *(digits(m.columns(who)[0].rate(section, case)) for m in machines)])
    shares = [tables.shuffle_all(m) for m in machines]
    for i, name in enumerate(("shuffle's share of memcpy, all cases", "the least of them",
                              "the mean in cache (1x1088x7x7)")):
        rows.append([name, *(", ".join(digits(share[i], 2) for share in of_isa) or NOTHING for of_isa in shares)])
    return table(["", *(m.title for m in machines)], rows)


def threads_table(machines):
    columns = [column for machine in machines for column in machine.own]
    rows = []
    for name, case in THREADS:
        found = [two_threads(column, case) for column in columns]
        rows.append([name + (", 64 MiB" if case.endswith("MiB") else ""),
                     *(f"{digits(pair[2])}×" if pair else NOTHING for pair in found)])
    return table(["", *(f"{machine.title}, {title}" for machine in machines for title in titles(machine.own))], rows)


def small_threads(machines):
    """Sentences: where two threads are slower, for each machine."""
    return "\n".join(f"{machine.title}: {sentence}" for machine in machines
                     for sentence in tables.slower_threads(machine))


# Charts ----------------------------------------------------------------------------------------------------------------


def milliseconds(seconds):
    return digits(1e3 * seconds, 3 if seconds >= 1e-5 else 2)  # as wide as the chart has room for


def bar_groups(m):
    """What the chart of peers shows: 1 MiB of numbers, draws, means over shuffle's shapes; of each peer the newest."""
    def name_of(column):
        version = column.run.peers.get(column.who) if column.who in VERSIONED else None
        return f"{column.who} {version}" if version else column.title

    def bar(label, section, case, peer, names_peer):
        column = m.newest(peer)
        own = Column(column.run, OWN[0], "")
        if section == "means":
            found, own = tables.shuffle_mean(column, case), tables.shuffle_mean(own, case)
            ratios = found and [average for average, _ in found[1]]
            both = found and f"{digits(own[0])} / {digits(found[0])}"
        else:
            ratios = column.ratios(section, case)
            both = ratios and (" / ".join(milliseconds(c.seconds(section, case)) for c in (own, column))
                               if section in IN_TIME else
                               " / ".join(digits(c.rate(section, case)) for c in (own, column)))
        if not ratios:
            return []
        if names_peer:
            label = f"{label} · {name_of(column)}"
        return [(label, (ratios + [None])[:2], digits(ratios[0], 2) + "×", both)]

    def bars(section, *entries, names_peer=True):
        return [row for label, case, peer in entries for row in bar(label, section, case, peer, names_peer)]

    torch = name_of(m.newest("PyTorch"))

    torch_draws = [("a million of 1,000", "1x1000:a million, with replacement"),
                   ("1,000 of 10 million", "1x10000000:1000, with replacement"),
                   ("64 × 1 of 32,000", "64x32000:one, with replacement"),
                   ("64 × 100 of 32,000, none twice", "64x32000:100, without replacement"),
                   ("64 × 1 of 128,000, logits", "64x128000:one, from logits")]
    tokens = [(filters, f"64x128000:{filters}") for filters in (
        "greedy", "T", "T, top_k 50, top_p 0.9", "T, top_k 1000", "T, top_p 0.9", "T, top_p 0.9, flat rows")]
    result = [
        ("random_generator, GB/s", bars("random_generator", ("words", "words:1MiB", "Random123"))),
        ("random_uniform, TensorFlow's numbers, GB/s",
         bars("tensorflow", *((case.split(":")[0], case + ":1MiB", "Random123")
                              for case in ("f32:unit", "f64:unit", "s32:range")))),
        ("random_uniform, PyTorch's numbers, GB/s",
         bars("pytorch", *(("f32", "f32:unit:1MiB", peer) for peer in ("PyTorch", "std::mt19937", "Boost", "GSL")),
              *((case.split(":")[0], case + ":1MiB", "PyTorch")
                for case in ("f64:unit", "f16:unit", "bf16:unit", "s64:one word")))),
        ("random_normal, random_exponential, random_bernoulli, f32, GB/s",
         [row for section in ("normal", "exponential", "bernoulli")
          for row in bars(section, *((section, "pytorch, f32:1MiB", peer) for peer in ("PyTorch", "std", "GSL")))]),
        (f"dropout beside {torch}, GB/s",
         bars("dropout", ("f32, 128 KiB", "f32:32768", "PyTorch"), ("f32, 64 MiB", "f32:16777216", "PyTorch"),
              ("bf16, 64 MiB", "bf16, 16 bits:33554432", "PyTorch"), names_peer=False)),
        (f"random_permutation beside randperm of {torch}, milliseconds",
         bars("permutation", *((tables.count_of(count), count, "PyTorch") for count in ("1000", "1000000", "10000000")),
              names_peer=False)),
        (f"multinomial beside {torch}: rows × samples of classes, milliseconds",
         bars("multinomial", *((label, case, "PyTorch") for label, case in torch_draws), names_peer=False)),
        (f"token_sampler beside {torch}: 64 × 128,000, milliseconds",
         bars("token_sampler", *((label, case, "PyTorch") for label, case in tokens), names_peer=False)),
        ("shuffle, ShuffleNet's shapes, GB/s",
         bars("means", ("f32 nchw", "f32 nchw", "PyTorch"), *((name, name, "oneDNN") for name in (
             "f32 nchw", "f32 nhwc", "f32 nChw16c", "bf16 nhwc", "s8 nchw", "s8 nhwc", "s8 nChw16c")))),
    ]
    return [(heading, rows) for heading, rows in result if rows]


def draw_charts(m, folder):
    """Writes the machine's charts and returns their names."""
    groups = bar_groups(m)
    drawn = {"peers": charts.bars(f"tombola beside its peers, {m.title}", "One thread. Bars: how many times as fast. Right: "
                                  f"both figures, tombola ({m.own[0].title}) / peer", groups, titles(m.own))} if groups else {}
    for isa, column, name in zip(("best", "avx2"), m.own, ("sizes", "sizes-avx2")):
        if sweeps := m.main.sizes.get(isa):
            shares = [(line, [(int(size), rate / yardstick) for size, (rate, yardstick) in points.items()])
                      for line, points in sweeps.items()]
            drawn[name] = charts.lines(f"Rate by size, {m.title}, {column.title}",
                                       "100%: memcpy for shuffle and dropout, a plain read for multinomial, else the kernel's "
                                       "rate in cache", shares)
    names = [f"{m.name}-{name}.svg" for name in drawn]
    for name, svg in zip(names, drawn.values()):
        write(folder / name, svg)
    return names


# Pages -----------------------------------------------------------------------------------------------------------------


def image(name):
    what = "tombola beside its peers" if "-peers" in name else "Rate by size"
    return f"![{what}](charts/{name})\n"


def fill(template, **values):
    """{name} is a value, and {?name ... ?} a section that is left out if the value is empty."""
    text = (FOLDER / template).read_text()
    text = re.sub(r"\{\?(\w+)\n(.*?)\?\}\n", lambda part: part.group(2) if values[part.group(1)] else "", text, flags=re.S)
    # A value on a line of its own brings its line ends along.
    text = re.sub(r"^\{(\w+)\}\n", lambda name: values[name.group(1)] and values[name.group(1)].strip("\n") + "\n", text,
                  flags=re.M)
    text = re.sub(r"\{(\w+)\}", lambda name: values[name.group(1)], text)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def write_machine_page(m, out):
    names = draw_charts(m, out / "charts")
    both = " and on ".join(titles(m.own))
    spread = "\n".join(
        f"- commit {run.commit}{' with ' + label_of(run) if len(m.runs) > 1 else ''}: {run.repetitions[0]} to "
        f"{run.repetitions[1]} repetitions; in half of the cases the median one was less than {run.spread['half']:.0%} slower than "
        f"the best, in a tenth {run.spread['tenth']:.0%} or more." for run in m.runs)
    text = fill("machine.md", title=m.title, rough=rough([m]), processor=processor(m.main), isa=m.main.isa,
                microarchitecture=m.main.machine["microarchitecture"], runs=runs_table([m], False), spread=spread, both=both,
                main=f"the run with {label_of(m.main)}", several="yes" if len(m.runs) > 1 else "",
                peers_chart="\n".join(image(name) for name in names if "-peers" in name),
                ceilings="\n".join(image(name) for name in names if "-sizes" in name),
                **{name: make(m) for name, make in tables.SECTIONS.items()})
    write(out / page_name(m), text)
    return names


def write_pages(machines, out):
    """Writes all pages and charts, and returns their paths below `out`."""
    paths = ["performance.md"]
    for m in machines:
        paths += [page_name(m), *(f"charts/{name}" for name in write_machine_page(m, out))]
    hardware = table(["machine", "processor", "tombola detects", "instruction sets"],
                     [[f"[{m.title}]({page_name(m)})", processor(m.main), m.main.machine["microarchitecture"],
                       ", ".join(titles(m.own))] for m in machines])
    write(out / "performance.md", fill(
        "page.md", rough=rough(machines), hardware=hardware, runs=runs_table(machines, True),
        rates=figures_table(machines, False), durations=figures_table(machines, True), torch=peers_table(machines, "PyTorch"),
        dnnl=peers_table(machines, "oneDNN"), others=peers_table(machines, "Random123", "Boost", "GSL"),
        memory=memory_table(machines), threads=threads_table(machines), small=small_threads(machines),
        chart=next((image(path.split("/")[1]) for path in paths if path.endswith("-peers.svg")), "")))
    return paths
