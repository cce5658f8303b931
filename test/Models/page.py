"""docs/Models.md has a row for each network, and each is within its rule: page.py SOURCE_FOLDER"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
root = Path(sys.argv[1])
sys.path.insert(0, str(root / "tools/models"))
import report
from networks import NETWORKS, Difference

page = (root / "docs/Models.md").read_text()
fixed = lambda text: [line for line in text.splitlines() if line and "{" not in line]
for line in fixed(report.HEAD) + fixed(report.TABLE) + fixed(report.TEXT):
    assert line in page.splitlines(), f"docs/Models.md has not the line: {line}"
rows = {
    cells[1]: cells
    for cells in ([c.strip() for c in line.split("|")] for line in page.splitlines())
    if len(cells) == 2 + len(report.COLUMNS)
}
rows = {name: cells for name, cells in rows.items() if name != "network" and not name.startswith("---")}
assert list(rows) == [network.name for network in NETWORKS], list(rows)
for network in NETWORKS:
    name, what, difference, *times = rows[network.name][1:-1]
    assert what == network.what, f"{name}: {what}"
    # "MOST", or "MOST (rms RMS)" where that is judged.
    most, *rms = difference.removesuffix(")").split(" (rms ")
    judged = float(network.rule.judged(Difference(float(most), *map(float, rms or ["nan"]))))
    assert judged <= network.rule.limit, f"{name} differs by {difference}"
    assert all(float(time) > 0 for time in times), f"{name}: {times}"
