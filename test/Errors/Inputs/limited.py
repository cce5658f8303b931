"""Runs a program with little memory and endless letters on its standard input: limited.py COMMAND...

Its exit status is the program's.
"""

import resource
import subprocess
import sys
import threading

limit = 1 << 30  # address space; the compiler's library takes a tenth
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


def feed():
    try:
        while True:
            process.stdin.write(b"x" * (1 << 20))
    except OSError:
        pass  # it has read enough


threading.Thread(target=feed, daemon=True).start()
sys.exit(process.wait())
