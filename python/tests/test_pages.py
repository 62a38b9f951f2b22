# SPDX-License-Identifier: Apache-2.0
"""The blocks of Python on the pages run, and the pages show what they print."""
import pathlib
import re

import numpy as np
import pytest

import tombola
from oracles import import_torch

FOLDER = pathlib.Path(__file__).parents[2]
BLOCKS = [
    pytest.param(page, block[1], id=f"{page.name}:{page.read_text()[:block.start()].count(chr(10)) + 2}")
    for page in [FOLDER / "README.md", *sorted(FOLDER.glob("doc/*.md"))]
    for block in re.finditer(r"^```python\n(.*?)^```\n", page.read_text(), re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize("page, block", BLOCKS)
def test_block(page, block, capsys):
    # What the pages take as given.
    names = {"numpy": np, "tombola": tombola, "logits": np.random.RandomState(1).standard_normal((2, 100)).astype(np.float32)}
    if re.search(r"\btorch\b", re.sub("#.*", "", block)):
        names["torch"] = import_torch()
    exec(compile(block, page.name, "exec"), names)
    printed = capsys.readouterr().out
    assert printed in page.read_text()
