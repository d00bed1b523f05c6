"""What `svc worker` starts for files of Python: imports the files that define workflows, and serves them."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from typing import List

from ._output import watch_output
from ._serve import Importing, serve_blocking


def main(files: List[str]) -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    # Before the files are here: what they keep of the streams knows of runs.
    watch_output()
    # A terminal interrupts the agent too, which lets the runs go and then ends this process. Commands are not to ignore it.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    paths = [os.path.abspath(file) for file in files]
    for folder in reversed([os.path.dirname(path) for path in paths]):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    Importing.now = True
    for path in paths:
        _import_file(path)
    Importing.now = False
    serve_blocking(None, {})


def _import_file(path: str) -> None:
    """Imports a file under its own name, so that the others find it there. One that would hide a module has another."""
    name = os.path.splitext(os.path.basename(path))[0]
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == path:
        return
    if loaded is not None:
        name = f"svc_worker_{len(sys.modules)}_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    main(sys.argv[1:])
