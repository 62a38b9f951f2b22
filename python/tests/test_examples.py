# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


@pytest.mark.parametrize("program", sorted(path.name for path in EXAMPLES.glob("*.py") if path.name != "plot.py"))
def test_example(program):
    """Each example checks what it computed."""
    result = subprocess.run([sys.executable, EXAMPLES / program], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert result.stdout
