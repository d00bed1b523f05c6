"""The SDK and what it imports, loaded ahead but out of sight: a script finds a module only when it imports it, and only
where it would have found it anyway."""

import builtins
import os
import sys
# What has no need of `importlib`: a script may run without it.
from _frozen_importlib import _resolve_name
from _frozen_importlib_external import FileFinder

SDK = "svc_sdk"


class Stash:
    def __init__(self, modules, needs, path, folders, usable):
        self._modules = modules
        self._needs = needs
        # Where modules are looked for; a script that changes it may mean others.
        self._path = path
        self._folders = folders
        # A script called as one of them is what the others would import.
        self._usable = usable
        self._loaders = {}
        # Once each: one that the script has removed again is to be loaded anew.
        self._given = set()

    def hide(self):
        """Takes the modules out of what a script sees. The finders of their folders give them back."""
        _refresh(self._modules[SDK + "._shared"])
        for name in self._modules:
            del sys.modules[name]
            parent, _, child = name.rpartition(".")
            if parent not in self._modules and hasattr(sys.modules.get(parent), child):
                delattr(sys.modules[parent], child)
        for folder in [*sys.path_importer_cache]:
            finder = sys.path_importer_cache[folder]
            if folder not in self._folders:
                del sys.path_importer_cache[folder]
            elif isinstance(finder, FileFinder) and self._usable:
                # The script was not there when it looked.
                finder.invalidate_caches()
                _answer_first(finder, self)

    def instead_of(self, found):
        """The spec of a module that is here and is the one that was found."""
        name = found.name
        module = self._modules.get(name)
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        if origin is None or name in self._given or origin != found.origin:
            return found
        if sys.path != self._path or not all(self._fits(needed) for needed in self._needs[name]):
            return found
        self._given.add(name)
        spec = module.__spec__
        self._loaders[name] = spec.loader
        spec.loader = self
        return spec

    def create_module(self, spec):
        return self._modules[spec.name]

    def exec_module(self, module):
        """It was run before; what it imports comes with it."""
        name = module.__spec__.name
        module.__spec__.loader = self._loaders.pop(name)
        for needed in self._needs[name]:
            if needed not in sys.modules:
                self._given.add(needed)
                sys.modules[needed] = self._modules[needed]
                parent, _, child = needed.rpartition(".")
                # From others that are here it was not taken.
                if parent in sys.modules and parent not in self._modules:
                    setattr(sys.modules[parent], child, self._modules[needed])

    def _fits(self, needed):
        """False when the script has another module of that name, or has removed this one: it must not get two of one."""
        return sys.modules.get(needed, None if needed in self._given else self._modules[needed]) is self._modules[needed]


def _answer_first(finder, stash):
    ordinary = finder.find_spec

    def find_spec(name, target=None):
        found = ordinary(name, target)
        return found and stash.instead_of(found)

    finder.find_spec = find_spec


def _refresh(shared):
    """What the SDK has read of the environment."""
    shared.SOCKET = os.environ.get("SVC_AGENT_SOCKET", "")
    shared.INPUT_FILE = os.environ.get("SVC_INPUT_FILE", "")
    shared.VARIABLES = {name: value for name, value in os.environ.items() if name.startswith("SVC_")}


class _Imports:
    """Notes which module imports which."""

    def __init__(self):
        self.of = {}
        self._ordinary = builtins.__import__

    def __enter__(self):
        builtins.__import__ = self._note
        return self

    def __exit__(self, *_):
        builtins.__import__ = self._ordinary

    def _note(self, name, globals=None, locals=None, fromlist=(), level=0):
        found = self._ordinary(name, globals, locals, fromlist, level)
        importer = (globals or {}).get("__name__")
        package = (globals or {}).get("__package__") or ""
        whole = _resolve_name(name, package, level) if level else name
        named = [whole, *(f"{whole}.{item}" for item in fromlist or ())]
        self.of.setdefault(importer, set()).update(named)
        return found


def load(folder, known):
    """Imports the SDK as a script in `folder` would. `known` are the modules that are there anyway."""
    path = [folder, *(entry for entry in sys.path if entry != os.path.dirname(__file__))]
    here = sys.path[:]
    folders = {*sys.path_importer_cache, folder}
    sys.path[:] = path
    with _Imports() as imports:
        __import__(SDK)
    sys.path[:] = here
    modules = {name: module for name, module in sys.modules.items() if name not in known and name != __name__}
    usable = os.path.splitext(os.path.basename(sys.argv[0]))[0] not in modules
    for name, module in modules.items():
        parent, _, child = name.rpartition(".")
        if getattr(getattr(module, "__spec__", None), "name", None) != name and not _has_file(modules.get(parent), child):
            # A module has put it there itself, as `typing` does with `typing.io`.
            imports.of.setdefault(parent, set()).add(name)
    return Stash(modules, {name: _closure(name, imports.of, modules) for name in modules}, path, folders, usable)


def _has_file(package, child):
    return any(os.path.exists(os.path.join(folder, child + ".py")) for folder in getattr(package, "__path__", ()))


def _closure(name, imports, modules):
    """All of the modules that come with one: with what it imports, and the packages around them."""
    found, open_ones = [], [name]
    while open_ones:
        one = open_ones.pop()
        parent = one.rpartition(".")[0]
        for needed in [*imports.get(one, ()), *([parent] if parent else [])]:
            if needed in modules and needed != name and needed not in found:
                found.append(needed)
                open_ones.append(needed)
    return found
