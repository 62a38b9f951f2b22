# SPDX-License-Identifier: Apache-2.0
"""The commands of doc/benchtombola.md run, and print what the page shows.

usage: page_test.py PROGRAM PAGE FOLDER       (to run in)
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# What these print depends on the machine: rates, and the list of implementations.
OF_THE_MACHINE = ("--mode=P", "--impl=")
# These take long, and the tests run them anyway: a build, a batch of large problems.
ELSEWHERE = ("cmake", "--batch=all")


def examples(page):
    """(line, commands, what they print or None) of each block of commands; the text block behind it is what they print."""
    blocks = list(re.finditer(r"^```(\w+)\n(.*?)^```\n", page, re.DOTALL | re.MULTILINE))
    for block, following in zip(blocks, [*blocks[1:], None]):
        if block[1] != "console":
            continue
        shown = following is not None and following[1] == "text" and not page[block.end():following.start()].strip()
        yield page[:block.start()].count("\n") + 2, block[2], following[2] if shown else None


def main():
    program, page, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
    compared = failures = 0
    for line, commands, expected in examples(page.read_text()):
        if any(word in commands for word in OF_THE_MACHINE + ELSEWHERE):
            continue
        run = subprocess.run(["sh", "-e", "-c", commands], cwd=folder, env=environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        if expected is not None:
            compared += 1
        if run.stdout == expected if expected is not None else run.returncode == 0:
            continue
        failures += 1
        print(f"{page}:{line}: status {run.returncode}, printed\n{run.stdout}expected\n{expected or 'success'}")
    if compared < 8:
        print(f"{compared} examples were compared; expected at least 8")
        failures += 1
    sys.exit(failures != 0)


main()
