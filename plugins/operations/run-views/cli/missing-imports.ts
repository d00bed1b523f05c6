import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import type { Api } from '../../../../cli/contract.ts';

type Warning = Api.CheckedWorkflow['problems'][number];

interface Import {
  line: number;
  column: number;
  module: string;
  /** Only in the folder of the script: what it is there, a file or a folder. */
  beside?: string;
}

type Included = NonNullable<Api.RunDocument['files']>;

const CODE = 'lint_import_missing';
const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** What a script imports and this machine does not have. Nothing of the script is run. */
export async function findMissingImports(
  file: string,
  interpreter: unknown,
  included: Included = [],
): Promise<Warning[]> {
  if (file === '-' || interpreter !== undefined) return [];
  if (/\.py$/i.test(file)) return findMissingPythonImports(file, included);
  if (!/\.[cm]?[jt]s$/i.test(file)) return [];
  const text = /ts$/i.test(file)
    ? await runProgram(process.execPath, ['--no-warnings', '-e', UNTYPED, '--', file])
    : undefined;
  return readJavaScriptImports(text ?? (await readFile(file, 'utf8')))
    .filter(({ module }) => !isInstalled(module))
    .map(toWarning);
}

const toWarning = ({ line, column, module }: Import): Warning => {
  const next = BY_PATH.test(module) ? '' : '; an agent that runs the script needs it';
  return { line, column, message: `\`${module}\` does not exist on this machine${next}`, code: CODE };
};

const toNotIncludedWarning = ({ line, column, module }: Import, beside: string): Warning => ({
  ...{ line, column, code: CODE },
  message: `\`${module}\` is next to the script; to send it to agents, use --include ${beside}`,
});

const BY_PATH = /^(\/|file:)/;

interface Part {
  type?: string;
  loc?: { start: { line: number; column: number } };
  source?: Part | null;
  callee?: Part;
  name?: string;
  arguments?: Part[];
  value?: unknown;
}

/** Modules that are named by a literal. A text that cannot be read has a problem of its own. */
function readJavaScriptImports(source: string): Import[] {
  const found: Import[] = [];
  const take = (part: Part | null | undefined) => {
    if (typeof part?.value === 'string' && part.loc)
      found.push({ line: part.loc.start.line, column: part.loc.start.column + 1, module: part.value });
  };
  const look = (part: Part): void => {
    if (/^(Import|Export)/.test(part.type ?? '')) take(part.source);
    if (part.type === 'CallExpression' && part.callee?.name === 'require') take(part.arguments?.[0]);
    for (const value of Object.values(part).flat()) if (typeof (value as Part)?.type === 'string') look(value as Part);
  };
  try {
    const options = { ecmaVersion: 'latest', allowHashBang: true, locations: true } as const;
    look(parse(source, { ...options, sourceType: 'module', allowReturnOutsideFunction: true }) as Part);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
  }
  return found;
}

/** Of what a bundle leaves outside: it has all else, or its making has failed. */
function isInstalled(module: string): boolean {
  if (module.startsWith('node:')) return isBuiltin(module);
  const path = module.startsWith('file:') ? toPath(module) : module;
  if (path === undefined) return false;
  return !isAbsolute(path) || statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Undefined for an address of no file of this machine. */
function toPath(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof URIError)) throw error;
    return undefined;
  }
}

/**
 * Finding a module of the first level imports nothing. An import in a `try` is left alone: the script expects that it may fail.
 * Folders of the caller and of the script are no places for what this itself imports: files there would be run.
 */
const PYTHON = `
import sys
sys.path[:] = [one for one in sys.path if one != '']
import ast, importlib.util, json, os
path = sys.argv[1]
beside = os.path.dirname(os.path.abspath(path))
found = []
def is_there(top):
    try:
        return bool(importlib.util.find_spec(top))
    except (ImportError, ValueError):
        return False
def is_beside(top):
    for name in (top, top + '.py'):
        if os.path.exists(os.path.join(beside, name)):
            return name
def look(node):
    if isinstance(node, ast.Try):
        return
    names = []
    if isinstance(node, ast.Import):
        names = [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        names = [node.module]
    for name in names:
        top = name.split('.')[0]
        if top not in ('svc_sdk', '__main__') and not is_there(top):
            found.append({'line': node.lineno, 'column': node.col_offset + 1, 'module': name, 'beside': is_beside(top)})
    for child in ast.iter_child_nodes(node):
        look(child)
try:
    look(ast.parse(open(path, 'rb').read()))
except (SyntaxError, ValueError, RecursionError, MemoryError):
    pass
json.dump(found, sys.stdout)
`;

/** Without Python nothing is said: the check has said that already. */
async function findMissingPythonImports(file: string, included: Included): Promise<Warning[]> {
  const said = await runProgram('python3', ['-B', '-c', PYTHON, file]);
  const isIncluded = (name: string) => included.some(({ path }) => path === name || path.startsWith(`${name}/`));
  return (JSON.parse(said ?? '[]') as Import[])
    .filter(({ beside }) => !beside || !isIncluded(beside))
    .map((one) => (one.beside ? toNotIncludedWarning(one, one.beside) : toWarning(one)));
}

/** A process of its own, because the runtime warns that this may change. */
const UNTYPED =
  "process.stdout.write(require('node:module').stripTypeScriptTypes(require('node:fs').readFileSync(process.argv[1], 'utf8')))";

/** Undefined when the program is not there, or does not understand it. */
const runProgram = (program: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((done) => {
    execFile(program, args, { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout) =>
      done(error ? undefined : stdout),
    );
  });
