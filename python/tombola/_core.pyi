# SPDX-License-Identifier: Apache-2.0
# The compiled part. The package's functions, which are annotated where they are defined, call it.
from typing import Any

version: str

def __getattr__(name: str) -> Any: ...
