"""Reads a script of Python from standard input, runs nothing of it, and prints `{problems}`, or `{tree}` as tree.ts
describes it. The text may be hostile, so the process bounds itself.
"""

import ast
import json
import resource
import sys
import warnings

MAX_DEPTH = 400
MAX_NODES = 200_000
MEMORY = 1 << 30
SECONDS = 5


class TooLarge(Exception):
    pass


class Reader:
    def __init__(self, source):
        # Of plain characters, whose columns need no counting, nothing is kept.
        self.lines = [None if line.isascii() else line for line in source.encode().split(b"\n")]
        self.count = 0
        self.outer = [set()]

    def node(self, kind, at, **rest):
        self.count += 1
        if self.count > MAX_NODES:
            raise TooLarge()
        made = {"k": kind, "l": getattr(at, "lineno", 1), "c": self.column(at)}
        made.update((key, value) for key, value in rest.items() if value is not None)
        return made

    def column(self, at):
        """Python counts bytes; everybody else counts characters."""
        offset = getattr(at, "col_offset", 0)
        line = self.lines[at.lineno - 1] if hasattr(at, "lineno") else None
        if line is None:
            return offset + 1
        return len(line[:offset].decode(errors="replace").encode("utf-16-le")) // 2 + 1

    def many(self, parts, depth):
        return [self.tree(part, depth + 1) for part in parts if part is not None]

    def tree(self, part, depth):
        if depth > MAX_DEPTH:
            raise TooLarge()
        make = getattr(self, type(part).__name__, None)
        if make is not None:
            return make(part, depth)
        return self.node("all", part, a=self.many(ast.iter_child_nodes(part), depth))

    # expressions

    def Constant(self, part, depth):
        return self.node("text", part, v=part.value if isinstance(part.value, str) else None)

    def Name(self, part, depth):
        return self.node("name", part, v=part.id)

    def Attribute(self, part, depth):
        name = dotted(part)
        if name is None:
            return self.node("all", part, a=self.many([part.value], depth))
        return self.node("name", part, v=name)

    def Call(self, part, depth):
        name = dotted(part.func)
        named = {one.arg: self.tree(one.value, depth + 1) for one in part.keywords if one.arg is not None}
        more = [one.value for one in part.keywords if one.arg is None]
        return self.node(
            "call",
            part,
            f=name,
            a=self.many([*part.args, *more], depth),
            n=named or None,
            o=None if name is not None else self.tree(part.func, depth + 1),
        )

    def List(self, part, depth):
        return self.node("list", part, a=self.many(part.elts, depth))

    Tuple = List

    def Dict(self, part, depth):
        names = [one.value if isinstance(one, ast.Constant) else None for one in part.keys]
        if any(not isinstance(one, str) for one in names) or len(set(names)) < len(names):
            return self.node("all", part, a=self.many([one for one in [*part.keys, *part.values] if one is not None], depth))
        return self.node("all", part, n={k: self.tree(v, depth + 1) for k, v in zip(names, part.values)})

    def Starred(self, part, depth):
        return self.node("spread", part, a=self.many([part.value], depth))

    def BoolOp(self, part, depth):
        first, *rest = part.values
        return self.branch(part, depth, first, rest)

    def IfExp(self, part, depth):
        return self.branch(part, depth, part.test, [part.body, part.orelse])

    def comprehension_of(self, part, depth, made):
        sets = [self.set_to(one.target, one.target, [one.iter], depth) for one in part.generators]
        tests = [test for one in part.generators for test in [one.iter, *one.ifs]]
        test = self.node("all", tests[0], a=self.many(tests, depth))
        return self.node("all", part, a=[*sets, self.node("branch", part, t=test, a=self.many(made, depth))])

    def ListComp(self, part, depth):
        return self.comprehension_of(part, depth, [part.elt])

    SetComp = GeneratorExp = ListComp

    def DictComp(self, part, depth):
        return self.comprehension_of(part, depth, [part.key, part.value])

    # statements

    def Return(self, part, depth):
        return self.node("return", part, a=self.many([part.value], depth))

    def branch(self, part, depth, test, bodies):
        return self.node("branch", part, t=self.tree(test, depth + 1), a=self.many(bodies, depth))

    def If(self, part, depth):
        return self.branch(part, depth, part.test, [*part.body, *part.orelse])

    While = If

    def For(self, part, depth):
        inner = self.branch(part, depth + 1, part.iter, [*part.body, *part.orelse])
        return self.node("all", part, a=[self.set_to(part, part.target, [part.iter], depth), inner])

    AsyncFor = For

    def Match(self, part, depth):
        return self.branch(part, depth, part.subject, part.cases)

    def set_to(self, part, target, values, depth):
        names = list(targets(target))
        declares = not any(name in self.outer[-1] for name in names)
        return self.node("set", part, v=names, d=declares, a=self.many(values, depth))

    def Assign(self, part, depth):
        if len(part.targets) == 1:
            return self.set_to(part, part.targets[0], others(part.targets) + [part.value], depth)
        sets = [self.set_to(part, one, others([one]) + [part.value], depth) for one in part.targets]
        return self.node("all", part, a=sets)

    def AnnAssign(self, part, depth):
        if part.value is None:
            return self.node("all", part, a=[])
        return self.set_to(part, part.target, others([part.target]) + [part.value], depth)

    def NamedExpr(self, part, depth):
        return self.set_to(part, part.target, [part.value], depth)

    def AugAssign(self, part, depth):
        return self.set_to(part, part.target, [part.target, part.value], depth)

    def withitem(self, part, depth):
        if part.optional_vars is None:
            return self.tree(part.context_expr, depth)
        return self.set_to(part.context_expr, part.optional_vars, [part.context_expr], depth)

    def Import(self, part, depth):
        locals_of = {
            one.asname or one.name.split(".")[0]: one.name if one.asname else one.name.split(".")[0]
            for one in part.names
        }
        return self.node("import", part, v="", m=locals_of)

    def ImportFrom(self, part, depth):
        module = "." * part.level + (part.module or "")
        return self.node("import", part, v=module, m={one.asname or one.name: one.name for one in part.names})

    # functions

    def function(self, part, depth, name, body):
        given = part.args
        plain = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        params = [one.arg for one in [*plain, given.vararg, given.kwarg] if one is not None]
        if given.vararg is not None:
            params = [one for one in params if one != given.vararg.arg] + [given.vararg.arg]
        before = self.many([*given.defaults, *[one for one in given.kw_defaults if one is not None]], depth)
        self.outer.append(set())
        inner = body()
        self.outer.pop()
        return self.node("function", part, v=name, p=params, rest=given.vararg is not None or None, a=[*before, *inner])

    def FunctionDef(self, part, depth):
        made = self.function(part, depth, part.name, lambda: self.many(part.body, depth))
        decorators = self.many(part.decorator_list, depth)
        return self.node("all", part, a=[*decorators, made], g=len(decorators) or None)

    AsyncFunctionDef = FunctionDef

    def Lambda(self, part, depth):
        value = [part.body]
        return self.function(part, depth, None, lambda: [self.node("return", part, a=self.many(value, depth))])

    def Global(self, part, depth):
        self.outer[-1].update(part.names)
        return self.node("all", part, a=[])

    Nonlocal = Global


def dotted(part):
    if isinstance(part, ast.Name):
        return part.id
    if not isinstance(part, ast.Attribute):
        return None
    of = dotted(part.value)
    return None if of is None else of + "." + part.attr


def targets(part):
    """The names that an assignment sets."""
    if isinstance(part, ast.Name):
        yield part.id
    elif isinstance(part, (ast.Tuple, ast.List)):
        for one in part.elts:
            yield from targets(one)
    elif isinstance(part, ast.Starred):
        yield from targets(part.value)


def others(parts):
    """What is read to find the place of an assignment: `rows` of `rows[0] = 1`."""
    return [one for one in parts if not isinstance(one, (ast.Name, ast.Tuple, ast.List))]


def look(source):
    try:
        parsed = ast.parse(source)
        # Finds what the grammar allows and the language does not: a `return` outside of a function.
        compile(source, "script", "exec", dont_inherit=True)
    except SyntaxError as error:
        version = "%d.%d" % sys.version_info[:2]
        message = "%s (Python %s)" % (error.msg, version)
        return {"problems": [{"line": max(error.lineno or 1, 1), "column": max(error.offset or 1, 1), "message": message}]}
    return {"tree": Reader(source).tree(parsed, 0)}


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    warnings.simplefilter("ignore")
    source = sys.stdin.buffer.read().decode()
    try:
        answer = look(source)
    except (TooLarge, RecursionError, MemoryError, ValueError):
        answer = {}
    json.dump(answer, sys.stdout)


main()
