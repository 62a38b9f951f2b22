# SPDX-License-Identifier: Apache-2.0
"""The table of doc/types.md has the data types that each driver of benchtombola accepts, which are those of the library's lists.

usage: types_page_test.py BENCHTOMBOLA PAGE
"""
import re
import subprocess
import sys
from pathlib import Path


def help_of(benchtombola, *driver):
    return subprocess.run([benchtombola, *driver, "--help"], capture_output=True, text=True, check=True).stdout


def types_of_driver(benchtombola, driver):
    """The types that --dt takes, or --ddt of a driver without --dt. A driver without both has words."""
    found = re.search(r"--d?dt=LIST\s+data type.*?: one of (.*?);", help_of(benchtombola, driver), re.DOTALL)
    return set(re.split(r",\s+", found.group(1))) if found else {"u32"}


def main():
    benchtombola, page = sys.argv[1], Path(sys.argv[2])
    drivers = re.findall(r"^  (--[\w-]+) \[options\]", help_of(benchtombola), re.MULTILINE)
    rows = re.findall(r"^\| \[`(\w+)`\]\(\w+\.md\) \| (.*?) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    page_types = {"--" + name.replace("_", "-"): set(types.split(", ")) for name, types in rows}
    driver_types = {driver: types_of_driver(benchtombola, driver) for driver in drivers}
    assert drivers and rows
    if page_types == driver_types:
        return 0
    for driver in sorted(page_types.keys() | driver_types.keys()):
        on_page, accepted = page_types.get(driver), driver_types.get(driver)
        if on_page != accepted:
            print(f"{page.name}: {driver}: the page has {on_page}, the driver accepts {accepted}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
