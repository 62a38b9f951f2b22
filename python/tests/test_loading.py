# SPDX-License-Identifier: Apache-2.0
"""What a Python says that cannot import the package."""
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tombola


def error_of(code, folder):
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, env={"PYTHONPATH": str(folder)}, text=True, capture_output=True)
    assert run.returncode == 1
    return run.stderr.splitlines()[-1]


def test_a_python_without_numpy():
    parent = Path(tombola.__file__).parents[1]
    error = error_of("import sys; sys.modules['numpy'] = None; import tombola", parent)
    assert error == f"ModuleNotFoundError: tombola needs NumPy, which {sys.executable} does not have"


@pytest.mark.parametrize("files, what", [
    (["_core.cpython-399-x86_64-linux-gnu.so"], "tombola was built for another Python (_core.cpython-399-x86_64-linux-gnu.so)"),
    ([], "tombola's module _core is not built"),
])
def test_another_python_than_it_was_built_for(tmp_path, files, what):
    package = Path(tombola.__file__).parent
    shutil.copytree(package, tmp_path / "tombola", ignore=shutil.ignore_patterns("_core.*.so", "__pycache__"))
    for file in files:
        (tmp_path / "tombola" / file).touch()
    error = error_of("import tombola", tmp_path)
    assert error.startswith(f"ImportError: {what}; expected _core.")
    assert error.endswith(f"-D Python_EXECUTABLE={sys.executable}")
