# SPDX-License-Identifier: Apache-2.0
"""Other libraries that tests compare with."""
import importlib
import os

import pytest


def import_torch():
    """PyTorch. Where it is not installed, the test is skipped, unless TOMBOLA_REQUIRE_TORCH is set."""
    if os.environ.get("TOMBOLA_REQUIRE_TORCH"):
        return importlib.import_module("torch")
    return pytest.importorskip("torch")
