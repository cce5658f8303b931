"""Puts into a folder each op's models and values that EvalTests leaves: export_models.py EVAL_TESTS FOLDER

Where test/run.py has run all of EvalTests before, GRAPHC_TEST_MODELS_FROM names where it left them; else it runs here.
"""

import os
import shutil
import subprocess
import sys

program, folder = sys.argv[1:]
left = os.environ.get("GRAPHC_TEST_MODELS_FROM")
if left:
    shutil.copytree(left, folder)
else:
    os.mkdir(folder)
    subprocess.run([program, "--gtest_filter=All/Exported*:ExportedControl*", "--gtest_brief=1"], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, GRAPHC_TEST_MODELS_TO=folder))
