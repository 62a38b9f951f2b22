# SPDX-License-Identifier: Apache-2.0
import os
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


def test_without_matplotlib(tmp_path):
    """A picture is asked for, and left out with a message."""
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError(\"No module named 'matplotlib'\")")
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    picture = tmp_path / "filters.png"
    result = subprocess.run(
        [sys.executable, EXAMPLES / "filters.py", picture], capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": path}
    )
    assert result.returncode == 0 and result.stdout
    assert result.stderr == f"matplotlib is not installed: {picture} is not written\n"
    assert not picture.exists()
