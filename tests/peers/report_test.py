# SPDX-License-Identifier: Apache-2.0
"""Runs scripts/perf_report with the least that it can measure, and looks at the data file, the pages and the charts.

usage: report_test.py BUILD FOLDER       (a build directory; a folder to write to)
"""
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "scripts/perf_report/report.py"
REPOSITORY_PAGE = ROOT / "doc/performance.md"


def run(*options):
    subprocess.run([sys.executable, REPORT, *options], check=True)


def main():
    build, folder = map(Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kept = REPOSITORY_PAGE.read_bytes()
    run("--smoke", f"--build={build}", f"--out={folder}", "--name=my-machine.test", "--note=Only a test.")
    data = json.loads((folder / "measurements/my-machine.test.json").read_text())
    assert data["note"] == "Only a test." and data["rough"] and data["machine"]["cores"] > 0, data
    page = (folder / "performance-my-machine.md").read_text()
    summary = (folder / "performance.md").read_text()

    for text in (page, summary):
        assert "**Rough figures**" in text, "pages of --smoke are not marked as rough"
        assert "Only a test." in text, "the note is missing"
        assert not re.search(r"[{}]", text), "a placeholder is left"
        for section in text.split("\n## ")[1:]:
            heading = section.splitlines()[0]
            rows = [line for line in section.splitlines() if re.match(r"\|.*\d", line)]
            assert rows or heading == "How to add a machine", f"{heading}: no figures"

    # The first ratio in brackets beside a peer is the quotient of the two figures in the row; a second one is AVX2's.
    found = re.findall(r"^\|[^|]+\| ([\d.]+) \|(?: ([\d.]+) \|)? ([\d.]+) \(([\d.]+)×(?:, ([\d.]+)×)?\)", page, re.MULTILINE)
    assert found, "no ratios"
    for best, avx2, peer, *ratios in found:
        for own, ratio in zip((best, avx2), ratios):
            if ratio:
                expected = float(own) / float(peer)
                assert abs(float(ratio) / expected - 1) < 0.06, (own, peer, ratio)  # two digits

    images = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert "charts/my-machine-peers.svg" in images and "charts/my-machine-sizes.svg" in images, images
    for image in images:
        root = ElementTree.parse(folder / image).getroot()
        assert root.tag.endswith("svg"), image
        for element in root.iter():
            for name in ("x", "y", "width", "height", "cx", "cy"):
                assert 0 <= float(element.get(name, 0)) <= 2000, (image, element.attrib)

    assert not list(folder.rglob("*.unfinished"))

    run("--pages", f"--out={folder}")
    assert (folder / "performance-my-machine.md").read_text() == page
    assert REPOSITORY_PAGE.read_bytes() == kept, f"{REPOSITORY_PAGE} was written"


if __name__ == "__main__":
    main()
