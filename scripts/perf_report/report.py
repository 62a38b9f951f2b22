#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures, writes a data file, and makes the pages of all data files. To be run by scripts/perf-report, where the options
are explained. --smoke: the least that fills the pages, for a test."""
import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import measure
import pages
from data import BadFile, read_machines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=measure.ROOT / "build/release")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--name")
    parser.add_argument("--note", default="")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--check", action="store_true", help="looks at the arguments alone")
    args = parser.parse_args()
    if unknown := set(args.only or []) - {*measure.PARTS, "sizes"}:
        parser.error(f"--only: no part is called {', '.join(sorted(unknown))}; expected {' '.join(measure.PARTS)} sizes")
    if args.only == ["sizes"] and args.name:
        parser.error("--only=sizes makes no data file: it tells nothing about the machine; add another part")
    if args.name and not re.fullmatch(r"[a-z0-9][a-z0-9._+-]*", args.name):
        parser.error(f"--name: {args.name}; expected small letters, digits and . _ + -, as in zen4.onednn-3.7.2")
    if args.check:
        return
    args.raw = args.build / ("perf-report-quick" if args.quick else "perf-report")
    if args.smoke:
        args.raw = args.out / "raw"
    # Only figures that took their time become the pages of the repository, unless one asks for it.
    out = args.out or (args.raw if args.quick else measure.ROOT / "doc")
    try:
        if args.pages or measure.measure(args, out / "measurements"):
            machines = read_machines(out / "measurements")
            if not machines:
                raise BadFile(f"{out / 'measurements'}: no data files")
            for path in pages.write_pages(machines, out):
                print(out / path)
    except BadFile as error:
        sys.exit(f"scripts/perf-report: {error}")


if __name__ == "__main__":
    main()
