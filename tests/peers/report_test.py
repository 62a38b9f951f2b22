# SPDX-License-Identifier: Apache-2.0
"""Runs scripts/perf_report with the least that it can measure, and looks at the page and the charts.

usage: report_test.py BUILD FOLDER       (a build directory; a folder to write to)
"""
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "scripts/perf_report/report.py"
REPOSITORY_PAGE = ROOT / "doc/performance.md"


def cells(row):
    return [cell.strip() for cell in row.strip("|").split("|")]


def main():
    build, folder = map(Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([sys.executable, REPORT, "--smoke", f"--build={build}", f"--out={folder}"], check=True)
    page = (folder / "performance.md").read_text()

    for section in page.split("\n## ")[1:-1]:
        heading = section.splitlines()[0]
        rows = [line for line in section.splitlines() if re.match(r"\|.*\d", line)]
        assert rows, f"{heading}: no figures"

    # What stands in brackets beside a peer is the quotient of the two figures in the row.
    rows = re.findall(r"^\|[^|]+\| ([\d.]+) \|[^(\n]*? ([\d.]+) \(([\d.]+)×\)", page, re.MULTILINE)
    for own, peer, ratio in rows:
        expected = float(own) / float(peer)
        assert abs(float(ratio) / expected - 1) < 0.06, (own, peer, ratio)  # two digits

    images = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert "charts/peers.svg" in images and "charts/ceiling.svg" in images, images
    for image in images:
        root = ElementTree.parse(folder / image).getroot()
        assert root.tag.endswith("svg"), image
        for element in root.iter():
            for name in ("x", "y", "width", "height", "cx", "cy"):
                assert 0 <= float(element.get(name, 0)) <= 2000, (image, element.attrib)

    assert "**A rough page**" in page, "the page of --smoke is not marked as rough"
    assert not list(folder.rglob("*.unfinished"))

    again = folder / "again"
    again.mkdir()
    subprocess.run([sys.executable, REPORT, f"--from={folder}", f"--out={again}"], check=True)
    assert (again / "performance.md").read_text() == page

    # Rough figures never become the repository's page by themselves.
    kept = REPOSITORY_PAGE.read_bytes()
    subprocess.run([sys.executable, REPORT, f"--from={again.parent}"], check=True)
    assert REPOSITORY_PAGE.read_bytes() == kept, f"{REPOSITORY_PAGE} was written"


if __name__ == "__main__":
    main()
