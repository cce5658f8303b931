"""Files that NumPy wrote are read, and written as NumPy writes them: numpy_files.py GRAPHC NUMPY_NPY_TXT FOLDER

The lines of unittests/Runtime/numpy_npy.txt: dtypes, versions of the header, byte orders, C and Fortran order.
"""

import os
import sys

from common import DESCR, copier, npy, read, run, write

graphc, lines, folder = sys.argv[1:]
count = 0
for line in open(lines):
    words = line.split()
    if words[0] != "npy":
        continue
    dtype, shapeText, file, elements = words[1:]
    shape = [] if shapeText == "-" else [int(extent) for extent in shapeText.split("x")]
    program = copier(graphc, folder, dtype, len(shape))
    source, out = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
    write(source, bytes.fromhex(file))
    result = run(program, "--input", "x=" + source, "--output", "y=" + out)
    if result != (0, "", ""):
        sys.exit(f"{line[:60]}: {result}")
    wanted = npy(DESCR[dtype], shape, bytes.fromhex(elements.replace("-", "")))
    if read(out) != wanted:
        sys.exit(f"{line[:60]}: wrote {read(out)}\ninstead of {wanted}")
    # What NumPy wrote in this form is the same file.
    if bytes.fromhex(file)[6] == 1 and b"'fortran_order': False" in wanted and b"'>" not in bytes.fromhex(file) \
            and b"True" not in bytes.fromhex(file) and bytes.fromhex(file) != wanted:
        sys.exit(f"{line[:60]}: NumPy's own file is another")
    count += 1
print(f"{count} files")
