import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { ImportGraph } from './imports.ts';
import { storeOfTurn } from './scenarios.ts';

/** Every tap file is a program. */
const PATTERN = ['{kernel,plugins,cli}/**/*.test.ts', 'test/**/*.test.ts'];

export async function unitFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(PATTERN)) files.push(file);
  return files.sort();
}

/** What says in a file that the database decides what it tests, as the tag of a scenario does. */
const OF_STORE = /^\s*\/\/ @store: /m;

/**
 * The store that a file runs on at this commit, when it loops over both; undefined: both, because the database decides what it
 * tests. Each file sees both within two commits.
 */
export function storeOfFile(file: string, turn: number): 'sqlite' | 'mysql' | undefined {
  if (/\/(store|database|conformance)\//.test(file) || OF_STORE.test(readFileSync(file, 'utf8'))) return undefined;
  return storeOfTurn(file, turn);
}

/** What opens databases, servers or processes, or stands in for them: files that load it have a process of their own. */
const WHOLE = /^(test\/(?!gate\/)|features\/|kernel\/boot\/|cli\/)/;
const OUTSIDE =
  /^(node:)?(child_process|cluster|worker_threads|net|tls|http|https|http2|dgram|sqlite|repl|inspector|v8|vm|async_hooks|test)$|^(nock|mysql2|sequelize|umzug|restify|undici|playwright-core|ws|esbuild|@nats-io\/|@opentelemetry\/|oidc-provider|reflect-metadata|tsyringe)/;
/** What a file does to the process that it is in, and to the root of its tests, which it would share. */
const SHARED =
  /\bprocess\.env(\.\w+|\[[^\]]+\])? *(\?\?|\|\|)?=[^=]|\b(delete|assign\() *process\.env|\bprocess\.(exit|on\b|once\b|chdir|umask|stdout|stderr|stdin|memoryUsage|cpuUsage|argv|title|kill|emit)|\bglobalThis\b|\bglobal\.|\bprocess\.get(Builtin|Active)|^t\.(?!test\(|setTimeout\()|\bt\.(mock|intercept|capture)|\bgc\(|setDefaultTimeout|prototype\.\w+ =|\b(JSON|Math|Date|Buffer|Object|Array|Promise|Error)\.\w+ = |FinalizationRegistry|\bperformance\.(mark|timerify|eventLoop)/m;
/** What says in a file that it needs a process of its own where its text does not show it. */
const APART = /^\s*\/\/ @apart: /m;

/**
 * Can the file share a process with others? Told by what it imports and by its own text, so that nobody has to say so of a
 * new one: it starts nothing, changes nothing that all of a process share, and has no hooks at the root of its tests.
 */
export function isPure(file: string, graph = new ImportGraph()): boolean {
  if (isBound(file)) return false;
  const { files, others } = graph.reach(file);
  return (
    [...files].every((one) => one === file || !WHOLE.test(one)) && [...others].every((name) => !OUTSIDE.test(name))
  );
}

const isBound = (file: string): boolean => {
  const text = readFileSync(file, 'utf8');
  return SHARED.test(text) || APART.test(text);
};

const KIT = /^test\/kit\//;
/** The code under test may start what it likes: the server of a test closes it. */
const UNDER_TEST = /^(kernel|plugins|cli)\/(?!.*(\.test\.ts$|\.testsuite\.ts$|\/testing\/))/;
/** What tests do by these outlives them, or is another thing in a process that has run other tests. */
const LASTING =
  /^(node:)?(cluster|worker_threads|repl|inspector|v8|vm|async_hooks|test)$|^(nock|playwright-core|esbuild|oidc-provider|reflect-metadata|tsyringe|restify|undici|@opentelemetry\/)/;
/** What a test measures is that of a process that does nothing else. Helpers read the clock for servers that they stand in for. */
const MEASURED = /\b(longestHold|maxHoldMs|cpuOf)\b|\bperformance\.now\(/;

/** Helpers of one plugin, and those of many tests but for what starts servers and agents as processes of their own. */
const HELPER = /\/testing\/|\.testsuite\.ts$|^(test|features)\/support\/(?!process\.ts)/;

/**
 * Does it only boot servers of the kit in its own process, and close them? Loading the kit, tap and a server's modules takes
 * a second of processor time, so such files share a process too, one after the other. Programs that a file starts end before
 * the next one begins, as they end before a process of its own does.
 */
export function isServing(file: string, graph = new ImportGraph()): boolean {
  const { files } = graph.reach(file);
  const own = [...files].filter((one) => !UNDER_TEST.test(one) && !KIT.test(one) && existsSync(one));
  return own.every(
    (one) =>
      (one === file || HELPER.test(one)) &&
      !isBound(one) &&
      !(one === file && MEASURED.test(readFileSync(one, 'utf8'))) &&
      graph.of(one).others.every((name) => !LASTING.test(name)),
  );
}
