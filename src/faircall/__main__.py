"""`python -m faircall` is `faircall`."""

from __future__ import annotations

import sys

from faircall.cli import main

if __name__ == "__main__":
    sys.exit(main())
