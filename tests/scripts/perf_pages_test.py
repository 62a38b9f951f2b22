# SPDX-License-Identifier: Apache-2.0
"""The pages of figures are what the data files of doc/measurements give, and a data file that is none is refused.

usage: perf_pages_test.py FOLDER       (to write to)
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
DOC = ROOT / "doc"
BY_HAND = {"performance-notes.md"}


def make_pages(folder):
    return subprocess.run([sys.executable, ROOT / "scripts/perf_report/report.py", "--pages", f"--out={folder}"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def generated(folder):
    """The texts of all pages and charts, by their names."""
    paths = [path for path in (*folder.glob("performance*.md"), *folder.glob("charts/*.svg")) if path.name not in BY_HAND]
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def change(path, edit):
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))


def main():
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOC / "measurements", folder / "measurements")

    run = make_pages(folder)
    assert run.returncode == 0, run.stderr
    expected, found = generated(folder), generated(DOC)
    stale = [name for name in sorted(expected.keys() | found.keys()) if expected.get(name) != found.get(name)]
    assert not stale, f"doc/{', doc/'.join(stale)}: not what doc/measurements gives; scripts/perf-report --pages writes them"

    # A figure that changes is seen: the rate of 1 MiB of words becomes 123 GB/s.
    path = sorted((folder / "measurements").glob("*.json"))[0]
    machine = path.name.split(".")[0]
    for other in (folder / "measurements").glob(f"{machine}.*.json"):
        change(other, lambda content: content["figures"]["random_generator"]["words:1MiB"].update(
            tombola=2**20 / 123e9) if "random_generator" in content["figures"] else None)
    assert make_pages(folder).returncode == 0
    pages = generated(folder)
    for name in ("performance.md", f"performance-{machine}.md"):
        assert re.search(r"^\| [^|]*1 MiB \|(.*\|)? 123 \|", pages[name], re.MULTILINE), f"{name} lacks the new figure"

    # What is no data file is refused by name.
    for edit, complaint in ((lambda content: content.pop("commit"), "commit"),
                            (lambda content: content.update(colour="red"), "colour"),
                            (lambda content: content["machine"].pop("caches"), "caches"),
                            (lambda content: content.pop("machine"), "machine"),
                            (lambda content: content.update(isa="sse"), "isa is sse"),
                            (lambda content: content["machine"].update(model=0), "different processors"),
                            (lambda content: content.update(format=2), "format")):
        kept = path.read_text()
        change(path, edit)
        run = make_pages(folder)
        assert run.returncode != 0 and path.name in run.stderr and complaint in run.stderr, (complaint, run.stderr)
        path.write_text(kept)
    path.write_text(path.read_text()[:-2])
    run = make_pages(folder)
    assert run.returncode != 0 and path.name in run.stderr and "Traceback" not in run.stderr, run.stderr
    close_cases_run_again(folder)


# In place of tests/peers: four cases take 1.00 s in tombola. oneDNN takes 0.90 s in "a b.c", 0.97 s in "slow", 1.10 s in "won" and 1.30 s
# in "far". Run alone, tombola takes 0.91 s in "a b.c", 1.10 s in "slow" and 1.05 s in "won". It does not run "far" again.
PEERS_STUB = """#!/usr/bin/env python3
import json, re, sys
options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
alone = {"a b.c": 0.91, "slow": 1.10, "won": 1.05}
runs = []
for case, peer in (("a b.c", 0.90), ("slow", 0.97), ("won", 1.10), ("far", 1.30)):
    for who, time in (("tombola", 1.00), ("oneDNN", peer), ("memcpy", 0.5)):
        name = f"shuffle/{case}/{who}/real_time"
        if re.search(options["benchmark_filter"], name):
            again = options["benchmark_filter"].startswith("^") and who == "tombola"
            runs.append({"run_type": "iteration", "run_name": name, "real_time": alone[case] if again else time})
open(options["benchmark_out"], "w").write(json.dumps({"context": {}, "benchmarks": runs}))
"""


def close_cases_run_again(folder):
    sys.path.insert(0, str(ROOT / "scripts/perf_report"))
    import measure
    peers, raw = folder / "tests/peers/peers", folder / "raw"
    for parent in (peers.parent, raw):
        parent.mkdir(parents=True)
    peers.write_text(PEERS_STUB)
    peers.chmod(0o755)
    measure.PARTS["stub"] = ("shuffle", "shuffle", 1, 0)
    measure.run_peers(SimpleNamespace(smoke=False, quick=False, build=folder, raw=raw), "stub")
    samples = measure.samples_of(json.loads((raw / "stub.json").read_text()))
    times = {case: [run["real_time"] for run in by_who["tombola"]] for (_, case), by_who in samples.items()}
    assert times == {"a b.c": [1.00, 0.91], "slow": [1.00, 1.10], "won": [1.00, 1.05], "far": [1.00]}, times
    assert measure.cases_between(samples, 0, 0.98) == [("shuffle", "slow")]


if __name__ == "__main__":
    main()
