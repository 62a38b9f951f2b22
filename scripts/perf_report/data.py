# SPDX-License-Identifier: Apache-2.0
"""What was measured: data files, and the machines that they are about. doc/measurements/README.md describes the format."""
import json
import math
import re
import statistics
from dataclasses import dataclass
from pathlib import Path

FORMAT = 1
KEYS = {"format", "machine", "date", "commit", "version", "compiler", "isa", "peers", "note", "rough", "repetitions",
        "spread", "figures", "sizes"}
OPTIONAL_KEYS = {"shuffle_means"}
MACHINE_KEYS = {"cpu", "microarchitecture", "family", "model", "virtual", "cores", "ghz", "caches", "memory_gib", "system"}
PROCESSOR = ("cpu", "family", "model")  # the keys by which two machines are the same kind
ISA_NAMES = {"none": "portable", "avx2": "AVX2", "avx512_core": "AVX-512", "avx512_core_vbmi": "AVX-512"}
BYTES = "bytes"  # the key beside those of the times


class BadFile(Exception):
    pass


def words_of(name):
    """sapphire_rapids -> Sapphire Rapids, zen4 -> Zen 4."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", re.sub(r"[_-]", " ", name)).title()


class Run:
    """One data file: what one run of scripts/perf-report measured."""

    def __init__(self, path):
        self.name = path.name.removesuffix(".json")
        # Files whose names are equal up to the first dot are of one machine.
        self.machine_name = self.name.split(".")[0]
        try:
            content = json.loads(path.read_text())
        except ValueError as error:
            raise BadFile(f"{path}: {error}") from error
        if content.get("format") != FORMAT:
            raise BadFile(f"{path}: format is {content.get('format')}; expected {FORMAT}")
        for part, wanted, allowed in ((content, KEYS, KEYS | OPTIONAL_KEYS),
                                      (content.get("machine", {}), MACHINE_KEYS, MACHINE_KEYS)):
            if wrong := (wanted - part.keys()) | (part.keys() - allowed):
                raise BadFile(f"{path}: missing or unknown: {', '.join(sorted(wrong))}")
        for key in KEYS | OPTIONAL_KEYS:
            setattr(self, key, content.get(key))
        if self.isa not in ISA_NAMES:
            raise BadFile(f"{path}: isa is {self.isa}; expected one of {', '.join(ISA_NAMES)}")
        self.best = ISA_NAMES[self.isa]

    def seconds(self, section, case, who):
        return self.figures.get(section, {}).get(case, {}).get(who)


def version_key(version):
    return [int(number) for number in re.findall(r"\d+", version)]


@dataclass(frozen=True)
class Column:
    """Somebody's figures in one run. Ratios are always to tombola's figures of the same run."""
    run: Run
    who: str
    title: str

    def seconds(self, section, case):
        return self.run.seconds(section, case, self.who)

    def rate(self, section, case):
        seconds = self.seconds(section, case)
        return seconds and self.run.figures[section][case][BYTES] / seconds * 1e-9

    def ratios(self, section, case):
        """How many times as fast tombola is: with the best instruction set, and with AVX2."""
        other = self.seconds(section, case)
        own = [self.run.seconds(section, case, who) for who in OWN]
        return [other / seconds for seconds in own if other and seconds]


OWN = ("tombola", "tombola-avx2")
VERSIONED = ("oneDNN", "PyTorch")  # peers that change much from version to version
OTHERS = ("Boost", "GSL", "Random123", "std")  # peers whose speed depends on the compiler of a run


class Machine:
    """All runs of one machine. The main one, with most parts, has tombola's figures and those of the machine."""

    def __init__(self, runs):
        self.runs = sorted(runs, key=lambda run: (len(run.figures) + len(run.sizes), run.date, run.name), reverse=True)
        self.main = self.runs[0]
        self.name = self.main.machine_name
        for run in self.runs[1:]:
            if any(run.machine[key] != self.main.machine[key] for key in PROCESSOR):
                raise BadFile(f"{run.name}.json and {self.main.name}.json are of different processors; expected different words before the first dot")
        self.title = words_of(self.name)
        self.own = [Column(self.main, who, title) for who, title in zip(OWN, self.isas())]

    def isas(self):
        return [self.main.best, "AVX2"] if self.main.best == "AVX-512" else [self.main.best]

    def columns(self, *names):
        """A column for each version of oneDNN and PyTorch. Memory has the figures of the main run, other libraries those of the run in
        which they are fastest beside tombola."""
        result = []
        for name in names:
            versions = {}
            for run in reversed(self.runs):
                if name in run.peers and name in VERSIONED:
                    versions[run.peers[name]] = run
            if not versions:
                run = self.fastest(name) if name in OTHERS else self.main
                result.append(Column(run, name, {"std": "standard library"}.get(name, name)))
            for version in sorted(versions, key=version_key):
                result.append(Column(versions[version], name, f"{name} {version}" if len(versions) > 1 else name))
        return result

    def fastest(self, name):
        def ratio(run):
            ratios = [case[name] / case[OWN[0]] for cases in run.figures.values() for case in cases.values()
                      if name in case and OWN[0] in case]
            return statistics.geometric_mean(ratios) if ratios else math.inf
        return min(self.runs, key=ratio)

    def newest(self, name):
        return self.columns(name)[-1]

    def cases(self, section):
        return list(self.main.figures.get(section, {}))


def read_machines(folder):
    """The machines of a folder's data files, the latest first."""
    runs = [Run(path) for path in sorted(Path(folder).glob("*.json"))]
    machines = [Machine([run for run in runs if run.machine_name == name])
                for name in dict.fromkeys(run.machine_name for run in runs)]
    return sorted(machines, key=lambda machine: machine.main.date, reverse=True)


def text_of(content):
    """The text of a data file: one line a case, so that two files can be compared."""
    def lines(value, depth):
        if not isinstance(value, dict) or not value or not any(isinstance(v, dict) for v in value.values()):
            return json.dumps(value, ensure_ascii=False)
        indent = " " * (depth + 1)
        inner = ",\n".join(f"{indent}{json.dumps(key, ensure_ascii=False)}: {lines(v, depth + 1)}"
                           for key, v in value.items())
        return "{\n" + inner + "\n" + " " * depth + "}"
    return lines(content, 0) + "\n"
