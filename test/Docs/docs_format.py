"""lit's view of the documents: each is a test, and run_docs.py runs it."""

import os
import subprocess

import lit.formats
import lit.Test


class DocsFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, testSuite, pathInSuite, litConfig, localConfig):
        if pathInSuite != ("Docs",):  # lit also asks for the folders below, such as Python's own __pycache__
            return
        root = localConfig.graphc_source_dir
        names = ["README.md"]
        for folder, _, files in os.walk(os.path.join(root, "docs")):
            names += [os.path.relpath(os.path.join(folder, file), root) for file in files if file.endswith(".md")]
        for name in sorted(names):
            yield lit.Test.Test(testSuite, pathInSuite + tuple(name.split(os.sep)), localConfig)

    def execute(self, test, litConfig):
        config = test.config
        name = os.path.join(*test.path_in_suite[1:])
        command = [
            config.python, os.path.join(os.path.dirname(__file__), "run_docs.py"), config.graphc_source_dir, name,
            "--build", config.graphc_build_dir, "--cxx", config.cxx_compiler, "--llvm", config.llvm_tools_dir,
            "--scratch", os.path.join(config.test_exec_root, "Docs", "Output", name),
        ]
        if config.sanitizers:
            command += ["--sanitizers", config.sanitizers]
        process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return (lit.Test.FAIL if process.returncode else lit.Test.PASS), process.stdout
