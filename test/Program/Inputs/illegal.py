"""A processor that lacks an instruction: illegal.py PROGRAM INPUT...

The signal that it sends is sent from here, while the program waits for its output to be read.
"""

import signal
import subprocess
import sys

process = subprocess.Popen([*sys.argv[1:], "--full"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
process.stdout.read(1)
process.send_signal(signal.SIGILL)
error = process.communicate()[1]
print(error, end="")
sys.exit(process.returncode)
