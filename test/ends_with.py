"""Runs a command that must end with a given status: ends_with.py STATUS COMMAND..."""

import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"ends_with.py: status {status} instead of {sys.argv[1]}: {' '.join(sys.argv[2:])}")
