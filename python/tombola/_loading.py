# SPDX-License-Identifier: Apache-2.0
"""Says plainly why this Python cannot import the package: Python's own messages speak of circular imports."""
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

for _name in ("_interpreters", "_xxsubinterpreters"):
    try:
        _interpreters = __import__(_name)
    except ImportError:
        continue
    _current, _main = _interpreters.get_current(), _interpreters.get_main()
    # From Python 3.13 on each is a tuple that begins with the number.
    if (_current[0] != _main[0]) if isinstance(_main, tuple) else (_current != _main):
        raise ImportError("tombola cannot be imported in a sub-interpreter, which NumPy does not support", name="tombola")
    break

try:
    import numpy
except ModuleNotFoundError as missing:
    if missing.name != "numpy":
        raise
    raise ModuleNotFoundError(f"tombola needs NumPy, which {sys.executable} does not have", name="numpy") from None

_compiled = sorted(file.name for file in Path(__file__).parent.glob("_core.*") if file.suffix != ".pyi")
if not any(f"_core{suffix}" in _compiled for suffix in EXTENSION_SUFFIXES):
    found = f"tombola was built for another Python ({', '.join(_compiled)})" if _compiled else "tombola's module _core is not built"
    raise ImportError(
        f"{found}; expected _core{EXTENSION_SUFFIXES[0]} for {sys.executable}. Run the Python that CMake has named, or build for"
        f" this one: -D Python_EXECUTABLE={sys.executable}",
        name="tombola._core",
    )
